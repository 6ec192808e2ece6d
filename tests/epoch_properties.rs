//! Properties of a plan on clusters that shrink to the smallest that fails.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::ServerId;
use aryl::scaling::ScalingCurve;
use aryl::units::Seconds;
use aryl::verify;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct JobSpec {
    min: u32,
    more: u32,
    gpus_per_worker: u32,
    remaining: u32,
    overhead: u32,
    cost: u64,
    kind: u8,
    /// Servers to try its workers on, in turn; none and it waits.
    servers: Vec<u32>,
}

fn job_spec() -> impl Strategy<Value = JobSpec> {
    (1..4u32, 0..5u32, 1..5u32, 1..5_000u32, 0..8u32, 0..3u64, 0..16u8, prop::collection::vec(0..6u32, 0..6))
        .prop_map(|(min, more, gpus_per_worker, remaining, overhead, cost, kind, servers)| JobSpec {
            min,
            more,
            gpus_per_worker,
            remaining,
            // None for a quarter; else from 50 s to 1,600 s, against up to 5,000 s to run.
            overhead: if overhead < 2 { 0 } else { 25 << (overhead - 1) },
            cost,
            kind,
            servers,
        })
}

/// Servers as (pool, GPU type, GPUs), and jobs.
type Spec = (Vec<(u8, u8, u32)>, Vec<JobSpec>);

fn spec() -> impl Strategy<Value = Spec> {
    (prop::collection::vec((0..8u8, 0..2u8, 1..9u32), 1..7), prop::collection::vec(job_spec(), 0..9))
}

fn job(spec: &JobSpec, submitted: usize) -> Job {
    let job = Job::elastic(spec.min..=spec.min + spec.more)
        .gpus_per_worker(spec.gpus_per_worker)
        .remaining(Seconds(f64::from(spec.remaining)))
        .resize_overhead(Seconds(f64::from(spec.overhead)))
        .preemption_cost(spec.cost)
        .submitted(Seconds(submitted as f64));
    let job = if spec.kind & 1 == 0 { job } else { job.fungible() };
    let job = if spec.kind & 2 == 0 { job } else { job.heterogeneous() };
    let job = if spec.kind & 4 == 0 { job } else { job.scaling(ScalingCurve::Amdahl { serial: 0.3 }) };
    if spec.kind == 15 { job.protected() } else { job }
}

fn build((servers, jobs): &Spec) -> Cluster {
    let mut cluster = Cluster::new();
    let types = [
        cluster.add_gpu_type(GpuType::new("V100")).unwrap(),
        cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap(),
    ];
    for &(pool, gpu_type, gpus) in servers {
        let gpu_type = types[gpu_type as usize];
        let server = match pool {
            0 => Server::inference(gpu_type, gpus),
            1..5 => Server::on_loan(gpu_type, gpus),
            _ => Server::training(gpu_type, gpus),
        };
        cluster.add_server(server).unwrap();
    }
    for (submitted, spec) in jobs.iter().enumerate() {
        let id = cluster.add_job(job(spec, submitted)).unwrap();
        let server = |index: u32| ServerId::new(index % servers.len() as u32);
        let Some((&first, rest)) = spec.servers.split_first() else { continue };
        let speed = cluster.speed(cluster.server(server(first)).unwrap().gpu_type).unwrap();
        let base = job(spec, submitted).min_workers_on(speed) as u32;
        if cluster.place(id, &[Placement::base(server(first), base)]).is_ok() {
            for &more in rest {
                let _ = cluster.scale_out(id, server(more), 1);
            }
        }
    }
    cluster
}

