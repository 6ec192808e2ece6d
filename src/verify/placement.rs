//! A placement of waiting jobs, counted again.

use alloc::collections::{BTreeMap, BTreeSet};

use super::cluster::{check_gang, check_held, check_placement_list};
use super::count::Workers;
use super::{ClusterViolation, Violation};
use crate::cluster::{Cluster, Job, Placement, Pool, Role};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::place::{Demand, Placements, UnplacedReason};

/// A rule that a placement breaks.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job};
/// use aryl::place::{Demand, Placements};
/// use aryl::verify;
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// let violation = verify::placement(&cluster, &[Demand::new(job)], &Placements::default()).unwrap_err();
/// assert_eq!(violation.to_string(), "job 0 is named by 1 demands, placed 0 times and left out 0 times");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementViolation {
    /// A job is listed at or after its place, among the placed jobs or among the others.
    #[error("{after} is listed after {before}")]
    Order {
        /// A job.
        before: JobId,
        /// The job listed after it, with an id that is no higher.
        after: JobId,
    },
    /// A job is answered for that no demand names, or not answered for once where one does.
    #[error("{job} is named by {demands} demands, placed {placed} times and left out {unplaced} times")]
    Answers {
        /// The job.
        job: JobId,
        /// Demands that name it.
        demands: u32,
        /// 1 where it is placed, else 0.
        placed: u32,
        /// 1 where it is listed as not placed, else 0.
        unplaced: u32,
    },
    /// A job is to be placed that the cluster does not hold.
    #[error("{job} is to be placed, and the cluster does not hold it")]
    UnknownJob {
        /// The job.
        job: JobId,
    },
    /// A job is to be placed that runs.
    #[error("{job} is to be placed, and runs")]
    AlreadyRunning {
        /// The job.
        job: JobId,
    },
    /// A job is placed without a worker.
    #[error("{job} is placed with 0 workers")]
    NoWorkers {
        /// The job.
        job: JobId,
    },
    /// A worker is pinned, which only the job itself can ask for.
    #[error("workers of {job} on {server} are pinned")]
    Pinned {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// Were the jobs placed, a rule of the cluster would be broken.
    #[error(transparent)]
    Rule(ClusterViolation),
    /// A job gets more flexible workers than its demand asks for.
    #[error("{job} gets {workers} workers, and has {asked} reference workers without any one of them")]
    TooManyFlexible {
        /// The job.
        job: JobId,
        /// Its workers.
        workers: u64,
        /// Its minimum and the flexible reference workers asked for.
        asked: u32,
    },
    /// A gang is left out for which there is room.
    #[error("{job} is not placed: it needs {min} reference workers, and there is room for {room}")]
    Room {
        /// The job.
        job: JobId,
        /// Reference workers for which there is room when all gangs are placed.
        room: u64,
        /// Its minimum.
        min: u32,
    },
    /// A gang is left out for a reason that is not the right one.
    #[error("{job} is not placed because \"{stated}\", where \"{expected}\" is right")]
    Reason {
        /// The job.
        job: JobId,
        /// The reason in the answer.
        stated: UnplacedReason,
        /// The right reason. Where there is not enough room, the room that is left when all gangs are placed: at the
        /// job's turn it was as much at least.
        expected: UnplacedReason,
    },
}

