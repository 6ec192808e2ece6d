//! The state of placement while a decision is made: free GPUs, indexed, and kept up to date at each step.

use alloc::vec::Vec;

use super::index::{Group, ServerIndex};
use super::sections::{Section, Sections};
use crate::cluster::{Inventory, Job, Occupancy, Placement, Pool, Role};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::Speed;

/// Which GPUs a gang may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those that are free.
    Idle,
    /// Those that are free, and those that flexible workers hold, which then leave.
    Displacing,
}

/// What the placer knows of a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// `None` where training may not use the server.
    pub(super) home: Option<(GpuTypeId, Pool)>,
    gpus: u32,
    pub(super) free: u32,
    /// GPUs that flexible workers hold.
    pub(super) flexible: u32,
}

const ABSENT: State = State { home: None, gpus: 0, free: 0, flexible: 0 };

/// Places workers on a working copy of the books, and keeps free GPUs indexed while it does.
///
/// Fill it with [`rebuild`](Self::rebuild), then [`start`](Self::start) gangs, [`grow`](Self::grow) and
/// [`shrink`](Self::shrink) running jobs. Where the books are changed by another hand, call
/// [`refresh`](Self::refresh) for each server touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placer {
    pub(super) sections: Sections,
    pub(super) states: Vec<State>,
    /// Servers by the GPUs that are free.
    pub(super) idle: ServerIndex,
    /// Servers by the GPUs that are free or held by flexible workers.
    pub(super) reachable: ServerIndex,
    /// Workers that were given a server and are not in the books yet.
    pub(super) chosen: Vec<(ServerId, u32)>,
    /// The types that the job at hand may use.
    pub(super) allowed: Vec<(GpuTypeId, Speed)>,
    /// The workers of each type that make up a mixed gang.
    pub(super) mix: Vec<(GpuTypeId, u64)>,
    /// Flexible workers that could leave the server at hand.
    pub(super) victims: Vec<super::displace::Victim>,
}

impl Placer {
    /// Indexes the free GPUs of a cluster anew.
    ///
    /// `pools` holds the pool of each server, by index; a server beyond its end counts as one of inference.
    ///
    /// # Complexity
    ///
    /// O(servers + workers' placements + buckets); no allocation where a cluster of this shape was indexed before.
    pub(crate) fn rebuild(&mut self, inventory: &Inventory, occupancy: &Occupancy, pools: &[Pool]) {
        self.sections.rebuild(inventory, pools);
        self.states.clear();
        for (id, server) in inventory.servers() {
            let pool = pools.get(id.index()).copied().filter(|pool| pool.is_for_training());
            self.states.resize(id.index(), ABSENT);
            self.states.push(State {
                home: pool.map(|pool| (server.gpu_type, pool)),
                gpus: server.gpus,
                free: 0,
                flexible: 0,
            });
        }
        self.idle.reset(&self.sections, self.states.len());
        self.reachable.reset(&self.sections, self.states.len());
        // From the highest id down, so that the lowest comes first in its bucket.
        for server in (0..self.states.len() as u32).rev() {
            self.refresh(inventory, occupancy, ServerId::new(server));
        }
    }

    /// Reads the free GPUs and the tenants of a server from the books again.
    pub(crate) fn refresh(&mut self, inventory: &Inventory, occupancy: &Occupancy, server: ServerId) {
        let Some(state) = self.states.get_mut(server.index()) else { return };
        let flexible = occupancy.tenants(server).iter().filter(|tenant| tenant.role == Role::Flexible);
        let held = |job| inventory.job(job).map_or(0, |job| job.gpus_per_worker);
        state.flexible = flexible.map(|tenant| tenant.workers * held(tenant.job)).sum();
        state.free = occupancy.free(server);
        self.index(server);
    }

    /// Puts a server into the buckets that its state calls for.
    pub(super) fn index(&mut self, server: ServerId) {
        let state = self.states[server.index()];
        let Some((gpu_type, pool)) = state.home else { return };
        let Some(&section) = self.sections.of(gpu_type, pool) else { return };
        let group = if state.free == state.gpus {
            Group::Empty
        } else if pool == Pool::OnLoan && state.free + state.flexible == state.gpus {
            Group::Flexible
        } else {
            Group::Base
        };
        self.idle.set(&section, server.get(), group, state.free);
        self.reachable.set(&section, server.get(), group, state.free + state.flexible);
    }

    pub(super) fn level(&mut self, reach: Reach) -> &mut ServerIndex {
        match reach {
            Reach::Idle => &mut self.idle,
            Reach::Displacing => &mut self.reachable,
        }
    }

