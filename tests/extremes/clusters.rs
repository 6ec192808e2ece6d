//! What a cluster takes in, and what it refuses with which numbers.

use aryl::cluster::{
    AddGpuTypeError, AddServerError, Cluster, GpuType, Job, JobError, PlaceError, Placement, ScaleInError,
    Server,
};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;
use aryl::verify;

use crate::{V100, bytes, idle};

#[track_caller]
fn refused(job: Job, expected: JobError) {
    let mut cluster = idle(1, Server::training, 8);
    let before = cluster.clone();
    assert_eq!(cluster.add_job(job), Err(aryl::cluster::AddJobError::Job(expected)));
    assert_eq!(cluster, before);
}

#[test]
fn an_empty_cluster_holds_nothing_and_knows_nothing() {
    let mut cluster = Cluster::new();
    assert_eq!(verify::cluster(&cluster), Ok(()));
    let (job, server, gpu_type) = (JobId::new(0), ServerId::new(u32::MAX), GpuTypeId::new(u32::MAX));
    assert!(
        cluster.job(job).is_none() && cluster.server(server).is_none() && cluster.speed(gpu_type).is_none()
    );
    assert!(cluster.placements(job).is_empty() && cluster.tenants(server).is_empty());
    assert_eq!((cluster.free_gpus(server), cluster.workers(job), cluster.reference_workers(job)), (0, 0, 0));
    assert_eq!((cluster.time_to_end(job), cluster.is_running(job)), (None, false));
    assert_eq!(
        cluster.add_server(Server::training(V100, 1)),
        Err(AddServerError::UnknownGpuType { gpu_type: V100 })
    );
    assert_eq!(cluster.place(job, &[]), Err(PlaceError::UnknownJob { job }));
    assert!(cluster.remove_job(job).is_none() && cluster.remove_server(server).is_err());
    // A job that allows any type may wait where there is none.
    let job = cluster.add_job(Job::inelastic(1).fungible()).unwrap();
    assert!(!cluster.is_running(job));
    assert_eq!(verify::cluster(&cluster), Ok(()));
}

#[test]
fn gpu_counts_of_2_to_the_32_less_1_are_refused() {
    let mut cluster = idle(0, Server::training, 1);
    for gpus in [Server::MAX_GPUS + 1, 1 << 31, u32::MAX] {
        let error = AddServerError::TooManyGpus { gpus, limit: Server::MAX_GPUS };
        assert_eq!(cluster.add_server(Server::training(V100, gpus)), Err(error));
        let error = JobError::TooManyGpusPerWorker { gpus, limit: Server::MAX_GPUS };
        refused(Job::inelastic(1).gpus_per_worker(gpus), error);
    }
    assert_eq!(cluster.servers().count(), 0);
    assert!(cluster.add_server(Server::training(V100, Server::MAX_GPUS)).is_ok());
}

#[test]
fn worker_counts_of_2_to_the_32_less_1_are_refused_and_take_no_memory() {
    for workers in [Job::MAX_WORKERS + 1, 1 << 31, u32::MAX] {
        let error = JobError::TooManyWorkers { workers, limit: Job::MAX_WORKERS };
        refused(Job::elastic(1..=workers), error.clone());
        refused(Job::inelastic(workers), error);
        refused(Job::elastic(workers..=1), JobError::MinAboveMax { min: workers, max: 1 });
    }
    let mut cluster = idle(1, Server::training, 1_024);
    let server = ServerId::new(0);
    let job = cluster.add_job(Job::elastic(1..=Job::MAX_WORKERS).gpus_per_worker(1_024)).unwrap();
    let used = bytes(|| {
        for workers in [2, 1 << 31, u32::MAX] {
            let gpus = u64::from(workers) * 1_024;
            let error = PlaceError::NotEnoughGpus { job, server, gpus, free: 1_024 };
            assert_eq!(cluster.place(job, &[Placement::base(server, workers)]), Err(error));
        }
        cluster.place(job, &[Placement::base(server, 1)]).unwrap();
        let error = PlaceError::NotEnoughGpus { job, server, gpus: u64::from(u32::MAX) * 1_024, free: 0 };
        assert_eq!(cluster.scale_out(job, server, u32::MAX), Err(error));
        let error = cluster.scale_in(job, server, u32::MAX).unwrap_err();
        assert!(matches!(error, ScaleInError::TooFew { workers: u32::MAX, held: 1, .. }), "{error}");
    });
    assert!(used < 4_096, "{used} bytes");
    assert_eq!(verify::cluster(&cluster), Ok(()));
}

#[test]
fn two_to_the_20_workers_on_as_many_gpus() {
    let mut cluster = idle(1_024, Server::training, 1_024);
    let job = cluster.add_job(Job::inelastic(Job::MAX_WORKERS).remaining(Seconds(8.0))).unwrap();
    let gang: Vec<Placement> =
        (0..1_024).map(|server| Placement::base(ServerId::new(server), 1_024)).collect();
    cluster.place(job, &gang).unwrap();
    assert_eq!(cluster.workers(job), 1 << 20);
    assert_eq!(cluster.time_to_end(job), Some(Seconds(8.0)));
    assert!(cluster.servers().all(|(id, _)| cluster.free_gpus(id) == 0));
    assert_eq!(verify::cluster(&cluster), Ok(()));
}

