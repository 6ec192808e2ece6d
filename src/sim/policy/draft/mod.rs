//! A draft of what the cluster should become, and the steps that lead there.

mod jobs;
mod servers;

use alloc::vec::Vec;

use super::View;
use crate::cluster::{Cluster, Occupancy, Placement, Pool};
use crate::epoch::{Action, Cause};
use crate::id::{JobId, ServerId};
use crate::place::Placer;
use crate::reclaim::{self, Reclaim};

/// A number of reference workers that a job is to have.
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
///         let targets: Vec<Target> = view.waiting().map(|job| Target { job, reference_workers: 3 }).collect();
///         draft.realise(&targets);
///         self.seen.extend(targets.iter().map(|target| draft.reference_workers(target.job)));
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
/// Simulation::new(&setup, &workload)?.run(&mut policy)?;
/// assert_eq!(policy.seen, [3, 4]); // the second has no smaller size
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The job.
    pub job: JobId,
    /// Reference workers: 0, or from the job's minimum to its maximum.
    pub reference_workers: u32,
}

/// The memory of a draft, to be used again.
///
/// A policy keeps it, so that its drafts allocate nothing once it has grown.
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
///         let mut draft = self.memory.begin(view); // whatever was in it before is gone
///         self.seen.push(draft.idle_gpus());
///         for job in view.waiting() {
///             draft.start(job);
///         }
///         draft.finish(actions);
///         Ok(())
///     }
/// }
/// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
/// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
/// let jobs = [job(0.0), job(30.0)];
/// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let mut policy = Mine::default();
/// Simulation::new(&setup, &workload)?.run(&mut policy)?;
/// assert_eq!(policy.seen, [8, 0, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DraftMemory {
    occupancy: Occupancy,
    pools: Vec<Pool>,
    /// The pools as the placer sees them: what is not to be used is left to inference.
    visible: Vec<Pool>,
    placer: Placer,
    touched: Vec<JobId>,
    is_touched: Vec<bool>,
    preempted: Vec<bool>,
    reclaim: reclaim::Workspace,
    answer: Reclaim,
}

impl DraftMemory {
    /// A draft that is the cluster as it is.
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
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         self.seen.push(draft.idle_gpus());
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///         }
    ///         self.seen.push(draft.idle_gpus());
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
    /// // At 0 s, at 10 s when the second arrives, and at 60 s when the first ends.
    /// assert_eq!(policy.seen, [8, 6, 6, 2, 4, 4]);
    /// assert_eq!(report.jct().max, Seconds(60.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + jobs + workers).
    pub fn begin<'a>(&'a mut self, view: &View<'a>) -> Draft<'a> {
        let cluster = view.cluster();
        self.occupancy.clone_from(cluster.occupancy());
        self.pools.clear();
        self.pools.extend(cluster.inventory().pools());
        self.touched.clear();
        for flags in [&mut self.is_touched, &mut self.preempted] {
            flags.clear();
            flags.resize(cluster.inventory().job_slots(), false);
        }
        self.placer.rebuild(cluster.inventory(), &self.occupancy, &self.pools);
        Draft { cluster, memory: self }
    }
}

/// A draft of what the cluster should become: jobs are started, resized and stopped in it, and at last it is turned into
/// the steps that lead there. Nothing happens to the cluster itself.
///
/// Workers are placed as the room [`place`](crate::place) does it: best fit, on idle GPUs only.
///
/// # Examples
///
/// The policy of the smallest size: every job its minimum, in the order of submission, and what is idle then to the first.
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::epoch::Action;
/// use aryl::sim::policy::{DraftMemory, Policy, PolicyError, Sizes, View};
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// #[derive(Default)]
/// struct Smallest(DraftMemory);
///
/// impl Policy for Smallest {
///     fn name(&self) -> &str {
///         "smallest"
///     }
///
///     fn sizes(&self) -> Sizes {
///         Sizes::Elastic
///     }
///
///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
///         let mut draft = self.0.begin(view);
///         for job in view.running() {
///             draft.shrink(job, 0);
///         }
///         for job in view.waiting() {
///             draft.start(job);
///         }
///         for (job, definition) in view.cluster().jobs() {
///             if draft.is_running(job) {
///                 draft.grow(job, definition.max_workers);
///             }
///         }
///         draft.finish(actions);
///         Ok(())
///     }
/// }
///
/// // The first has 6 workers of 8, then 4 while the second is there: 120 = 3 · 10 + 2 · 40 + 3 · 3.33.
/// let first = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(120.0)));
/// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(40.0)).submitted(Seconds(10.0)));
/// let workload = Workload { jobs: vec![first, second], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Smallest::default())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [53.334, 50.0]);
/// assert_eq!(report.scaling_operations(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draft<'a> {
    cluster: &'a Cluster,
    memory: &'a mut DraftMemory,
}

