//! The solver that callers meet.

use alloc::vec::Vec;

use super::error::SolveError;
use super::fill::Fill;
use super::instance::Instance;
use super::problem::Problem;
use super::relaxation::Relaxation;
use super::solution::Solution;
use super::state::State;
use crate::certificate::{Certificate, Sense};

/// Memory.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    state: State,
    open: Vec<u32>,
    problem: Problem,
    relaxation: Relaxation,
    fill: Fill,
    best: Vec<u32>,
    /// x
    pub debug: [usize; 4],
}

/// Solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Solver {
    /// x
    pub node_budget: u64,
}

impl Solver {
    /// Solves.
    pub fn solve(&self, instance: &Instance, count: usize) -> Result<Solution, SolveError> {
        let mut solution = Solution::default();
        self.solve_into(instance, count, &mut Workspace::default(), &mut solution)?;
        Ok(solution)
    }

    /// Solves.
    pub fn solve_into(
        &self,
        instance: &Instance,
        count: usize,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        let Workspace { state, open, problem, relaxation, fill, best, debug } = workspace;
        if count > instance.sets() {
            return Err(SolveError::NotEnoughSets { asked: count, sets: instance.sets() });
        }
        state.reset(instance);
        open.clear();
        open.extend(0..instance.sets() as u32);
        problem.read(instance, state, open);
        relaxation.solve(problem, count);
        let bound = relaxation.bound(count);
        let point = state.point();
        let id = |at: &u32| problem.sets[*at as usize];
        for at in &relaxation.order[..relaxation.inside] {
            state.take(instance, id(at));
        }
        best.clear();
        best.extend(relaxation.order[relaxation.inside..relaxation.outside].iter().map(id));
        fill.run(instance, state, best, count - relaxation.inside);
        let cost = state.cost();
        *debug = [relaxation.inside, relaxation.outside, relaxation.price.cost as usize, relaxation.price.sets as usize];
        solution.sets.clear();
        solution
            .sets
            .extend((0..instance.sets() as u32).filter(|&set| state.choice(set) == super::state::Choice::Taken));
        state.undo(instance, point);
        solution.certificate = Certificate::new(Sense::Minimize, cost, bound).unwrap();
        Ok(())
    }
}
