//! The placer against the rules and against plain sums, on random clusters.

use alloc::vec::Vec;

use oorandom::Rand32;

use super::Placer;
use crate::cluster::{Cluster, GpuType, Inventory, Job, Occupancy, Placement, Pool, Role, Server, Tally};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::Seconds;

/// A cluster, its books in work, and a placer over them.
struct Bench {
    cluster: Cluster,
    occupancy: Occupancy,
    pools: Vec<Pool>,
    placer: Placer,
}

impl Bench {
    fn new(cluster: Cluster) -> Self {
        let mut pools = Vec::new();
        for (id, server) in cluster.servers() {
            pools.resize(id.index(), Pool::Inference);
            pools.push(server.pool);
        }
        let occupancy = cluster.occupancy().clone();
        let mut placer = Placer::default();
        placer.rebuild(cluster.inventory(), &occupancy, &pools);
        Self { cluster, occupancy, pools, placer }
    }

    fn start(&mut self, job: JobId) -> bool {
        self.placer.start(self.cluster.inventory(), &mut self.occupancy, job)
    }

    fn grow(&mut self, job: JobId, gpu_type: GpuTypeId, workers: u32) -> u32 {
        self.placer.grow(self.cluster.inventory(), &mut self.occupancy, job, gpu_type, workers)
    }

    fn shrink(&mut self, job: JobId, gpu_type: GpuTypeId, workers: u32) -> u32 {
        self.placer.shrink(self.cluster.inventory(), &mut self.occupancy, job, gpu_type, workers)
    }

    /// Where a job runs: server, workers.
    fn places(&self, job: JobId, role: Role) -> Vec<(u32, u32)> {
        let placements = self.occupancy.placements(job).iter().filter(|p| p.role == role);
        placements.map(|p| (p.server.get(), p.workers)).collect()
    }

    fn base(&self, job: JobId) -> Vec<(u32, u32)> {
        self.places(job, Role::Base)
    }

    fn flexible(&self, job: JobId) -> Vec<(u32, u32)> {
        self.places(job, Role::Flexible)
    }

    /// Free GPUs of a server and GPUs that flexible workers hold there, counted from the books.
    fn room(&self, server: ServerId) -> (u32, u32) {
        let gpus = |job| self.cluster.job(job).unwrap().gpus_per_worker;
        let flexible = self.occupancy.tenants(server).iter().filter(|t| t.role == Role::Flexible);
        (self.occupancy.free(server), flexible.map(|t| t.workers * gpus(t.job)).sum())
    }

    fn slots(&self, gpu_type: GpuTypeId, gpus: u32, with_flexible: bool) -> u64 {
        self.slots_in(gpu_type, &[Pool::Training, Pool::OnLoan], gpus, with_flexible)
    }

    fn slots_in(&self, gpu_type: GpuTypeId, pools: &[Pool], gpus: u32, with_flexible: bool) -> u64 {
        let servers = self
            .cluster
            .servers()
            .filter(|(id, server)| server.gpu_type == gpu_type && pools.contains(&self.pools[id.index()]));
        let room = servers.map(|(id, _)| self.room(id));
        room.map(|(free, flexible)| u64::from((free + u32::from(with_flexible) * flexible) / gpus)).sum()
    }

    /// Whether the gang fits, by plain sums.
    fn fits(&self, job: JobId) -> bool {
        let job = self.cluster.job(job).unwrap();
        let types = self.cluster.gpu_types().filter(|(id, _)| job.gpu_types.contains(*id));
        let slots = types.map(|(id, _)| {
            let speed = self.cluster.speed(id).unwrap();
            speed.reference_workers(self.slots(id, job.gpus_per_worker, true))
        });
        let min = u64::from(job.min_workers);
        if job.is_heterogeneous() { slots.sum::<u64>() >= min } else { slots.max().unwrap_or(0) >= min }
    }