/// The workers that a job on one GPU type would gain by after the plan, on one server that has room for them, its overhead
/// counted.
fn left_out(spec: &Spec, reclaim: u32) -> Option<String> {
    let mut cluster = build(spec);
    let plan = Epoch::default().plan(&cluster, Request::reclaim(reclaim)).ok()?;
    cluster.apply(&plan).unwrap();
    let running = cluster.jobs().filter(|(id, job)| cluster.is_running(*id) && !job.is_heterogeneous());
    for (id, job) in running {
        let before = cluster.time_to_end(id).unwrap();
        for (server, _) in cluster.servers() {
            for workers in 1..=4 {
                let mut other = cluster.clone();
                if other.scale_out(id, server, workers).is_err() {
                    break;
                }
                let gain = before.0 - other.time_to_end(id).unwrap().0 - job.resize_overhead.0;
                if gain > 0.002 {
                    return Some(format!(
                        "{id} gains {gain} s by {workers} workers on {server} after\n{plan}"
                    ));
                }
            }
        }
    }
    None
}

/// A job by its least workers, the workers more that it can use, and the GPUs of each.
fn elastic(sizes: (u32, u32, u32), remaining: u32, overhead: u32, kind: u8, servers: &[u32]) -> JobSpec {
    let (min, more, gpus_per_worker) = sizes;
    JobSpec { min, more, gpus_per_worker, remaining, overhead, cost: 0, kind, servers: servers.to_vec() }
}

// A worker that brings nothing, since three make up one, was taken for free in the knapsack, and charged afterwards.
#[test]
fn a_worker_that_brings_nothing_is_not_taken_for_free() {
    let jobs = vec![elastic((3, 1, 1), 1_632, 0, 1, &[]), elastic((1, 1, 1), 3_201, 1_600, 1, &[2, 2])];
    assert_eq!(left_out(&(vec![(1, 0, 1), (0, 0, 1), (1, 1, 7), (1, 1, 8)], jobs), 0), None);
}

// The job that gains most found room for some of its workers, which brought it nothing, and the next was not asked.
#[test]
fn what_the_first_job_has_no_room_for_goes_to_the_next() {
    let servers = vec![(1, 1, 6), (0, 0, 1), (1, 1, 7), (1, 1, 7), (0, 0, 1)];
    let jobs = vec![elastic((1, 1, 2), 322, 0, 5, &[]), elastic((1, 1, 2), 1_601, 800, 1, &[2, 5])];
    assert_eq!(left_out(&(servers, jobs), 0), None);
}

// Of two workers one found room, which cost more than it brought: all was taken back, what another job gained as well.
#[test]
fn some_of_the_workers_are_not_placed_at_a_loss() {
    let jobs = vec![elastic((3, 2, 2), 334, 0, 0, &[1]), elastic((3, 3, 2), 3_201, 800, 0, &[0, 0])];
    assert_eq!(left_out(&(vec![(1, 0, 8), (1, 0, 7), (1, 0, 7)], jobs), 0), None);
}

// Two GPUs that bring nothing are held all the same, so that the other job gets what is left.
#[test]
fn a_worker_that_brings_nothing_holds_its_gpus() {
    let jobs = vec![elastic((3, 1, 1), 1_632, 0, 1, &[]), elastic((1, 1, 2), 3_201, 1_600, 1, &[2, 2])];
    let cluster = build(&(vec![(1, 0, 1), (0, 0, 1), (1, 1, 8), (1, 1, 11)], jobs));
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    let allocation = plan.allocations()[0];
    assert_eq!((allocation.capacity, allocation.certificate.bound()), (4, 0), "{plan}");
    assert!(allocation.certificate.is_optimal());
}

// As above, with workers of 3 GPUs: two find room, which takes 6.
#[test]
fn what_is_offered_is_as_much_as_finds_room() {
    let servers = vec![(1, 1, 9), (0, 0, 1), (1, 1, 10), (1, 1, 11), (0, 0, 1)];
    let jobs = vec![elastic((1, 1, 3), 322, 0, 5, &[]), elastic((1, 1, 3), 1_601, 800, 1, &[2, 5])];
    assert_eq!(left_out(&(servers, jobs), 0), None);
}

