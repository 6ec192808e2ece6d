//! Shortest job first.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, View, marginal};
use crate::epoch::Action;
use crate::id::JobId;

/// Shortest job first (SJF): waiting jobs start in ascending order of their estimated running time with the workers that
/// they request. Those that do not fit are passed over. Nobody is preempted.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::ShortestFirst;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// let jobs = [30.0, 20.0, 10.0].map(|time| TraceJob::new(Job::inelastic(8).remaining(Seconds(time))));
/// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut ShortestFirst::new())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [60.0, 30.0, 10.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShortestFirst {
    order: Vec<JobId>,
    memory: DraftMemory,
}

impl ShortestFirst {
    /// Shortest job first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = ShortestFirst::new();
    /// assert_eq!((policy.name(), policy.sizes(), policy.suspends()), ("SJF", Sizes::Requested, false));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Policy for ShortestFirst {
    fn name(&self) -> &str {
        "SJF"
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.order.clear();
        marginal::waiting_shortest_first(view, &mut self.order);
        let mut draft = self.memory.begin(view);
        for &job in &self.order {
            draft.start(job);
        }
        draft.finish(actions);
        Ok(())
    }
}
