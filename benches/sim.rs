//! Replaying a workload: jobs of one to sixteen GPUs on a cluster that is nearly full, from a fixed seed. The numbers in the
//! names are training servers and jobs.

use aryl::cluster::{GpuType, Job};
use aryl::sim::policy::{Afs, Aryl, Fifo, Policy, Pollux, Tiresias};
use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
use aryl::sim::{Setup, Simulation};
use aryl::units::Seconds;
use criterion::{Criterion, criterion_group, criterion_main};
use oorandom::Rand64;

/// Makes a policy.
type New = fn() -> Box<dyn Policy>;

/// Jobs for so many servers of 8 GPUs that ask for nine tenths of them, a fifth fungible and a tenth elastic.
fn workload(servers: u32, jobs: u32) -> Workload {
    let mut random = Rand64::new(2_024);
    // 4.5 GPUs a job for 3,600 s on average.
    let gap = 4.5 * 3_600.0 / (0.9 * 8.0 * f64::from(servers));
    let mut submitted = 0.0;
    let jobs = (0..jobs).map(|_| {
        submitted += 2.0 * gap * random.rand_float();
        let gpus = [1, 1, 2, 4, 8, 8, 8][random.rand_range(0..7) as usize];
        let most = if random.rand_range(0..10) == 0 { 2 } else { 1 };
        let time = Seconds(1.0 + 7_200.0 * random.rand_float());
        let job = Job::elastic(1..=most).gpus_per_worker(gpus).remaining(time).submitted(Seconds(submitted));
        TraceJob::new(if random.rand_range(0..5) == 0 { job.fungible() } else { job })
    });
    let jobs = jobs.collect();
    let hours = 0..200;
    let load = hours.map(|hour| {
        let phase = f64::from(hour) / 24.0 * core::f64::consts::TAU;
        (Seconds(3_600.0 * f64::from(hour)), 0.65 + 0.25 * phase.sin())
    });
    Workload { jobs, load: InferenceLoad::new(load).expect("a load of the bench") }
}

fn replay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sim");
    group.sample_size(10);
    let policies: [(&str, New); 5] = [
        ("fifo", || Box::new(Fifo::new())),
        ("tiresias", || Box::new(Tiresias::new())),
        ("afs", || Box::new(Afs::new())),
        ("pollux", || Box::new(Pollux::new())),
        ("aryl", || Box::new(Aryl::new())),
    ];
    for (servers, jobs) in [(25, 1_000), (100, 1_000), (100, 4_000)] {
        let workload = workload(servers, jobs);
        let setup = Setup::new(GpuType::new("V100"), servers, 8).inference(
            GpuType::new("T4").speed(1, 3),
            servers,
            8,
        );
        for (name, policy) in policies {
            group.bench_function(format!("{name}/{servers}/{jobs}"), |bencher| {
                bencher.iter(|| {
                    let simulation = Simulation::new(&setup, &workload).expect("a workload of the bench");
                    simulation.run(&mut *policy()).expect("a policy of the crate").makespan
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, replay);
criterion_main!(benches);
