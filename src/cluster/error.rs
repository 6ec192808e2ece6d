//! Why a change to a cluster is refused: one enum for each change.

use super::{JobError, Pool};
use crate::id::{GpuTypeId, JobId, ServerId};

/// Why workers can't be placed.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(4))?;
/// let error = cluster.place(job, &[Placement::base(server, 3)]).unwrap_err();
/// assert_eq!(error.to_string(), "job 0 asks for 12 GPUs on server 0, which has 8 free");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The cluster holds no such job.
    #[error("the cluster holds no {job}")]
    UnknownJob {
        /// The id given.
        job: JobId,
    },
    /// The cluster holds no such server.
    #[error("the cluster holds no {server}")]
    UnknownServer {
        /// The id given.
        server: ServerId,
    },
    /// The job runs already.
    #[error("{job} is placed already")]
    AlreadyPlaced {
        /// The job.
        job: JobId,
    },
    /// The job waits, so it can't be scaled.
    #[error("{job} is not running")]
    NotRunning {
        /// The job.
        job: JobId,
    },
    /// A placement has no worker.
    #[error("{job} is placed with 0 workers on {server}")]
    ZeroWorkers {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// Flexible workers are marked as ones that can't be lost.
    #[error("flexible workers of {job} on {server} can't be pinned")]
    PinnedFlexible {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// The server serves inference.
    #[error("{server} is in the {pool} pool, which training may not use")]
    NotForTraining {
        /// The server.
        server: ServerId,
        /// Its pool.
        pool: Pool,
    },
    /// The job does not allow the server's GPU type.
    #[error("{job} does not allow {gpu_type} of {server}")]
    GpuTypeNotAllowed {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// The server's type.
        gpu_type: GpuTypeId,
    },
    /// The job would run on two GPU types and may not.
    #[error("{job} may not mix {first} and {second} in one run")]
    MixedGpuTypes {
        /// The job.
        job: JobId,
        /// One type.
        first: GpuTypeId,
        /// The other type.
        second: GpuTypeId,
    },
    /// One worker needs more GPUs than the whole server has.
    #[error("a worker of {job} needs {gpus_per_worker} GPUs, and {server} has {gpus}")]
    WorkerExceedsServer {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// GPUs of one worker.
        gpus_per_worker: u32,
        /// GPUs of the server.
        gpus: u32,
    },
    /// The server has too few free GPUs.
    #[error("{job} asks for {gpus} GPUs on {server}, which has {free} free")]
    NotEnoughGpus {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// GPUs asked for.
        gpus: u64,
        /// GPUs free.
        free: u32,
    },
    /// The base workers make up fewer reference workers than the job's minimum.
    #[error("the base workers of {job} make up {workers} reference workers, below its minimum of {min}")]
    BelowMinimum {
        /// The job.
        job: JobId,
        /// Reference workers that the base workers make up.
        workers: u64,
        /// The job's minimum.
        min: u32,
    },
    /// There are more base workers than the job's minimum needs: the others are flexible.
    #[error("{job} has {workers} base workers, more than its minimum of {min} reference workers needs")]
    BaseAboveMinimum {
        /// The job.
        job: JobId,
        /// The base workers given.
        workers: u64,
        /// The job's minimum.
        min: u32,
    },
    /// There are more workers than the job's maximum.
    #[error("{job} would have {workers} workers, more than its maximum of {max} reference workers needs")]
    AboveMaximum {
        /// The job.
        job: JobId,
        /// The workers it would have.
        workers: u64,
        /// The job's maximum.
        max: u32,
    },
}

/// Why workers can't be taken from a server.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=4))?;
/// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 2)])?;
/// let error = cluster.scale_in(job, server, 3).unwrap_err();
/// assert_eq!(error.to_string(), "job 0 would be left with 1 reference workers, below its minimum of 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScaleInError {
    /// The cluster holds no such job.
    #[error("the cluster holds no {job}")]
    UnknownJob {
        /// The id given.
        job: JobId,
    },
    /// The cluster holds no such server.
    #[error("the cluster holds no {server}")]
    UnknownServer {
        /// The id given.
        server: ServerId,
    },
    /// No worker is to be taken.
    #[error("{job} is scaled in by 0 workers")]
    ZeroWorkers {
        /// The job.
        job: JobId,
    },
    /// The job has fewer workers on the server.
    #[error("{workers} workers of {job} are to leave {server}, which hosts {held}")]
    TooFew {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// Workers to take.
        workers: u32,
        /// Workers there.
        held: u64,
    },
    /// The workers are ones that the job can't lose.
    #[error("the base workers of {job} on {server} are pinned, so they can't leave")]
    Pinned {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// Too little of the job would be left.
    #[error("{job} would be left with {left} reference workers, below its minimum of {min}")]
    BelowMinimum {
        /// The job.
        job: JobId,
        /// Reference workers left.
        left: u64,
        /// The job's minimum.
        min: u32,
    },
}

/// Why a job can't be stopped.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, StopError};
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// assert_eq!(cluster.stop(job), Err(StopError::NotRunning { job }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopError {
    /// The cluster holds no such job.
    #[error("the cluster holds no {job}")]
    UnknownJob {
        /// The id given.
        job: JobId,
    },
    /// The job waits already.
    #[error("{job} is not running")]
    NotRunning {
        /// The job.
        job: JobId,
    },
}

