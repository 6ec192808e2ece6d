//! One epoch at several sizes, in warm memory: `cargo bench --bench epoch`.
//!
//! The largest has 125,000 servers (a million GPUs) and 100,000 jobs.

#[path = "clusters/busy.rs"]
mod busy;

use aryl::epoch::{Epoch, Plan, Workspace};
use busy::busy;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn epoch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("epoch");
    group.sample_size(10);
    for servers in [125, 1_250, 12_500, 125_000] {
        let (cluster, request) = busy(servers, 1);
        let epoch = Epoch::default();
        let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
        group.throughput(Throughput::Elements(u64::from(servers)));
        group.bench_function(BenchmarkId::from_parameter(servers), |bencher| {
            bencher.iter(|| epoch.plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, epoch);
criterion_main!(benches);
