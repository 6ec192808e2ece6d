//! A shadow model of a cluster: one map of who runs where, and everything counted anew for each question. It takes its
//! rules from the documentation of the crate, and its numbers in `u128`.

use std::collections::BTreeMap;

use aryl::cluster::{AllowedGpuTypes, Cluster, Job, Placement, Pool, Role, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};

use super::cluster::Change;

/// Workers, and whether they are pinned.
type Held = (u32, bool);

#[derive(Clone, Default)]
pub struct Model {
    /// The speed of each type, in lowest terms.
    speeds: Vec<(u32, u32)>,
    servers: Vec<Option<Server>>,
    jobs: Vec<Option<Job>>,
    held: BTreeMap<(JobId, ServerId, Role), Held>,
}

fn slot<T>(slots: &[Option<T>], index: usize) -> Option<&T> {
    slots.get(index)?.as_ref()
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Whether a time is a whole number of milliseconds from 0 to 2^53 - 1, after rounding.
fn is_time(seconds: f64) -> bool {
    (seconds * 1_000.0).round() >= 0.0 && (seconds * 1_000.0).round() < 9_007_199_254_740_992.0
}

impl Model {
    /// The model after a change, or nothing where the change must be refused.
    pub fn after(&self, change: &Change) -> Option<Self> {
        let mut after = self.clone();
        after.carry_out(change).then_some(after)
    }

    /// Whether the change can be made; the model is of no use any more where it can't.
    fn carry_out(&mut self, change: &Change) -> bool {
        match change {
            Change::AddGpuType(numerator, denominator) => self.add_gpu_type(*numerator, *denominator),
            Change::AddServer(server) => {
                self.servers.push(Some(*server));
                server.gpu_type.index() < self.speeds.len() && (1..=1_024).contains(&server.gpus)
            }
            Change::AddJob(job) => {
                self.jobs.push(Some(job.clone()));
                self.is_in_order(job)
            }
            Change::Place(job, gang) => {
                let waits = self.job(*job).is_some() && !self.runs(*job);
                waits && gang.iter().all(|placement| self.host(*job, placement)) && self.is_a_run(*job)
            }
            Change::ScaleOut(job, server, workers) => {
                self.runs(*job)
                    && self.host(*job, &Placement::flexible(*server, *workers))
                    && self.is_a_run(*job)
            }
            Change::ScaleIn(job, server, workers) => self.scale_in(*job, *server, *workers),
            Change::Stop(job) => {
                let ran = self.runs(*job);
                self.held.retain(|key, _| key.0 != *job);
                ran
            }
            Change::RemoveJob(job) => {
                self.held.retain(|key, _| key.0 != *job);
                self.jobs.get_mut(job.index()).is_some_and(|slot| slot.take().is_some())
            }
            Change::RemoveServer(server) => {
                let is_empty = !self.hosts(*server);
                let removed = self.servers.get_mut(server.index()).is_some_and(|slot| slot.take().is_some());
                is_empty && removed
            }
            Change::SetPool(server, pool) => {
                let may_leave = *pool != Pool::Inference || !self.hosts(*server);
                may_leave && self.server_mut(*server).map(|server| server.pool = *pool).is_some()
            }
            Change::Protect(server, protected) => {
                self.server_mut(*server).map(|server| server.protected = *protected).is_some()
            }
            Change::UpdateJob(job, definition) => self.update_job(*job, definition),
        }
    }

    pub fn job(&self, job: JobId) -> Option<&Job> {
        slot(&self.jobs, job.index())
    }

    fn server_mut(&mut self, server: ServerId) -> Option<&mut Server> {
        self.servers.get_mut(server.index())?.as_mut()
    }

    fn runs(&self, job: JobId) -> bool {
        self.held.keys().any(|key| key.0 == job)
    }

    fn hosts(&self, server: ServerId) -> bool {
        self.held.keys().any(|key| key.1 == server)
    }

    fn free(&self, server: ServerId) -> u128 {
        let Some(definition) = slot(&self.servers, server.index()) else { return 0 };
        let here = self.held.iter().filter(|(key, _)| key.1 == server);
        let used = here.map(|(key, held)| {
            u128::from(held.0) * u128::from(self.job(key.0).expect("a tenant").gpus_per_worker)
        });
        u128::from(definition.gpus) - used.sum::<u128>()
    }

    /// The workers of a job by GPU type.
    fn by_type(&self, job: JobId, base_only: bool) -> BTreeMap<GpuTypeId, u128> {
        let mut counts = BTreeMap::new();
        for (&(owner, server, role), &(workers, _)) in &self.held {
            if owner == job && (role == Role::Base || !base_only) {
                let gpu_type = slot(&self.servers, server.index()).expect("a host").gpu_type;
                *counts.entry(gpu_type).or_default() += u128::from(workers);
            }
        }
        counts
    }

    fn reference(&self, counts: &BTreeMap<GpuTypeId, u128>) -> u128 {
        let worth = |(gpu_type, workers): (&GpuTypeId, &u128)| {
            let (numerator, denominator) = self.speeds[gpu_type.index()];
            workers * u128::from(numerator) / u128::from(denominator)
        };
        counts.iter().map(worth).sum()
    }

    /// Whether any one of these workers could leave, and this many reference workers would be there still.
    fn any_could_leave(&self, counts: &BTreeMap<GpuTypeId, u128>, wanted: u32) -> bool {
        counts.keys().all(|gpu_type| {
            let mut others = counts.clone();
            *others.get_mut(gpu_type).expect("a type of its own") -= 1;
            self.reference(&others) >= wanted.into()
        })
    }

    fn allows(job: &Job, gpu_type: GpuTypeId) -> bool {
        match &job.gpu_types {
            AllowedGpuTypes::Any => true,
            AllowedGpuTypes::Reference => gpu_type.index() == 0,
            AllowedGpuTypes::Only(types) => types.contains(&gpu_type),
        }
    }

    /// Puts workers on a server, where they may be there.
    fn host(&mut self, job: JobId, placement: &Placement) -> bool {
        let Some(server) = slot(&self.servers, placement.server.index()) else { return false };
        let Some(definition) = self.job(job) else { return false };
        let gpus = u128::from(placement.workers) * u128::from(definition.gpus_per_worker);
        let may_be = placement.workers > 0
            && !(placement.pinned && placement.role == Role::Flexible)
            && server.pool != Pool::Inference
            && Self::allows(definition, server.gpu_type)
            && gpus <= self.free(placement.server);
        if may_be {
            self.put(job, placement);
        }
        may_be
    }

    fn put(&mut self, job: JobId, placement: &Placement) {
        let held = self.held.entry((job, placement.server, placement.role)).or_default();
        held.0 += placement.workers;
        held.1 |= placement.pinned;
    }

    fn take(&mut self, job: JobId, server: ServerId, role: Role, workers: u32) {
        let held = self.held.get_mut(&(job, server, role)).expect("workers to take");
        held.0 -= workers;
        if held.0 == 0 {
            self.held.remove(&(job, server, role));
        }
    }

    fn is_a_run(&self, job: JobId) -> bool {
        let Some(definition) = self.job(job) else { return false };
        let (base, all) = (self.by_type(job, true), self.by_type(job, false));
        (all.len() == 1 || definition.mixing_efficiency.is_some())
            && self.reference(&base) >= definition.min_workers.into()
            && !self.any_could_leave(&base, definition.min_workers)
            && !self.any_could_leave(&all, definition.max_workers)
    }

    fn add_gpu_type(&mut self, numerator: u32, denominator: u32) -> bool {
        if numerator == 0 || denominator == 0 {
            return false;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        let speed = (numerator / divisor, denominator / divisor);
        let is_first = self.speeds.is_empty();
        self.speeds.push(speed);
        speed.0 <= 1_000 && speed.1 <= 1_000 && (!is_first || speed == (1, 1))
    }

    fn is_in_order(&self, job: &Job) -> bool {
        let (remaining, weight) = (job.remaining.0, job.weight);
        let costs = self.jobs.iter().flatten().map(|job| u128::from(job.preemption_cost));
        let types_are_known = match &job.gpu_types {
            AllowedGpuTypes::Only(types) => {
                !types.is_empty() && types.iter().all(|gpu_type| gpu_type.index() < self.speeds.len())
            }
            _ => true,
        };
        (1..=job.max_workers).contains(&job.min_workers)
            && job.max_workers <= 1 << 20
            && (1..=1_024).contains(&job.gpus_per_worker)
            && types_are_known
            && (remaining > 0.0 && remaining.is_finite())
            && (weight > 0.0 && weight.is_finite())
            && is_time(remaining * weight)
            && job.mixing_efficiency.is_none_or(|efficiency| efficiency > 0.0 && efficiency <= 1.0)
            && costs.sum::<u128>() <= u64::MAX.into()
    }

    fn update_job(&mut self, id: JobId, definition: &Job) -> bool {
        let Some(old) = self.job(id).map(|job| job.gpus_per_worker) else { return false };
        self.jobs[id.index()] = Some(definition.clone());
        let mut hosts = self.by_type(id, false).into_keys();
        let fits = !self.runs(id)
            || (old == definition.gpus_per_worker
                && hosts.all(|gpu_type| Self::allows(definition, gpu_type))
                && self.is_a_run(id));
        self.is_in_order(definition) && fits
    }

    /// Flexible workers leave first. Then base workers do, where none of them is pinned, and flexible ones take their
    /// places: on servers that host base workers of the job first, then by the order of servers.
    fn scale_in(&mut self, job: JobId, server: ServerId, workers: u32) -> bool {
        let Some(min) = self.job(job).map(|job| job.min_workers) else { return false };
        let held = |model: &Self, role| model.held.get(&(job, server, role)).copied().unwrap_or_default();
        let (flexible, base) = (held(self, Role::Flexible).0, held(self, Role::Base).0);
        if workers == 0 || u64::from(workers) > u64::from(flexible) + u64::from(base) {
            return false;
        }
        let from_flexible = workers.min(flexible);
        if from_flexible > 0 {
            self.take(job, server, Role::Flexible, from_flexible);
        }
        if workers > from_flexible {
            if held(self, Role::Base).1 {
                return false;
            }
            self.take(job, server, Role::Base, workers - from_flexible);
            if self.reference(&self.by_type(job, false)) < min.into() {
                return false;
            }
        }
        while self.reference(&self.by_type(job, true)) < min.into() {
            let mine = || self.held.keys().filter(|key| key.0 == job);
            let flexible = || mine().filter(|key| key.2 == Role::Flexible).map(|key| key.1);
            let beside = flexible().find(|&host| mine().any(|key| key.1 == host && key.2 == Role::Base));
            let host = beside.or_else(|| flexible().next()).expect("enough workers are left");
            self.take(job, host, Role::Flexible, 1);
            self.put(job, &Placement::base(host, 1));
        }
        true
    }

    /// Panics where the cluster does not say what the model says, about every id there is and one beyond.
    pub fn assert_same(&self, cluster: &Cluster) {
        assert_eq!(cluster.gpu_types().count(), self.speeds.len());
        for (index, &(numerator, denominator)) in (0..).zip(&self.speeds) {
            let speed = cluster.speed(GpuTypeId::new(index)).expect("a type");
            assert_eq!((speed.numerator(), speed.denominator()), (numerator, denominator));
        }
        for server in (0..=self.servers.len() as u32).map(ServerId::new) {
            assert_eq!(cluster.server(server), slot(&self.servers, server.index()));
            assert_eq!(u128::from(cluster.free_gpus(server)), self.free(server), "{server}");
            let tenants =
                cluster.tenants(server).iter().map(|tenant| (tenant.job, tenant.role, tenant.workers));
            let mine = self.held.iter().filter(|(key, _)| key.1 == server);
            assert!(tenants.eq(mine.map(|(key, held)| (key.0, key.2, held.0))), "{server}");
        }
        for job in (0..=self.jobs.len() as u32).map(JobId::new) {
            assert_eq!(cluster.job(job), self.job(job));
            let said = cluster.placements(job).iter().map(|p| (p.server, p.role, (p.workers, p.pinned)));
            let mine = self.held.iter().filter(|(key, _)| key.0 == job);
            assert!(said.eq(mine.map(|(key, held)| (key.1, key.2, *held))), "{job}");
            assert_eq!(cluster.is_running(job), self.runs(job));
            let counts = self.by_type(job, false);
            assert_eq!(u128::from(cluster.workers(job)), counts.values().sum::<u128>());
            assert_eq!(u128::from(cluster.reference_workers(job)), self.reference(&counts));
        }
    }
}