    /// Checks the books against the cluster's own rules, and the index against the books.
    fn check(&self) {
        let mut fresh = self.cluster.clone();
        let running: Vec<JobId> = self.cluster.jobs().map(|(id, _)| id).collect();
        for &job in &running {
            let _ = fresh.stop(job);
        }
        for &job in running.iter().filter(|&&job| self.occupancy.is_running(job)) {
            fresh.place(job, self.occupancy.placements(job)).unwrap();
        }
        assert_eq!(fresh.occupancy(), &self.occupancy);
        let mut again = Placer::default();
        again.rebuild(self.cluster.inventory(), &self.occupancy, &self.pools);
        for (id, _) in self.cluster.gpu_types() {
            let mut gpus = (0, 0);
            for (server, definition) in self.cluster.servers() {
                if definition.gpu_type == id && self.pools[server.index()].is_for_training() {
                    let room = self.room(server);
                    gpus = (gpus.0 + u64::from(room.0), gpus.1 + u64::from(room.0 + room.1));
                }
            }
            assert_eq!((self.placer.idle_gpus(id), self.placer.reachable_gpus(id)), gpus);
            for per_worker in 1..=17 {
                let idle = self.slots(id, per_worker, false);
                let reachable = self.slots(id, per_worker, true);
                assert_eq!(self.placer.idle_slots(id, per_worker), idle);
                assert_eq!(self.placer.reachable_slots(id, per_worker), reachable);
                assert_eq!(again.idle_slots(id, per_worker), idle);
                assert!(self.placer.fits(id, per_worker, reachable));
                assert!(!self.placer.fits(id, per_worker, reachable + 1));
                for pool in [Pool::Training, Pool::OnLoan] {
                    let fit = self.slots_in(id, &[pool], per_worker, true);
                    assert!(self.placer.fits_in_pool(id, pool, per_worker, fit));
                    assert!(!self.placer.fits_in_pool(id, pool, per_worker, fit + 1));
                }
            }
        }
    }
}

/// A cluster of one type, with these training servers and these on-loan servers.
fn plain(training: &[u32], on_loan: &[u32]) -> (Cluster, GpuTypeId) {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for &gpus in training {
        cluster.add_server(Server::training(v100, gpus)).unwrap();
    }
    for &gpus in on_loan {
        cluster.add_server(Server::on_loan(v100, gpus)).unwrap();
    }
    (cluster, v100)
}

/// Adds a job that holds base workers on these servers: server, workers.
fn occupy(cluster: &mut Cluster, places: &[(u32, u32)]) -> JobId {
    let job = cluster.add_job(Job::inelastic(places.iter().map(|p| p.1).sum()).fungible()).unwrap();
    let places: Vec<Placement> = places.iter().map(|&(s, w)| Placement::base(ServerId::new(s), w)).collect();
    cluster.place(job, &places).unwrap();
    job
}

/// Adds an elastic job with one base worker on the first server and flexible workers on the others.
fn elastic(cluster: &mut Cluster, submitted: f64, gpus: u32, base: u32, flexible: &[(u32, u32)]) -> JobId {
    let max = 1 + flexible.iter().map(|p| p.1).sum::<u32>();
    let job = Job::elastic(1..=max).gpus_per_worker(gpus).submitted(Seconds(submitted));
    let job = cluster.add_job(job).unwrap();
    let mut places = alloc::vec![Placement::base(ServerId::new(base), 1)];
    places.extend(flexible.iter().map(|&(s, w)| Placement::flexible(ServerId::new(s), w)));
    cluster.place(job, &places).unwrap();
    job
}

fn displaced(bench: &Bench) -> Vec<(u32, u32, u32)> {
    bench.placer.displaced().iter().map(|d| (d.job.get(), d.server.get(), d.workers)).collect()
}

