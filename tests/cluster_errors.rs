//! Every reason for which a cluster refuses a change, with the offender and both numbers, and the limits around it.
//!
//! The `Full` errors alone are not provoked: they need 2^32 things.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use aryl::cluster::{
    AddGpuTypeError, AddJobError, AddServerError, AllowedGpuTypes, Cluster, GpuType, Job, JobError,
    PlaceError, Placement, Pool, RemoveServerError, ScaleInError, Server, SetPoolError, StopError,
    UpdateJobError,
};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::scaling::{ScalingCurve, ScalingError};
use aryl::units::{Seconds, Speed};
use aryl::verify;

const V100: GpuTypeId = GpuTypeId::new(0);
const T4: GpuTypeId = GpuTypeId::new(1);

const fn job(index: u32) -> JobId {
    JobId::new(index)
}

const fn server(index: u32) -> ServerId {
    ServerId::new(index)
}

/// Servers: 0 training V100 x 8, 1 on loan T4 x 12, 2 inference T4 x 8, 3 training V100 x 2, 4 removed.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::training(V100, 8)).unwrap();
    cluster.add_server(Server::on_loan(T4, 12)).unwrap();
    cluster.add_server(Server::inference(T4, 8)).unwrap();
    cluster.add_server(Server::training(V100, 2)).unwrap();
    let gone = cluster.add_server(Server::training(V100, 8)).unwrap();
    cluster.remove_server(gone).unwrap();
    cluster
}

/// The answer to a change that must be refused, and must change nothing.
fn refused<T: core::fmt::Debug, E>(
    cluster: &mut Cluster,
    change: impl FnOnce(&mut Cluster) -> Result<T, E>,
) -> E {
    let before = cluster.clone();
    let error = change(cluster).unwrap_err();
    assert_eq!(*cluster, before, "a refused change changed something");
    assert_eq!(verify::cluster(cluster), Ok(()));
    error
}