impl Draft<'_> {
    /// Starts a waiting job with its minimum number of workers, if they find a place.
    ///
    /// `false` where they find none, or the job does not wait in the draft.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<bool>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             self.seen.push(draft.start(job));
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let first = TraceJob::new(Job::inelastic(6).remaining(Seconds(60.0)));
    /// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
    /// let jobs = [first, second];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // Of 8 GPUs the first takes 6. The second does not fit at 10 s, and does when the first has ended.
    /// assert_eq!(policy.seen, [true, false, true]);
    /// assert_eq!(report.jobs[1].queuing, Seconds(50.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(GPU types) where they do not.
    pub fn start(&mut self, job: JobId) -> bool {
        let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
        let starts = placer.start_on_idle(self.cluster.inventory(), occupancy, job);
        if starts {
            self.touch(job);
        }
        starts
    }

    /// Whether a job runs in the draft.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<[bool; 2]>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             let before = draft.is_running(job);
    ///             draft.start(job);
    ///             self.seen.push([before, draft.is_running(job)]);
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
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [[false, true], [false, true]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_running(&self, job: JobId) -> bool {
        self.memory.occupancy.is_running(job)
    }

    /// The whole reference workers that a job has in the draft; 0 while it waits.
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
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///             self.seen.push(draft.reference_workers(job));
    ///         }
    ///         draft.finish(actions);
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(2).fungible().remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 1).training(GpuType::new("T4").speed(1, 3), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // Six workers on T4 do the work of two on V100.
    /// assert_eq!(policy.seen, [2]);
    /// assert_eq!(report.jobs[0].gpu_seconds, 6.0 * 60.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reference_workers(&self, job: JobId) -> u32 {
        let placements = self.memory.occupancy.placements(job);
        let whole = self.cluster.inventory().tally(placements).reference_workers();
        u32::try_from(whole).unwrap_or(u32::MAX)
    }

    /// Writes down the steps that lead from the cluster to the draft, in the order in which to carry them out: what frees
    /// GPUs comes before what takes them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<Vec<String>>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn sizes(&self) -> Sizes { Sizes::Elastic }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let mut draft = self.memory.begin(view);
    ///         for job in view.waiting() {
    ///             draft.start(job);
    ///             draft.grow(job, 4);
    ///         }
    ///         draft.finish(actions);
    ///         self.seen.push(actions.iter().map(|action| action.to_string()).collect());
    ///         Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::elastic(2..=6).remaining(Seconds(60.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(
    ///     policy.seen,
    ///     [["start job 0: 2 workers on server 0", "scale out job 0: 2 workers on server 0"]]
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(servers + placements of the jobs touched), and the sorting of the steps.
    pub fn finish(self, actions: &mut Vec<Action>) {
        let Self { cluster, memory } = self;
        let first = actions.len();
        for (server, definition) in cluster.servers() {
            match (definition.pool, memory.pools[server.index()]) {
                (Pool::OnLoan, Pool::Inference) => actions.push(Action::Return { server }),
                (Pool::Inference, Pool::OnLoan) => actions.push(Action::Lend { server }),
                _ => {}
            }
        }
        for &job in &memory.touched {
            let (mut before, after) = (cluster.placements(job), memory.occupancy.placements(job));
            if memory.preempted[job.index()] {
                actions.push(Action::Preempt { job });
                before = &[];
            }
            let starts = before.is_empty();
            for server in servers(before) {
                let (had, has) = (workers_on(before, server), workers_on(after, server));
                if had > has {
                    let returns = !memory.pools[server.index()].is_for_training();
                    let cause = if returns { Cause::ServerReturns } else { Cause::Reallocated };
                    actions.push(Action::ScaleIn { job, server, workers: had - has, cause });
                }
            }
            if starts {
                actions.extend(after.iter().map(|&Placement { server, role, workers, .. }| match role {
                    crate::cluster::Role::Base => Action::Start { job, server, workers },
                    crate::cluster::Role::Flexible => Action::ScaleOut { job, server, workers },
                }));
                continue;
            }
            for server in servers(after) {
                let (had, has) = (workers_on(before, server), workers_on(after, server));
                if has > had {
                    actions.push(Action::ScaleOut { job, server, workers: has - had });
                }
            }
        }
        actions[first..].sort_unstable_by_key(Action::order);
    }

    fn touch(&mut self, job: JobId) {
        if !core::mem::replace(&mut self.memory.is_touched[job.index()], true) {
            self.memory.touched.push(job);
        }
    }
}

/// The servers of some placements, each once.
fn servers(placements: &[Placement]) -> impl Iterator<Item = ServerId> {
    placements.chunk_by(|a, b| a.server == b.server).map(|group| group[0].server)
}

/// The workers on a server, of either role.
fn workers_on(placements: &[Placement], server: ServerId) -> u32 {
    let first = placements.partition_point(|p| p.server < server);
    placements[first..].iter().take_while(|p| p.server == server).map(|p| p.workers).sum()
}
