//! The two phases of an epoch never beat the optimum.

use std::collections::BTreeMap;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::ServerId;
use aryl::ilp::{self, IlpError, Microlp};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;

use crate::support::{Shape, random_cluster};

const SMALL: Shape =
    Shape { servers: 4, jobs: 7, types: false, heterogeneous: false, overheads: false, protection: false };

#[test]
fn the_two_phases_never_beat_the_optimum() {
    let mixed = Shape { types: true, overheads: true, protection: true, ..SMALL };
    let heterogeneous = Shape { servers: 3, jobs: 5, heterogeneous: true, ..mixed };
    let mut reached = 0;
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, shape, seed, count) in
        [("one type", SMALL, 1, 250), ("types", mixed, 2, 250), ("mixing", heterogeneous, 3, 200)]
    {
        let mut random = Rand32::new(seed);
        for case in 0..count {
            let cluster = random_cluster(&mut random, shape);
            let wait = Seconds([0.0, 300.0, 3_600.0, 1e7][case % 4]);
            let optimum = ilp::epoch(&cluster, wait, &Microlp::default())
                .unwrap_or_else(|error| panic!("{name} {case}: {error}"));
            verify::cluster(optimum.after()).unwrap();
            let best = optimum.certificate();
            let value = ilp::epoch_value(&cluster, optimum.after(), wait).unwrap();
            assert_eq!(value.max(0), i128::from(best.objective()), "{name} {case}");
            check_moves(&cluster, &optimum);

            let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
            let mut planned = cluster.clone();
            planned.apply(&plan).unwrap();
            let two_phase = ilp::epoch_value(&cluster, &planned, wait).unwrap();
            assert!(two_phase <= i128::from(best.bound()), "{name} {case}: {two_phase}, and {best}");
            if best.is_optimal() {
                assert!(two_phase <= value.max(0), "{name} {case}: {two_phase}, and {best}");
            }
            // To do nothing is an answer too.
            let nothing = ilp::epoch_value(&cluster, &cluster, wait).unwrap();
            assert!(nothing <= i128::from(best.bound()), "{name} {case}");
            reached += u32::from(two_phase == value);
            *seen.entry(name).or_default() += 1;
        }
    }
    assert_eq!(seen.values().sum::<u32>(), 700);
    assert!(reached > 200, "{reached}");
}

/// No running job stops, and no base worker of one moves.
fn check_moves(before: &Cluster, optimum: &ilp::EpochOptimum) {
    for (id, _) in before.jobs().filter(|(id, _)| before.is_running(*id)) {
        let base = |cluster: &Cluster| -> Vec<_> {
            let placements = cluster.placements(id).iter();
            placements.filter(|p| p.role == Role::Base).copied().collect()
        };
        assert_eq!(base(before), base(optimum.after()));
    }
    for &id in optimum.started() {
        assert!(!before.is_running(id) && optimum.after().is_running(id));
    }
}

/// Up to 2 servers of 1 to 4 GPUs and 3 jobs, so that all can be tried.
fn tiny(random: &mut Rand32) -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 2)).unwrap();
    let servers: Vec<ServerId> = (0..1 + random.rand_range(0..2))
        .map(|_| {
            let gpu_type = if random.rand_range(0..3) == 0 { t4 } else { v100 };
            let gpus = 1 + random.rand_range(0..4);
            let on_loan = random.rand_range(0..2) == 0;
            let server =
                if on_loan { Server::on_loan(gpu_type, gpus) } else { Server::training(gpu_type, gpus) };
            cluster.add_server(server).unwrap()
        })
        .collect();
    for _ in 0..1 + random.rand_range(0..3) {
        let min = 1 + random.rand_range(0..2);
        let mut job = Job::elastic(min..=min + random.rand_range(0..3))
            .gpus_per_worker(1 + random.rand_range(0..2))
            .remaining(Seconds(f64::from(1 + random.rand_range(0..2_000))));
        match random.rand_range(0..4) {
            0 => job = job.fungible(),
            1 => job = job.fungible().heterogeneous_at([1.0, 0.7, 0.4][random.rand_range(0..3) as usize]),
            _ => {}
        }
        if random.rand_range(0..3) == 0 {
            job = job.weight(2.5).resize_overhead(Seconds(f64::from(random.rand_range(0..300))));
        }
        let id = cluster.add_job(job).unwrap();
        let at = servers[random.rand_range(0..servers.len() as u32) as usize];
        let speed = cluster.speed(cluster.server(at).unwrap().gpu_type).unwrap();
        let base = cluster.job(id).unwrap().min_workers_on(speed) as u32;
        if random.rand_range(0..2) == 0 && cluster.place(id, &[Placement::base(at, base)]).is_ok() {
            for &more in &servers {
                let _ = cluster.scale_out(id, more, random.rand_range(0..3));
            }
        }
    }
    cluster
}

