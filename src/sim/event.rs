//! What happens in a simulation.

use super::metrics::Sample;
use crate::units::Seconds;

/// Something that happens in a simulation. Jobs are named by their place in the workload.
///
/// # Examples
///
/// Following a simulation, here to show how far it is:
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Fifo;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Event, Setup, Simulation};
/// use aryl::units::Seconds;
///
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let job = TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)));
/// let workload = Workload { jobs: vec![job.clone(), job], load: InferenceLoad::constant(0.5)? };
/// let mut ends = Vec::new();
/// Simulation::new(&setup, &workload)?
///     .observe(|time, event| {
///         if let Event::Ended { job } = event {
///             ends.push((*job, time));
///         }
///     })
///     .run(&mut Fifo::new())?;
/// assert_eq!(ends, [(0, Seconds(60.0)), (1, Seconds(120.0))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A job arrives, and waits.
    Submitted {
        /// The job.
        job: usize,
    },
    /// A job starts, for the first time or again.
    Started {
        /// The job.
        job: usize,
        /// The whole reference workers that its workers make up.
        reference_workers: u32,
        /// The GPUs that they hold.
        gpus: u32,
        /// Whether they are of several GPU types.
        mixed: bool,
    },
    /// The workers of a running job changed: their number, or where they are.
    Resized {
        /// The job.
        job: usize,
        /// The whole reference workers that its workers make up now.
        reference_workers: u32,
        /// The GPUs that they hold now.
        gpus: u32,
        /// Whether they are of several GPU types.
        mixed: bool,
    },
    /// A job was stopped, and waits again.
    Preempted {
        /// The job.
        job: usize,
        /// Whether a server that hosted it goes back to inference. If not, the policy stopped it for others.
        reclaimed: bool,
        /// The work that is lost, in seconds at the job's minimum.
        lost: Seconds,
    },
    /// A job has done its work.
    Ended {
        /// The job.
        job: usize,
    },
    /// Inference lent servers.
    Lent {
        /// How many.
        servers: u32,
    },
    /// Servers went back to inference.
    Returned {
        /// How many.
        servers: u32,
    },
    /// The state of the clusters, at each decision on loans.
    Sampled(Sample),
}
