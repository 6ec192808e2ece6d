//! How many jobs each reclaim policy preempts, how long it takes, and what is proven: the table in the documentation of
//! `aryl::reclaim`.
//!
//! ```text
//! cargo run --release --example policies
//! cargo run --release --example policies -- 20      # 20 of 100 jobs are elastic
//! ```
//!
//! On-loan servers of 8 GPUs, with jobs that came and went, by seeds 0, 1 and 2: placed by best fit to 95 % full, of 1 to 64
//! GPUs; or scattered, until nothing fits, of 1 to 64 GPUs or most of them of 1 or 2. Each number is a sum over the seeds;
//! times are medians of five decisions in warm memory, of the slowest seed.

#[path = "../benches/clusters/mod.rs"]
mod clusters;

use std::time::{Duration, Instant};

use aryl::cluster::Cluster;
use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};
use clusters::{Mix, churned, filled};

/// What a policy did on some clusters.
#[derive(Default)]
struct Record {
    preempted: usize,
    collateral: u64,
    proven: usize,
    gap: u64,
    time: Duration,
}

fn main() {
    let elastic = std::env::args()
        .nth(1)
        .map_or(0, |text| text.parse().expect("a number of elastic jobs in a hundred"));
    let policies = [
        ("exact", Policy::Exact),
        ("best of rules", Policy::BestOfRules),
        ("aryl", Policy::Aryl),
        ("smallest count first", Policy::SmallestCountFirst),
        ("random", Policy::Random { seed: 1 }),
    ];
    println!("{elastic} of 100 jobs are elastic. Preempted jobs (collateral GPUs), and time of a decision.");
    println!();
    print!("| jobs | servers | returned | proven | gap |");
    policies.iter().for_each(|(name, _)| print!(" {name} |"));
    println!(" exact | aryl |");
    println!("|---|---|---|---|---|{}---|---|", "---|".repeat(policies.len()));
    let kinds: [(&str, Fill, &[u32]); 3] = [
        ("best fit", churned, &[60, 200, 520, 1_500, 5_000, 20_000]),
        (
            "scattered",
            |servers, elastic, seed| filled(servers, Mix::WideJobs, elastic, seed),
            &[60, 520, 1_500],
        ),
        (
            "scattered, small",
            |servers, elastic, seed| filled(servers, Mix::SmallJobs, elastic, seed),
            &[60, 520, 1_500],
        ),
    ];
    for (kind, fill, sizes) in kinds {
        for &servers in sizes {
            let clusters: Vec<Cluster> = (0..3).map(|seed| fill(servers, elastic, seed)).collect();
            for percent in [5, 10, 20, 40] {
                let count = servers * percent / 100;
                let records = policies.map(|(_, policy)| run(&clusters, policy, count));
                let exact = &records[0];
                print!(
                    "| {kind} | {servers} | {count} | {} of {} | {} |",
                    exact.proven,
                    clusters.len(),
                    exact.gap
                );
                records.iter().for_each(|record| print!(" {} ({}) |", record.preempted, record.collateral));
                println!(" {} | {} |", milliseconds(records[0].time), milliseconds(records[2].time));
            }
        }
    }
}

type Fill = fn(u32, u32, u64) -> Cluster;

fn run(clusters: &[Cluster], policy: Policy, count: u32) -> Record {
    let mut record = Record::default();
    let reclaimer = Reclaimer::new(policy);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for cluster in clusters {
        let mut times: Vec<Duration> = (0..5)
            .map(|_| {
                let start = Instant::now();
                let solved = reclaimer.solve_into(cluster, count, &mut workspace, &mut answer);
                let time = start.elapsed();
                solved.expect("no server is protected");
                time
            })
            .collect();
        times.sort_unstable();
        record.time = record.time.max(times[2]);
        record.preempted += answer.preempted().len();
        record.collateral += answer.collateral_gpus();
        record.proven += usize::from(answer.certificate().is_optimal());
        record.gap += answer.certificate().gap();
    }
    record
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
