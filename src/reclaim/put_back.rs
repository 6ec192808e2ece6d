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
    victims: Vec<u32>,
    leaving: Vec<u32>,
    ranked: Vec<Ranked>,
}

/// What a free server costs to take: JCT lost, less the GPUs that preempted jobs hold there, workers scaled in, id.
type Ranked = (u64, Reverse<u64>, u64, u32);

impl PutBack {
    /// Replaces the choice in `greedy` by one as large whose victims are all needed. Returns the work done, counted.
    pub(super) fn run(&mut self, graph: &Graph, greedy: &mut Greedy) -> u64 {
        let count = greedy.chosen.len();
        let mut steps = self.find_free(graph, greedy);
        let mut free = self.free.iter().filter(|&&free| free).count();

        self.victims.clear();
        self.victims
            .extend((0..graph.gangs.len() as u32).filter(|&at| greedy.ledger.is_preempted(at as usize)));
        self.victims.sort_unstable_by(|&a, &b| compare(graph, a, b));
        for index in 0..self.victims.len() {
            let at = self.victims[index] as usize;
            steps += graph.gangs[at].tenancies.len() as u64;
            free -= self.put_back(graph, greedy, at, free - count);
        }
        self.choose(graph, greedy, count);
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

    /// Lets a victim run on where at most `spare` free servers must stay for it. Returns how many do.
    fn put_back(&mut self, graph: &Graph, greedy: &mut Greedy, at: usize, spare: usize) -> usize {
        let ledger = &mut greedy.ledger;
        ledger.restore(graph, at);
        self.leaving.clear();
        // From the smallest loss up, so that its surplus covers as many servers as it can.
        for tenancy in graph.tenancies[graph.gangs[at].tenancies.clone()].iter().rev() {
            if !self.free[tenancy.server as usize] {
                continue;
            }
            if ledger.can_lose(graph, tenancy) {
                ledger.lose(graph, tenancy);
                continue;
            }
            if self.leaving.len() == spare {
                ledger.preempt(at);
                return 0;
            }
            self.leaving.push(tenancy.server);
        }
        for &server in &self.leaving {
            self.free[server as usize] = false;
        }
        self.leaving.len()
    }

    /// Chooses among the free servers: least JCT lost, most GPUs of preempted jobs, fewest workers, lowest id.
    fn choose(&mut self, graph: &Graph, greedy: &mut Greedy, count: usize) {
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
            self.ranked.push((jct_lost, Reverse(returned), workers, server as u32));
        }
        if count < self.ranked.len() {
            self.ranked.select_nth_unstable(count);
        }
        greedy.chosen.clear();
        greedy.chosen.extend(self.ranked[..count].iter().map(|ranked| ranked.3));
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
