//! How many jobs each policy preempts: the table in the documentation of `aryl::reclaim`.

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

#[test]
#[ignore = "prints the table"]
fn table() {
    println!(
        "| servers, returned | jobs | elastic | bound | `BestOfRules` | `Amortized` | `Aryl` | `SmallestCountFirst` | `Random` |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (servers, count) in [(60, 2), (60, 6), (1_500, 15), (1_500, 150), (1_500, 750)] {
        for (mix, name) in [(Mix::SmallJobs, "small"), (Mix::WideJobs, "wide")] {
            for elastic in [0, 20] {
                let run = |reclaimer| preempted(reclaimer, servers, mix, elastic, count);
                let bound = run(Reclaimer::new(Policy::Aryl)).1;
                print!("| {servers}, {count} | {name} | {elastic} % | {bound} |");
                for policy in [
                    Policy::BestOfRules,
                    Policy::Amortized,
                    Policy::Aryl,
                    Policy::SmallestCountFirst,
                    Policy::Random { seed: 1 },
                ] {
                    let (mended, raw) =
                        (run(Reclaimer::new(policy)).0, run(Reclaimer::new(policy).put_back(false)).0);
                    print!(" {mended} ({raw}) |");
                }
                println!();
            }
        }
    }
}
