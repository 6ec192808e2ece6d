//! Where the demands went: placements by job, and the jobs that found no room.

use alloc::vec::Vec;
use core::fmt;

use crate::cluster::Placement;
use crate::id::JobId;

/// Where the workers of each placed job go, and why each other job was not placed.
///
/// Both lists are in ascending order of job ids. Hand each entry of [`placed`](Self::placed) to
/// [`Cluster::place`](crate::cluster::Cluster::place) to carry it out.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::place::{BestFitDecreasing, Demand, UnplacedReason};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 8))?;
/// let small = cluster.add_job(Job::inelastic(3).gpus_per_worker(2))?;
/// let large = cluster.add_job(Job::inelastic(3).gpus_per_worker(4))?;
/// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(small), Demand::new(large)])?;
///
/// assert_eq!(answer.to_string(), "1 job placed with 3 workers, 1 not placed");
/// assert_eq!(answer.get(small)[0].workers, 3);
/// let unplaced = answer.unplaced()[0];
/// assert_eq!(unplaced.job, large);
/// assert_eq!(unplaced.reason, UnplacedReason::NotEnoughRoom { workers: 3, slots: 2 });
/// assert_eq!(unplaced.to_string(), "job 1 was not placed: it asks for 3 workers, and there is room for 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "written::Placements", into = "written::Placements")
)]
pub struct Placements {
    /// Each job, and where its placements end in `workers`.
    jobs: Vec<(JobId, usize)>,
    workers: Vec<Placement>,
    unplaced: Vec<Unplaced>,
}

impl Placements {
    /// The jobs that were placed, each with its workers by server and role, as
    /// [`Cluster::placements`](crate::cluster::Cluster::placements) would give them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::training(v100, 8))?;
    /// let jobs = [cluster.add_job(Job::inelastic(3))?, cluster.add_job(Job::inelastic(4))?];
    /// let answer = BestFitDecreasing.solve(&cluster, &jobs.map(Demand::new))?;
    /// assert_eq!(answer.placed().len(), 2);
    /// for (job, workers) in answer.placed() {
    ///     cluster.place(job, workers)?;
    /// }
    /// assert_eq!(cluster.free_gpus(server), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn placed(&self) -> impl ExactSizeIterator<Item = (JobId, &[Placement])> {
        (0..self.jobs.len()).map(|at| (self.jobs[at].0, self.workers_at(at)))
    }

    /// The workers of one job; empty where it was not placed.
    ///
    /// # Complexity
    ///
    /// O(log n) for n jobs placed.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::place::{BestFitDecreasing, Demand};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let first = cluster.add_server(Server::training(v100, 8))?;
    /// let second = cluster.add_server(Server::training(v100, 4))?;
    /// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(4))?;
    /// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job)])?;
    /// assert_eq!(answer.get(job), [Placement::base(first, 2), Placement::base(second, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(&self, job: JobId) -> &[Placement] {
        match self.jobs.binary_search_by_key(&job, |entry| entry.0) {
            Ok(at) => self.workers_at(at),
            Err(_) => &[],
        }
    }

    /// The jobs that were not placed, each with the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand, UnplacedReason};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 4))?;
    /// let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(8))?;
    /// let many = cluster.add_job(Job::inelastic(5))?;
    /// let answer = BestFitDecreasing.solve(&cluster, &[wide, many].map(Demand::new))?;
    /// let reasons: Vec<_> = answer.unplaced().iter().map(|unplaced| unplaced.reason).collect();
    /// // The first can never run here; the second could, on a server with one GPU more.
    /// let never = UnplacedReason::WorkerExceedsServers { gpus_per_worker: 8, largest_server: 4 };
    /// assert_eq!(reasons, [never, UnplacedReason::NotEnoughRoom { workers: 5, slots: 4 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unplaced(&self) -> &[Unplaced] {
        &self.unplaced
    }

    fn workers_at(&self, at: usize) -> &[Placement] {
        let start = at.checked_sub(1).map_or(0, |before| self.jobs[before].1);
        &self.workers[start..self.jobs[at].1]
    }

    /// Empties the answer, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.jobs.clear();
        self.workers.clear();
        self.unplaced.clear();
    }

    /// Adds a job with an id above those added before.
    pub(super) fn push(&mut self, job: JobId, workers: &[Placement]) {
        self.workers.extend_from_slice(workers);
        self.jobs.push((job, self.workers.len()));
    }

    pub(super) fn push_unplaced(&mut self, unplaced: Unplaced) {
        self.unplaced.push(unplaced);
    }

    pub(super) fn sort_unplaced(&mut self) {
        self.unplaced.sort_unstable_by_key(|unplaced| unplaced.job);
    }
}