#[test]
fn inelastic_prefers_training_and_elastic_prefers_on_loan() {
    let (mut cluster, v100) = plain(&[8], &[8]);
    let inelastic = cluster.add_job(Job::inelastic(2)).unwrap();
    let elastic = cluster.add_job(Job::elastic(2..=4)).unwrap();
    let mixing = cluster.add_job(Job::elastic(2..=4).fungible().heterogeneous()).unwrap();
    let mut bench = Bench::new(cluster);
    for job in [inelastic, elastic, mixing] {
        assert!(bench.start(job));
    }
    assert_eq!(bench.base(inelastic), [(0, 2)]);
    assert_eq!(bench.base(elastic), [(1, 2)]);
    // A heterogeneous job keeps its base on training servers and its flexible workers on on-loan servers.
    assert_eq!(bench.base(mixing), [(0, 2)]);
    assert_eq!(bench.grow(mixing, v100, 2), 2);
    assert_eq!(bench.flexible(mixing), [(1, 2)]);
    bench.check();
}

#[test]
fn a_worker_goes_to_the_server_that_fits_it_best() {
    let (mut cluster, _) = plain(&[8, 8, 8, 8], &[]);
    occupy(&mut cluster, &[(0, 2), (1, 5), (2, 4)]);
    let three = cluster.add_job(Job::inelastic(1).gpus_per_worker(3)).unwrap();
    let four = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let seven = cluster.add_job(Job::inelastic(1).gpus_per_worker(7)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(three) && bench.start(four) && bench.start(seven));
    assert_eq!((bench.base(three), bench.base(four)), (alloc::vec![(1, 1)], alloc::vec![(2, 1)]));
    // Only the empty server is left for 7.
    assert_eq!(bench.base(seven), [(3, 1)]);
    bench.check();
}

#[test]
fn ties_go_to_the_lowest_id_and_then_to_the_server_that_moved_last() {
    let (mut cluster, _) = plain(&[8, 8, 8, 8], &[]);
    let jobs: Vec<JobId> =
        [3, 3, 1].iter().map(|&g| cluster.add_job(Job::inelastic(1).gpus_per_worker(g)).unwrap()).collect();
    occupy(&mut cluster, &[(1, 3), (2, 3)]);
    let mut bench = Bench::new(cluster);
    assert!(bench.start(jobs[0]));
    assert_eq!(bench.base(jobs[0]), [(1, 1)]);
    assert!(bench.start(jobs[1]));
    assert_eq!(bench.base(jobs[1]), [(2, 1)]);
    // Servers 1 and 2 have 2 free each; server 2 moved last.
    assert!(bench.start(jobs[2]));
    assert_eq!(bench.base(jobs[2]), [(2, 1)]);
}

#[test]
fn a_gang_that_one_server_can_host_is_not_spread() {
    let (mut cluster, v100) = plain(&[8, 8, 8], &[8, 8]);
    occupy(&mut cluster, &[(0, 7), (1, 4), (2, 6)]);
    let gang = cluster.add_job(Job::inelastic(4)).unwrap();
    let wide = cluster.add_job(Job::elastic(2..=10)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang) && bench.start(wide));
    assert_eq!(bench.base(gang), [(1, 4)]);
    assert_eq!(bench.base(wide), [(3, 2)]);
    assert_eq!(bench.grow(wide, v100, 3), 3);
    assert_eq!(bench.grow(wide, v100, 3), 3);
    // All flexible workers on one server, apart from the base workers.
    assert_eq!(bench.flexible(wide), [(4, 6)]);
    bench.check();
}

#[test]
fn four_and_four_free_is_no_room_for_a_worker_of_eight() {
    let (mut cluster, v100) = plain(&[8, 8], &[]);
    occupy(&mut cluster, &[(0, 4), (1, 4)]);
    let large = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!((bench.placer.idle_gpus(v100), bench.placer.idle_slots(v100, 8)), (8, 0));
    let before = bench.occupancy.clone();
    assert!(!bench.start(large));
    assert_eq!(bench.occupancy, before);
}