// Job 0 would gain most by the two GPUs that are left on servers of a type that it can't use; job 1 can.
#[test]
fn idle_gpus_are_offered_to_jobs_that_may_use_them() {
    let mut cluster = Cluster::new();
    let types = ["V100", "A100", "T4"].map(|name| cluster.add_gpu_type(GpuType::new(name)).unwrap());
    let mut server = |gpu_type, gpus| cluster.add_server(Server::training(gpu_type, gpus)).unwrap();
    let (first, second, third) = (server(types[0], 1), server(types[0], 1), server(types[2], 2));
    let idle = [server(types[2], 3), server(types[2], 1)];
    let mixed = |hours: f64| Job::elastic(1..=3).remaining(Seconds(hours * 3_600.0)).heterogeneous();
    // Job 2 would have two workers of 2 GPUs on the 4 that are idle; one finds room.
    let jobs = [
        (mixed(90.0).on([types[0], types[1]]), first),
        (mixed(10.0).on([types[0], types[2]]), second),
        (Job::elastic(1..=3).gpus_per_worker(2).remaining(Seconds(3_600.0)).on([types[2]]), third),
    ];
    let jobs = jobs.map(|(job, server)| {
        let id = cluster.add_job(job).unwrap();
        cluster.place(id, &[Placement::base(server, 1)]).unwrap();
        id
    });
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(verify::plan(&cluster, &Request::NONE, &plan), Ok(()));
    cluster.apply(&plan).unwrap();
    let workers = jobs.map(|job| cluster.placements(job).iter().map(|p| p.workers).sum::<u32>());
    assert_eq!(workers, [1, 3, 2], "{plan}");
    assert_eq!(idle.map(|server| cluster.free_gpus(server)), [0, 0]);
}

/// What the next epoch would still do, or the workers that would gain: nothing after a plan.
fn left_over(spec: &Spec, request: &Request<'_>) -> Option<String> {
    let mut cluster = build(spec);
    let plan = Epoch::default().plan(&cluster, request).unwrap();
    assert_eq!(verify::plan(&cluster, request, &plan), Ok(()));
    cluster.apply(&plan).unwrap();
    let again = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    (!again.is_empty()).then(|| again.to_string()).or_else(|| left_out(spec, 0))
}

// Of the rounds of phase 2, and of the offers within one, none may be left out; three of many instances tried that show it.
#[test]
fn where_nothing_was_gained_the_idle_is_offered_still() {
    let servers = vec![(1, 0, 8), (1, 0, 4), (1, 0, 7), (0, 0, 1)];
    let jobs = vec![
        elastic((3, 0, 2), 1, 0, 0, &[4]),
        elastic((2, 1, 2), 2_090, 0, 2, &[2, 2]),
        elastic((1, 1, 3), 980, 0, 8, &[0]),
        elastic((2, 2, 1), 301, 0, 0, &[5, 0]),
        elastic((1, 1, 1), 201, 0, 0, &[5, 0]),
    ];
    assert_eq!(left_over(&(servers, jobs), &Request::NONE), None);
}

#[test]
fn a_round_that_gained_is_followed_by_another() {
    let servers = vec![(1, 0, 5), (1, 0, 7), (1, 1, 6), (1, 1, 1), (0, 0, 1)];
    let jobs = vec![
        elastic((1, 3, 2), 1, 0, 0, &[1]),
        elastic((1, 0, 3), 1, 0, 0, &[5]),
        elastic((2, 2, 1), 1, 50, 7, &[2, 5, 3]),
    ];
    assert_eq!(left_over(&(servers, jobs), &Request::NONE), None);
}

