//! The rules that a cluster must keep, read back from what it says of itself.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Violation;
use super::count::Workers;
use crate::cluster::{Cluster, Job, Placement, Pool, Role, Server, Tenant};
use crate::id::{GpuTypeId, JobId, ServerId};

/// A rule that a cluster breaks.
///
/// A [`Cluster`] checks each change, so none of these is ever found in one. They are there for the day on which one is.
///
/// # Examples
///
/// ```
/// use aryl::cluster::Role;
/// use aryl::id::{JobId, ServerId};
/// use aryl::verify::ClusterViolation;
///
/// let (job, server) = (JobId::new(4), ServerId::new(1));
/// let violation = ClusterViolation::Directions { job, server, role: Role::Base, placed: 2, hosted: 3 };
/// assert_eq!(violation.to_string(), "job 4 says it has 2 base workers on server 1, which says it hosts 3");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterViolation {
    /// The tenants of a server do not ascend by job and role, or one is listed twice.
    #[error("on {server}, {job} ({role}) is listed out of order or twice")]
    TenantOrder {
        /// The server.
        server: ServerId,
        /// The job of the tenant that should stand further up.
        job: JobId,
        /// Its role.
        role: Role,
    },
    /// The placements of a job do not ascend by server and role, or one is listed twice.
    #[error("of {job}, {server} ({role}) is listed out of order or twice")]
    PlacementOrder {
        /// The job.
        job: JobId,
        /// The server of the placement that should stand further up.
        server: ServerId,
        /// Its role.
        role: Role,
    },
    /// A job is listed on a server with 0 workers.
    #[error("{job} is listed on {server} with 0 {role} workers")]
    NoWorkers {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// The role.
        role: Role,
    },
    /// The job and the server do not say the same.
    #[error("{job} says it has {placed} {role} workers on {server}, which says it hosts {hosted}")]
    Directions {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// The role.
        role: Role,
        /// Workers in the placements of the job; 0 where it does not list the server.
        placed: u64,
        /// Workers in the tenants of the server; 0 where it does not list the job.
        hosted: u64,
    },
    /// A job runs on a server that the cluster does not hold.
    #[error("{job} runs on {server}, which the cluster does not hold")]
    UnknownServer {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// A server hosts a job that the cluster does not hold.
    #[error("{server} hosts {job}, which the cluster does not hold")]
    UnknownJob {
        /// The server.
        server: ServerId,
        /// The job.
        job: JobId,
    },
    /// The free GPUs of a server are not what its tenants leave.
    #[error("{server} says it has {free} free GPUs, and its tenants leave {expected}")]
    FreeGpus {
        /// The server.
        server: ServerId,
        /// The free GPUs it states.
        free: u32,
        /// Its GPUs, less those that its tenants hold.
        expected: u64,
    },
    /// The tenants of a server hold more GPUs than it has.
    #[error("the tenants of {server} hold {held} GPUs, and it has {gpus}")]
    OverFull {
        /// The server.
        server: ServerId,
        /// GPUs that its tenants hold.
        held: u64,
        /// GPUs it has.
        gpus: u32,
    },
    /// A server that training may not use hosts workers.
    #[error("{server} is in the {pool} pool and hosts workers of {job}")]
    NotForTraining {
        /// The server.
        server: ServerId,
        /// Its pool.
        pool: Pool,
        /// The first of its tenants.
        job: JobId,
    },
    /// A job runs on a GPU type that it does not allow.
    #[error("{job} does not allow {gpu_type} of {server}, where it runs")]
    GpuTypeNotAllowed {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// The server's type.
        gpu_type: GpuTypeId,
    },
    /// A job that is not heterogeneous runs on two GPU types.
    #[error("{job} mixes {first} and {second} and may not")]
    MixedGpuTypes {
        /// The job.
        job: JobId,
        /// The lower type.
        first: GpuTypeId,
        /// The next type.
        second: GpuTypeId,
    },
    /// One worker of a job has more GPUs than the server that hosts it.
    #[error("a worker of {job} has {gpus_per_worker} GPUs, and {server}, which hosts it, has {gpus}")]
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
    /// The base workers of a running job are too few.
    #[error("the base workers of {job} make up {workers} reference workers, below its minimum of {min}")]
    BaseBelowMinimum {
        /// The job.
        job: JobId,
        /// Reference workers that its base workers make up.
        workers: u64,
        /// Its minimum.
        min: u32,
    },
    /// The base workers of a running job are more than its minimum: none of them is needed.
    #[error("{job} has its minimum of {min} reference workers without any one of its {workers} base workers")]
    BaseAboveMinimum {
        /// The job.
        job: JobId,
        /// Its base workers.
        workers: u64,
        /// Its minimum.
        min: u32,
    },
    /// A job has more workers than its maximum: none of them is needed for it.
    #[error("{job} has its maximum of {max} reference workers without any one of its {workers} workers")]
    AboveMaximum {
        /// The job.
        job: JobId,
        /// Its workers.
        workers: u64,
        /// Its maximum.
        max: u32,
    },
    /// Flexible workers are marked as ones that can't be lost.
    #[error("flexible workers of {job} on {server} are pinned")]
    PinnedFlexible {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
}

/// Checks that a cluster keeps its own rules.
///
/// It proves that both directions of "who runs where" say the same, in order, each thing once and with a worker at
/// least; that the free GPUs add up and no server is over-full; that only training and on-loan servers host workers;
/// and that each running job is a run of its definition: on GPU types it allows, on one type unless it is
/// heterogeneous, with workers that fit their servers, with a base of just its minimum, not above its maximum, and
/// with no pinned worker but base workers.
///
/// A [`Cluster`] can't be brought to break these rules through its methods. This is the check of that promise.
///
/// # Errors
///
/// [`Violation::Cluster`] with the first rule that is broken, servers before jobs, in ascending order of ids.
///
/// # Complexity
///
/// O((s + p) log p) time and O(s + j + p) memory, for s servers, j jobs and p placements.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::verify;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=4).gpus_per_worker(2))?;
/// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 1)])?;
/// assert_eq!(verify::cluster(&cluster), Ok(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cluster(cluster: &Cluster) -> Result<(), Violation> {
    Statement::of(cluster).check()?;
    Ok(())
}

