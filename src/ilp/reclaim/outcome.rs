//! What follows from a choice of servers, counted from the cluster alone.

use alloc::collections::{BTreeMap, BTreeSet};

use crate::certificate::Sense;
use crate::cluster::{Cluster, Job, Placement};
use crate::id::{JobId, ServerId};
use crate::ilp::backend;
use crate::reclaim::{Departure, Reclaim};
use crate::units::Seconds;

/// The most milliseconds that one job counts for, as in `aryl::reclaim`.
const MOST: u64 = (1 << 53) - 1;

/// The answer in which these servers go back, in ascending order, with this lower bound on its cost.
pub(super) fn of(cluster: &Cluster, servers: &[ServerId], bound: f64) -> Reclaim {
    let gpus = |&id: &ServerId| cluster.server(id).map_or(0, |server| u64::from(server.gpus));
    let mut answer = Reclaim {
        servers: servers.to_vec(),
        returned_gpus: servers.iter().map(gpus).sum(),
        ..Reclaim::default()
    };
    let tenants = servers.iter().flat_map(|&server| cluster.tenants(server));
    let touched: BTreeSet<JobId> = tenants.map(|tenant| tenant.job).collect();
    let mut cost = 0;
    for id in touched {
        let Some(job) = cluster.job(id) else { continue };
        let placements = cluster.placements(id);
        let goes = |placement: &&Placement| servers.binary_search(&placement.server).is_ok();
        let stays = |placement: &&Placement| !goes(placement);
        let left = Held::count(cluster, placements.iter().filter(stays));
        if left.reference < u64::from(job.min_workers) || placements.iter().any(|p| p.pinned && goes(&p)) {
            cost += job.preemption_cost;
            answer.preempted.push(id);
            let killed = placements.iter().filter(stays).map(|placement| u64::from(placement.workers));
            answer.collateral_gpus += killed.sum::<u64>() * u64::from(job.gpus_per_worker);
            continue;
        }
        let mut leaving: BTreeMap<ServerId, u32> = BTreeMap::new();
        for placement in placements.iter().filter(goes) {
            *leaving.entry(placement.server).or_default() += placement.workers;
        }
        let departure = |(server, workers)| Departure { job: id, server, workers };
        answer.departures.extend(leaving.into_iter().map(departure));
        let held = Held::count(cluster, placements);
        let lost = milliseconds_lost(job, &held, &left);
        answer.jct_lost_milliseconds = answer.jct_lost_milliseconds.saturating_add(lost);
    }
    answer.certificate = backend::certificate(Sense::Minimize, cost, bound);
    answer
}

/// Reference workers, and whether they are of several types.
struct Held {
    reference: u64,
    mixed: bool,
}

impl Held {
    fn count<'a>(cluster: &Cluster, placements: impl IntoIterator<Item = &'a Placement>) -> Self {
        let tally = cluster.inventory().tally(placements);
        Self { reference: tally.reference_workers(), mixed: tally.mixed().is_some() }
    }

    fn time(&self, job: &Job) -> f64 {
        let workers = u32::try_from(self.reference).unwrap_or(u32::MAX);
        let efficiency = if self.mixed { job.mixing_efficiency.unwrap_or(1.0) } else { 1.0 };
        job.running_time(workers).0 / efficiency
    }
}

fn milliseconds_lost(job: &Job, before: &Held, after: &Held) -> u64 {
    let lost = (after.time(job) - before.time(job)) * job.weight;
    // Not a number: both times are infinite, so neither is later.
    if lost.is_nan() || lost <= 0.0 { 0 } else { Seconds(lost).milliseconds().unwrap_or(MOST) }
}
