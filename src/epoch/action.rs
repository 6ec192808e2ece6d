//! One step of a plan.

use core::fmt;

use crate::id::{JobId, ServerId};

/// Why workers leave a job that runs on.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::epoch::{Action, Cause, Epoch, Request};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 4))?;
/// let job = cluster.add_job(Job::elastic(2..=4))?;
/// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 2)])?;
/// cluster.add_job(Job::inelastic(2))?;
/// // A gang of two starts where two flexible workers were.
/// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
/// assert_eq!(plan.actions()[0], Action::ScaleIn { job, server, workers: 2, cause: Cause::Reallocated });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// Their server goes back to inference.
    ServerReturns,
    /// Their GPUs are worth more to another job, or make room for a gang that starts.
    Reallocated,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ServerReturns => "their server returns",
            Self::Reallocated => "their GPUs are given to another job",
        })
    }
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
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::epoch::Action;
    /// use aryl::id::{JobId, ServerId};
    ///
    /// assert!(Action::Return { server: ServerId::new(0) }.is_change());
    /// assert!(!Action::Keep { job: JobId::new(0) }.is_change());
    /// ```
    #[must_use]
    pub const fn is_change(&self) -> bool {
        !matches!(self, Self::Keep { .. })
    }

    /// What a plan is sorted by: the kind of step, then the job, then the server.
    pub(crate) const fn order(&self) -> (u8, u32, u32) {
        match *self {
            Self::Preempt { job } => (0, job.get(), 0),
            Self::ScaleIn { job, server, .. } => (1, job.get(), server.get()),
            Self::Return { server } => (2, 0, server.get()),
            Self::Lend { server } => (3, 0, server.get()),
            Self::Start { job, server, .. } => (4, job.get(), server.get()),
            Self::ScaleOut { job, server, .. } => (5, job.get(), server.get()),
            Self::Keep { job } => (6, job.get(), 0),
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
