//! The part of a cluster that a reclaim decides about: the servers that may go back, the jobs on them, and who is where.
//!
//! It is a bipartite graph in flat vectors, built once for a decision, and never changed by a solver. What a solver
//! does to the jobs is kept in the [`Ledger`](super::ledger::Ledger).

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use super::ask::Ask;
use super::cost_table::CostTable;
use super::costs::PreemptionCost;
use super::demand::{Demand, NONE};
use super::error::ReclaimError;
use super::jct::jct_lost_milliseconds;
use crate::cluster::{Cluster, Job, Placement, Role};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::Speed;

/// All workers of one job on one candidate server.
#[derive(Clone, Debug)]
pub(super) struct Tenancy {
    /// The job, as an index into [`Graph::gangs`].
    pub(super) gang: u32,
    /// The server, as an index into [`Graph::servers`].
    pub(super) server: u32,
    pub(super) workers: u32,
    /// Where the job mixes GPU types: the index of this server's type in [`Graph::mixed`].
    pub(super) mixed_type: u32,
    /// The most that the job's slack falls by when these workers leave, in the unit of [`Gang::slack`].
    pub(super) loss: u64,
    /// What the job loses in milliseconds of completion time, times its weight, where these workers alone leave. It is
    /// below 2^53, and a server has at most 1,024 tenants, so the sum over a server fits a `u64`.
    pub(super) jct_lost: u64,
    /// Whether the job is preempted where this server alone goes back.
    pub(super) breaks_alone: bool,
    /// Whether one of the workers is a base worker.
    pub(super) hosts_base: bool,
    pub(super) pinned: bool,
}

/// A job with workers on at least one candidate server.
#[derive(Clone, Debug)]
pub(super) struct Gang {
    pub(super) id: JobId,
    pub(super) preemption_cost: u64,
    pub(super) gpus_per_worker: u32,
    /// Its tenancies in [`Graph::tenancies`]: pinned ones first, then those of the largest loss, then by server.
    pub(super) tenancies: Range<usize>,
    /// What it can lose and still run. It counts workers of the job's own GPU type, or whole reference workers where the
    /// job mixes types.
    pub(super) slack: u64,
    /// All its workers, here and elsewhere, and the speed of their type, where there is one type only.
    pub(super) workers: u64,
    pub(super) speed: Speed,
    /// Its GPU types in [`Graph::mixed`] where it mixes them; empty where it does not.
    pub(super) types: Range<usize>,
    /// The servers that host its base workers, here and elsewhere.
    pub(super) base_servers: u32,
    /// The GPUs of all its workers, here and elsewhere.
    pub(super) gpus: u64,
    /// Those of its GPUs that are on candidates which host no other job.
    pub(super) sole_gpus: u64,
}

impl Gang {
    pub(super) fn is_mixed(&self) -> bool {
        !self.types.is_empty()
    }

    /// The reference workers that the job runs with before anything is taken, and whether it mixes GPU types.
    pub(super) fn run(&self, min_workers: u32) -> (u64, bool) {
        if self.is_mixed() {
            (self.slack + u64::from(min_workers), true)
        } else {
            (self.speed.reference_workers(self.workers), false)
        }
    }

    pub(super) fn gpus_of(&self, tenancy: &Tenancy) -> i64 {
        i64::from(tenancy.workers) * i64::from(self.gpus_per_worker)
    }
}

/// The workers of a job on one of the GPU types that it mixes, here and elsewhere.
#[derive(Clone, Debug)]
pub(super) struct MixedType {
    gpu_type: GpuTypeId,
    pub(super) speed: Speed,
    pub(super) workers: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// What is to go back.
    pub(super) demand: Demand,
    costs: CostTable,
    /// The candidates, in ascending order of ids.
    pub(super) servers: Vec<ServerId>,
    /// The jobs on them, in ascending order of ids.
    pub(super) gangs: Vec<Gang>,
    pub(super) tenancies: Vec<Tenancy>,
    pub(super) mixed: Vec<MixedType>,
    candidate_of: Vec<u32>,
    /// `by_server[server_start[s]..server_start[s + 1]]` are the tenancies of candidate `s`, by job.
    server_start: Vec<usize>,
    by_server: Vec<usize>,
}