/// Checks where waiting jobs are placed.
///
/// It proves that
///
/// - each job of a demand waits, and is either placed or left out, once, and no other job is; both lists ascend;
/// - were all placed jobs started, no server would be over-full or serve inference, and each job would be a run of its
///   definition: its base just its minimum, on GPU types it allows, on one type unless it is heterogeneous, no more
///   workers than its minimum and the flexible ones asked for make up;
/// - every gang that was left out does not fit, even with no flexible worker placed: counted on each server as
///   ⌊free GPUs / GPUs a worker⌋, over the GPU types it allows, on one of them alone or, for a heterogeneous job, on all;
/// - the reason given for it is the right one.
///
/// That no other order of jobs would place more of them is not claimed, and not checked.
///
/// # Errors
///
/// [`Violation::Placement`] with the first rule that is found broken.
///
/// # Complexity
///
/// O((s + p) log p + u · s) time and O(s + p) memory, for s servers, p placements and u jobs left out.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::place::{BestFitDecreasing, Demand};
/// use aryl::verify::{self, PlacementViolation, Violation};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(2).gpus_per_worker(4))?;
/// let answer = BestFitDecreasing.solve(&cluster, &[Demand::new(job)])?;
/// assert_eq!(verify::placement(&cluster, &[Demand::new(job)], &answer), Ok(()));
///
/// let violation = PlacementViolation::Answers { job, demands: 0, placed: 1, unplaced: 0 };
/// assert_eq!(verify::placement(&cluster, &[], &answer), Err(Violation::Placement(violation)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn placement(cluster: &Cluster, demands: &[Demand], answer: &Placements) -> Result<(), Violation> {
    check_answers(cluster, demands, answer)?;
    // The GPUs that are free once the gangs are placed: first without, then with the flexible workers.
    let mut free: BTreeMap<ServerId, u64> =
        cluster.servers().map(|(id, _)| (id, u64::from(cluster.free_gpus(id)))).collect();
    for role in [Role::Base, Role::Flexible] {
        for (job, placements) in answer.placed() {
            take(cluster, &mut free, job, placements, role)?;
        }
        if role == Role::Base {
            check_left_out(cluster, &free, answer)?;
        }
    }
    for (job, placements) in answer.placed() {
        let Some(definition) = cluster.job(job) else { continue };
        check_placement_list(job, placements).map_err(PlacementViolation::Rule)?;
        check_gang(cluster, job, definition, placements).map_err(PlacementViolation::Rule)?;
        let flexible = demands.iter().filter(|demand| demand.job == job).map(|demand| demand.flexible).max();
        check_size(cluster, job, definition, placements, flexible.unwrap_or(0))?;
    }
    Ok(())
}

fn check_answers(
    cluster: &Cluster,
    demands: &[Demand],
    answer: &Placements,
) -> Result<(), PlacementViolation> {
    let placed = || answer.placed().map(|(job, _)| job);
    let unplaced = || answer.unplaced().iter().map(|unplaced| unplaced.job);
    let ascends = |before: JobId, after: JobId| {
        if before < after { Ok(()) } else { Err(PlacementViolation::Order { before, after }) }
    };
    placed().zip(placed().skip(1)).try_for_each(|(before, after)| ascends(before, after))?;
    unplaced().zip(unplaced().skip(1)).try_for_each(|(before, after)| ascends(before, after))?;

    // For each job: demands, times placed, times left out.
    let mut counts: BTreeMap<JobId, [u32; 3]> = BTreeMap::new();
    demands.iter().for_each(|demand| counts.entry(demand.job).or_default()[0] += 1);
    placed().for_each(|job| counts.entry(job).or_default()[1] += 1);
    unplaced().for_each(|job| counts.entry(job).or_default()[2] += 1);
    for (job, [demands, placed, unplaced]) in counts {
        if demands != 1 || placed + unplaced != 1 {
            return Err(PlacementViolation::Answers { job, demands, placed, unplaced });
        }
        if cluster.job(job).is_none() {
            return Err(PlacementViolation::UnknownJob { job });
        }
        if cluster.is_running(job) {
            return Err(PlacementViolation::AlreadyRunning { job });
        }
    }
    for (job, placements) in answer.placed() {
        if placements.is_empty() {
            return Err(PlacementViolation::NoWorkers { job });
        }
        if let Some(pinned) = placements.iter().find(|placement| placement.pinned) {
            return Err(PlacementViolation::Pinned { job, server: pinned.server });
        }
    }
    Ok(())
}