    /// The sum of a measure over the sections of a type in these pools.
    fn sum(&self, gpu_type: GpuTypeId, pools: &[Pool], measure: impl Fn(&Section) -> u64) -> u64 {
        pools.iter().filter_map(|&pool| self.sections.of(gpu_type, pool)).map(measure).sum()
    }

    /// How many workers of a type fit into these pools.
    pub(super) fn slots(&self, reach: Reach, gpu_type: GpuTypeId, pools: &[Pool], gpus: u32) -> u64 {
        self.sum(gpu_type, pools, |section| match reach {
            Reach::Idle => self.idle.slots(section, gpus),
            Reach::Displacing => self.reachable.slots(section, gpus),
        })
    }

    /// How many workers with so many GPUs each fit into idle GPUs of a type, over both pools.
    pub(crate) fn idle_slots(&self, gpu_type: GpuTypeId, gpus_per_worker: u32) -> u64 {
        self.slots(Reach::Idle, gpu_type, &ON_LOAN_FIRST, gpus_per_worker)
    }

    /// The reference workers of a job for which idle GPUs have room: on the type with the most room, or over all allowed
    /// types where the job may mix them.
    pub(crate) fn idle_reference_slots(&mut self, job: &Job) -> u64 {
        self.sections.allowed(&job.gpu_types, &mut self.allowed);
        let slots = self.allowed.iter().map(|&(gpu_type, speed)| {
            speed.reference_workers(self.idle_slots(gpu_type, job.gpus_per_worker))
        });
        if job.is_heterogeneous() { slots.sum() } else { slots.max().unwrap_or(0) }
    }

    /// GPUs of the largest server that a job may use, or `None` where there is none.
    pub(crate) fn largest_server(&mut self, job: &Job) -> Option<u32> {
        self.sections.allowed(&job.gpu_types, &mut self.allowed);
        let Self { sections, allowed, .. } = &*self;
        let largest = |gpu_type, pool| sections.of(gpu_type, pool).map(|section| section.largest);
        let types = allowed.iter().map(|entry| entry.0);
        types.flat_map(|gpu_type| ON_LOAN_FIRST.map(|pool| largest(gpu_type, pool))).flatten().max()
    }

    /// The idle GPUs of a type, over both pools.
    pub(crate) fn idle_gpus(&self, gpu_type: GpuTypeId) -> u64 {
        self.sum(gpu_type, &ON_LOAN_FIRST, |section| self.idle.gpus(section))
    }

    /// The GPUs of a type that are idle or held by flexible workers, over both pools.
    pub(crate) fn reachable_gpus(&self, gpu_type: GpuTypeId) -> u64 {
        self.sum(gpu_type, &ON_LOAN_FIRST, |section| self.reachable.gpus(section))
    }

    /// Gives servers of one section to workers, until all have one or none fits any more. Returns how many have none.
    ///
    /// The workers are in the index at once, and in the books after [`settle`](Self::settle).
    pub(super) fn choose(
        &mut self,
        section: Section,
        reach: Reach,
        groups: &[Group],
        gpus: u32,
        mut workers: u64,
        mut make_room: impl FnMut(&mut Self, ServerId, u32),
    ) -> u64 {
        while workers > 0 {
            let Some(server) = self.level(reach).best_fit(&section, groups, gpus, workers) else { break };
            let server = ServerId::new(server);
            let state = self.states[server.index()];
            let room = match reach {
                Reach::Idle => state.free,
                Reach::Displacing => state.free + state.flexible,
            };
            // A server has at most 1,024 GPUs, so neither number is above that.
            let taken = u64::from(room / gpus).min(workers) as u32;
            make_room(self, server, taken * gpus);
            self.chosen.push((server, taken));
            workers -= u64::from(taken);
        }
        workers
    }

    /// Takes free GPUs of a server.
    pub(super) fn take(&mut self, server: ServerId, gpus: u32, role: Role) {
        let state = &mut self.states[server.index()];
        state.free -= gpus;
        if role == Role::Flexible {
            state.flexible += gpus;
        }
        self.index(server);
    }

    /// Enters the chosen workers into the books.
    pub(super) fn settle(&mut self, occupancy: &mut Occupancy, job: JobId, role: Role, gpus_per_worker: u32) {
        // In ascending order each lands at the end of the job's list, so that the list is not shifted for each.
        self.chosen.sort_unstable();
        for &(server, workers) in &self.chosen {
            let placement = match role {
                Role::Base => Placement::base(server, workers),
                Role::Flexible => Placement::flexible(server, workers),
            };
            occupancy.attach(job, placement, gpus_per_worker);
        }
        self.chosen.clear();
    }
}

pub(super) const TRAINING_FIRST: [Pool; 2] = [Pool::Training, Pool::OnLoan];
pub(super) const ON_LOAN_FIRST: [Pool; 2] = [Pool::OnLoan, Pool::Training];
