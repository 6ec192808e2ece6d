//! The steps that lead from the cluster as it is to the state that an epoch worked out.

use alloc::vec::Vec;

use super::working::{Working, workers_on};
use super::{Action, Cause};
use crate::cluster::{Cluster, Placement, Pool, Role};
use crate::id::{JobId, ServerId};

/// Lists the steps, sorted into the order in which they must be carried out.
///
/// All that frees GPUs comes before all that takes them, so no server is over-full at any step.
pub(super) fn list(cluster: &Cluster, working: &Working, lent: &[ServerId], actions: &mut Vec<Action>) {
    for (server, definition) in cluster.servers() {
        if definition.pool == Pool::OnLoan && working.pools[server.index()] == Pool::Inference {
            actions.push(Action::Return { server });
        }
    }
    actions.extend(lent.iter().map(|&server| Action::Lend { server }));
    for (job, _) in cluster.jobs() {
        let (before, after) = (cluster.placements(job), working.occupancy.placements(job));
        if working.preempted[job.index()] {
            actions.push(Action::Preempt { job });
            start(job, after, actions);
        } else if before.is_empty() {
            start(job, after, actions);
        } else {
            resize(job, before, after, working, actions);
        }
    }
    actions.sort_unstable_by_key(Action::order);
}

fn start(job: JobId, after: &[Placement], actions: &mut Vec<Action>) {
    actions.extend(after.iter().map(|&Placement { server, role, workers, .. }| match role {
        Role::Base => Action::Start { job, server, workers },
        Role::Flexible => Action::ScaleOut { job, server, workers },
    }));
}

/// The steps from one set of placements to another of a job that runs on. Which of its workers are base follows from
/// the steps, so only their number on each server matters.
fn resize(
    job: JobId,
    before: &[Placement],
    after: &[Placement],
    working: &Working,
    actions: &mut Vec<Action>,
) {
    let steps = actions.len();
    for group in before.chunk_by(|a, b| a.server == b.server) {
        let server = group[0].server;
        let had: u32 = group.iter().map(|p| p.workers).sum();
        if let Some(workers) = had.checked_sub(workers_on(after, server)).filter(|&workers| workers > 0) {
            let returns = !working.pools[server.index()].is_for_training();
            let cause = if returns { Cause::ServerReturns } else { Cause::Reallocated };
            actions.push(Action::ScaleIn { job, server, workers, cause });
        }
    }
    for group in after.chunk_by(|a, b| a.server == b.server) {
        let server = group[0].server;
        let has: u32 = group.iter().map(|p| p.workers).sum();
        if let Some(workers) = has.checked_sub(workers_on(before, server)).filter(|&workers| workers > 0) {
            actions.push(Action::ScaleOut { job, server, workers });
        }
    }
    if actions.len() == steps {
        actions.push(Action::Keep { job });
    }
}
