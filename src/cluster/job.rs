//! Jobs: what they ask for, and what they are worth.

use core::ops::RangeInclusive;

use smallvec::SmallVec;

use super::Server;
use crate::id::GpuTypeId;
use crate::scaling::{Scaling, ScalingCurve, ScalingError};
use crate::units::{Seconds, Speed};

/// The GPU types that a job may run on.
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

    /// A job that needs all of its workers.
    #[must_use]
    pub fn inelastic(workers: u32) -> Self {
        Self::elastic(workers..=workers)
    }

    /// A job that runs with any number of workers in the range.
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

    /// The same job with this many GPUs for each worker.
    #[must_use]
    pub fn gpus_per_worker(mut self, gpus: u32) -> Self {
        self.gpus_per_worker = gpus;
        self
    }

    /// The same job with this much running time left, were it to run with its minimum number of workers.
    #[must_use]
    pub fn remaining(mut self, time: Seconds) -> Self {
        self.remaining = time;
        self
    }

    /// The same job with this scaling curve.
    #[must_use]
    pub fn scaling(mut self, curve: ScalingCurve) -> Self {
        self.scaling = curve;
        self
    }

    /// The same job, allowed on these GPU types and no others.
    #[must_use]
    pub fn on(mut self, gpu_types: impl IntoIterator<Item = GpuTypeId>) -> Self {
        self.gpu_types = AllowedGpuTypes::Only(gpu_types.into_iter().collect());
        self
    }

    /// The same job, allowed on any GPU type.
    #[must_use]
    pub fn fungible(mut self) -> Self {
        self.gpu_types = AllowedGpuTypes::Any;
        self
    }

    /// The same job, allowed to mix GPU types in one run, at the default [`Self::MIXING_EFFICIENCY`] of the ideal speed.
    ///
    /// It mixes the types it allows: combine it with [`fungible`](Self::fungible) or [`on`](Self::on).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    ///
    /// let job = Job::elastic(2..=6).fungible().heterogeneous();
    /// assert_eq!(job.mixing_efficiency, Some(0.7));
    /// assert!(job.is_heterogeneous());
    /// ```
    #[must_use]
    pub fn heterogeneous(self) -> Self {
        self.heterogeneous_at(Self::MIXING_EFFICIENCY)
    }

    /// The same job, allowed to mix GPU types in one run, at this share of the ideal speed.
    #[must_use]
    pub fn heterogeneous_at(mut self, efficiency: f64) -> Self {
        self.mixing_efficiency = Some(efficiency);
        self
    }

    /// The same job with this weight.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// The same job with this cost of a preemption.
    #[must_use]
    pub fn preemption_cost(mut self, cost: u64) -> Self {
        self.preemption_cost = cost;
        self
    }

    /// The same job, marked as one that must not be preempted.
    #[must_use]
    pub fn protected(mut self) -> Self {
        self.protected = true;
        self
    }

    /// The same job, losing this much time each time that its number of workers changes.
    #[must_use]
    pub fn resize_overhead(mut self, time: Seconds) -> Self {
        self.resize_overhead = time;
        self
    }

    /// The same job, submitted at this time.
    #[must_use]
    pub fn submitted(mut self, time: Seconds) -> Self {
        self.submitted = time;
        self
    }

    /// The same job with this priority: a higher number is more important.
    #[must_use]
    pub fn priority(mut self, priority: u32) -> Self {
        self.priority = priority;
        self
    }

    /// The same job, preempted this often so far.
    #[must_use]
    pub fn preemptions(mut self, times: u32) -> Self {
        self.preemptions = times;
        self
    }

    /// The same job, whose present run began at this time.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Seconds;
    ///
    /// // Started a second time, from what it had saved before.
    /// let job = Job::inelastic(8).preemptions(1).checkpointed(Seconds(500.0)).started(Seconds(900.0));
    /// assert_eq!((job.started, job.checkpointed), (Some(Seconds(900.0)), Some(Seconds(500.0))));
    /// ```
    #[must_use]
    pub fn started(mut self, time: Seconds) -> Self {
        self.started = Some(time);
        self
    }

    /// The same job, whose work was last saved at this time.
    #[must_use]
    pub fn checkpointed(mut self, time: Seconds) -> Self {
        self.checkpointed = Some(time);
        self
    }

    /// Whether it can run with more than its minimum number of workers.
    #[must_use]
    pub fn is_elastic(&self) -> bool {
        self.max_workers > self.min_workers
    }

    /// Whether it may mix GPU types in one run.
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
    #[must_use]
    pub fn running_time(&self, reference_workers: u32) -> Seconds {
        let workers = reference_workers.max(self.min_workers).min(self.max_workers);
        Seconds(self.remaining.0 / self.scaling.speedup(self.min_workers, workers))
    }

    /// The fewest workers it runs with on a type of this speed: its minimum, in workers of that type.
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

