//! Best-fit decreasing from outside: the paper's rules, random clusters against plain sums, and what breaks for others.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::place::{BestFitDecreasing, Demand, DemandError, Placements, UnplacedReason};
use aryl::units::Seconds;
use oorandom::Rand32;

fn solve(cluster: &Cluster, demands: &[Demand]) -> Placements {
    BestFitDecreasing.solve(cluster, demands).unwrap()
}

/// A cluster of V100 training servers.
fn training(gpus: &[u32]) -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for &gpus in gpus {
        cluster.add_server(Server::training(v100, gpus)).unwrap();
    }
    cluster
}

fn add(cluster: &mut Cluster, job: Job) -> Demand {
    Demand::new(cluster.add_job(job).unwrap())
}

fn apply(cluster: &mut Cluster, answer: &Placements) {
    for (job, workers) in answer.placed() {
        cluster.place(job, workers).unwrap();
    }
}

/// How many workers with so many GPUs fit into the free GPUs of a type.
fn slots(cluster: &Cluster, gpu_type: GpuTypeId, gpus: u32) -> u64 {
    let servers =
        cluster.servers().filter(|(_, server)| server.gpu_type == gpu_type && server.pool.is_for_training());
    servers.map(|(id, _)| u64::from(cluster.free_gpus(id) / gpus)).sum()
}

/// The reference workers of a job for which there is room, by plain sums.
fn room(cluster: &Cluster, job: &Job) -> u64 {
    let types = cluster.gpu_types().filter(|(id, _)| job.gpu_types.contains(*id));
    let room = types.map(|(id, _)| {
        let speed = cluster.speed(id).unwrap();
        speed.reference_workers(slots(cluster, id, job.gpus_per_worker))
    });
    if job.is_heterogeneous() { room.sum() } else { room.max().unwrap_or(0) }
}

#[test]
fn ascending_first_fit_misses_what_decreasing_finds() {
    let mut cluster = training(&[2, 1]);
    let narrow = add(&mut cluster, Job::inelastic(1).gpus_per_worker(1));
    let wide = add(&mut cluster, Job::inelastic(1).gpus_per_worker(2));
    let answer = solve(&cluster, &[narrow, wide]);
    assert_eq!(answer.get(wide.job), [Placement::base(ServerId::new(0), 1)]);
    assert_eq!(answer.get(narrow.job), [Placement::base(ServerId::new(1), 1)]);
}

#[test]
fn four_and_four_are_no_room_for_eight_and_the_reason_says_so() {
    let mut cluster = training(&[8, 8]);
    let filler = cluster.add_job(Job::inelastic(8)).unwrap();
    let halves = [Placement::base(ServerId::new(0), 4), Placement::base(ServerId::new(1), 4)];
    cluster.place(filler, &halves).unwrap();
    let eight = add(&mut cluster, Job::inelastic(1).gpus_per_worker(8));
    let three = add(&mut cluster, Job::inelastic(3).gpus_per_worker(4));
    let sixteen = add(&mut cluster, Job::inelastic(1).gpus_per_worker(16));
    let answer = solve(&cluster, &[eight, three, sixteen]);
    assert_eq!(answer.placed().len(), 0);
    let reasons: Vec<_> = answer.unplaced().iter().map(|unplaced| (unplaced.job, unplaced.reason)).collect();
    let not_enough = |workers, slots| UnplacedReason::NotEnoughRoom { workers, slots };
    let too_wide = UnplacedReason::WorkerExceedsServers { gpus_per_worker: 16, largest_server: 8 };
    assert_eq!(
        reasons,
        [(eight.job, not_enough(1, 0)), (three.job, not_enough(3, 2)), (sixteen.job, too_wide)]
    );
    assert_eq!(
        answer.unplaced()[1].to_string(),
        "job 2 was not placed: it asks for 3 workers, and there is room for 2"
    );
}

#[test]
fn a_job_whose_types_have_no_server_is_told_so() {
    let mut cluster = training(&[8]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::inference(t4, 8)).unwrap();
    let job = add(&mut cluster, Job::inelastic(1).on([t4]));
    let answer = solve(&cluster, &[job]);
    assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NoServer);
}

