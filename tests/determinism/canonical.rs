//! Answers as plain rows of numbers: everything that is in them, in one fixed order, with the bits of each float.
//!
//! No serializer and no derived hash has a part in it, so the rows are the same with any features.

use aryl::certificate::{Certificate, Sense};
use aryl::epoch::{Action, Cause, EpochError, Plan, Totals};
use aryl::id::{JobId, ServerId};
use aryl::knapsack::{self, Method};
use aryl::loan::{HoldReason, LoanAction, LoanDecision};
use aryl::place::{Placements, UnplacedReason};
use aryl::reclaim::{Reclaim, ReclaimError, Shortage};
use aryl::{cluster, k_union};

pub(crate) type Row = Vec<u64>;

/// The 64-bit FNV-1a hash of the bytes of a row, lowest byte first.
pub(crate) fn digest(row: &[u64]) -> u64 {
    let bytes = row.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What the ids of an answer are called in the row.
pub(crate) struct Names<'a> {
    pub(crate) job: &'a dyn Fn(JobId) -> u64,
    pub(crate) server: &'a dyn Fn(ServerId) -> u64,
}

impl Names<'_> {
    /// Each id by its own number.
    pub(crate) const OWN: Names<'static> =
        Names { job: &|job| job.get().into(), server: &|server| server.get().into() };
}

pub(crate) fn certificate(certificate: &Certificate) -> [u64; 3] {
    let sense = match certificate.sense() {
        Sense::Minimize => 0,
        Sense::Maximize => 1,
    };
    [sense, certificate.objective(), certificate.bound()]
}

fn action(action: &Action, names: &Names<'_>) -> [u64; 5] {
    let (job, server) = (names.job, names.server);
    match *action {
        Action::Preempt { job: id } => [0, job(id), 0, 0, 0],
        Action::ScaleIn { job: id, server: at, workers, cause } => {
            let cause = match cause {
                Cause::ServerReturns => 1,
                Cause::Reallocated => 2,
                other => unreachable!("a cause that is new: {other:?}"),
            };
            [1, job(id), server(at), workers.into(), cause]
        }
        Action::Return { server: at } => [2, 0, server(at), 0, 0],
        Action::Lend { server: at } => [3, 0, server(at), 0, 0],
        Action::Start { job: id, server: at, workers } => [4, job(id), server(at), workers.into(), 0],
        Action::ScaleOut { job: id, server: at, workers } => [5, job(id), server(at), workers.into(), 0],
        Action::Keep { job: id } => [6, job(id), 0, 0, 0],
        other => unreachable!("an action that is new: {other:?}"),
    }
}

/// A list of parts, with its length before it. Ids that were given out in another order come sorted.
fn list<const N: usize>(row: &mut Row, parts: impl Iterator<Item = [u64; N]>) {
    let mut parts: Vec<[u64; N]> = parts.collect();
    parts.sort_unstable();
    row.push(parts.len() as u64);
    row.extend(parts.into_iter().flatten());
}

pub(crate) fn reclaim(row: &mut Row, answer: &Reclaim, names: &Names<'_>) {
    list(row, answer.servers().iter().map(|&id| [(names.server)(id)]));
    list(row, answer.preempted().iter().map(|&id| [(names.job)(id)]));
    let departures = answer.departures().iter();
    list(row, departures.map(|d| [(names.job)(d.job), (names.server)(d.server), d.workers.into()]));
    row.extend([answer.returned_gpus(), answer.collateral_gpus(), answer.jct_lost().0.to_bits()]);
    row.extend(certificate(answer.certificate()));
}

/// A plan but for its totals. The order of its actions is that of their kinds, then of ids.
pub(crate) fn decisions(row: &mut Row, plan: &Plan, names: &Names<'_>) {
    list(row, plan.actions().iter().map(|step| action(step, names)));
    reclaim(row, plan.reclaim(), names);
    row.push(plan.allocations().len() as u64);
    for allocation in plan.allocations() {
        row.extend([allocation.gpu_type.get().into(), allocation.capacity, allocation.jobs.into()]);
        row.extend(certificate(&allocation.certificate));
    }
}

pub(crate) fn totals(row: &mut Row, totals: &Totals) {
    let jobs = [totals.waiting_before, totals.waiting_after, totals.running_before, totals.running_after];
    row.extend(jobs.map(u64::from));
    row.extend([totals.gpus_before, totals.gpus_after, totals.busy_before, totals.busy_after]);
    row.extend([totals.jct_reduction_before.0.to_bits(), totals.jct_reduction_after.0.to_bits()]);
}

fn shortage(row: &mut Row, shortage: &Shortage) {
    let Shortage { on_loan, protected_servers, told_to_stay, blocked_servers, .. } = *shortage;
    row.extend([on_loan, protected_servers, told_to_stay, blocked_servers].map(u64::from));
    row.push(shortage.blocking.len() as u64);
    row.extend(shortage.blocking.iter().map(|job| u64::from(job.get())));
}

