//! Equal jobs keep what they have: a solver that breaks ties may give one job what another, equal one holds.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Target;
use super::worth::Unit;
use crate::cluster::{Inventory, Job};

/// Takes needless exchanges out of the targets of jobs on one GPU type, with the memory that it uses again.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges {
    /// Targets that change something, equal jobs side by side and, among them, in ascending order of workers held.
    changing: Vec<usize>,
    /// What a group of equal jobs is to hold, in ascending order.
    wanted: Vec<u32>,
    /// What of it no job of the group holds already, and the jobs that hold something else.
    unmatched: Vec<u32>,
    movers: Vec<usize>,
}

impl Exchanges {
    /// Among equal jobs it does not matter which holds how many workers. So those that hold what one of them is to hold
    /// keep it, and the others share the rest in ascending order. The value of the whole stays what it is.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n targets that change something.
    pub(super) fn undo(&mut self, inventory: &Inventory, unit: Unit, targets: &mut [Target]) {
        let mut changing = core::mem::take(&mut self.changing);
        changing.clear();
        // Memory follows the number of jobs, not how many of them happen to change.
        changing.reserve(targets.len());
        self.wanted.clear();
        self.wanted.reserve(targets.len());
        self.unmatched.clear();
        self.unmatched.reserve(targets.len());
        self.movers.clear();
        self.movers.reserve(targets.len());
        changing.extend((0..targets.len()).filter(|&at| targets[at].workers != targets[at].held));
        let compare = |a: usize, b: usize| {
            inventory
                .job(targets[a].job)
                .zip(inventory.job(targets[b].job))
                .map_or(Ordering::Equal, |(a, b)| likeness(unit, a).cmp(&likeness(unit, b)))
        };
        changing
            .sort_unstable_by(|&a, &b| compare(a, b).then((targets[a].held, a).cmp(&(targets[b].held, b))));
        let mut groups = changing.as_slice();
        while let Some(&first) = groups.first() {
            let is_alike = |at: &usize| {
                let pair = inventory.job(targets[first].job).zip(inventory.job(targets[*at].job));
                pair.is_some_and(|(a, b)| likeness(unit, a) == likeness(unit, b) && a.scaling == b.scaling)
            };
            let length = groups.iter().take_while(|at| is_alike(at)).count().max(1);
            let (group, others) = groups.split_at(length);
            self.settle(group, targets);
            groups = others;
        }
        self.changing = changing;
    }

    fn settle(&mut self, group: &[usize], targets: &mut [Target]) {
        self.wanted.clear();
        self.wanted.extend(group.iter().map(|&at| targets[at].workers));
        self.wanted.sort_unstable();
        self.unmatched.clear();
        self.movers.clear();
        let mut wanted = self.wanted.iter().copied().peekable();
        for &at in group {
            let held = targets[at].held;
            while let Some(less) = wanted.next_if(|&workers| workers < held) {
                self.unmatched.push(less);
            }
            match wanted.next_if_eq(&held) {
                Some(workers) => targets[at].workers = workers,
                None => self.movers.push(at),
            }
        }
        self.unmatched.extend(wanted);
        for (&at, &workers) in self.movers.iter().zip(&self.unmatched) {
            targets[at].workers = workers;
        }
    }
}

/// What makes two jobs equal to phase 2, but for their scaling curves: jobs on one GPU type whose choices have the same
/// weights and values.
fn likeness(unit: Unit, job: &Job) -> (u64, u64, u32, u32, u32) {
    (unit.remaining(job), unit.resize_overhead(job), job.gpus_per_worker, job.min_workers, job.max_workers)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::cluster::{Cluster, GpuType};
    use crate::id::{GpuTypeId, JobId};
    use crate::scaling::ScalingCurve;

    #[test]
    fn only_equal_jobs_exchange_and_as_few_as_can_be_change() {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let plain = || Job::elastic(1..=9);
        let curved = || plain().scaling(ScalingCurve::Amdahl { serial: 0.5 });
        for job in [plain(), curved(), plain(), plain(), plain().gpus_per_worker(2), curved()] {
            cluster.add_job(job).unwrap();
        }
        // (job, held, wanted)
        let undone = |list: &[(u32, u32, u32)]| -> Vec<u32> {
            let target = |&(job, held, workers): &(u32, u32, u32)| Target {
                job: JobId::new(job),
                gpu_type: GpuTypeId::new(0),
                workers,
                held,
            };
            let mut targets: Vec<Target> = list.iter().map(target).collect();
            Exchanges::default().undo(cluster.inventory(), Unit::default(), &mut targets);
            targets.iter().map(|target| target.workers).collect()
        };
        // Jobs 0, 2 and 3 are equal: what they hold is 0, 1, 2 and what they are to hold is 1, 2, 3, so one grows by 3.
        assert_eq!(undone(&[(0, 0, 1), (2, 1, 2), (3, 2, 3)]), [3, 1, 2]);
        // Job 4 has larger workers, so it exchanges with none of them.
        assert_eq!(undone(&[(0, 0, 1), (4, 1, 0)]), [1, 0]);
        assert_eq!(undone(&[(0, 5, 2), (2, 2, 5), (4, 1, 3)]), [5, 2, 3]);
        // What can't be kept goes in ascending order.
        assert_eq!(undone(&[(0, 4, 7), (2, 3, 9)]), [9, 7]);
        assert_eq!(undone(&[]), [] as [u32; 0]);
    }
}
