//! The scheduler of this crate.

use alloc::vec::Vec;

use super::training_first::TrainingFirst;
use super::{JobRecord, Policy, PolicyError, Sizes, View, Worth};
use crate::epoch::{Action, Epoch, Plan, Workspace};
use crate::loan::LoanPolicy;
use crate::reclaim::{self, Reclaimer};
use crate::units::Seconds;

/// The scheduler of this crate: [`Epoch`] decides, [`LoanPolicy`] lends. Loaning and scaling can be had alone.
///
/// Without scaling, jobs run with the workers that they request. What differs from the paper, unless it is made
/// [`as_published`](Self::as_published):
///
/// * The reclaim is that of this crate, and the loans have a band and a patience.
/// * In the allocation a job's time counts as a share of what it needs yet, not in seconds. In seconds the knapsack is drawn
///   to the longest jobs, whose gain is far off and seldom comes about whole: shorter jobs end before, and free their
///   GPUs. Of Tables 2 and 3 in the paper it would make a mean of 48.3 s, by shares it is 45 s.
/// * An elastic job that may run on any GPU type starts on training servers while a tenth of their GPUs stays idle, and on
///   on-loan servers after that. The paper prefers on-loan servers. That leaves training servers to jobs that can run
///   nowhere else, which is worth it when they are scarce; but base workers on on-loan servers are lost when those go back.
/// * A preemption costs one, and one more for each ten minutes of work that it throws away.
///
/// # Examples
///
/// ```
/// use aryl::reclaim;
/// use aryl::sim::policy::{Aryl, Policy, Sizes};
///
/// assert_eq!(Aryl::new().name(), "Aryl");
/// assert_eq!(Aryl::loaning_only().sizes(), Sizes::Requested);
/// assert!(Aryl::scaling_only().loan_policy().is_none());
/// let random = Aryl::loaning_only().reclaim(reclaim::Policy::Random { seed: 1 }).named("Random reclaim");
/// assert_eq!(random.name(), "Random reclaim");
/// ```
///
/// # Source
///
/// *Aryl: An Elastic Cluster Scheduler for Deep Learning*, arXiv 2202.07896, sections 4 to 6.
#[derive(Clone, Debug)]
pub struct Aryl {
    name: &'static str,
    epoch: Epoch,
    loan_policy: Option<LoanPolicy>,
    sizes: Sizes,
    by_shares: bool,
    spares_progress: bool,
    training_first: bool,
    home: TrainingFirst,
    workspace: Workspace,
    plan: Plan,
}

impl Default for Aryl {
    fn default() -> Self {
        Self::new()
    }
}

