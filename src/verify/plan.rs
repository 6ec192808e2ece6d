//! A plan, carried out step by step on books of our own.

use alloc::collections::{BTreeMap, BTreeSet};

use super::books::Books;
use super::{PlanViolation, Violation, allocation, totals};
use crate::cluster::Cluster;
use crate::epoch::{Action, Cause, Plan, Request};
use crate::id::{JobId, ServerId};

/// Checks the plan of an epoch against what was asked of it.
///
/// It proves that
///
/// - the plan's reclaim passes [`verify::reclaim`](super::reclaim());
/// - the steps are in order: preempt, scale in, return, lend, start, scale out, keep, and within a kind by job and
///   server, none twice. So the steps that start a gang are adjacent;
/// - the jobs preempted, the servers returned, and the workers that leave them are those of the reclaim, and no other
///   workers leave with the cause [`Cause::ServerReturns`];
/// - as many servers are lent as were offered, each unprotected and not returned by the same plan;
/// - each step can be carried out when its turn comes: no server is ever over-full or used while it serves inference, a
///   server that returns is on loan and empty, one that is lent serves inference, pinned workers stay, and each job that
///   a step touches is whole after its steps: at its minimum, not above its maximum, on GPU types it allows;
/// - a job that starts does not run; a running job that no step touches has one step that keeps it, and no other job
///   has; no workers leave a server on which workers of the same job start;
/// - the totals are right, counted before and after from the definitions: T(minimum) − T(workers held) over the running
///   jobs, with T as in [`verify::reclaim`](super::reclaim());
/// - the certificates of the allocation ascend by GPU type, one for each type on which elastic jobs run after the plan,
///   heterogeneous jobs aside. The capacity is what base workers leave of the type. The objective is what the flexible
///   workers bring: the sum of T(base) − T(workers held) times the weights, less the resize overheads of the jobs that
///   ran before and hold another number of flexible workers after. Jobs that the reclaim resizes are not charged. Jobs
///   with flexible workers where a gang starts may be charged or not, since a plan does not tell whether it took some;
/// - [`Cluster::apply`] accepts the plan, leaves every job and server where the steps put them, and its result passes
///   [`verify::cluster`](super::cluster()).
///
/// The bounds of the allocation are not proven again: that would be to solve the knapsacks.
///
/// # Errors
///
/// [`Violation::Reclaim`], [`Violation::Plan`] or [`Violation::Cluster`] with the first rule that is broken, in the order
/// above.
///
/// # Complexity
///
/// O((s + p + a · w) log p) time and O(s + p) memory, for s servers, p placements before and after, and a steps that
/// take base workers away from jobs on w servers.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::epoch::{Plan, Request};
/// use aryl::verify::{self, PlanViolation, Violation};
///
/// let mut cluster = Cluster::new();
/// assert_eq!(verify::plan(&cluster, Request::NONE, &Plan::default()), Ok(()));
///
/// // A running job must be kept, scaled or preempted: an empty plan forgets it.
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// cluster.place(job, &[Placement::base(server, 1)])?;
/// assert_eq!(
///     verify::plan(&cluster, Request::NONE, &Plan::default()),
///     Err(Violation::Plan(PlanViolation::NotKept { job }))
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan<'a>(cluster: &Cluster, request: impl Into<Request<'a>>, plan: &Plan) -> Result<(), Violation> {
    check(cluster, &request.into(), plan)
}

fn check(cluster: &Cluster, request: &Request<'_>, plan: &Plan) -> Result<(), Violation> {
    super::reclaim(cluster, &request.reclaim, plan.reclaim())?;
    let actions = plan.actions();
    check_order(actions)?;
    check_reclaim(plan)?;
    check_loan(cluster, request.lend, plan)?;
    check_jobs(cluster, actions)?;
    let after = replay(cluster, actions)?;
    totals::check_totals(cluster, &after, plan.totals())?;
    allocation::check_allocations(cluster, &after, plan)?;
    let mut applied = cluster.clone();
    applied.apply(plan).map_err(PlanViolation::Apply)?;
    check_agreement(&after, &applied)?;
    super::cluster(&applied)
}