#[test]
fn times_and_weights_at_the_ends() {
    // 2^53 milliseconds are too many; the time that rounds to one less is the largest.
    let longest = 9_007_199_254_740.99;
    let fine = [
        (longest, 1.0),
        (f64::from_bits(1), 1.0),
        (1e-300, 1e300),
        (1e300, 1e-300),
        (1e-10, f64::MAX / 1e300),
    ];
    for (remaining, weight) in fine {
        let mut cluster = idle(1, Server::training, 8);
        let job = cluster.add_job(Job::elastic(1..=2).remaining(Seconds(remaining)).weight(weight)).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(0), 1)]).unwrap();
        assert_eq!(cluster.time_to_end(job), Some(Seconds(remaining)));
    }
    for (remaining, weight) in [(longest + 0.002, 1.0), (1e300, 1.0), (1.0, 1e300), (1e300, 1e300)] {
        let (time, job) =
            (Seconds(remaining), Job::inelastic(1).remaining(Seconds(remaining)).weight(weight));
        refused(job, JobError::TooHeavy { time, weight });
    }
    for bad in [0.0, -0.0, -1e-300, f64::INFINITY, f64::NEG_INFINITY] {
        refused(Job::inelastic(1).remaining(Seconds(bad)), JobError::Remaining { time: Seconds(bad) });
        refused(Job::inelastic(1).weight(bad), JobError::Weight { weight: bad });
    }
    for time in [-1e-300, 1e300, f64::INFINITY].map(Seconds) {
        refused(Job::inelastic(1).resize_overhead(time), JobError::ResizeOverhead { time });
    }
    for time in [f64::INFINITY, f64::NEG_INFINITY].map(Seconds) {
        refused(Job::inelastic(1).submitted(time), JobError::Submitted { time });
        refused(Job::inelastic(1).started(time), JobError::Started { time });
        refused(Job::inelastic(1).checkpointed(time), JobError::Checkpointed { time });
    }
    let mut cluster = idle(1, Server::training, 8);
    for time in [-f64::MAX, -1e300, f64::from_bits(1), 1e300, f64::MAX].map(Seconds) {
        cluster.add_job(Job::inelastic(1).submitted(time).started(time).checkpointed(time)).unwrap();
    }
    for efficiency in [0.0, -1e-300, 1.000_000_1, 1e300] {
        let job = Job::inelastic(1).heterogeneous_at(efficiency);
        refused(job, JobError::MixingEfficiency { efficiency });
    }
    cluster.add_job(Job::inelastic(1).heterogeneous_at(f64::from_bits(1))).unwrap();
}

#[test]
fn speeds_at_the_ends() {
    let mut cluster = idle(0, Server::training, 1);
    let same = cluster.add_gpu_type(GpuType::new("same").speed(u32::MAX, u32::MAX)).unwrap();
    assert_eq!(cluster.speed(same).unwrap().workers_for(u32::MAX), u64::from(u32::MAX));
    for (numerator, denominator) in [(u32::MAX, 1), (1, u32::MAX), (1_001, 1), (u32::MAX, u32::MAX - 1)] {
        let error = AddGpuTypeError::SpeedOutOfRange { numerator, denominator, limit: 1_000 };
        assert_eq!(cluster.add_gpu_type(GpuType::new("").speed(numerator, denominator)), Err(error));
    }
    let slow = cluster.add_gpu_type(GpuType::new("slow").speed(1, 1_000)).unwrap();
    let speed = cluster.speed(slow).unwrap();
    assert_eq!(
        (speed.workers_for(u32::MAX), speed.reference_workers(u64::MAX)),
        (4_294_967_295_000, u64::MAX / 1_000)
    );
    let fast = cluster.add_gpu_type(GpuType::new("fast").speed(1_000, 1)).unwrap();
    assert_eq!(cluster.speed(fast).unwrap().workers_for(u32::MAX), 4_294_968);
}

/// Counts of 2^31 in a snapshot are numbers, not memory.
#[cfg(feature = "serde")]
#[test]
fn a_snapshot_with_huge_counts_is_refused_in_little_memory() {
    let snapshot = |gpus: u64, workers: u64, placed: u64| {
        format!(
            r#"{{"gpu_types":[{{"name":"V100"}}],"servers":[{{"gpu_type":0,"gpus":{gpus},"pool":"training"}}],
            "jobs":[{{"min_workers":1,"max_workers":{workers}}}],
            "placements":[{{"job":0,"workers":[{{"server":0,"role":"base","workers":{placed}}}]}}]}}"#
        )
    };
    let read = |text: String| {
        let mut answer = None;
        let used = bytes(|| answer = Some(serde_json::from_str::<Cluster>(&text)));
        assert!(used < 16_384, "{used} bytes for {text}");
        answer.unwrap().map_err(|error| error.to_string())
    };
    assert!(read(snapshot(8, 4, 1)).is_ok());
    let big = 1_u64 << 31;
    for (text, said) in [
        (snapshot(big, 4, 1), "2147483648 GPUs, above the limit of 1024"),
        (snapshot(8, big, 1), "2147483648 workers, above the limit of 1048576"),
        (snapshot(8, 4, big), "asks for 2147483648 GPUs"),
        (snapshot(8, 4, u64::MAX), "18446744073709551615"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}
