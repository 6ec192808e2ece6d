//! What is replayed: the jobs that arrive, and the load of the inference cluster.

mod arrivals;
mod bootstrap;
mod choose;
mod diurnal;
mod error;
mod job;
mod kinds;
mod load;
mod random;
mod recorded_job;
mod running_times;
mod spec;
mod spec_error;

pub use arrivals::{Arrivals, Surge};
pub use diurnal::DiurnalLoad;
pub use error::{LoadError, TraceJobError};
pub use job::TraceJob;
pub use kinds::{JobKinds, Scenario};
pub use load::InferenceLoad;
pub use recorded_job::RecordedJob;
pub use running_times::RunningTimes;
pub use spec::TraceSpec;
pub use spec_error::SpecError;

use alloc::vec::Vec;

/// What a simulation replays: the jobs in the order in which they are submitted, and the inference load over time.
///
/// # Examples
///
/// ```
/// use aryl::cluster::Job;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::units::Seconds;
///
/// let early = Job::inelastic(8).remaining(Seconds(600.0));
/// let late = Job::inelastic(1).remaining(Seconds(60.0)).submitted(Seconds(30.0));
/// let workload = Workload {
///     jobs: vec![TraceJob::new(early), TraceJob::new(late)],
///     load: InferenceLoad::new([(Seconds(0.0), 0.95), (Seconds(300.0), 0.40)])?,
/// };
/// assert_eq!(workload.load.at(Seconds(299.0)), 0.95);
/// # Ok::<(), aryl::sim::workload::LoadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Workload {
    /// The jobs, in ascending order of [`Job::submitted`](crate::cluster::Job).
    pub jobs: Vec<TraceJob>,
    /// The share of the inference GPUs that are busy, over time.
    pub load: InferenceLoad,
}
