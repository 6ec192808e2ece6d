//! Elastic sharing by marginal gain in throughput.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, Sizes, View, marginal};
use crate::epoch::Action;
use crate::id::JobId;

/// AFS (apathetic future share): every job its minimum, the shortest first; then one worker at a time to the job whose
/// throughput gains most, relative to what it has and for each GPU.
///
/// With n workers a job of speed s(n) gains (s(n + 1) − s(n)) / s(n). Ties go to the shorter job. The split is made anew in
/// each epoch, and nobody is preempted. It is the form that the Aryl paper compares with (section 7).
///
/// What differs from the original: that plays a tournament for each GPU, in which the longer of two jobs is compared by its
/// gain relative to s(n + 1). That comparison is no order, and one worker costs O(jobs); this one costs O(log jobs).
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Afs;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Tables 2 and 3 of the Aryl paper: A and B get four workers each, 60 s and 30 s.
/// let jobs = [150.0, 60.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
/// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Afs::new())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [60.0, 30.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Hwang et al., *Elastic Resource Sharing for Distributed Deep Learning*, NSDI 2021, section 4.
#[derive(Clone, Debug, Default)]
pub struct Afs {
    order: Vec<JobId>,
    memory: DraftMemory,
}

impl Afs {
    /// The policy.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Afs::new();
    /// assert_eq!((policy.name(), policy.sizes(), policy.suspends()), ("AFS", Sizes::Elastic, false));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Policy for Afs {
    fn name(&self) -> &str {
        "AFS"
    }

    fn sizes(&self) -> Sizes {
        Sizes::Elastic
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.order.clear();
        marginal::active_shortest_first(view, &mut self.order);
        let mut draft = self.memory.begin(view);
        marginal::share(view, &mut draft, &self.order, true, |job, _, workers| {
            let (now, then) = (marginal::speed(job, workers), marginal::speed(job, workers + 1));
            (then - now) / now / f64::from(job.gpus_per_worker)
        });
        draft.finish(actions);
        Ok(())
    }
}
