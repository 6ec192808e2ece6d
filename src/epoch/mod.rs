//! One decision, end to end: reclaim, allocate, place, and a plan to carry out.
//!
//! [`Epoch::plan`] takes a snapshot of a cluster and what the inference side asks, and gives back a [`Plan`]: an ordered
//! list of [`Action`]s with the certificates behind it. It changes nothing and remembers nothing.
//!
//! ```text
//!            ┌ reclaim: which on-loan servers go back, who is preempted, who shrinks
//!  Cluster ──┤ phase 1: waiting jobs and preempted ones start, shortest first, whole gangs
//!  Request   │ phase 2: a knapsack a GPU type gives the rest to elastic jobs, heterogeneous ones last
//!            └ placing: best fit, base and flexible workers apart on on-loan servers
//!     │
//!     ▼
//!   Plan:  preempt → scale in → return → lend → start → scale out → keep
//! ```
//!
//! # What holds for every plan
//!
//! * Only the reclaim preempts. A gang starts whole or not at all, and no job falls below its minimum.
//! * All that frees GPUs comes before all that takes them: no server is over-full at any step.
//! * **No thrash.** [`Cluster::apply`](crate::cluster::Cluster::apply) the plan and plan again with nothing asked: the
//!   second plan is empty. A running job's size is changed only where the change as a whole is a strict gain, resize
//!   overheads counted.
//! * **A resize overhead is charged for what phase 2 decides**, to a job that ends with another number of workers than it
//!   had. A job that loses workers to a reclaim or to a gang that starts is resized in any case. So nothing that phase 2
//!   does with it is charged, be it that it grows back to its old size elsewhere; nor is a job that starts.
//! * [`verify::plan`](crate::verify::plan) accepts it.
//!
//! A preempted job waits again, in the same epoch: it starts at once where its gang fits elsewhere. Its remaining time is
//! taken to be what the cluster says, so a caller whose jobs lose their progress should say so in
//! [`Job::remaining`](crate::cluster::Job) before planning, or look at the `Start` steps of preempted jobs.

mod action;
mod actions;
mod begin;
mod plan;
mod request;
mod scale;
mod totals;
mod working;

pub use action::{Action, Cause};
pub use plan::{AllocationCertificate, Plan, Totals};
pub use request::Request;

use alloc::vec::Vec;

use crate::allocate::Unit;
use crate::cluster::Cluster;
use crate::id::ServerId;
use crate::knapsack;
use crate::place::Placer;
use crate::reclaim::{self, ReclaimError, Reclaimer};

/// How to decide: which rule chooses the servers that go back, and how the knapsack is solved.
///
/// # Examples
///
/// An elastic job holds six workers; the server with four of them is asked back. The job runs on with the two that
/// remain, its minimum, and nobody is preempted.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::epoch::{Epoch, Request};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let home = cluster.add_server(Server::training(v100, 2))?;
/// let lent = cluster.add_server(Server::on_loan(v100, 4))?;
/// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(3_600.0)))?;
/// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
///
/// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
/// assert_eq!(plan.to_string(), "scale in job 0: 4 workers leave server 1, which returns\nreturn server 1");
/// assert!(plan.reclaim().certificate().is_optimal());
///
/// cluster.apply(&plan)?;
/// assert!(Epoch::default().plan(&cluster, Request::NONE)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Epoch {
    reclaimer: Reclaimer,
    solver: knapsack::Solver,
}

impl Default for Epoch {
    /// Reclaims by [`reclaim::Policy::Exact`], and solves knapsacks with the default budgets.
    fn default() -> Self {
        Self { reclaimer: Reclaimer::default(), solver: knapsack::Solver::default() }
    }
}

/// The memory of a planner, to be used again: with it, [`Epoch::plan_into`] allocates nothing when warm.
///
/// It is warm after a few epochs of a size, with as many jobs on each server, since its buffers change places. Only a job that
/// mixes more than four GPU types in one run makes even a warm epoch allocate. It holds nothing that matters: a plan made
/// with a used workspace equals one made with a new one.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::epoch::{Epoch, Plan, Request, Workspace};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 8))?;
/// cluster.add_job(Job::inelastic(8))?;
/// let (mut workspace, mut plan) = (Workspace::new(), Plan::default());
/// for _ in 0..3 {
///     Epoch::default().plan_into(&cluster, Request::NONE, &mut workspace, &mut plan)?;
///     assert_eq!(plan, Epoch::default().plan(&cluster, Request::NONE)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    reclaim: reclaim::Workspace,
    working: working::Working,
    placer: Placer,
    starts: begin::GangStarts,
    scaling: scale::FlexibleScaling,
    lent: Vec<ServerId>,
}

impl Workspace {
    /// A workspace that holds no memory yet.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::epoch::{Epoch, Plan, Request, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::on_loan(v100, 8))?;
    /// let (mut workspace, mut plan) = (Workspace::new(), Plan::default());
    /// Epoch::default().plan_into(&cluster, Request::reclaim(1), &mut workspace, &mut plan)?;
    /// assert_eq!(plan.to_string(), "return server 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Epoch {
    /// The same epoch with this choice of the servers that go back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::epoch::Epoch;
    /// use aryl::reclaim::{Policy, Reclaimer};
    ///
    /// let as_in_the_paper = Epoch::default().reclaimer(Reclaimer::new(Policy::Aryl));
    /// assert_ne!(as_in_the_paper, Epoch::default());
    /// ```
    #[must_use]
    pub const fn reclaimer(mut self, reclaimer: Reclaimer) -> Self {
        self.reclaimer = reclaimer;
        self
    }

