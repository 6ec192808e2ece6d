//! The default backend: microlp, a simplex and branch-and-bound code in pure Rust.

use alloc::string::ToString;
use alloc::vec::Vec;

use ::microlp::{
    ComparisonOp, Error, LinearExpr, OptimizationDirection, Problem, SolveOptions, SolveOutcome,
    TerminationReason,
};

use super::backend::{Assignment, Backend, BackendError};
use super::model::{Model, Relation};
use crate::certificate::Sense;

/// Twice the tolerance with which microlp drops a branch: 10^-9, absolute and relative, of the objective as it sees it.
const TOLERANCE: f64 = 2e-9;

/// The default backend: microlp, in pure Rust.
///
/// Its effort is limited by counted branch-and-bound nodes, never by a clock: the same model and limit give the same
/// answer on every run. Where the limit ends the search, the best answer so far is returned with the bound that was proven.
///
/// It works in floating point and may drop a branch that is better by less than 10^-9 of the objective. The bound says so:
/// up to an objective of some 5 · 10^8 an answer is stated as optimal, above it with the gap that the tolerance leaves.
///
/// # Examples
///
/// ```
/// use aryl::ilp::{self, BackendError, IlpError, Microlp};
/// use aryl::knapsack::{ClassKind, Instance, Item};
///
/// let mut instance = Instance::new(10);
/// for weight in [3, 4, 5, 6] {
///     instance.push_class(ClassKind::AtMostOne, [Item::new(weight, u64::from(weight * weight))])?;
/// }
/// assert_eq!(ilp::knapsack(&instance, &Microlp::default())?.value(), 52);
///
/// // Stopped after the first relaxation: an answer with a gap, or none.
/// match ilp::knapsack(&instance, &Microlp::with_node_limit(0)) {
///     Ok(answer) => assert!(answer.certificate().bound() >= 52),
///     Err(error) => assert_eq!(
///         error,
///         IlpError::Backend(BackendError::LimitReached { limit: 0, unit: "nodes" })
///     ),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Microlp {
    node_limit: u64,
}

impl Default for Microlp {
    /// At most [`Self::NODE_LIMIT`] nodes.
    fn default() -> Self {
        Self::with_node_limit(Self::NODE_LIMIT)
    }
}

impl Microlp {
    /// The default limit of branch-and-bound nodes.
    pub const NODE_LIMIT: u64 = 200_000;

    /// The backend with at most this many branch-and-bound nodes beyond the first relaxation.
    ///
    /// With 0 nodes only the relaxation is solved, which may be whole by itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::ilp::{self, Microlp};
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// let answer = ilp::knapsack(&instance, &Microlp::with_node_limit(1_000))?;
    /// assert_eq!(answer.certificate().to_string(), "30, proven optimal");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_node_limit(nodes: u64) -> Self {
        Self { node_limit: nodes }
    }
}

impl Backend for Microlp {
    fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
        let mut problem = Problem::new(match model.sense() {
            Sense::Minimize => OptimizationDirection::Minimize,
            Sense::Maximize => OptimizationDirection::Maximize,
        });
        let scale = model.objective_scale();
        let variables: Vec<_> = model
            .variables()
            .iter()
            .map(|variable| {
                problem.add_integer_var(variable.objective / scale, (0, variable.upper.cast_signed()))
            })
            .collect();
        for row in model.rows() {
            let scale = row.scale();
            let mut left = LinearExpr::empty();
            for &(variable, factor) in row.terms {
                left.add(variables[variable], factor / scale);
            }
            let relation = match row.relation {
                Relation::AtMost => ComparisonOp::Le,
                Relation::Equal => ComparisonOp::Eq,
            };
            problem.add_constraint(left, relation, row.right / scale);
        }
        let mut options = SolveOptions::default();
        options.node_limit = Some(self.node_limit);
        let outcome = problem.solve_with(options).map_err(failure)?;
        let SolveOutcome::Solution(solution) = outcome else {
            return Err(BackendError::LimitReached { limit: self.node_limit, unit: "nodes" });
        };
        let objective = solution.objective();
        let proven = match solution.termination_reason() {
            TerminationReason::ProvenOptimal => Some(objective),
            _ => solution.stats().best_bound,
        };
        let margin = TOLERANCE * libm::fabs(objective).max(1.0);
        let bound = match model.sense() {
            Sense::Maximize => proven.unwrap_or(f64::INFINITY) + margin,
            Sense::Minimize => proven.unwrap_or(f64::NEG_INFINITY) - margin,
        };
        let values = variables.iter().map(|&variable| solution.var_value(variable)).collect();
        Ok(Assignment::new(values, bound * scale))
    }
}

fn failure(error: Error) -> BackendError {
    match error {
        Error::Infeasible => BackendError::Infeasible,
        other => BackendError::Failed { message: other.to_string() },
    }
}
