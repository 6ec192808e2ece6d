//! What preemptions cost: ready-made measures, and the caller's own.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::cluster::{Cluster, Job};
use crate::id::JobId;
use crate::units::Seconds;

/// What the preemption of one job costs.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Ask, CostModel, PreemptionCost, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let servers = [cluster.add_server(Server::on_loan(v100, 8))?, cluster.add_server(Server::on_loan(v100, 8))?];
/// for server in servers {
///     let job = cluster.add_job(Job::inelastic(1))?;
///     cluster.place(job, &[Placement::base(server, 1)])?;
/// }
/// // By job: the first is not to be touched, the second costs 7.
/// let table = vec![PreemptionCost::Protected, PreemptionCost::Cost(7)];
/// let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(CostModel::Table(table.into())))?;
/// assert_eq!((answer.servers(), answer.certificate().objective()), (&servers[1..], 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum PreemptionCost {
    /// This much, in any unit that is the same for all jobs.
    Cost(u64),
    /// The job must not be preempted: no server that hosts it goes back.
    Protected,
}

/// How the cost of a job's preemption is measured.
///
/// All costs are whole numbers, and they are added up: two jobs of cost 3 are dearer than one of cost 5. A job that is
/// [protected](crate::cluster::Job::protected) is so under every measure.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Ask, CostModel, Costs, Reclaimer};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::on_loan(v100, 8))?;
/// let job = Job::inelastic(2).preemption_cost(9).priority(4).preemptions(1).started(Seconds(0.0));
/// let job = cluster.add_job(job)?;
/// cluster.place(job, &[Placement::base(server, 2)])?;
/// let models = [
///     CostModel::Stated,
///     CostModel::Jobs,
///     CostModel::GpuSecondsLost, // 2 GPUs for 60 s
///     CostModel::Priority,
///     CostModel::Preemptions,
/// ];
/// let cost = |model| {
///     let costs = Costs::new(model).now(Seconds(60.0));
///     Reclaimer::default().solve(&cluster, Ask::servers(1).costs(costs)).unwrap().certificate().objective()
/// };
/// assert_eq!(models.map(cost), [9, 1, 120, 5, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CostModel<'a> {
    /// What the job [states itself](crate::cluster::Job::preemption_cost): 1 unless it says otherwise.
    #[default]
    Stated,
    /// 1 a job, whatever it states: preemptions are counted, as in the paper (Aryl, section 4).
    Jobs,
    /// The work that is lost: GPUs held × seconds since the job's last checkpoint, or since its run began where that is
    /// later or there is none. Rounded to whole GPU-seconds, once for each job; 0 where the time lies ahead.
    ///
    /// It needs [`Costs::now`] and the time at which each running job [started](crate::cluster::Job::started).
    GpuSecondsLost,
    /// 1 + the job's [priority](crate::cluster::Job::priority). Costs are added up, so the distance between two
    /// priorities says how many unimportant jobs go before an important one. To rule the important one out altogether,
    /// see [`Costs::protect_priority`].
    Priority,
    /// 1 + the number of times that the job [has been preempted](crate::cluster::Job::preemptions), so that it is not
    /// always the same job.
    Preemptions,
    /// The caller's own: the cost of each job at the place of its id. [`Costs::from_fn`] makes such a table.
    Table(Cow<'a, [PreemptionCost]>),
}

/// What preemptions cost in one decision: a measure, and rules that protect jobs.
///
/// # Examples
///
/// Two jobs run on a server each. The first holds more GPUs, the second has not been saved for longer.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Ask, CostModel, Costs, PreemptionCost, Reclaimer};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let (first, second) = (Server::on_loan(v100, 8), Server::on_loan(v100, 8));
/// let (first, second) = (cluster.add_server(first)?, cluster.add_server(second)?);
/// let job = Job::inelastic(8).started(Seconds(0.0)).checkpointed(Seconds(900.0));
/// let saved = cluster.add_job(job)?;
/// cluster.place(saved, &[Placement::base(first, 8)])?;
/// let job = Job::inelastic(2).started(Seconds(0.0)).preemptions(3);
/// let unsaved = cluster.add_job(job)?;
/// cluster.place(unsaved, &[Placement::base(second, 2)])?;
///
/// // 8 GPUs × 100 s against 2 GPUs × 1,000 s.
/// let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(1_000.0));
/// let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(lost))?;
/// assert_eq!(answer.preempted(), [saved]);
/// assert_eq!(answer.certificate().objective(), 800);
///
/// // Nobody is preempted more than three times.
/// let capped = Costs::new(CostModel::Jobs).max_preemptions(3);
/// assert_eq!(Reclaimer::default().solve(&cluster, Ask::servers(1).costs(capped))?.preempted(), [saved]);
///
/// // A rule of one's own: jobs of more than 4 workers are left alone.
/// let own = Costs::from_fn(&cluster, |_, job| match job.max_workers {
///     0..=4 => PreemptionCost::Cost(10),
///     _ => PreemptionCost::Protected,
/// });
/// assert_eq!(Reclaimer::default().solve(&cluster, Ask::servers(1).costs(own))?.preempted(), [unsaved]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Complexity
///
/// O(jobs + placements), once before the search, and no more than O(1) for the stated costs.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Costs<'a> {
    pub(crate) model: CostModel<'a>,
    pub(crate) restart: u64,
    pub(crate) now: Option<Seconds>,
    pub(crate) min_running_time: Option<Seconds>,
    pub(crate) max_preemptions: Option<u32>,
    pub(crate) protect_priority: Option<u32>,
}

