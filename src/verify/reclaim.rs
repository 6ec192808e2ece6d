//! A reclaim, recomputed from the cluster and the servers that it names.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::Violation;
use super::asked::Asked;
use super::count::Workers;
use super::minimal::check_minimal;
use crate::certificate::Sense;
use crate::cluster::{Cluster, Placement, Pool};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::reclaim::{Ask, Departure, Reclaim};
use crate::units::Seconds;

/// A rule that a reclaim breaks.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::Reclaimer;
/// use aryl::verify;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// let answer = Reclaimer::default().solve(&cluster, 2)?;
/// let violation = verify::reclaim(&cluster, 1, &answer).unwrap_err();
/// assert_eq!(violation.to_string(), "2 servers go back, and 1 were asked for");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReclaimViolation {
    /// Not as many servers go back as were asked for.
    #[error("{servers} servers go back, and {asked} were asked for")]
    Count {
        /// Servers in the answer.
        servers: u64,
        /// Servers asked for.
        asked: u32,
    },
    /// Not as many servers of a GPU type go back as were asked for.
    #[error("{servers} servers of {gpu_type} go back, and {asked} were asked for")]
    CountOfType {
        /// The type.
        gpu_type: GpuTypeId,
        /// Servers of the type in the answer.
        servers: u64,
        /// Servers of the type asked for.
        asked: u32,
    },
    /// The servers that go back have fewer GPUs than were asked for.
    #[error("{gpus} GPUs go back, and {asked} were asked for")]
    TooFewGpus {
        /// GPUs of the servers in the answer, of the type asked for.
        gpus: u64,
        /// GPUs asked for.
        asked: u64,
    },
    /// A server goes back that is not needed for the number of GPUs asked for.
    #[error("{server} goes back, and without it there are {gpus} GPUs, of {asked} asked for")]
    NeedlessServer {
        /// The server.
        server: ServerId,
        /// GPUs of the other servers in the answer, of the type asked for.
        gpus: u64,
        /// GPUs asked for.
        asked: u64,
    },
    /// A server goes back that is of no type asked for.
    #[error("{server} goes back, and is of {gpu_type}, of which nothing was asked")]
    OtherGpuType {
        /// The server.
        server: ServerId,
        /// Its type.
        gpu_type: GpuTypeId,
    },
    /// A server does not go back that must.
    #[error("{server} must go back, and stays")]
    MustReturn {
        /// The server.
        server: ServerId,
    },
    /// A server goes back that must not.
    #[error("{server} must stay, and goes back")]
    MustStay {
        /// The server.
        server: ServerId,
    },
    /// The preemption of a running job has no cost under the costs that the ask names.
    #[error("the preemption of {job} has no cost")]
    NoCost {
        /// The job.
        job: JobId,
    },
    /// The servers do not ascend.
    #[error("{after} is listed after {before}")]
    ServerOrder {
        /// A server.
        before: ServerId,
        /// The server listed after it, with an id that is no higher.
        after: ServerId,
    },
    /// A server that the cluster does not hold goes back.
    #[error("{server} goes back, and the cluster does not hold it")]
    UnknownServer {
        /// The server.
        server: ServerId,
    },
    /// A server that is not on loan goes back.
    #[error("{server} goes back, and is in the {pool} pool")]
    NotOnLoan {
        /// The server.
        server: ServerId,
        /// The pool it is in.
        pool: Pool,
    },
    /// A protected server goes back.
    #[error("{server} goes back, and is protected")]
    ProtectedServer {
        /// The server.
        server: ServerId,
    },
    /// A server goes back on which a protected job has workers.
    #[error("{server} goes back, and hosts workers of {job}, which is protected")]
    ProtectedJob {
        /// The server.
        server: ServerId,
        /// The job.
        job: JobId,
    },
    /// The preempted jobs do not ascend.
    #[error("{after} is listed as preempted after {before}")]
    PreemptedOrder {
        /// A job.
        before: JobId,
        /// The job listed after it, with an id that is no higher.
        after: JobId,
    },
    /// A job falls below its minimum, and is not preempted.
    #[error("{job} is left with {left} reference workers of its minimum of {min}, and is not preempted")]
    BelowMinimum {
        /// The job.
        job: JobId,
        /// Reference workers on the servers that stay.
        left: u64,
        /// Its minimum.
        min: u32,
    },
    /// A job loses pinned workers, and is not preempted.
    #[error("{job} loses its pinned workers on {server}, and is not preempted")]
    LosesPinned {
        /// The job.
        job: JobId,
        /// The server that hosts them.
        server: ServerId,
    },
    /// A job is preempted that could run on.
    #[error("{job} is preempted, though it is left with {left} reference workers and needs {min}")]
    NeedlessPreemption {
        /// The job.
        job: JobId,
        /// Reference workers on the servers that stay.
        left: u64,
        /// Its minimum.
        min: u32,
    },
    /// A job is preempted that does not run, or that the cluster does not hold.
    #[error("{job} is preempted, and does not run")]
    NotRunning {
        /// The job.
        job: JobId,
    },
    /// The departures do not ascend by job and server.
    #[error("the departure of {job} from {server} is listed out of order or twice")]
    DepartureOrder {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
    },
    /// Not as many workers depart as a surviving job has on a server that goes back.
    #[error("{stated} workers of {job} are said to leave {server}, and {expected} must")]
    Departure {
        /// The job.
        job: JobId,
        /// The server.
        server: ServerId,
        /// Workers in the answer; 0 where it does not list them.
        stated: u64,
        /// Workers of the job on the server, if it survives and the server goes back; else 0.
        expected: u64,
    },
    /// The GPUs that go back are counted wrongly.
    #[error("{stated} GPUs are said to go back, and the servers have {expected}")]
    ReturnedGpus {
        /// GPUs in the answer.
        stated: u64,
        /// GPUs of the servers.
        expected: u64,
    },
    /// The collateral damage is counted wrongly.
    #[error("{stated} GPUs of preempted jobs are said to be elsewhere, and {expected} are")]
    CollateralGpus {
        /// GPUs in the answer.
        stated: u64,
        /// GPUs that preempted jobs hold on servers that stay.
        expected: u64,
    },
    /// The time lost to scale-in is counted wrongly.
    #[error("{stated} are said to be lost to scale-in, and {expected} are")]
    JctLost {
        /// The time in the answer.
        stated: Seconds,
        /// The weighted sum of what the scaled-in jobs lose.
        expected: Seconds,
    },
    /// The certificate says that a large cost is good.
    #[error("the certificate maximises the preemption cost")]
    Sense,
    /// The objective is not the cost of the preempted jobs.
    #[error("the objective is {stated}, and the preempted jobs cost {expected}")]
    Objective {
        /// The objective of the certificate.
        stated: u64,
        /// The sum of the preemption costs.
        expected: u64,
    },
    /// The bound is above the objective.
    #[error("the bound {bound} is above the objective {objective}")]
    Bound {
        /// The bound of the certificate.
        bound: u64,
        /// The objective of the certificate.
        objective: u64,
    },
    /// Another choice of servers costs less than the bound, so it is no bound.
    #[error("the bound is {bound}, and the servers with the cheapest jobs can be had for {cost}")]
    BoundTooHigh {
        /// The bound of the certificate.
        bound: u64,
        /// The cost of the other choice.
        cost: u64,
    },
    /// A preempted job need not have been: enough other servers are empty without its preemption.
    #[error(
        "{job} need not be preempted: {can_leave} servers can leave without it, and {asked} are asked for"
    )]
    NotMinimal {
        /// The job.
        job: JobId,
        /// Servers that can leave while the job runs on and no other job is touched beyond what the answer does.
        can_leave: u64,
        /// Servers asked for.
        asked: u32,
    },
    /// A preempted job need not have been: enough other servers are empty without its preemption. This is said where
    /// more than a number of servers was asked for.
    #[error("{job} need not be preempted: what is asked can leave without it")]
    NotMinimalForAsk {
        /// The job.
        job: JobId,
    },
}