#[test]
fn a_round_that_gained_is_not_undone_by_an_offer_that_did_not() {
    let servers = vec![(1, 0, 1), (0, 1, 6), (1, 0, 3), (1, 0, 2), (1, 0, 5)];
    let jobs = vec![elastic((1, 2, 3), 286, 50, 4, &[2]), elastic((1, 1, 2), 1, 0, 3, &[3])];
    assert_eq!(left_over(&(servers, jobs), &Request::NONE.and_lend(1)), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_passes_the_verifier_and_the_next_is_empty(spec in spec(), reclaim in 0..3u32, lend in 0..2u32) {
        let mut cluster = build(&spec);
        let request = Request::reclaim(reclaim).and_lend(lend);
        let Ok(plan) = Epoch::default().plan(&cluster, &request) else { return Ok(()) };
        prop_assert_eq!(verify::plan(&cluster, &request, &plan), Ok(()));
        cluster.apply(&plan).unwrap();
        prop_assert_eq!(verify::cluster(&cluster), Ok(()));
        let again = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        prop_assert!(again.is_empty(), "then\n{}", again);
    }

    /// A job that waits after the plan finds no room in the cluster after it, flexible workers lifted: counted here
    /// from the books alone.
    #[test]
    fn no_job_waits_that_could_start(spec in spec(), reclaim in 0..2u32) {
        let mut cluster = build(&spec);
        let Ok(plan) = Epoch::default().plan(&cluster, Request::reclaim(reclaim)) else { return Ok(()) };
        cluster.apply(&plan).unwrap();
        for (id, job) in cluster.jobs().filter(|(id, _)| !cluster.is_running(*id)) {
            let mut mixed = 0;
            for (gpu_type, _) in cluster.gpu_types().filter(|(t, _)| job.gpu_types.contains(*t)) {
                let here = |s: &Server| s.gpu_type == gpu_type && s.pool.is_for_training();
                let slots: u64 = cluster.servers().filter(|(_, s)| here(s)).map(|(server, s)| {
                    let base = cluster.tenants(server).iter().filter(|t| t.role == aryl::cluster::Role::Base);
                    let held: u32 = base.map(|t| t.workers * cluster.job(t.job).unwrap().gpus_per_worker).sum();
                    u64::from((s.gpus - held) / job.gpus_per_worker)
                }).sum();
                let reference = cluster.speed(gpu_type).unwrap().reference_workers(slots);
                prop_assert!(reference < u64::from(job.min_workers), "{} waits, and {} fit", id, reference);
                mixed += reference;
            }
            prop_assert!(!job.is_heterogeneous() || mixed < u64::from(job.min_workers));
        }
    }

    #[test]
    fn no_worker_is_left_out_that_would_gain(spec in spec(), reclaim in 0..2u32) {
        let left_out = left_out(&spec, reclaim);
        prop_assert!(left_out.is_none(), "{}", left_out.unwrap_or_default());
    }
}

/// Phase 2 against all ways to give out the GPUs, on clusters where each can be placed.
#[test]
fn flexible_workers_are_given_out_as_brute_force_would() {
    let mut random = oorandom::Rand32::new(11);
    for case in 0..1_000 {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let gpus = random.rand_range(1..15);
        let server = cluster.add_server(Server::training(v100, gpus)).unwrap();
        let mut jobs = Vec::new();
        for _ in 0..random.rand_range(1..5) {
            let (min, more) = (random.rand_range(1..3), random.rand_range(0..5));
            let time = Seconds(f64::from(random.rand_range(1..1_000)));
            let job = Job::elastic(min..=min + more).gpus_per_worker(random.rand_range(1..3)).remaining(time);
            let id = cluster.add_job(job.clone()).unwrap();
            if cluster.place(id, &[Placement::base(server, min)]).is_ok() {
                jobs.push(job);
            } else {
                cluster.remove_job(id);
            }
        }
        let free = cluster.free_gpus(server);
        let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        let found: u64 = plan.allocations().iter().map(|a| a.certificate.objective()).sum();
        assert!(plan.allocations().iter().all(|a| a.certificate.is_optimal()), "case {case}");
        assert_eq!(found, best(&jobs, free), "case {case}: {jobs:?}, {free} free");
    }
}

/// The most milliseconds that the jobs can be made to end sooner, over all ways to share the GPUs.
fn best(jobs: &[Job], gpus: u32) -> u64 {
    let Some((job, others)) = jobs.split_first() else { return 0 };
    let choices = job.min_workers..=job.max_workers;
    choices
        .filter_map(|workers| {
            let left = gpus.checked_sub((workers - job.min_workers) * job.gpus_per_worker)?;
            let sooner = (job.remaining.0 - job.running_time(workers).0) * 1_000.0;
            Some(sooner.round() as u64 + best(others, left))
        })
        .max()
        .unwrap_or(0)
}
