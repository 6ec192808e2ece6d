//! Time of a reclaim of a tenth of the servers, by policy and size of the cluster, in warm memory.

mod clusters;

use std::hint::black_box;

use aryl::cluster::Cluster;
use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};
use clusters::{Mix, churned, filled};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const SEED: u64 = 1;

type Fill = fn(u32) -> Cluster;

fn reclaim(criterion: &mut Criterion) {
    let kinds: [(&str, Fill, &[u32]); 3] = [
        ("best_fit", |servers| churned(servers, 0, SEED), &[60, 520, 1_500, 20_000]),
        ("small_jobs", |servers| filled(servers, Mix::SmallJobs, 20, SEED), &[60, 1_500, 125_000]),
        ("wide_jobs", |servers| filled(servers, Mix::WideJobs, 20, SEED), &[60, 1_500, 125_000]),
    ];
    for (name, fill, sizes) in kinds {
        let mut group = criterion.benchmark_group(format!("reclaim/{name}"));
        for &servers in sizes {
            let cluster = fill(servers);
            group.throughput(Throughput::Elements(u64::from(servers)));
            group.sample_size(if servers > 10_000 { 10 } else { 50 });
            for (policy, name) in [
                (Policy::Exact, "exact"),
                (Policy::Aryl, "aryl"),
                (Policy::SmallestCountFirst, "smallest_count_first"),
                (Policy::Random { seed: SEED }, "random"),
                (Policy::Amortized, "amortized"),
                (Policy::BestOfRules, "best_of_rules"),
            ] {
                let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
                group.bench_function(BenchmarkId::new(name, servers), |bencher| {
                    bencher.iter(|| {
                        let reclaimer = Reclaimer::new(policy);
                        let solved = reclaimer.solve_into(
                            black_box(&cluster),
                            servers / 10,
                            &mut workspace,
                            &mut answer,
                        );
                        black_box(solved).unwrap();
                    });
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, reclaim);
criterion_main!(benches);
