//! The scheduler of this crate.

use alloc::vec::Vec;

use super::{Policy, PolicyError, Sizes, View};
use crate::epoch::{Action, Epoch, Plan, Workspace};
use crate::loan::LoanPolicy;
use crate::reclaim::{self, Reclaimer};

/// The scheduler of this crate: [`Epoch`] decides, [`LoanPolicy`] lends. Loaning and scaling can be had alone.
///
/// Without scaling, jobs run with the workers that they request. What differs from the paper: the knapsack and the reclaim
/// are those of this crate, and the loans have a band and a patience. [`as_published`](Self::as_published) has the
/// paper's greedy reclaim and neither of them.
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
    #[must_use]
    pub fn new() -> Self {
        Self {
            name: "Aryl",
            epoch: Epoch::default(),
            loan_policy: Some(LoanPolicy::default()),
            sizes: Sizes::Elastic,
            workspace: Workspace::default(),
            plan: Plan::default(),
        }
    }

    /// Loaning, and jobs of the size that they request, shortest first.
    #[must_use]
    pub fn loaning_only() -> Self {
        Self { name: "Aryl, loaning only", sizes: Sizes::Requested, ..Self::new() }
    }

    /// Scaling on the training cluster alone.
    #[must_use]
    pub fn scaling_only() -> Self {
        Self { name: "Aryl, scaling only", loan_policy: None, ..Self::new() }
    }

    /// With the greedy reclaim of the paper, and loans without band or patience.
    #[must_use]
    pub fn as_published() -> Self {
        let eager = LoanPolicy::default().with_band(0);
        // A patience of 1 is never refused.
        let eager = eager.with_patience(1).unwrap_or(eager);
        Self { name: "Aryl as published", loan_policy: Some(eager), ..Self::new() }
            .reclaim(reclaim::Policy::Aryl)
    }

    /// The same, choosing by this rule which servers go back.
    #[must_use]
    pub fn reclaim(mut self, policy: reclaim::Policy) -> Self {
        self.epoch = self.epoch.reclaimer(Reclaimer::new(policy));
        self
    }

    /// The same, deciding by this epoch: its reclaim and its knapsack solver.
    #[must_use]
    pub fn epoch(mut self, epoch: Epoch) -> Self {
        self.epoch = epoch;
        self
    }

    /// The same, with servers lent by this rule. No change where there are no loans.
    #[must_use]
    pub fn lend_by(mut self, policy: LoanPolicy) -> Self {
        self.loan_policy = self.loan_policy.map(|_| policy);
        self
    }

    /// The same under another name.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The plan of the last decision, with its certificates.
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

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.epoch.plan_into(view.cluster(), view.request(), &mut self.workspace, &mut self.plan)?;
        actions.extend_from_slice(self.plan.actions());
        Ok(())
    }
}