impl<'a> Costs<'a> {
    /// What each job states itself.
    pub const STATED: Costs<'static> = Costs::new(CostModel::Stated);

    /// Costs by this measure, which protect no job but those that are marked.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Costs, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).preemption_cost(9))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// let cost = |model| {
    ///     let ask = Ask::servers(1).costs(Costs::new(model));
    ///     Reclaimer::default().solve(&cluster, ask).map(|answer| answer.certificate().objective())
    /// };
    /// assert_eq!((cost(CostModel::Stated)?, cost(CostModel::Jobs)?), (9, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn new(model: CostModel<'a>) -> Self {
        Self {
            model,
            restart: 0,
            now: None,
            min_running_time: None,
            max_preemptions: None,
            protect_priority: None,
        }
    }

    /// The caller's own costs: asks the function once for each running job, in ascending order of ids.
    ///
    /// The result is a table of plain numbers, so that a decision made with it can be written down and made again.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Costs, PreemptionCost, Reclaimer};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).remaining(Seconds(600.0)))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// // A job that is about to end is left to end; else the cost is its GPUs.
    /// let costs = |about_to_end: f64| {
    ///     Costs::from_fn(&cluster, |_, job| match job.remaining {
    ///         Seconds(time) if time < about_to_end => PreemptionCost::Protected,
    ///         _ => PreemptionCost::Cost(u64::from(job.min_workers * job.gpus_per_worker)),
    ///     })
    /// };
    /// let solve = |costs| Reclaimer::default().solve(&cluster, Ask::servers(1).costs(costs));
    /// assert_eq!(solve(costs(600.0))?.certificate().objective(), 8);
    /// assert!(solve(costs(601.0)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(jobs) time and memory, and a call for each running job.
    pub fn from_fn(cluster: &Cluster, mut cost: impl FnMut(JobId, &Job) -> PreemptionCost) -> Costs<'static> {
        let mut table = Vec::new();
        for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.is_running(id)) {
            // Ids that are not in use are never looked at.
            table.resize(id.index(), PreemptionCost::Cost(0));
            table.push(cost(id, job));
        }
        Costs::new(CostModel::Table(Cow::Owned(table)))
    }

    /// Adds this to the cost of every job: what a restart costs by itself, in the unit of the measure.
    ///
    /// Without it a job that was just saved can cost nothing, and is then preempted wherever that spares another job the
    /// loss of a worker.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Costs, Reclaimer};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).started(Seconds(0.0)).checkpointed(Seconds(1_000.0)))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// let cost = |costs| {
    ///     let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(costs))?;
    ///     Ok::<_, aryl::reclaim::ReclaimError>(answer.certificate().objective())
    /// };
    /// // Saved just now: no work is lost. A restart holds 8 GPUs for a minute.
    /// let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(1_000.0));
    /// assert_eq!(cost(lost.clone())?, 0);
    /// assert_eq!(cost(lost.restart(480))?, 480);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn restart(mut self, cost: u64) -> Self {
        self.restart = cost;
        self
    }

    /// The present time, on the time line of the jobs' own times.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostError, CostModel, Costs, ReclaimError, Reclaimer};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).started(Seconds(900.0)))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// let solve = |costs| Reclaimer::default().solve(&cluster, Ask::servers(1).costs(costs));
    /// let lost = Costs::new(CostModel::GpuSecondsLost);
    /// assert_eq!(solve(lost.clone()), Err(ReclaimError::Costs(CostError::NoNow)));
    /// // 8 GPUs for 100 s.
    /// assert_eq!(solve(lost.now(Seconds(1_000.0)))?.certificate().objective(), 800);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn now(mut self, time: Seconds) -> Self {
        self.now = Some(time);
        self
    }

    /// Protects each job until it has run for this long since it started. It needs [`now`](Self::now) and the time at
    /// which each running job [started](crate::cluster::Job::started).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Costs, Reclaimer};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).started(Seconds(900.0)))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// // A job has ten minutes to itself. This one started at 900 s.
    /// let can_go = |now| {
    ///     let costs = Costs::STATED.now(Seconds(now)).min_running_time(Seconds(600.0));
    ///     Reclaimer::default().solve(&cluster, Ask::servers(1).costs(costs)).is_ok()
    /// };
    /// assert!(!can_go(1_499.0));
    /// assert!(can_go(1_500.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn min_running_time(mut self, time: Seconds) -> Self {
        self.min_running_time = Some(time);
        self
    }

    /// Protects each job that has been preempted this often, or more often, so far.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Costs, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).preemptions(2))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// let can_go = |times| {
    ///     let ask = Ask::servers(1).costs(Costs::STATED.max_preemptions(times));
    ///     Reclaimer::default().solve(&cluster, ask).is_ok()
    /// };
    /// assert!(can_go(3)); // a third time is allowed
    /// assert!(!can_go(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn max_preemptions(mut self, times: u32) -> Self {
        self.max_preemptions = Some(times);
        self
    }

    /// Protects each job of this priority or a higher one.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Costs, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).priority(4))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// let can_go = |from| {
    ///     let ask = Ask::servers(1).costs(Costs::STATED.protect_priority(from));
    ///     Reclaimer::default().solve(&cluster, ask).is_ok()
    /// };
    /// assert!(can_go(5));
    /// assert!(!can_go(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn protect_priority(mut self, from: u32) -> Self {
        self.protect_priority = Some(from);
        self
    }

    /// The same costs, borrowed.
    pub(crate) fn borrowed(&self) -> Costs<'_> {
        let model = match &self.model {
            CostModel::Stated => CostModel::Stated,
            CostModel::Jobs => CostModel::Jobs,
            CostModel::GpuSecondsLost => CostModel::GpuSecondsLost,
            CostModel::Priority => CostModel::Priority,
            CostModel::Preemptions => CostModel::Preemptions,
            CostModel::Table(table) => CostModel::Table(Cow::Borrowed(table)),
        };
        Costs { model, ..*self }
    }

    /// Whether the costs are what the jobs state, and nothing else.
    pub(super) fn are_stated(&self) -> bool {
        matches!(self.model, CostModel::Stated)
            && self.restart == 0
            && self.min_running_time.is_none()
            && self.max_preemptions.is_none()
            && self.protect_priority.is_none()
    }
}

