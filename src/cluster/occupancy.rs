//! Who runs where, in both directions, in one canonical order.
//!
//! The lists are sorted, so two histories that lead to the same state give equal values, and no decision can depend on
//! the order of past changes. This file only keeps the books: the rules are in `inventory.rs`, the checked changes in
//! `change.rs`.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::{Inventory, Placement, Role, Tenant};
use crate::id::{JobId, ServerId};

/// The free GPUs and the tenants of one server.
#[derive(Debug, Default, PartialEq, Eq)]
struct Host {
    free: u32,
    /// Sorted by job, then role.
    tenants: SmallVec<[Tenant; 4]>,
}

/// The placements of one job, sorted by server, then role.
#[derive(Debug, Default, PartialEq, Eq)]
struct Gang(SmallVec<[Placement; 2]>);

impl Gang {
    /// Takes memory that is at hand, where so many placements need more than lie in the gang itself.
    fn make_room(&mut self, placements: usize, spare: &mut Vec<Self>) {
        if placements > self.0.inline_size()
            && !self.0.spilled()
            && let Some(mut larger) = spare.pop()
        {
            larger.0.extend_from_slice(&self.0);
            *self = larger;
        }
    }
}

// Written by hand, so that `clone_from` keeps the memory that it finds: an epoch copies the books of the whole cluster, and
// must not allocate when warm.
impl Clone for Host {
    fn clone(&self) -> Self {
        Self { free: self.free, tenants: self.tenants.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.free = source.free;
        self.tenants.clear();
        self.tenants.extend_from_slice(&source.tenants);
    }
}

impl Clone for Gang {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&source.0);
    }
}

/// A list whose entries keep their memory when it becomes shorter: those beyond its length are empty, and are used again.
#[derive(Debug, Default)]
struct Slots<T> {
    slots: Vec<T>,
    length: usize,
}

impl<T: Clone + Default> Slots<T> {
    fn live(&self) -> &[T] {
        &self.slots[..self.length]
    }

    /// A new last entry, which is empty.
    fn push(&mut self) -> &mut T {
        if self.length == self.slots.len() {
            self.slots.push(T::default());
        }
        self.length += 1;
        &mut self.slots[self.length - 1]
    }

    fn truncate(&mut self, length: usize) {
        let empty = T::default();
        for slot in &mut self.slots[length..self.length] {
            slot.clone_from(&empty);
        }
        self.length = length;
    }
}

impl<T: Clone + Default> Clone for Slots<T> {
    fn clone(&self) -> Self {
        Self { slots: self.live().to_vec(), length: self.length }
    }

    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.length.min(self.length));
        for _ in self.length..source.length {
            self.push();
        }
        self.slots.iter_mut().zip(source.live()).for_each(|(slot, from)| slot.clone_from(from));
    }
}