impl Graph {
    /// Reads a cluster, and refuses at once where what is asked can't be had.
    pub(super) fn read(&mut self, cluster: &Cluster, ask: &Ask<'_>) -> Result<(), ReclaimError> {
        self.costs.fill(cluster, &ask.costs)?;
        self.demand.read(cluster, ask, &self.costs, &mut self.servers, &mut self.candidate_of)?;
        self.gangs.clear();
        self.tenancies.clear();
        self.mixed.clear();
        if !self.demand.is_nothing() {
            for (id, job) in cluster.jobs() {
                self.add_gang(cluster, id, job);
            }
        }
        self.group_by_server();
        Ok(())
    }

    fn add_gang(&mut self, cluster: &Cluster, id: JobId, job: &Job) {
        let placements = cluster.placements(id);
        let first = self.tenancies.len();
        for placement in placements {
            self.add_workers(placement);
        }
        if self.tenancies.len() == first {
            return;
        }
        let first_type = self.mixed.len();
        let speed = self.count_types(cluster, placements);
        let is_mixed = self.mixed.len() > first_type;
        let workers: u64 = placements.iter().map(|placement| u64::from(placement.workers)).sum();
        let slack = if is_mixed {
            reference_workers(&self.mixed[first_type..]).saturating_sub(u64::from(job.min_workers))
        } else {
            workers.saturating_sub(job.min_workers_on(speed))
        };
        let gang = Gang {
            id,
            // No server that hosts a protected job is a candidate, so there is a cost.
            preemption_cost: match self.costs.of(id, job) {
                PreemptionCost::Cost(cost) => cost,
                PreemptionCost::Protected => u64::MAX,
            },
            gpus_per_worker: job.gpus_per_worker,
            tenancies: first..self.tenancies.len(),
            slack,
            workers,
            speed,
            types: first_type..self.mixed.len(),
            base_servers: placements.iter().filter(|placement| placement.role == Role::Base).count() as u32,
            gpus: workers * u64::from(job.gpus_per_worker),
            sole_gpus: 0,
        };
        self.complete_tenancies(cluster, job, &gang);
        self.gangs.push(gang);
    }

    /// Adds workers to the tenancy that the last workers of the same job opened on the server, or opens one.
    fn add_workers(&mut self, placement: &Placement) {
        let server = self.candidate_of[placement.server.index()];
        if server == NONE {
            return;
        }
        let gang = self.gangs.len() as u32;
        let hosts_base = placement.role == Role::Base;
        match self.tenancies.last_mut() {
            Some(last) if (last.gang, last.server) == (gang, server) => {
                last.workers += placement.workers;
                last.hosts_base |= hosts_base;
            }
            _ => self.tenancies.push(Tenancy {
                gang,
                server,
                workers: placement.workers,
                mixed_type: 0,
                loss: 0,
                jct_lost: 0,
                breaks_alone: true,
                hosts_base,
                pinned: placement.pinned,
            }),
        }
    }

    /// Counts the workers by GPU type where there are several, and returns the speed of the first.
    fn count_types(&mut self, cluster: &Cluster, placements: &[Placement]) -> Speed {
        let type_of = |placement: &Placement| {
            let server = cluster.server(placement.server)?;
            Some((server.gpu_type, cluster.speed(server.gpu_type)?))
        };
        let Some((first, speed)) = placements.first().and_then(type_of) else { return Speed::REFERENCE };
        if placements.iter().filter_map(type_of).all(|(gpu_type, _)| gpu_type == first) {
            return speed;
        }
        let start = self.mixed.len();
        for placement in placements {
            let Some((gpu_type, speed)) = type_of(placement) else { continue };
            let workers = u64::from(placement.workers);
            match self.mixed[start..].iter_mut().find(|entry| entry.gpu_type == gpu_type) {
                Some(entry) => entry.workers += workers,
                None => self.mixed.push(MixedType { gpu_type, speed, workers }),
            }
        }
        speed
    }