/// The most that any state after the epoch is worth. `from` is the job to decide about next.
fn brute_force(before: &Cluster, state: &mut Cluster, from: usize, wait: Seconds) -> i128 {
    let Some((id, _)) = before.jobs().nth(from) else {
        return ilp::epoch_value(before, state, wait).unwrap();
    };
    // It stays as it is, or waits.
    let mut best = i128::MIN;
    let base: Vec<Placement> =
        before.placements(id).iter().filter(|p| p.role == Role::Base).copied().collect();
    if !before.is_running(id) {
        best = brute_force(before, state, from + 1, wait);
    }
    let servers: Vec<(ServerId, u32)> = before.servers().map(|(server, it)| (server, it.gpus)).collect();
    let combinations: u32 = servers.iter().map(|(_, gpus)| gpus + 1).product();
    for number in 0..combinations {
        let mut rest = number;
        let mut counts = servers.iter().map(|&(server, gpus)| {
            let workers = rest % (gpus + 1);
            rest /= gpus + 1;
            (server, workers)
        });
        let placements: Vec<Vec<Placement>> = if before.is_running(id) {
            let flexible = counts.map(|(server, workers)| Placement::flexible(server, workers));
            vec![base.iter().copied().chain(flexible.filter(|p| p.workers > 0)).collect()]
        } else {
            // Any server's workers may be the base: all of them first, then a part.
            let all: Vec<(ServerId, u32)> = counts.by_ref().filter(|count| count.1 > 0).collect();
            let total: u32 = all.iter().map(|count| count.1).sum();
            (1..=total).map(|base| split(&all, base)).collect()
        };
        for gang in placements {
            if state.place(id, &gang).is_ok() {
                best = best.max(brute_force(before, state, from + 1, wait));
                state.stop(id).unwrap();
                break;
            }
        }
    }
    best
}

/// The first `base` of these workers as base workers, the others as flexible ones.
fn split(workers: &[(ServerId, u32)], base: u32) -> Vec<Placement> {
    let mut left = base;
    let mut placements = Vec::new();
    for &(server, workers) in workers {
        let first = workers.min(left);
        left -= first;
        placements.extend(
            [Placement::base(server, first), Placement::flexible(server, workers - first)]
                .into_iter()
                .filter(|placement| placement.workers > 0),
        );
    }
    placements
}

#[test]
fn the_optimum_equals_brute_force() {
    let mut random = Rand32::new(7);
    let mut decided = 0;
    for case in 0..800 {
        let cluster = tiny(&mut random);
        let wait = Seconds([0.0, 300.0, 1e6][case % 3]);
        let mut state = cluster.clone();
        let running: Vec<_> = cluster.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id)).collect();
        running.iter().for_each(|&id| state.stop(id).unwrap());
        let expected = brute_force(&cluster, &mut state, 0, wait);
        let optimum = ilp::epoch(&cluster, wait, &Microlp::default()).unwrap();
        let value = ilp::epoch_value(&cluster, optimum.after(), wait).unwrap();
        if optimum.certificate().is_optimal() {
            assert_eq!(value, expected, "case {case}: {cluster:?}");
        }
        let error = (value - expected).abs() as f64;
        assert!(error <= 1e-6 * expected.abs() as f64, "case {case}: {value}, not {expected}");
        decided += u32::from(expected > 0);
    }
    assert!(decided > 300, "{decided}");
}

#[test]
fn a_flexible_worker_that_brings_nothing_can_make_room() {
    // One A100 makes up the one reference worker that the job can use; the T4 beside it, a third of one, is lost on it.
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(3, 2)).unwrap();
    let slow = cluster.add_server(Server::training(t4, 8)).unwrap();
    let fast = cluster.add_server(Server::training(a100, 8)).unwrap();
    let job = Job::inelastic(1).gpus_per_worker(8).fungible().heterogeneous_at(0.3);
    let wide = cluster.add_job(job.resize_overhead(Seconds(100.0))).unwrap();
    cluster.place(wide, &[Placement::base(fast, 1), Placement::flexible(slow, 1)]).unwrap();
    let waiting = cluster.add_job(Job::inelastic(2).on([t4]).gpus_per_worker(1)).unwrap();

    let solve = |wait| ilp::epoch(&cluster, Seconds(wait), &Microlp::default()).unwrap();
    let optimum = solve(300.0);
    assert_eq!(optimum.started(), [waiting]);
    assert_eq!(optimum.after().placements(wide), [Placement::base(fast, 1)]);
    assert_eq!(optimum.certificate().to_string(), "200000, proven optimal");
    // An hour at 0.3 of the speed takes 8,400 s longer, so the worker leaves for less too.
    assert_eq!(solve(0.0).after().placements(wide).len(), 1);
}

#[test]
fn waits_are_checked_and_large_programs_refused() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::training(v100, 8)).unwrap();
    let job = cluster.add_job(Job::inelastic(1).weight(1_000.0)).unwrap();
    let solve = |cluster: &Cluster, wait| ilp::epoch(cluster, Seconds(wait), &Microlp::default()).err();
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e10] {
        let Some(IlpError::Wait { job: named, .. }) = solve(&cluster, bad) else { panic!("{bad}") };
        assert_eq!(named, job);
    }
    assert_eq!(solve(&cluster, 1e9), None);
    let wide = cluster.add_job(Job::elastic(1..=Job::MAX_WORKERS).fungible()).unwrap();
    cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let too_large = |variables| Some(IlpError::TooLarge { variables, limit: 1 << 20 });
    assert_eq!(solve(&cluster, 1.0), too_large(1 << 21));
    // The ways to take up to 2,000 reference workers from two types.
    let mixing = Job::elastic(1..=2_000).fungible().heterogeneous();
    cluster.update_job(wide, mixing).unwrap();
    assert_eq!(solve(&cluster, 1.0), too_large(2_002 * 2_001 / 2));
}

#[test]
fn nothing_to_decide_is_worth_nothing() {
    let mut cluster = Cluster::new();
    assert_eq!(
        ilp::epoch(&cluster, Seconds(60.0), &Microlp::default()).unwrap().certificate().to_string(),
        "0, proven optimal"
    );
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_job(Job::elastic(1..=3)).unwrap();
    let optimum = ilp::epoch(&cluster, Seconds(60.0), &Microlp::default()).unwrap();
    assert!(optimum.started().is_empty());
    assert!(optimum.certificate().is_optimal());
}