    /// The same epoch with this solver for the knapsacks of phase 2.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::epoch::Epoch;
    /// use aryl::knapsack::Solver;
    ///
    /// assert_eq!(Epoch::default().knapsack_solver(Solver::default()), Epoch::default());
    /// ```
    #[must_use]
    pub const fn knapsack_solver(mut self, solver: knapsack::Solver) -> Self {
        self.solver = solver;
        self
    }

    /// What to do with the cluster now.
    ///
    /// # Errors
    ///
    /// [`EpochError`] where more servers are asked back, or lent, than can be had: it says how many can, and which jobs
    /// stand in the way. The number is never reduced silently. It also tells of an [`Ask`](crate::reclaim::Ask) that
    /// makes no sense for the cluster.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n = servers + jobs + workers, and the knapsacks: one a GPU type, over the elastic jobs that run.
    ///
    /// # Determinism
    ///
    /// The same cluster and request give the same plan, bit for bit, on every machine. Ties in the queue go to the earlier
    /// submission, then to the lowest id; [`guide::determinism`](crate::guide::determinism) tells them for each room.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::epoch::{Epoch, EpochError, Request};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::inference(v100, 8))?;
    /// let plan = Epoch::default().plan(&cluster, Request::lend(1))?;
    /// assert_eq!(plan.to_string(), "lend server 0");
    /// assert_eq!(
    ///     Epoch::default().plan(&cluster, Request::lend(2)),
    ///     Err(EpochError::NotEnoughToLend { asked: 2, available: 1 })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan<'a>(&self, cluster: &Cluster, request: impl Into<Request<'a>>) -> Result<Plan, EpochError> {
        let mut plan = Plan::default();
        self.plan_request(cluster, &request.into(), &mut Workspace::default(), &mut plan)?;
        Ok(plan)
    }

    /// What to do with the cluster now, in memory that the caller keeps.
    ///
    /// # Errors
    ///
    /// As for [`plan`](Self::plan). Then the plan is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::epoch::{Epoch, Plan, Request, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
    /// for epoch in 0..4 {
    ///     cluster.add_job(Job::inelastic(2))?;
    ///     Epoch::default().plan_into(&cluster, Request::NONE, &mut workspace, &mut plan)?;
    ///     cluster.apply(&plan)?;
    ///     assert_eq!(plan.totals().busy_after, 2 * (epoch + 1));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`plan`](Self::plan). Once the workspace is warm, nothing is allocated.
    pub fn plan_into<'a>(
        &self,
        cluster: &Cluster,
        request: impl Into<Request<'a>>,
        workspace: &mut Workspace,
        plan: &mut Plan,
    ) -> Result<(), EpochError> {
        self.plan_request(cluster, &request.into(), workspace, plan)
    }

    fn plan_request(
        &self,
        cluster: &Cluster,
        request: &Request<'_>,
        workspace: &mut Workspace,
        plan: &mut Plan,
    ) -> Result<(), EpochError> {
        let Workspace { reclaim, working, placer, starts, scaling, lent } = workspace;
        let inventory = cluster.inventory();
        plan.clear();
        working.fill(cluster);
        self.reclaimer.solve_into(cluster, &request.reclaim, reclaim, &mut plan.reclaim)?;
        working.reclaim(cluster, &plan.reclaim);
        let available = working.lend(cluster, request.lend, lent);
        if available < request.lend {
            plan.clear();
            return Err(EpochError::NotEnoughToLend { asked: request.lend, available });
        }
        let unit = Unit::for_jobs(inventory);
        placer.rebuild(inventory, &working.occupancy, &working.pools);
        starts.run(inventory, working, placer);
        working.mark_resized(cluster);
        scaling.allocator.set_solver(self.solver);
        scaling.run(inventory, working, placer, unit);
        scaling.certify(inventory, working, unit, &mut plan.allocations);
        actions::list(cluster, working, lent, &mut plan.actions);
        plan.totals = totals::count(cluster, working);
        Ok(())
    }
}

/// Why no plan can be made.
///
/// # Examples
///
/// ```
/// use aryl::cluster::Cluster;
/// use aryl::epoch::{Epoch, Request};
///
/// let error = Epoch::default().plan(&Cluster::new(), Request::lend(2)).unwrap_err();
/// assert_eq!(error.to_string(), "2 servers are to be lent, and 0 can be");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EpochError {
    /// What is asked back can't be had, or makes no sense.
    #[error(transparent)]
    Reclaim(#[from] ReclaimError),
    /// As many servers can't be lent.
    #[error("{asked} server{} to be lent, and {available} can be", if *asked == 1 { " is" } else { "s are" })]
    NotEnoughToLend {
        /// The number asked for.
        asked: u32,
        /// Inference servers that are not protected.
        available: u32,
    },
}
