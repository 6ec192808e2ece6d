//! Least attained service, in two queues.

use alloc::vec::Vec;

use ordered_float::OrderedFloat;

use super::{DraftMemory, Policy, PolicyError, Target, View, marginal};
use crate::epoch::Action;
use crate::id::JobId;

/// Tiresias with discretised two-dimensional least attained service (2D-LAS).
///
/// A job's attained service is the GPUs that it has held times the time for which it did. Jobs below a threshold of
/// 57,600 GPU-seconds are in the first queue, the others in the second. Inside a queue they go by their first start, and
/// those that never started by their submission. In each epoch the queues are walked: a job runs with exactly the workers
/// that it requests if it fits, and is stopped if not. It keeps its progress.
///
/// What differs from the original: running times are unknown to both, but here a job that is stopped always writes a
/// checkpoint. A job that was chosen and finds no server leaves its GPUs to those behind it. Placement by profiled skew is
/// not modelled. Promotion of starved jobs is off unless asked for.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Tiresias;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // After 7,200 s on 8 GPUs the first job is demoted; the second runs to its end before the first goes on, after an
/// // overhead of 63 s.
/// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(10_000.0)));
/// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(1_000.0)).submitted(Seconds(60.0)));
/// let workload = Workload { jobs: vec![long, short], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Tiresias::new())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [11_063.0, 8_200.0]);
/// assert_eq!(report.suspensions(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Gu et al., *Tiresias: A GPU Cluster Manager for Distributed Deep Learning*, NSDI 2019, section 3.
#[derive(Clone, Debug)]
pub struct Tiresias {
    threshold: f64,
    promotion: Option<f64>,
    order: Vec<(bool, OrderedFloat<f64>, JobId)>,
    targets: Vec<Target>,
    memory: DraftMemory,
}

impl Default for Tiresias {
    fn default() -> Self {
        Self::new()
    }
}

impl Tiresias {
    /// Two queues, split at 57,600 GPU-seconds, without promotion.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Tiresias::new();
    /// assert_eq!((policy.name(), policy.sizes(), policy.suspends()), ("Tiresias", Sizes::Requested, true));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            threshold: 57_600.0,
            promotion: None,
            order: Vec::new(),
            targets: Vec::new(),
            memory: DraftMemory::default(),
        }
    }

    /// The queues split at so many GPU-seconds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // A long job, and a short one that arrives after 20 s. Both want all 8 GPUs.
    /// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0)));
    /// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(10.0)).submitted(Seconds(20.0)));
    /// let jobs = [long, short];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Tiresias::new().threshold(160.0))?;
    /// // After 20 s the long job has had 160 GPU-seconds, and is in the second queue.
    /// assert_eq!(report.jobs[1].ended, Seconds(30.0));
    /// assert_eq!(report.jobs[0].ended, Seconds(30.0 + 63.0 + 80.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn threshold(mut self, gpu_seconds: f64) -> Self {
        self.threshold = gpu_seconds;
        self
    }

    /// A job goes back to the first queue while it waits, once it has waited for this many times as long as it has run.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // A long job, and three short ones that arrive from 20 s on. All want all 8 GPUs.
    /// let job = |time: f64, at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(time)).submitted(Seconds(at)));
    /// let jobs = vec![job(100.0, 0.0), job(15.0, 20.0), job(15.0, 25.0), job(15.0, 30.0)];
    /// let workload = Workload { jobs, load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let waits = |mut policy: Tiresias| -> Result<Seconds, Box<dyn std::error::Error>> {
    ///     Ok(Simulation::new(&setup, &workload)?.run(&mut policy)?.jobs[0].queuing)
    /// };
    /// // It has run for 20 s, and waits until all three have ended; or, once it has waited for 20 s, until one ends.
    /// assert_eq!(waits(Tiresias::new().threshold(160.0))?, Seconds(45.0));
    /// assert_eq!(waits(Tiresias::new().threshold(160.0).promotion(1.0))?, Seconds(30.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn promotion(mut self, waited_over_run: f64) -> Self {
        self.promotion = Some(waited_over_run);
        self
    }
}

impl Policy for Tiresias {
    fn name(&self) -> &str {
        "Tiresias"
    }

    fn suspends(&self) -> bool {
        true
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let cluster = view.cluster();
        self.order.clear();
        for (id, _) in cluster.jobs() {
            let Some(record) = view.record(id) else { continue };
            let ran = view.now().0 - record.submitted.0 - record.waited.0;
            let starves = self.promotion.is_some_and(|times| record.waited.0 > times * ran);
            let second = record.attained_gpu_seconds >= self.threshold
                && !(starves && !cluster.is_running(id) && record.first_start.is_some());
            let first_start = record.first_start.unwrap_or(record.submitted);
            self.order.push((second, OrderedFloat(first_start.0), id));
        }
        self.order.sort_unstable();
        let mut draft = self.memory.begin(view);
        let mut left = draft.reference_gpus();
        self.targets.clear();
        for &(_, _, id) in &self.order {
            let Some(job) = cluster.job(id) else { continue };
            let needed = marginal::gpus(job, job.min_workers);
            let runs = needed <= left;
            left -= if runs { needed } else { 0 };
            let reference_workers = if runs { job.min_workers } else { 0 };
            self.targets.push(Target { job: id, reference_workers });
        }
        draft.realise(&self.targets);
        for &(_, _, job) in &self.order {
            // Whoever was stopped just now has had its turn.
            if !cluster.is_running(job) {
                draft.start(job);
            }
        }
        draft.finish(actions);
        Ok(())
    }
}