#[test]
fn an_answer_says_how_many_have_a_place() {
    let mut cluster = training(&[4]);
    let jobs = [1, 2, 9].map(|workers| add(&mut cluster, Job::inelastic(workers)));
    assert_eq!(solve(&cluster, &jobs[..1]).to_string(), "1 job placed with 1 worker, 0 not placed");
    assert_eq!(solve(&cluster, &jobs).to_string(), "2 jobs placed with 3 workers, 1 not placed");
}

#[test]
fn one_gang_without_room_does_not_block_the_next() {
    let mut cluster = training(&[8]);
    let large = add(&mut cluster, Job::inelastic(2).gpus_per_worker(8));
    let small = add(&mut cluster, Job::inelastic(8));
    let answer = solve(&cluster, &[large, small]);
    assert_eq!(answer.get(small.job), [Placement::base(ServerId::new(0), 8)]);
    assert!(answer.get(large.job).is_empty());
}

#[test]
fn heterogeneous_jobs_come_last_and_mix_only_where_no_type_has_room() {
    let mut cluster = training(&[8]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    let mixing =
        add(&mut cluster, Job::elastic(3..=5).gpus_per_worker(2).fungible().heterogeneous()).flexible(2);
    let plain = add(&mut cluster, Job::inelastic(6));
    let answer = solve(&cluster, &[mixing, plain]);
    // Only 2 GPUs are left on V100 and 4 workers fit on T4: 1 + 1 reference workers, too few.
    assert_eq!(answer.get(plain.job), [Placement::base(ServerId::new(0), 6)]);
    assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 3, slots: 2 });

    let mut cluster = training(&[8]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    let mixing = add(&mut cluster, Job::elastic(3..=5).fungible().heterogeneous()).flexible(2);
    let plain = add(&mut cluster, Job::inelastic(7));
    let answer = solve(&cluster, &[mixing, plain]);
    // 1 worker on V100 and 6 on T4. Of the two more only a third of one finds room.
    let expected = [
        Placement::base(ServerId::new(0), 1),
        Placement::base(ServerId::new(1), 6),
        Placement::flexible(ServerId::new(1), 2),
    ];
    assert_eq!(answer.get(mixing.job), expected);
    apply(&mut cluster, &answer);
    assert_eq!(cluster.reference_workers(mixing.job), 3);
}

#[test]
fn a_job_that_may_mix_does_not_begin_to_for_flexible_workers() {
    let mut cluster = training(&[4]);
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1)).unwrap();
    cluster.add_server(Server::on_loan(a100, 1)).unwrap();
    let job = add(&mut cluster, Job::elastic(3..=8).fungible().heterogeneous()).flexible(5);
    let answer = solve(&cluster, &[job]);
    // On both types it would run at 0.7 of the ideal speed.
    let server = ServerId::new(0);
    assert_eq!(answer.get(job.job), [Placement::base(server, 3), Placement::flexible(server, 1)]);
}

#[test]
fn flexible_workers_wait_until_all_gangs_have_a_place() {
    let mut cluster = training(&[8]);
    let wide = add(&mut cluster, Job::elastic(1..=4).gpus_per_worker(2)).flexible(3);
    let narrow = add(&mut cluster, Job::inelastic(4));
    let answer = solve(&cluster, &[wide, narrow]);
    let server = ServerId::new(0);
    assert_eq!(answer.get(wide.job), [Placement::base(server, 1), Placement::flexible(server, 1)]);
    assert_eq!(answer.get(narrow.job), [Placement::base(server, 4)]);
}

#[test]
fn equal_jobs_go_by_size_then_submission_then_id() {
    let mut cluster = training(&[2, 2]);
    let job = |workers, submitted| Job::inelastic(workers).gpus_per_worker(1).submitted(Seconds(submitted));
    let late = add(&mut cluster, job(1, 9.0));
    let early = add(&mut cluster, job(1, 3.0));
    let also_early = add(&mut cluster, job(1, 3.0));
    let larger = add(&mut cluster, job(2, 20.0));
    let answer = solve(&cluster, &[late, early, also_early, larger]);
    let on = |demand: Demand| answer.get(demand.job).first().map(|placement| placement.server.get());
    assert_eq!([on(larger), on(early), on(also_early), on(late)], [Some(0), Some(1), Some(1), None]);
}