#[test]
fn nobody_is_displaced_whose_gpus_do_not_form_a_place() {
    let (mut cluster, _) = plain(&[8, 8, 8], &[]);
    occupy(&mut cluster, &[(0, 4), (1, 4)]);
    elastic(&mut cluster, 0.0, 1, 2, &[(0, 4), (1, 4)]);
    occupy(&mut cluster, &[(2, 7)]);
    let large = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(!bench.start(large));
    assert!(displaced(&bench).is_empty());
    bench.check();
}

#[test]
fn the_latest_job_makes_room_first_and_no_more_than_needed() {
    let (mut cluster, _) = plain(&[8, 8], &[]);
    let early = elastic(&mut cluster, 1.0, 1, 1, &[(0, 3)]);
    let late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    let also_late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    occupy(&mut cluster, &[(0, 1), (1, 5)]);
    let gang = cluster.add_job(Job::inelastic(1).gpus_per_worker(5)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    let expected = [(also_late.get(), 0, 2), (late.get(), 0, 2), (early.get(), 0, 1)];
    assert_eq!(displaced(&bench), expected);
    assert_eq!(bench.flexible(early), [(0, 2)]);
    assert!(bench.flexible(late).is_empty());
    assert_eq!(bench.base(late), [(1, 1)]);
    bench.check();
}

#[test]
fn a_worker_whose_gpus_turn_out_not_to_be_needed_stays() {
    let (mut cluster, _) = plain(&[8, 8], &[]);
    let early = elastic(&mut cluster, 1.0, 4, 1, &[(0, 1)]);
    let late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    occupy(&mut cluster, &[(0, 2), (1, 3)]);
    let gang = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    // 2 GPUs of the late job do not suffice, and with 4 of the early job they are not needed.
    assert_eq!(displaced(&bench), [(early.get(), 0, 1)]);
    assert_eq!(bench.flexible(late), [(0, 2)]);
    bench.check();
}

#[test]
fn base_and_flexible_workers_keep_apart_while_there_is_room() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8, 8]);
    let jobs: Vec<JobId> = (0..4).map(|_| cluster.add_job(Job::elastic(3..=7)).unwrap()).collect();
    let mut bench = Bench::new(cluster);
    for &job in &jobs {
        assert!(bench.start(job));
    }
    for &job in &jobs {
        assert_eq!(bench.grow(job, v100, 4), 4);
    }
    let servers = |bench: &Bench, role| -> Vec<u32> {
        let mut all: Vec<u32> =
            jobs.iter().flat_map(|&job| bench.places(job, role)).map(|place| place.0).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(servers(&bench, Role::Base), [0, 1]);
    assert_eq!(servers(&bench, Role::Flexible), [2, 3]);
    bench.check();
}

#[test]
fn shrinking_frees_whole_servers() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8, 8]);
    let job = elastic(&mut cluster, 0.0, 1, 0, &[(1, 3), (2, 2), (3, 2)]);
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.shrink(job, v100, 3), 3);
    assert_eq!(bench.flexible(job), [(1, 3), (2, 1)]);
    assert_eq!(bench.shrink(job, v100, 9), 4);
    assert_eq!((bench.flexible(job), bench.base(job)), (alloc::vec![], alloc::vec![(0, 1)]));
    bench.check();
}

