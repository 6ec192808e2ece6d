//! What can be wrong with a simulation.

use super::workload::TraceJobError;
use crate::cluster::{AddGpuTypeError, AddJobError, AddServerError, StepError, UpdateJobError};
use crate::loan::LoanError;
use crate::units::Seconds;

/// Why a simulation can't begin.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// let mut setup = Setup::new(GpuType::new("V100"), 2, 8);
/// setup.loan_interval = Seconds(0.0);
/// let workload = Workload { jobs: vec![], load: InferenceLoad::constant(0.5)? };
/// let error = Simulation::new(&setup, &workload).unwrap_err();
/// assert!(matches!(error, SetupError::Time { what: "loan interval", .. }));
/// assert_eq!(error.to_string(), "the loan interval of 0 s is not in range: from 1 ms to 2^43 ms");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A GPU type makes no sense.
    #[error(transparent)]
    GpuType(#[from] AddGpuTypeError),
    /// A server makes no sense.
    #[error(transparent)]
    Server(#[from] AddServerError),
    /// The inference cluster makes no sense.
    #[error(transparent)]
    Loan(#[from] LoanError),
    /// A time of the setup is not positive, where it must be, or can't be counted.
    #[error("the {what} of {time} is not in range: from {lowest} ms to 2^43 ms")]
    Time {
        /// Which time.
        what: &'static str,
        /// The time given.
        time: Seconds,
        /// The lowest allowed.
        lowest: u64,
    },
    /// The two clusters have more servers than [`Setup::MAX_SERVERS`](super::Setup::MAX_SERVERS).
    #[error("the setup has {servers} servers, above the limit of {limit}")]
    TooManyServers {
        /// The number given, of both clusters together.
        servers: u64,
        /// The largest number allowed.
        limit: u32,
    },
    /// There are more jobs than ids can name.
    #[error("the workload has {jobs} jobs, above the limit of {limit}")]
    TooManyJobs {
        /// The number given.
        jobs: usize,
        /// The largest number allowed.
        limit: usize,
    },
    /// A job can't be held by the cluster.
    #[error("job {job} of the workload: {source}")]
    Job {
        /// Its place in the workload.
        job: usize,
        /// What is wrong with it.
        source: AddJobError,
    },
    /// What the trace adds to a job makes no sense.
    #[error("job {job} of the workload: {source}")]
    TraceJob {
        /// Its place in the workload.
        job: usize,
        /// What is wrong with it.
        source: TraceJobError,
    },
    /// A job is submitted before 0, too late to be counted, or before the job that precedes it.
    #[error("job {job} of the workload is submitted at {time}: not from {earliest} on, or above 2^43 ms")]
    Submitted {
        /// Its place in the workload.
        job: usize,
        /// The time given.
        time: Seconds,
        /// The earliest allowed: the submission of the job before it.
        earliest: Seconds,
    },
    /// A job runs for less than a millisecond or longer than can be counted.
    #[error("job {job} of the workload runs for {time}: not from 1 ms to 2^43 ms")]
    RunningTime {
        /// Its place in the workload.
        job: usize,
        /// The time given.
        time: Seconds,
    },
    /// A job fits on the servers neither of the training cluster nor of both clusters, were they empty.
    #[error("job {job} of the workload asks for {workers} workers, and the servers have room for {room}")]
    TooLarge {
        /// Its place in the workload.
        job: usize,
        /// The reference workers that it requests.
        workers: u32,
        /// The reference workers that would find a place on empty servers.
        room: u64,
    },
}

/// Why a simulation could not go on.
///
/// # Examples
///
/// A policy that starts nobody:
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::epoch::Action;
/// use aryl::sim::policy::{Policy, PolicyError, View};
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation, SimulationError};
/// use aryl::units::Seconds;
///
/// struct Idle;
/// impl Policy for Idle {
///     fn name(&self) -> &str {
///         "idle"
///     }
///
///     fn decide(&mut self, _: &View<'_>, _: &mut Vec<Action>) -> Result<(), PolicyError> {
///         Ok(())
///     }
/// }
///
/// let job = TraceJob::new(Job::inelastic(2).remaining(Seconds(60.0)));
/// let workload = Workload { jobs: vec![job], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let error = Simulation::new(&setup, &workload)?.run(&mut Idle).unwrap_err();
/// assert!(matches!(error, SimulationError::Stalled { waiting: 1, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The policy took a step that the cluster does not allow.
    #[error("at {time} step {step} of the policy's decision can't be carried out: {reason}")]
    Step {
        /// When.
        time: Seconds,
        /// The place of the step in the decision, from 0.
        step: usize,
        /// Why it can't.
        reason: StepError,
    },
    /// The policy could not decide.
    #[error("at {time} the policy could not decide: {source}")]
    Policy {
        /// When.
        time: Seconds,
        /// Why.
        source: super::PolicyError,
    },
    /// What the policy says that a job is worth makes no sense.
    #[error("at {time} the policy's worth of job {job} of the workload is refused: {source}")]
    Worth {
        /// When.
        time: Seconds,
        /// The place of the job in the workload.
        job: usize,
        /// Why it can't.
        source: UpdateJobError,
    },
    /// Another number of servers changed hands than the inference side asked for.
    #[error("at {time} {done} servers were {verb}, where {asked} were asked for")]
    Loan {
        /// When.
        time: Seconds,
        /// What was done: "returned" or "lent".
        verb: &'static str,
        /// How many were.
        done: u32,
        /// How many should have been.
        asked: u32,
    },
    /// Jobs wait, nothing runs, nothing will arrive, and the policy starts none of them.
    #[error("from {time} on {waiting} jobs wait and the policy starts none of them")]
    Stalled {
        /// When.
        time: Seconds,
        /// How many jobs wait.
        waiting: usize,
    },
    /// No job ended or arrived in 2^24 decisions, or the clock reached 2^53 ms: the policy stops jobs again and again, or
    /// the intervals of the setup are very short beside the running times.
    #[error("at {time} the simulation is given up: {unfinished} jobs have not ended, and none does")]
    Endless {
        /// When.
        time: Seconds,
        /// How many.
        unfinished: usize,
    },
}
