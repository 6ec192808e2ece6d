//! Jobs: what they ask for, and what they are worth.

use core::ops::RangeInclusive;

use smallvec::SmallVec;

use super::{JobError, Server};
use crate::id::GpuTypeId;
use crate::scaling::{Scaling, ScalingCurve};
use crate::units::{Seconds, Speed};

/// The GPU types that a job may run on.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{AllowedGpuTypes, Job};
/// use aryl::id::GpuTypeId;
///
/// assert_eq!(Job::inelastic(1).gpu_types, AllowedGpuTypes::Reference);
/// assert_eq!(Job::inelastic(1).fungible().gpu_types, AllowedGpuTypes::Any);
/// assert!(matches!(Job::inelastic(1).on([GpuTypeId::new(1)]).gpu_types, AllowedGpuTypes::Only(types) if types.len() == 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum AllowedGpuTypes {
    /// The reference type alone: the first type that the cluster was given.
    #[default]
    Reference,
    /// Any type: the job is fungible.
    Any,
    /// These types.
    Only(SmallVec<[GpuTypeId; 4]>),
}

impl AllowedGpuTypes {
    /// Whether the job may run on this type.
    ///
    /// # Complexity
    ///
    /// O(types listed).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::id::GpuTypeId;
    ///
    /// let (v100, t4, a100) = (GpuTypeId::new(0), GpuTypeId::new(1), GpuTypeId::new(2));
    /// let allows = |job: Job| [v100, t4, a100].map(|gpu_type| job.gpu_types.contains(gpu_type));
    /// assert_eq!(allows(Job::inelastic(1)), [true, false, false]);
    /// assert_eq!(allows(Job::inelastic(1).on([t4, a100])), [false, true, true]);
    /// assert_eq!(allows(Job::inelastic(1).fungible()), [true, true, true]);
    /// ```
    #[must_use]
    pub fn contains(&self, gpu_type: GpuTypeId) -> bool {
        match self {
            Self::Reference => gpu_type.index() == 0,
            Self::Any => true,
            Self::Only(types) => types.contains(&gpu_type),
        }
    }
}

/// A training job.
///
/// A job asks for workers, each with the same number of GPUs, all on one server. It counts them in reference workers:
/// on a GPU type of speed 1 : 3 it runs three workers for each one it asks for, so that its running time is the same.
/// An inelastic job needs all its workers; an elastic job runs with any number from a minimum, its base demand, to a
/// maximum. What it holds above the minimum are flexible workers.
///
/// Every field can be read; a job is changed through [`Cluster::update_job`](super::Cluster::update_job). The numbers
/// are checked by [`Cluster::add_job`](super::Cluster::add_job).
///
/// # Examples
///
/// ```
/// use aryl::cluster::Job;
/// use aryl::units::Seconds;
///
/// // Job B of Figure 6 in the Aryl paper: 2 to 6 workers of 1 GPU, 20 s at most workers, so 60 s at fewest.
/// let job = Job::elastic(2..=6).remaining(Seconds(60.0));
/// assert!(job.is_elastic());
/// assert_eq!(job.running_time(6), Seconds(20.0));
/// assert_eq!(job.running_time(3), Seconds(40.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Job {
    /// The fewest reference workers it runs with.
    pub min_workers: u32,
    /// The most reference workers it can use; equal to the fewest for an inelastic job.
    pub max_workers: u32,
    /// GPUs of each worker; 1 by default.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub gpus_per_worker: u32,
    /// The running time that remains, were it to run with its minimum number of workers; 3,600 s by default.
    #[cfg_attr(feature = "serde", serde(default = "an_hour"))]
    pub remaining: Seconds,
    /// How its speed grows with its workers; linear by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub scaling: ScalingCurve,
    /// The GPU types it may run on, one type a run; the reference type by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gpu_types: AllowedGpuTypes,
    /// For a heterogeneous job, which may mix the GPU types it allows in one run: its speed while it mixes them, as a
    /// share of the ideal, above 0 and at most 1.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mixing_efficiency: Option<f64>,
    /// What a second of its completion time counts, relative to other jobs; 1 by default.
    #[cfg_attr(feature = "serde", serde(default = "one_weight"))]
    pub weight: f64,
    /// What its preemption costs, in any unit that is the same for all jobs; 1 by default, so that jobs are counted.
    /// A reclaim can go by [another cost](crate::reclaim::Costs).
    #[cfg_attr(feature = "serde", serde(default = "one_cost"))]
    pub preemption_cost: u64,
    /// Whether it must not be preempted: the servers that host it are never reclaimed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub protected: bool,
    /// The time it loses each time that its number of workers changes; 0 by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub resize_overhead: Seconds,
    /// When it was submitted, on the caller's own time line; earlier goes first where two jobs are otherwise equal.
    #[cfg_attr(feature = "serde", serde(default))]
    pub submitted: Seconds,
    /// How important it is: a higher number is more important; 0 by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub priority: u32,
    /// How often it has been preempted so far; 0 by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub preemptions: u32,
    /// When its present run began, on the caller's own time line; `None` where that is not known. It says nothing of a
    /// job that waits.
    #[cfg_attr(feature = "serde", serde(default))]
    pub started: Option<Seconds>,
    /// When its work was last saved, on the caller's own time line; `None` where it never was.
    #[cfg_attr(feature = "serde", serde(default))]
    pub checkpointed: Option<Seconds>,
}