/// The place of a kind of step in a plan, and what steps of this kind ascend by.
fn place_of(action: &Action) -> (u32, u32, u32) {
    match *action {
        Action::Preempt { job } => (0, job.get(), 0),
        Action::ScaleIn { job, server, .. } => (1, job.get(), server.get()),
        Action::Return { server } => (2, server.get(), 0),
        Action::Lend { server } => (3, server.get(), 0),
        Action::Start { job, server, .. } => (4, job.get(), server.get()),
        Action::ScaleOut { job, server, .. } => (5, job.get(), server.get()),
        Action::Keep { job } => (6, job.get(), 0),
    }
}

/// The job that a step is about, if it is about one.
fn job_of(action: &Action) -> Option<JobId> {
    match *action {
        Action::Preempt { job }
        | Action::ScaleIn { job, .. }
        | Action::Start { job, .. }
        | Action::ScaleOut { job, .. }
        | Action::Keep { job } => Some(job),
        Action::Return { .. } | Action::Lend { .. } => None,
    }
}

fn check_order(actions: &[Action]) -> Result<(), PlanViolation> {
    for (before, pair) in actions.windows(2).enumerate() {
        if place_of(&pair[0]) >= place_of(&pair[1]) {
            return Err(PlanViolation::Order { step: before + 1, before: pair[0], after: pair[1] });
        }
    }
    Ok(())
}

/// Whether the plan carries out its reclaim: the same jobs, servers and departures.
fn check_reclaim(plan: &Plan) -> Result<(), PlanViolation> {
    let returning: BTreeSet<ServerId> = plan.reclaim().servers().iter().copied().collect();
    // What the plan does, and what the reclaim says.
    let mut jobs: BTreeMap<JobId, (u32, u32)> = BTreeMap::new();
    let mut servers: BTreeMap<ServerId, (u32, u32)> = BTreeMap::new();
    let mut departures: BTreeMap<(JobId, ServerId), (u32, u32)> = BTreeMap::new();
    for (step, action) in plan.actions().iter().enumerate() {
        match *action {
            Action::Preempt { job } => jobs.entry(job).or_default().0 += 1,
            Action::Return { server } => servers.entry(server).or_default().0 += 1,
            Action::ScaleIn { job, server, workers, cause } => {
                let returns = returning.contains(&server);
                let expected = if returns { Cause::ServerReturns } else { Cause::Reallocated };
                if cause != expected {
                    return Err(PlanViolation::WrongCause { step, job, server, cause, expected });
                }
                if returns {
                    departures.entry((job, server)).or_default().0 = workers;
                }
            }
            _ => {}
        }
    }
    plan.reclaim().preempted().iter().for_each(|&job| jobs.entry(job).or_default().1 += 1);
    returning.iter().for_each(|&server| servers.entry(server).or_default().1 += 1);
    for departure in plan.reclaim().departures() {
        departures.entry((departure.job, departure.server)).or_default().1 = departure.workers;
    }
    for (job, (plan, reclaim)) in jobs {
        if plan != reclaim {
            return Err(PlanViolation::Preempted { job, plan, reclaim });
        }
    }
    for (server, (plan, reclaim)) in servers {
        if plan != reclaim {
            return Err(PlanViolation::Returned { server, plan, reclaim });
        }
    }
    for ((job, server), (plan, reclaim)) in departures {
        if plan != reclaim {
            return Err(PlanViolation::Departure { job, server, plan, reclaim });
        }
    }
    Ok(())
}

fn check_loan(cluster: &Cluster, offered: u32, plan: &Plan) -> Result<(), PlanViolation> {
    let mut lent = 0;
    for (step, action) in plan.actions().iter().enumerate() {
        let Action::Lend { server } = *action else { continue };
        lent += 1;
        if plan.reclaim().servers().binary_search(&server).is_ok() {
            return Err(PlanViolation::LentAgain { step, server });
        }
        let definition = cluster.server(server).ok_or(PlanViolation::UnknownServer { step, server })?;
        if definition.protected {
            return Err(PlanViolation::LentProtected { step, server });
        }
    }
    if lent != u64::from(offered) {
        return Err(PlanViolation::LentCount { lent, offered });
    }
    Ok(())
}

