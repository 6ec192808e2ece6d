//! How many jobs each policy preempts, beside the others. `cargo run --release --example policies` prints a table.

use aryl::reclaim::{Policy, Reclaimer};

use crate::clusters::{Mix, filled};

/// The preemptions over ten seeds, and the bounds, each summed up.
fn preempted(reclaimer: Reclaimer, servers: u32, mix: Mix, elastic: u32, count: u32) -> (u64, u64) {
    let certificates = (0..10)
        .map(|seed| *reclaimer.solve(&filled(servers, mix, elastic, seed), count).unwrap().certificate());
    certificates.fold((0, 0), |sum, next| (sum.0 + next.objective(), sum.1 + next.bound()))
}

#[test]
fn the_best_of_the_rules_preempts_least_and_random_most() {
    for mix in [Mix::SmallJobs, Mix::WideJobs] {
        let cost = |policy| preempted(Reclaimer::new(policy), 60, mix, 20, 6).0;
        let best = cost(Policy::BestOfRules);
        assert!(
            best <= cost(Policy::Aryl).min(cost(Policy::Amortized)).min(cost(Policy::SmallestCountFirst))
        );
        assert!(cost(Policy::Aryl) < cost(Policy::Random { seed: 1 }), "{mix:?}");
    }
}
