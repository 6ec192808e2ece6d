//! A snapshot of a cluster: GPU types, servers, jobs, and who runs where.
//!
//! [`Cluster`] is an arena. It can be cleared and filled again for each decision, or kept and changed between decisions:
//! add, place, remove. It checks what enters, so the solvers need not. Both directions of "who runs where" are at hand:
//! [`Cluster::placements`] of a job, [`Cluster::tenants`] of a server, each a plain slice.
//!
//! A job that is placed has all of its base workers, or it would not run. So a job is either waiting, with no worker, or
//! running, with at least its minimum; there is nothing between.

mod apply;
mod change;
mod error;
mod gpu_type;
mod inventory;
mod job;
mod job_builder;
mod job_error;
mod occupancy;
mod placement;
mod query;
mod server;
#[cfg(feature = "serde")]
mod snapshot;

pub use apply::{ApplyError, StepError};
pub use error::{PlaceError, RemoveServerError, ScaleInError, SetPoolError, StopError, UpdateJobError};
pub use gpu_type::{AddGpuTypeError, GpuType};
pub(crate) use inventory::{Inventory, Tally};
pub use job::{AllowedGpuTypes, Job};
pub use job_error::JobError;
pub(crate) use occupancy::Occupancy;
pub use placement::{Placement, Role, Tenant};
pub use server::{AddServerError, Pool, Server};

use crate::id::{GpuTypeId, JobId, ServerId};

/// A snapshot of a cluster: GPU types, servers, jobs, and who runs where.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let first = cluster.add_server(Server::training(v100, 8))?;
/// let second = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=4).gpus_per_worker(4))?;
/// cluster.place(job, &[Placement::base(first, 2), Placement::flexible(second, 1)])?;
///
/// assert_eq!(cluster.free_gpus(first), 0);
/// assert_eq!(cluster.free_gpus(second), 4);
/// assert_eq!(cluster.tenants(second)[0].job, job);
/// assert_eq!(cluster.placements(job).len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Equality
///
/// Two clusters are equal when they hold the same things under the same ids, whatever changes led there.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "snapshot::Snapshot", into = "snapshot::Snapshot")
)]
pub struct Cluster {
    inventory: Inventory,
    occupancy: Occupancy,
    /// The sum of the preemption costs of all jobs, so that no solver's sum can overflow.
    total_preemption_cost: u64,
}

impl Cluster {
    /// A cluster that holds nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Cluster;
    ///
    /// let cluster = Cluster::new();
    /// assert_eq!((cluster.gpu_types().count(), cluster.servers().count(), cluster.jobs().count()), (0, 0, 0));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, and keeps the memory for the next filling. Ids start at 0 again.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// assert_eq!(v100.index(), 0);
    /// cluster.clear();
    /// assert_eq!(cluster, Cluster::new());
    /// assert_eq!(cluster.add_gpu_type(GpuType::new("A100"))?.index(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + jobs).
    pub fn clear(&mut self) {
        self.inventory.clear();
        self.occupancy.clear();
        self.total_preemption_cost = 0;
    }

    /// Adds a kind of GPU. The first is the reference, at speed 1 : 1.
    ///
    /// # Errors
    ///
    /// [`AddGpuTypeError`] where the speed has a 0 or too large a number in it, or where the first type is not at speed
    /// 1 : 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{AddGpuTypeError, Cluster, GpuType};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1))?;
    /// assert_eq!((v100.index(), a100.index()), (0, 1));
    /// assert_eq!(
    ///     cluster.add_gpu_type(GpuType::new("T4").speed(0, 3)),
    ///     Err(AddGpuTypeError::ZeroSpeed { numerator: 0, denominator: 3 })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1) amortized.
    pub fn add_gpu_type(&mut self, gpu_type: GpuType) -> Result<GpuTypeId, AddGpuTypeError> {
        let id = next_id(self.inventory.gpu_types.len()).ok_or(AddGpuTypeError::Full { limit: u32::MAX })?;
        let speed = gpu_type.check(id == 0)?;
        self.inventory.gpu_types.push(gpu_type);
        self.inventory.speeds.push(speed);
        Ok(GpuTypeId::new(id))
    }

