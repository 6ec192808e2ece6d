//! A cluster with its books in work and a placer over them, checked against plain sums.

mod random;
mod rules;

use alloc::vec::Vec;

use oorandom::Rand32;

use super::Placer;
use super::placer::Reach;
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
    /// What the placer says fits, flexible workers displaced.
    fn placer_slots(&self, gpu_type: GpuTypeId, pools: &[Pool], gpus_per_worker: u32) -> u64 {
        self.placer.slots(Reach::Displacing, gpu_type, pools, gpus_per_worker)
    }

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
                assert_eq!(self.placer_slots(id, &[Pool::OnLoan, Pool::Training], per_worker), reachable);
                assert_eq!(again.idle_slots(id, per_worker), idle);
                for pool in [Pool::Training, Pool::OnLoan] {
                    let fit = self.slots_in(id, &[pool], per_worker, true);
                    assert_eq!(self.placer_slots(id, &[pool], per_worker), fit);
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

/// The flexible workers of the cluster that have left since: job, server, workers.
fn displaced(bench: &Bench) -> Vec<(u32, u32, u32)> {
    let mut displaced = Vec::new();
    for (job, _) in bench.cluster.jobs() {
        for before in bench.cluster.placements(job).iter().filter(|p| p.role == Role::Flexible) {
            let left = before.workers - bench.occupancy.workers(job, before.server, Role::Flexible);
            if left > 0 {
                displaced.push((job.get(), before.server.get(), left));
            }
        }
    }
    displaced
}