#[test]
fn three_t4_workers_stand_for_one_v100_worker() {
    let (mut cluster, _) = plain(&[8], &[]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for _ in 0..2 {
        cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    }
    occupy(&mut cluster, &[(0, 6)]);
    let fungible = cluster.add_job(Job::inelastic(3).fungible()).unwrap();
    let reference = cluster.add_job(Job::inelastic(3)).unwrap();
    let mixing = cluster.add_job(Job::inelastic(4).fungible().heterogeneous()).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(!bench.start(reference));
    assert!(bench.start(fungible));
    assert_eq!(bench.base(fungible), [(1, 8), (2, 1)]);
    // 2 on V100, and 2 more on 6 of the 7 idle T4.
    assert!(bench.start(mixing));
    assert_eq!(bench.base(mixing), [(0, 2), (2, 6)]);
    assert_eq!(bench.grow(fungible, t4, 5), 1);
    assert_eq!(bench.grow(fungible, GpuTypeId::new(0), 1), 0);
    let tally: Tally = bench.cluster.inventory().tally(bench.occupancy.placements(mixing));
    assert!(tally.is_just(4));
}

#[test]
fn a_gang_that_fits_on_neither_side_is_spread_from_the_preferred_one() {
    let (mut cluster, _) = plain(&[8], &[8]);
    let inelastic = cluster.add_job(Job::inelastic(10)).unwrap();
    let elastic = cluster.add_job(Job::elastic(10..=11)).unwrap();
    let both = [inelastic, elastic].map(|job| {
        let mut bench = Bench::new(cluster.clone());
        assert!(bench.start(job));
        bench.base(job)
    });
    assert_eq!(both, [[(0, 8), (1, 2)], [(0, 2), (1, 8)]]);
}

#[test]
fn one_side_with_displacement_goes_before_both_sides_without() {
    let (mut cluster, _) = plain(&[8, 8], &[4]);
    let other = elastic(&mut cluster, 0.0, 1, 1, &[(0, 4)]);
    occupy(&mut cluster, &[(1, 7)]);
    let small = cluster.add_job(Job::inelastic(4)).unwrap();
    let gang = cluster.add_job(Job::inelastic(6)).unwrap();
    let mut bench = Bench::new(cluster.clone());
    // Where one side is free, nobody leaves.
    assert!(bench.start(small));
    assert_eq!((bench.base(small), displaced(&bench).len()), (alloc::vec![(0, 4)], 0));
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    assert_eq!(
        (bench.base(gang), displaced(&bench)),
        (alloc::vec![(0, 6)], alloc::vec![(other.get(), 0, 2)])
    );
    bench.check();
}

#[test]
fn a_mixed_gang_stays_on_training_servers_where_they_hold_it() {
    let (mut cluster, v100) = plain(&[2], &[2]);
    let other = cluster.add_gpu_type(GpuType::new("P100")).unwrap();
    cluster.add_server(Server::training(other, 3)).unwrap();
    let job = |workers| Job::inelastic(workers).on([other, v100]).heterogeneous();
    let (five, six) = (cluster.add_job(job(5)).unwrap(), cluster.add_job(job(6)).unwrap());
    let eight = cluster.add_job(job(8)).unwrap();
    let both = [five, six].map(|job| {
        let mut bench = Bench::new(cluster.clone());
        assert!(bench.start(job));
        bench.check();
        bench.base(job)
    });
    assert_eq!(both[0], [(0, 2), (2, 3)]);
    assert_eq!(both[1], [(0, 2), (1, 2), (2, 2)]);
    assert!(!Bench::new(cluster).start(eight));
}

#[test]
fn types_are_tried_from_fast_to_slow_then_by_id() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let k80 = cluster.add_gpu_type(GpuType::new("K80").speed(1, 2)).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1)).unwrap();
    let h100 = cluster.add_gpu_type(GpuType::new("other A100").speed(4, 2)).unwrap();
    cluster.add_gpu_type(GpuType::new("no server").speed(9, 1)).unwrap();
    for gpu_type in [k80, h100, a100] {
        cluster.add_server(Server::training(gpu_type, 8)).unwrap();
    }
    let any = cluster.add_job(Job::inelastic(3).fungible()).unwrap();
    let listed = cluster.add_job(Job::inelastic(3).on([k80, v100, h100, k80, v100])).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(any) && bench.start(listed));
    assert_eq!(bench.base(any), [(3, 2)]);
    assert_eq!(bench.base(listed), [(2, 2)]);
}