    /// Fills in what follows from the whole gang, and brings its tenancies into order.
    fn complete_tenancies(&mut self, cluster: &Cluster, job: &Job, gang: &Gang) {
        let types = &self.mixed[gang.types.clone()];
        for tenancy in &mut self.tenancies[gang.tenancies.clone()] {
            let lost = u64::from(tenancy.workers);
            if gang.is_mixed() {
                let server = self.servers[tenancy.server as usize];
                let here = cluster.server(server).map(|server| server.gpu_type);
                let at = types.iter().position(|entry| Some(entry.gpu_type) == here).unwrap_or(0);
                let MixedType { speed, workers, .. } = types[at];
                tenancy.mixed_type = (gang.types.start + at) as u32;
                let exact_loss = speed.reference_workers(workers) - speed.reference_workers(workers - lost);
                // The floors of the conversion make the loss depend on what else has left: this is the most it can be.
                tenancy.loss = (lost * u64::from(speed.numerator())).div_ceil(u64::from(speed.denominator()));
                tenancy.breaks_alone = tenancy.pinned || exact_loss > gang.slack;
                if !tenancy.breaks_alone {
                    let before = gang.run(job.min_workers);
                    let still_mixed = types.len() > 2 || lost < workers;
                    tenancy.jct_lost =
                        jct_lost_milliseconds(job, before, (before.0 - exact_loss, still_mixed));
                }
            } else {
                tenancy.loss = lost;
                tenancy.breaks_alone = tenancy.pinned || lost > gang.slack;
                if !tenancy.breaks_alone {
                    let after = gang.speed.reference_workers(gang.workers - lost);
                    tenancy.jct_lost = jct_lost_milliseconds(job, gang.run(job.min_workers), (after, false));
                }
            }
        }
        if gang.slack > 0 {
            self.tenancies[gang.tenancies.clone()]
                .sort_unstable_by_key(|tenancy| (!tenancy.pinned, Reverse(tenancy.loss), tenancy.server));
        }
    }

    fn group_by_server(&mut self) {
        let start = &mut self.server_start;
        start.clear();
        start.resize(self.servers.len() + 1, 0);
        for tenancy in &self.tenancies {
            start[tenancy.server as usize + 1] += 1;
        }
        for server in 0..self.servers.len() {
            start[server + 1] += start[server];
        }
        self.by_server.clear();
        self.by_server.resize(self.tenancies.len(), 0);
        // Each start moves to its end while the tenancies are dealt out, which is the start of the next server.
        for (index, tenancy) in self.tenancies.iter().enumerate() {
            let next = &mut start[tenancy.server as usize];
            self.by_server[*next] = index;
            *next += 1;
        }
        start.copy_within(0..self.servers.len(), 1);
        start[0] = 0;
        for server in 0..self.servers.len() {
            if let &[alone] = self.on_server(server) {
                let Tenancy { gang, workers, .. } = self.tenancies[alone];
                let gang = &mut self.gangs[gang as usize];
                gang.sole_gpus += u64::from(workers) * u64::from(gang.gpus_per_worker);
            }
        }
    }

    /// The tenancies of a candidate, as indices into [`Self::tenancies`], in ascending order of jobs.
    pub(super) fn on_server(&self, server: usize) -> &[usize] {
        &self.by_server[self.server_start[server]..self.server_start[server + 1]]
    }

    pub(super) fn gang_of(&self, tenancy: &Tenancy) -> &Gang {
        &self.gangs[tenancy.gang as usize]
    }
}

/// The whole reference workers that the workers of a gang make up.
pub(super) fn reference_workers(types: &[MixedType]) -> u64 {
    types.iter().map(|entry| entry.speed.reference_workers(entry.workers)).sum()
}
