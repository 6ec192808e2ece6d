//! Whatever solver `good_lp` was built with.

use alloc::string::ToString;
use alloc::vec::Vec;

use ::good_lp::{
    Expression, ProblemVariables, ResolutionError, Solution, SolutionStatus, SolverModel, WithMipGap,
    constraint, default_solver, variable,
};

use super::backend::{Assignment, Backend, BackendError};
use super::model::{Model, Relation};
use crate::certificate::Sense;

/// How far beyond the objective an answer could lie that a solver took for no better, relative to the objective.
const TOLERANCE: f64 = 1e-7;

/// The default solver of the crate `good_lp`, as its features were chosen where the program was built.
///
/// Features of a crate add up over everything that is built together. This crate asks `good_lp` for microlp alone. With
///
/// ```toml
/// good_lp = { version = "1.15", default-features = false, features = ["coin_cbc", "singlethread-cbc"] }
/// ```
///
/// in the manifest of a program, CBC takes its place here, and must then be installed. `good_lp` puts microlp before all
/// others but CBC, so to use `HiGHS`, SCIP or another one, write a [`Backend`] that names it: some forty lines, to be copied
/// from `benches/peers` in the repository of this crate.
///
/// The solver is asked to prove optimality, with no limit of any kind. Answers are stated to 10^-7 of the objective, since
/// the tolerances of the solvers differ: up to some 10^7 an answer is stated as optimal, above it with that gap.
///
/// # Examples
///
/// ```
/// use aryl::ilp::{self, GoodLp, Microlp};
/// use aryl::knapsack::{ClassKind, Instance, Item};
///
/// let mut instance = Instance::new(7);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9), Item::new(5, 11)])?;
/// instance.push_class(ClassKind::ExactlyOne, [Item::new(4, 8), Item::new(2, 1)])?;
/// let answer = ilp::knapsack(&instance, &GoodLp)?;
/// assert_eq!(answer.value(), ilp::knapsack(&instance, &Microlp::default())?.value());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoodLp;

impl Backend for GoodLp {
    fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
        let scale = model.objective_scale();
        let mut problem = ProblemVariables::new();
        let mut objective = Expression::default();
        let variables: Vec<_> = model
            .variables()
            .iter()
            .map(|given| {
                let added = problem.add(variable().integer().clamp(0.0, f64::from(given.upper)));
                objective.add_mul(given.objective / scale, added);
                added
            })
            .collect();
        let problem = match model.sense() {
            Sense::Minimize => problem.minimise(objective.clone()),
            Sense::Maximize => problem.maximise(objective.clone()),
        };
        let fault = |message: &dyn core::fmt::Display| BackendError::Failed { message: message.to_string() };
        let mut solver = problem.using(default_solver).with_mip_gap(0.0).map_err(|error| fault(&error))?;
        for row in model.rows() {
            let scale = row.scale();
            let mut left = Expression::default();
            for &(at, factor) in row.terms {
                left.add_mul(factor / scale, variables[at]);
            }
            let right = row.right / scale;
            solver.add_constraint(match row.relation {
                Relation::AtMost => constraint!(left <= right),
                Relation::Equal => constraint!(left == right),
            });
        }
        let solution = solver.solve().map_err(|error| match error {
            ResolutionError::Infeasible => BackendError::Infeasible,
            other => fault(&other),
        })?;
        if !matches!(solution.status(), SolutionStatus::Optimal) {
            return Err(fault(&"it stopped before it had a proof"));
        }
        let reached = solution.eval(&objective);
        let margin = TOLERANCE * libm::fabs(reached).max(1.0);
        let bound = match model.sense() {
            Sense::Maximize => reached + margin,
            Sense::Minimize => reached - margin,
        };
        let values = variables.iter().map(|&variable| solution.value(variable)).collect();
        Ok(Assignment::new(values, bound * scale))
    }
}
