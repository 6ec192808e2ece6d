//! Whether a reclaim preempts a job that it need not.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::ReclaimViolation;
use super::asked::{Asked, Counted};
use super::count::Workers;
use crate::cluster::{Cluster, Job};
use crate::id::{JobId, ServerId};
use crate::reclaim::Reclaim;

/// Checks that no preempted job that costs anything can be put back. The rule is in the docs of `verify::reclaim`.
///
/// It is sound: every server counted as one that can leave hosts nobody but preempted jobs, the job that is put back, and
/// workers that depart in the answer already. So to return what is asked of them preempts a proper subset of the jobs.
pub(super) fn check_minimal(
    cluster: &Cluster,
    asked: &Asked<'_>,
    answer: &Reclaim,
) -> Result<(), ReclaimViolation> {
    let vacant = vacant(cluster, asked, answer);
    for &job in answer.preempted() {
        let Some(definition) = cluster.job(job).filter(|_| asked.cost(job) > 0) else { continue };
        let servers = cluster.placements(job).iter().map(|p| p.server);
        let mut hosts: BTreeSet<ServerId> = servers.filter(|&server| vacant.contains(server)).collect();
        for server in spared(cluster, asked, job, definition, &hosts) {
            hosts.remove(&server);
        }
        // Counted from what all vacant servers make up, less those: else the check would take victims × servers.
        if vacant.meet_without(&hosts) {
            let can_leave = vacant.len() - hosts.len() as u64;
            return Err(match asked.number() {
                Some(asked) => ReclaimViolation::NotMinimal { job, can_leave, asked },
                None => ReclaimViolation::NotMinimalForAsk { job },
            });
        }
    }
    Ok(())
}

/// The candidate servers that host nobody once the preempted jobs are stopped and the departures have left.
fn vacant<'a>(cluster: &Cluster, asked: &'a Asked<'_>, answer: &Reclaim) -> Counted<'a> {
    let mut vacant: BTreeSet<ServerId> = answer.servers().iter().copied().collect();
    let stopped = |job: JobId| answer.preempted().binary_search(&job).is_ok();
    let is_empty = |&server: &ServerId| cluster.tenants(server).iter().all(|tenant| stopped(tenant.job));
    vacant.extend(asked.candidates().filter(is_empty));
    asked.counted(vacant)
}

/// Which of these servers, which host workers of the job, can leave while it keeps its minimum and what is pinned: first
/// those that must, then those with the fewest workers.
fn spared(
    cluster: &Cluster,
    asked: &Asked<'_>,
    id: JobId,
    job: &Job,
    hosts: &BTreeSet<ServerId>,
) -> Vec<ServerId> {
    // For each server, the workers there and whether some are pinned.
    let mut there: BTreeMap<ServerId, (u64, bool)> = BTreeMap::new();
    for placement in cluster.placements(id).iter().filter(|placement| hosts.contains(&placement.server)) {
        let (workers, pinned) = there.entry(placement.server).or_default();
        *workers += u64::from(placement.workers);
        *pinned |= placement.pinned;
    }
    let free_to_leave = there.iter().filter(|(_, (_, pinned))| !pinned);
    let mut fewest_first: Vec<(bool, u64, ServerId)> = free_to_leave
        .map(|(&server, &(workers, _))| (!asked.must_return(server), workers, server))
        .filter(|&(is_free, ..)| !is_free || asked.number().is_some())
        .collect();
    fewest_first.sort_unstable();

    let mut left = Workers::of(cluster, cluster.placements(id));
    let mut spared = Vec::new();
    for (_, workers, server) in fewest_first {
        let then = left.without(cluster, server, workers);
        if then.reference(cluster) >= u64::from(job.min_workers) {
            left = then;
            spared.push(server);
        }
    }
    spared
}
