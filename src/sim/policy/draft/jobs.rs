//! Jobs in a draft: they grow, shrink and stop.

use alloc::vec::Vec;

use super::{Draft, DraftMemory, Target};
use crate::id::{JobId, ServerId};
use crate::units::Speed;

impl Draft<'_> {
    /// Grows a running job towards so many reference workers, and at most to its maximum, as far as workers find a place.
    /// Returns how many it has then.
    ///
    /// A job that waits is not started: 0.
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
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         for (job, definition) in view.cluster().jobs() {
    ///             self.seen.push(draft.grow(job, definition.max_workers));
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. The first job can use 2 to 6 workers of one GPU, the second needs 4.
    /// let first = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(60.0)));
    /// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
    /// let jobs = [first, second];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // Alone, the first has 6 workers, and is done in a third of the time. The second finds 2 GPUs idle, and waits.
    /// assert_eq!(policy.seen, [6, 6, 0, 4]);
    /// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [20.0, 80.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(workers' placements of the job + servers chosen).
    pub fn grow(&mut self, job: JobId, reference_workers: u32) -> u32 {
        let Some(definition) = self.cluster.job(job) else { return 0 };
        let wanted = reference_workers.min(definition.max_workers);
        let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
        let before = occupancy.placements(job).iter().map(|p| p.workers).sum::<u32>();
        placer.grow_to(self.cluster.inventory(), occupancy, job, wanted);
        self.trim(job);
        let after = self.memory.occupancy.placements(job).iter().map(|p| p.workers).sum::<u32>();
        if before != after {
            self.touch(job);
        }
        self.reference_workers(job)
    }

    /// Gives back the workers that make up no whole reference worker.
    fn trim(&mut self, job: JobId) {
        let inventory = self.cluster.inventory();
        for gpu_type in inventory.gpu_type_ids() {
            let speed = inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE);
            if speed.numerator() == 1 && speed.denominator() == 1 {
                continue;
            }
            let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
            let held = inventory.tally(occupancy.placements(job)).workers(gpu_type);
            let needed = speed.workers_for(u32::try_from(speed.reference_workers(held)).unwrap_or(u32::MAX));
            let surplus = u32::try_from(held.saturating_sub(needed)).unwrap_or(0);
            if surplus > 0 && held > 0 {
                placer.shrink(inventory, occupancy, job, gpu_type, surplus);
            }
        }
    }

    /// Shrinks a running job to so many reference workers, and at least to its minimum. Workers leave so that whole
    /// servers come free, those on the GPU types with the highest ids first.
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
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.running() {
    ///             draft.shrink(job, 3);
    ///             self.seen.push(draft.reference_workers(job));
    ///         }
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///             let definition = view.cluster().job(job).expect("it waits");
    ///             draft.grow(job, definition.max_workers);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. The first job can use 2 to 6 workers of one GPU, the second needs 4.
    /// let first = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(60.0)));
    /// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
    /// let jobs = [first, second];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // At 10 s the first gives back three of its six workers, so that the second fits at once.
    /// assert_eq!(policy.seen, [3, 4]);
    /// assert_eq!(report.queuing().max, Seconds(0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p log p) for each GPU type, with p placements of the job.
    pub fn shrink(&mut self, job: JobId, reference_workers: u32) {
        let inventory = self.cluster.inventory();
        let Some(definition) = inventory.job(job) else { return };
        let wanted = u64::from(reference_workers.max(definition.min_workers));
        for gpu_type in inventory.gpu_type_ids().collect::<Vec<_>>().into_iter().rev() {
            let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
            let tally = inventory.tally(occupancy.placements(job));
            let surplus = tally.reference_workers().saturating_sub(wanted);
            let speed = inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE);
            let held = tally.workers(gpu_type);
            if surplus == 0 || held == 0 {
                continue;
            }
            let kept = speed.reference_workers(held).saturating_sub(surplus);
            let kept_workers = speed.workers_for(u32::try_from(kept).unwrap_or(u32::MAX));
            let leave = u32::try_from(held.saturating_sub(kept_workers)).unwrap_or(u32::MAX);
            if placer.shrink(inventory, occupancy, job, gpu_type, leave) > 0 {
                self.touch(job);
            }
        }
    }

    /// Stops a running job.
    ///
    /// Nothing where it does not run in the draft. A job that is stopped and started again in one draft is stopped
    /// and started again in the cluster too, wherever its workers land.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<usize>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         // The shortest first, whoever runs.
    ///         let mut order: Vec<_> = view.cluster().jobs().map(|entry| entry.0).collect();
    ///         order.sort_by(|&a, &b| view.remaining(a).unwrap().0.total_cmp(&view.remaining(b).unwrap().0));
    ///         for &job in &order {
    ///             draft.preempt(job);
    ///         }
    ///         for job in order {
    ///             draft.start(job);
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)));
    /// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(10.0)).submitted(Seconds(10.0)));
    /// let jobs = [long, short];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // The short job takes the place of the long one, which begins anew after it: 20 s, 60 s and 63 s of overhead.
    /// assert_eq!((report.jobs[1].ended, report.jobs[0].ended), (Seconds(20.0), Seconds(143.0)));
    /// assert_eq!((report.suspensions(), report.jobs[0].lost), (1, Seconds(10.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn preempt(&mut self, job: JobId) {
        let inventory = self.cluster.inventory();
        let Some(definition) = inventory.job(job).filter(|_| self.is_running(job)) else { return };
        self.touch(job);
        let DraftMemory { placer, occupancy, preempted, .. } = &mut *self.memory;
        // One that was started in this draft was never stopped.
        preempted[job.index()] = self.cluster.is_running(job);
        let servers: Vec<ServerId> = occupancy.placements(job).iter().map(|p| p.server).collect();
        occupancy.release(job, definition.gpus_per_worker);
        for server in servers {
            placer.refresh(inventory, occupancy, server);
        }
    }

    /// Makes the draft have these sizes, as far as workers find a place: stops the jobs that are to have none, shrinks,
    /// then starts and at last grows, in the order given. Jobs that are not named stay as they are.
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
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         // Half of the GPUs for each, or all for one that is alone.
    ///         let jobs: Vec<_> = view.cluster().jobs().collect();
    ///         let share = 8 / jobs.len() as u32;
    ///         let targets: Vec<Target> = jobs
    ///             .iter()
    ///             .map(|&(job, definition)| Target { job, reference_workers: share.min(definition.max_workers) })
    ///             .collect();
    ///         draft.realise(&targets);
    ///         self.seen.extend(jobs.iter().map(|&(job, _)| draft.reference_workers(job)));
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let job = |at: f64| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(10.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [6, 4, 4, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of starting, growing and shrinking the jobs named, each once at most.
    ///
    /// # Determinism
    ///
    /// Where there is room for some of the jobs only, those that come first in the order given have it.
    pub fn realise(&mut self, targets: &[Target]) {
        for target in targets.iter().filter(|target| target.reference_workers == 0) {
            self.preempt(target.job);
        }
        for &Target { job, reference_workers } in targets {
            if reference_workers > 0 && self.is_running(job) {
                self.shrink(job, reference_workers);
            }
        }
        for &Target { job, reference_workers } in targets {
            if reference_workers > 0 && !self.is_running(job) {
                self.start(job);
            }
        }
        for &Target { job, reference_workers } in targets {
            if self.is_running(job) && self.reference_workers(job) < reference_workers {
                self.grow(job, reference_workers);
            }
        }
    }
}
