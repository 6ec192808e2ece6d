//! Drops the victims that were not needed.
//!
//! Each policy takes servers one by one, so an early victim can turn out to be superfluous: a later one emptied servers
//! enough. Jobs are put back dearest first, as long as enough servers stay free.
//!
//! A server is *free* where each of its jobs is a victim, or survives the loss of all free servers at once. Putting a
//! job back makes servers that host it unfree and no other server free. So a job that can't be put back now can't be
//! later, and one pass over the victims is enough.

use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use super::graph::Graph;
use super::greedy::Greedy;
use super::ledger::Ledger;

#[derive(Clone, Debug, Default)]
pub(super) struct PutBack {
    free: Vec<bool>,
    /// By quota: the weight of the free servers beyond what is needed.
    spare: Vec<u64>,
    victims: Vec<u32>,
    leaving: Vec<u32>,
    ranked: Vec<Ranked>,
}

/// What a free server costs to take: whether it need not be taken, JCT lost, less the GPUs that preempted jobs hold
/// there, workers scaled in, id.
type Ranked = (bool, u64, Reverse<u64>, u64, u32);

impl PutBack {
    /// Replaces the choice in `greedy` by one that meets the same quotas and whose victims are all needed. Returns the
    /// work done, counted.
    pub(super) fn run(&mut self, graph: &Graph, greedy: &mut Greedy) -> u64 {
        let mut steps = self.find_free(graph, greedy);
        self.find_spare(graph);

        self.victims.clear();
        self.victims
            .extend((0..graph.gangs.len() as u32).filter(|&at| greedy.ledger.is_preempted(at as usize)));
        self.victims.sort_unstable_by(|&a, &b| compare(graph, a, b));
        for index in 0..self.victims.len() {
            let at = self.victims[index] as usize;
            steps += graph.gangs[at].tenancies.len() as u64;
            self.put_back(graph, greedy, at);
        }
        self.choose(graph, greedy);
        steps + self.ranked.len() as u64
    }

    /// Marks the servers chosen as free, and others that could go back beside them at no further preemption.
    fn find_free(&mut self, graph: &Graph, greedy: &mut Greedy) -> u64 {
        self.free.clear();
        self.free.resize(graph.servers.len(), false);
        for &server in &greedy.chosen {
            self.free[server as usize] = true;
        }
        for server in 0..graph.servers.len() {
            if self.free[server] {
                continue;
            }
            let ledger = &mut greedy.ledger;
            let tenancies = || graph.on_server(server).iter().map(|&index| &graph.tenancies[index]);
            let is_running = |gang: u32, ledger: &Ledger| !ledger.is_preempted(gang as usize);
            if tenancies().all(|tenancy| !is_running(tenancy.gang, ledger) || ledger.can_lose(graph, tenancy))
            {
                self.free[server] = true;
                for tenancy in tenancies() {
                    if is_running(tenancy.gang, ledger) {
                        ledger.lose(graph, tenancy);
                    }
                }
            }
        }
        graph.tenancies.len() as u64
    }

    fn find_spare(&mut self, graph: &Graph) {
        self.spare.clear();
        self.spare.resize(graph.demand.quotas.len(), 0);
        for server in (0..self.free.len()).filter(|&server| self.free[server]) {
            let (quota, weight) = graph.demand.weighs(server as u32);
            self.spare[quota] += weight;
        }
        for (spare, need) in self.spare.iter_mut().zip(graph.demand.needs()) {
            *spare = spare.saturating_sub(need);
        }
    }

    /// Lets a victim run on where the free servers that must stay for it can be spared.
    fn put_back(&mut self, graph: &Graph, greedy: &mut Greedy, at: usize) {
        let ledger = &mut greedy.ledger;
        ledger.restore(graph, at);
        self.leaving.clear();
        let tenancies = &graph.tenancies[graph.gangs[at].tenancies.clone()];
        // The servers that must go back have the first call on its surplus.
        if !graph.demand.required.is_empty() {
            for tenancy in tenancies.iter().filter(|tenancy| graph.demand.is_required(tenancy.server)) {
                if !ledger.can_lose(graph, tenancy) {
                    ledger.preempt(at);
                    return;
                }
                ledger.lose(graph, tenancy);
            }
        }
        // From the smallest loss up, so that its surplus covers as many servers as it can.
        for tenancy in tenancies.iter().rev() {
            if !self.free[tenancy.server as usize] || graph.demand.is_required(tenancy.server) {
                continue;
            }
            if ledger.can_lose(graph, tenancy) {
                ledger.lose(graph, tenancy);
                continue;
            }
            let (quota, weight) = graph.demand.weighs(tenancy.server);
            if self.spare[quota] < weight {
                ledger.preempt(at);
                for &server in &self.leaving {
                    let (quota, weight) = graph.demand.weighs(server);
                    self.spare[quota] += weight;
                }
                return;
            }
            self.spare[quota] -= weight;
            self.leaving.push(tenancy.server);
        }
        for &server in &self.leaving {
            self.free[server as usize] = false;
        }
    }

    /// Chooses among the free servers: those that must go back, then least JCT lost, most GPUs of preempted jobs, fewest
    /// workers, lowest id.
    fn choose(&mut self, graph: &Graph, greedy: &mut Greedy) {
        let demand = &graph.demand;
        self.ranked.clear();
        for server in (0..graph.servers.len()).filter(|&server| self.free[server]) {
            let (mut jct_lost, mut returned, mut workers) = (0, 0, 0);
            for &index in graph.on_server(server) {
                let tenancy = &graph.tenancies[index];
                if greedy.ledger.is_preempted(tenancy.gang as usize) {
                    returned += graph.gang_of(tenancy).gpus_of(tenancy) as u64;
                } else {
                    jct_lost += tenancy.jct_lost;
                    workers += u64::from(tenancy.workers);
                }
            }
            let is_free = !demand.is_required(server as u32);
            self.ranked.push((is_free, jct_lost, Reverse(returned), workers, server as u32));
        }
        greedy.chosen.clear();
        if let Some(count) = demand.single_count() {
            let count = count as usize;
            if count < self.ranked.len() {
                self.ranked.select_nth_unstable(count);
            }
            greedy.chosen.extend(self.ranked[..count].iter().map(|ranked| ranked.4));
            return;
        }
        self.ranked.sort_unstable();
        self.spare.clear();
        self.spare.extend(demand.needs());
        let still_needed = &mut self.spare;
        for &(.., server) in &self.ranked {
            let (quota, weight) = demand.weighs(server);
            if still_needed[quota] > 0 {
                still_needed[quota] = still_needed[quota].saturating_sub(weight);
                greedy.chosen.push(server);
            }
        }
        demand.trim(&mut greedy.chosen, &mut self.spare);
    }
}

/// Which of two victims is put back first: the dearer one, then the larger one. What follows makes sure that the order
/// in which jobs were added decides only between jobs that are alike in all that counts here.
fn compare(graph: &Graph, a: u32, b: u32) -> Ordering {
    let gang = |at: u32| &graph.gangs[at as usize];
    let price = |at: u32| (Reverse(gang(at).preemption_cost), Reverse(gang(at).gpus));
    let places = |at: u32| {
        let tenancies = graph.tenancies[gang(at).tenancies.clone()].iter();
        tenancies.map(|tenancy| (tenancy.server, tenancy.workers, tenancy.pinned, tenancy.jct_lost))
    };
    let alike = || places(a).cmp(places(b)).then(gang(a).slack.cmp(&gang(b).slack));
    price(a).cmp(&price(b)).then_with(alike).then(a.cmp(&b))
}
