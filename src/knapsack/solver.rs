//! The solver that chooses the algorithm.

use super::core::{self, CoreBuffers};
use super::dense::{DenseBuffers, dense_into, table_bytes};
use super::error::SolveError;
use super::greedy::GreedyBuffers;
use super::instance::Instance;
use super::solution::Solution;

/// Memory that solvers work in; keep it between calls, and they allocate nothing once it has grown.
///
/// It carries no result from one call to the next: an answer does not depend on what the workspace was used for before.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) dense: DenseBuffers,
    pub(super) greedy: GreedyBuffers,
    pub(super) core: CoreBuffers,
}

impl Workspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes that the workspace holds on the heap.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.dense.memory_usage() + self.greedy.memory_usage() + self.core.memory_usage()
    }
}

/// Solves multiple-choice knapsacks: exactly where its budget allows, else with a bound on what is missing.
///
/// The options limit memory and counted work, never time, so that an answer is a function of the instance and the
/// options alone.
///
/// # Examples
///
/// One workspace for many instances:
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
///
/// let solver = Solver::default();
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// let mut instance = Instance::default();
/// for capacity in [1, 2, 3] {
///     instance.clear(capacity);
///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, 15)])?;
///     solver.solve_into(&instance, &mut workspace, &mut solution)?;
///     assert_eq!(solution.value(), [20, 35, 45][capacity as usize - 1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Solver {
    /// The largest table, in bytes, that the [`dense`](super::dense()) dynamic program may fill. Default: 64 MiB.
    pub table_budget: u64,
    /// The largest number of states that the dynamic program on the core may make. Default: 2^25, some tenths of a second.
    pub state_budget: u64,
}

impl Default for Solver {
    fn default() -> Self {
        Self { table_budget: 64 << 20, state_budget: 1 << 25 }
    }
}

impl Solver {
    /// A solver with the default budgets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the largest table of the dense dynamic program, in bytes.
    #[must_use]
    pub const fn with_table_budget(mut self, bytes: u64) -> Self {
        self.table_budget = bytes;
        self
    }

    /// Solves an instance.
    ///
    /// # Errors
    ///
    /// [`SolveError::Infeasible`] where the mandatory classes do not fit the capacity. There is no other error.
    pub fn solve(&self, instance: &Instance) -> Result<Solution, SolveError> {
        let mut solution = Solution::default();
        self.solve_into(instance, &mut Workspace::default(), &mut solution)?;
        Ok(solution)
    }

    /// As [`solve`](Self::solve), with the caller's memory: it does not allocate once the workspace and the solution
    /// have grown to the size of the instance.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve); the solution is then unchanged.
    pub fn solve_into(
        &self,
        instance: &Instance,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        let Some(capacity) = instance.relative_capacity() else {
            return Err(SolveError::infeasible(instance));
        };
        let report = core::solve(instance, capacity, None, self.state_budget, &mut workspace.core, solution);
        if !report.optimal && table_bytes(instance).is_some_and(|bytes| bytes <= self.table_budget) {
            return dense_into(instance, self.table_budget, workspace, solution);
        }
        Ok(())
    }
}