pub(crate) fn plan(answer: &Result<Plan, EpochError>) -> Row {
    let mut row = Vec::new();
    match answer {
        Ok(plan) => {
            row.push(0);
            // In the order of the plan itself, which is part of the answer.
            row.extend(plan.actions().iter().flat_map(|step| action(step, &Names::OWN)));
            decisions(&mut row, plan, &Names::OWN);
            totals(&mut row, plan.totals());
        }
        Err(EpochError::NotEnoughToLend { asked, available }) => {
            row.extend([1, (*asked).into(), (*available).into()]);
        }
        Err(EpochError::Reclaim(ReclaimError::NotEnoughServers {
            asked,
            available,
            gpu_type,
            shortage: why,
        })) => {
            row.extend([2, (*asked).into(), (*available).into()]);
            row.push(gpu_type.map_or(u64::MAX, |gpu_type| gpu_type.get().into()));
            shortage(&mut row, why);
        }
        Err(EpochError::Reclaim(ReclaimError::NotEnoughGpus {
            asked,
            available,
            gpu_type,
            shortage: why,
        })) => {
            row.extend([3, *asked, *available]);
            row.push(gpu_type.map_or(u64::MAX, |gpu_type| gpu_type.get().into()));
            shortage(&mut row, why);
        }
        Err(other) => unreachable!("no request of these tests makes no sense: {other}"),
    }
    row
}

pub(crate) fn knapsack(solution: &knapsack::Solution) -> Row {
    let method = match solution.method() {
        Method::Core => 0,
        Method::Dense => 1,
        Method::Greedy => 2,
        Method::BruteForce => 3,
        Method::IntegerProgram => 4,
        other => unreachable!("a method that is new: {other:?}"),
    };
    let mut row = vec![method, solution.value(), solution.weight()];
    row.extend(certificate(&solution.certificate()));
    row.extend(solution.choices().map(|choice| choice.map_or(u64::MAX, u64::from)));
    row
}

pub(crate) fn union(solution: &k_union::Solution) -> Row {
    let mut row = certificate(solution.certificate()).to_vec();
    row.extend(solution.sets().iter().map(|&set| u64::from(set)));
    row
}

pub(crate) fn curve(curve: &k_union::Curve) -> Row {
    let mut row: Row = curve.ends().iter().map(|&end| end as u64).collect();
    let all = curve.ends().last().copied().unwrap_or(0);
    row.extend(curve.sets(all).unwrap_or(&[]).iter().map(|&set| u64::from(set)));
    row.extend((0..=all).filter_map(|count| curve.certificate(count)).flat_map(|each| certificate(&each)));
    row
}

fn placement(placement: &cluster::Placement) -> [u64; 4] {
    let role = match placement.role {
        cluster::Role::Base => 0,
        cluster::Role::Flexible => 1,
    };
    [placement.server.get().into(), role, placement.workers.into(), placement.pinned.into()]
}

pub(crate) fn placements(answer: &Placements, names: &Names<'_>) -> Row {
    let mut jobs: Vec<Row> = Vec::new();
    for (job, workers) in answer.placed() {
        let mut row = vec![(names.job)(job), workers.len() as u64];
        for part in workers {
            let [_, rest @ ..] = placement(part);
            row.push((names.server)(part.server));
            row.extend(rest);
        }
        jobs.push(row);
    }
    for unplaced in answer.unplaced() {
        let reason = match unplaced.reason {
            UnplacedReason::NoServer => [0, 0, 0],
            UnplacedReason::WorkerExceedsServers { gpus_per_worker, largest_server } => {
                [1, gpus_per_worker.into(), largest_server.into()]
            }
            UnplacedReason::NotEnoughRoom { workers, slots } => [2, workers.into(), slots],
            other => unreachable!("a reason that is new: {other:?}"),
        };
        jobs.push([vec![(names.job)(unplaced.job), 0], reason.to_vec()].concat());
    }
    jobs.sort_unstable();
    jobs.concat()
}

pub(crate) fn loan(decision: &LoanDecision) -> Row {
    let action = match decision.action() {
        LoanAction::Lend(servers) => [0, servers.into()],
        LoanAction::AskBack(servers) => [1, servers.into()],
        LoanAction::Hold(reason) => {
            let reason = match reason {
                HoldReason::InBand => 0,
                HoldReason::Patience => 1,
                HoldReason::Returning => 2,
                HoldReason::NoneLent => 3,
            };
            [2, reason]
        }
    };
    let fleet = decision.fleet();
    let mut row = action.to_vec();
    row.extend([fleet.servers(), fleet.gpus_per_server(), fleet.lent(), fleet.returning()].map(u64::from));
    row.extend([decision.needed(), decision.recent_peak(), decision.missing(), decision.shortfall()]);
    row.extend([decision.headroom(), decision.band(), decision.spare()].map(u64::from));
    row
}
