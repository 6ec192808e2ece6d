//! A plan carried out on books of our own: who holds what, step by step.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::PlanViolation;
use super::cluster::{check_gang, check_held};
use super::count::Workers;
use crate::cluster::{Cluster, Job, Placement, Pool, Role, Server};
use crate::epoch::Action;
use crate::id::{JobId, ServerId};

/// Workers of one job, on one server, in one role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    workers: u64,
    pinned: bool,
}

type Gang = BTreeMap<(ServerId, Role), Held>;

/// Who holds what. Definitions of jobs and servers are read from the cluster; what changes is kept here.
#[derive(Clone, Debug)]
pub(super) struct Books<'a> {
    cluster: &'a Cluster,
    pools: BTreeMap<ServerId, Pool>,
    /// GPUs that workers hold on each server.
    held: BTreeMap<ServerId, u64>,
    /// The jobs that run, and only those.
    gangs: BTreeMap<JobId, Gang>,
}

impl<'a> Books<'a> {
    /// The cluster as it is.
    pub(super) fn of(cluster: &'a Cluster) -> Self {
        let mut books = Self {
            cluster,
            pools: cluster.servers().map(|(id, server)| (id, server.pool)).collect(),
            held: cluster.servers().map(|(id, _)| (id, 0)).collect(),
            gangs: BTreeMap::new(),
        };
        for (id, job) in cluster.jobs() {
            for placement in cluster.placements(id) {
                let Placement { server, role, workers, pinned } = *placement;
                books.put(id, job, server, role, u64::from(workers), pinned);
            }
        }
        books
    }

    /// Carries out one step. Whether the job is then still a run of its definition is for [`check_run`](Self::check_run),
    /// once all steps of the job in this stage are done.
    pub(super) fn carry_out(&mut self, step: usize, action: &Action) -> Result<(), PlanViolation> {
        match *action {
            Action::Preempt { job } => self.preempt(step, job),
            Action::ScaleIn { job, server, workers, .. } => self.scale_in(step, job, server, workers.into()),
            Action::Return { server } => {
                if self.held(server) > 0 {
                    let hosted = |gang: &Gang| gang.keys().any(|&(host, _)| host == server);
                    if let Some((&job, _)) = self.gangs.iter().find(|(_, gang)| hosted(gang)) {
                        return Err(PlanViolation::NotEmpty { step, server, job });
                    }
                }
                self.move_server(step, server, Pool::OnLoan, Pool::Inference)
            }
            Action::Lend { server } => self.move_server(step, server, Pool::Inference, Pool::OnLoan),
            Action::Start { job, server, workers } => {
                self.host(step, job, server, Role::Base, workers.into())
            }
            Action::ScaleOut { job, server, workers } => {
                if !self.is_running(job) {
                    return Err(PlanViolation::NotRunning { step, job });
                }
                self.host(step, job, server, Role::Flexible, workers.into())
            }
            Action::Keep { job } if self.is_running(job) => Ok(()),
            Action::Keep { job } => Err(PlanViolation::NotRunning { step, job }),
        }
    }

    pub(super) fn is_running(&self, job: JobId) -> bool {
        self.gangs.contains_key(&job)
    }

    /// The placements of a job, in ascending order of servers, base before flexible.
    pub(super) fn placements(&self, job: JobId) -> Vec<Placement> {
        let placement = |(&(server, role), held): (&(ServerId, Role), &Held)| Placement {
            server,
            role,
            workers: u32::try_from(held.workers).unwrap_or(u32::MAX),
            pinned: held.pinned,
        };
        self.gangs.get(&job).map(|gang| gang.iter().map(placement).collect()).unwrap_or_default()
    }

    pub(super) fn pool(&self, server: ServerId) -> Option<Pool> {
        self.pools.get(&server).copied()
    }

    /// GPUs that workers hold on a server.
    pub(super) fn held(&self, server: ServerId) -> u64 {
        self.held.get(&server).copied().unwrap_or(0)
    }

    /// Whether a job is a run of its definition, or waits.
    pub(super) fn check_run(&self, step: usize, job: JobId) -> Result<(), PlanViolation> {
        let definition = self.job(step, job)?;
        check_gang(self.cluster, job, definition, &self.placements(job))
            .map_err(|rule| PlanViolation::Rule { step, rule })
    }

