//! Carrying out a plan.

use super::{Cluster, PlaceError, Placement, Pool, ScaleInError, SetPoolError, StopError};
use crate::epoch::{Action, Plan};
use crate::id::{JobId, ServerId};

impl Cluster {
    /// Carries out a plan on the snapshot: afterwards the cluster is what the real one should have become.
    ///
    /// All steps are carried out, or none: on an error the cluster is unchanged.
    ///
    /// # Errors
    ///
    /// [`ApplyError`] names the first step that the cluster does not allow. A plan that was made from this very cluster
    /// never gives one.
    ///
    /// # Complexity
    ///
    /// O(cluster + steps), and the placements of a job for each step that takes base workers from it. The cluster is
    /// copied, so that an error can leave it unchanged: unlike the planner, this allocates.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::epoch::{Epoch, Request};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8))?;
    /// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
    /// cluster.apply(&plan)?;
    /// assert_eq!(cluster.workers(job), 8);
    ///
    /// // The job runs already, so it can't be started again: the first step fails, and nothing changes.
    /// let error = cluster.apply(&plan).unwrap_err();
    /// assert_eq!(error.step, 0);
    /// assert_eq!(cluster.workers(job), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        let mut after = self.clone();
        let actions = plan.actions();
        let mut at = 0;
        while at < actions.len() {
            at += after.carry_out(actions, at)?;
        }
        *self = after;
        Ok(())
    }

    /// Carries out the step at `at`, and with a `Start` the rest of its gang. Returns how many steps that were.
    fn carry_out(&mut self, actions: &[Action], at: usize) -> Result<usize, ApplyError> {
        let failed = |reason: StepError| ApplyError { step: at, reason };
        match actions[at] {
            Action::Preempt { job } => self.stop(job).map_err(|error| failed(error.into()))?,
            Action::ScaleIn { job, server, workers, .. } => {
                self.scale_in(job, server, workers).map_err(|error| failed(error.into()))?;
            }
            Action::Return { server } => {
                self.change_pool(server, Pool::OnLoan, Pool::Inference).map_err(failed)?;
            }
            Action::Lend { server } => {
                self.change_pool(server, Pool::Inference, Pool::OnLoan).map_err(failed)?;
            }
            Action::Start { job, .. } => {
                let gang: alloc::vec::Vec<Placement> = actions[at..]
                    .iter()
                    .map_while(|action| match *action {
                        Action::Start { job: other, server, workers } if other == job => {
                            Some(Placement::base(server, workers))
                        }
                        _ => None,
                    })
                    .collect();
                self.place(job, &gang).map_err(|error| failed(error.into()))?;
                return Ok(gang.len());
            }
            Action::ScaleOut { job, server, workers } => {
                self.scale_out(job, server, workers).map_err(|error| failed(error.into()))?;
            }
            Action::Keep { job } => {
                if !self.is_running(job) {
                    return Err(failed(StepError::NotRunning { job }));
                }
            }
        }
        Ok(1)
    }

    fn change_pool(&mut self, server: ServerId, from: Pool, to: Pool) -> Result<(), StepError> {
        match self.server(server) {
            Some(definition) if definition.pool != from => {
                Err(StepError::WrongPool { server, pool: definition.pool, expected: from })
            }
            _ => Ok(self.set_pool(server, to)?),
        }
    }
}

/// A step of a plan that the cluster does not allow. No step was carried out.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::epoch::{Epoch, Request};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
/// cluster.apply(&plan)?;
/// // The server is back with inference: it can't return once more.
/// assert_eq!(
///     cluster.apply(&plan).unwrap_err().to_string(),
///     "step 0 of the plan can't be carried out: server 0 is in the inference pool, not the on-loan pool"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step} of the plan can't be carried out: {reason}")]
pub struct ApplyError {
    /// The place of the step in [`Plan::actions`], from 0.
    pub step: usize,
    /// Why the cluster does not allow it.
    #[source]
    pub reason: StepError,
}

/// Why a cluster does not allow a step of a plan.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server, StepError};
/// use aryl::epoch::{Epoch, Request};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(8))?;
/// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
/// // The job ends while the plan is on its way.
/// cluster.remove_job(job);
/// let error = cluster.apply(&plan).unwrap_err();
/// assert!(matches!(error.reason, StepError::Place(_)));
/// assert_eq!(error.reason.to_string(), "the cluster holds no job 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The job of a preemption can't be stopped.
    #[error(transparent)]
    Stop(#[from] StopError),
    /// Workers can't leave.
    #[error(transparent)]
    ScaleIn(#[from] ScaleInError),
    /// Workers can't be placed.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A server can't change its pool.
    #[error(transparent)]
    SetPool(#[from] SetPoolError),
    /// A server that is to return or to be lent is not in the pool it is to leave.
    #[error("{server} is in the {pool} pool, not the {expected} pool")]
    WrongPool {
        /// The server.
        server: ServerId,
        /// The pool it is in.
        pool: Pool,
        /// The pool it is to leave.
        expected: Pool,
    },
    /// A job that is to be kept does not run.
    #[error("{job} is not running")]
    NotRunning {
        /// The job.
        job: JobId,
    },
}
