//! What the tests of `verify` share: an oracle of reclaims that tries them on a copy of the cluster, and random clusters.

use alloc::collections::BTreeSet;

use aryl::cluster::{Cluster, GpuType, Job, PlaceError, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::Reclaim;
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;
use serde_json::{Value, json};

pub(crate) const fn job(index: u32) -> JobId {
    JobId::new(index)
}

pub(crate) const fn server(index: u32) -> ServerId {
    ServerId::new(index)
}

/// What the return of some servers does, found by doing it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Outcome {
    pub(crate) cost: u64,
    pub(crate) lost: u64,
    pub(crate) collateral: u64,
    pub(crate) servers: Vec<ServerId>,
    pub(crate) preempted: Vec<JobId>,
    pub(crate) departures: Vec<(JobId, ServerId, u64)>,
    pub(crate) returned: u64,
}

impl Outcome {
    pub(crate) fn answer(&self) -> Value {
        let departures: Vec<Value> = self
            .departures
            .iter()
            .map(|(job, server, workers)| json!({"job": job, "server": server, "workers": workers}))
            .collect();
        json!({
            "servers": self.servers,
            "preempted": self.preempted,
            "departures": departures,
            "returned_gpus": self.returned,
            "collateral_gpus": self.collateral,
            "jct_lost_milliseconds": self.lost,
            "certificate": {"sense": "minimize", "objective": self.cost, "bound": 0},
        })
    }
}

pub(crate) fn read(answer: &Value) -> Reclaim {
    serde_json::from_value(answer.clone()).unwrap()
}

/// T of a job that runs, by the methods of `Job` and `Cluster`.
pub(crate) fn time(cluster: &Cluster, job: JobId) -> f64 {
    let definition = cluster.job(job).unwrap();
    let workers = cluster.reference_workers(job).min(u64::from(u32::MAX)) as u32;
    let types: BTreeSet<GpuTypeId> =
        cluster.placements(job).iter().map(|p| cluster.server(p.server).unwrap().gpu_type).collect();
    let alone = definition.running_time(workers).0;
    if types.len() > 1 { alone / definition.mixing_efficiency.unwrap() } else { alone }
}

/// Scales the jobs in, one server after the other, and stops those for which the cluster refuses that. `None` where a
/// server can't go back.
pub(crate) fn outcome(cluster: &Cluster, servers: &[ServerId]) -> Option<Outcome> {
    let mut after = cluster.clone();
    let mut outcome = Outcome {
        cost: 0,
        lost: 0,
        collateral: 0,
        servers: servers.to_vec(),
        preempted: Vec::new(),
        departures: Vec::new(),
        returned: 0,
    };
    let mut jobs = BTreeSet::new();
    for &server in servers {
        let definition = cluster.server(server).filter(|s| s.pool == Pool::OnLoan && !s.protected)?;
        outcome.returned += u64::from(definition.gpus);
        jobs.extend(cluster.tenants(server).iter().map(|tenant| tenant.job));
    }
    for id in jobs {
        let definition = cluster.job(id).filter(|job| !job.protected)?;
        let mut scaled_in = after.clone();
        let mut leaving = Vec::new();
        for &server in servers {
            let here = cluster.tenants(server).iter().filter(|tenant| tenant.job == id);
            let workers: u32 = here.map(|tenant| tenant.workers).sum();
            if workers > 0 {
                leaving.push((server, workers));
            }
        }
        if leaving.iter().all(|&(server, workers)| scaled_in.scale_in(id, server, workers).is_ok()) {
            let lost = definition.weight * (time(&scaled_in, id) - time(cluster, id)) * 1_000.0;
            outcome.lost += lost.round().max(0.0) as u64;
            outcome
                .departures
                .extend(leaving.iter().map(|&(server, workers)| (id, server, u64::from(workers))));
            after = scaled_in;
        } else {
            let elsewhere = cluster.placements(id).iter().filter(|p| !servers.contains(&p.server));
            let workers: u64 = elsewhere.map(|p| u64::from(p.workers)).sum();
            outcome.collateral += workers * u64::from(definition.gpus_per_worker);
            outcome.cost += definition.preemption_cost;
            outcome.preempted.push(id);
            after.stop(id).unwrap();
        }
    }
    assert!(servers.iter().all(|&server| after.tenants(server).is_empty()));
    Some(outcome)
}

/// The outcome of each choice of `asked` servers.
pub(crate) fn outcomes(cluster: &Cluster, asked: u32) -> Vec<Outcome> {
    let all: Vec<ServerId> = cluster.servers().map(|(id, _)| id).collect();
    let mut outcomes = Vec::new();
    for set in 0u32..1 << all.len() {
        if set.count_ones() == asked {
            let chosen: Vec<ServerId> =
                (0..all.len()).filter(|at| set & (1 << at) != 0).map(|at| all[at]).collect();
            outcomes.extend(outcome(cluster, &chosen));
        }
    }
    outcomes
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Inelastic,
    OneType,
    Mixed,
}

/// A cluster of up to 8 servers, most of them on loan, with jobs placed worker by worker wherever there is room.
pub(crate) fn random_cluster(seed: u64, kind: Kind) -> Cluster {
    let mut random = Rand32::new(seed);
    let mut below = |limit: u32| random.rand_range(0..limit);
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 2)).unwrap();
    for _ in 0..3 + below(6) {
        let (gpu_type, gpus) = (if below(3) == 0 { v100 } else { t4 }, 2 + below(5));
        let server = match below(12) {
            0 => Server::training(gpu_type, gpus),
            1 => Server::inference(gpu_type, gpus),
            2 => Server::on_loan(gpu_type, gpus).protected(),
            _ => Server::on_loan(gpu_type, gpus),
        };
        cluster.add_server(server).unwrap();
    }
    for _ in 0..2 + below(8) {
        let min = 1 + below(3);
        let max = if kind == Kind::Inelastic { min } else { min + below(4) };
        let mut job = Job::elastic(min..=max)
            .fungible()
            .gpus_per_worker(1 + below(2))
            .preemption_cost(below(4).into())
            .weight([1.0, 0.5, 3.0][below(3) as usize])
            .remaining(Seconds(f64::from(below(10_000)) / 7.0 + 0.1));
        job = match below(4) {
            0 => job.scaling(ScalingCurve::Amdahl { serial: 0.25 }),
            1 => job.scaling(ScalingCurve::Measured(
                MeasuredTable::new([(1, 5.0), (3, 12.0), (4, 9.0)]).unwrap(),
            )),
            _ => job,
        };
        if kind == Kind::Mixed && below(2) == 0 {
            job = job.heterogeneous();
        }
        if below(10) == 0 {
            job = job.protected();
        }
        let id = cluster.add_job(job).unwrap();
        let mut gang: Vec<Placement> = Vec::new();
        let servers = cluster.servers().count() as u32;
        for _ in 0..20 {
            let one = Placement::base(server(below(servers)), 1);
            let mut longer = gang.clone();
            longer.push(if below(8) == 0 { one.pinned() } else { one });
            match cluster.clone().place(id, &longer) {
                Err(PlaceError::BelowMinimum { .. }) => gang = longer,
                Ok(()) => {
                    cluster.place(id, &longer).unwrap();
                    break;
                }
                Err(_) => {}
            }
        }
        for _ in 0..below(8) {
            let _ = cluster.scale_out(id, server(below(servers)), 1);
        }
    }
    assert_eq!(verify::cluster(&cluster), Ok(()));
    cluster
}
