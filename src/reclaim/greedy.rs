//! Takes servers one by one, the best by the policy's key first, and keeps the keys up to date.

use alloc::vec::Vec;

use super::cost::SCALE;
use super::graph::{Gang, Graph, Tenancy};
use super::ledger::Ledger;
use super::policy::Rule;
use crate::heap::IndexedHeap;

/// What decides which server is taken next: the smallest key, then the lowest id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// 0 where no job runs, 1 where no job is charged, 2 where one is; 0 for rules that do not ask.
    class: u8,
    /// Class 2: the shares of the jobs that are charged. Class 1: the JCT lost to scale-in.
    cost: u128,
    /// What taking the server adds to the collateral damage, in GPUs; negative where it returns GPUs that preempted jobs
    /// held. GPUs on servers that are emptied too do not count, unless this is the last server to take.
    collateral: i64,
    /// Class 1: the workers that leave.
    workers: u64,
}

/// When a key is computed: what the key needs to know beside the server.
#[derive(Clone, Copy, Debug)]
struct Moment<'a> {
    rule: Rule,
    is_last: bool,
    /// The places of the servers in a random order, for the rule that asks for one.
    ranks: &'a [u32],
}

/// A server that is not taken yet, and the jobs on it that run.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    jobs: u32,
    charged: u32,
    cost: u128,
    jct_lost: u64,
    workers: u64,
    /// GPUs that the charged jobs hold on other servers, less those that preempted jobs held here.
    collateral: i64,
    /// GPUs that the charged jobs hold on other servers which host no other job.
    emptied: i64,
}

impl Standing {
    fn charge(&mut self, gang: &Gang, tenancy: &Tenancy, is_alone: bool, share: u128) {
        let here = gang.gpus_of(tenancy);
        self.charged += 1;
        self.cost += share;
        self.collateral += gang.gpus as i64 - here;
        self.emptied += gang.sole_gpus as i64 - if is_alone { here } else { 0 };
    }

