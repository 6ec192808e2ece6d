//! What can be wrong with a workload.

use crate::units::Seconds;

/// What is wrong with an inference load.
///
/// # Examples
///
/// ```
/// # use aryl::{sim::workload::*, units::Seconds};
/// let error = InferenceLoad::new([(Seconds(300.0), 0.5), (Seconds(0.0), 0.6)]).unwrap_err();
/// assert_eq!(error, LoadError::NotAscending { previous: Seconds(300.0), time: Seconds(0.0) });
/// assert_eq!(error.to_string(), "the load has 0 s after 300 s: the times must ascend");
/// ```
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
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::Job, sim::workload::*, units::Seconds};
/// let error = TraceJob::new(Job::inelastic(2)).estimate_factor(0.0).check().unwrap_err();
/// assert_eq!(error, TraceJobError::EstimateFactor { factor: 0.0 });
/// assert_eq!(error.to_string(), "the estimate is 0 times the actual running time: not positive and finite");
/// ```
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
