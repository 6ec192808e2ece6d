//! Best-fit decreasing: the widest workers first, each gang whole or not at all.

use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use super::placements::{Placements, Unplaced, UnplacedReason};
use super::{Demand, DemandError, Placer};
use crate::cluster::{Cluster, Job, Occupancy, Pool};
use crate::id::JobId;

/// Places waiting jobs on idle GPUs by best-fit decreasing.
///
/// Jobs are taken in decreasing order of GPUs a worker, since a wide worker fits into few holes and a narrow one into
/// almost any. Each gang goes, whole or not at all, to the servers that fit it best: see the [room](crate::place) for
/// the rules. A gang that does not fit is passed over. When all gangs have had their turn, flexible workers take what is
/// left, in the same order of jobs, as many as there is room for and on the GPU types that the job's gang is on.
///
/// Nobody who runs is moved or stopped. The answer is a good packing, not a proven best one: packing gangs into servers
/// is bin packing, which is hard. For a single gang it is exact: a gang is placed whenever it fits into the idle GPUs.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::place::{BestFitDecreasing, Demand};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let large = cluster.add_server(Server::training(v100, 2))?;
/// let small = cluster.add_server(Server::training(v100, 1))?;
/// let narrow = cluster.add_job(Job::inelastic(1).gpus_per_worker(1))?;
/// let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(2))?;
///
/// // In the order given, the narrow worker could take a GPU of the large server. It does not.
/// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(narrow), Demand::new(wide)])?;
/// assert_eq!(answer.get(wide), [Placement::base(large, 1)]);
/// assert_eq!(answer.get(narrow), [Placement::base(small, 1)]);
/// assert!(answer.unplaced().is_empty());
/// for (job, workers) in answer.placed() {
///     cluster.place(job, workers)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Determinism
///
/// The order of the demands does not matter. Jobs with equally wide workers go by more workers, then earlier
/// submission, then the lowest id; heterogeneous jobs come after all others. Among servers that fit equally well, one
/// that got workers in this decision goes before one that did not, the last to get some first; then the lowest id.
///
/// # Complexity
///
/// Time O(c + n log n + s log s + n · t · b) and memory O(c + n) for a cluster of size c (servers, placements of running
/// jobs, and the GPUs of the largest server for each type and pool), n demands, s servers chosen, t GPU types that a job
/// allows and that have servers, and b different numbers of free GPUs on the servers of a type. The work to choose a
/// server is constant; the logarithm is for writing a gang down in order of servers.
///
/// # Source
///
/// Aryl, arXiv 2202.07896, section 5.3; best-fit decreasing: D. S. Johnson, *Near-optimal bin packing algorithms*, 1973.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BestFitDecreasing;

/// Memory that [`BestFitDecreasing::solve_into`] uses again. What it holds never changes an answer.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::place::{BestFitDecreasing, Demand, Placements, Workspace};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(2))?;
/// let (mut workspace, mut answer) = (Workspace::new(), Placements::default());
/// for _ in 0..3 {
///     BestFitDecreasing.solve_into(&cluster, &[Demand::new(job)], &mut workspace, &mut answer)?;
///     assert_eq!(answer.get(job)[0].workers, 2);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    placer: Placer,
    occupancy: Occupancy,
    pools: Vec<Pool>,
    order: Vec<Demand>,
}

