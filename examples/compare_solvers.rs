//! One instance, every solver: a knapsack, a reclaim and an epoch, each with value, bound, gap and time.
//!
//! ```text
//! cargo run --release --features ilp --example compare_solvers -- [SEED]
//! ```

#[path = "../benches/clusters/mod.rs"]
mod clusters;
#[path = "../benches/families/mod.rs"]
mod families;
#[path = "../tests/support/mod.rs"]
mod support;

use std::error::Error;
use std::fmt::Display;
use std::time::Instant;

use aryl::certificate::{Certificate, Sense};
use aryl::epoch::{Epoch, Request};
use aryl::ilp::{self, GoodLp, Microlp};
use aryl::knapsack::{Solver, brute_force, dense, greedy};
use aryl::reclaim::{Policy, Reclaimer};
use aryl::units::Seconds;
use clusters::{Mix, churned, filled};
use families::{Capacity, Family};
use oorandom::Rand32;
use support::{Shape, random_cluster};

type Failure = Box<dyn Error>;

/// One line of a table.
fn row<E: Display>(name: &str, solve: impl FnOnce() -> Result<Certificate, E>) {
    let start = Instant::now();
    let answer = solve();
    let time = start.elapsed().as_secs_f64() * 1_000.0;
    match answer {
        Ok(answer) => println!(
            "{name:<30}{:>16}{:>16}{:>12.4} %{time:>12.3} ms",
            answer.objective(),
            answer.bound(),
            answer.relative_gap() * 100.0
        ),
        Err(error) => println!("{name:<30}{error}"),
    }
}

fn head(title: &str) {
    println!("\n{title}\n{:<30}{:>16}{:>16}{:>14}{:>15}", "", "value", "bound", "gap", "time");
}

fn compare_knapsacks(seed: u64) {
    let instance = families::table_of(Family::Noisy, 10, 5, Capacity::Percent(25), u128::from(seed));
    head(&format!(
        "Knapsack: {} classes, {} items, capacity {}; milliseconds saved, the more the better",
        instance.class_count(),
        instance.item_count(),
        instance.capacity()
    ));
    row("greedy on the upper hull", || greedy(&instance).map(|answer| answer.certificate()));
    row("default solver", || Solver::default().solve(&instance).map(|answer| answer.certificate()));
    row("dense dynamic program", || dense(&instance, 1 << 30).map(|answer| answer.certificate()));
    row("brute force", || brute_force(&instance).map(|answer| answer.certificate()));
    row("integer program, microlp", || {
        ilp::knapsack(&instance, &Microlp::default()).map(|answer| answer.certificate())
    });
    row("integer program, good_lp", || ilp::knapsack(&instance, &GoodLp).map(|answer| answer.certificate()));
}

fn compare_reclaims(seed: u64) {
    let (servers, count) = (40, 6);
    for (jobs, cluster) in [
        ("best fit", churned(servers, 20, seed)),
        ("scattered", filled(servers, Mix::WideJobs, 20, seed)),
        ("scattered, small jobs", filled(servers, Mix::SmallJobs, 20, seed)),
    ] {
        head(&format!("Reclaim: {count} of {servers} servers, {jobs}; preemption cost, the less the better"));
        for (name, policy) in [
            ("Random", Policy::Random { seed }),
            ("SmallestCountFirst", Policy::SmallestCountFirst),
            ("Aryl", Policy::Aryl),
            ("Amortized", Policy::Amortized),
            ("BestOfRules", Policy::BestOfRules),
            ("Exact", Policy::Exact),
        ] {
            row(name, || Reclaimer::new(policy).solve(&cluster, count).map(|answer| *answer.certificate()));
        }
        row("integer program, microlp", || {
            ilp::reclaim(&cluster, count, &Microlp::default()).map(|answer| *answer.certificate())
        });
        row("integer program, good_lp", || {
            ilp::reclaim(&cluster, count, &GoodLp).map(|answer| *answer.certificate())
        });
    }
}

fn compare_epochs(seed: u64) -> Result<(), Failure> {
    let shape =
        Shape { servers: 8, jobs: 16, types: true, heterogeneous: false, overheads: true, protection: false };
    let wait = Seconds(300.0);
    let cluster = random_cluster(&mut Rand32::new(seed), shape);
    let (servers, jobs) = (cluster.servers().count(), cluster.jobs().count());
    head(&format!(
        "Epoch: {servers} servers, {jobs} jobs, a start spares {wait}; milliseconds, the more the better"
    ));
    // The two phases know no bound on both at once: the optimum is theirs too.
    let bound = ilp::epoch(&cluster, wait, &Microlp::default())?.certificate().bound();
    row("two phases", || {
        let plan = Epoch::default().plan(&cluster, Request::NONE)?;
        let mut planned = cluster.clone();
        planned.apply(&plan)?;
        let value = u64::try_from(ilp::epoch_value(&cluster, &planned, wait)?.max(0))?;
        Ok::<_, Failure>(Certificate::new(Sense::Maximize, value, bound)?)
    });
    row("integer program, microlp", || {
        ilp::epoch(&cluster, wait, &Microlp::default()).map(|answer| answer.certificate())
    });
    row("integer program, good_lp", || {
        ilp::epoch(&cluster, wait, &GoodLp).map(|answer| answer.certificate())
    });
    Ok(())
}

fn main() -> Result<(), Failure> {
    let seed = std::env::args().nth(1).map_or(Ok(2), |seed| seed.parse())?;
    compare_knapsacks(seed);
    compare_reclaims(seed);
    compare_epochs(seed)
}