/// The most milliseconds that one job counts for.
const MOST_LOST: u64 = (1 << 53) - 1;

/// Checks the answer to "which on-loan servers go back": to an ask, or to a number of servers.
///
/// The servers are taken from the answer; all that follows from them is computed again. It proves that
///
/// - exactly as many distinct servers go back as were asked for, or servers with as many GPUs and none that is not needed
///   for it, of each type asked for; each on loan, not protected, without workers of a job that is protected by itself or
///   by the costs of the ask; those that must are among them, and those that must not are not; in ascending order;
/// - the preempted jobs are exactly those that keep fewer reference workers than their minimum over all the servers
///   that stay, or that lose pinned workers;
/// - the departures are exactly the workers of the other jobs on the servers that go back;
/// - returned GPUs, collateral GPUs, time lost to scale-in and objective are what these lists say, by the costs of the
///   ask, which are worked out again. A job that is scaled in loses `round(weight · (T after − T before) · 1000)` milliseconds, or nothing where that is negative; T is its
///   remaining time over the speedup of its reference workers and, where it mixes GPU types, over its efficiency. No job
///   counts for more than 2^53 − 1 milliseconds;
/// - the bound is above neither the objective nor the cost of one other choice: the servers whose tenants, each counted
///   on every server that hosts it, cost least in all;
/// - the answer is minimal by inclusion: no preempted job that costs anything can be put back. Take the preempted jobs as
///   stopped and the departures as carried out, and call every candidate server that is then empty *vacant*: those that
///   go back are among them. Now put one preempted job back. The vacant servers without its workers can still leave.
///   Of those with its workers, as many can leave as its own surplus allows: those with the fewest of its workers
///   first, none with pinned ones. If all these are as many as were asked for, the preemption was needless. (For a job
///   that mixes GPU types, the order by number of workers may miss a server; such a job may then pass unnoticed.
///   A reported violation is always real. A job whose preemption costs nothing is not looked at: to stop it can be the
///   better answer, where it saves another job's time.) Servers that must go back have the first call on the surplus;
///   and where GPUs or several types are asked for, it is spent on no others.
///
/// That the bound holds for *every* other choice of servers is the solver's proof, and is not repeated here.
///
/// # Errors
///
/// [`Violation::Reclaim`] with the first rule that is broken, in the order above.
///
/// # Complexity
///
/// O((s + p) log p) time and O(s + p) memory, for s servers and p placements.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::Reclaim;
/// use aryl::verify::{self, ReclaimViolation, Violation};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// let nothing = Reclaim::default();
/// assert_eq!(verify::reclaim(&cluster, 0, &nothing), Ok(()));
/// assert_eq!(
///     verify::reclaim(&cluster, 1, &nothing),
///     Err(Violation::Reclaim(ReclaimViolation::Count { servers: 0, asked: 1 }))
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reclaim<'a>(cluster: &Cluster, ask: impl Into<Ask<'a>>, answer: &Reclaim) -> Result<(), Violation> {
    check(cluster, &ask.into(), answer).map_err(Violation::from)
}