#[test]
fn bad_demands_are_named() {
    let mut cluster = training(&[8]);
    let first = add(&mut cluster, Job::elastic(1..=3));
    let second = add(&mut cluster, Job::inelastic(1));
    let running = add(&mut cluster, Job::inelastic(1));
    cluster.place(running.job, &[Placement::base(ServerId::new(0), 1)]).unwrap();
    let refused = |demands: &[Demand]| BestFitDecreasing.solve(&cluster, demands).unwrap_err();
    let foreign = JobId::new(77);
    assert_eq!(refused(&[first, Demand::new(foreign)]), DemandError::UnknownJob { job: foreign });
    assert_eq!(refused(&[running]), DemandError::Running { job: running.job });
    assert_eq!(refused(&[second, first, second, first.flexible(1)]), DemandError::Twice { job: first.job });
    let above = DemandError::AboveMaximum { job: first.job, flexible: 3, limit: 2 };
    assert_eq!(refused(&[first.flexible(3)]), above);
    assert_eq!(above.to_string(), "job 0 is to get 3 flexible workers, above its limit of 2");
    assert_eq!(solve(&cluster, &[]), Placements::default());
    assert_eq!(solve(&Cluster::new(), &[]), Placements::default());
}

/// A random cluster that runs some jobs, and demands for the others.
fn random(random: &mut Rand32) -> (Cluster, Vec<Demand>) {
    let mut cluster = Cluster::new();
    let pick = |random: &mut Rand32, of: &[u32]| of[random.rand_range(0..of.len() as u32) as usize];
    let types: Vec<GpuTypeId> = [(1, 1), (1, 3), (3, 2)][..random.rand_range(1..4) as usize]
        .iter()
        .map(|&(n, d)| cluster.add_gpu_type(GpuType::new("").speed(n, d)).unwrap())
        .collect();
    let any_type = |random: &mut Rand32| types[random.rand_range(0..types.len() as u32) as usize];
    for _ in 0..random.rand_range(1..25) {
        let gpus = pick(random, &[1, 2, 4, 8, 8, 8, 16, 100]);
        let server = match random.rand_range(0..6) {
            0 => Server::inference(any_type(random), gpus),
            1 | 2 => Server::on_loan(any_type(random), gpus),
            _ => Server::training(any_type(random), gpus),
        };
        cluster.add_server(server).unwrap();
    }
    let mut demands = Vec::new();
    for _ in 0..random.rand_range(1..16) {
        let min = random.rand_range(1..7);
        let more = random.rand_range(0..2) * random.rand_range(0..6);
        let mut job = Job::elastic(min..=min + more)
            .gpus_per_worker(pick(random, &[1, 1, 2, 3, 4, 8, 70]))
            .submitted(Seconds(f64::from(random.rand_range(0..3))));
        match random.rand_range(0..4) {
            0 => {}
            1 => job = job.on([any_type(random), any_type(random)]),
            _ => job = job.fungible(),
        }
        if random.rand_range(0..5) == 0 {
            job = job.heterogeneous();
        }
        demands.push(add(&mut cluster, job).flexible(random.rand_range(0..more + 1)));
    }
    // Some of them run already.
    let running = demands.split_off(demands.len() - random.rand_range(0..demands.len() as u32) as usize);
    let answer = solve(&cluster, &running);
    apply(&mut cluster, &answer);
    demands.extend(running.into_iter().filter(|demand| !cluster.is_running(demand.job)));
    (cluster, demands)
}

/// The order that the documentation states.
fn documented_order(cluster: &Cluster, demands: &[Demand]) -> Vec<Demand> {
    let mut order = demands.to_vec();
    order.sort_by_key(|demand| {
        let job = cluster.job(demand.job).unwrap();
        let (gpus, workers) = (u32::MAX - job.gpus_per_worker, u32::MAX - job.min_workers);
        (job.is_heterogeneous(), gpus, workers, job.submitted.0 as u64, demand.job)
    });
    order
}

