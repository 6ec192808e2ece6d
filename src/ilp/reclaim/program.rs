//! The program itself: from candidates, and what each preemption costs, to variables and rows.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::certificate::Sense;
use crate::cluster::{Cluster, Job};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::ilp::model::{Model, Relation};
use crate::units::Speed;

/// The candidates and the jobs on them.
pub(super) struct Program {
    candidates: usize,
    gangs: Vec<Gang>,
}

/// A job with workers on candidates.
struct Gang {
    cost: u64,
    min_workers: u32,
    /// By candidate that hosts it, in ascending order.
    hosts: Vec<Host>,
    /// All its workers by GPU type, on candidates and elsewhere.
    types: Vec<(GpuTypeId, Speed, u64)>,
}

/// The workers of a job on one candidate.
struct Host {
    candidate: usize,
    gpu_type: GpuTypeId,
    workers: u64,
    pinned: bool,
}

impl Program {
    /// The program over these candidates, in ascending order, with this cost of preempting a job.
    pub(super) fn new(cluster: &Cluster, candidates: &[ServerId], cost: impl Fn(JobId, &Job) -> u64) -> Self {
        let mut gangs = Vec::new();
        for (id, job) in cluster.jobs() {
            let mut hosts: BTreeMap<usize, Host> = BTreeMap::new();
            let mut types: BTreeMap<GpuTypeId, (Speed, u64)> = BTreeMap::new();
            for placement in cluster.placements(id) {
                let Some(gpu_type) = cluster.server(placement.server).map(|server| server.gpu_type) else {
                    continue;
                };
                let speed = cluster.speed(gpu_type).unwrap_or(Speed::REFERENCE);
                let workers = u64::from(placement.workers);
                types.entry(gpu_type).or_insert((speed, 0)).1 += workers;
                if let Ok(candidate) = candidates.binary_search(&placement.server) {
                    let none = Host { candidate, gpu_type, workers: 0, pinned: false };
                    let host = hosts.entry(candidate).or_insert(none);
                    host.workers += workers;
                    host.pinned |= placement.pinned;
                }
            }
            if !hosts.is_empty() {
                gangs.push(Gang {
                    cost: cost(id, job),
                    min_workers: job.min_workers,
                    hosts: hosts.into_values().collect(),
                    types: types.into_iter().map(|(id, (speed, workers))| (id, speed, workers)).collect(),
                });
            }
        }
        Self { candidates: candidates.len(), gangs }
    }

    /// A number of variables that the model does not exceed.
    pub(super) fn variables(&self) -> u64 {
        let of_gang = |gang: &Gang| 1 + if gang.is_mixed() { gang.types.len() as u64 } else { 0 };
        self.candidates as u64 + self.gangs.iter().map(of_gang).sum::<u64>()
    }

    /// The largest cost of a job that is no more than `ceiling`.
    pub(super) fn largest_cost(&self, ceiling: u64) -> u64 {
        self.gangs.iter().map(|gang| gang.cost).filter(|&cost| cost <= ceiling).max().unwrap_or(0)
    }

    /// The model in which exactly this many candidates go back, and no job that costs more than `ceiling` is preempted. Its
    /// first variables are the candidates.
    pub(super) fn model(&self, servers: u32, ceiling: u64) -> Model {
        let mut model = Model::new(Sense::Minimize);
        for _ in 0..self.candidates {
            model.variable(1, 0.0);
        }
        let all = (0..self.candidates).map(|candidate| (candidate, 1.0));
        model.row(all, Relation::Equal, f64::from(servers));
        for gang in &self.gangs {
            gang.add_to(&mut model, ceiling);
        }
        model
    }
}

impl Gang {
    fn is_mixed(&self) -> bool {
        self.types.len() > 1
    }

    fn add_to(&self, model: &mut Model, ceiling: u64) {
        let (most, cost) = if self.cost <= ceiling { (1, self.cost as f64) } else { (0, 0.0) };
        let preempted = model.variable(most, cost);
        let (breaking, others): (Vec<&Host>, Vec<&Host>) =
            self.hosts.iter().partition(|host| host.pinned || self.left_without(host) < self.min());
        for host in breaking {
            model.row([(host.candidate, 1.0), (preempted, -1.0)], Relation::AtMost, 0.0);
        }
        if self.is_mixed() {
            self.count_by_type(model, preempted, &others);
            return;
        }
        let &[(_, speed, held)] = &self.types[..] else { return };
        let slack = held.saturating_sub(speed.workers_for(self.min_workers));
        let exposed: u64 = others.iter().map(|host| host.workers).sum();
        if exposed > slack {
            let leaving = others.iter().map(|host| (host.candidate, host.workers as f64));
            let excess = [(preempted, -((exposed - slack) as f64))];
            model.row(leaving.chain(excess), Relation::AtMost, slack as f64);
        }
    }

    fn min(&self) -> u64 {
        u64::from(self.min_workers)
    }

    /// The reference workers that are left where this host alone goes back.
    fn left_without(&self, host: &Host) -> u64 {
        let left = |&(gpu_type, speed, workers): &(GpuTypeId, Speed, u64)| {
            let lost = if gpu_type == host.gpu_type { host.workers } else { 0 };
            speed.reference_workers(workers - lost)
        };
        self.types.iter().map(left).sum()
    }

    /// The rows of a job that mixes types: whole reference workers are counted type by type.
    fn count_by_type(&self, model: &mut Model, preempted: usize, hosts: &[&Host]) {
        let mut left: Vec<(usize, f64)> = Vec::new();
        let mut safe = 0;
        for &(gpu_type, speed, workers) in &self.types {
            let here: Vec<&&Host> = hosts.iter().filter(|host| host.gpu_type == gpu_type).collect();
            let most = speed.reference_workers(workers);
            if here.is_empty() {
                safe += most;
                continue;
            }
            let most = u32::try_from(most).unwrap_or(u32::MAX).min(i32::MAX as u32);
            let counted = model.variable(most, 0.0);
            left.push((counted, -1.0));
            let (a, b) = (f64::from(speed.numerator()), f64::from(speed.denominator()));
            let leaving = here.iter().map(|host| (host.candidate, a * host.workers as f64));
            model.row(leaving.chain([(counted, b)]), Relation::AtMost, a * workers as f64);
        }
        let missing = self.min().saturating_sub(safe) as f64;
        if missing > 0.0 {
            model.row(left.into_iter().chain([(preempted, -missing)]), Relation::AtMost, -missing);
        }
    }
}
