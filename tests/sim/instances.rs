//! Random small workloads, and all policies.

use aryl::cluster::{GpuType, Job};
use aryl::reclaim;
use aryl::scaling::ScalingCurve;
use aryl::sim::policy::{
    Afs, Aryl, Drf, Fifo, Gandiva, Opportunistic, Optimus, Policy, Pollux, ShortestFirst, Tiresias,
};
use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
use aryl::sim::{Forecast, Setup};
use aryl::units::Seconds;

/// All policies of the crate, each new.
pub(crate) fn policies() -> Vec<Box<dyn Policy>> {
    vec![
        Box::new(Fifo::new()),
        Box::new(Fifo::with_backfill()),
        Box::new(ShortestFirst::new()),
        Box::new(Opportunistic::seeded(3)),
        Box::new(Gandiva::new()),
        Box::new(Afs::new()),
        Box::new(Optimus::new()),
        Box::new(Tiresias::new().threshold(2_000.0)),
        Box::new(Tiresias::new().threshold(500.0).promotion(2.0)),
        Box::new(Drf::new()),
        Box::new(Pollux::new()),
        Box::new(Aryl::new()),
        Box::new(Aryl::as_published()),
        Box::new(Aryl::loaning_only()),
        Box::new(Aryl::loaning_only().reclaim(reclaim::Policy::Random { seed: 5 })),
        Box::new(Aryl::scaling_only()),
    ]
}

/// A small random instance. `seed` is its number. Every twentieth has so many jobs that ids are given out anew.
pub(crate) fn instance(seed: u64) -> (Setup, Workload) {
    let mut random = oorandom::Rand64::new(u128::from(seed) + 77);
    let mut below = move |limit: u64| random.rand_range(0..limit);
    let mut setup = Setup::new(GpuType::new("V100"), 2 + below(4) as u32, 8);
    if below(3) == 0 {
        setup = setup.training(GpuType::new("A100").speed(3, 2), 1 + below(2) as u32, 4);
    }
    if below(5) > 0 {
        let t4 = if below(4) == 0 { GpuType::new("V100") } else { GpuType::new("T4").speed(1, 3) };
        setup = setup.inference(t4, 2 + below(6) as u32, 8);
    }
    setup.epochs_on_events = below(5) > 0;
    if below(2) == 0 {
        setup = setup.scaling_overhead(Seconds(below(20) as f64));
    }
    setup.forecast = [Forecast::Exact, Forecast::Naive, Forecast::Seasonal { period: 4 }][below(3) as usize];
    let mut submitted = 0;
    let jobs = (0..if seed.is_multiple_of(20) { 110 } else { 3 + below(16) }).map(|_| {
        submitted += below(3) * below(900_000);
        let gpus_per_worker = [1, 1, 2, 4][below(4) as usize];
        let min = 1 + below(3) as u32;
        // Two training servers hold what it requests, so that every policy can run it.
        let most = 16 / gpus_per_worker;
        let max = if below(2) == 0 { min } else { min + below(4) as u32 };
        let curve = match below(5) {
            0 => ScalingCurve::PowerLaw { exponent: 0.7 },
            1 => ScalingCurve::LossPerAddedWorker { loss: 0.2 },
            2 => ScalingCurve::Amdahl { serial: 0.1 },
            _ => ScalingCurve::Linear,
        };
        let mut job = Job::elastic(min..=max)
            .gpus_per_worker(gpus_per_worker)
            .scaling(curve)
            .remaining(Seconds((1 + below(3_000_000)) as f64 / 1_000.0))
            .submitted(Seconds(submitted as f64 / 1_000.0));
        if below(2) == 0 {
            job = job.fungible();
            if below(3) == 0 {
                job = job.heterogeneous();
            }
        }
        let requested = (min + below(u64::from(max - min) + 1) as u32).min(most);
        if below(4) == 0 {
            job = job.resize_overhead(Seconds(below(30) as f64));
        }
        let mut trace = TraceJob::new(job).requested_workers(requested);
        if below(3) == 0 {
            trace = trace.checkpoint_interval(Seconds((1 + below(600)) as f64));
        }
        if below(4) == 0 {
            trace = trace.estimate_factor(0.5 + below(100) as f64 / 50.0);
        }
        trace
    });
    let jobs = jobs.collect();
    let mut time = 0;
    let points = (0..1 + below(12)).map(|_| {
        time += 1 + below(1_200);
        (Seconds(time as f64), below(1_001) as f64 / 1_000.0)
    });
    let load = InferenceLoad::new(points.collect::<Vec<_>>()).unwrap();
    (setup, Workload { jobs, load })
}