    fn discharge(&mut self, gang: &Gang, tenancy: &Tenancy, is_alone: bool, share: u128) {
        let here = gang.gpus_of(tenancy);
        self.charged -= 1;
        self.cost -= share;
        self.collateral -= gang.gpus as i64 - here;
        self.emptied -= gang.sole_gpus as i64 - if is_alone { here } else { 0 };
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Greedy {
    pub(super) ledger: Ledger,
    /// The servers taken, in the order in which they were.
    pub(super) chosen: Vec<u32>,
    standings: Vec<Standing>,
    taken: Vec<bool>,
    /// By gang: what it adds to the cost of each server where it is charged.
    shares: Vec<u128>,
    /// By gang: how many of its tenancies, from the first, it can't lose any more.
    critical: Vec<usize>,
    heap: IndexedHeap<Key>,
    ranks: Vec<u32>,
    /// By quota: what is still needed.
    needs: Vec<u64>,
    /// Whether one server is still to be taken.
    is_last: bool,
    steps: u64,
}

impl Greedy {
    /// Takes servers until all quotas are met, which they can be: those that must go back first.
    pub(super) fn run(&mut self, graph: &Graph, rule: Rule) {
        let demand = &graph.demand;
        // Where servers are of several sizes this is the most that can be, so never less than are still to be taken.
        let mut still_to_take = demand.most_servers();
        self.start(graph, rule, still_to_take);
        for &server in &demand.required {
            self.take(graph, rule, server as usize);
        }
        still_to_take -= demand.required.len() as u64;
        let widest = graph.gangs.iter().map(|gang| gang.tenancies.len()).max().unwrap_or(0);
        let mut horizon = still_to_take;
        while self.needs.iter().any(|&need| need > 0) {
            // The shares that depend on the servers still to take are renewed each time that their number has fallen by
            // a quarter: often enough to steer by, and only O(log count) times.
            let due =
                rule == Rule::Amortized && 4 * still_to_take <= 3 * horizon && still_to_take < widest as u64;
            if due {
                horizon = still_to_take;
                self.renew_shares(graph, rule, horizon);
            }
            self.is_last = demand.is_last(&self.needs);
            if due || self.is_last {
                let (standings, moment) =
                    (&self.standings, Moment { rule, is_last: self.is_last, ranks: &self.ranks });
                self.heap.rekey(|server| key(moment, server, &standings[server]));
            }
            let Some(server) = self.pop_needed(graph) else { break };
            self.take(graph, rule, server);
            still_to_take = still_to_take.saturating_sub(1);
        }
    }

    /// The best server of a quota that is not met.
    fn pop_needed(&mut self, graph: &Graph) -> Option<usize> {
        loop {
            let server = self.heap.pop()?;
            if !self.taken[server] && self.needs[graph.demand.weighs(server as u32).0] > 0 {
                return Some(server);
            }
        }
    }

    fn take(&mut self, graph: &Graph, rule: Rule, server: usize) {
        self.taken[server] = true;
        self.chosen.push(server as u32);
        let (quota, weight) = graph.demand.weighs(server as u32);
        self.needs[quota] = self.needs[quota].saturating_sub(weight);
        for &index in graph.on_server(server) {
            self.steps += 1;
            self.vacate(graph, rule, &graph.tenancies[index]);
        }
    }

    /// Starts from a choice that was made elsewhere.
    pub(super) fn load(&mut self, graph: &Graph, chosen: &[u32]) {
        self.ledger.reset(graph);
        self.chosen.clear();
        self.chosen.extend_from_slice(chosen);
        self.ledger.take_all(graph, chosen);
    }

    /// The work of the last run, counted: steps through tenancies, and comparisons of servers.
    pub(super) fn steps(&self) -> u64 {
        self.steps + self.heap.steps()
    }

    fn start(&mut self, graph: &Graph, rule: Rule, count: u64) {
        let servers = graph.servers.len();
        self.steps = 0;
        self.needs.clear();
        self.needs.extend(graph.demand.needs());
        self.is_last = graph.demand.is_last(&self.needs);
        self.ledger.reset(graph);
        self.chosen.clear();
        self.taken.clear();
        self.taken.resize(servers, false);
        self.shares.clear();
        self.shares.resize(graph.gangs.len(), 0);
        self.critical.clear();
        for gang in &graph.gangs {
            let is_critical = |tenancy: &&Tenancy| tenancy.pinned || tenancy.loss > gang.slack;
            let tenancies = &graph.tenancies[gang.tenancies.clone()];
            self.critical.push(tenancies.iter().take_while(is_critical).count());
        }
        self.standings.clear();
        self.standings.resize(servers, Standing::default());
        for (at, gang) in graph.gangs.iter().enumerate() {
            for index in gang.tenancies.clone() {
                self.steps += 1;
                let tenancy = &graph.tenancies[index];
                let charged = self.is_charged(rule, at, gang, index, tenancy);
                let standing = &mut self.standings[tenancy.server as usize];
                standing.jobs += 1;
                standing.workers += u64::from(tenancy.workers);
                if charged {
                    // The share comes with all the others, below.
                    standing.charge(gang, tenancy, is_alone(graph, tenancy), 0);
                } else {
                    standing.jct_lost += tenancy.jct_lost;
                }
            }
        }
        self.renew_shares(graph, rule, count);
        self.ranks.clear();
        if let Rule::Random { seed } = rule {
            shuffle(&mut self.ranks, servers, seed);
        }
        let moment = Moment { rule, is_last: self.is_last, ranks: &self.ranks };
        let standings = self.standings.iter().enumerate();
        self.heap.fill(standings.map(|(server, standing)| key(moment, server, standing)));
    }

    /// Whether a job that runs counts in the cost of a server that hosts it.
    fn is_charged(&self, rule: Rule, at: usize, gang: &Gang, index: usize, tenancy: &Tenancy) -> bool {
        index - gang.tenancies.start < self.critical[at] || (rule == Rule::Aryl && tenancy.hosts_base)
    }

    /// Computes the share of each job afresh, and from the shares the cost of each server.
    fn renew_shares(&mut self, graph: &Graph, rule: Rule, horizon: u64) {
        for standing in &mut self.standings {
            standing.cost = 0;
        }
        for (at, gang) in graph.gangs.iter().enumerate() {
            if self.ledger.is_preempted(at) {
                continue;
            }
            let servers = match rule {
                Rule::Amortized => (gang.tenancies.len() as u64).min(horizon),
                _ => u64::from(gang.base_servers),
            };
            let share = u128::from(gang.preemption_cost) * SCALE / u128::from(servers.max(1));
            self.shares[at] = share;
            for index in gang.tenancies.clone() {
                self.steps += 1;
                let tenancy = &graph.tenancies[index];
                if self.is_charged(rule, at, gang, index, tenancy) {
                    self.standings[tenancy.server as usize].cost += share;
                }
            }
        }
    }

    /// Takes a job's workers from a server: the job is scaled in where it can be, else preempted.
    fn vacate(&mut self, graph: &Graph, rule: Rule, tenancy: &Tenancy) {
        let at = tenancy.gang as usize;
        if self.ledger.is_preempted(at) {
            return;
        }
        if self.ledger.can_lose(graph, tenancy) {
            self.ledger.lose(graph, tenancy);
            self.charge_where_critical(graph, rule, at);
        } else {
            self.ledger.preempt(at);
            self.discharge(graph, rule, at);
        }
    }

    /// Charges a job on each server that it can't lose any more, its slack having shrunk.
    fn charge_where_critical(&mut self, graph: &Graph, rule: Rule, at: usize) {
        let gang = &graph.gangs[at];
        let slack = self.ledger.slack(at);
        while let Some(tenancy) = graph.tenancies[gang.tenancies.clone()].get(self.critical[at]) {
            if tenancy.loss <= slack {
                break;
            }
            self.steps += 1;
            let index = gang.tenancies.start + self.critical[at];
            let already = self.is_charged(rule, at, gang, index, tenancy);
            self.critical[at] += 1;
            if !already {
                let standing = &mut self.standings[tenancy.server as usize];
                standing.charge(gang, tenancy, is_alone(graph, tenancy), self.shares[at]);
                standing.jct_lost -= tenancy.jct_lost;
                self.refresh(rule, tenancy.server as usize);
            }
        }
    }

    /// Removes a preempted job from all the servers that are not taken.
    fn discharge(&mut self, graph: &Graph, rule: Rule, at: usize) {
        let gang = &graph.gangs[at];
        for index in gang.tenancies.clone() {
            self.steps += 1;
            let tenancy = &graph.tenancies[index];
            let charged = self.is_charged(rule, at, gang, index, tenancy);
            let standing = &mut self.standings[tenancy.server as usize];
            standing.jobs -= 1;
            standing.workers -= u64::from(tenancy.workers);
            standing.collateral -= gang.gpus_of(tenancy);
            if charged {
                standing.discharge(gang, tenancy, is_alone(graph, tenancy), self.shares[at]);
            } else {
                standing.jct_lost -= tenancy.jct_lost;
            }
            self.refresh(rule, tenancy.server as usize);
        }
    }

    fn refresh(&mut self, rule: Rule, server: usize) {
        if !self.taken[server] {
            let moment = Moment { rule, is_last: self.is_last, ranks: &self.ranks };
            self.heap.update(server, key(moment, server, &self.standings[server]));
        }
    }
}

fn key(moment: Moment<'_>, server: usize, standing: &Standing) -> Key {
    let plain = |cost: u32| Key { class: 0, cost: u128::from(cost), collateral: 0, workers: 0 };
    match moment.rule {
        Rule::Random { .. } => plain(moment.ranks[server]),
        Rule::SmallestCountFirst => plain(standing.jobs),
        Rule::Aryl | Rule::Amortized => {
            let collateral = standing.collateral - if moment.is_last { 0 } else { standing.emptied };
            if standing.jobs == 0 {
                Key { class: 0, cost: 0, collateral, workers: 0 }
            } else if standing.charged == 0 {
                let (cost, workers) = (u128::from(standing.jct_lost), standing.workers);
                Key { class: 1, cost, collateral, workers }
            } else {
                Key { class: 2, cost: standing.cost, collateral, workers: 0 }
            }
        }
    }
}

/// Whether the job was alone on the server before anything was taken.
fn is_alone(graph: &Graph, tenancy: &Tenancy) -> bool {
    graph.on_server(tenancy.server as usize).len() == 1
}

/// Fills `ranks` with the numbers from 0 in random order, every order as likely as any other (Fisher and Yates; Knuth,
/// *The Art of Computer Programming*, volume 2, algorithm 3.4.2P).
fn shuffle(ranks: &mut Vec<u32>, count: usize, seed: u64) {
    let mut random = oorandom::Rand32::new(seed);
    ranks.extend(0..count as u32);
    for last in (1..count).rev() {
        ranks.swap(last, random.rand_range(0..last as u32 + 1) as usize);
    }
}
