//! Again, of a clone, written down and read back, and with memory that was used for something else.

use aryl::place::BestFitDecreasing;
use aryl::{epoch, k_union, knapsack, place};

use crate::SEEDS;
use crate::canonical::{self, Names};
use crate::clusters::case;
use crate::rooms::{
    demands, knapsack_instance, loan_decisions, loan_input, loan_row, place_row, plan_row, union_instance,
    union_row, union_solver,
};

/// What is written down as JSON and read back.
#[cfg(feature = "serde")]
fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn a_plan_is_the_same_again_and_of_a_clone_and_in_used_memory() {
    let (mut workspace, mut kept) = (epoch::Workspace::new(), epoch::Plan::default());
    for seed in SEEDS {
        let case = case(seed);
        let first = case.epoch.plan(&case.cluster, &case.request);
        let row = canonical::plan(&first);
        assert_eq!(plan_row(seed), row, "seed {seed}: again");
        let clone = case.cluster.clone();
        assert_eq!(case.epoch.plan(&clone, case.request.clone()), first, "seed {seed}: of a clone");
        // The memory of all plans before this one, those that ended in an error too.
        let done = case.epoch.plan_into(&case.cluster, &case.request, &mut workspace, &mut kept);
        let used = done.map(|()| kept.clone());
        assert_eq!(canonical::plan(&used), row, "seed {seed}: in used memory");
        let mut copy = workspace.clone();
        let done = case.epoch.plan_into(&clone, &case.request, &mut copy, &mut kept);
        assert_eq!(done.map(|()| kept.clone()), first, "seed {seed}: in a clone of used memory");
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_plan_is_the_same_of_what_was_written_down() {
    for seed in SEEDS {
        let case = case(seed);
        let first = case.epoch.plan(&case.cluster, &case.request);
        let (cluster, request) = (through_json(&case.cluster), through_json(&case.request));
        let again = through_json(&case.epoch).plan(&cluster, request);
        assert_eq!(canonical::plan(&again), canonical::plan(&first), "seed {seed}");
        if let Ok(plan) = first {
            let read = Ok(through_json(&plan));
            assert_eq!(canonical::plan(&read), canonical::plan(&Ok(plan)), "seed {seed}: the plan itself");
        }
    }
}

#[test]
fn a_knapsack_is_the_same_again_and_in_used_memory() {
    let solver = knapsack::Solver::default();
    let (mut workspace, mut kept) = (knapsack::Workspace::new(), knapsack::Solution::default());
    let mut hints = Vec::new();
    for seed in SEEDS {
        let instance = knapsack_instance(seed);
        let first = solver.solve(&instance).unwrap();
        assert_eq!(solver.solve(&instance).unwrap(), first, "seed {seed}: again");
        assert_eq!(solver.solve(&instance.clone()).unwrap(), first, "seed {seed}: of a clone");
        solver.solve_into(&instance, &mut workspace, &mut kept).unwrap();
        assert_eq!(kept, first, "seed {seed}: in used memory");
        hints.extend(workspace.hint());
        knapsack::greedy_into(&instance, &mut workspace, &mut kept).unwrap();
        assert_eq!(kept, knapsack::greedy(&instance).unwrap(), "seed {seed}: greedy");
        // A hint, right or wrong, changes neither the value nor the certificate; and the same hint gives the same answer.
        for hint in hints.iter().rev().take(2).copied().map(Some) {
            let with_hint = [(); 2].map(|()| {
                solver.solve_with_hint_into(&instance, hint, &mut workspace, &mut kept).unwrap();
                kept.clone()
            });
            assert_eq!(with_hint[0], with_hint[1], "seed {seed}: {hint:?}");
            assert_eq!(
                (kept.value(), kept.certificate()),
                (first.value(), first.certificate()),
                "seed {seed}"
            );
        }
        #[cfg(feature = "serde")]
        assert_eq!(
            solver.solve(&through_json(&instance)).unwrap(),
            through_json(&first),
            "seed {seed}: JSON"
        );
    }
    assert!(hints.len() > 30, "there are hints to try");
}

#[test]
fn a_union_is_the_same_again_and_in_used_memory() {
    let mut workspace = k_union::Workspace::new();
    let (mut kept, mut kept_curve) = (k_union::Solution::default(), k_union::Curve::default());
    let mut open = 0;
    for seed in SEEDS {
        let ((instance, need), solver) = (union_instance(seed), union_solver(seed));
        assert_eq!(union_row(seed), union_row(seed), "seed {seed}: again");
        let first = solver.solve(&instance, need).unwrap();
        assert_eq!(solver.solve(&instance.clone(), need).unwrap(), first, "seed {seed}: of a clone");
        solver.solve_into(&instance, need, &mut workspace, &mut kept).unwrap();
        assert_eq!(kept, first, "seed {seed}: in used memory");
        solver.curve_into(&instance, &mut workspace, &mut kept_curve);
        assert_eq!(kept_curve, solver.curve(&instance), "seed {seed}: curve");
        open += u32::from(!first.certificate().is_optimal());
    }
    assert!(open > 0, "a budget ends in some");
}

#[test]
fn a_placement_is_the_same_again_and_in_used_memory() {
    let (mut workspace, mut kept) = (place::Workspace::new(), place::Placements::default());
    for seed in SEEDS {
        let (cluster, demands) = demands(seed);
        let row = place_row(seed);
        BestFitDecreasing.solve_into(&cluster, &demands, &mut workspace, &mut kept).unwrap();
        assert_eq!(canonical::placements(&kept, &Names::OWN), row, "seed {seed}: in used memory");
        #[cfg(feature = "serde")]
        {
            let again = BestFitDecreasing.solve(&through_json(&cluster), &through_json(&demands)).unwrap();
            assert_eq!(through_json(&again), kept, "seed {seed}: JSON");
        }
    }
}

#[test]
fn a_loan_is_the_same_again_and_by_the_plain_rule() {
    for seed in SEEDS {
        assert_eq!(loan_row(seed), loan_row(seed), "seed {seed}: again");
        let (_, policy, demands) = loan_input(seed);
        for (at, decision) in loan_decisions(seed).into_iter().enumerate() {
            // With all that came before in place of what the controller remembers.
            let again = policy.decide(decision.fleet(), &demands[..at], demands[at]);
            assert_eq!(again, decision, "seed {seed}: decision {at}");
            #[cfg(feature = "serde")]
            {
                assert_eq!(
                    through_json(&policy).decide(
                        &through_json(decision.fleet()),
                        &demands[..at],
                        demands[at]
                    ),
                    decision
                );
                assert_eq!(through_json(&decision), decision);
            }
        }
    }
}
