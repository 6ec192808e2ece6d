//! How many jobs each reclaim policy preempts: the table in the documentation of `aryl::reclaim`.
//!
//! ```text
//! cargo run --release --example policies
//! ```
//!
//! Each number is a sum over ten clusters that were filled under churn, by seeds 0 to 9: jobs preempted after superfluous
//! victims were put back and, in brackets, before.

#[path = "../benches/clusters/mod.rs"]
mod clusters;

use aryl::reclaim::{Policy, Reclaimer};
use clusters::{Mix, filled};

/// The preemptions over ten seeds, and the bounds, each summed up.
fn preempted(reclaimer: Reclaimer, servers: u32, mix: Mix, elastic: u32, count: u32) -> (u64, u64) {
    let certificates = (0..10).map(|seed| {
        let answer = reclaimer.solve(&filled(servers, mix, elastic, seed), count);
        *answer.expect("no server is protected").certificate()
    });
    certificates.fold((0, 0), |sum, next| (sum.0 + next.objective(), sum.1 + next.bound()))
}

fn main() {
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
