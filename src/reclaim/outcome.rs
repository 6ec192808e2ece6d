//! Turns a set of servers into the whole answer: who is preempted, who leaves, what it costs.

use super::decision::{Departure, Reclaim};
use super::graph::Graph;
use super::jct::jct_lost_milliseconds;
use super::ledger::Ledger;
use crate::certificate::{Certificate, Sense};
use crate::cluster::Cluster;

/// Writes the answer for the candidates in `chosen`, from the rules alone, whatever led to the choice. All but the bound
/// is written.
pub(super) fn write(
    cluster: &Cluster,
    graph: &Graph,
    chosen: &[u32],
    ledger: &mut Ledger,
    answer: &mut Reclaim,
) {
    answer.clear();
    ledger.reset(graph);
    answer.servers.extend(chosen.iter().map(|&server| graph.servers[server as usize]));
    answer.servers.sort_unstable();
    let tenancies = || {
        let on_server = |&server: &u32| graph.on_server(server as usize).iter();
        chosen.iter().flat_map(on_server).map(|&index| &graph.tenancies[index])
    };
    ledger.take_all(graph, chosen);

    let (mut cost, mut killed) = (0_u64, 0_u64);
    for (at, gang) in graph.gangs.iter().enumerate() {
        if ledger.is_preempted(at) {
            answer.preempted.push(gang.id);
            cost += gang.preemption_cost;
            killed += gang.gpus;
        } else if let Some(job) = cluster.job(gang.id).filter(|_| ledger.has_less(graph, at)) {
            let lost =
                jct_lost_milliseconds(job, gang.run(job.min_workers), ledger.run(graph, at, job.min_workers));
            answer.jct_lost_milliseconds = answer.jct_lost_milliseconds.saturating_add(lost);
        }
    }

    let mut killed_on_returned = 0;
    for tenancy in tenancies() {
        let gang = graph.gang_of(tenancy);
        if ledger.is_preempted(tenancy.gang as usize) {
            killed_on_returned += gang.gpus_of(tenancy) as u64;
        } else {
            let server = graph.servers[tenancy.server as usize];
            answer.departures.push(Departure { job: gang.id, server, workers: tenancy.workers });
        }
    }
    answer.departures.sort_unstable();
    answer.collateral_gpus = killed - killed_on_returned;
    let gpus = |&id| cluster.server(id).map_or(0, |server| u64::from(server.gpus));
    answer.returned_gpus = answer.servers.iter().map(gpus).sum();
    answer.certificate = certificate(cost, 0);
}

/// The certificate of an answer of this cost; a bound above it would be a fault, and is not claimed.
pub(super) fn certificate(cost: u64, bound: u64) -> Certificate {
    debug_assert!(bound <= cost, "the bound {bound} exceeds the cost {cost}");
    Certificate::new(Sense::Minimize, cost, if bound <= cost { bound } else { 0 })
        .unwrap_or(Certificate::optimal(Sense::Minimize, cost))
}
