//! One step of a plan.

use core::fmt;

use crate::id::{JobId, ServerId};

/// Why workers leave a job that runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Cause {
    /// Their server goes back to inference.
    ServerReturns,
    /// Their GPUs are worth more to another job, or make room for a gang that starts.
    Reallocated,
}

/// One step of a plan. A plan lists its steps in the order in which they must be carried out.
///
/// # Examples
///
/// ```
/// use aryl::epoch::{Action, Cause};
/// use aryl::id::{JobId, ServerId};
///
/// let (job, server) = (JobId::new(2), ServerId::new(5));
/// let action = Action::ScaleIn { job, server, workers: 3, cause: Cause::ServerReturns };
/// assert_eq!(action.to_string(), "scale in job 2: 3 workers leave server 5, which returns");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Action {
    /// Stop all workers of a job, on every server.
    Preempt {
        /// The job, which then waits again.
        job: JobId,
    },
    /// Stop some workers of a job that runs on.
    ///
    /// Flexible workers on the server leave before base workers. Where base workers leave, flexible workers elsewhere
    /// take their place, as [`Cluster::scale_in`](crate::cluster::Cluster::scale_in) says.
    ScaleIn {
        /// The job.
        job: JobId,
        /// The server they leave.
        server: ServerId,
        /// How many leave.
        workers: u32,
        /// Why they leave.
        cause: Cause,
    },
    /// Give an on-loan server, now empty, back to inference.
    Return {
        /// The server.
        server: ServerId,
    },
    /// Take an inference server on loan.
    Lend {
        /// The server.
        server: ServerId,
    },
    /// Start base workers of a waiting job. The `Start` steps of one job stand next to each other, and together are its
    /// whole gang.
    Start {
        /// The job.
        job: JobId,
        /// The server that hosts these workers.
        server: ServerId,
        /// How many of its workers this server hosts.
        workers: u32,
    },
    /// Start flexible workers of a job that runs or was just started.
    ScaleOut {
        /// The job.
        job: JobId,
        /// The server that hosts them.
        server: ServerId,
        /// How many start there.
        workers: u32,
    },
    /// Leave a running job as it is.
    Keep {
        /// The job.
        job: JobId,
    },
}

impl Action {
    /// Whether carrying out the step changes the cluster: all but [`Action::Keep`] do.
    #[must_use]
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::Keep { .. })
    }

    /// The place of this kind of step in a plan, from 0.
    pub(crate) const fn stage(&self) -> u8 {
        match self {
            Self::Preempt { .. } => 0,
            Self::ScaleIn { .. } => 1,
            Self::Return { .. } => 2,
            Self::Lend { .. } => 3,
            Self::Start { .. } => 4,
            Self::ScaleOut { .. } => 5,
            Self::Keep { .. } => 6,
        }
    }
}

/// A count of workers with its noun in the right number.
struct Workers(u32);

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} worker{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Preempt { job } => write!(f, "preempt {job}"),
            Self::ScaleIn { job, server, workers, cause } => {
                let verb = if workers == 1 { "leaves" } else { "leave" };
                write!(f, "scale in {job}: {} {verb} {server}", Workers(workers))?;
                match cause {
                    Cause::ServerReturns => f.write_str(", which returns"),
                    Cause::Reallocated => Ok(()),
                }
            }
            Self::Return { server } => write!(f, "return {server}"),
            Self::Lend { server } => write!(f, "lend {server}"),
            Self::Start { job, server, workers } => {
                write!(f, "start {job}: {} on {server}", Workers(workers))
            }
            Self::ScaleOut { job, server, workers } => {
                write!(f, "scale out {job}: {} on {server}", Workers(workers))
            }
            Self::Keep { job } => write!(f, "keep {job}"),
        }
    }
}