impl<'a> From<CostModel<'a>> for Costs<'a> {
    fn from(model: CostModel<'a>) -> Self {
        Self::new(model)
    }
}

/// Why preemptions can't be priced.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Ask, CostModel, Costs, Reclaimer};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::on_loan(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(1))?;
/// cluster.place(job, &[Placement::base(server, 1)])?;
/// let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(60.0));
/// let error = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(lost)).unwrap_err();
/// assert_eq!(error.to_string(), "the costs depend on when job 0 started, which it does not say");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CostError {
    /// The present time is needed, and not given.
    #[error("the costs depend on the present time, which is not given")]
    NoNow,
    /// The present time is not finite.
    #[error("the present time {time} is not finite")]
    Now {
        /// The time given.
        time: Seconds,
    },
    /// The minimum running time is not a number, or negative.
    #[error("the minimum running time of {time} is not 0 or more")]
    MinRunningTime {
        /// The time given.
        time: Seconds,
    },
    /// A running job does not say when it started, and the costs depend on it.
    #[error("the costs depend on when {job} started, which it does not say")]
    NotStarted {
        /// The job.
        job: JobId,
    },
    /// A running job has no entry in the caller's table.
    #[error("the table of costs has {entries} entries, and none for {job}")]
    NotInTable {
        /// The job.
        job: JobId,
        /// The entries of the table.
        entries: u64,
    },
    /// The costs of all running jobs add up to more than a `u64` holds.
    #[error("the preemption cost {cost} of {job} and the {total} beside it exceed 2^64 - 1")]
    Overflow {
        /// The job.
        job: JobId,
        /// Its cost.
        cost: u64,
        /// The sum over the running jobs of lower ids; or the cost of a restart, where the two alone are too much.
        total: u64,
    },
}
