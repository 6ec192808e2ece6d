//! Every choice of servers, where they are few: the best in the whole ordered objective.

use alloc::vec::Vec;

use super::decision::Reclaim;
use super::exact::Exact;
use super::graph::Graph;
use super::ledger::Ledger;
use super::outcome;
use super::reclaimer::order;
use crate::cluster::Cluster;
use crate::k_union::Descent;

/// The most choices that are tried: all of 12 servers or fewer, whatever the number that goes back.
pub(super) const CHOICES: u64 = 1_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Enumeration {
    descent: Descent,
    /// By quota: what is still needed.
    needs: Vec<u64>,
    /// The candidates taken, each with the point before it was.
    taken: Vec<(u32, usize)>,
    chosen: Vec<u32>,
    excess: Vec<u64>,
    steps: u64,
}

impl Enumeration {
    /// Tries all choices that cost no more than the answer, where there are few, and keeps the best. Says whether it did.
    pub(super) fn run(
        &mut self,
        cluster: &Cluster,
        graph: &Graph,
        ledger: &mut Ledger,
        exact: &Exact,
        trial: &mut Reclaim,
        answer: &mut Reclaim,
    ) -> bool {
        self.steps = 0;
        if !is_small(graph) {
            return false;
        }
        let Self { descent, needs, taken, chosen, excess, steps } = self;
        let (instance, demand) = (&exact.instance, &graph.demand);
        descent.reset(instance);
        needs.clear();
        needs.extend(demand.needs());
        for &server in &demand.required {
            descent.take(instance, server);
            let (quota, weight) = demand.weighs(server);
            needs[quota] -= weight;
        }
        taken.clear();
        let mut next = 0;
        loop {
            let may_be_best = descent.cost() <= answer.certificate.objective();
            if may_be_best && needs.iter().all(|&need| need == 0) {
                chosen.clear();
                chosen.extend_from_slice(&demand.required);
                chosen.extend(taken.iter().map(|&(server, _)| server));
                demand.trim(chosen, excess);
                outcome::write(cluster, graph, chosen, ledger, trial);
                *steps += (graph.gangs.len() + graph.tenancies.len()) as u64;
                if order(trial) < order(answer) {
                    core::mem::swap(trial, answer);
                }
            } else if may_be_best && is_reachable(graph, needs, next) {
                let (quota, weight) = demand.weighs(next);
                if needs[quota] > 0 && !demand.is_required(next) {
                    taken.push((next, descent.point()));
                    descent.take(instance, next);
                    needs[quota] = needs[quota].saturating_sub(weight);
                }
                next += 1;
                continue;
            }
            let Some((server, point)) = taken.pop() else { return true };
            descent.undo(instance, point);
            next = server + 1;
            recount(graph, taken, needs);
        }
    }

    /// The work of the last run, counted.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}

/// Whether servers from this one on can still meet the needs, where they are a number of servers; it says so too often
/// where some of them must go back, and in other cases whenever a server is left.
fn is_reachable(graph: &Graph, needs: &[u64], next: u32) -> bool {
    let left = (graph.servers.len() - next as usize) as u64;
    left > 0 && (graph.demand.single_count().is_none() || left >= needs[0])
}

/// What is still needed beside the servers that must go back and those taken.
fn recount(graph: &Graph, taken: &[(u32, usize)], needs: &mut [u64]) {
    let demand = &graph.demand;
    for (need, all) in needs.iter_mut().zip(demand.needs()) {
        *need = all;
    }
    for &server in demand.required.iter().chain(taken.iter().map(|(server, _)| server)) {
        let (quota, weight) = demand.weighs(server);
        needs[quota] = needs[quota].saturating_sub(weight);
    }
}

/// Whether there are so few choices that all can be tried.
fn is_small(graph: &Graph) -> bool {
    let demand = &graph.demand;
    let free = (graph.servers.len() - demand.required.len()) as u64;
    match demand.single_count() {
        Some(count) => {
            let count = u64::from(count) - demand.required.len() as u64;
            let mut choices = 1;
            for at in 0..count.min(free - count) {
                // The number of choices of `at` + 1: whole at every step, and never falling.
                choices = choices * (free - at) / (at + 1);
                if choices > CHOICES {
                    return false;
                }
            }
            true
        }
        None => free <= 12,
    }
}