#[cfg(feature = "serde")]
fn one() -> u32 {
    1
}
#[cfg(feature = "serde")]
fn an_hour() -> Seconds {
    Seconds(3_600.0)
}
#[cfg(feature = "serde")]
fn one_weight() -> f64 {
    1.0
}
#[cfg(feature = "serde")]
fn one_cost() -> u64 {
    1
}

impl Job {
    /// The most reference workers that a job can ask for.
    pub const MAX_WORKERS: u32 = 1 << 20;

    /// The speed of a heterogeneous job that mixes GPU types, as a share of the ideal, where it does not say: 0.7
    /// (Aryl, section 7).
    pub const MIXING_EFFICIENCY: f64 = 0.7;

    /// A job that needs all of its workers, in reference workers: of 1 GPU each, with an hour left to run, unless it is told
    /// otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Seconds;
    ///
    /// let job = Job::inelastic(4);
    /// assert_eq!((job.min_workers, job.max_workers), (4, 4));
    /// assert!(!job.is_elastic());
    /// assert_eq!(job.running_time(8), Seconds(3_600.0)); // more workers would not help it
    /// ```
    #[must_use]
    pub fn inelastic(workers: u32) -> Self {
        Self::elastic(workers..=workers)
    }

    /// A job that runs with any number of workers in the range, in reference workers: of 1 GPU each, with an hour left to run
    /// at the fewest, unless it is told otherwise.
    ///
    /// The range is not checked here: [`Cluster::add_job`](super::Cluster::add_job) refuses one that starts at 0 or is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Seconds;
    ///
    /// let job = Job::elastic(2..=6);
    /// assert_eq!(job.running_time(2), Seconds(3_600.0));
    /// assert_eq!(job.running_time(6), Seconds(1_200.0));
    /// ```
    #[must_use]
    pub fn elastic(workers: RangeInclusive<u32>) -> Self {
        Self {
            min_workers: *workers.start(),
            max_workers: *workers.end(),
            gpus_per_worker: 1,
            remaining: Seconds(3_600.0),
            scaling: ScalingCurve::Linear,
            gpu_types: AllowedGpuTypes::Reference,
            mixing_efficiency: None,
            weight: 1.0,
            preemption_cost: 1,
            protected: false,
            resize_overhead: Seconds::ZERO,
            submitted: Seconds::ZERO,
            priority: 0,
            preemptions: 0,
            started: None,
            checkpointed: None,
        }
    }

    /// Whether it can run with more than its minimum number of workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    ///
    /// assert!(Job::elastic(2..=3).is_elastic());
    /// assert!(!Job::elastic(2..=2).is_elastic());
    /// ```
    #[must_use]
    pub fn is_elastic(&self) -> bool {
        self.max_workers > self.min_workers
    }

    /// Whether it may mix GPU types in one run.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    ///
    /// // To run on any type is one thing, to run on two types at once another.
    /// assert!(!Job::inelastic(2).fungible().is_heterogeneous());
    /// assert!(Job::inelastic(2).fungible().heterogeneous().is_heterogeneous());
    /// ```
    #[must_use]
    pub fn is_heterogeneous(&self) -> bool {
        self.mixing_efficiency.is_some()
    }

