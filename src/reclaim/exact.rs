//! The exact choice: servers are sets, jobs are elements, and the cheapest union of as many sets as are asked for.
//!
//! See [`k_union`](crate::k_union). What this file adds is the translation: servers that must go back are taken first, and
//! where amounts are asked for by GPU type, each type is a problem of its own, since a job runs on one type. Only jobs that
//! mix types can tie two such problems together; then the sum of the answers is a good choice, and no proof.

use alloc::vec::Vec;

use super::graph::{Gang, Graph, Tenancy};
use crate::id::ServerId;
use crate::k_union::{Instance, Member, Search, Solver};

#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    pub(super) instance: Instance,
    search: Search,
    /// The best choice: all the candidates that go back.
    pub(super) chosen: Vec<u32>,
    /// The same sets with finer costs.
    fine: Instance,
    /// By server: the GPUs on it that are killed where it goes back alone.
    killed: Vec<u64>,
    /// By gang: the quota that its servers are in.
    quota: Vec<u32>,
    steps: u64,
}

/// Clears an instance and adds the jobs as elements; says whether their costs fit.
fn add_jobs(instance: &mut Instance, graph: &Graph, cost: impl Fn(&Gang) -> Option<u64>) -> bool {
    instance.clear();
    for gang in &graph.gangs {
        let Some(cost) = cost(gang) else { return false };
        if instance.add_tolerant_element(cost, gang.slack).is_err() {
            return false;
        }
    }
    // Parts are numbered as the types of mixed gangs are.
    for entry in &graph.mixed {
        instance.add_part(entry.workers, entry.speed);
    }
    true
}

fn member(graph: &Graph, index: usize) -> Member {
    let tenancy = &graph.tenancies[index];
    if tenancy.pinned {
        Member::breaking(tenancy.gang)
    } else if graph.gang_of(tenancy).is_mixed() {
        Member::of_part(tenancy.gang, tenancy.mixed_type, tenancy.workers.into())
    } else {
        Member::losing(tenancy.gang, tenancy.loss)
    }
}

/// The nodes of the second search.
const NODES: u64 = 4;

/// A job on servers of several quotas, or on none so far.
const SEVERAL: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX - 1;

impl Exact {
    /// Reads the graph as an instance; says whether that can be done.
    pub(super) fn read(&mut self, graph: &Graph) -> bool {
        let instance = &mut self.instance;
        add_jobs(instance, graph, |gang| Some(gang.preemption_cost))
            && (0..graph.servers.len()).all(|server| {
                let members = graph.on_server(server).iter().map(|&index| member(graph, index));
                instance.add_weighted_set(graph.demand.weights[server], members).is_ok()
            })
    }

    /// Chooses once more, by preemption cost first and collateral damage second, within a few nodes. Says
    /// whether it made a choice; it makes none where servers have different weights, or the numbers do not fit.
    ///
    /// The collateral damage is what the preempted jobs hold, less what they hold on the servers that go back. The first
    /// part is a cost of jobs. The second is a gain of servers, the same for every choice but for jobs that shrink; each
    /// server gets an element of its own which costs the more the less is gained.
    pub(super) fn refine(&mut self, graph: &Graph, solver: Solver, known: &[ServerId]) -> bool {
        let Self { fine, killed, .. } = self;
        if graph.demand.single_count().is_none() {
            return false;
        }
        killed.clear();
        killed.resize(graph.servers.len(), 0);
        for tenancy in graph.tenancies.iter().filter(|tenancy| tenancy.breaks_alone) {
            killed[tenancy.server as usize] += graph.gang_of(tenancy).gpus_of(tenancy) as u64;
        }
        let most = killed.iter().copied().max().unwrap_or(0);
        let gpus: u64 = graph.gangs.iter().map(|gang| gang.gpus).sum();
        // More than all that the second objective can add up to.
        let unit = gpus + most * graph.servers.len() as u64 + 1;
        let cost = |gang: &Gang| gang.preemption_cost.checked_mul(unit)?.checked_add(gang.gpus);
        if !add_jobs(fine, graph, cost) {
            return false;
        }
        for (server, &killed) in killed.iter().enumerate() {
            let Ok(own) = fine.add_element(most - killed) else { return false };
            let members = graph.on_server(server).iter().map(|&index| member(graph, index));
            if fine.add_set_of(members.chain([Member::breaking(own)])).is_err() {
                return false;
            }
        }
        core::mem::swap(&mut self.instance, &mut self.fine);
        self.run(graph, solver.with_node_budget(NODES), known);
        core::mem::swap(&mut self.instance, &mut self.fine);
        true
    }

    /// Chooses the servers, starting from a choice that is known. Returns a lower bound on the cost of every choice.
    pub(super) fn run(&mut self, graph: &Graph, solver: Solver, known: &[ServerId]) -> u64 {
        let Self { instance, search, chosen, steps, .. } = self;
        search.start(instance);
        chosen.clear();
        for &server in &graph.demand.required {
            search.take(instance, server);
            chosen.push(server);
        }
        let [quota] = graph.demand.quotas[..] else { return self.run_by_quota(graph, solver) };
        let candidates = known.iter().filter_map(|server| graph.servers.binary_search(server).ok());
        let candidates = candidates.map(|candidate| candidate as u32);
        search.adopt(instance, candidates.filter(|&candidate| !graph.demand.is_required(candidate)));
        let bound = search.run(instance, quota.need, solver.budget(instance));
        *steps += search.steps();
        search.trim(instance, quota.need);
        chosen.extend_from_slice(&search.best);
        bound
    }

    /// Solves one quota after the other, each with what the others before it have taken.
    fn run_by_quota(&mut self, graph: &Graph, solver: Solver) -> u64 {
        let is_separable = self.is_separable(graph);
        let Self { instance, search, chosen, steps, .. } = self;
        let mut bound = search.paid();
        for (at, quota) in graph.demand.quotas.iter().enumerate() {
            let others =
                (0..graph.servers.len() as u32).filter(|&server| graph.demand.weighs(server).0 != at);
            // What is taken of other quotas does not count towards this one.
            let elsewhere = chosen.iter().map(|&server| graph.demand.weighs(server));
            let taken: u64 = elsewhere.filter(|&(quota, _)| quota != at).map(|(_, weight)| weight).sum();
            let paid = search.paid();
            let least = search.run_without(instance, others, quota.need + taken, solver.budget(instance));
            *steps += search.steps();
            search.trim(instance, quota.need + taken);
            if is_separable {
                bound += least.saturating_sub(paid);
            } else if at == 0 {
                bound = least;
            }
            chosen.extend_from_slice(&search.best);
            search.take_best(instance);
        }
        bound
    }

    /// Whether no job has workers on servers of two quotas.
    fn is_separable(&mut self, graph: &Graph) -> bool {
        let quota = &mut self.quota;
        quota.clear();
        quota.resize(graph.gangs.len(), NOWHERE);
        for &Tenancy { gang, server, .. } in &graph.tenancies {
            let here = graph.demand.quota_of[server as usize];
            let entry = &mut quota[gang as usize];
            *entry = if *entry == NOWHERE || *entry == here { here } else { SEVERAL };
        }
        !quota.contains(&SEVERAL)
    }

    pub(super) fn forget_steps(&mut self) {
        self.steps = 0;
    }

    /// The work since [`Self::forget_steps`], counted.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}