impl fmt::Display for Placements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let workers: u64 = self.workers.iter().map(|placement| u64::from(placement.workers)).sum();
        let jobs = self.jobs.len();
        let plural = |is_one: bool| if is_one { "" } else { "s" };
        write!(
            f,
            "{jobs} job{} placed with {workers} worker{}, {} not placed",
            plural(jobs == 1),
            plural(workers == 1),
            self.unplaced.len()
        )
    }
}

/// A job that was not placed.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job};
/// use aryl::place::{BestFitDecreasing, Demand};
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job)])?;
/// assert_eq!(answer.unplaced()[0].to_string(), "job 0 was not placed: there is no server that it may use");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Unplaced {
    /// The job.
    pub job: JobId,
    /// Why its gang found no place.
    pub reason: UnplacedReason,
}

impl Unplaced {
    pub(super) const fn new(job: JobId, reason: UnplacedReason) -> Self {
        Self { job, reason }
    }
}

impl fmt::Display for Unplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not placed: {}", self.job, self.reason)
    }
}

/// Why a gang found no place.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::place::{BestFitDecreasing, Demand, UnplacedReason};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 4))?;
/// cluster.add_server(Server::training(v100, 4))?;
/// // Eight GPUs are free, but four on each server: there is room for two workers of three GPUs.
/// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(3))?;
/// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job)])?;
/// assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 3, slots: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnplacedReason {
    /// Training may use no server of the GPU types that the job allows.
    NoServer,
    /// Each worker needs more GPUs than the largest server has that the job could use: it can never be placed here.
    WorkerExceedsServers {
        /// GPUs of one worker.
        gpus_per_worker: u32,
        /// GPUs of the largest server of the types that the job allows.
        largest_server: u32,
    },
    /// When its turn came, too few of its workers found room.
    NotEnoughRoom {
        /// The job's minimum, in reference workers.
        workers: u32,
        /// The reference workers for which there was room: on the GPU type with the most room, or over all allowed types
        /// for a heterogeneous job.
        slots: u64,
    },
}

impl fmt::Display for UnplacedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoServer => f.write_str("there is no server that it may use"),
            Self::WorkerExceedsServers { gpus_per_worker, largest_server } => {
                write!(
                    f,
                    "a worker needs {gpus_per_worker} GPUs, and the largest server has {largest_server}"
                )
            }
            Self::NotEnoughRoom { workers, slots } => {
                write!(f, "it asks for {workers} workers, and there is room for {slots}")
            }
        }
    }
}

/// The written form: one list of workers for each job.
#[cfg(feature = "serde")]
mod written {
    use alloc::vec::Vec;

    use super::{JobId, Placement, Unplaced};

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct Placements {
        placed: Vec<Placed>,
        #[serde(default)]
        unplaced: Vec<Unplaced>,
    }

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Placed {
        job: JobId,
        workers: Vec<Placement>,
    }

    impl From<super::Placements> for Placements {
        fn from(placements: super::Placements) -> Self {
            let placed = placements.placed();
            let placed = placed.map(|(job, workers)| Placed { job, workers: workers.to_vec() }).collect();
            Self { placed, unplaced: placements.unplaced }
        }
    }

    impl From<Placements> for super::Placements {
        fn from(mut written: Placements) -> Self {
            // Another hand may have written them in another order, and `get` relies on this one.
            written.placed.sort_by_key(|placed| placed.job);
            let mut placements = Self::default();
            for placed in &written.placed {
                placements.push(placed.job, &placed.workers);
            }
            placements.unplaced = written.unplaced;
            placements.sort_unplaced();
            placements
        }
    }
}
