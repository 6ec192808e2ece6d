//! Whether a reclaim preempts a job that it need not.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::ReclaimViolation;
use super::count::Workers;
use crate::cluster::{Cluster, Job, Pool};
use crate::id::{JobId, ServerId};
use crate::reclaim::Reclaim;

/// Checks that no preempted job that costs anything can be put back. The rule is in the docs of `verify::reclaim`.
///
/// It is sound: every server counted as one that can leave hosts nobody but preempted jobs, the job that is put back, and
/// workers that depart in the answer already. So to return any `asked` of them preempts a proper subset of the jobs.
pub(super) fn check_minimal(cluster: &Cluster, asked: u32, answer: &Reclaim) -> Result<(), ReclaimViolation> {
    let vacant = vacant(cluster, answer);
    for &job in answer.preempted() {
        let Some(definition) = cluster.job(job).filter(|definition| definition.preemption_cost > 0) else {
            continue;
        };
        let hosts: BTreeSet<ServerId> = cluster
            .placements(job)
            .iter()
            .map(|p| p.server)
            .filter(|server| vacant.contains(server))
            .collect();
        let without = (vacant.len() - hosts.len()) as u64;
        let can_leave = without + spared(cluster, job, definition, &hosts);
        if can_leave >= u64::from(asked) {
            return Err(ReclaimViolation::NotMinimal { job, can_leave, asked });
        }
    }
    Ok(())
}

/// The candidate servers that host nobody once the preempted jobs are stopped and the departures have left.
fn vacant(cluster: &Cluster, answer: &Reclaim) -> BTreeSet<ServerId> {
    let mut vacant: BTreeSet<ServerId> = answer.servers().iter().copied().collect();
    for (id, server) in cluster.servers() {
        let candidate = server.pool == Pool::OnLoan && !server.protected;
        let stopped = |job: JobId| answer.preempted().binary_search(&job).is_ok();
        if candidate && cluster.tenants(id).iter().all(|tenant| stopped(tenant.job)) {
            vacant.insert(id);
        }
    }
    vacant
}

/// How many of these servers, which host workers of the job, can leave while it keeps its minimum and what is pinned.
fn spared(cluster: &Cluster, id: JobId, job: &Job, hosts: &BTreeSet<ServerId>) -> u64 {
    // For each server, the workers there and whether some are pinned.
    let mut there: BTreeMap<ServerId, (u64, bool)> = BTreeMap::new();
    for placement in cluster.placements(id).iter().filter(|placement| hosts.contains(&placement.server)) {
        let (workers, pinned) = there.entry(placement.server).or_default();
        *workers += u64::from(placement.workers);
        *pinned |= placement.pinned;
    }
    let free_to_leave = there.iter().filter(|(_, (_, pinned))| !pinned);
    let mut fewest_first: Vec<(u64, ServerId)> =
        free_to_leave.map(|(&server, &(workers, _))| (workers, server)).collect();
    fewest_first.sort_unstable();

    let mut left = Workers::of(cluster, cluster.placements(id));
    let mut spared = 0;
    for (workers, server) in fewest_first {
        let then = left.without(cluster, server, workers);
        if then.reference(cluster) >= u64::from(job.min_workers) {
            left = then;
            spared += 1;
        }
    }
    spared
}
