//! Best-fit decreasing on clusters of 8-GPU servers: an empty one filled from nothing, and one whose free GPUs are
//! scattered.

#![allow(clippy::unwrap_used)]

use core::hint::black_box;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::place::{BestFitDecreasing, Demand, Placements, Workspace};
use oorandom::Rand32;

const SEED: u64 = 2022;

/// Three training servers of V100 for each on-loan server of T4.
fn servers(count: u32) -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for index in 0..count {
        let server = if index % 4 == 3 { Server::on_loan(t4, 8) } else { Server::training(v100, 8) };
        cluster.add_server(server).unwrap();
    }
    cluster
}

/// Leaves 0 to 5 GPUs free on each server: one job for each, with the others.
fn fragment(cluster: &mut Cluster) {
    let mut random = Rand32::new(SEED);
    let ids: Vec<_> = cluster.servers().map(|(id, server)| (id, server.gpu_type)).collect();
    for (server, gpu_type) in ids {
        let gpus = random.rand_range(3..9);
        // One wide worker on V100; on T4 three narrow workers for each reference worker.
        let (reference, workers, each) =
            if gpu_type.index() == 0 { (1, 1, gpus) } else { (gpus / 3, gpus / 3 * 3, 1) };
        let job = Job::inelastic(reference).gpus_per_worker(each).on([gpu_type]);
        let job = cluster.add_job(job).unwrap();
        cluster.place(job, &[Placement::base(server, workers)]).unwrap();
    }
}

/// Waiting jobs of 1 to 16 workers with 1, 2, 4 or 8 GPUs each, three in ten elastic and two in ten fungible, that ask
/// for so many GPUs in all.
fn demands(cluster: &mut Cluster, gpus: u64) -> Vec<Demand> {
    let mut random = Rand32::new(SEED + 1);
    let (mut asked, mut demands) = (0, Vec::new());
    while asked < gpus {
        let (min, each) = (1 << random.rand_range(0..5), [1, 1, 2, 4, 8][random.rand_range(0..5) as usize]);
        let max = if random.rand_range(0..10) < 3 { 2 * min } else { min };
        let mut job = Job::elastic(min..=max).gpus_per_worker(each);
        if random.rand_range(0..10) < 2 {
            job = job.fungible();
        }
        asked += u64::from(min * each);
        demands.push(Demand::new(cluster.add_job(job).unwrap()).flexible(max - min));
    }
    demands
}

fn place(criterion: &mut Criterion) {
    for (name, fragmented, share) in [("empty", false, 0.9), ("fragmented", true, 0.25)] {
        let mut group = criterion.benchmark_group(format!("place/{name}"));
        group.sample_size(10);
        for count in [1_000_u32, 12_500, 125_000] {
            let mut cluster = servers(count);
            if fragmented {
                fragment(&mut cluster);
            }
            let demands = demands(&mut cluster, (f64::from(count) * 8.0 * share) as u64);
            let (mut workspace, mut out) = (Workspace::new(), Placements::default());
            BestFitDecreasing.solve_into(&cluster, &demands, &mut workspace, &mut out).unwrap();
            println!("{name}, {count} servers: {out}");
            group.throughput(Throughput::Elements(demands.len() as u64));
            group.bench_with_input(BenchmarkId::from_parameter(count), &count, |bencher, _| {
                bencher.iter(|| {
                    let (cluster, demands) = (black_box(&cluster), black_box(&demands));
                    BestFitDecreasing.solve_into(cluster, demands, &mut workspace, &mut out).unwrap();
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, place);
criterion_main!(benches);
