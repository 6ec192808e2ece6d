//! What a policy sees when it decides.

use super::JobRecord;
use crate::cluster::Cluster;
use crate::epoch::Request;
use crate::id::JobId;
use crate::sim::engine::Exchange;
use crate::sim::job::{JobState, Slots};
use crate::sim::workload::{TraceJob, Workload};
use crate::units::Seconds;

/// What the engine lends to a view.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Sources<'a> {
    pub(in crate::sim) cluster: &'a Cluster,
    pub(in crate::sim) workload: &'a Workload,
    pub(in crate::sim) slots: &'a Slots,
    pub(in crate::sim) jobs: &'a [JobState],
    pub(in crate::sim) now: u64,
    pub(in crate::sim) request: Exchange,
}

/// What a policy sees when it decides: the cluster, what the inference side asks, and the past of each job.
///
/// # Job ids
///
/// A [`JobId`] names a job within one decision only: the simulation numbers the jobs anew when many have ended. To remember
/// a job from one decision to the next, keep its place in the workload: [`trace_index`](Self::trace_index) gives it, and
/// [`job_id`](Self::job_id) leads back.
///
/// # Remaining times
///
/// [`Job::remaining`](crate::cluster::Job) of a job in [`cluster`](Self::cluster) is an estimate. For a waiting job, and for
/// a running elastic one, it is that of the time left now. For a running inelastic one, which no decision of this crate looks
/// at, it is that of the time left when it started; [`remaining`](Self::remaining) is as of now for all.
///
/// # Examples
///
/// The longest wait is over first:
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
///         let mut queue: Vec<_> = view.waiting().filter_map(|job| Some((view.record(job)?.waited, job))).collect();
///         queue.sort_by(|a, b| b.0.0.total_cmp(&a.0.0));
///         for (_, job) in queue {
///             if draft.start(job) {
///                 self.seen.extend(view.trace_index(job));
///             }
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
/// assert_eq!(policy.seen, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub(in crate::sim) Sources<'a>);

