//! Why a job is refused.

use crate::id::GpuTypeId;
use crate::scaling::ScalingError;
use crate::units::Seconds;

/// What is wrong with a job.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let error = cluster.add_job(Job::inelastic(1).remaining(Seconds(-5.0))).unwrap_err();
/// assert_eq!(error.to_string(), "the job's remaining time of -5 s is not positive and finite");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// It asks for more than [`Job::MAX_WORKERS`](super::Job::MAX_WORKERS) workers.
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
