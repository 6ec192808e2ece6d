//! The state that an epoch works on: a copy of who runs where, and what has become of servers and jobs so far.

use alloc::vec::Vec;

use crate::cluster::{Cluster, Occupancy, Placement, Pool, Server};
use crate::id::ServerId;
use crate::reclaim::Reclaim;

#[derive(Clone, Debug, Default)]
pub(super) struct Working {
    pub(super) occupancy: Occupancy,
    /// The pool of each server as it will be, by server id. A removed server is left to inference.
    pub(super) pools: Vec<Pool>,
    /// Whether each job is resized already, so that another change costs it nothing more, by job id. See
    /// [`mark_resized`](Self::mark_resized).
    pub(super) resized: Vec<bool>,
    /// Whether each job was preempted, by job id.
    pub(super) preempted: Vec<bool>,
}

impl Working {
    /// Copies the cluster, and keeps the memory.
    pub(super) fn fill(&mut self, cluster: &Cluster) {
        self.occupancy.copy(cluster.occupancy(), cluster.inventory());
        self.pools.clear();
        self.pools.extend(cluster.inventory().pools());
        let jobs = cluster.inventory().job_slots();
        for flags in [&mut self.resized, &mut self.preempted] {
            flags.clear();
            flags.resize(jobs, false);
        }
    }

    /// Takes inference servers on loan, those with the lowest ids that are not protected, and lists them. A server that
    /// is given back in this epoch is not among them: it is still on loan in the cluster. How many there are.
    pub(super) fn lend(&mut self, cluster: &Cluster, servers: u32, lent: &mut Vec<ServerId>) -> u32 {
        lent.clear();
        let home = |(_, server): &(ServerId, &Server)| server.pool == Pool::Inference && !server.protected;
        let mut available = 0;
        for (id, _) in cluster.servers().filter(home) {
            available += 1;
            if available <= servers {
                self.pools[id.index()] = Pool::OnLoan;
                lent.push(id);
            }
        }
        available
    }

    pub(super) fn is_on_loan(&self, server: ServerId) -> bool {
        self.pools.get(server.index()) == Some(&Pool::OnLoan)
    }

    /// Carries out a reclaim: preempts, takes departing workers away, and gives the servers back.
    pub(super) fn reclaim(&mut self, cluster: &Cluster, reclaim: &Reclaim) {
        let inventory = cluster.inventory();
        for &id in reclaim.preempted() {
            if let Some(job) = inventory.job(id) {
                self.occupancy.release(id, job.gpus_per_worker);
                self.preempted[id.index()] = true;
            }
        }
        for departures in reclaim.departures().chunk_by(|a, b| a.job == b.job) {
            let id = departures[0].job;
            let Some(job) = inventory.job(id) else { continue };
            // Both are in ascending order of servers.
            let leaves = |server: ServerId| departures.binary_search_by_key(&server, |d| d.server).is_ok();
            self.occupancy.depart(id, leaves, job.gpus_per_worker);
            // Once for all servers that leave. To fill the base after each of them, as the steps of the plan do one by
            // one, ends with the same base workers: those on servers that stay are taken in the same order.
            inventory.fill_base(&mut self.occupancy, id, job);
        }
        for &server in reclaim.servers() {
            self.pools[server.index()] = Pool::Inference;
        }
    }

    /// Notes which jobs start, are preempted, or have lost workers to a reclaim or to a gang so far.
    ///
    /// It is read off the state itself: so however often a decision was tried and taken back, only what came of it
    /// counts.
    pub(super) fn mark_resized(&mut self, cluster: &Cluster) {
        let workers =
            |placements: &[Placement]| -> u64 { placements.iter().map(|p| u64::from(p.workers)).sum() };
        for (id, _) in cluster.jobs() {
            let (before, now) = (cluster.placements(id), self.occupancy.placements(id));
            self.resized[id.index()] = self.preempted[id.index()] || workers(before) != workers(now);
        }
    }
}

/// The workers on a server among some placements, of either role.
pub(super) fn workers_on(placements: &[Placement], server: ServerId) -> u32 {
    // In ascending order of servers, with at most one entry for each role.
    let first = placements.partition_point(|p| p.server < server);
    placements[first..].iter().take_while(|p| p.server == server).map(|p| p.workers).sum()
}