impl<T: Clone + Default + PartialEq> PartialEq for Slots<T> {
    fn eq(&self, other: &Self) -> bool {
        self.live() == other.live()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Occupancy {
    hosts: Slots<Host>,
    gangs: Slots<Gang>,
    /// Empty lists with memory of their own, left by jobs that are gone. The jobs after them have other ids, so without
    /// this each would need memory anew.
    spare: Vec<Gang>,
}

impl PartialEq for Occupancy {
    fn eq(&self, other: &Self) -> bool {
        self.hosts == other.hosts && self.gangs == other.gangs
    }
}

impl Eq for Occupancy {}

impl Clone for Occupancy {
    fn clone(&self) -> Self {
        Self { hosts: self.hosts.clone(), gangs: self.gangs.clone(), spare: Vec::new() }
    }
}

impl Occupancy {
    /// Becomes equal to these books of the inventory, and keeps the memory that it finds: that of jobs which are gone
    /// serves the jobs after them.
    pub(crate) fn copy(&mut self, source: &Self, inventory: &Inventory) {
        let Self { hosts, gangs, spare } = self;
        hosts.clone_from(&source.hosts);
        gangs.truncate(source.gangs.length.min(gangs.length));
        for (gang, id) in gangs.slots.iter_mut().zip(0..) {
            if gang.0.spilled() && inventory.job(JobId::new(id)).is_none() {
                gang.0.clear();
                spare.push(core::mem::take(gang));
            }
        }
        for _ in gangs.length..source.gangs.length {
            gangs.push();
        }
        // Room for all of them, so that a later copy need not make it.
        spare.reserve(gangs.slots.len().saturating_sub(spare.len()));
        for (gang, from) in gangs.slots.iter_mut().zip(source.gangs.live()) {
            gang.make_room(from.0.len(), spare);
            gang.clone_from(from);
        }
    }

    pub(super) fn clear(&mut self) {
        self.hosts.truncate(0);
        self.gangs.truncate(0);
    }

    pub(super) fn push_server(&mut self, gpus: u32) {
        self.hosts.push().free = gpus;
    }

    pub(super) fn push_job(&mut self) {
        self.gangs.push();
    }

    /// Forgets the free GPUs of a server that leaves the cluster.
    pub(super) fn retire_server(&mut self, server: ServerId) {
        self.hosts.slots[server.index()].free = 0;
    }

    pub(crate) fn free(&self, server: ServerId) -> u32 {
        self.hosts.live().get(server.index()).map_or(0, |host| host.free)
    }

    pub(crate) fn tenants(&self, server: ServerId) -> &[Tenant] {
        self.hosts.live().get(server.index()).map_or(&[], |host| &host.tenants)
    }

    pub(crate) fn placements(&self, job: JobId) -> &[Placement] {
        self.gangs.live().get(job.index()).map_or(&[], |gang| &gang.0)
    }

    pub(crate) fn is_running(&self, job: JobId) -> bool {
        !self.placements(job).is_empty()
    }

    /// The workers of one role that a job has on a server.
    pub(crate) fn workers(&self, job: JobId, server: ServerId, role: Role) -> u32 {
        let placements = self.placements(job);
        match placements.binary_search_by_key(&(server, role), |p| (p.server, p.role)) {
            Ok(at) => placements[at].workers,
            Err(_) => 0,
        }
    }

    /// Adds workers of a job to a server. The caller has checked that `workers · gpus_per_worker` GPUs are free there.
    pub(crate) fn attach(&mut self, job: JobId, placement: Placement, gpus_per_worker: u32) {
        self.join_host(job, placement, gpus_per_worker);
        let Placement { server, role, workers, pinned } = placement;
        let gang = &mut self.gangs.slots[job.index()];
        match gang.0.binary_search_by_key(&(server, role), |p| (p.server, p.role)) {
            Ok(at) => {
                gang.0[at].workers += workers;
                gang.0[at].pinned |= pinned;
            }
            Err(at) => {
                gang.make_room(gang.0.len() + 1, &mut self.spare);
                gang.0.insert(at, placement);
            }
        }
    }

    /// The same as [`attach`](Self::attach), but for the order of the job's own list, which [`settle`](Self::settle) sets
    /// right for all its new placements at once: one by one, a list in descending order would take quadratic time.
    pub(super) fn append(&mut self, job: JobId, placement: Placement, gpus_per_worker: u32) {
        self.join_host(job, placement, gpus_per_worker);
        self.gangs.slots[job.index()].0.push(placement);
    }

    /// Sorts the placements of a job, and makes one of those on one server in one role.
    pub(super) fn settle(&mut self, job: JobId) {
        let gang = &mut self.gangs.slots[job.index()].0;
        gang.sort_unstable_by_key(|placement| (placement.server, placement.role));
        gang.dedup_by(|next, kept| {
            let is_same = (next.server, next.role) == (kept.server, kept.role);
            if is_same {
                kept.workers += next.workers;
                kept.pinned |= next.pinned;
            }
            is_same
        });
    }

    /// Takes workers of a job from a server. The caller has checked that they are there.
    pub(crate) fn detach(
        &mut self,
        job: JobId,
        server: ServerId,
        role: Role,
        workers: u32,
        gpus_per_worker: u32,
    ) {
        self.leave_host(job, server, role, workers, gpus_per_worker);
        let gang = &mut self.gangs.slots[job.index()].0;
        if let Ok(at) = gang.binary_search_by_key(&(server, role), |p| (p.server, p.role)) {
            gang[at].workers -= workers;
            if gang[at].workers == 0 {
                gang.remove(at);
            }
        }
    }

    /// Takes all workers of a job from wherever they are.
    pub(crate) fn release(&mut self, job: JobId, gpus_per_worker: u32) {
        let mut gang = core::mem::take(&mut self.gangs.slots[job.index()]);
        for placement in &gang.0 {
            self.leave_host(job, placement.server, placement.role, placement.workers, gpus_per_worker);
        }
        gang.0.clear();
        self.gangs.slots[job.index()] = gang;
    }

    /// Takes all workers of a job from the servers that leave, in one walk through its placements.
    pub(crate) fn depart(&mut self, job: JobId, leaves: impl Fn(ServerId) -> bool, gpus_per_worker: u32) {
        let mut gang = core::mem::take(&mut self.gangs.slots[job.index()]);
        gang.0.retain(|placement| {
            let goes = leaves(placement.server);
            if goes {
                self.leave_host(job, placement.server, placement.role, placement.workers, gpus_per_worker);
            }
            !goes
        });
        self.gangs.slots[job.index()] = gang;
    }

    /// Turns flexible workers of a job on a server into base workers.
    pub(crate) fn promote(&mut self, job: JobId, server: ServerId, workers: u32, gpus_per_worker: u32) {
        // All that the job has there: its place in both lists stays, so nothing has to move.
        let gang = &mut self.gangs.slots[job.index()].0;
        let tenants = &mut self.hosts.slots[server.index()].tenants;
        if let Ok(at) = gang.binary_search_by_key(&(server, Role::Flexible), |p| (p.server, p.role))
            && let Ok(tenant) = tenants.binary_search_by_key(&(job, Role::Flexible), |t| (t.job, t.role))
            && gang[at].workers == workers
            && at.checked_sub(1).is_none_or(|before| gang[before].server != server)
        {
            gang[at].role = Role::Base;
            tenants[tenant].role = Role::Base;
            return;
        }
        self.detach(job, server, Role::Flexible, workers, gpus_per_worker);
        self.attach(job, Placement::base(server, workers), gpus_per_worker);
    }

    fn join_host(&mut self, job: JobId, placement: Placement, gpus_per_worker: u32) {
        let Placement { server, role, workers, .. } = placement;
        let host = &mut self.hosts.slots[server.index()];
        debug_assert!(u64::from(workers) * u64::from(gpus_per_worker) <= u64::from(host.free));
        host.free -= workers * gpus_per_worker;
        match host.tenants.binary_search_by_key(&(job, role), |t| (t.job, t.role)) {
            Ok(at) => host.tenants[at].workers += workers,
            Err(at) => host.tenants.insert(at, Tenant { job, role, workers }),
        }
    }

    fn leave_host(&mut self, job: JobId, server: ServerId, role: Role, workers: u32, gpus_per_worker: u32) {
        let host = &mut self.hosts.slots[server.index()];
        if let Ok(at) = host.tenants.binary_search_by_key(&(job, role), |t| (t.job, t.role)) {
            debug_assert!(workers <= host.tenants[at].workers);
            host.tenants[at].workers -= workers;
            host.free += workers * gpus_per_worker;
            if host.tenants[at].workers == 0 {
                host.tenants.remove(at);
            }
        }
    }
}