fn check(cluster: &Cluster, ask: &Ask<'_>, answer: &Reclaim) -> Result<(), ReclaimViolation> {
    let asked = Asked::of(cluster, ask)?;
    asked.check_servers(answer.servers())?;
    let fates = fates(cluster, answer.servers());
    check_preempted(cluster, &fates, answer.preempted())?;
    check_departures(&fates, answer.departures())?;
    check_numbers(cluster, &asked, &fates, answer)?;
    check_bound(cluster, &asked, answer.certificate().bound())?;
    check_minimal(cluster, &asked, answer)
}

/// What the return of some servers does to one job that has workers on them.
struct Fate {
    /// Its workers on the servers that go back, in ascending order of servers.
    leaving: BTreeMap<ServerId, u64>,
    before: Workers,
    after: Workers,
    /// Reference workers on the servers that stay.
    left: u64,
    min: u32,
    /// The first server that goes back and hosts pinned workers of it.
    pinned: Option<ServerId>,
    /// GPUs on the servers that stay.
    gpus_elsewhere: u64,
}

impl Fate {
    fn survives(&self) -> bool {
        self.pinned.is_none() && self.left >= u64::from(self.min)
    }
}

/// The fate of every job with workers on these servers.
fn fates(cluster: &Cluster, servers: &[ServerId]) -> BTreeMap<JobId, Fate> {
    let going: BTreeSet<ServerId> = servers.iter().copied().collect();
    let touched: BTreeSet<JobId> =
        servers.iter().flat_map(|&server| cluster.tenants(server)).map(|tenant| tenant.job).collect();
    let mut fates = BTreeMap::new();
    for job in touched {
        let Some(definition) = cluster.job(job) else { continue };
        let placements = cluster.placements(job);
        let (gone, kept): (Vec<&Placement>, Vec<&Placement>) =
            placements.iter().partition(|p| going.contains(&p.server));
        let mut leaving: BTreeMap<ServerId, u64> = BTreeMap::new();
        for placement in &gone {
            *leaving.entry(placement.server).or_default() += u64::from(placement.workers);
        }
        let after = Workers::of(cluster, kept.iter().copied());
        fates.insert(
            job,
            Fate {
                leaving,
                before: Workers::of(cluster, placements),
                left: after.reference(cluster),
                min: definition.min_workers,
                pinned: gone.iter().find(|placement| placement.pinned).map(|placement| placement.server),
                gpus_elsewhere: after.total() * u64::from(definition.gpus_per_worker),
                after,
            },
        );
    }
    fates
}

