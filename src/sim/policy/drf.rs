//! Dominant resource fairness.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, Sizes, View, marginal};
use crate::epoch::Action;
use crate::id::JobId;

/// Dominant resource fairness (DRF), filled progressively: every job its minimum in the order of submission, then one
/// worker at a time to the job that holds the fewest GPUs.
///
/// What differs from the original: a trace names no users, so each job is one; and there is one resource, GPUs, so the
/// dominant share is the share of the GPUs, and the policy is max-min fairness. A gang enters whole. A running job that
/// is not given its minimum, since one that was submitted earlier now fits, is stopped, and keeps its progress.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Drf;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Of 8 GPUs the first job, with 2 GPUs a worker, gets two workers, and the second four.
/// let first = TraceJob::new(Job::elastic(1..=4).gpus_per_worker(2).remaining(Seconds(100.0)));
/// let second = TraceJob::new(Job::elastic(1..=8).remaining(Seconds(200.0)));
/// let workload = Workload { jobs: vec![first, second], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Drf::new())?;
/// assert_eq!(report.jct().max, Seconds(50.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Ghodsi et al., *Dominant Resource Fairness: Fair Allocation of Multiple Resource Types*, NSDI 2011, section 4.
#[derive(Clone, Debug, Default)]
pub struct Drf {
    order: Vec<JobId>,
    memory: DraftMemory,
}

impl Drf {
    /// The policy.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Drf::new();
    /// assert_eq!((policy.name(), policy.sizes(), policy.suspends()), ("DRF", Sizes::Elastic, true));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Policy for Drf {
    fn name(&self) -> &str {
        "DRF"
    }

    fn sizes(&self) -> Sizes {
        Sizes::Elastic
    }

    fn suspends(&self) -> bool {
        true
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.order.clear();
        self.order.extend(view.cluster().jobs().map(|entry| entry.0));
        let mut draft = self.memory.begin(view);
        marginal::share(view, &mut draft, &self.order, false, |job, _, workers| {
            1.0 / marginal::gpus(job, workers) as f64
        });
        draft.finish(actions);
        Ok(())
    }
}