impl<'a> View<'a> {
    /// The time, in seconds from the beginning of the trace.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<f64>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         self.seen.push(view.now().0);
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // At each arrival and each end, and every 300 s.
    /// assert_eq!(policy.seen, [0.0, 30.0, 60.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn now(&self) -> Seconds {
        Seconds(self.0.now as f64 / 1_000.0)
    }

    /// The two clusters, and all jobs that have arrived and not ended.
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
    ///         let cluster = view.cluster();
    ///         self.seen.push(cluster.servers().map(|(id, _)| cluster.free_gpus(id)).sum());
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [8, 0, 8]); // at 0, 30 and 60 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cluster(&self) -> &'a Cluster {
        self.0.cluster
    }

    /// How many servers the inference side lends or asks back now.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::reclaim::Reclaimer;
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<aryl::epoch::Request<'static>>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    /// #     fn loan_policy(&self) -> Option<aryl::loan::LoanPolicy> {
    /// #         aryl::loan::LoanPolicy::default().with_band(0).with_headroom(0.0).ok()?.with_patience(1).ok()
    /// #     }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         self.seen.push(view.request());
    /// #     let mut draft = self.memory.begin(view);
    /// #     draft.reclaim(&Reclaimer::default(), view.asked_back())?;
    /// #     draft.lend(view.offered());
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // The load rises at 900 s, which is known 300 s before.
    /// let jobs = [TraceJob::new(Job::inelastic(4).remaining(Seconds(800.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.4), (Seconds(900.0), 0.6)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// # use aryl::epoch::Request;
    /// assert_eq!(policy.seen, [Request::lend(2), Request::NONE, Request::reclaim(1)]); // at 0, 300 and 600 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn request(&self) -> Request<'static> {
        Request::reclaim(self.0.request.reclaim).and_lend(self.0.request.lend)
    }

    /// How many servers the inference cluster asks back.
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
    ///         self.seen.push(view.asked_back());
    /// #     let mut draft = self.memory.begin(view);
    /// #     draft.reclaim(&Reclaimer::default(), view.asked_back())?;
    /// #     draft.lend(view.offered());
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // The load rises at 900 s, which is known 300 s before.
    /// let jobs = [TraceJob::new(Job::inelastic(4).remaining(Seconds(800.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.4), (Seconds(900.0), 0.6)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [0, 0, 1]); // at 0, 300 and 600 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn asked_back(&self) -> u32 {
        self.0.request.reclaim
    }

    /// How many servers the inference cluster offers.
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
    ///         self.seen.push(view.offered());
    /// #     let mut draft = self.memory.begin(view);
    /// #     draft.reclaim(&Reclaimer::default(), view.asked_back())?;
    /// #     draft.lend(view.offered());
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // The load rises at 900 s, which is known 300 s before.
    /// let jobs = [TraceJob::new(Job::inelastic(4).remaining(Seconds(800.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.4), (Seconds(900.0), 0.6)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // Of 32 GPUs 12.8 are busy: two servers of four are idle.
    /// assert_eq!(policy.seen, [2, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn offered(&self) -> u32 {
        self.0.request.lend
    }

    /// The jobs that wait, in order of submission.
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
    ///         self.seen.push(view.waiting().count());
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [1, 1, 1]); // the first, then the second, and again at 60 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn waiting(&self) -> impl Iterator<Item = JobId> + use<'a> {
        let cluster = self.0.cluster;
        cluster.jobs().map(|(id, _)| id).filter(|&id| !cluster.is_running(id))
    }

    /// The jobs that run, in order of submission.
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
    ///         self.seen.push(view.running().count());
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [0, 1, 0]); // at 0, 30 and 60 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn running(&self) -> impl Iterator<Item = JobId> + use<'a> {
        let cluster = self.0.cluster;
        cluster.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id))
    }

    /// The place of a job in the workload, or `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<Option<usize>>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         self.seen.push(view.waiting().next().and_then(|job| view.trace_index(job)));
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [Some(0), Some(1), Some(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn trace_index(&self, job: JobId) -> Option<usize> {
        self.0.slots.trace_index(job)
    }

    /// The id of a job of the workload now, or `None` where it has not arrived or has ended.
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
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         self.seen.push([0, 1].map(|place| view.job_id(place).is_some()));
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // The second has not arrived at 0 s, and the first has ended at 60 s.
    /// assert_eq!(policy.seen, [[true, false], [true, true], [false, true]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn job_id(&self, trace_index: usize) -> Option<JobId> {
        self.0.jobs.get(trace_index)?.id
    }

    /// A job as the trace has it, or `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<Seconds>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         // What the policy is not told: how long the job really runs.
    ///         let job = view.waiting().next().and_then(|job| view.trace_job(job));
    ///         self.seen.extend(job.map(|job| job.job.remaining));
    ///         // What it is told.
    ///         let job = view.waiting().next().and_then(|job| view.remaining(job));
    ///         self.seen.extend(job);
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// let jobs = [TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0))).estimate_factor(1.25)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [Seconds(60.0), Seconds(75.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn trace_job(&self, job: JobId) -> Option<&'a TraceJob> {
        self.0.workload.jobs.get(self.trace_index(job)?)
    }

    /// The time that a job is estimated to need yet, with its minimum number of workers as the cluster has it; `None`
    /// where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<Option<Seconds>>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let first = view.job_id(0);
    ///         self.seen.push(first.and_then(|job| view.remaining(job)));
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [Some(Seconds(60.0)), Some(Seconds(30.0)), None]); // at 0, 30 and 60 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn remaining(&self, job: JobId) -> Option<Seconds> {
        let (state, trace) = (self.state(job)?, self.trace_job(job)?);
        Some(state.estimate(trace, self.0.now))
    }

    /// The past of a job; `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
    /// #[derive(Default)]
    /// struct Mine {
    ///     memory: DraftMemory,
    ///     seen: Vec<(f64, f64)>,
    /// }
    /// impl Policy for Mine {
    /// #     fn name(&self) -> &str { "mine" }
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         for job in view.cluster().jobs().map(|entry| entry.0) {
    ///             let record = view.record(job).expect("the cluster holds it");
    ///             self.seen.push((record.waited.0, record.attained_gpu_seconds));
    ///         }
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // At 0 s the first. At 30 s the first, which has held 8 GPUs for 30 s, and the second; at 60 s the second.
    /// assert_eq!(policy.seen, [(0.0, 0.0), (0.0, 240.0), (0.0, 0.0), (30.0, 0.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn record(&self, job: JobId) -> Option<JobRecord> {
        Some(self.state(job)?.record(self.0.now))
    }

    fn state(&self, job: JobId) -> Option<&'a JobState> {
        self.0.jobs.get(self.trace_index(job)?)
    }
}
