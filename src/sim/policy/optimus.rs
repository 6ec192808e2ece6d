//! Marginal gain in remaining time.

use alloc::vec::Vec;

use super::rounds::Rounds;
use super::{DraftMemory, Policy, PolicyError, Sizes, View, marginal};
use crate::epoch::Action;
use crate::id::JobId;
use crate::units::Seconds;

/// Optimus: in each round every job its minimum, in ascending order of it; then one worker at a time to the job whose
/// remaining time falls most for each GPU: W · (1 / s(n) − 1 / s(n + 1)) with W the work left and s the speed.
///
/// A running job that does not get its minimum is stopped, and keeps its progress. Rounds are ten minutes apart.
///
/// What differs from the original: there are no parameter servers, so a worker is all that is added; the remaining work
/// and the speed come from the trace, not from fitted curves; the workers are placed best fit.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Optimus;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Of eight workers A gets five, since it has more to gain from the fifth than B from its fourth.
/// let jobs = [1_500.0, 600.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
/// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Optimus::new())?;
/// // Until the second round, at 600 s, A goes on with five; then it has six.
/// assert_eq!(report.jobs[0].ended, Seconds(600.0));
/// assert_eq!(report.jobs[1].ended, Seconds(400.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Peng et al., *Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters*, `EuroSys` 2018, section 4.
#[derive(Clone, Debug)]
pub struct Optimus {
    rounds: Rounds,
    order: Vec<JobId>,
    memory: DraftMemory,
}

impl Default for Optimus {
    fn default() -> Self {
        Self::new()
    }
}

impl Optimus {
    /// With rounds of ten minutes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::units::Seconds;
    ///
    /// let policy = Optimus::new();
    /// assert_eq!((policy.name(), policy.suspends()), ("Optimus", true));
    /// assert_eq!(policy.interval(), Some(Seconds(600.0)));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { rounds: Rounds::every(Seconds(600.0)), order: Vec::new(), memory: DraftMemory::default() }
    }

    /// With rounds this far apart.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::units::Seconds;
    ///
    /// assert_eq!(Optimus::new().every(Seconds(60.0)).interval(), Some(Seconds(60.0)));
    /// ```
    #[must_use]
    pub fn every(mut self, interval: Seconds) -> Self {
        self.rounds = Rounds::every(interval);
        self
    }
}

impl Policy for Optimus {
    fn name(&self) -> &str {
        "Optimus"
    }

    fn sizes(&self) -> Sizes {
        Sizes::Elastic
    }

    fn suspends(&self) -> bool {
        true
    }

    fn interval(&self) -> Option<Seconds> {
        Some(self.rounds.interval())
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        if !self.rounds.is_due(view.now()) {
            return Ok(());
        }
        let cluster = view.cluster();
        self.order.clear();
        self.order.extend(cluster.jobs().map(|entry| entry.0));
        self.order.sort_by_key(|&id| cluster.job(id).map(|job| marginal::gpus(job, job.min_workers)));
        let mut draft = self.memory.begin(view);
        marginal::share(view, &mut draft, &self.order, false, |job, id, workers| {
            let left = view.remaining(id).map_or(0.0, |time| time.0);
            let (now, then) = (marginal::speed(job, workers), marginal::speed(job, workers + 1));
            left * (1.0 / now - 1.0 / then) / f64::from(job.gpus_per_worker)
        });
        draft.finish(actions);
        Ok(())
    }
}
