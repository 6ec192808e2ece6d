//! Solvers that good_lp knows, as backends of aryl: copy this file to use one of them in a program.

use aryl::certificate::Sense;
use aryl::ilp::{Assignment, Backend, BackendError, Model, Relation};
use good_lp::solvers::{Solution, SolutionStatus, SolverModel, WithMipGap, WithTimeLimit};
use good_lp::{Expression, ProblemVariables, ResolutionError, Solver, constraint, variable};

/// A solver that good_lp knows, and what it may take.
#[derive(Clone, Copy)]
pub struct Through<S> {
    /// `good_lp::highs`, say.
    pub solver: S,
    pub seconds: f64,
}

/// How far beyond its answer a solver may have missed another, relative to the objective.
const TOLERANCE: f64 = 1e-7;

impl<S> Backend for Through<S>
where
    S: Solver + Copy,
    S::Model: WithMipGap + WithTimeLimit,
    <S::Model as SolverModel>::Error: Into<ResolutionError>,
{
    fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
        let failed = |message: String| BackendError::Failed { message };
        let scale = model.objective_scale();
        let mut problem = ProblemVariables::new();
        let mut objective = Expression::default();
        let mut variables = Vec::new();
        for given in model.variables() {
            let added = problem.add(variable().integer().clamp(0.0, f64::from(given.upper)));
            objective.add_mul(given.objective / scale, added);
            variables.push(added);
        }
        let problem = match model.sense() {
            Sense::Minimize => problem.minimise(objective.clone()),
            Sense::Maximize => problem.maximise(objective.clone()),
        };
        let solver = problem.using(self.solver).with_time_limit(self.seconds);
        let mut solver = solver.with_mip_gap(0.0).map_err(|error| failed(error.to_string()))?;
        for row in model.rows() {
            let left: Expression = row.terms.iter().map(|&(at, factor)| factor * variables[at]).sum();
            let right = row.right;
            solver.add_constraint(match row.relation {
                Relation::AtMost => constraint!(left <= right),
                Relation::Equal => constraint!(left == right),
            });
        }
        let solution = solver.solve().map_err(|error| match error.into() {
            ResolutionError::Infeasible => BackendError::Infeasible,
            other => failed(other.to_string()),
        })?;
        let reached = solution.eval(&objective);
        let margin = TOLERANCE * reached.abs().max(1.0);
        // good_lp does not pass on the bound of a search that was cut short.
        let is_proven = matches!(solution.status(), SolutionStatus::Optimal);
        let bound = match model.sense() {
            Sense::Maximize if is_proven => reached + margin,
            Sense::Maximize => f64::INFINITY,
            Sense::Minimize if is_proven => reached - margin,
            Sense::Minimize => f64::NEG_INFINITY,
        };
        let values = variables.iter().map(|&variable| solution.value(variable)).collect();
        Ok(Assignment::new(values, bound * scale))
    }
}
