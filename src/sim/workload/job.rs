//! One job of a trace.

use super::TraceJobError;
use crate::cluster::Job;
use crate::units::Seconds;

/// One job of a trace: what the scheduler is told of it, and what only the simulation knows.
///
/// The submission time is [`Job::submitted`], and [`Job::remaining`] is the whole running time with the minimum number of
/// workers on the reference type.
///
/// # Examples
///
/// ```
/// use aryl::cluster::Job;
/// use aryl::sim::workload::TraceJob;
/// use aryl::units::Seconds;
///
/// // Two workers at least, six at most; a policy that does not scale gives it four. A checkpoint is written every hour.
/// let job = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(36_000.0)))
///     .requested_workers(4)
///     .checkpoint_interval(Seconds(3_600.0));
/// assert_eq!(job.check(), Ok(()));
/// assert_eq!(job.estimate_factor, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct TraceJob {
    /// The job: its arrival, its whole running time at its minimum, its range of workers and the GPU types it may use.
    pub job: Job,
    /// The reference workers that a policy gives it if it does not scale: from the job's minimum to its maximum.
    pub requested_workers: u32,
    /// How much running time lies between two checkpoints. `None`: it writes none, and a preempted job starts again
    /// from zero.
    pub checkpoint_interval: Option<Seconds>,
    /// Its estimated running time is the actual one times this: 1 for an exact estimate.
    pub estimate_factor: f64,
}

impl TraceJob {
    /// A job that requests its minimum, writes no checkpoint, and whose running time is known.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::Job, sim::workload::*, units::Seconds};
    /// let job = TraceJob::new(Job::elastic(2..=6));
    /// assert_eq!((job.requested_workers, job.checkpoint_interval, job.estimate_factor), (2, None, 1.0));
    /// ```
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self { requested_workers: job.min_workers, job, checkpoint_interval: None, estimate_factor: 1.0 }
    }

    /// The same job with this number of workers under a policy that does not scale.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // 60 s with four workers, though 120 s with two.
    /// let job = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(120.0))).requested_workers(4);
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let workload = Workload { jobs: vec![job], load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// assert_eq!(report.jobs[0].ended, Seconds(60.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn requested_workers(mut self, reference_workers: u32) -> Self {
        self.requested_workers = reference_workers;
        self
    }

    /// The same job with a checkpoint each time it has run for this long.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Both jobs run on servers that go back at 900 s. One of them has saved 800 s of its work.
    /// let job = TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0)));
    /// let jobs = vec![job.clone(), job.clone().checkpoint_interval(Seconds(400.0)), job];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// let workload = Workload { jobs, load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// assert_eq!((report.jobs[1].lost, report.jobs[2].lost), (Seconds(100.0), Seconds(900.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn checkpoint_interval(mut self, time: Seconds) -> Self {
        self.checkpoint_interval = Some(time);
        self
    }

    /// The same job with an estimated running time of the actual one times this factor.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Shortest job first; but the longer is taken to be the shorter.
    /// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0))).estimate_factor(0.1);
    /// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(50.0)));
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let workload = Workload { jobs: vec![long, short], load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut ShortestFirst::new())?;
    /// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [100.0, 150.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn estimate_factor(mut self, factor: f64) -> Self {
        self.estimate_factor = factor;
        self
    }

    /// Whether what the trace adds to the job makes sense. The job itself is checked by the cluster that it enters.
    ///
    /// # Errors
    ///
    /// [`TraceJobError`] names the number that is out of its range, NaN among them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::sim::workload::{TraceJob, TraceJobError};
    ///
    /// let job = TraceJob::new(Job::elastic(2..=6)).requested_workers(7);
    /// assert_eq!(job.check(), Err(TraceJobError::Requested { requested: 7, min: 2, max: 6 }));
    /// ```
    pub fn check(&self) -> Result<(), TraceJobError> {
        let (requested, min, max) = (self.requested_workers, self.job.min_workers, self.job.max_workers);
        if requested < min || requested > max {
            return Err(TraceJobError::Requested { requested, min, max });
        }
        if let Some(interval) = self.checkpoint_interval
            && interval.milliseconds().is_none_or(|milliseconds| milliseconds == 0)
        {
            return Err(TraceJobError::CheckpointInterval { interval });
        }
        let factor = self.estimate_factor;
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(TraceJobError::EstimateFactor { factor });
        }
        Ok(())
    }
}