/// Takes the GPUs of the workers of one role.
fn take(
    cluster: &Cluster,
    free: &mut BTreeMap<ServerId, u64>,
    job: JobId,
    placements: &[Placement],
    role: Role,
) -> Result<(), PlacementViolation> {
    let Some(definition) = cluster.job(job) else { return Ok(()) };
    for placement in placements.iter().filter(|placement| placement.role == role) {
        let server = placement.server;
        let unknown = PlacementViolation::Rule(ClusterViolation::UnknownServer { job, server });
        let (Some(home), Some(free)) = (cluster.server(server), free.get_mut(&server)) else {
            return Err(unknown);
        };
        let gpus = u64::from(placement.workers) * u64::from(definition.gpus_per_worker);
        let held = u64::from(home.gpus) - *free + gpus;
        check_held(server, home, held, Some(job)).map_err(PlacementViolation::Rule)?;
        *free -= gpus;
    }
    Ok(())
}

/// Whether each gang that was left out does not fit, and for the reason given.
fn check_left_out(
    cluster: &Cluster,
    free: &BTreeMap<ServerId, u64>,
    answer: &Placements,
) -> Result<(), PlacementViolation> {
    for unplaced in answer.unplaced() {
        let (id, stated) = (unplaced.job, unplaced.reason);
        let Some(job) = cluster.job(id) else { continue };
        let room = room(cluster, free, job);
        if room >= u64::from(job.min_workers) {
            return Err(PlacementViolation::Room { job: id, room, min: job.min_workers });
        }
        let expected = reason(cluster, job, room);
        let right = match (stated, expected) {
            (
                UnplacedReason::NotEnoughRoom { workers, slots },
                UnplacedReason::NotEnoughRoom { workers: min, slots: left },
            ) => workers == min && (left..u64::from(min)).contains(&slots),
            _ => stated == expected,
        };
        if !right {
            return Err(PlacementViolation::Reason { job: id, stated, expected });
        }
    }
    Ok(())
}

/// The reference workers of a job for which there is room: on the GPU type with the most, or for a heterogeneous job on
/// all types that it allows.
fn room(cluster: &Cluster, free: &BTreeMap<ServerId, u64>, job: &Job) -> u64 {
    let mut by_type: BTreeMap<GpuTypeId, Workers> = BTreeMap::new();
    let mut all = Workers::default();
    for (&server, &gpus) in free {
        let Some(home) = cluster.server(server).filter(|home| home.pool != Pool::Inference) else { continue };
        if job.gpu_types.contains(home.gpu_type) {
            let slots = gpus / u64::from(job.gpus_per_worker);
            by_type.entry(home.gpu_type).or_default().add(cluster, server, slots);
            all.add(cluster, server, slots);
        }
    }
    match job.mixing_efficiency {
        Some(_) => all.reference(cluster),
        None => by_type.values().map(|workers| workers.reference(cluster)).max().unwrap_or(0),
    }
}

fn reason(cluster: &Cluster, job: &Job, room: u64) -> UnplacedReason {
    let servers = cluster.servers().map(|(_, server)| server);
    let usable: BTreeSet<u32> = servers
        .filter(|server| server.pool != Pool::Inference && job.gpu_types.contains(server.gpu_type))
        .map(|server| server.gpus)
        .collect();
    let gpus_per_worker = job.gpus_per_worker;
    match usable.last().copied() {
        None => UnplacedReason::NoServer,
        Some(largest_server) if largest_server < gpus_per_worker => {
            UnplacedReason::WorkerExceedsServers { gpus_per_worker, largest_server }
        }
        Some(_) => UnplacedReason::NotEnoughRoom { workers: job.min_workers, slots: room },
    }
}

/// Whether the job has no more workers than its minimum and what was asked for make up.
fn check_size(
    cluster: &Cluster,
    id: JobId,
    job: &Job,
    placements: &[Placement],
    flexible: u32,
) -> Result<(), PlacementViolation> {
    let workers = Workers::of(cluster, placements);
    let asked = job.min_workers.saturating_add(flexible);
    if workers.reference_without_one(cluster) >= u64::from(asked) {
        return Err(PlacementViolation::TooManyFlexible { job: id, workers: workers.total(), asked });
    }
    Ok(())
}
