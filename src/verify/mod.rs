//! Independent checkers: does an answer keep the rules, and are its numbers right?
//!
//! Each function takes the input of a decision and the answer to it, and computes again all that follows from the two.
//! It shares no code with the solvers, nor with the arithmetic that they use: it reads the cluster and the answer
//! through their public methods, and counts with plain loops and sorted maps that can be checked by eye. So a mistake
//! would have to be made twice, in two different ways, to pass unnoticed.
//!
//! Use it in your own tests, in a simulator, or beside a production scheduler where a decision is worth a second look.
//! It is slower than a decision by a small factor, and allocates.
//!
//! | function | what it proves |
//! |---|---|
//! | [`verify::cluster`](cluster()) | both directions of "who runs where" agree, nothing is over-full, every running job is a run of its definition |
//! | [`verify::reclaim`](reclaim()) | the right servers can go back; exactly the jobs that can't survive are preempted, and none needlessly; every number is right |
//! | [`verify::plan`](plan()) | every step can be carried out in order, nothing is forgotten, done twice or done for nothing; totals are right; `apply` does what the steps say |
//! | [`verify::loan`](loan()) | the decision is the one that the written rule asks for, and so is every number in it |
//! | [`verify::placement`](placement()) | all placed gangs fit together and are whole; a gang that was left out does not fit, for the reason given |
//! | [`verify::knapsack`](knapsack()) | one choice a class, within the capacity; sums and certificate are right; no other choice in one class beats the bound |
//! | [`verify::k_union`](k_union()) | sets that are there, weigh enough and are all needed; the cost is right; no cheap choice beats the bound |
//!
//! What no checker can prove from one answer is that a bound holds for *all* answers. Each function says where it stops.
//!
//! # Examples
//!
//! ```
//! use aryl::cluster::Cluster;
//! use aryl::verify;
//!
//! assert_eq!(verify::cluster(&Cluster::new()), Ok(()));
//! ```

mod allocation;
mod asked;
mod books;
mod cluster;
mod count;
mod k_union;
mod knapsack;
mod loan;
mod minimal;
mod placement;
mod plan;
mod plan_violation;
mod reclaim;
mod totals;

pub use cluster::{ClusterViolation, cluster};
pub use k_union::{UnionViolation, k_union};
pub use knapsack::{KnapsackViolation, knapsack};
pub use loan::{LoanViolation, loan};
pub use placement::{PlacementViolation, placement};
pub use plan::plan;
pub use plan_violation::PlanViolation;
pub use reclaim::{ReclaimViolation, reclaim};

/// A rule that an answer breaks, or a number in it that is wrong. It names the offender and both numbers.
///
/// # Examples
///
/// ```
/// use aryl::epoch::{Epoch, Request};
/// use aryl::verify::{self, Violation};
///
/// # let mut cluster = aryl::cluster::Cluster::new();
/// # let v100 = cluster.add_gpu_type(aryl::cluster::GpuType::new("V100"))?;
/// # cluster.add_server(aryl::cluster::Server::on_loan(v100, 8))?;
/// // A plan for one request is no plan for another.
/// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
/// assert_eq!(verify::plan(&cluster, Request::reclaim(1), &plan), Ok(()));
/// assert!(matches!(verify::plan(&cluster, Request::NONE, &plan), Err(Violation::Reclaim(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// The cluster breaks a rule.
    #[error(transparent)]
    Cluster(#[from] ClusterViolation),
    /// The reclaim breaks a rule.
    #[error(transparent)]
    Reclaim(#[from] ReclaimViolation),
    /// The answer to a knapsack breaks a rule.
    #[error(transparent)]
    Knapsack(#[from] KnapsackViolation),
    /// The answer to a cheapest union breaks a rule.
    #[error(transparent)]
    Union(#[from] UnionViolation),
    /// The decision on the loan is not what the rule asks for.
    #[error(transparent)]
    Loan(#[from] LoanViolation),
    /// The placement breaks a rule.
    #[error(transparent)]
    Placement(#[from] PlacementViolation),
    /// The plan breaks a rule.
    #[error(transparent)]
    Plan(#[from] PlanViolation),
}
