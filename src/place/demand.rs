//! What is to be placed, and what can be wrong with it.

use crate::cluster::{Cluster, Job};
use crate::id::JobId;

/// A waiting job that is to be placed: its whole base demand, and flexible workers if there is room.
///
/// # Examples
///
/// ```
/// use aryl::id::JobId;
/// use aryl::place::Demand;
///
/// let demand = Demand::new(JobId::new(3)).flexible(2);
/// assert_eq!((demand.job.get(), demand.flexible), (3, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Demand {
    /// The job.
    pub job: JobId,
    /// How many reference workers above its minimum it is to get, if there is room. They are placed after all gangs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub flexible: u32,
}

impl Demand {
    /// The base demand of a job, without flexible workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6))?;
    /// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job)])?;
    /// // 8 GPUs are free, and it gets its minimum.
    /// assert_eq!(answer.get(job).iter().map(|placement| placement.workers).sum::<u32>(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn new(job: JobId) -> Self {
        Self { job, flexible: 0 }
    }

    /// The same demand with so many reference workers above the job's minimum, as far as there is room.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Role, Server};
    /// use aryl::place::{BestFitDecreasing, Demand};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 5))?;
    /// let job = cluster.add_job(Job::elastic(2..=6))?;
    /// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job).flexible(4)])?;
    /// // Four are wanted above the two of the base, and there is room for three.
    /// let flexible = answer.get(job).iter().find(|placement| placement.role == Role::Flexible);
    /// assert_eq!(flexible.map(|placement| placement.workers), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn flexible(mut self, reference_workers: u32) -> Self {
        self.flexible = reference_workers;
        self
    }

    /// Checks the demand against the cluster it is for.
    pub(super) fn check<'a>(&self, cluster: &'a Cluster) -> Result<&'a Job, DemandError> {
        let &Self { job, flexible } = self;
        let definition = cluster.job(job).ok_or(DemandError::UnknownJob { job })?;
        if cluster.is_running(job) {
            return Err(DemandError::Running { job });
        }
        let limit = definition.max_workers - definition.min_workers;
        if flexible > limit {
            return Err(DemandError::AboveMaximum { job, flexible, limit });
        }
        Ok(definition)
    }
}

/// Why demands can't be placed: one of them makes no sense.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job};
/// use aryl::place::{BestFitDecreasing, Demand};
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let job = cluster.add_job(Job::elastic(2..=6))?;
/// let error = BestFitDecreasing.solve(&cluster, &[Demand::new(job).flexible(5)]).unwrap_err();
/// assert_eq!(error.to_string(), "job 0 is to get 5 flexible workers, above its limit of 4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DemandError {
    /// The cluster holds no such job.
    #[error("the cluster holds no {job}")]
    UnknownJob {
        /// The id given.
        job: JobId,
    },
    /// The job runs already.
    #[error("{job} is running already")]
    Running {
        /// The job.
        job: JobId,
    },
    /// Two demands name the same job.
    #[error("{job} is to be placed twice")]
    Twice {
        /// The job; the one with the lowest id, where there are several.
        job: JobId,
    },
    /// More flexible workers are asked for than the job can use.
    #[error("{job} is to get {flexible} flexible workers, above its limit of {limit}")]
    AboveMaximum {
        /// The job.
        job: JobId,
        /// Reference workers asked for above the minimum.
        flexible: u32,
        /// Reference workers between its minimum and its maximum.
        limit: u32,
    },
}