impl Aryl {
    /// Loaning and scaling.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Aryl::new();
    /// assert_eq!((policy.name(), policy.sizes()), ("Aryl", Sizes::Elastic));
    /// assert_eq!(policy.loan_policy(), Some(aryl::loan::LoanPolicy::default()));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            name: "Aryl",
            epoch: Epoch::default(),
            loan_policy: Some(LoanPolicy::default()),
            sizes: Sizes::Elastic,
            by_shares: true,
            spares_progress: true,
            training_first: true,
            home: TrainingFirst::default(),
            workspace: Workspace::default(),
            plan: Plan::default(),
        }
    }

    /// Loaning, and jobs of the size that they request, shortest first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Aryl::loaning_only();
    /// assert_eq!((policy.sizes(), policy.loan_policy().is_some()), (Sizes::Requested, true));
    /// ```
    #[must_use]
    pub fn loaning_only() -> Self {
        Self { name: "Aryl, loaning only", sizes: Sizes::Requested, ..Self::new() }
    }

    /// Scaling on the training cluster alone.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Aryl::scaling_only();
    /// assert_eq!((policy.sizes(), policy.loan_policy().is_some()), (Sizes::Elastic, false));
    /// ```
    #[must_use]
    pub fn scaling_only() -> Self {
        Self { name: "Aryl, scaling only", loan_policy: None, ..Self::new() }
    }

    /// With the greedy reclaim of the paper, loans without band or patience, elastic jobs on on-loan servers first,
    /// completion times in seconds, and all preemptions alike.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
    /// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// assert_eq!(report.policy, "Aryl as published");
    /// assert_eq!((report.loans.lent, report.preemptions()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn as_published() -> Self {
        let eager = LoanPolicy::default().with_band(0);
        // A patience of 1 is never refused.
        let eager = eager.with_patience(1).unwrap_or(eager);
        Self { name: "Aryl as published", loan_policy: Some(eager), ..Self::new() }
            .reclaim(reclaim::Policy::Aryl)
            .by_shares(false)
            .sparing_progress(false)
            .training_first(false)
    }

    /// The same, choosing by this rule which servers go back.
    ///
    /// The epoch keeps its knapsack solver.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
    /// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let mut policy = Aryl::as_published().reclaim(aryl::reclaim::Policy::Exact);
    /// let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// assert_eq!(report.preemptions(), 2); // both servers are full: no rule spares a job
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reclaim(mut self, policy: reclaim::Policy) -> Self {
        self.epoch = self.epoch.reclaimer(Reclaimer::new(policy));
        self
    }

    /// The same, deciding by this epoch: its reclaim and its knapsack solver.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::epoch::Epoch;
    /// use aryl::knapsack::Solver;
    ///
    /// // Without the dense program of the knapsack.
    /// let epoch = Epoch::default().knapsack_solver(Solver::new().with_table_budget(0));
    /// assert_eq!(Aryl::new().epoch(epoch).name(), "Aryl");
    /// ```
    #[must_use]
    pub fn epoch(mut self, epoch: Epoch) -> Self {
        self.epoch = epoch;
        self
    }

    /// The same, with servers lent by this rule. No change where there are no loans.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::loan::LoanPolicy;
    ///
    /// let wide = LoanPolicy::default().with_band(8);
    /// assert_eq!(Aryl::new().lend_by(wide).loan_policy(), Some(wide));
    /// assert_eq!(Aryl::scaling_only().lend_by(wide).loan_policy(), None);
    /// ```
    #[must_use]
    pub fn lend_by(mut self, policy: LoanPolicy) -> Self {
        self.loan_policy = self.loan_policy.map(|_| policy);
        self
    }

    /// Whether a job's time counts as a share of what it needs yet, or in seconds, when GPUs are given out.
    ///
    /// # Examples
    ///
    /// Tables 2 and 3 of the Aryl paper:
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let jobs = [150.0, 60.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
    /// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let mean = |by_shares| -> Result<f64, Box<dyn std::error::Error>> {
    ///     let mut policy = Aryl::scaling_only().by_shares(by_shares);
    ///     Ok(Simulation::new(&setup, &workload)?.run(&mut policy)?.jct().mean.0)
    /// };
    /// assert_eq!(mean(true)?, 45.0); // four workers each
    /// assert!((mean(false)? - 48.3).abs() < 0.1); // five for the longer, three for the shorter
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn by_shares(mut self, by_shares: bool) -> Self {
        self.by_shares = by_shares;
        self
    }

    /// Whether a preemption costs more the more work it throws away, or all cost the same.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs on the two servers that are lent, one of them 600 s ahead. One server is asked back at 900 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0)).submitted(Seconds(at)));
    /// let jobs = vec![job(0.0), job(0.0), job(600.0)];
    /// let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 0.5)])?;
    /// let workload = Workload { jobs, load };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// let lost = |spares| -> Result<f64, Box<dyn std::error::Error>> {
    ///     let mut policy = Aryl::as_published().reclaim(aryl::reclaim::Policy::Exact).sparing_progress(spares);
    ///     let report = Simulation::new(&setup, &workload)?.run(&mut policy)?;
    ///     Ok(report.jobs.iter().map(|job| job.lost.0).sum())
    /// };
    /// assert_eq!((lost(true)?, lost(false)?), (300.0, 900.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sparing_progress(mut self, spares_progress: bool) -> Self {
        self.spares_progress = spares_progress;
        self
    }

    /// Whether elastic jobs that may run on any GPU type start on training servers while a tenth of their GPUs stays idle,
    /// or on on-loan servers first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Four of 8 V100 would stay idle.
    /// let job = Job::elastic(4..=5).fungible().remaining(Seconds(3_000.0)).submitted(Seconds(1_000.0));
    /// let workload = Workload { jobs: vec![TraceJob::new(job)], load: InferenceLoad::constant(0.1)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("T4").speed(1, 3), 20, 8);
    /// let gpus = |first| -> Result<u32, Box<dyn std::error::Error>> {
    ///     let mut held = 0;
    ///     let simulation = Simulation::new(&setup, &workload)?.observe(|_, event| {
    ///         if let Event::Started { gpus, .. } = event {
    ///             held = *gpus;
    ///         }
    ///     });
    ///     simulation.run(&mut Aryl::new().training_first(first))?;
    ///     Ok(held)
    /// };
    /// assert_eq!((gpus(true)?, gpus(false)?), (5, 15)); // on V100, or three times as many T4
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn training_first(mut self, training_first: bool) -> Self {
        self.training_first = training_first;
        self
    }

    /// The same under another name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// assert_eq!(Aryl::scaling_only().named("shares, no loans").name(), "shares, no loans");
    /// ```
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The plan of the last decision, with its certificates.
    ///
    /// Empty before the first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let jobs = [150.0, 60.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
    /// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let mut policy = Aryl::scaling_only();
    /// assert!(policy.plan().is_empty());
    /// Simulation::new(&setup, &workload)?.run(&mut policy)?;
    /// // The last decision is made at 30 s, when the shorter job ends: the other grows to its maximum.
    /// assert_eq!(policy.plan().to_string(), "scale out job 0: 2 workers on server 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl Policy for Aryl {
    fn name(&self) -> &str {
        self.name
    }

    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.loan_policy
    }

    fn worth(&self, remaining: Seconds, record: &JobRecord) -> Option<Worth> {
        // All that a job needs counts as an hour. A weight within these limits never makes a job too heavy.
        let weight = if self.by_shares { (3_600.0 / remaining.0).min(1_000.0) } else { 1.0 };
        let tens_of_minutes = if self.spares_progress { record.at_stake.0 / 600.0 } else { 0.0 };
        (self.by_shares || self.spares_progress)
            .then_some(Worth { weight, preemption_cost: 1 + tens_of_minutes as u64 })
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let Self { epoch, workspace, plan, home, .. } = self;
        let at_home = self.training_first && self.loan_policy.is_some() && home.fill(view.cluster());
        let cluster = if at_home { &home.cluster } else { view.cluster() };
        epoch.plan_into(cluster, view.request(), workspace, plan)?;
        if at_home && !home.all_start(plan) {
            epoch.plan_into(view.cluster(), view.request(), workspace, plan)?;
        }
        actions.extend_from_slice(self.plan.actions());
        Ok(())
    }
}