/// What is wrong with a job.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// It asks for no worker.
    #[error("the job asks for 0 workers")]
    ZeroWorkers,
    /// Its minimum is above its maximum.
    #[error("the job asks for at least {min} workers and at most {max}")]
    MinAboveMax {
        /// The minimum given.
        min: u32,
        /// The maximum given.
        max: u32,
    },
    /// It asks for more than [`Job::MAX_WORKERS`] workers.
    #[error("the job asks for {workers} workers, above the limit of {limit}")]
    TooManyWorkers {
        /// The number given.
        workers: u32,
        /// The largest number allowed.
        limit: u32,
    },
    /// Its workers have no GPU.
    #[error("the job asks for 0 GPUs a worker")]
    ZeroGpusPerWorker,
    /// Its workers have more GPUs than a server can have.
    #[error("the job asks for {gpus} GPUs a worker, above the limit of {limit} a server")]
    TooManyGpusPerWorker {
        /// The number given.
        gpus: u32,
        /// The most that a server can have.
        limit: u32,
    },
    /// It allows no GPU type.
    #[error("the job allows no GPU type")]
    NoGpuType,
    /// It allows a GPU type that the cluster does not hold.
    #[error("the job allows {gpu_type}, which the cluster does not hold")]
    UnknownGpuType {
        /// The type given.
        gpu_type: GpuTypeId,
    },
    /// Its remaining time is not positive and finite.
    #[error("the job's remaining time of {time} is not positive and finite")]
    Remaining {
        /// The time given.
        time: Seconds,
    },
    /// Its weight is not positive and finite.
    #[error("the job's weight {weight} is not positive and finite")]
    Weight {
        /// The weight given.
        weight: f64,
    },
    /// Its remaining time multiplied by its weight is 2^53 milliseconds or more.
    #[error("the job's remaining time of {time} at weight {weight} is 2^53 milliseconds or more")]
    TooHeavy {
        /// The time given.
        time: Seconds,
        /// The weight given.
        weight: f64,
    },
    /// Its resize overhead is negative or, multiplied by its weight, 2^53 milliseconds or more.
    #[error("the job's resize overhead of {time} is negative or, at its weight, 2^53 milliseconds or more")]
    ResizeOverhead {
        /// The time given.
        time: Seconds,
    },
    /// Its submission time is not finite.
    #[error("the job's submission time {time} is not finite")]
    Submitted {
        /// The time given.
        time: Seconds,
    },
    /// The time at which its run began is not finite.
    #[error("the job's starting time {time} is not finite")]
    Started {
        /// The time given.
        time: Seconds,
    },
    /// The time at which its work was last saved is not finite.
    #[error("the time {time} of the job's last checkpoint is not finite")]
    Checkpointed {
        /// The time given.
        time: Seconds,
    },
    /// Its speed while it mixes GPU types is not above 0 and at most 1.
    #[error("the job's mixing efficiency {efficiency} is not above 0 and at most 1")]
    MixingEfficiency {
        /// The share given.
        efficiency: f64,
    },
    /// Its scaling curve makes no sense.
    #[error("the job's scaling curve: {0}")]
    Scaling(
        /// What is wrong with the curve.
        #[from]
        ScalingError,
    ),
    /// The preemption costs of all jobs of the cluster add up to more than a `u64` holds.
    #[error("the job's preemption cost {cost} and the {total} of the other jobs exceed 2^64 - 1")]
    PreemptionCostOverflow {
        /// The cost given.
        cost: u64,
        /// The sum over the jobs that the cluster holds.
        total: u64,
    },
}
