//! The rules once more, written plainly and without a look at the solver.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use aryl::cluster::{Cluster, Placement, Pool};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Departure, Reclaim};

/// What happens when some servers go back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) cost: u64,
    pub(crate) jct_lost: u64,
    pub(crate) collateral: u64,
    pub(crate) servers: Vec<ServerId>,
    pub(crate) preempted: Vec<JobId>,
    pub(crate) departures: Vec<Departure>,
    pub(crate) returned_gpus: u64,
}

impl Outcome {
    pub(crate) fn of(answer: &Reclaim) -> Self {
        Self {
            cost: answer.certificate().objective(),
            jct_lost: answer.jct_lost().milliseconds().unwrap(),
            collateral: answer.collateral_gpus(),
            servers: answer.servers().to_vec(),
            preempted: answer.preempted().to_vec(),
            departures: answer.departures().to_vec(),
            returned_gpus: answer.returned_gpus(),
        }
    }

    /// The objective, part by part.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let key =
            |outcome: &Self| (outcome.cost, outcome.jct_lost, outcome.collateral, outcome.servers.clone());
        key(self).cmp(&key(other))
    }
}

/// The servers that may go back.
pub(crate) fn candidates(cluster: &Cluster) -> Vec<ServerId> {
    let is_candidate = |id: ServerId| {
        let server = cluster.server(id).unwrap();
        let hosts_protected = cluster
            .jobs()
            .any(|(job, it)| it.protected && cluster.placements(job).iter().any(|p| p.server == id));
        server.pool == Pool::OnLoan && !server.protected && !hosts_protected
    };
    cluster.servers().map(|(id, _)| id).filter(|&id| is_candidate(id)).collect()
}

/// What happens when these servers go back.
pub(crate) fn outcome(cluster: &Cluster, servers: &[ServerId]) -> Outcome {
    let goes = |placement: &Placement| servers.contains(&placement.server);
    let mut outcome = Outcome {
        cost: 0,
        jct_lost: 0,
        collateral: 0,
        servers: servers.to_vec(),
        preempted: Vec::new(),
        departures: Vec::new(),
        returned_gpus: servers.iter().map(|&id| u64::from(cluster.server(id).unwrap().gpus)).sum(),
    };
    for (id, job) in cluster.jobs() {
        let placements = cluster.placements(id);
        if !placements.iter().any(goes) {
            continue;
        }
        let stays = |placement: &&Placement| !goes(placement);
        let (before, mixed_before) = reference_workers(cluster, placements.iter());
        let (after, mixed_after) = reference_workers(cluster, placements.iter().filter(stays));
        let loses_pinned = placements.iter().any(|placement| goes(placement) && placement.pinned);
        if loses_pinned || after < u64::from(job.min_workers) {
            outcome.cost += job.preemption_cost;
            outcome.preempted.push(id);
            let killed: u32 = placements.iter().filter(stays).map(|p| p.workers * job.gpus_per_worker).sum();
            outcome.collateral += u64::from(killed);
        } else {
            let mut leaving = BTreeMap::new();
            for placement in placements.iter().filter(|placement| goes(placement)) {
                *leaving.entry(placement.server).or_insert(0) += placement.workers;
            }
            outcome.departures.extend(leaving.into_iter().map(|(server, workers)| Departure {
                job: id,
                server,
                workers,
            }));
            let time = |workers: u64, mixed: bool| {
                let efficiency = if mixed { job.mixing_efficiency.unwrap() } else { 1.0 };
                job.running_time(workers as u32).0 / efficiency
            };
            let lost = job.weight * (time(after, mixed_after) - time(before, mixed_before));
            outcome.jct_lost += (lost * 1_000.0).round().max(0.0) as u64;
        }
    }
    outcome
}

fn reference_workers<'a>(cluster: &Cluster, placements: impl Iterator<Item = &'a Placement>) -> (u64, bool) {
    let mut by_type: BTreeMap<GpuTypeId, u64> = BTreeMap::new();
    for placement in placements {
        *by_type.entry(cluster.server(placement.server).unwrap().gpu_type).or_default() +=
            u64::from(placement.workers);
    }
    let worth = |(&gpu_type, &workers): (&GpuTypeId, &u64)| {
        cluster.speed(gpu_type).unwrap().reference_workers(workers)
    };
    (by_type.iter().map(worth).sum(), by_type.len() > 1)
}

/// All sets of `count` of these.
pub(crate) fn subsets(of: &[ServerId], count: usize) -> Vec<Vec<ServerId>> {
    let chosen = |mask: u32| (0..of.len()).filter(move |&at| mask >> at & 1 == 1).map(|at| of[at]).collect();
    (0..1_u32 << of.len()).filter(|mask| mask.count_ones() as usize == count).map(chosen).collect()
}

/// The best of all choices.
pub(crate) fn optimum(cluster: &Cluster, count: usize) -> Option<Outcome> {
    let all = subsets(&candidates(cluster), count).into_iter().map(|servers| outcome(cluster, &servers));
    all.min_by(|a, b| a.order(b))
}
