//! How many jobs each policy preempts, beside the others. `cargo run --release --example policies` prints a table.

use aryl::reclaim::{Policy, Reclaim, Reclaimer};

use crate::clusters::{Mix, churned, filled};

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

#[test]
fn under_churn_the_exact_policy_proves_its_answer_and_is_never_worse_than_the_rules() {
    let mut greedy_pays_more = 0;
    for (servers, seed) in [(60, 0), (60, 1), (200, 2), (520, 3), (1_500, 4)] {
        let scattered = |mix| filled(servers, mix, 0, seed);
        for cluster in [churned(servers, 0, seed), scattered(Mix::WideJobs), scattered(Mix::SmallJobs)] {
            for percent in [5, 10, 20, 40] {
                let solve = |policy| Reclaimer::new(policy).solve(&cluster, servers * percent / 100).unwrap();
                let (exact, rules) = (solve(Policy::Exact), solve(Policy::BestOfRules));
                assert!(exact.certificate().is_optimal(), "{servers} servers, seed {seed}: {exact}");
                let order = |answer: &Reclaim| {
                    (
                        answer.certificate().objective(),
                        answer.jct_lost().0.to_bits(),
                        answer.collateral_gpus(),
                    )
                };
                assert!(order(&exact) <= order(&rules), "{servers} servers, seed {seed}");
                let greedy = solve(Policy::Aryl).certificate().objective();
                greedy_pays_more += u32::from(greedy > exact.certificate().objective());
            }
        }
    }
    assert!(greedy_pays_more > 10, "{greedy_pays_more} of 60");
}
