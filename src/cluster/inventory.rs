//! What there is: the definitions of GPU types, servers and jobs, and the rules that a placement must keep.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::{GpuType, Job, Occupancy, Placement, Pool, Role, Server};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::{Seconds, Speed};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inventory {
    pub(super) gpu_types: Vec<GpuType>,
    pub(super) speeds: Vec<Speed>,
    /// `None` where the server was removed.
    pub(super) servers: Vec<Option<Server>>,
    /// `None` where the job was removed.
    pub(super) jobs: Vec<Option<Job>>,
}

impl Inventory {
    pub(super) fn clear(&mut self) {
        self.gpu_types.clear();
        self.speeds.clear();
        self.servers.clear();
        self.jobs.clear();
    }

    pub(crate) fn server(&self, server: ServerId) -> Option<&Server> {
        self.servers.get(server.index())?.as_ref()
    }

    pub(crate) fn job(&self, job: JobId) -> Option<&Job> {
        self.jobs.get(job.index())?.as_ref()
    }

    pub(crate) fn speed(&self, gpu_type: GpuTypeId) -> Option<Speed> {
        self.speeds.get(gpu_type.index()).copied()
    }

    pub(crate) fn servers(&self) -> impl Iterator<Item = (ServerId, &Server)> {
        (0..).zip(&self.servers).filter_map(|(index, server)| Some((ServerId::new(index), server.as_ref()?)))
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = (JobId, &Job)> {
        (0..).zip(&self.jobs).filter_map(|(index, job)| Some((JobId::new(index), job.as_ref()?)))
    }

    pub(crate) fn gpu_type_ids(&self) -> impl Iterator<Item = GpuTypeId> + use<> {
        (0..self.gpu_types.len() as u32).map(GpuTypeId::new)
    }

    /// The pool of each server by server id; a removed server is left to inference.
    pub(crate) fn pools(&self) -> impl Iterator<Item = Pool> {
        self.servers.iter().map(|server| server.map_or(Pool::Inference, |server| server.pool))
    }

    /// How many job ids have been given out.
    pub(crate) fn job_slots(&self) -> usize {
        self.jobs.len()
    }

    /// The workers of some placements, counted by GPU type.
    pub(crate) fn tally<'a>(&self, placements: impl IntoIterator<Item = &'a Placement>) -> Tally {
        let mut tally = Tally::default();
        for placement in placements {
            if let Some(server) = self.server(placement.server) {
                tally.add(server.gpu_type, self.speeds[server.gpu_type.index()], placement.workers);
            }
        }
        tally
    }

    /// Turns flexible workers into base workers until the base holds the job's minimum again: on servers that host base
    /// workers of the job first, then on the servers with the lowest ids.
    pub(crate) fn fill_base(&self, occupancy: &mut Occupancy, id: JobId, job: &Job) {
        let base = |p: &&Placement| p.role == Role::Base;
        let mut tally = self.tally(occupancy.placements(id).iter().filter(base));
        for beside_base in [true, false] {
            if tally.reference_workers() >= u64::from(job.min_workers) {
                return;
            }
            // A promotion changes the list, but only on its own server: the walk goes by server.
            let mut next = ServerId::new(0);
            while let Some(&Placement { server, workers, .. }) = {
                let placements = occupancy.placements(id);
                let from = placements.partition_point(|p| p.server < next);
                placements[from..].iter().find(|p| p.role == Role::Flexible)
            } {
                next = ServerId::new(server.get().saturating_add(1));
                if (occupancy.workers(id, server, Role::Base) > 0) != beside_base {
                    continue;
                }
                let Some(gpu_type) = self.server(server).map(|server| server.gpu_type) else { return };
                let speed = self.speeds[gpu_type.index()];
                let mut moved = 0;
                while moved < workers && tally.reference_workers() < u64::from(job.min_workers) {
                    tally.add(gpu_type, speed, 1);
                    moved += 1;
                }
                if moved == 0 {
                    return;
                }
                occupancy.promote(id, server, moved, job.gpus_per_worker);
            }
        }
    }
}