    /// The time to its end with this many reference workers, on one GPU type.
    ///
    /// Workers beyond the maximum bring nothing. For fewer workers than the minimum the answer is the time at the
    /// minimum, though the job could not run.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::scaling::ScalingCurve;
    /// use aryl::units::Seconds;
    ///
    /// let job = Job::elastic(2..=4).remaining(Seconds(60.0));
    /// assert_eq!(job.running_time(3), Seconds(40.0));
    /// assert_eq!(job.running_time(9), Seconds(30.0)); // as with 4
    /// assert_eq!(job.running_time(1), Seconds(60.0)); // as with 2
    /// let flat = job.scaling(ScalingCurve::Amdahl { serial: 1.0 });
    /// assert_eq!(flat.running_time(4), Seconds(60.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// One call of the scaling curve: O(1), or O(log points) for a measured table.
    #[must_use]
    pub fn running_time(&self, reference_workers: u32) -> Seconds {
        let workers = reference_workers.max(self.min_workers).min(self.max_workers);
        Seconds(self.remaining.0 / self.scaling.speedup(self.min_workers, workers))
    }

    /// The fewest workers it runs with on a type of this speed: its minimum, in workers of that type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Speed;
    ///
    /// let job = Job::elastic(3..=4);
    /// assert_eq!(job.min_workers_on(Speed::new(1, 3).unwrap()), 9);
    /// assert_eq!(job.min_workers_on(Speed::new(2, 1).unwrap()), 2); // 1.5, rounded up
    /// ```
    #[must_use]
    pub const fn min_workers_on(&self, speed: Speed) -> u64 {
        speed.workers_for(self.min_workers)
    }

    /// The most workers it can use on a type of this speed: its maximum, in workers of that type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Speed;
    ///
    /// let (job, third) = (Job::elastic(2..=4), Speed::new(1, 3).unwrap());
    /// assert_eq!((job.min_workers_on(third), job.max_workers_on(third)), (6, 12));
    /// ```
    #[must_use]
    pub const fn max_workers_on(&self, speed: Speed) -> u64 {
        speed.workers_for(self.max_workers)
    }

    pub(super) fn check(&self, gpu_types: usize) -> Result<(), JobError> {
        let (min, max) = (self.min_workers, self.max_workers);
        if min == 0 {
            return Err(JobError::ZeroWorkers);
        }
        if min > max {
            return Err(JobError::MinAboveMax { min, max });
        }
        if max > Self::MAX_WORKERS {
            return Err(JobError::TooManyWorkers { workers: max, limit: Self::MAX_WORKERS });
        }
        let gpus = self.gpus_per_worker;
        if gpus == 0 {
            return Err(JobError::ZeroGpusPerWorker);
        }
        if gpus > Server::MAX_GPUS {
            return Err(JobError::TooManyGpusPerWorker { gpus, limit: Server::MAX_GPUS });
        }
        if let AllowedGpuTypes::Only(types) = &self.gpu_types {
            if types.is_empty() {
                return Err(JobError::NoGpuType);
            }
            if let Some(&gpu_type) = types.iter().find(|gpu_type| gpu_type.index() >= gpu_types) {
                return Err(JobError::UnknownGpuType { gpu_type });
            }
        }
        self.check_times()?;
        self.scaling.check()?;
        Ok(())
    }

    fn check_times(&self) -> Result<(), JobError> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        if !positive(self.remaining.0) {
            return Err(JobError::Remaining { time: self.remaining });
        }
        if !positive(self.weight) {
            return Err(JobError::Weight { weight: self.weight });
        }
        if Seconds(self.remaining.0 * self.weight).milliseconds().is_none() {
            return Err(JobError::TooHeavy { time: self.remaining, weight: self.weight });
        }
        // NaN fails both comparisons, so it is refused here too.
        let overhead_fits = self.resize_overhead.0 >= 0.0
            && Seconds(self.resize_overhead.0 * self.weight).milliseconds().is_some();
        if !overhead_fits {
            return Err(JobError::ResizeOverhead { time: self.resize_overhead });
        }
        if !self.submitted.0.is_finite() {
            return Err(JobError::Submitted { time: self.submitted });
        }
        let infinite = |time: Option<Seconds>| time.filter(|time| !time.0.is_finite());
        if let Some(time) = infinite(self.started) {
            return Err(JobError::Started { time });
        }
        if let Some(time) = infinite(self.checkpointed) {
            return Err(JobError::Checkpointed { time });
        }
        match self.mixing_efficiency {
            Some(efficiency) if !(efficiency > 0.0 && efficiency <= 1.0) => {
                Err(JobError::MixingEfficiency { efficiency })
            }
            _ => Ok(()),
        }
    }
}
