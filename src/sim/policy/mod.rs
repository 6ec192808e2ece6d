//! Who runs, with how many workers: the policies of the field, and the trait to write your own.
//!
//! | policy | scales | loans | preempts by itself | source |
//! |---|---|---|---|---|
//! | [`Fifo`] | | | | textbook; the baseline of the Aryl paper. With backfill on request |
//! | [`ShortestFirst`] | | | | textbook (SJF) |
//! | [`Opportunistic`] | | idle servers, below inference priority | | Aryl, section 7 |
//! | [`Gandiva`] | when nothing waits | | | Xiao et al., OSDI 2018 |
//! | [`Afs`] | yes | | | Hwang et al., NSDI 2021 |
//! | [`Optimus`] | yes | | yes | Peng et al., `EuroSys` 2018 |
//! | [`Tiresias`] | | | yes | Gu et al., NSDI 2019 |
//! | [`Drf`] | yes | | yes | Ghodsi et al., NSDI 2011 |
//! | [`Pollux`] | yes | | | Qiao et al., OSDI 2021 |
//! | [`Aryl`] | yes, or not | yes, or not | | the paper of this crate |
//!
//! Each is the policy's *allocation*: profiling, learning and the rest of those systems are not modelled. Its page says
//! what differs from the original. All of them but [`Aryl`] place workers through a [`Draft`], best fit.

mod afs;
mod aryl;
mod draft;
mod drf;
mod fifo;
mod gandiva;
mod job_record;
mod marginal;
mod opportunistic;
mod optimus;
mod pollux;
mod rounds;
mod shortest_first;
mod tiresias;
mod training_first;
mod view;

pub use afs::Afs;
pub use aryl::Aryl;
pub use draft::{Draft, DraftMemory, Target};
pub use drf::Drf;
pub use fifo::Fifo;
pub use gandiva::Gandiva;
pub use job_record::JobRecord;
pub use opportunistic::Opportunistic;
pub use optimus::Optimus;
pub use pollux::Pollux;
pub use shortest_first::ShortestFirst;
pub use tiresias::Tiresias;
pub(super) use view::Sources;
pub use view::View;

use alloc::vec::Vec;

use crate::epoch::{Action, EpochError};
use crate::loan::LoanPolicy;
use crate::reclaim::ReclaimError;
use crate::units::Seconds;

/// How many workers the jobs of a trace ask for when they enter the cluster.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// // Two to eight workers, of which four are requested: 120 s with two, 60 s with four, 30 s with eight.
/// let job = TraceJob::new(Job::elastic(2..=8).remaining(Seconds(120.0))).requested_workers(4);
/// let workload = Workload { jobs: vec![job], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let end = |policy: &mut dyn Policy| -> Result<(Sizes, f64), Box<dyn std::error::Error>> {
///     Ok((policy.sizes(), Simulation::new(&setup, &workload)?.run(policy)?.jobs[0].ended.0))
/// };
/// assert_eq!(end(&mut Fifo::new())?, (Sizes::Requested, 60.0));
/// assert_eq!(end(&mut Afs::new())?, (Sizes::Elastic, 30.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sizes {
    /// As many as the trace says that they request: no job is elastic.
    Requested,
    /// Any number from what they request to the maximum.
    RequestedOrMore,
    /// Any number from the minimum to the maximum.
    Elastic,
}

/// What a job is worth to a decision.
///
/// # Examples
///
/// ```
/// # use aryl::{sim::policy::Worth, units::Seconds};
/// // By shares, as `Aryl` counts: all that a job needs yet is worth an hour.
/// let remaining = Seconds(7_200.0);
/// let worth = Worth { weight: 3_600.0 / remaining.0, preemption_cost: 1 };
/// assert_eq!(worth.weight, 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// What a second of its completion time counts: [`Job::weight`](crate::cluster::Job).
    pub weight: f64,
    /// What its preemption costs: [`Job::preemption_cost`](crate::cluster::Job).
    pub preemption_cost: u64,
}

