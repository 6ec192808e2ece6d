//! Why no workload can be made of a specification.

use super::LoadError;
use crate::units::Seconds;

/// Why no workload can be made of a specification, or of a recorded trace.
///
/// # Examples
///
/// ```
/// # use aryl::sim::workload::*;
/// let error = TraceSpec { jobs: 0, ..TraceSpec::paper(Scenario::Basic) }.generate(1).unwrap_err();
/// assert_eq!(error, SpecError::Jobs { jobs: 0, limit: TraceSpec::MAX_JOBS });
/// assert_eq!(error.to_string(), "0 jobs are asked for; the number must be from 1 to 16777216");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No job, or more than can be generated.
    #[error("{jobs} jobs are asked for; the number must be from 1 to {limit}")]
    Jobs {
        /// The number given.
        jobs: u32,
        /// The most there can be.
        limit: u32,
    },
    /// A length of time that is not above 0, or too long.
    #[error("the {what} is {time}; it must be from 0.001 s to {limit}")]
    Time {
        /// Which time it is.
        what: &'static str,
        /// The time given.
        time: Seconds,
        /// The longest allowed.
        limit: Seconds,
    },
    /// A share that is no share.
    #[error("the {what} is {share}; it must be from 0 to 1")]
    Share {
        /// Which share it is.
        what: &'static str,
        /// The share given.
        share: f64,
    },
    /// An hour that the day does not have.
    #[error("the {what} is {hour}; it must be from 0 to 24")]
    Hour {
        /// Which hour it is.
        what: &'static str,
        /// The hour given.
        hour: f64,
    },
    /// Running times that do not ascend.
    #[error(
        "running times must ascend from above 0 s: shortest {shortest}, median {median}, 95th percentile {percentile_95}"
    )]
    RunningTimes {
        /// The shortest time given.
        shortest: Seconds,
        /// The median given.
        median: Seconds,
        /// The 95th percentile given.
        percentile_95: Seconds,
    },
    /// A mean running time that the percentiles do not allow.
    #[error("the mean running time is {mean}, but the percentiles allow from {least:.0} to {most:.0}")]
    MeanOutOfReach {
        /// The mean given.
        mean: Seconds,
        /// The least mean there can be.
        least: Seconds,
        /// The greatest mean there can be.
        most: Seconds,
    },
    /// No number of GPUs to draw from.
    #[error("the mix of GPUs is empty")]
    NoGpus,
    /// A number of GPUs that no job can have.
    #[error("a job of {gpus} GPUs; the number must be from 1 to {limit}")]
    Gpus {
        /// The number given.
        gpus: u32,
        /// The most there can be.
        limit: u32,
    },
    /// Shares of a mix that do not add up to 1.
    #[error("the shares of the mix of GPUs add up to {sum}, not to 1")]
    MixSum {
        /// Their sum.
        sum: f64,
    },
    /// A load from a trough to a peak whose mean is not between the two.
    #[error("the load goes from {trough} to {peak} with a mean of {mean}; the mean must be between the two")]
    LoadMean {
        /// The least load.
        trough: f64,
        /// The mean load.
        mean: f64,
        /// The greatest load.
        peak: f64,
    },
    /// The elastic jobs' greatest number of workers, as a multiple of the requested, is out of range.
    #[error("elastic jobs scale to {factor} times what they request; the number must be from 1 to {limit}")]
    ScaleFactor {
        /// The multiple given.
        factor: u32,
        /// The most there can be.
        limit: u32,
    },
    /// An efficiency that is not above 0 and at most 1.
    #[error("the mixing efficiency is {efficiency}; it must be above 0 and at most 1")]
    MixingEfficiency {
        /// The efficiency given.
        efficiency: f64,
    },
    /// A scaling curve that its parameter makes meaningless.
    #[error(transparent)]
    Scaling(#[from] crate::scaling::ScalingError),
    /// A recorded job with a time that makes no sense.
    #[error("recorded job {job}: the {what} is {time}; it must be {}", range_of(what))]
    RecordedTime {
        /// Its place in the trace, from 0.
        job: usize,
        /// Which time it is.
        what: &'static str,
        /// The time given.
        time: Seconds,
    },
    /// A recorded job with a number of GPUs that no job can have.
    #[error("recorded job {job}: {gpus} GPUs; the number must be from 1 to {limit}")]
    RecordedGpus {
        /// Its place in the trace, from 0.
        job: usize,
        /// The number given.
        gpus: u32,
        /// The most there can be.
        limit: u32,
    },
    /// Recorded jobs that are not in the order of submission.
    #[error("recorded job {job} was submitted at {submitted}, before the one above it at {previous}")]
    NotAscending {
        /// Its place in the trace, from 0.
        job: usize,
        /// When it was submitted.
        submitted: Seconds,
        /// When the job above it was submitted.
        previous: Seconds,
    },
    /// No day, or more than can be drawn or drawn from.
    #[error("{days} days; the number must be from 1 to {limit}")]
    Days {
        /// The number given or found.
        days: f64,
        /// The most there can be.
        limit: u32,
    },
    /// The inference load makes no sense.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// What the times of a recorded job must be, in a sentence.
fn range_of(what: &str) -> &'static str {
    match what {
        "running time" => "from 0.001 s to 1000000000 s",
        _ => "from -1000000000 s to 1000000000 s",
    }
}
