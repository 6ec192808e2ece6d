//! Random changes to random clusters.

use super::*;

/// A random cluster: up to 4 types, servers of 1 to 16 GPUs (some of 130), waiting jobs of every kind.
fn random(random: &mut Rand32) -> Cluster {
    let mut cluster = Cluster::new();
    let speeds = [(1, 1), (1, 3), (3, 2), (2, 1)];
    let types: Vec<GpuTypeId> = speeds[..random.rand_range(1..5) as usize]
        .iter()
        .map(|&(n, d)| cluster.add_gpu_type(GpuType::new("").speed(n, d)).unwrap())
        .collect();
    let pick =
        |random: &mut Rand32, types: &[GpuTypeId]| types[random.rand_range(0..types.len() as u32) as usize];
    for _ in 0..random.rand_range(1..9) {
        let gpu_type = pick(random, &types);
        let gpus = [1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 16, 130][random.rand_range(0..13) as usize];
        let server = match random.rand_range(0..5) {
            0 => Server::inference(gpu_type, gpus),
            1 | 2 => Server::on_loan(gpu_type, gpus),
            _ => Server::training(gpu_type, gpus),
        };
        cluster.add_server(server).unwrap();
    }
    for _ in 0..random.rand_range(1..16) {
        let min = random.rand_range(1..6);
        let mut job = Job::elastic(min..=min + random.rand_range(0..12))
            .gpus_per_worker([1, 1, 1, 2, 2, 3, 4, 8, 65][random.rand_range(0..9) as usize])
            .submitted(Seconds(f64::from(random.rand_range(0..4))));
        match random.rand_range(0..4) {
            0 => {}
            1 => job = job.on([pick(random, &types), pick(random, &types)]),
            _ => job = job.fungible(),
        }
        if random.rand_range(0..4) == 0 {
            job = job.heterogeneous();
        }
        cluster.add_job(job).unwrap();
    }
    if random.rand_range(0..4) == 0 {
        cluster.remove_server(ServerId::new(0)).unwrap();
    }
    cluster
}

/// How many flexible workers of a type a job can take up: the fewest that bring it to its maximum.
fn appetite(inventory: &Inventory, occupancy: &Occupancy, id: JobId, gpu_type: GpuTypeId) -> u32 {
    let (job, speed) = (inventory.job(id).unwrap(), inventory.speed(gpu_type).unwrap());
    let all = inventory.tally(occupancy.placements(id)).reference_workers();
    let on_type = occupancy.placements(id).iter();
    let on_type = on_type.filter(|p| inventory.server(p.server).unwrap().gpu_type == gpu_type);
    let held: u64 = on_type.map(|p| u64::from(p.workers)).sum();
    let missing = u64::from(job.max_workers).saturating_sub(all);
    if missing == 0 {
        return 0;
    }
    let wanted = speed.workers_for((speed.reference_workers(held) + missing) as u32);
    (wanted - held) as u32
}

#[test]
fn random_changes_keep_every_rule_and_a_gang_starts_exactly_when_it_fits() {
    let mut source = Rand32::new(17);
    let (mut started, mut refused, mut pushed_out, mut grown, mut shrunk) = (0, 0, 0, 0, 0);
    for _ in 0..1_000 {
        let mut bench = Bench::new(random(&mut source));
        let jobs: Vec<JobId> = bench.cluster.jobs().map(|(id, _)| id).collect();
        let types: Vec<GpuTypeId> = bench.cluster.gpu_types().map(|(id, _)| id).collect();
        for _ in 0..source.rand_range(10..50) {
            let job = jobs[source.rand_range(0..jobs.len() as u32) as usize];
            let gpu_type = types[source.rand_range(0..types.len() as u32) as usize];
            let before = bench.occupancy.clone();
            match source.rand_range(0..7) {
                0..3 if !before.is_running(job) => {
                    let fits = bench.fits(job);
                    assert_eq!(bench.start(job), fits);
                    if !fits {
                        assert_eq!(bench.occupancy, before);
                    }
                    (started, refused) = (started + u32::from(fits), refused + u32::from(!fits));
                    // Workers leave only servers that the gang takes, and no base worker moves.
                    for &other in jobs.iter().filter(|&&other| other != job) {
                        let of = |books: &Occupancy, role: Role| -> Vec<Placement> {
                            let placements = books.placements(other).iter();
                            placements.filter(|p| p.role == role).copied().collect()
                        };
                        assert_eq!(of(&before, Role::Base), of(&bench.occupancy, Role::Base));
                        let mut left = 0;
                        for had in of(&before, Role::Flexible) {
                            let has = bench.occupancy.workers(other, had.server, Role::Flexible);
                            let is_taken = bench.occupancy.workers(job, had.server, Role::Base) > 0;
                            assert!(has == had.workers || has < had.workers && is_taken);
                            left += had.workers - has;
                        }
                        let flexible = |books: &Occupancy| -> u32 {
                            of(books, Role::Flexible).iter().map(|p| p.workers).sum()
                        };
                        assert_eq!(flexible(&before), flexible(&bench.occupancy) + left);
                        pushed_out += left;
                    }
                }
                3 | 4 if before.is_running(job) => {
                    let wanted = appetite(bench.cluster.inventory(), &before, job, gpu_type);
                    let gpus = bench.cluster.job(job).unwrap().gpus_per_worker;
                    let placed = bench.grow(job, gpu_type, wanted);
                    let definition = bench.cluster.job(job).unwrap();
                    let types = bench.cluster.inventory().tally(before.placements(job));
                    let mut with = types.clone();
                    with.add(gpu_type, bench.cluster.speed(gpu_type).unwrap(), 1);
                    let allowed = definition.gpu_types.contains(gpu_type)
                        && (with.mixed().is_none() || definition.is_heterogeneous());
                    // Everything that fits is placed.
                    let slots = bench.slots(gpu_type, gpus, false);
                    assert!(!allowed || placed == wanted || slots == 0);
                    assert!(allowed || placed == 0);
                    grown += placed;
                }
                5 if before.is_running(job) => {
                    let wanted = source.rand_range(0..6);
                    let left = bench.shrink(job, gpu_type, wanted);
                    assert!(left <= wanted);
                    shrunk += left;
                }
                6 if before.is_running(job) => {
                    let gpus = bench.cluster.job(job).unwrap().gpus_per_worker;
                    bench.occupancy.release(job, gpus);
                    for placement in before.placements(job) {
                        bench.placer.refresh(bench.cluster.inventory(), &bench.occupancy, placement.server);
                    }
                }
                _ => {}
            }
            bench.check();
        }
    }
    // All paths were taken, often.
    assert!(started > 3_000 && refused > 1_000, "{started} started, {refused} refused");
    assert!(pushed_out > 100 && grown > 2_000 && shrunk > 150, "{pushed_out}, {grown}, {shrunk}");
}
