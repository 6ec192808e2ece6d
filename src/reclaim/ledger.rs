//! What each job can still lose, as servers are taken one by one.

use alloc::vec::Vec;

use super::graph::{Graph, Tenancy};

/// The one budget of surplus that each job has over all the servers that are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// By gang: what it can still lose, in the unit of [`Gang::slack`].
    slack: Vec<u64>,
    preempted: Vec<bool>,
    /// By entry of [`Graph::mixed`]: the workers that are left.
    left: Vec<u64>,
}

impl Ledger {
    /// No server is taken.
    pub(super) fn reset(&mut self, graph: &Graph) {
        self.slack.clear();
        self.slack.extend(graph.gangs.iter().map(|gang| gang.slack));
        self.preempted.clear();
        self.preempted.resize(graph.gangs.len(), false);
        self.left.clear();
        self.left.extend(graph.mixed.iter().map(|entry| entry.workers));
    }

    /// One job has all its workers again.
    pub(super) fn restore(&mut self, graph: &Graph, gang: usize) {
        self.slack[gang] = graph.gangs[gang].slack;
        self.preempted[gang] = false;
        for at in graph.gangs[gang].types.clone() {
            self.left[at] = graph.mixed[at].workers;
        }
    }

    pub(super) fn slack(&self, gang: usize) -> u64 {
        self.slack[gang]
    }

    pub(super) fn is_preempted(&self, gang: usize) -> bool {
        self.preempted[gang]
    }

    pub(super) fn preempt(&mut self, gang: usize) {
        self.preempted[gang] = true;
    }

    /// Whether the job runs on when these workers leave too.
    pub(super) fn can_lose(&self, graph: &Graph, tenancy: &Tenancy) -> bool {
        !tenancy.pinned && self.loss(graph, tenancy) <= self.slack[tenancy.gang as usize]
    }

    /// Takes the workers from a job that [can lose](Self::can_lose) them.
    pub(super) fn lose(&mut self, graph: &Graph, tenancy: &Tenancy) {
        self.slack[tenancy.gang as usize] -= self.loss(graph, tenancy);
        if graph.gang_of(tenancy).is_mixed() {
            self.left[tenancy.mixed_type as usize] -= u64::from(tenancy.workers);
        }
    }

    /// Takes these servers: jobs that can lose their workers do, the others are preempted.
    pub(super) fn take_all(&mut self, graph: &Graph, servers: &[u32]) {
        let on_servers = servers.iter().flat_map(|&server| graph.on_server(server as usize));
        for tenancy in on_servers.map(|&index| &graph.tenancies[index]) {
            let at = tenancy.gang as usize;
            if self.is_preempted(at) {
                continue;
            }
            if self.can_lose(graph, tenancy) {
                self.lose(graph, tenancy);
            } else {
                self.preempt(at);
            }
        }
    }

    /// What the slack of the job falls by, exactly.
    fn loss(&self, graph: &Graph, tenancy: &Tenancy) -> u64 {
        if !graph.gang_of(tenancy).is_mixed() {
            return tenancy.loss;
        }
        let at = tenancy.mixed_type as usize;
        let (speed, left) = (graph.mixed[at].speed, self.left[at]);
        speed.reference_workers(left) - speed.reference_workers(left - u64::from(tenancy.workers))
    }

    /// Whether a job that is not preempted runs with less than before, so that it can end later. Workers that leave a mix
    /// of types without a loss of whole reference workers delay nothing.
    pub(super) fn has_less(&self, graph: &Graph, at: usize) -> bool {
        self.slack[at] != graph.gangs[at].slack
    }

    /// The reference workers that a job has left, and whether it still mixes GPU types.
    pub(super) fn run(&self, graph: &Graph, at: usize, min_workers: u32) -> (u64, bool) {
        let gang = &graph.gangs[at];
        if gang.is_mixed() {
            let types = self.left[gang.types.clone()].iter().filter(|&&workers| workers > 0).count();
            (self.slack[at] + u64::from(min_workers), types > 1)
        } else {
            let workers = gang.workers - (gang.slack - self.slack[at]);
            (gang.speed.reference_workers(workers), false)
        }
    }
}
