//! First in, first out.

use alloc::string::String;
use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, View};
use crate::epoch::Action;

/// First in, first out: jobs start in the order in which they were submitted, with the workers that they request. The
/// baseline of the Aryl paper, on the training cluster alone.
///
/// The first job that does not fit holds up all that come after it. With backfill those are started where they fit: a
/// wide job may then wait for long, since no GPUs are kept for it. A preempted job keeps its place in the queue.
///
/// # Examples
///
/// One server of 8 GPUs. Job 0 takes 4, job 1 wants 8 and job 2 wants 4:
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Fifo;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// let jobs = [4, 8, 4].map(|gpus| TraceJob::new(Job::inelastic(gpus).remaining(Seconds(60.0))));
/// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let ends = |mut policy: Fifo| -> Result<Vec<f64>, Box<dyn std::error::Error>> {
///     let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
///     Ok(report.jobs.iter().map(|job| job.ended.0).collect())
/// };
/// assert_eq!(ends(Fifo::new())?, [60.0, 120.0, 180.0]);
/// assert_eq!(ends(Fifo::with_backfill())?, [60.0, 120.0, 60.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    backfill: bool,
    name: String,
    memory: DraftMemory,
}

impl Fifo {
    /// Stops at the first job that does not fit.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Fifo::new();
    /// assert_eq!((policy.name(), policy.sizes()), ("FIFO", Sizes::Requested));
    /// assert!(policy.loan_policy().is_none());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { name: "FIFO".into(), ..Self::default() }
    }

    /// Passes over jobs that do not fit.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Of 8 GPUs the first job takes 4, the second wants 8 and the third 4.
    /// let jobs = [4, 8, 4].map(|gpus| TraceJob::new(Job::inelastic(gpus).remaining(Seconds(60.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::with_backfill())?;
    /// assert_eq!(report.policy, "FIFO with backfill");
    /// assert_eq!(report.jobs[2].queuing, Seconds(0.0)); // 120 s without
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_backfill() -> Self {
        Self { backfill: true, name: "FIFO with backfill".into(), ..Self::default() }
    }
}

impl Policy for Fifo {
    fn name(&self) -> &str {
        &self.name
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let mut draft = self.memory.begin(view);
        for job in view.waiting() {
            if !draft.start(job) && !self.backfill {
                break;
            }
        }
        draft.finish(actions);
        Ok(())
    }
}
