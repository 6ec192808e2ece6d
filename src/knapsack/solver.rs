//! The solver that chooses the algorithm.

use super::core::{self, Budget, CoreBuffers, Start};
use super::dense::{DenseBuffers, cost, dense_into, table_bytes};
use super::error::SolveError;
use super::greedy::GreedyBuffers;
use super::instance::Instance;
use super::solution::Solution;

/// The cost of the dense program, in cells, up to which it is run at once: some ten microseconds, hardly more than it takes to
/// find a first estimate; and, for the same reason, up to four cells an item.
const TINY: u64 = 28_000;

/// Memory that solvers work in; keep it between calls, and they allocate nothing once it has grown.
///
/// An answer does not depend on what the workspace was used for before. It also tells what the last call of a [`Solver`]
/// took ([`work`](Self::work)) and where to look first next time ([`hint`](Self::hint)).
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
///
/// let mut instance = Instance::new(500);
/// for value in 1..=1_000 {
///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, 7 * value), Item::new(3, 16 * value)])?;
/// }
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// Solver::new().solve_into(&instance, &mut workspace, &mut solution)?;
/// let bytes = workspace.memory_usage();
/// Solver::new().solve_into(&instance, &mut workspace, &mut solution)?;
/// assert_eq!(workspace.memory_usage(), bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) dense: DenseBuffers,
    pub(super) greedy: GreedyBuffers,
    pub(super) core: CoreBuffers,
    hint: Option<Hint>,
    work: Work,
}

/// What a solve took, in counted steps: the same on every machine.
///
/// # Examples
///
/// The work is the same each time, so that a test can hold it:
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
///
/// let mut instance = Instance::new(5_000);
/// for value in 1..=10_000 {
///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, 7 * value), Item::new(3, 16 * value)])?;
/// }
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// Solver::new().solve_into(&instance, &mut workspace, &mut solution)?;
/// let work = workspace.work();
/// assert!(work.items_read < 4 * instance.item_count());
/// Solver::new().solve_into(&instance, &mut workspace, &mut solution)?;
/// assert_eq!(workspace.work(), work);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Work {
    /// Items looked at in the search for the split price and for the core; an item looked at twice counts twice. Of a table
    /// all items count, of a formula those that were evaluated.
    pub items_read: u64,
    /// States made by the dynamic program on the core.
    pub states: u64,
}

/// Where a solver should look for the split price first: what one unit of capacity was worth at the last solve.
///
/// Opaque, and safe to be wrong: see [`Solver::solve_with_hint_into`].
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Hint, Instance, Item, Solution, Solver, Workspace};
///
/// let mut instance = Instance::new(100);
/// for value in 1..=1_000 {
///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, value)])?;
/// }
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// // However wrong the hint, the value is the same: the sum of the hundred largest.
/// for hint in [None, Hint::new(900.0), Hint::new(1e-9)] {
///     Solver::new().solve_with_hint_into(&instance, hint, &mut workspace, &mut solution)?;
///     assert_eq!(solution.value(), (901..=1_000).sum::<u64>());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint {
    price: f64,
    width: f64,
    /// The share of classes that could not be settled.
    open: f64,
}

impl Hint {
    /// A hint from a price of a unit of weight, in units of value; a price that is not positive and finite gives none.
    ///
    /// A solver first looks within 2 % of it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Hint;
    ///
    /// assert!(Hint::new(0.25).is_some());
    /// assert!([0.0, -1.0, f64::NAN, f64::INFINITY].map(Hint::new).iter().all(Option::is_none));
    /// ```
    #[must_use]
    pub fn new(price: f64) -> Option<Self> {
        (price > 0.0 && price.is_finite()).then_some(Self { price, width: 0.02, open: 0.0 })
    }

