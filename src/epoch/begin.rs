//! Phase 1 carried out: start waiting jobs, shortest first.

use alloc::vec::Vec;
use core::cmp::Reverse;

use super::working::Working;
use crate::allocate::Queue;
use crate::cluster::{Inventory, Occupancy};
use crate::id::JobId;
use crate::place::Placer;

/// Phase 1, with the memory that it uses again.
#[derive(Clone, Debug, Default)]
pub(super) struct GangStarts {
    queue: Queue,
    chosen: Vec<JobId>,
    /// The chosen jobs with their size and their place among the chosen, which is what they are packed by.
    packed: Vec<(Reverse<u32>, usize, JobId)>,
    before: Occupancy,
}

impl GangStarts {
    /// Starts the waiting jobs that fit, shortest first, and packs them best-fit decreasing.
    ///
    /// Who starts is decided shortest first, each gang placed for real. Those jobs are then placed once more in
    /// decreasing order of GPUs a worker, which leaves fewer fragments; if that order loses one of them, the first
    /// placement stands. At last all that still wait are offered what is left. So no job waits that could start, and the
    /// cost is three walks through the queue at most.
    pub(super) fn run(&mut self, inventory: &Inventory, working: &mut Working, placer: &mut Placer) {
        self.queue.fill(inventory, &working.occupancy);
        self.before.copy(&working.occupancy, inventory);
        self.chosen.clear();
        offer(&self.queue, inventory, &mut working.occupancy, placer, &mut self.chosen);
        self.pack(inventory, working, placer);
    }

    fn pack(&mut self, inventory: &Inventory, working: &mut Working, placer: &mut Placer) {
        let size = |job: JobId| Reverse(inventory.job(job).map_or(0, |job| job.gpus_per_worker));
        if self.chosen.is_sorted_by_key(|&job| size(job)) {
            return;
        }
        self.packed.clear();
        self.packed.extend(self.chosen.iter().enumerate().map(|(place, &job)| (size(job), place, job)));
        self.packed.sort_unstable();
        placer.rebuild(inventory, &self.before, &working.pools);
        let all_start = self.packed.iter().all(|&(_, _, job)| placer.start(inventory, &mut self.before, job));
        if all_start {
            core::mem::swap(&mut working.occupancy, &mut self.before);
            offer(&self.queue, inventory, &mut working.occupancy, placer, &mut self.chosen);
        } else {
            placer.rebuild(inventory, &working.occupancy, &working.pools);
        }
    }
}

/// Offers each job of the queue that still waits what is left, in order, and lists those that start.
fn offer(
    queue: &Queue,
    inventory: &Inventory,
    occupancy: &mut Occupancy,
    placer: &mut Placer,
    started: &mut Vec<JobId>,
) {
    for job in queue.jobs() {
        if !occupancy.is_running(job) && placer.start(inventory, occupancy, job) {
            started.push(job);
        }
    }
}