#[test]
fn growing_a_job_that_waits_or_does_not_allow_the_type_places_nothing() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4")).unwrap();
    cluster.add_server(Server::training(t4, 8)).unwrap();
    let job = cluster.add_job(Job::elastic(1..=4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.grow(job, v100, 1), 0);
    assert_eq!(bench.shrink(job, v100, 1), 0);
    assert!(bench.start(job));
    assert!(!bench.start(job));
    assert_eq!(bench.grow(job, t4, 1), 0);
    assert!(!bench.start(JobId::new(9)));
    assert_eq!(bench.grow(JobId::new(9), v100, 1), 0);
}

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
                    let displaced_before = bench.placer.displaced().len();
                    assert_eq!(bench.start(job), fits);
                    if !fits {
                        assert_eq!(bench.occupancy, before);
                    }
                    let displaced_now = bench.placer.displaced().len() - displaced_before;
                    (started, refused) = (started + u32::from(fits), refused + u32::from(!fits));
                    pushed_out += displaced_now;
                    // What left is what was recorded, and no base worker moved.
                    for &other in jobs.iter().filter(|&&other| other != job) {
                        let all = |books: &Occupancy| -> u64 {
                            books.placements(other).iter().map(|p| u64::from(p.workers)).sum()
                        };
                        let gone = bench.placer.displaced()[displaced_before..].iter();
                        let gone: u64 = gone.filter(|d| d.job == other).map(|d| u64::from(d.workers)).sum();
                        assert_eq!(all(&before), all(&bench.occupancy) + gone);
                        let base = |books: &Occupancy| -> Vec<Placement> {
                            let placements = books.placements(other).iter();
                            placements.filter(|p| p.role == Role::Base).copied().collect()
                        };
                        assert_eq!(base(&before), base(&bench.occupancy));
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

#[test]
fn the_work_for_a_worker_does_not_grow_with_the_cluster() {
    let work = |servers: u32| -> f64 {
        let (mut cluster, v100) = plain(&alloc::vec![8; servers as usize], &[]);
        let gangs = servers * 3 / 2;
        for gang in 0..gangs {
            cluster.add_job(Job::elastic(1..=2).gpus_per_worker(1 + gang % 4)).unwrap();
        }
        let mut bench = Bench::new(cluster);
        let steps = |bench: &Bench| bench.placer.idle.steps + bench.placer.reachable.steps;
        let before = steps(&bench);
        let mut workers = 0;
        for gang in (0..gangs).map(JobId::new) {
            if bench.start(gang) {
                workers += 1 + bench.grow(gang, v100, 1);
            }
        }
        assert!(workers > servers);
        (steps(&bench) - before) as f64 / f64::from(workers)
    };
    let (small, large) = (work(100), work(10_000));
    assert!(large < small * 1.1 && large < 16.0, "{small} and {large} steps a worker");
}

#[test]
fn a_server_that_changes_its_pool_in_the_epoch_counts_in_the_new_pool() {
    let (mut cluster, v100) = plain(&[8], &[8]);
    cluster.add_server(Server::inference(v100, 4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.placer.idle_gpus(v100), 16);
    let pools = [Pool::Training, Pool::Inference, Pool::OnLoan];
    bench.placer.rebuild(bench.cluster.inventory(), &bench.occupancy, &pools);
    assert_eq!(bench.placer.idle_gpus(v100), 12);
    assert!(bench.placer.fits_in_pool(v100, Pool::OnLoan, 4, 1));
    assert!(!bench.placer.fits_in_pool(v100, Pool::OnLoan, 8, 1));
    assert!(!bench.placer.fits_in_pool(v100, Pool::Inference, 1, 1));
    // A list that is too short leaves the rest to inference.
    bench.placer.rebuild(bench.cluster.inventory(), &bench.occupancy, &pools[..1]);
    assert_eq!(bench.placer.idle_gpus(v100), 8);
}

#[test]
fn refresh_takes_up_changes_by_another_hand() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let job = occupy(&mut cluster, &[(0, 8)]);
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.placer.idle_gpus(v100), 0);
    bench.occupancy.release(job, 1);
    bench.placer.refresh(bench.cluster.inventory(), &bench.occupancy, ServerId::new(0));
    assert_eq!(bench.placer.idle_gpus(v100), 8);
    bench.check();
}