impl Workspace {
    /// A workspace without memory yet.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand, Placements, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8))?;
    /// let (mut workspace, mut answer) = (Workspace::new(), Placements::default());
    /// BestFitDecreasing.solve_into(&cluster, &[Demand::new(job)], &mut workspace, &mut answer)?;
    /// assert_eq!(answer.get(job)[0].workers, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl BestFitDecreasing {
    /// Places the demands on the idle GPUs of a cluster. The cluster itself is not changed.
    ///
    /// # Errors
    ///
    /// [`DemandError`] where a demand names a job that the cluster does not hold, that runs already, or that another
    /// demand names too, or asks for more flexible workers than the job can use. That there is no room is not an error:
    /// see [`Placements::unplaced`].
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand, DemandError};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6))?;
    /// // Its base of 2, and 3 flexible workers since there is room.
    /// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job).flexible(3)])?;
    /// assert_eq!(answer.get(job).iter().map(|placement| placement.workers).sum::<u32>(), 5);
    /// assert_eq!(
    ///     BestFitDecreasing.solve(&cluster, &[Demand::new(job).flexible(5)]),
    ///     Err(DemandError::AboveMaximum { job, flexible: 5, limit: 4 })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// See [`BestFitDecreasing`].
    ///
    /// # Determinism
    ///
    /// See [`BestFitDecreasing`].
    pub fn solve(&self, cluster: &Cluster, demands: &[Demand]) -> Result<Placements, DemandError> {
        let mut out = Placements::default();
        self.solve_into(cluster, demands, &mut Workspace::new(), &mut out)?;
        Ok(out)
    }

    /// The same, in memory that is used again: once warm, it does not allocate.
    ///
    /// Warm means that the workspace has solved an instance at least as large, with as many jobs on each server.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve). Then `out` is empty.
    ///
    /// # Complexity
    ///
    /// As [`solve`](Self::solve).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::place::{BestFitDecreasing, Demand, DemandError, Placements, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let jobs = [cluster.add_job(Job::inelastic(5))?, cluster.add_job(Job::inelastic(5))?];
    /// let (mut workspace, mut answer) = (Workspace::new(), Placements::default());
    /// // Each finds room on its own, for nothing is taken from the cluster.
    /// for job in jobs {
    ///     BestFitDecreasing.solve_into(&cluster, &[Demand::new(job)], &mut workspace, &mut answer)?;
    ///     assert_eq!((answer.get(job)[0].server, answer.unplaced().len()), (server, 0));
    /// }
    /// // Together they do not.
    /// let both = jobs.map(Demand::new);
    /// BestFitDecreasing.solve_into(&cluster, &both, &mut workspace, &mut answer)?;
    /// assert_eq!(answer.unplaced()[0].job, jobs[1]);
    ///
    /// let twice = [Demand::new(jobs[0]), Demand::new(jobs[0])];
    /// let refused = BestFitDecreasing.solve_into(&cluster, &twice, &mut workspace, &mut answer);
    /// assert_eq!(refused, Err(DemandError::Twice { job: jobs[0] }));
    /// assert_eq!(answer, Placements::default());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_into(
        &self,
        cluster: &Cluster,
        demands: &[Demand],
        workspace: &mut Workspace,
        out: &mut Placements,
    ) -> Result<(), DemandError> {
        out.clear();
        let Workspace { placer, occupancy, pools, order } = workspace;
        sort_decreasing(cluster, demands, order)?;

        let inventory = cluster.inventory();
        occupancy.copy(cluster.occupancy(), cluster.inventory());
        pools.clear();
        for (id, server) in cluster.servers() {
            pools.resize(id.index(), Pool::Inference);
            pools.push(server.pool);
        }
        placer.rebuild(inventory, occupancy, pools);

        for demand in &*order {
            let Some(job) = cluster.job(demand.job) else { continue };
            if !placer.start_on_idle(inventory, occupancy, demand.job) {
                out.push_unplaced(Unplaced::new(demand.job, reason(placer, job)));
            }
        }
        for demand in &*order {
            if let Some(job) = cluster.job(demand.job) {
                placer.grow_to(inventory, occupancy, demand.job, job.min_workers + demand.flexible);
            }
        }

        out.sort_unplaced();
        order.sort_unstable_by_key(|demand| demand.job);
        for demand in order.iter().filter(|demand| occupancy.is_running(demand.job)) {
            out.push(demand.job, occupancy.placements(demand.job));
        }
        Ok(())
    }
}

/// Checks the demands, and writes them down in the order in which their gangs are placed.
fn sort_decreasing(
    cluster: &Cluster,
    demands: &[Demand],
    order: &mut Vec<Demand>,
) -> Result<(), DemandError> {
    order.clear();
    for demand in demands {
        demand.check(cluster)?;
        order.push(*demand);
    }
    order.sort_unstable_by_key(|demand| demand.job);
    if let Some(pair) = order.windows(2).find(|pair| pair[0].job == pair[1].job) {
        return Err(DemandError::Twice { job: pair[0].job });
    }
    order.sort_unstable_by(|a, b| match (cluster.job(a.job), cluster.job(b.job)) {
        (Some(first), Some(second)) => widest_first((a.job, first), (b.job, second)),
        _ => a.job.cmp(&b.job),
    });
    Ok(())
}

fn widest_first(a: (JobId, &Job), b: (JobId, &Job)) -> Ordering {
    let key = |job: &Job| (job.is_heterogeneous(), Reverse(job.gpus_per_worker), Reverse(job.min_workers));
    let by_size = key(a.1).cmp(&key(b.1));
    by_size.then_with(|| a.1.submitted.0.total_cmp(&b.1.submitted.0)).then(a.0.cmp(&b.0))
}

fn reason(placer: &mut Placer, job: &Job) -> UnplacedReason {
    match placer.largest_server(job) {
        None => UnplacedReason::NoServer,
        Some(largest_server) if largest_server < job.gpus_per_worker => {
            let gpus_per_worker = job.gpus_per_worker;
            UnplacedReason::WorkerExceedsServers { gpus_per_worker, largest_server }
        }
        Some(_) => {
            let slots = placer.idle_reference_slots(job);
            UnplacedReason::NotEnoughRoom { workers: job.min_workers, slots }
        }
    }
}