    fn job(&self, step: usize, job: JobId) -> Result<&'a Job, PlanViolation> {
        self.cluster.job(job).ok_or(PlanViolation::UnknownJob { step, job })
    }

    fn put(&mut self, id: JobId, job: &Job, server: ServerId, role: Role, workers: u64, pinned: bool) {
        let held = self.gangs.entry(id).or_default().entry((server, role)).or_default();
        held.workers += workers;
        held.pinned |= pinned;
        *self.held.entry(server).or_default() += workers * u64::from(job.gpus_per_worker);
    }

    /// Takes workers that are there.
    fn take(&mut self, id: JobId, job: &Job, server: ServerId, role: Role, workers: u64) {
        let Some(gang) = self.gangs.get_mut(&id) else { return };
        if let Some(held) = gang.get_mut(&(server, role)) {
            held.workers -= workers;
            if held.workers == 0 {
                gang.remove(&(server, role));
            }
        }
        if gang.is_empty() {
            self.gangs.remove(&id);
        }
        if let Some(held) = self.held.get_mut(&server) {
            *held -= workers * u64::from(job.gpus_per_worker);
        }
    }

    fn workers(&self, job: JobId, server: ServerId, role: Role) -> Held {
        self.gangs.get(&job).and_then(|gang| gang.get(&(server, role))).copied().unwrap_or_default()
    }

    fn preempt(&mut self, step: usize, id: JobId) -> Result<(), PlanViolation> {
        let job = self.job(step, id)?;
        let Some(gang) = self.gangs.get(&id).cloned() else {
            return Err(PlanViolation::NotRunning { step, job: id });
        };
        for ((server, role), held) in gang {
            self.take(id, job, server, role, held.workers);
        }
        Ok(())
    }

    /// Takes flexible workers first, then base workers, which flexible workers elsewhere replace.
    fn scale_in(
        &mut self,
        step: usize,
        id: JobId,
        server: ServerId,
        workers: u64,
    ) -> Result<(), PlanViolation> {
        let job = self.job(step, id)?;
        if !self.is_running(id) {
            return Err(PlanViolation::NotRunning { step, job: id });
        }
        if workers == 0 {
            return Err(PlanViolation::NoWorkers { step, job: id, server });
        }
        let (base, flexible) =
            (self.workers(id, server, Role::Base), self.workers(id, server, Role::Flexible));
        let held = base.workers + flexible.workers;
        if workers > held {
            return Err(PlanViolation::TooFew { step, job: id, server, workers, held });
        }
        let from_flexible = workers.min(flexible.workers);
        let from_base = workers - from_flexible;
        if from_base > 0 && base.pinned {
            return Err(PlanViolation::Pinned { step, job: id, server });
        }
        self.take(id, job, server, Role::Flexible, from_flexible);
        self.take(id, job, server, Role::Base, from_base);
        self.refill_base(id, job);
        Ok(())
    }

    /// Turns flexible workers into base workers, one at a time, until the base is the minimum again: on servers with base
    /// workers of the job first, then on the lowest ids.
    fn refill_base(&mut self, id: JobId, job: &Job) {
        let mut base = Workers::base_of(self.cluster, &self.placements(id));
        while base.reference(self.cluster) < u64::from(job.min_workers) {
            let Some(gang) = self.gangs.get(&id) else { return };
            let flexible: Vec<ServerId> =
                gang.keys().filter(|(_, role)| *role == Role::Flexible).map(|(server, _)| *server).collect();
            let beside_base = flexible.iter().find(|&&server| gang.contains_key(&(server, Role::Base)));
            let Some(&server) = beside_base.or(flexible.first()) else { return };
            self.take(id, job, server, Role::Flexible, 1);
            self.put(id, job, server, Role::Base, 1, false);
            base.add(self.cluster, server, 1);
        }
    }

    fn move_server(
        &mut self,
        step: usize,
        server: ServerId,
        from: Pool,
        to: Pool,
    ) -> Result<(), PlanViolation> {
        let pool = self.pools.get_mut(&server).ok_or(PlanViolation::UnknownServer { step, server })?;
        if *pool != from {
            return Err(PlanViolation::WrongPool { step, server, pool: *pool, expected: from });
        }
        *pool = to;
        Ok(())
    }

    /// Puts workers of a job on a server, which must have room for them there and then.
    fn host(
        &mut self,
        step: usize,
        id: JobId,
        server: ServerId,
        role: Role,
        workers: u64,
    ) -> Result<(), PlanViolation> {
        let job = self.job(step, id)?;
        let home = *self.cluster.server(server).ok_or(PlanViolation::UnknownServer { step, server })?;
        let pool = self.pool(server).unwrap_or(home.pool);
        if workers == 0 {
            return Err(PlanViolation::NoWorkers { step, job: id, server });
        }
        self.put(id, job, server, role, workers, false);
        check_held(server, &Server { pool, ..home }, self.held(server), Some(id))
            .map_err(|rule| PlanViolation::Rule { step, rule })
    }

    /// The jobs of a cluster whose placements are not what these books say.
    pub(super) fn jobs_that_differ(&self, other: &Cluster) -> BTreeSet<JobId> {
        let jobs = self.cluster.jobs().chain(other.jobs()).map(|(job, _)| job);
        jobs.filter(|&job| self.placements(job) != other.placements(job)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::GpuType;

    /// A plan that gets past the checks of its lists can't break these two rules, so they are tried on the books alone.
    #[test]
    fn servers_that_can_not_move() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let [busy, idle] = [0, 1].map(|_| cluster.add_server(Server::on_loan(v100, 8)).unwrap());
        let job = cluster.add_job(Job::inelastic(1)).unwrap();
        cluster.place(job, &[Placement::base(busy, 1)]).unwrap();
        let mut books = Books::of(&cluster);
        let occupied = PlanViolation::NotEmpty { step: 4, server: busy, job };
        assert_eq!(books.carry_out(4, &Action::Return { server: busy }), Err(occupied));
        books.carry_out(5, &Action::Return { server: idle }).unwrap();
        let (pool, expected) = (Pool::Inference, Pool::OnLoan);
        let again = PlanViolation::WrongPool { step: 6, server: idle, pool, expected };
        assert_eq!(books.carry_out(6, &Action::Return { server: idle }), Err(again));
        let lent = Action::Lend { server: busy };
        let again =
            PlanViolation::WrongPool { step: 7, server: busy, pool: Pool::OnLoan, expected: Pool::Inference };
        assert_eq!(books.carry_out(7, &lent), Err(again));
        let unknown = ServerId::new(2);
        let nowhere = PlanViolation::UnknownServer { step: 8, server: unknown };
        assert_eq!(books.carry_out(8, &Action::Return { server: unknown }), Err(nowhere));
        books.carry_out(9, &Action::Preempt { job }).unwrap();
        books.carry_out(10, &Action::Return { server: busy }).unwrap();
        assert_eq!((books.held(busy), books.is_running(job)), (0, false));
    }
}
