//! The answer of an epoch: what to do, in order, and how good it is known to be.

use alloc::vec::Vec;
use core::fmt;

use super::Action;
use crate::certificate::Certificate;
use crate::id::GpuTypeId;
use crate::reclaim::Reclaim;
use crate::units::Seconds;

/// How well the spare GPUs of one type were given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AllocationCertificate {
    /// The GPU type.
    pub gpu_type: GpuTypeId,
    /// GPUs of the type that base workers do not hold: what there was to give.
    pub capacity: u64,
    /// The elastic jobs among which it was given: running or just started on this type.
    pub jobs: u32,
    /// The reduction in job completion time that the flexible workers bring, in milliseconds, each job's multiplied by
    /// its weight; and the most that any allocation of the capacity could bring, resize overheads counted.
    pub certificate: Certificate,
}

/// The cluster before and after a plan, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Totals {
    /// Jobs that wait, before.
    pub waiting_before: u32,
    /// Jobs that wait, after.
    pub waiting_after: u32,
    /// Jobs that run, before.
    pub running_before: u32,
    /// Jobs that run, after.
    pub running_after: u32,
    /// GPUs that training may use, before.
    pub gpus_before: u64,
    /// GPUs that training may use, after.
    pub gpus_after: u64,
    /// GPUs that workers hold, before.
    pub busy_before: u64,
    /// GPUs that workers hold, after.
    pub busy_after: u64,
    /// How much sooner the jobs that run before end, all told, for the flexible workers they hold, in seconds.
    pub jct_reduction_before: Seconds,
    /// How much sooner the jobs that run after the plan end, all told, for the flexible workers they then hold: the sum
    /// of T(minimum) − T(workers held), not weighted, in seconds.
    pub jct_reduction_after: Seconds,
}

/// What to do with the cluster now: an ordered list of actions, and how good each decision behind it is known to be.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    pub(crate) actions: Vec<Action>,
    pub(crate) reclaim: Reclaim,
    pub(crate) allocations: Vec<AllocationCertificate>,
    pub(crate) totals: Totals,
}

impl Plan {
    /// The steps, in the order in which they must be carried out: preempt, scale in, return, lend, start, scale out,
    /// keep. Within a kind they ascend by job and server.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Whether the plan changes nothing: it has no step, or only [`Action::Keep`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.actions.iter().any(Action::is_change)
    }

    /// Which servers go back, and what that costs.
    #[must_use]
    pub fn reclaim(&self) -> &Reclaim {
        &self.reclaim
    }

    /// How well the spare GPUs of each type were given out, in ascending order of types.
    #[must_use]
    pub fn allocations(&self) -> &[AllocationCertificate] {
        &self.allocations
    }

    /// The cluster before and after, in numbers.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn clear(&mut self) {
        self.actions.clear();
        self.reclaim.clear();
        self.allocations.clear();
        self.totals = Totals::default();
    }
}

impl fmt::Display for Plan {
    /// One line for each step that changes something, in order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for action in self.actions.iter().filter(|action| action.is_change()) {
            write!(f, "{separator}{action}")?;
            separator = "\n";
        }
        Ok(())
    }
}