/// What a cluster says of itself, copied out so that tests can falsify it.
#[derive(Clone)]
struct Statement<'a> {
    /// For the definitions alone: GPU types, servers and jobs.
    cluster: &'a Cluster,
    hosts: Vec<Host>,
    gangs: Vec<(JobId, &'a Job, Vec<Placement>)>,
}

#[derive(Clone)]
struct Host {
    id: ServerId,
    server: Server,
    free: u32,
    tenants: Vec<Tenant>,
}

impl<'a> Statement<'a> {
    fn of(cluster: &'a Cluster) -> Self {
        let host = |(id, server): (ServerId, &Server)| Host {
            id,
            server: *server,
            free: cluster.free_gpus(id),
            tenants: cluster.tenants(id).to_vec(),
        };
        Self {
            cluster,
            hosts: cluster.servers().map(host).collect(),
            gangs: cluster.jobs().map(|(id, job)| (id, job, cluster.placements(id).to_vec())).collect(),
        }
    }

    fn check(&self) -> Result<(), ClusterViolation> {
        for host in &self.hosts {
            check_host(self.cluster, host)?;
        }
        for (id, job, placements) in &self.gangs {
            check_placement_list(*id, placements)?;
            check_gang(self.cluster, *id, job, placements)?;
        }
        self.check_directions()
    }

    /// Counts the workers of each job, server and role once from the jobs and once from the servers.
    fn check_directions(&self) -> Result<(), ClusterViolation> {
        let mut both: BTreeMap<(JobId, ServerId, Role), (u64, u64)> = BTreeMap::new();
        for (job, _, placements) in &self.gangs {
            for placement in placements {
                both.entry((*job, placement.server, placement.role)).or_default().0 +=
                    u64::from(placement.workers);
            }
        }
        for host in &self.hosts {
            for tenant in &host.tenants {
                both.entry((tenant.job, host.id, tenant.role)).or_default().1 += u64::from(tenant.workers);
            }
        }
        for ((job, server, role), (placed, hosted)) in both {
            if placed != hosted {
                return Err(ClusterViolation::Directions { job, server, role, placed, hosted });
            }
        }
        Ok(())
    }
}

