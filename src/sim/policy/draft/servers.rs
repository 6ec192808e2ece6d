//! Servers in a draft: which are lent, go back, and are used.

use super::{Draft, DraftMemory};
use crate::cluster::Pool;
use crate::reclaim::{ReclaimError, Reclaimer};
use crate::units::Speed;

impl Draft<'_> {
    /// Takes so many inference servers on loan, those with the lowest ids. Returns how many there were to take.
    ///
    /// Protected servers are not lent, nor those that go back in this draft. From now on all servers are used, as
    /// after [`everywhere`](Self::everywhere).
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u32>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn loan_policy(&self) -> Option<aryl::loan::LoanPolicy> {
    /// #         aryl::loan::LoanPolicy::default().with_band(0).with_headroom(0.0).ok()?.with_patience(1).ok()
    /// #     }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         self.seen.push(draft.lend(view.offered()));
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(2).gpus_per_worker(8).fungible().remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.4)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // Two servers are offered; without them the job would fit nowhere.
    /// assert_eq!(policy.seen, [2]);
    /// assert_eq!((report.loans.lent, report.jobs[0].queuing), (2, Seconds(0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + workers).
    pub fn lend(&mut self, servers: u32) -> u32 {
        let pools = &mut self.memory.pools;
        let mut lent = 0;
        for (id, server) in self.cluster.servers() {
            // A server that goes back in this draft is not lent again, nor one that is lent in it already.
            let is_home = server.pool == Pool::Inference && pools[id.index()] == Pool::Inference;
            if lent < servers && is_home && !server.protected {
                pools[id.index()] = Pool::OnLoan;
                lent += 1;
            }
        }
        self.everywhere();
        lent
    }

    /// Gives so many on-loan servers back, stopping and shrinking the jobs that the rule chooses. To be called before any
    /// other change.
    ///
    /// From now on all servers are used, as after [`everywhere`](Self::everywhere).
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::reclaim::Reclaimer;
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u32>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn loan_policy(&self) -> Option<aryl::loan::LoanPolicy> {
    /// #         aryl::loan::LoanPolicy::default().with_band(0).with_headroom(0.0).ok()?.with_patience(1).ok()
    /// #     }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         draft.reclaim(&Reclaimer::default(), view.asked_back())?;
    ///         draft.lend(view.offered());
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// // Two servers are on loan; the job runs on one of them. At 600 s one is asked back: the idle one goes.
    /// let jobs = [TraceJob::new(Job::inelastic(8).fungible().remaining(Seconds(800.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.4), (Seconds(900.0), 0.6)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!((report.loans.lent, report.loans.returned, report.loans.returned_idle), (2, 1, 1));
    /// assert_eq!(report.preemptions(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReclaimError`] where there are too few that can go back.
    ///
    /// # Complexity
    ///
    /// That of [`Reclaimer::solve_into`](crate::reclaim::Reclaimer::solve_into), and O(servers + workers).
    ///
    /// # Determinism
    ///
    /// As the reclaimer.
    pub fn reclaim(&mut self, reclaimer: &Reclaimer, servers: u32) -> Result<(), ReclaimError> {
        if servers == 0 {
            return Ok(());
        }
        let mut answer = core::mem::take(&mut self.memory.answer);
        reclaimer.solve_into(self.cluster, servers, &mut self.memory.reclaim, &mut answer)?;
        for &job in answer.preempted() {
            self.preempt(job);
        }
        for departure in answer.departures() {
            let inventory = self.cluster.inventory();
            let Some(job) = inventory.job(departure.job) else { continue };
            let occupancy = &mut self.memory.occupancy;
            occupancy.depart(departure.job, |server| server == departure.server, job.gpus_per_worker);
            inventory.fill_base(occupancy, departure.job, job);
            self.touch(departure.job);
        }
        for &server in answer.servers() {
            self.memory.pools[server.index()] = Pool::Inference;
        }
        self.memory.answer = answer;
        self.everywhere();
        Ok(())
    }

    /// From now on only the servers of this pool are used.
    ///
    /// With [`Pool::Inference`] none is.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u64>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn loan_policy(&self) -> Option<aryl::loan::LoanPolicy> {
    /// #         aryl::loan::LoanPolicy::default().with_band(0).with_headroom(0.0).ok()?.with_patience(1).ok()
    /// #     }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         draft.lend(view.offered());
    ///         draft.only(Pool::OnLoan);
    ///         self.seen.push(draft.idle_gpus());
    ///         draft.only(Pool::Training);
    ///         self.seen.push(draft.idle_gpus());
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.4)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [16, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + workers).
    pub fn only(&mut self, pool: Pool) {
        let DraftMemory { placer, occupancy, pools, visible, .. } = &mut *self.memory;
        visible.clear();
        visible.extend(pools.iter().map(|&own| if own == pool { own } else { Pool::Inference }));
        placer.rebuild(self.cluster.inventory(), occupancy, visible);
    }

    /// From now on all servers that training may use are used, as at the beginning.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u64>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         draft.only(Pool::OnLoan);
    ///         self.seen.push(draft.idle_gpus());
    ///         draft.everywhere();
    ///         self.seen.push(draft.idle_gpus());
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [0, 8]); // nothing is on loan
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + workers).
    pub fn everywhere(&mut self) {
        let DraftMemory { placer, occupancy, pools, .. } = &mut *self.memory;
        placer.rebuild(self.cluster.inventory(), occupancy, pools);
    }

    /// The GPUs that training may use, held or idle, in GPUs of the reference type: those of each type times its speed,
    /// rounded down.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u64>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         self.seen.push(draft.reference_gpus());
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(2).remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 2).training(GpuType::new("T4").speed(1, 3), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [4]); // 2 V100, and 8 T4 that do the work of 2.67, of which 2 count
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(GPU types · servers).
    #[must_use]
    pub fn reference_gpus(&self) -> u64 {
        let inventory = self.cluster.inventory();
        let of_type = |gpu_type| {
            let gpus = self.cluster.servers().filter(|&(id, server)| {
                server.gpu_type == gpu_type && self.memory.pools[id.index()].is_for_training()
            });
            let gpus: u64 = gpus.map(|(_, server)| u64::from(server.gpus)).sum();
            inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE).reference_workers(gpus)
        };
        inventory.gpu_type_ids().map(of_type).sum()
    }

    /// The idle GPUs of the servers in use, of whatever type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<u64>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///             self.seen.push(draft.idle_gpus());
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [1, 2].map(|workers| TraceJob::new(Job::inelastic(workers).remaining(Seconds(60.0))));
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [7, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn idle_gpus(&self) -> u64 {
        self.cluster.inventory().gpu_type_ids().map(|gpu_type| self.memory.placer.idle_gpus(gpu_type)).sum()
    }
}