fn check_preempted(
    cluster: &Cluster,
    fates: &BTreeMap<JobId, Fate>,
    preempted: &[JobId],
) -> Result<(), ReclaimViolation> {
    for pair in preempted.windows(2) {
        if pair[0] >= pair[1] {
            return Err(ReclaimViolation::PreemptedOrder { before: pair[0], after: pair[1] });
        }
    }
    for &job in preempted {
        let needless = |left, min| ReclaimViolation::NeedlessPreemption { job, left, min };
        match (fates.get(&job), cluster.job(job)) {
            (Some(fate), _) if fate.survives() => return Err(needless(fate.left, fate.min)),
            (Some(_), _) => {}
            (None, Some(definition)) if cluster.is_running(job) => {
                let left = Workers::of(cluster, cluster.placements(job)).reference(cluster);
                return Err(needless(left, definition.min_workers));
            }
            (None, _) => return Err(ReclaimViolation::NotRunning { job }),
        }
    }
    for (&job, fate) in fates {
        if fate.survives() || preempted.binary_search(&job).is_ok() {
            continue;
        }
        return Err(match fate.pinned {
            Some(server) => ReclaimViolation::LosesPinned { job, server },
            None => ReclaimViolation::BelowMinimum { job, left: fate.left, min: fate.min },
        });
    }
    Ok(())
}

fn check_departures(fates: &BTreeMap<JobId, Fate>, departures: &[Departure]) -> Result<(), ReclaimViolation> {
    for pair in departures.windows(2) {
        if (pair[0].job, pair[0].server) >= (pair[1].job, pair[1].server) {
            return Err(ReclaimViolation::DepartureOrder { job: pair[1].job, server: pair[1].server });
        }
    }
    // For each job and server, the workers stated and the workers expected.
    let mut both: BTreeMap<(JobId, ServerId), (u64, u64)> = BTreeMap::new();
    for departure in departures {
        let Departure { job, server, workers } = *departure;
        both.entry((job, server)).or_default().0 = u64::from(workers);
        if workers == 0 {
            let expected = fates.get(&job).and_then(|fate| fate.leaving.get(&server)).copied().unwrap_or(0);
            return Err(ReclaimViolation::Departure { job, server, stated: 0, expected });
        }
    }
    for (&job, fate) in fates.iter().filter(|(_, fate)| fate.survives()) {
        for (&server, &workers) in &fate.leaving {
            both.entry((job, server)).or_default().1 = workers;
        }
    }
    for ((job, server), (stated, expected)) in both {
        if stated != expected {
            return Err(ReclaimViolation::Departure { job, server, stated, expected });
        }
    }
    Ok(())
}

