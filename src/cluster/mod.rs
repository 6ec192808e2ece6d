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
mod occupancy;
mod placement;
mod server;
#[cfg(feature = "serde")]
mod snapshot;

pub use apply::{ApplyError, StepError};
pub use error::{PlaceError, RemoveServerError, ScaleInError, SetPoolError, StopError, UpdateJobError};
pub use gpu_type::{AddGpuTypeError, GpuType};
pub(crate) use inventory::{Inventory, Tally};
pub use job::{AllowedGpuTypes, Job, JobError};
pub(crate) use occupancy::Occupancy;
pub use placement::{Placement, Role, Tenant};
pub use server::{AddServerError, Pool, Server};

use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::{Seconds, Speed};

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

    /// The GPU types, in ascending order of ids.
    pub fn gpu_types(&self) -> impl Iterator<Item = (GpuTypeId, &GpuType)> {
        (0..).zip(&self.inventory.gpu_types).map(|(index, gpu_type)| (GpuTypeId::new(index), gpu_type))
    }

    /// The servers, in ascending order of ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Pool, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// cluster.add_server(Server::on_loan(v100, 4))?;
    /// let lent = cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan);
    /// assert_eq!(lent.map(|(_, server)| server.gpus).sum::<u32>(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn servers(&self) -> impl Iterator<Item = (ServerId, &Server)> {
        self.inventory.servers()
    }

    /// The jobs, waiting and running, in ascending order of ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let job = cluster.add_job(Job::elastic(1..=2))?;
    /// cluster.add_job(Job::inelastic(1))?;
    /// let elastic: Vec<_> = cluster.jobs().filter(|(_, job)| job.is_elastic()).map(|(id, _)| id).collect();
    /// assert_eq!(elastic, [job]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, &Job)> {
        self.inventory.jobs()
    }

    /// A GPU type, or `None` where the cluster does not hold it.
    #[must_use]
    pub fn gpu_type(&self, gpu_type: GpuTypeId) -> Option<&GpuType> {
        self.inventory.gpu_types.get(gpu_type.index())
    }

    /// The speed of a GPU type relative to the reference, in lowest terms, or `None` where the cluster does not hold
    /// it.
    #[must_use]
    pub fn speed(&self, gpu_type: GpuTypeId) -> Option<Speed> {
        self.inventory.speed(gpu_type)
    }

    /// A server, or `None` where the cluster does not hold it.
    #[must_use]
    pub fn server(&self, server: ServerId) -> Option<&Server> {
        self.inventory.server(server)
    }

    /// A job, or `None` where the cluster does not hold it.
    #[must_use]
    pub fn job(&self, job: JobId) -> Option<&Job> {
        self.inventory.job(job)
    }

    /// The GPUs of a server that no worker holds; 0 where the cluster does not hold the server.
    ///
    /// GPUs of a server in the inference pool count as free too, though no training job may use them.
    #[must_use]
    pub fn free_gpus(&self, server: ServerId) -> u32 {
        self.occupancy.free(server)
    }

    /// Who runs on a server, in ascending order of jobs and, within a job, base before flexible.
    ///
    /// # Complexity
    ///
    /// O(1), and O(1) for each step of a walk through the slice.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(job, &[Placement::base(server, 1), Placement::flexible(server, 2)])?;
    /// let held: Vec<_> = cluster.tenants(server).iter().map(|tenant| (tenant.job, tenant.role, tenant.workers)).collect();
    /// assert_eq!(held, [(job, Role::Base, 1), (job, Role::Flexible, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tenants(&self, server: ServerId) -> &[Tenant] {
        self.occupancy.tenants(server)
    }

    /// Where a job runs, in ascending order of servers and, on one server, base before flexible. Empty while it waits.
    ///
    /// # Complexity
    ///
    /// O(1), and O(1) for each step of a walk through the slice.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(1..=3))?;
    /// assert!(cluster.placements(job).is_empty());
    /// cluster.place(job, &[Placement::flexible(server, 2), Placement::base(server, 1)])?;
    /// assert_eq!(cluster.placements(job), [Placement::base(server, 1), Placement::flexible(server, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn placements(&self, job: JobId) -> &[Placement] {
        self.occupancy.placements(job)
    }

    /// Whether a job has workers.
    #[must_use]
    pub fn is_running(&self, job: JobId) -> bool {
        self.occupancy.is_running(job)
    }

    /// The workers of a job, of whatever GPU type they are; 0 while it waits.
    #[must_use]
    pub fn workers(&self, job: JobId) -> u64 {
        self.placements(job).iter().map(|placement| u64::from(placement.workers)).sum()
    }

    /// The whole reference workers that a job's workers make up; 0 while it waits.
    ///
    /// It is the sum, over the GPU types that the job runs on, of ⌊workers · speed⌋.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let server = cluster.add_server(Server::on_loan(t4, 8))?;
    /// let job = cluster.add_job(Job::inelastic(2).fungible())?;
    /// cluster.place(job, &[Placement::base(server, 6)])?;
    /// assert_eq!(cluster.workers(job), 6);
    /// assert_eq!(cluster.reference_workers(job), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reference_workers(&self, job: JobId) -> u64 {
        self.inventory.tally(self.placements(job)).reference_workers()
    }

    /// The time to the end of a job with the workers that it has now; `None` while it waits.
    ///
    /// It is the job's [running time](Job::running_time) with the reference workers that its workers make up, divided by
    /// its mixing efficiency where they are of more than one GPU type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(60.0)))?;
    /// assert_eq!(cluster.time_to_end(job), None);
    /// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 1)])?;
    /// assert_eq!(cluster.time_to_end(job), Some(Seconds(40.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn time_to_end(&self, job: JobId) -> Option<Seconds> {
        let (definition, placements) = (self.job(job)?, self.placements(job));
        (!placements.is_empty()).then(|| self.inventory.tally(placements).time_to_end(definition))
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