fn check_host(cluster: &Cluster, host: &Host) -> Result<(), ClusterViolation> {
    let Host { id, server, free, ref tenants } = *host;
    let mut held = 0;
    let mut before = None;
    for tenant in tenants {
        let Tenant { job, role, workers } = *tenant;
        if before >= Some((job, role)) {
            return Err(ClusterViolation::TenantOrder { server: id, job, role });
        }
        before = Some((job, role));
        if workers == 0 {
            return Err(ClusterViolation::NoWorkers { job, server: id, role });
        }
        let definition = cluster.job(job).ok_or(ClusterViolation::UnknownJob { server: id, job })?;
        held += u64::from(workers) * u64::from(definition.gpus_per_worker);
    }
    check_held(id, &server, held, tenants.first().map(|tenant| tenant.job))?;
    let expected = u64::from(server.gpus) - held;
    if u64::from(free) != expected {
        return Err(ClusterViolation::FreeGpus { server: id, free, expected });
    }
    Ok(())
}

/// Whether a server may host workers that hold so many GPUs; `tenant` is one of them, if there are any.
pub(super) fn check_held(
    id: ServerId,
    server: &Server,
    held: u64,
    tenant: Option<JobId>,
) -> Result<(), ClusterViolation> {
    match (server.pool, tenant) {
        (Pool::Inference, Some(job)) => {
            return Err(ClusterViolation::NotForTraining { server: id, pool: server.pool, job });
        }
        (Pool::Training | Pool::OnLoan, _) | (Pool::Inference, None) => {}
    }
    if held > u64::from(server.gpus) {
        return Err(ClusterViolation::OverFull { server: id, held, gpus: server.gpus });
    }
    Ok(())
}

pub(super) fn check_placement_list(job: JobId, placements: &[Placement]) -> Result<(), ClusterViolation> {
    let mut before = None;
    for placement in placements {
        let Placement { server, role, workers, .. } = *placement;
        if before >= Some((server, role)) {
            return Err(ClusterViolation::PlacementOrder { job, server, role });
        }
        before = Some((server, role));
        if workers == 0 {
            return Err(ClusterViolation::NoWorkers { job, server, role });
        }
    }
    Ok(())
}

/// Whether these placements are a run of the job. No placement at all is a waiting job, and is right.
pub(super) fn check_gang(
    cluster: &Cluster,
    id: JobId,
    job: &Job,
    placements: &[Placement],
) -> Result<(), ClusterViolation> {
    if placements.is_empty() {
        return Ok(());
    }
    for placement in placements {
        let Placement { server, role, pinned, .. } = *placement;
        let home = cluster.server(server).ok_or(ClusterViolation::UnknownServer { job: id, server })?;
        let Server { gpu_type, gpus, .. } = *home;
        if !job.gpu_types.contains(gpu_type) {
            return Err(ClusterViolation::GpuTypeNotAllowed { job: id, server, gpu_type });
        }
        let gpus_per_worker = job.gpus_per_worker;
        if gpus_per_worker > gpus {
            return Err(ClusterViolation::WorkerExceedsServer { job: id, server, gpus_per_worker, gpus });
        }
        if pinned && role == Role::Flexible {
            return Err(ClusterViolation::PinnedFlexible { job: id, server });
        }
    }
    let all = Workers::of(cluster, placements);
    let base = Workers::base_of(cluster, placements);
    let mut types = all.types();
    if let (Some(first), Some(second), None) = (types.next(), types.next(), job.mixing_efficiency) {
        return Err(ClusterViolation::MixedGpuTypes { job: id, first, second });
    }
    let (min, max) = (job.min_workers, job.max_workers);
    let workers = base.reference(cluster);
    if workers < u64::from(min) {
        return Err(ClusterViolation::BaseBelowMinimum { job: id, workers, min });
    }
    if base.reference_without_one(cluster) >= u64::from(min) {
        return Err(ClusterViolation::BaseAboveMinimum { job: id, workers: base.total(), min });
    }
    if all.reference_without_one(cluster) >= u64::from(max) {
        return Err(ClusterViolation::AboveMaximum { job: id, workers: all.total(), max });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