#[test]
fn a_gang_is_placed_exactly_when_it_fits_and_the_cluster_accepts_the_answer() {
    let mut source = Rand32::new(1);
    let (mut placed, mut unplaced, mut short, mut mixed) = (0, 0, 0, 0);
    for _ in 0..3_000 {
        let (cluster, demands) = random(&mut source);
        let answer = solve(&cluster, &demands);
        assert_eq!(answer.placed().len() + answer.unplaced().len(), demands.len());

        // Gangs one after the other, in the documented order, against plain sums.
        let mut gangs = cluster.clone();
        for demand in documented_order(&cluster, &demands) {
            let job = cluster.job(demand.job).unwrap();
            let room = room(&gangs, job);
            let base: Vec<Placement> =
                answer.get(demand.job).iter().filter(|p| p.role == Role::Base).copied().collect();
            assert_eq!(!base.is_empty(), room >= u64::from(job.min_workers));
            if base.is_empty() {
                let reason = answer.unplaced().iter().find(|u| u.job == demand.job).unwrap().reason;
                match reason {
                    UnplacedReason::NotEnoughRoom { workers, slots } => {
                        assert_eq!((workers, slots), (job.min_workers, room));
                    }
                    UnplacedReason::WorkerExceedsServers { gpus_per_worker, largest_server } => {
                        assert_eq!(gpus_per_worker, job.gpus_per_worker);
                        assert!(largest_server < gpus_per_worker);
                    }
                    _ => assert_eq!(room, 0),
                }
                unplaced += 1;
            } else {
                gangs.place(demand.job, &base).unwrap();
                placed += 1;
            }
        }

        // The whole answer, flexible workers included.
        let mut after = cluster.clone();
        apply(&mut after, &answer);
        for (id, workers) in answer.placed() {
            let job = cluster.job(id).unwrap();
            let demand = demands.iter().find(|demand| demand.job == id).unwrap();
            let wanted = u64::from(job.min_workers + demand.flexible);
            assert_eq!(after.placements(id), workers);
            let mut types: Vec<_> =
                workers.iter().map(|p| cluster.server(p.server).unwrap().gpu_type).collect();
            types.sort_unstable();
            types.dedup();
            mixed += usize::from(types.len() > 1);
            if after.reference_workers(id) < wanted {
                short += 1;
                for &gpu_type in &types {
                    assert_eq!(slots(&after, gpu_type, job.gpus_per_worker), 0, "room was left unused");
                }
            }
        }
    }
    assert!(
        placed > 6_000 && unplaced > 3_000 && short > 300 && mixed > 20,
        "{placed} {unplaced} {short} {mixed}"
    );
}

#[test]
fn the_order_of_the_demands_changes_nothing() {
    let mut source = Rand32::new(2);
    for _ in 0..1_000 {
        let (cluster, mut demands) = random(&mut source);
        let answer = solve(&cluster, &demands);
        for last in (1..demands.len()).rev() {
            demands.swap(last, source.rand_range(0..last as u32 + 1) as usize);
        }
        assert_eq!(solve(&cluster, &demands), answer);
    }
}

#[test]
fn base_and_flexible_workers_share_no_on_loan_server_while_there_is_room() {
    let mut source = Rand32::new(3);
    for _ in 0..1_000 {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let mut demands = Vec::new();
        for _ in 0..source.rand_range(1..10) {
            let (min, more) = (source.rand_range(1..5), source.rand_range(1..5));
            let job = Job::elastic(min..=min + more).gpus_per_worker(1 << source.rand_range(0..2));
            demands.push(add(&mut cluster, job).flexible(more));
            // Each role of each job fits on one server, so this is room enough for all of them apart.
            cluster.add_server(Server::on_loan(v100, 8)).unwrap();
            cluster.add_server(Server::on_loan(v100, 8)).unwrap();
        }
        let answer = solve(&cluster, &demands);
        apply(&mut cluster, &answer);
        for (server, _) in cluster.servers() {
            let roles = |role| cluster.tenants(server).iter().any(|tenant| tenant.role == role);
            assert!(!(roles(Role::Base) && roles(Role::Flexible)));
        }
        for demand in &demands {
            let job = cluster.job(demand.job).unwrap();
            assert_eq!(cluster.workers(demand.job), u64::from(job.max_workers));
        }
    }
}

