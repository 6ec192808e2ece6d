//! Starting a job: its whole base gang finds a place, or nothing changes.

use super::index::Group;
use super::placer::{ON_LOAN_FIRST, Placer, Reach, TRAINING_FIRST};
use crate::cluster::{Inventory, Job, Occupancy, Pool, Role};
use crate::id::{GpuTypeId, JobId};
use crate::units::Speed;

/// The groups of servers that base workers try, in this order. On an on-loan server they keep away from flexible
/// workers as long as they can, so that those servers can be given back without a preemption.
fn base_groups(pool: Pool) -> &'static [Group] {
    match pool {
        Pool::OnLoan => &[Group::Base, Group::Empty, Group::Flexible],
        Pool::Training | Pool::Inference => &[Group::Base, Group::Empty],
    }
}

/// The pools that the base workers of a job try, in this order.
fn base_pools(job: &Job) -> [Pool; 2] {
    if job.is_elastic() && !job.is_heterogeneous() { ON_LOAN_FIRST } else { TRAINING_FIRST }
}

/// The part of the cluster that a gang goes to.
#[derive(Clone, Copy)]
struct Scope {
    pools: [Pool; 2],
    /// How many of the pools, from the first.
    used: usize,
    reach: Reach,
}

impl Scope {
    fn pools(&self) -> &[Pool] {
        &self.pools[..self.used]
    }
}

impl Placer {
    /// Places the whole base gang of a waiting job, or nothing. `false` where it does not fit, or the job does not wait.
    ///
    /// The first of these that holds the gang is taken: one GPU type in one pool, without displacing flexible workers,
    /// then with; one GPU type over both pools, without displacing, then with; for a heterogeneous job, several types in
    /// the training pool, then in both. Types are tried from fast to slow, then by id.
    pub(crate) fn start(&mut self, inventory: &Inventory, occupancy: &mut Occupancy, job: JobId) -> bool {
        self.start_within(inventory, occupancy, job, &[Reach::Idle, Reach::Displacing])
    }

    /// The same, but nobody is displaced.
    pub(crate) fn start_on_idle(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        job: JobId,
    ) -> bool {
        self.start_within(inventory, occupancy, job, &[Reach::Idle])
    }

    fn start_within(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        id: JobId,
        reaches: &[Reach],
    ) -> bool {
        let Some(job) = inventory.job(id).filter(|_| !occupancy.is_running(id)) else { return false };
        self.sections.allowed(&job.gpu_types, &mut self.allowed);
        let gpus = job.gpus_per_worker;
        if let Some((gpu_type, speed, scope)) = self.one_type(job, reaches) {
            self.fill(inventory, occupancy, gpu_type, scope, gpus, job.min_workers_on(speed));
        } else if let Some(scope) = self.several_types(job, reaches) {
            for at in 0..self.mix.len() {
                let (gpu_type, workers) = self.mix[at];
                self.fill(inventory, occupancy, gpu_type, scope, gpus, workers);
            }
        } else {
            return false;
        }
        self.settle(occupancy, id, Role::Base, gpus);
        true
    }

    /// The first GPU type and part of the cluster that can hold the gang.
    fn one_type(&self, job: &Job, reaches: &[Reach]) -> Option<(GpuTypeId, Speed, Scope)> {
        let [first, second] = base_pools(job);
        let find = |pools, used, reach| {
            let scope = Scope { pools, used, reach };
            let fits = |&&(gpu_type, speed): &&(GpuTypeId, Speed)| {
                let slots = self.slots(reach, gpu_type, scope.pools(), job.gpus_per_worker);
                slots >= job.min_workers_on(speed)
            };
            self.allowed.iter().find(fits).map(|&(gpu_type, speed)| (gpu_type, speed, scope))
        };
        // In the widest part first, since most gangs that wait in a full cluster fit nowhere.
        find([first, second], 2, *reaches.last()?)?;
        // Each pool alone, then both.
        let one_pool = [([first, second], 1), ([second, first], 1)];
        let both_pools = [([first, second], 2)];
        for tries in [&one_pool[..], &both_pools[..]] {
            for &reach in reaches {
                let mut found = tries.iter().filter_map(|&(pools, used)| find(pools, used, reach));
                if let Some(found) = found.next() {
                    return Some(found);
                }
            }
        }
        None
    }

    /// For a heterogeneous job: writes down how many workers of each type make up the gang, where several can.
    ///
    /// Workers on each type count as whole reference workers, so each type but the last gets as many workers as make up
    /// all the whole reference workers that it can hold, and the last as many as still miss.
    fn several_types(&mut self, job: &Job, reaches: &[Reach]) -> Option<Scope> {
        if !job.is_heterogeneous() {
            return None;
        }
        for used in [1, 2] {
            for &reach in reaches {
                let scope = Scope { pools: TRAINING_FIRST, used, reach };
                if self.mix_in(job, scope) {
                    return Some(scope);
                }
            }
        }
        None
    }

    fn mix_in(&mut self, job: &Job, scope: Scope) -> bool {
        self.mix.clear();
        let mut missing = u64::from(job.min_workers);
        let allowed = core::mem::take(&mut self.allowed);
        let has_training = |gpu_type| self.sections.of(gpu_type, Pool::Training).is_some();
        let (training, others) = (
            allowed.iter().filter(|entry| has_training(entry.0)),
            allowed.iter().filter(|entry| !has_training(entry.0)),
        );
        for &(gpu_type, speed) in training.chain(others) {
            let slots = self.slots(scope.reach, gpu_type, scope.pools(), job.gpus_per_worker);
            let whole = speed.reference_workers(slots).min(missing);
            // At most the job's minimum, so it fits.
            self.mix.push((gpu_type, speed.workers_for(whole as u32)));
            missing -= whole;
        }
        self.allowed = allowed;
        missing == 0
    }

    /// Gives servers to workers of one type: idle GPUs first, then GPUs of flexible workers, which a scope of idle GPUs has
    /// no need of, as its slots were counted.
    fn fill(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        gpu_type: GpuTypeId,
        scope: Scope,
        gpus: u32,
        workers: u64,
    ) {
        let mut left = workers;
        for reach in [Reach::Idle, Reach::Displacing] {
            for &pool in scope.pools() {
                let Some(&section) = self.sections.of(gpu_type, pool) else { continue };
                let make_room = |placer: &mut Self, server, wanted| {
                    placer.displace(inventory, occupancy, server, wanted);
                    placer.take(server, wanted, Role::Base);
                };
                left = self.choose(section, reach, base_groups(pool), gpus, left, make_room);
            }
        }
        debug_assert_eq!(left, 0, "the slots were counted before");
    }
}