/// Workers counted by GPU type. A job mostly has one type, so the list is short; up to four it needs no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(SmallVec<[(GpuTypeId, Speed, u64); 4]>);

impl Tally {
    pub(crate) fn add(&mut self, gpu_type: GpuTypeId, speed: Speed, workers: u32) {
        match self.0.iter_mut().find(|entry| entry.0 == gpu_type) {
            Some(entry) => entry.2 += u64::from(workers),
            None => self.0.push((gpu_type, speed, u64::from(workers))),
        }
    }

    /// Takes workers of a type that the tally holds.
    pub(crate) fn remove(&mut self, gpu_type: GpuTypeId, workers: u32) {
        if let Some(entry) = self.0.iter_mut().find(|entry| entry.0 == gpu_type) {
            entry.2 -= u64::from(workers);
        }
    }

    /// The workers of one type.
    pub(crate) fn workers(&self, gpu_type: GpuTypeId) -> u64 {
        self.0.iter().find(|entry| entry.0 == gpu_type).map_or(0, |entry| entry.2)
    }

    /// The whole reference workers that these make up: the sum over the types of what each type makes up alone.
    pub(crate) fn reference_workers(&self) -> u64 {
        self.0.iter().map(|&(_, speed, workers)| speed.reference_workers(workers)).sum()
    }

    /// The fewest reference workers that can be left when one worker leaves.
    pub(crate) fn reference_workers_without_one(&self) -> u64 {
        let all = self.reference_workers();
        let largest_loss =
            self.0.iter().filter(|&&(_, _, workers)| workers > 0).map(|&(_, speed, workers)| {
                speed.reference_workers(workers) - speed.reference_workers(workers - 1)
            });
        all - largest_loss.max().unwrap_or(0)
    }

    /// The most workers, up to `slots`, that can be added on a type so that each brings a whole reference worker nearer
    /// and the job stays within its maximum: none is added that makes up no further reference worker.
    pub(crate) fn useful_workers(
        &self,
        gpu_type: GpuTypeId,
        speed: Speed,
        slots: u64,
        max_workers: u32,
    ) -> u32 {
        let present = self.workers(gpu_type);
        let here = speed.reference_workers(present);
        let room = u64::from(max_workers).saturating_sub(self.reference_workers());
        let reference = (speed.reference_workers(present + slots) - here).min(room);
        if reference == 0 {
            return 0;
        }
        // At most 2^20 reference workers and 1,000 workers for each, so both fit.
        (speed.workers_for((here + reference) as u32).saturating_sub(present)) as u32
    }

    /// The time to the end of a job that holds these workers.
    pub(crate) fn time_to_end(&self, job: &Job) -> Seconds {
        let workers = self.reference_workers().min(u64::from(job.max_workers)) as u32;
        let efficiency = if self.mixed().is_some() { job.mixing_efficiency.unwrap_or(1.0) } else { 1.0 };
        Seconds(job.running_time(workers).0 / efficiency)
    }

    /// The first two types that both hold workers.
    pub(crate) fn mixed(&self) -> Option<(GpuTypeId, GpuTypeId)> {
        let mut types = self.0.iter().filter(|entry| entry.2 > 0).map(|entry| entry.0);
        Some((types.next()?, types.next()?))
    }

    /// Whether these are enough for `wanted` reference workers, and no more than enough: some worker is needed.
    pub(crate) fn is_just(&self, wanted: u32) -> bool {
        self.reference_workers() >= u64::from(wanted)
            && self.reference_workers_without_one() < u64::from(wanted)
    }

    /// Whether these are more than enough for `wanted` reference workers: any worker could leave.
    pub(crate) fn exceeds(&self, wanted: u32) -> bool {
        self.reference_workers_without_one() >= u64::from(wanted)
    }
}
