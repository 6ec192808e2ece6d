//! A lower bound on the preemption cost of every choice.
//!
//! First the servers that must go back are taken. Every choice preempts the jobs that this preempts, so it pays for
//! them. What follows is about the other candidates and the other jobs, with what is left of their surplus.
//!
//! Say that a job is *charged* on a candidate server where the loss of this server alone would preempt it. Let n be the
//! number of servers where a job is charged, c its preemption cost and k the most servers that a choice takes. Each
//! server gets the price Σ c ÷ min(n, k) over the jobs charged there. (With a quota for each GPU type, min(n, k) is added
//! up over the types.)
//!
//! The prices of the servers of a choice C add up to no more than what it costs. For losing more servers never saves a
//! job, so every job that is charged on some server of C is preempted by C. It is charged on at most min(n, k) servers of
//! C, so it adds at most c to the sum. So the cheapest servers that make up what is asked cost no more than C: the k
//! smallest prices, or, where servers count by their GPUs, the smallest prices a GPU, the last server in part. Costs are
//! integers, so the bound may be rounded up. The prices are rounded down to a fixed fraction, which only lowers the bound.

use alloc::vec::Vec;

use super::cost::SCALE;
use super::demand::Quota;
use super::graph::{Gang, Graph, Tenancy};
use super::ledger::Ledger;

/// The memory of the bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Prices {
    /// What each job has left once the servers are taken that must go back.
    ledger: Ledger,
    /// By candidate.
    prices: Vec<u128>,
    /// By quota: what is left to take beside the servers that must go back.
    rest: Vec<Rest>,
    /// Quota, price and weight of each candidate that need not go back.
    ranked: Vec<(usize, u128, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    need: u64,
    most_servers: u64,
    /// The servers on which the job at hand is charged.
    charged: u64,
}

impl Prices {
    /// The bound for what is asked, which can be had. O(servers + tenancies), and O(servers · log servers) where the
    /// quotas are not one number of servers.
    pub(super) fn lower_bound(&mut self, graph: &Graph) -> u64 {
        let paid = self.take_required(graph);
        self.prices.clear();
        self.prices.resize(graph.servers.len(), 0);
        for (at, gang) in graph.gangs.iter().enumerate() {
            if graph.demand.required.is_empty() || !self.ledger.is_preempted(at) {
                self.price(graph, gang);
            }
        }
        // At most the sum of all costs, which fits a u64.
        paid + self.cheapest(graph).div_ceil(SCALE) as u64
    }

    /// Takes the servers that must go back, and returns what that costs.
    fn take_required(&mut self, graph: &Graph) -> u64 {
        let demand = &graph.demand;
        let rest = |quota: &Quota| Rest { need: quota.need, most_servers: quota.most_servers, charged: 0 };
        self.rest.clear();
        self.rest.extend(demand.quotas.iter().map(rest));
        if demand.required.is_empty() {
            return 0;
        }
        self.ledger.reset(graph);
        for &server in &demand.required {
            let (quota, weight) = demand.weighs(server);
            self.rest[quota].need -= weight;
            self.rest[quota].most_servers -= 1;
            for tenancy in graph.on_server(server as usize).iter().map(|&index| &graph.tenancies[index]) {
                let at = tenancy.gang as usize;
                if self.ledger.is_preempted(at) {
                    continue;
                }
                if self.ledger.can_lose(graph, tenancy) {
                    self.ledger.lose(graph, tenancy);
                } else {
                    self.ledger.preempt(at);
                }
            }
        }
        let gangs = graph.gangs.iter().enumerate();
        gangs.filter(|&(at, _)| self.ledger.is_preempted(at)).map(|(_, gang)| gang.preemption_cost).sum()
    }

    fn is_charged(&self, graph: &Graph, tenancy: &Tenancy) -> bool {
        if graph.demand.required.is_empty() {
            return tenancy.breaks_alone;
        }
        !graph.demand.is_required(tenancy.server) && !self.ledger.can_lose(graph, tenancy)
    }

    /// Adds the share of one job to the prices of the servers on which it is charged.
    fn price(&mut self, graph: &Graph, gang: &Gang) {
        let tenancies = &graph.tenancies[gang.tenancies.clone()];
        for tenancy in tenancies {
            if self.is_charged(graph, tenancy) {
                self.rest[graph.demand.weighs(tenancy.server).0].charged += 1;
            }
        }
        // Each quota is added once, at the first of its servers, and is 0 again for the next job.
        let mut servers = 0;
        for tenancy in tenancies {
            let rest = &mut self.rest[graph.demand.weighs(tenancy.server).0];
            servers += rest.charged.min(rest.most_servers);
            rest.charged = 0;
        }
        let Some(price) = (u128::from(gang.preemption_cost) * SCALE).checked_div(u128::from(servers)) else {
            return;
        };
        for tenancy in tenancies {
            if self.is_charged(graph, tenancy) {
                self.prices[tenancy.server as usize] += price;
            }
        }
    }

    /// The least that prices of servers add up to which make up what is left to take, the last one in part.
    fn cheapest(&mut self, graph: &Graph) -> u128 {
        let demand = &graph.demand;
        if let Some(count) = demand.plain_count() {
            let count = count as usize;
            if count < self.prices.len() {
                self.prices.select_nth_unstable(count);
            }
            return self.prices[..count].iter().sum();
        }
        self.ranked.clear();
        for (at, &price) in self.prices.iter().enumerate().filter(|&(at, _)| !demand.is_required(at as u32)) {
            let (quota, weight) = demand.weighs(at as u32);
            self.ranked.push((quota, price, weight));
        }
        // A price is below 2^117 and a weight at most 2^10.
        self.ranked.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| (a.1 * u128::from(b.2)).cmp(&(b.1 * u128::from(a.2))))
        });
        let mut sum = 0;
        for &(quota, price, weight) in &self.ranked {
            let need = &mut self.rest[quota].need;
            let part = weight.min(*need);
            *need -= part;
            sum += price * u128::from(part) / u128::from(weight);
        }
        sum
    }
}
