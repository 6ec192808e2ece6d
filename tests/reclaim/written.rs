//! What goes in and comes out survives being written down.

use aryl::reclaim::{Policy, Reclaim, ReclaimError, Reclaimer, server_preemption_costs};

use crate::POLICIES;
use crate::clusters::{Mix, filled};

#[test]
fn solvers_answers_and_errors_survive_the_round_trip() {
    let cluster = filled(30, Mix::SmallJobs, 40, 1);
    for policy in POLICIES {
        let text = serde_json::to_string(&Reclaimer::new(policy).put_back(false)).unwrap();
        let solver: Reclaimer = serde_json::from_str(&text).unwrap();
        assert_eq!(solver, Reclaimer::new(policy).put_back(false));
        let answer = solver.solve(&cluster, 4).unwrap();
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(serde_json::from_str::<Reclaim>(&text).unwrap(), answer);
    }
    let error = Reclaimer::default().solve(&cluster, 31).unwrap_err();
    let text = serde_json::to_string(&error).unwrap();
    assert_eq!(serde_json::from_str::<ReclaimError>(&text).unwrap(), error);
    let costs = serde_json::to_value(server_preemption_costs(&cluster)).unwrap();
    assert_eq!(costs.as_array().unwrap().len(), 30);
    assert_eq!(serde_json::to_string(&Policy::SmallestCountFirst).unwrap(), r#""smallest_count_first""#);
}