#[test]
fn gpu_types() {
    let mut empty = Cluster::new();
    let add = |cluster: &mut Cluster, numerator, denominator| {
        refused(cluster, |c| c.add_gpu_type(GpuType::new("X").speed(numerator, denominator)))
    };
    let zero = |numerator, denominator| AddGpuTypeError::ZeroSpeed { numerator, denominator };
    assert_eq!(add(&mut empty, 0, 3), zero(0, 3));
    assert_eq!(add(&mut empty, 3, 0), zero(3, 0));
    assert_eq!(add(&mut empty, 0, 0), zero(0, 0));
    let speed = Speed::new(2, 3).unwrap();
    assert_eq!(add(&mut empty, 4, 6), AddGpuTypeError::ReferenceSpeed { speed });
    let range =
        |numerator, denominator| AddGpuTypeError::SpeedOutOfRange { numerator, denominator, limit: 1_000 };
    assert_eq!(add(&mut empty, 1_001, 1), range(1_001, 1));
    let mut cluster = cluster();
    assert_eq!(add(&mut cluster, 1, 1_001), range(1, 1_001));
    assert_eq!(add(&mut cluster, u32::MAX, u32::MAX - 1), range(u32::MAX, u32::MAX - 1));
    // What is large only as it is written is fine.
    let same = cluster.add_gpu_type(GpuType::new("same").speed(u32::MAX, u32::MAX)).unwrap();
    assert_eq!(cluster.speed(same), Some(Speed::REFERENCE));
    assert_eq!(cluster.gpu_type(same).unwrap().speed, (u32::MAX, u32::MAX));
    assert_eq!(cluster.gpu_type(GpuTypeId::new(3)), None);
    assert_eq!(cluster.speed(GpuTypeId::new(u32::MAX)), None);
    assert_eq!(cluster.gpu_types().map(|(id, _)| id.get()).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn servers() {
    let mut cluster = cluster();
    let add =
        |cluster: &mut Cluster, kind, gpus| refused(cluster, |c| c.add_server(Server::on_loan(kind, gpus)));
    let unknown = GpuTypeId::new(2);
    assert_eq!(add(&mut cluster, unknown, 8), AddServerError::UnknownGpuType { gpu_type: unknown });
    assert_eq!(add(&mut cluster, V100, 0), AddServerError::ZeroGpus);
    assert_eq!(add(&mut cluster, V100, 1_025), AddServerError::TooManyGpus { gpus: 1_025, limit: 1_024 });
    assert_eq!(
        add(&mut cluster, V100, u32::MAX),
        AddServerError::TooManyGpus { gpus: u32::MAX, limit: 1_024 }
    );
    let largest = cluster.add_server(Server::training(V100, 1_024)).unwrap();
    // The id of the removed server is not used again.
    assert_eq!(largest, server(5));
    assert_eq!(cluster.free_gpus(largest), 1_024);
}

/// A job that `change` made wrong, and what is wrong with it. Adding it and updating another to it are refused alike.
fn bad_job(change: impl FnOnce(&mut Job)) -> JobError {
    let mut cluster = cluster();
    let good = cluster.add_job(Job::inelastic(1)).unwrap();
    let mut bad = Job::inelastic(1);
    change(&mut bad);
    let error = refused(&mut cluster, |c| c.update_job(good, bad.clone()));
    let UpdateJobError::Job(on_update) = error else { panic!("{error}") };
    let error = refused(&mut cluster, |c| c.add_job(bad));
    let AddJobError::Job(error) = error else { panic!("{error}") };
    assert_eq!(error.to_string(), on_update.to_string());
    error
}

#[test]
fn jobs_with_wrong_counts() {
    assert_eq!(bad_job(|job| job.min_workers = 0), JobError::ZeroWorkers);
    assert_eq!(bad_job(|job| (job.min_workers, job.max_workers) = (0, 0)), JobError::ZeroWorkers);
    assert_eq!(bad_job(|job| job.min_workers = 2), JobError::MinAboveMax { min: 2, max: 1 });
    assert_eq!(bad_job(|job| job.max_workers = 0), JobError::MinAboveMax { min: 1, max: 0 });
    let limit = 1 << 20;
    let workers = limit + 1;
    assert_eq!(bad_job(|job| job.max_workers = workers), JobError::TooManyWorkers { workers, limit });
    assert_eq!(bad_job(|job| job.gpus_per_worker = 0), JobError::ZeroGpusPerWorker);
    let gpus = 1_025;
    assert_eq!(
        bad_job(|job| job.gpus_per_worker = gpus),
        JobError::TooManyGpusPerWorker { gpus, limit: 1_024 }
    );
    let none = AllowedGpuTypes::Only(core::iter::empty().collect());
    assert_eq!(bad_job(|job| job.gpu_types = none), JobError::NoGpuType);
    let gpu_type = GpuTypeId::new(2);
    let unknown = AllowedGpuTypes::Only([V100, gpu_type].into_iter().collect());
    assert_eq!(bad_job(|job| job.gpu_types = unknown), JobError::UnknownGpuType { gpu_type });
}

#[test]
fn jobs_with_wrong_times_and_shares() {
    let not_positive = [0.0, -0.0, -1.0, f64::NEG_INFINITY, f64::INFINITY];
    for bad in not_positive {
        let time = Seconds(bad);
        assert_eq!(bad_job(|job| job.remaining = time), JobError::Remaining { time });
        assert_eq!(bad_job(|job| job.weight = bad), JobError::Weight { weight: bad });
    }
    let is_nan = |time: Seconds| time.0.is_nan();
    assert!(
        matches!(bad_job(|job| job.remaining = Seconds(f64::NAN)), JobError::Remaining { time } if is_nan(time))
    );
    assert!(matches!(bad_job(|job| job.weight = f64::NAN), JobError::Weight { weight } if weight.is_nan()));

    let limit = 9_007_199_254_740.992; // 2^53 milliseconds
    for (time, weight) in [(limit, 1.0), (1.0, limit), (1e200, 1e200), (f64::MAX, 1.0)] {
        let time = Seconds(time);
        let heavy = bad_job(|job| (job.remaining, job.weight) = (time, weight));
        assert_eq!(heavy, JobError::TooHeavy { time, weight });
    }
    for bad in [-1.0, f64::NEG_INFINITY, f64::INFINITY, limit] {
        let time = Seconds(bad);
        assert_eq!(bad_job(|job| job.resize_overhead = time), JobError::ResizeOverhead { time });
    }
    let heavy = bad_job(|job| (job.resize_overhead, job.weight) = (Seconds(1e6), 1e8));
    assert_eq!(heavy, JobError::ResizeOverhead { time: Seconds(1e6) });
    let nan = bad_job(|job| job.resize_overhead = Seconds(f64::NAN));
    assert!(matches!(nan, JobError::ResizeOverhead { time } if is_nan(time)));
    for bad in [f64::NEG_INFINITY, f64::INFINITY] {
        let time = Seconds(bad);
        assert_eq!(bad_job(|job| job.submitted = time), JobError::Submitted { time });
        assert_eq!(bad_job(|job| job.started = Some(time)), JobError::Started { time });
        assert_eq!(bad_job(|job| job.checkpointed = Some(time)), JobError::Checkpointed { time });
    }
    assert!(
        matches!(bad_job(|job| job.submitted = Seconds(f64::NAN)), JobError::Submitted { time } if is_nan(time))
    );
    for efficiency in [0.0, -0.5, 1.000_000_1, f64::INFINITY] {
        let bad = bad_job(|job| job.mixing_efficiency = Some(efficiency));
        assert_eq!(bad, JobError::MixingEfficiency { efficiency });
    }
    let nan = bad_job(|job| job.mixing_efficiency = Some(f64::NAN));
    assert!(matches!(nan, JobError::MixingEfficiency { efficiency } if efficiency.is_nan()));
    let bad = bad_job(|job| job.scaling = ScalingCurve::Amdahl { serial: 1.5 });
    assert_eq!(bad, JobError::Scaling(ScalingError::Serial { serial: 1.5 }));
}

#[test]
fn jobs_at_the_limits_are_taken() {
    let mut cluster = cluster();
    let largest = Job::elastic(1..=1 << 20)
        .gpus_per_worker(1_024)
        .on([V100, T4, V100])
        .remaining(Seconds(9_007_199_254_740.0))
        .resize_overhead(Seconds(9_007_199_254_740.0))
        .submitted(Seconds(f64::MIN))
        .heterogeneous_at(1.0);
    let smallest = Job::inelastic(1).remaining(Seconds(5e-324)).weight(5e-324).heterogeneous_at(5e-324);
    for job in [largest, smallest] {
        let id = cluster.add_job(job.clone()).unwrap();
        assert_eq!(cluster.job(id), Some(&job));
    }
    assert_eq!(verify::cluster(&cluster), Ok(()));
    // A cluster without a GPU type takes jobs that name none: they wait.
    let mut empty = Cluster::new();
    empty.add_job(Job::inelastic(1)).unwrap();
    let bad = refused(&mut empty, |c| c.add_job(Job::inelastic(1).on([V100])));
    assert_eq!(bad, AddJobError::Job(JobError::UnknownGpuType { gpu_type: V100 }));
}

#[test]
fn costs_never_overflow() {
    let mut cluster = cluster();
    let costly = |cost| Job::inelastic(1).preemption_cost(cost);
    let first = cluster.add_job(costly(u64::MAX - 5)).unwrap();
    let second = cluster.add_job(costly(5)).unwrap();
    let overflow = |cost, total| JobError::PreemptionCostOverflow { cost, total };
    assert_eq!(refused(&mut cluster, |c| c.add_job(costly(1))), AddJobError::Job(overflow(1, u64::MAX)));
    cluster.add_job(costly(0)).unwrap();
    let error = refused(&mut cluster, |c| c.update_job(second, costly(6)));
    assert_eq!(error, UpdateJobError::Job(overflow(6, u64::MAX - 5)));
    // What is taken away makes room: by an update, and by a removal.
    assert_eq!(cluster.update_job(first, costly(1)).unwrap().preemption_cost, u64::MAX - 5);
    cluster.update_job(second, costly(u64::MAX - 1)).unwrap();
    assert!(cluster.remove_job(second).is_some());
    cluster.add_job(costly(u64::MAX - 1)).unwrap();
    assert_eq!(refused(&mut cluster, |c| c.add_job(costly(1))), AddJobError::Job(overflow(1, u64::MAX)));
}

#[test]
fn places_that_do_not_exist_or_do_not_fit() {
    let mut cluster = cluster();
    let id = cluster.add_job(Job::elastic(2..=3).gpus_per_worker(2).on([V100])).unwrap();
    let gone = cluster.add_job(Job::inelastic(1)).unwrap();
    cluster.remove_job(gone).unwrap();
    let base = Placement::base;
    for unknown in [gone, job(2), job(u32::MAX)] {
        let error = refused(&mut cluster, |c| c.place(unknown, &[base(server(0), 1)]));
        assert_eq!(error, PlaceError::UnknownJob { job: unknown });
    }
    let mut place = |placements: &[Placement]| refused(&mut cluster, |c| c.place(id, placements));
    for unknown in [server(4), server(5), server(u32::MAX)] {
        // The second placement is wrong; the first must be taken back.
        let error = place(&[base(server(0), 1), base(unknown, 1)]);
        assert_eq!(error, PlaceError::UnknownServer { server: unknown });
    }
    assert_eq!(place(&[base(server(0), 0)]), PlaceError::ZeroWorkers { job: id, server: server(0) });
    let mut pinned = Placement::flexible(server(0), 1);
    pinned.pinned = true;
    let expected = PlaceError::PinnedFlexible { job: id, server: server(0) };
    assert_eq!(place(&[base(server(0), 2), pinned]), expected);
    let expected = PlaceError::NotForTraining { server: server(2), pool: Pool::Inference };
    assert_eq!(place(&[base(server(2), 1)]), expected);
    let expected = PlaceError::GpuTypeNotAllowed { job: id, server: server(1), gpu_type: T4 };
    assert_eq!(place(&[base(server(1), 1)]), expected);
    let expected = PlaceError::NotEnoughGpus { job: id, server: server(3), gpus: 4, free: 2 };
    assert_eq!(place(&[base(server(3), 2)]), expected);
    // The same server twice in one call counts twice.
    let expected = PlaceError::NotEnoughGpus { job: id, server: server(3), gpus: 2, free: 0 };
    assert_eq!(place(&[base(server(3), 1), base(server(3), 1)]), expected);
    let gpus = 2 * u64::from(u32::MAX);
    let expected = PlaceError::NotEnoughGpus { job: id, server: server(0), gpus, free: 8 };
    assert_eq!(place(&[base(server(0), u32::MAX)]), expected);
    let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let error = refused(&mut cluster, |c| c.place(wide, &[base(server(3), 1)]));
    let expected =
        PlaceError::WorkerExceedsServer { job: wide, server: server(3), gpus_per_worker: 4, gpus: 2 };
    assert_eq!(error, expected);
}

#[test]
fn gangs_of_the_wrong_size() {
    let mut cluster = cluster();
    let id = cluster.add_job(Job::elastic(2..=3).fungible()).unwrap();
    let (base, flexible) = (Placement::base, Placement::flexible);
    let mut place = |placements: &[Placement]| refused(&mut cluster, |c| c.place(id, placements));
    let below = |workers| PlaceError::BelowMinimum { job: id, workers, min: 2 };
    assert_eq!(place(&[]), below(0));
    assert_eq!(place(&[base(server(0), 1)]), below(1));
    assert_eq!(place(&[base(server(1), 5)]), below(1));
    assert_eq!(place(&[base(server(0), 1), flexible(server(0), 1)]), below(1));
    let above = |workers| PlaceError::BaseAboveMinimum { job: id, workers, min: 2 };
    assert_eq!(place(&[base(server(0), 3)]), above(3));
    assert_eq!(place(&[base(server(1), 7)]), above(7));
    let above = |workers| PlaceError::AboveMaximum { job: id, workers, max: 3 };
    assert_eq!(place(&[base(server(0), 2), flexible(server(3), 2)]), above(4));
    assert_eq!(place(&[base(server(1), 6), flexible(server(1), 4)]), above(10));
    let mixed = PlaceError::MixedGpuTypes { job: id, first: V100, second: T4 };
    assert_eq!(place(&[base(server(0), 2), flexible(server(1), 1)]), mixed);
    let mixed = PlaceError::MixedGpuTypes { job: id, first: T4, second: V100 };
    assert_eq!(place(&[base(server(1), 6), flexible(server(3), 1)]), mixed);
    // Just the maximum on the slower type: 9 T4 are 3 reference workers.
    cluster.place(id, &[base(server(1), 6), flexible(server(1), 3)]).unwrap();
    assert_eq!(refused(&mut cluster, |c| c.place(id, &[])), PlaceError::AlreadyPlaced { job: id });
    let error = refused(&mut cluster, |c| c.scale_out(id, server(1), 1));
    assert_eq!(error, PlaceError::AboveMaximum { job: id, workers: 10, max: 3 });
}

#[test]
fn scale_out() {
    let mut cluster = cluster();
    let id = cluster.add_job(Job::elastic(1..=20).gpus_per_worker(2).fungible()).unwrap();
    let gone = cluster.add_job(Job::inelastic(1)).unwrap();
    cluster.remove_job(gone).unwrap();
    let mut out = |server, workers| refused(&mut cluster, |c| c.scale_out(id, server, workers));
    assert_eq!(out(server(0), 1), PlaceError::NotRunning { job: id });
    cluster.place(id, &[Placement::base(server(0), 1)]).unwrap();
    let error = refused(&mut cluster, |c| c.scale_out(gone, server(0), 1));
    assert_eq!(error, PlaceError::UnknownJob { job: gone });
    let mut out = |server, workers| refused(&mut cluster, |c| c.scale_out(id, server, workers));
    assert_eq!(out(server(4), 1), PlaceError::UnknownServer { server: server(4) });
    assert_eq!(out(server(0), 0), PlaceError::ZeroWorkers { job: id, server: server(0) });
    let expected = PlaceError::NotForTraining { server: server(2), pool: Pool::Inference };
    assert_eq!(out(server(2), 1), expected);
    assert_eq!(out(server(1), 1), PlaceError::MixedGpuTypes { job: id, first: V100, second: T4 });
    let expected = PlaceError::NotEnoughGpus { job: id, server: server(0), gpus: 8, free: 6 };
    assert_eq!(out(server(0), 4), expected);
    cluster.scale_out(id, server(0), 3).unwrap();
    assert_eq!((cluster.workers(id), cluster.free_gpus(server(0))), (4, 0));
}

#[test]
fn scale_in() {
    let mut cluster = cluster();
    let id = cluster.add_job(Job::elastic(2..=6)).unwrap();
    let waiting = cluster.add_job(Job::inelastic(1)).unwrap();
    let (a, b) = (server(0), server(3));
    cluster
        .place(id, &[Placement::base(a, 1).pinned(), Placement::base(b, 1), Placement::flexible(a, 2)])
        .unwrap();
    let mut take = |job, server, workers| refused(&mut cluster, |c| c.scale_in(job, server, workers));
    assert_eq!(take(job(7), a, 1), ScaleInError::UnknownJob { job: job(7) });
    assert_eq!(take(id, server(4), 1), ScaleInError::UnknownServer { server: server(4) });
    assert_eq!(take(id, a, 0), ScaleInError::ZeroWorkers { job: id });
    assert_eq!(take(id, a, 4), ScaleInError::TooFew { job: id, server: a, workers: 4, held: 3 });
    assert_eq!(
        take(id, server(1), 1),
        ScaleInError::TooFew { job: id, server: server(1), workers: 1, held: 0 }
    );
    let too_few = ScaleInError::TooFew { job: waiting, server: a, workers: 1, held: 0 };
    assert_eq!(take(waiting, a, 1), too_few);
    assert_eq!(take(id, a, 3), ScaleInError::Pinned { job: id, server: a });
    cluster.scale_in(id, a, 1).unwrap();
    // The base worker leaves b; the last flexible worker takes its place.
    cluster.scale_in(id, b, 1).unwrap();
    assert_eq!(cluster.placements(id), [Placement::base(a, 2).pinned()]);
    let error = refused(&mut cluster, |c| c.scale_in(id, a, 1));
    assert_eq!(error, ScaleInError::Pinned { job: id, server: a });

    let plain = cluster.add_job(Job::elastic(1..=2).fungible()).unwrap();
    cluster.place(plain, &[Placement::base(server(1), 3), Placement::flexible(server(1), 2)]).unwrap();
    let error = refused(&mut cluster, |c| c.scale_in(plain, server(1), 3));
    assert_eq!(error, ScaleInError::BelowMinimum { job: plain, left: 0, min: 1 });
    cluster.scale_in(plain, server(1), 2).unwrap();
}

#[test]
fn stop_remove_and_move() {
    let mut cluster = cluster();
    let id = cluster.add_job(Job::inelastic(3).fungible()).unwrap();
    assert_eq!(refused(&mut cluster, |c| c.stop(job(1))), StopError::UnknownJob { job: job(1) });
    assert_eq!(refused(&mut cluster, |c| c.stop(id)), StopError::NotRunning { job: id });
    cluster.place(id, &[Placement::base(server(1), 9)]).unwrap();
    let error = refused(&mut cluster, |c| c.remove_server(server(1)));
    assert_eq!(error, RemoveServerError::Occupied { server: server(1), job: id });
    for unknown in [server(4), server(9)] {
        let error = refused(&mut cluster, |c| c.remove_server(unknown));
        assert_eq!(error, RemoveServerError::UnknownServer { server: unknown });
        let error = refused(&mut cluster, |c| c.set_pool(unknown, Pool::Training));
        assert_eq!(error, SetPoolError::UnknownServer { server: unknown });
        assert!(!cluster.set_server_protected(unknown, true));
        assert_eq!((cluster.free_gpus(unknown), cluster.tenants(unknown).len()), (0, 0));
    }
    let error = refused(&mut cluster, |c| c.set_pool(server(1), Pool::Inference));
    assert_eq!(error, SetPoolError::Occupied { server: server(1), job: id });
    // Between the two pools that training may use, a server moves with its tenants.
    cluster.set_pool(server(1), Pool::Training).unwrap();
    assert_eq!(verify::cluster(&cluster), Ok(()));
    assert!(cluster.set_server_protected(server(1), true) && cluster.server(server(1)).unwrap().protected);
    assert!(cluster.remove_job(id).is_some());
    assert_eq!(cluster.remove_job(id), None);
    assert_eq!(cluster.remove_job(job(u32::MAX)), None);
    assert_eq!(cluster.free_gpus(server(1)), 12);
    assert_eq!(refused(&mut cluster, |c| c.stop(id)), StopError::UnknownJob { job: id });
    // The id of a removed job is not used again, until all is cleared.
    assert_eq!(cluster.add_job(Job::inelastic(1)).unwrap(), job(1));
    cluster.clear();
    assert_eq!(cluster, Cluster::new());
    assert_eq!(cluster.add_job(Job::inelastic(1)).unwrap(), job(0));
}

#[test]
fn updates_of_running_jobs() {
    let mut cluster = cluster();
    let start = Job::elastic(2..=4).gpus_per_worker(2).fungible().heterogeneous();
    let id = cluster.add_job(start.clone()).unwrap();
    cluster.place(id, &[Placement::base(server(0), 2), Placement::flexible(server(1), 3)]).unwrap();
    let mut update = |job: Job| refused(&mut cluster, |c| c.update_job(id, job));
    assert_eq!(
        update(start.clone().gpus_per_worker(1)),
        UpdateJobError::GpusPerWorker { job: id, old: 2, new: 1 }
    );
    let not_allowed = PlaceError::GpuTypeNotAllowed { job: id, server: server(1), gpu_type: T4 };
    assert_eq!(update(start.clone().on([V100])), UpdateJobError::Running(not_allowed));
    let mut one_type = start.clone();
    one_type.mixing_efficiency = None;
    let mixed = PlaceError::MixedGpuTypes { job: id, first: V100, second: T4 };
    assert_eq!(update(one_type), UpdateJobError::Running(mixed));
    let mut resized = start.clone();
    (resized.min_workers, resized.max_workers) = (3, 4);
    let below = PlaceError::BelowMinimum { job: id, workers: 2, min: 3 };
    assert_eq!(update(resized.clone()), UpdateJobError::Running(below));
    resized.min_workers = 1;
    let above = PlaceError::BaseAboveMinimum { job: id, workers: 2, min: 1 };
    assert_eq!(update(resized.clone()), UpdateJobError::Running(above));
    (resized.min_workers, resized.max_workers) = (2, 2);
    let above = PlaceError::AboveMaximum { job: id, workers: 5, max: 2 };
    assert_eq!(update(resized.clone()), UpdateJobError::Running(above));
    for unknown in [job(1), job(u32::MAX)] {
        let error = refused(&mut cluster, |c| c.update_job(unknown, start.clone()));
        assert_eq!(error, UpdateJobError::UnknownJob { job: unknown });
    }
    resized.max_workers = 3;
    assert_eq!(cluster.update_job(id, resized.clone()).unwrap(), start);
    assert_eq!(cluster.job(id), Some(&resized));
    // A waiting job may become anything that is in order.
    cluster.stop(id).unwrap();
    cluster.update_job(id, Job::inelastic(9).gpus_per_worker(7)).unwrap();
    assert_eq!(verify::cluster(&cluster), Ok(()));
}

/// As one that is made anew: what runs where counts, and what is pinned.
#[test]
fn clusters_are_equal_only_where_the_same_workers_run_in_the_same_places() {
    let with = |placements: &[Placement]| {
        let mut cluster = cluster();
        let id = cluster.add_job(Job::elastic(1..=4)).unwrap();
        cluster.place(id, placements).unwrap();
        cluster
    };
    let base = |server, workers| Placement::base(server, workers);
    let one = with(&[base(server(0), 1)]);
    assert_eq!(one, with(&[base(server(0), 1)]));
    for other in [
        with(&[base(server(3), 1)]),
        with(&[base(server(0), 1).pinned()]),
        with(&[base(server(0), 1), Placement::flexible(server(0), 1)]),
    ] {
        assert_ne!(one, other);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_job_that_does_not_say_costs_one_preemption() {
    let mut written = serde_json::to_value(Job::inelastic(1).preemption_cost(7)).unwrap();
    written.as_object_mut().unwrap().remove("preemption_cost").unwrap();
    assert_eq!(serde_json::from_value::<Job>(written).unwrap(), Job::inelastic(1));
}

#[test]
fn the_most_workers_on_a_type_follow_its_speed() {
    let speeds = [(1, 1), (1, 3), (3, 2)].map(|(over, under)| Speed::new(over, under).unwrap());
    assert_eq!(speeds.map(|speed| Job::elastic(2..=4).max_workers_on(speed)), [4, 12, 3]);
}
