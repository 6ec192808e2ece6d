//! What can be wrong with a workload.

use crate::units::Seconds;

/// What is wrong with an inference load.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no point.
    #[error("the load has no point")]
    Empty,
    /// A time is not finite.
    #[error("the load has a point at {time}, which is not finite")]
    Time {
        /// The time given.
        time: Seconds,
    },
    /// The times do not ascend.
    #[error("the load has {time} after {previous}: the times must ascend")]
    NotAscending {
        /// The time of the point before.
        previous: Seconds,
        /// The time that is not above it.
        time: Seconds,
    },
    /// A share is not from 0 to 1.
    #[error("the load at {time} is {share}, not from 0 to 1")]
    Share {
        /// The time of the point.
        time: Seconds,
        /// The share given.
        share: f64,
    },
}

/// What is wrong with a job of a trace, beside the job itself.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceJobError {
    /// The requested workers are not in the job's range.
    #[error("the job requests {requested} workers, and its range is from {min} to {max}")]
    Requested {
        /// The number requested.
        requested: u32,
        /// The job's minimum.
        min: u32,
        /// The job's maximum.
        max: u32,
    },
    /// The time between checkpoints is not positive, or too long to be counted.
    #[error("the time between checkpoints of {interval} is not from 1 ms to 2^53 - 1 ms")]
    CheckpointInterval {
        /// The time given.
        interval: Seconds,
    },
    /// The factor of the estimate is not positive and finite.
    #[error("the estimate is {factor} times the actual running time: not positive and finite")]
    EstimateFactor {
        /// The factor given.
        factor: f64,
    },
}