#[test]
fn a_gang_on_empty_servers_takes_as_few_as_can_hold_it() {
    let mut source = Rand32::new(4);
    for _ in 0..1_000 {
        let mut cluster = training(&[8; 40]);
        let (workers, gpus) = (source.rand_range(1..30), source.rand_range(1..9));
        let job = add(&mut cluster, Job::inelastic(workers).gpus_per_worker(gpus));
        let answer = solve(&cluster, &[job]);
        assert_eq!(answer.get(job.job).len(), workers.div_ceil(8 / gpus) as usize);
    }
}

/// Workers one by one, in the order given, to the first server with room. Returns the servers that host any.
fn first_fit(cluster: &Cluster, demands: &[Demand]) -> usize {
    let mut free: Vec<u32> = cluster.servers().map(|(_, server)| server.gpus).collect();
    for demand in demands {
        let job = cluster.job(demand.job).unwrap();
        for _ in 0..job.min_workers {
            let server = free.iter_mut().find(|free| **free >= job.gpus_per_worker).unwrap();
            *server -= job.gpus_per_worker;
        }
    }
    free.iter().filter(|free| **free < 8).count()
}

#[test]
fn it_uses_no_more_servers_than_first_fit() {
    let mut source = Rand32::new(5);
    let (mut ours, mut theirs, mut worse) = (0, 0, 0);
    for _ in 0..1_000 {
        let mut cluster = training(&[8; 60]);
        let demands: Vec<Demand> = (0..source.rand_range(5..25))
            .map(|_| {
                let (workers, gpus) = (source.rand_range(1..4), source.rand_range(1..8));
                add(&mut cluster, Job::inelastic(workers).gpus_per_worker(gpus))
            })
            .collect();
        let answer = solve(&cluster, &demands);
        assert!(answer.unplaced().is_empty());
        apply(&mut cluster, &answer);
        let used = cluster.servers().filter(|&(id, _)| !cluster.tenants(id).is_empty()).count();
        let first_fit = first_fit(&cluster, &demands);
        (ours, theirs) = (ours + used, theirs + first_fit);
        worse += usize::from(used > first_fit);
    }
    assert!(ours * 100 < theirs * 97, "{ours} servers against {theirs}");
    assert!(worse < 20, "worse than first fit {worse} times of 1,000");
}

#[test]
fn gangs_of_one_width_never_take_more_servers_than_first_fit() {
    let mut source = Rand32::new(6);
    for _ in 0..1_000 {
        let mut cluster = training(&[8; 60]);
        let gpus = source.rand_range(1..9);
        let demands: Vec<Demand> = (0..source.rand_range(1..15))
            .map(|_| add(&mut cluster, Job::inelastic(source.rand_range(1..5)).gpus_per_worker(gpus)))
            .collect();
        let answer = solve(&cluster, &demands);
        apply(&mut cluster, &answer);
        let used = cluster.servers().filter(|&(id, _)| !cluster.tenants(id).is_empty()).count();
        assert_eq!(used, first_fit(&cluster, &demands));
    }
}

#[cfg(feature = "serde")]
#[test]
fn demands_and_answers_survive_the_round_trip() {
    let mut source = Rand32::new(7);
    for _ in 0..100 {
        let (cluster, demands) = random(&mut source);
        let answer = solve(&cluster, &demands);
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(serde_json::from_str::<Placements>(&text).unwrap(), answer);
        let text = serde_json::to_string(&demands).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Demand>>(&text).unwrap(), demands);
    }
    let written = r#"{"placed": [
        {"job": 4, "workers": [{"server": 1, "role": "base", "workers": 2}]},
        {"job": 2, "workers": []}
    ]}"#;
    let read: Placements = serde_json::from_str(written).unwrap();
    assert_eq!(read.get(JobId::new(4)), [Placement::base(ServerId::new(1), 2)]);
    assert_eq!(serde_json::from_str::<Demand>(r#"{"job": 3}"#).unwrap(), Demand::new(JobId::new(3)));
}