    /// The price of a unit of weight at the split: what a little more capacity would be worth, a unit.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Hint;
    ///
    /// assert_eq!(Hint::new(0.25).map(|hint| hint.price()), Some(0.25));
    /// ```
    #[must_use]
    pub fn price(&self) -> f64 {
        self.price
    }
}

impl Workspace {
    /// An empty workspace.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Workspace;
    ///
    /// assert_eq!(Workspace::new().memory_usage(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What to give to [`Solver::solve_with_hint_into`] for the next, similar instance; `None` where the last one had no
    /// split, because everything fitted.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
    ///
    /// let mut instance = Instance::new(500);
    /// for value in 1..=1_000 {
    ///     instance.push_class(ClassKind::AtMostOne, [Item::new(1, value)])?;
    /// }
    /// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    /// Solver::new().with_table_budget(0).solve_into(&instance, &mut workspace, &mut solution)?;
    /// // The 500 dearest are taken: the split lies at a price near 500 a unit.
    /// let price = workspace.hint().unwrap().price();
    /// assert!((499.0..=502.0).contains(&price));
    ///
    /// instance.set_capacity(2_000);
    /// Solver::new().with_table_budget(0).solve_into(&instance, &mut workspace, &mut solution)?;
    /// assert!(workspace.hint().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        self.hint
    }

    /// What the last call of a [`Solver`] took, without the dense program where it was called in the end.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Work, Workspace};
    ///
    /// let mut workspace = Workspace::new();
    /// assert_eq!(workspace.work(), Work::default());
    ///
    /// let mut instance = Instance::new(2);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// let solver = Solver::new().with_table_budget(0);
    /// solver.solve_into(&instance, &mut workspace, &mut Solution::default())?;
    /// assert!(workspace.work().items_read >= 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// The bytes that the workspace holds on the heap.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Workspace, dense_into};
    ///
    /// let mut workspace = Workspace::new();
    /// assert_eq!(workspace.memory_usage(), 0);
    /// let mut instance = Instance::new(999);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(999, 1)])?;
    /// dense_into(&instance, 1 << 20, &mut workspace, &mut Solution::default())?;
    /// assert!(workspace.memory_usage() >= 18_000); // 1,000 columns of 2 + 16 bytes
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Solver;
    ///
    /// let solver = Solver::new();
    /// assert_eq!((solver.table_budget, solver.state_budget), (64 << 20, 1 << 25));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the largest table of the dense dynamic program, in bytes.
    ///
    /// With 0 the dense program is never used.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(5);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9), Item::new(4, 8)])?;
    /// let solver = Solver::new().with_table_budget(0);
    /// assert_eq!(solver.table_budget, 0);
    /// assert_eq!(solver.solve(&instance)?.value(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_table_budget(mut self, bytes: u64) -> Self {
        self.table_budget = bytes;
        self
    }

    /// Solves an instance.
    ///
    /// # Examples
    ///
    /// Three jobs ask for more GPUs, and five are idle:
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(5);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50), Item::new(4, 75)])?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30), Item::new(3, 36)])?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 28)])?;
    ///
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!((solution.value(), solution.weight()), (98, 5));
    /// assert!(solution.certificate().is_optimal());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SolveError::Infeasible`] where the mandatory classes do not fit the capacity. There is no other error.
    ///
    /// # Complexity
    ///
    /// With `m` items in tables and `n` classes: O(`m` log `m` + `n`) time to the linear bound at worst, and about one reading
    /// of the input where it is large; then at most [`state_budget`](Self::state_budget) states, of which most instances need
    /// few. Where the table of the dense program is within its budget, never much more than that program takes: O(`m` · `C`)
    /// with the capacity `C`. Memory is O(`n`), and what the states or the table take. [`Workspace::work`] counts it.
    ///
    /// # Determinism
    ///
    /// The answer is a function of the instance and the options alone. Which of several equally good choices it is, is not
    /// said; where that must follow a rule, use [`dense`](super::dense()).
    pub fn solve(&self, instance: &Instance) -> Result<Solution, SolveError> {
        let mut solution = Solution::default();
        self.solve_into(instance, &mut Workspace::default(), &mut solution)?;
        Ok(solution)
    }

    /// As [`solve`](Self::solve), with the caller's memory: it does not allocate once the workspace and the solution
    /// have grown to the size of the instance, and to the states that its search lists at once ([`Work::states`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
    ///
    /// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    /// let mut instance = Instance::new(2);
    /// instance.push_class(ClassKind::ExactlyOne, [Item::new(2, 30)])?;
    /// Solver::new().solve_into(&instance, &mut workspace, &mut solution)?;
    /// assert_eq!(solution.value(), 30);
    ///
    /// // An error leaves the answer before as it was.
    /// instance.set_capacity(1);
    /// assert!(Solver::new().solve_into(&instance, &mut workspace, &mut solution).is_err());
    /// assert_eq!(solution.value(), 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve); the solution is then unchanged.
    ///
    /// # Complexity
    ///
    /// As [`solve`](Self::solve).
    ///
    /// # Determinism
    ///
    /// As [`solve`](Self::solve); what the workspace was used for before does not matter.
    pub fn solve_into(
        &self,
        instance: &Instance,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        self.run(instance, None, workspace, solution)
    }

    /// As [`solve_into`](Self::solve_into), with a hint where the split price lies: that of the last solve of a similar
    /// instance.
    ///
    /// The value of the answer and its certificate do not depend on the hint, however wrong it is; time does. Which of
    /// several equally good choices is returned may depend on it, so use [`solve_into`](Self::solve_into) where the
    /// answer must be a function of the instance alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, Workspace};
    ///
    /// let solver = Solver::default();
    /// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    /// let mut hint = None;
    /// for capacity in [20, 21, 22] {
    ///     let mut instance = Instance::new(capacity);
    ///     for value in 1..40 {
    ///         instance.push_class(ClassKind::AtMostOne, [Item::new(1, value), Item::new(2, value + 1)])?;
    ///     }
    ///     solver.solve_with_hint_into(&instance, hint, &mut workspace, &mut solution)?;
    ///     assert_eq!(solution.value(), solver.solve(&instance)?.value());
    ///     hint = workspace.hint();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve); the solution is then unchanged.
    ///
    /// # Complexity
    ///
    /// As [`solve`](Self::solve).
    pub fn solve_with_hint_into(
        &self,
        instance: &Instance,
        hint: Option<Hint>,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        self.run(instance, hint, workspace, solution)
    }

    fn run(
        &self,
        instance: &Instance,
        hint: Option<Hint>,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        let Some(capacity) = instance.relative_capacity() else {
            return Err(SolveError::infeasible(instance));
        };
        let table = table_bytes(instance).is_some_and(|bytes| bytes <= self.table_budget);
        let mut budget = Budget { states: self.state_budget, items: u64::MAX };
        if table {
            let cost = cost(instance, capacity);
            if cost <= TINY.max(4 * instance.item_count()) {
                workspace.hint = hint;
                workspace.work = Work::default();
                return dense_into(instance, self.table_budget, workspace, solution);
            }
            // The dense program's cost is known beforehand, so the search is given up in its favour before it has cost
            // half as much. An item read costs as much as up to seven cells, a state as much as twelve; and a sample is read
            // to its end, so that a little more is read than was allowed.
            budget.states = budget.states.min(cost / 30);
            budget.items = cost / 12;
        }
        let start = hint.map(|Hint { price, width, open }| Start { price, width, open });
        let report = core::solve(instance, capacity, start, budget, &mut workspace.core, solution);
        workspace.hint = report.next.map(|Start { price, width, open }| Hint { price, width, open });
        workspace.work = Work { items_read: report.items_read, states: report.states };
        if !report.optimal && table {
            return dense_into(instance, self.table_budget, workspace, solution);
        }
        Ok(())
    }
}