    /// Adds a server that hosts nothing yet.
    ///
    /// # Errors
    ///
    /// [`AddServerError`] where the GPU type is unknown, or the number of GPUs is 0 or above [`Server::MAX_GPUS`].
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{AddServerError, Cluster, GpuType, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// assert_eq!(cluster.free_gpus(server), 8);
    /// assert_eq!(
    ///     cluster.add_server(Server::training(v100, 2_000)),
    ///     Err(AddServerError::TooManyGpus { gpus: 2_000, limit: 1_024 })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1) amortized.
    pub fn add_server(&mut self, server: Server) -> Result<ServerId, AddServerError> {
        let id = next_id(self.inventory.servers.len()).ok_or(AddServerError::Full { limit: u32::MAX })?;
        if self.speed(server.gpu_type).is_none() {
            return Err(AddServerError::UnknownGpuType { gpu_type: server.gpu_type });
        }
        if server.gpus == 0 {
            return Err(AddServerError::ZeroGpus);
        }
        if server.gpus > Server::MAX_GPUS {
            return Err(AddServerError::TooManyGpus { gpus: server.gpus, limit: Server::MAX_GPUS });
        }
        self.inventory.servers.push(Some(server));
        self.occupancy.push_server(server.gpus);
        Ok(ServerId::new(id))
    }

    /// Adds a job that waits.
    ///
    /// # Errors
    ///
    /// [`JobError`] names the first thing that is wrong with it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{AddJobError, Cluster, GpuType, Job, JobError};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let job = cluster.add_job(Job::elastic(1..=4).remaining(Seconds(600.0)))?;
    /// assert!(!cluster.is_running(job));
    /// let error = cluster.add_job(Job::elastic(5..=4)).unwrap_err();
    /// assert_eq!(error, AddJobError::Job(JobError::MinAboveMax { min: 5, max: 4 }));
    /// assert_eq!(error.to_string(), "the job asks for at least 5 workers and at most 4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(GPU types that the job lists), amortized.
    pub fn add_job(&mut self, job: Job) -> Result<JobId, AddJobError> {
        let id = next_id(self.inventory.jobs.len()).ok_or(AddJobError::Full { limit: u32::MAX })?;
        self.check_job(&job, self.total_preemption_cost)?;
        self.total_preemption_cost += job.preemption_cost;
        self.inventory.jobs.push(Some(job));
        self.occupancy.push_job();
        Ok(JobId::new(id))
    }

    /// Checks a job that is to be held beside others whose preemption costs add up to `total`.
    fn check_job(&self, job: &Job, total: u64) -> Result<(), JobError> {
        job.check(self.inventory.gpu_types.len())?;
        let cost = job.preemption_cost;
        if total.checked_add(cost).is_none() {
            return Err(JobError::PreemptionCostOverflow { cost, total });
        }
        Ok(())
    }

    pub(crate) fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    pub(crate) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// The books without the rules, so that the tests of `verify` can break one.
    #[cfg(test)]
    pub(crate) fn occupancy_mut(&mut self) -> &mut Occupancy {
        &mut self.occupancy
    }
}

/// Why a job can't be added.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{AddJobError, Cluster, GpuType, Job, JobError};
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// assert_eq!(cluster.add_job(Job::inelastic(0)), Err(AddJobError::Job(JobError::ZeroWorkers)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AddJobError {
    /// Something is wrong with the job.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The cluster holds as many jobs as ids can name.
    #[error("the cluster holds {limit} jobs already, as many as there can be")]
    Full {
        /// The number of jobs there can be.
        limit: u32,
    },
}

/// The id of the next of `count` things. The last `u32` stays unused, so that a count fits too.
fn next_id(count: usize) -> Option<u32> {
    u32::try_from(count).ok().filter(|&id| id < u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_u32_is_no_id() {
        let most = u32::MAX as usize;
        assert_eq!([0, most - 1, most].map(next_id), [Some(0), Some(u32::MAX - 1), None]);
    }
}