/// A scheduling policy under simulation.
///
/// It is asked at each scheduling epoch, sees a [`View`], and writes down the steps to carry out. The simulation carries
/// them out through the checked changes of [`Cluster`](crate::cluster::Cluster): a step that is not allowed ends it with
/// an error that names the step.
///
/// # Examples
///
/// Last in, first out:
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::epoch::Action;
/// use aryl::sim::policy::{DraftMemory, Policy, PolicyError, View};
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// #[derive(Default)]
/// struct LastInFirstOut(DraftMemory);
///
/// impl Policy for LastInFirstOut {
///     fn name(&self) -> &str {
///         "last in, first out"
///     }
///
///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
///         let mut waiting: Vec<_> = view.waiting().collect();
///         waiting.reverse();
///         let mut draft = self.0.begin(view);
///         for job in waiting {
///             draft.start(job);
///         }
///         draft.finish(actions);
///         Ok(())
///     }
/// }
///
/// let job = |submitted| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(submitted)));
/// let workload = Workload { jobs: [0.0, 1.0, 2.0].map(job).to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut LastInFirstOut::default())?;
/// assert_eq!(report.jobs[1].ended, Seconds(180.0));
/// assert_eq!(report.jobs[2].ended, Seconds(120.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Policy {
    /// What it is called in a table.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// assert_eq!(Fifo::new().name(), "FIFO");
    /// assert_eq!(Fifo::with_backfill().name(), "FIFO with backfill");
    /// ```
    fn name(&self) -> &str;

    /// Whether jobs enter the cluster as elastic. No by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// assert_eq!(ShortestFirst::new().sizes(), Sizes::Requested);
    /// assert_eq!(Gandiva::new().sizes(), Sizes::RequestedOrMore);
    /// assert_eq!(Afs::new().sizes(), Sizes::Elastic);
    /// ```
    fn sizes(&self) -> Sizes {
        Sizes::Requested
    }

    /// The rule by which the inference side lends to it; `None`, the default, where it takes no loans.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{loan::LoanPolicy, sim::policy::*};
    /// assert!(Fifo::new().loan_policy().is_none());
    /// assert_eq!(Aryl::new().loan_policy(), Some(LoanPolicy::default()));
    /// ```
    fn loan_policy(&self) -> Option<LoanPolicy> {
        None
    }

    /// Whether jobs that it stops by itself, not for a reclaim, write a checkpoint first. No by default.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// assert!(Tiresias::new().suspends());
    /// assert!(!Fifo::new().suspends()); // it stops nobody
    /// ```
    fn suspends(&self) -> bool {
        false
    }

    /// What a job that may lose workers is worth: the cluster says so of it when the policy decides. `None`, the default, as
    /// the trace says.
    ///
    /// Asked before each decision for each elastic job, and before a reclaim for all running jobs.
    ///
    /// # Examples
    ///
    /// It costs [`Aryl`] one to stop a job, and one more for each ten minutes of work that is thrown away:
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
    ///         for job in view.running() {
    ///             let (Some(remaining), Some(record)) = (view.remaining(job), view.record(job)) else { continue };
    ///             let worth = Aryl::new().worth(remaining, &record);
    ///             self.seen.extend(worth.map(|worth| worth.preemption_cost));
    ///         }
    /// #     let mut draft = self.memory.begin(view);
    /// #     view.waiting().for_each(|job| { draft.start(job); });
    /// #     draft.finish(actions);
    /// #     Ok(())
    ///     }
    /// }
    /// // It runs for an hour, and a policy decides every 300 s: after 300, 600, 900 s ...
    /// let jobs = [TraceJob::new(Job::inelastic(8).remaining(Seconds(1_800.0)))];
    /// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let mut policy = Mine::default();
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(policy.seen, [1, 2, 2, 3, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn worth(&self, remaining: Seconds, record: &JobRecord) -> Option<Worth> {
        let _ = (remaining, record);
        None
    }

    /// The longest time between two epochs that it can live with. By default that of the setup.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::policy::*, units::Seconds};
    /// assert_eq!(Pollux::new().interval(), Some(Seconds(60.0)));
    /// assert_eq!(Fifo::new().interval(), None);
    /// ```
    fn interval(&self) -> Option<Seconds> {
        None
    }

    /// Writes down what to do now, in the order in which to do it: the steps of one `Start` stand together.
    ///
    /// What [`View::request`] asks for must be among the steps: as many servers lent, as many returned.
    ///
    /// # Examples
    ///
    /// Steps written by hand, without a [`Draft`]: each waiting job goes to the first server that is empty.
    ///
    /// ```
    /// use aryl::cluster::{GpuType, Job};
    /// use aryl::epoch::Action;
    /// use aryl::sim::policy::{Policy, PolicyError, View};
    /// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
    /// use aryl::sim::{Setup, Simulation};
    /// use aryl::units::Seconds;
    ///
    /// struct OneServerEach;
    /// impl Policy for OneServerEach {
    ///     fn name(&self) -> &str {
    ///         "one server each"
    ///     }
    ///
    ///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
    ///         let cluster = view.cluster();
    ///         let empty = cluster.servers().filter(|&(id, _)| cluster.tenants(id).is_empty());
    ///         for (job, (server, _)) in view.waiting().zip(empty) {
    ///             let workers = cluster.job(job).map_or(0, |job| job.min_workers);
    ///             actions.push(Action::Start { job, server, workers });
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let jobs = vec![TraceJob::new(Job::inelastic(3).remaining(Seconds(60.0))); 3];
    /// let workload = Workload { jobs, load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8);
    /// let report = Simulation::new(&setup, &workload)?.run(&mut OneServerEach)?;
    /// assert_eq!(report.jobs.iter().map(|job| job.started.0).collect::<Vec<_>>(), [0.0, 0.0, 60.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PolicyError`] where it can't decide. That ends the simulation.
    ///
    /// # Complexity
    ///
    /// That of the policy. It is asked at each epoch: tens of thousands of times in a replay of two weeks.
    ///
    /// # Determinism
    ///
    /// A policy that keeps to what it is given, without a clock or a seed of its own that changes, makes the same
    /// trace end the same way each time.
    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError>;
}

/// Why a policy can't decide.
///
/// # Examples
///
/// ```
/// use aryl::sim::policy::PolicyError;
///
/// let error = PolicyError::Other("the queue of this policy has lost a job");
/// assert_eq!(error.to_string(), "the queue of this policy has lost a job");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// No plan can be made for the epoch.
    #[error(transparent)]
    Epoch(#[from] EpochError),
    /// The servers asked back can't be had.
    #[error(transparent)]
    Reclaim(#[from] ReclaimError),
    /// A reason of the policy's own.
    #[error("{0}")]
    Other(
        /// The reason, in plain words.
        &'static str,
    ),
}
