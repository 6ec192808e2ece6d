//! What can be wrong with a plan.

use super::ClusterViolation;
use crate::cluster::{ApplyError, Pool};
use crate::epoch::{Action, Cause};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::Seconds;

/// A rule that a plan breaks. Steps are places in [`Plan::actions`](crate::epoch::Plan::actions), from 0.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::epoch::{Plan, Request};
/// use aryl::verify;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::inference(v100, 8))?;
/// // One server is to be lent, and the plan has no such step.
/// let violation = verify::plan(&cluster, Request::lend(1), &Plan::default()).unwrap_err();
/// assert_eq!(violation.to_string(), "0 servers are lent, and 1 were offered");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// The steps are not in order: preempt, scale in, return, lend, start, scale out, keep; and by job and server.
    #[error("step {step}, \"{after}\", stands after \"{before}\"")]
    Order {
        /// The later step.
        step: usize,
        /// The step before it.
        before: Action,
        /// The step that should stand before that one, or not at all.
        after: Action,
    },
    /// The preempted jobs are not those of the reclaim.
    #[error("{job} is preempted in {plan} steps of the plan and {reclaim} times in its reclaim")]
    Preempted {
        /// The job.
        job: JobId,
        /// 1 where the plan preempts it, else 0.
        plan: u32,
        /// 1 where the reclaim preempts it, else 0.
        reclaim: u32,
    },
    /// The returned servers are not those of the reclaim.
    #[error("{server} returns in {plan} steps of the plan and {reclaim} times in its reclaim")]
    Returned {
        /// The server.
        server: ServerId,
        /// 1 where the plan returns it, else 0.
        plan: u32,
        /// 1 where the reclaim returns it, else 0.
        reclaim: u32,
    },
    /// The workers that leave returning servers are not those of the reclaim.
    #[error("{plan} workers of {job} leave {server} in the plan, and {reclaim} in its reclaim")]
    Departure {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// Workers that leave in the plan.
        plan: u32,
        /// Workers that depart in the reclaim.
        reclaim: u32,
    },
    /// Workers leave for a wrong reason: a server that returns has another, or one that stays has this one.
    #[error(
        "step {step}: workers of {job} leave {server} because {cause}, where it must be because {expected}"
    )]
    WrongCause {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// The cause in the plan.
        cause: Cause,
        /// The cause that follows from whether the server returns.
        expected: Cause,
    },
    /// Not as many servers are lent as were offered.
    #[error("{lent} servers are lent, and {offered} were offered")]
    LentCount {
        /// Servers lent.
        lent: u64,
        /// Servers offered.
        offered: u32,
    },
    /// A protected server is lent.
    #[error("step {step}: {server} is lent, and is protected")]
    LentProtected {
        /// The step.
        step: usize,
        /// The server.
        server: ServerId,
    },
    /// A server that returns is lent again.
    #[error("step {step}: {server} is lent, and returns in the same plan")]
    LentAgain {
        /// The step.
        step: usize,
        /// The server.
        server: ServerId,
    },
    /// A server changes its pool that is not in the pool it is to leave.
    #[error("step {step}: {server} is in the {pool} pool, not the {expected} pool")]
    WrongPool {
        /// The step.
        step: usize,
        /// The server.
        server: ServerId,
        /// The pool it is in at that step.
        pool: Pool,
        /// The pool it is to leave.
        expected: Pool,
    },
    /// A step names a job that the cluster does not hold.
    #[error("step {step}: the cluster does not hold {job}")]
    UnknownJob {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
    },
    /// A step names a server that the cluster does not hold.
    #[error("step {step}: the cluster does not hold {server}")]
    UnknownServer {
        /// The step.
        step: usize,
        /// The server.
        server: ServerId,
    },
    /// A step needs a job that runs.
    #[error("step {step}: {job} does not run")]
    NotRunning {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
    },
    /// A job is started that runs.
    #[error("step {step}: {job} runs already")]
    AlreadyRunning {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
    },
    /// A step moves 0 workers.
    #[error("step {step}: 0 workers of {job} on {server}")]
    NoWorkers {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// More workers leave a server than there are.
    #[error("step {step}: {workers} workers of {job} leave {server}, which hosts {held}")]
    TooFew {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// Workers that leave.
        workers: u64,
        /// Workers there.
        held: u64,
    },
    /// Pinned workers leave.
    #[error("step {step}: base workers of {job} leave {server}, where they are pinned")]
    Pinned {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// A server returns that hosts workers.
    #[error("step {step}: {server} returns, and hosts workers of {job}")]
    NotEmpty {
        /// The step.
        step: usize,
        /// The server.
        server: ServerId,
        /// The lowest job that has workers on it.
        job: JobId,
    },
    /// After this step a rule of the cluster is broken: a server is over-full or serves inference, a job is not whole.
    #[error("after step {step}, {rule}")]
    Rule {
        /// The step.
        step: usize,
        /// The rule.
        rule: ClusterViolation,
    },
    /// Workers of a job leave a server on which others of it start.
    #[error("workers of {job} leave {server} and start there again")]
    Pointless {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// A job is kept that another step touches.
    #[error("step {step}: {job} is kept, and another step touches it")]
    KeptAndTouched {
        /// The step.
        step: usize,
        /// The job.
        job: JobId,
    },
    /// A running job that no step touches has no step to keep it.
    #[error("{job} runs on untouched, and no step says so")]
    NotKept {
        /// The job.
        job: JobId,
    },
    /// A count of the totals is wrong.
    #[error("{what}: {stated} in the totals, {expected} counted")]
    Count {
        /// Which one.
        what: &'static str,
        /// The number in the totals.
        stated: u64,
        /// The number counted.
        expected: u64,
    },
    /// A time of the totals is wrong by more than 10^-9 of what was added up.
    #[error("{what}: {stated} in the totals, {expected} added up")]
    Time {
        /// Which one.
        what: &'static str,
        /// The time in the totals.
        stated: Seconds,
        /// The time added up.
        expected: Seconds,
    },
    /// The certificates of the allocation do not ascend by GPU type.
    #[error("the certificate of {after} stands after that of {before}")]
    AllocationOrder {
        /// A type.
        before: GpuTypeId,
        /// The type after it, with an id that is no higher.
        after: GpuTypeId,
    },
    /// A certificate of the allocation is for a GPU type that the cluster does not hold.
    #[error("the allocation has a certificate of {gpu_type}, which the cluster does not hold")]
    AllocationType {
        /// The type.
        gpu_type: GpuTypeId,
    },
    /// A certificate of the allocation says that a small reduction is good.
    #[error("the certificate of {gpu_type} minimises the reduction in job completion time")]
    AllocationSense {
        /// The type.
        gpu_type: GpuTypeId,
    },
    /// The capacity is not what base workers leave of the type after the plan.
    #[error("{capacity} GPUs of {gpu_type} are said to be there to give, and base workers leave {expected}")]
    AllocationCapacity {
        /// The type.
        gpu_type: GpuTypeId,
        /// GPUs in the certificate.
        capacity: u64,
        /// GPUs of the type on the servers that training may use after the plan, less those of base workers.
        expected: u64,
    },
    /// The certificate counts another number of jobs than run on the type and are elastic; 0 where it is missing.
    #[error("the certificate of {gpu_type} counts {jobs} elastic jobs, and {expected} run there")]
    AllocationJobs {
        /// The type.
        gpu_type: GpuTypeId,
        /// Jobs in the certificate.
        jobs: u32,
        /// Elastic jobs, heterogeneous ones aside, that run on the type after the plan.
        expected: u32,
    },
    /// The objective is not what the flexible workers bring.
    #[error(
        "the flexible workers of {gpu_type} are said to bring {objective} ms, and bring {least} to {most} ms"
    )]
    AllocationObjective {
        /// The type.
        gpu_type: GpuTypeId,
        /// The objective of the certificate.
        objective: u64,
        /// What they bring, each change of size charged that may be.
        least: u64,
        /// What they bring, each change of size charged that must be.
        most: u64,
    },
    /// [`Cluster::apply`](crate::cluster::Cluster::apply) refuses the plan.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A job runs elsewhere after [`Cluster::apply`](crate::cluster::Cluster::apply) than the steps say.
    #[error("after the plan is applied, {job} does not run where the steps put it")]
    PlacementsDiffer {
        /// The job.
        job: JobId,
    },
    /// A server is in another pool after [`Cluster::apply`](crate::cluster::Cluster::apply) than the steps say.
    #[error("after the plan is applied, {server} is in the {applied} pool, not the {expected} pool")]
    PoolsDiffer {
        /// The server.
        server: ServerId,
        /// Its pool in the cluster.
        applied: Pool,
        /// Its pool by the steps.
        expected: Pool,
    },
}
