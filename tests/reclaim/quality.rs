//! How many jobs each policy preempts, beside the others. `cargo run --release --example policies` prints a table.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::ServerId;
use aryl::reclaim::{Policy, Reclaim, Reclaimer};
use oorandom::Rand32;

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

// Preempting the jobs costs nothing here, so that all that an answer can lose is GPUs that others leave idle.
#[test]
fn where_only_collateral_is_lost_the_exact_policy_loses_less() {
    let (mut exact, mut rules) = (0, 0);
    for seed in 0..20 {
        let mut random = Rand32::new(seed);
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..24 {
            cluster.add_server(Server::on_loan(gpu, 8)).unwrap();
        }
        for _ in 0..30 {
            let (first, second) = (random.rand_range(0..24), random.rand_range(0..24));
            let job = Job::inelastic(2).gpus_per_worker(1 + random.rand_range(0..3)).preemption_cost(0);
            let job = cluster.add_job(job).unwrap();
            let at = |server: u32| Placement::base(ServerId::new(server), 1);
            // Some do not fit, or name one server twice: they wait.
            let _ = cluster.place(job, &[at(first), at(second)]);
        }
        let collateral = |policy| Reclaimer::new(policy).solve(&cluster, 8).unwrap().collateral_gpus();
        let (one, other) = (collateral(Policy::Exact), collateral(Policy::BestOfRules));
        assert!(one <= other, "seed {seed}: {one} and {other}");
        (exact, rules) = (exact + one, rules + other);
    }
    assert!(10 * exact < 9 * rules, "{exact} GPUs, and {rules} by rules");
}
