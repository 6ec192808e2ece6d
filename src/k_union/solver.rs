//! The solver that callers meet.

use super::error::SolveError;
use super::instance::Instance;
use super::search::{Budget, Search};
use super::solution::Solution;
use crate::certificate::{Certificate, Sense};

/// Memory.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    search: Search,
    /// x
    pub debug: [usize; 4],
}

/// Solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solver {
    /// x
    pub node_budget: u64,
    /// x
    pub step_budget: u64,
}

impl Default for Solver {
    fn default() -> Self {
        Self { node_budget: 2_000, step_budget: 1 << 21 }
    }
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
        let Workspace { search, debug } = workspace;
        if count > instance.sets() {
            return Err(SolveError::NotEnoughSets { asked: count, sets: instance.sets() });
        }
        search.state.reset(instance);
        search.cost = None;
        let bound = search.run(instance, count, Budget { nodes: self.node_budget, steps: self.step_budget });
        *debug = [search.nodes() as usize, search.steps() as usize, 0, 0];
        solution.sets.clear();
        solution.sets.extend_from_slice(&search.best);
        solution.certificate = Certificate::new(Sense::Minimize, search.cost.unwrap(), bound).unwrap();
        Ok(())
    }
}