/// Whether each job has the steps it should have, beside the others.
fn check_jobs(cluster: &Cluster, actions: &[Action]) -> Result<(), PlanViolation> {
    let mut touched = BTreeSet::new();
    let mut left: BTreeSet<(JobId, ServerId)> = BTreeSet::new();
    for (step, action) in actions.iter().enumerate() {
        match *action {
            // The steps that keep jobs stand last, so all that is touched is known.
            Action::Keep { job } if touched.contains(&job) => {
                return Err(PlanViolation::KeptAndTouched { step, job });
            }
            Action::ScaleIn { job, server, .. } => {
                left.insert((job, server));
            }
            Action::ScaleOut { job, server, .. } if left.contains(&(job, server)) => {
                return Err(PlanViolation::Pointless { job, server });
            }
            _ => {}
        }
        touched.extend(job_of(action));
    }
    for (job, _) in cluster.jobs().filter(|&(job, _)| cluster.is_running(job)) {
        if !touched.contains(&job) {
            return Err(PlanViolation::NotKept { job });
        }
    }
    Ok(())
}

/// Carries out the steps, in order. The steps of one job within a stage stand together, and after the last of them the
/// job must be whole.
fn replay<'a>(cluster: &'a Cluster, actions: &[Action]) -> Result<Books<'a>, PlanViolation> {
    let mut books = Books::of(cluster);
    let group = |action: &Action| (place_of(action).0, job_of(action));
    for (step, action) in actions.iter().enumerate() {
        let first = step == 0 || group(&actions[step - 1]) != group(action);
        if let Action::Start { job, .. } = *action
            && first
            && books.is_running(job)
        {
            return Err(PlanViolation::AlreadyRunning { step, job });
        }
        books.carry_out(step, action)?;
        let last = step + 1 == actions.len() || group(&actions[step + 1]) != group(action);
        if let Some(job) = job_of(action)
            && last
        {
            if matches!(action, Action::ScaleIn { .. }) && !books.is_running(job) {
                return Err(PlanViolation::NotRunning { step, job });
            }
            books.check_run(step, job)?;
        }
    }
    Ok(books)
}

/// Whether the cluster after `apply` is what the steps made of it.
fn check_agreement(expected: &Books<'_>, applied: &Cluster) -> Result<(), PlanViolation> {
    if let Some(&job) = expected.jobs_that_differ(applied).first() {
        return Err(PlanViolation::PlacementsDiffer { job });
    }
    for (server, definition) in applied.servers() {
        if let Some(pool) = expected.pool(server).filter(|&pool| pool != definition.pool) {
            let applied = definition.pool;
            return Err(PlanViolation::PoolsDiffer { server, applied, expected: pool });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Pool;
    use crate::cluster::{GpuType, Job, Placement, Server};

    #[test]
    fn books_and_an_applied_cluster_that_part_ways() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let [first, second] = [0, 1].map(|_| cluster.add_server(Server::on_loan(v100, 8)).unwrap());
        let job = cluster.add_job(Job::elastic(1..=4)).unwrap();
        cluster.place(job, &[Placement::base(first, 1), Placement::flexible(first, 1)]).unwrap();
        let books = Books::of(&cluster);
        assert_eq!(check_agreement(&books, &cluster), Ok(()));

        let mut other = cluster.clone();
        other.scale_in(job, first, 1).unwrap();
        assert_eq!(check_agreement(&books, &other), Err(PlanViolation::PlacementsDiffer { job }));
        let mut other = cluster.clone();
        other.stop(job).unwrap();
        other.place(job, &[Placement::base(first, 1).pinned(), Placement::flexible(first, 1)]).unwrap();
        assert_eq!(check_agreement(&books, &other), Err(PlanViolation::PlacementsDiffer { job }));
        let mut other = cluster.clone();
        other.set_pool(second, Pool::Inference).unwrap();
        let (applied, expected) = (Pool::Inference, Pool::OnLoan);
        let differ = PlanViolation::PoolsDiffer { server: second, applied, expected };
        assert_eq!(check_agreement(&books, &other), Err(differ));
    }
}