/// Why a server can't be removed.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, RemoveServerError};
/// use aryl::id::ServerId;
///
/// let server = ServerId::new(7);
/// assert_eq!(Cluster::new().remove_server(server), Err(RemoveServerError::UnknownServer { server }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoveServerError {
    /// The cluster holds no such server.
    #[error("the cluster holds no {server}")]
    UnknownServer {
        /// The id given.
        server: ServerId,
    },
    /// The server hosts workers.
    #[error("{server} hosts workers of {job}, so it can't be removed")]
    Occupied {
        /// The server.
        server: ServerId,
        /// The first of its tenants.
        job: JobId,
    },
}

/// Why a server can't be moved to a pool.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::on_loan(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// cluster.place(job, &[Placement::base(server, 1)])?;
/// let error = cluster.set_pool(server, Pool::Inference).unwrap_err();
/// assert_eq!(error.to_string(), "server 0 hosts workers of job 0, so it can't serve inference");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetPoolError {
    /// The cluster holds no such server.
    #[error("the cluster holds no {server}")]
    UnknownServer {
        /// The id given.
        server: ServerId,
    },
    /// The server hosts training workers, so it can't serve inference.
    #[error("{server} hosts workers of {job}, so it can't serve inference")]
    Occupied {
        /// The server.
        server: ServerId,
        /// The first of its tenants.
        job: JobId,
    },
}

/// Why the definition of a job can't be replaced.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(4))?;
/// cluster.place(job, &[Placement::base(server, 4)])?;
/// // It runs with four workers, so it can't be a job of at least five.
/// let error = cluster.update_job(job, Job::inelastic(5)).unwrap_err();
/// assert_eq!(error.to_string(), "the base workers of job 0 make up 4 reference workers, below its minimum of 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateJobError {
    /// The cluster holds no such job.
    #[error("the cluster holds no {job}")]
    UnknownJob {
        /// The id given.
        job: JobId,
    },
    /// The new definition is wrong in itself.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The job runs, and its workers would change their size.
    #[error("{job} runs with {old} GPUs a worker, which can't become {new}")]
    GpusPerWorker {
        /// The job.
        job: JobId,
        /// GPUs a worker now.
        old: u32,
        /// GPUs a worker in the new definition.
        new: u32,
    },
    /// The new definition does not allow where the job runs now.
    #[error(transparent)]
    Running(#[from] PlaceError),
}