fn check_numbers(
    cluster: &Cluster,
    asked: &Asked<'_>,
    fates: &BTreeMap<JobId, Fate>,
    answer: &Reclaim,
) -> Result<(), ReclaimViolation> {
    let servers = answer.servers().iter().filter_map(|&server| cluster.server(server));
    let returned: u64 = servers.map(|server| u64::from(server.gpus)).sum();
    let mut collateral = 0;
    let mut cost = 0u64;
    let mut lost = 0u64;
    for (&job, fate) in fates {
        let Some(definition) = cluster.job(job) else { continue };
        if fate.survives() {
            let before = fate.before.running_time(cluster, definition);
            let after = fate.after.running_time(cluster, definition);
            let milliseconds = libm::round(definition.weight * (after - before) * 1_000.0);
            // The conversion turns what is negative, and NaN, into 0.
            lost = lost.saturating_add((milliseconds as u64).min(MOST_LOST));
        } else {
            collateral += fate.gpus_elsewhere;
            cost = cost.saturating_add(asked.cost(job));
        }
    }
    if answer.returned_gpus() != returned {
        return Err(ReclaimViolation::ReturnedGpus { stated: answer.returned_gpus(), expected: returned });
    }
    if answer.collateral_gpus() != collateral {
        return Err(ReclaimViolation::CollateralGpus {
            stated: answer.collateral_gpus(),
            expected: collateral,
        });
    }
    let expected = Seconds(lost as f64 / 1_000.0);
    if answer.jct_lost() != expected {
        return Err(ReclaimViolation::JctLost { stated: answer.jct_lost(), expected });
    }
    let certificate = answer.certificate();
    check_certificate(certificate.sense(), certificate.objective(), certificate.bound(), cost)
}

/// Checks a certificate as three plain values, so that the rule that it keeps by itself is checked too.
fn check_certificate(sense: Sense, objective: u64, bound: u64, cost: u64) -> Result<(), ReclaimViolation> {
    if sense != Sense::Minimize {
        return Err(ReclaimViolation::Sense);
    }
    if objective != cost {
        return Err(ReclaimViolation::Objective { stated: objective, expected: cost });
    }
    if bound > objective {
        return Err(ReclaimViolation::Bound { bound, objective });
    }
    Ok(())
}

/// Holds the bound against the servers whose tenants cost least, each server by itself.
fn check_bound(cluster: &Cluster, asked: &Asked<'_>, bound: u64) -> Result<(), ReclaimViolation> {
    let mut candidates: Vec<(bool, u128, ServerId)> = Vec::new();
    for server in asked.candidates() {
        let jobs: BTreeSet<JobId> = cluster.tenants(server).iter().map(|tenant| tenant.job).collect();
        let cost = jobs.iter().map(|&job| u128::from(asked.cost(job))).sum();
        candidates.push((!asked.must_return(server), cost, server));
    }
    candidates.sort_unstable();
    // This can be more than is needed, which costs no less.
    let (mut chosen, mut count) = (Vec::new(), asked.count());
    for (is_free, _, server) in candidates {
        if !is_free || count.needs(server) {
            chosen.push(server);
            count.add(server);
        }
    }
    let mut cost = 0u64;
    for (job, fate) in fates(cluster, &chosen) {
        if !fate.survives() {
            cost = cost.saturating_add(asked.cost(job));
        }
    }
    if bound > cost {
        return Err(ReclaimViolation::BoundTooHigh { bound, cost });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_numbers_of_a_certificate() {
        let check = check_certificate;
        assert_eq!(check(Sense::Minimize, 5, 5, 5), Ok(()));
        assert_eq!(check(Sense::Minimize, 5, 0, 5), Ok(()));
        assert_eq!(check(Sense::Maximize, 5, 5, 5), Err(ReclaimViolation::Sense));
        let wrong = ReclaimViolation::Objective { stated: 5, expected: 4 };
        assert_eq!(check(Sense::Minimize, 5, 4, 4), Err(wrong));
        let above = ReclaimViolation::Bound { bound: 6, objective: 5 };
        assert_eq!(check(Sense::Minimize, 5, 6, 5), Err(above));
    }
}
