//! The solver that callers meet.

use super::curve::Curve;
use super::error::SolveError;
use super::instance::Instance;
use super::search::{Budget, Search};
use super::solution::Solution;
use crate::certificate::{Certificate, Sense};

/// The steps that are always allowed for each member of a set: room for some dozens of relaxations.
pub const STEPS_PER_MEMBER: u64 = 32;

/// Memory that a [`Solver`] works in; keep it between calls, and they allocate nothing once it has grown.
///
/// An answer does not depend on what the workspace was used for before.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solution, Solver, Workspace};
///
/// let mut instance = Instance::new();
/// let element = instance.add_element(5)?;
/// instance.add_set([element])?;
/// let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
/// Solver::new().solve_into(&instance, 1, &mut workspace, &mut chosen)?;
/// assert_eq!((chosen.cost(), workspace.nodes()), (5, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) search: Search,
    nodes: u64,
    steps: u64,
}

impl Workspace {
    /// An empty workspace.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solution, Solver, Workspace};
    ///
    /// let mut instance = Instance::new();
    /// instance.add_set([])?;
    /// let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
    /// Solver::new().solve_into(&instance, 1, &mut workspace, &mut chosen)?;
    /// assert_eq!(chosen.sets(), [0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The nodes that the last call searched: 1 where the relaxation settled it, 0 after an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solution, Solver, Workspace};
    ///
    /// // Three sets, each two of which share an element.
    /// let mut instance = Instance::new();
    /// let [a, b, c] = [(); 3].map(|()| instance.add_element(9).unwrap());
    /// for set in [[a, b], [a, c], [b, c]] {
    ///     instance.add_set(set)?;
    /// }
    /// let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
    /// let mut nodes = |count| {
    ///     Solver::new().solve_into(&instance, count, &mut workspace, &mut chosen).map(|()| workspace.nodes())
    /// };
    /// assert_eq!(nodes(3), Ok(1)); // all of them: the relaxation knows what that costs
    /// assert!(nodes(1)? > 1); // one of them: it took branching to prove
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The work of the last call, counted: members of sets and edges of the network looked at. It is the same on every
    /// machine. 0 after an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solution, Solver, Workspace};
    ///
    /// // Pairs of sets that share an element; half of the pairs are chosen.
    /// let steps = |pairs: u32| -> Result<u64, Box<dyn std::error::Error>> {
    ///     let mut instance = Instance::new();
    ///     for _ in 0..pairs {
    ///         let shared = instance.add_element(1)?;
    ///         instance.add_set([shared])?;
    ///         instance.add_set([shared])?;
    ///     }
    ///     let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
    ///     Solver::new().solve_into(&instance, pairs.into(), &mut workspace, &mut chosen)?;
    ///     Ok(workspace.steps())
    /// };
    /// // Ten times the input takes about fourteen times the work: n log n, not n².
    /// assert!(steps(1_000)? < 20 * steps(100)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}

/// Chooses sets with the cheapest union: exactly where its budget allows, else with a bound on what is missing.
///
/// The options limit counted work, never time, so an answer is a function of the instance and the options alone.
///
/// # Examples
///
/// Three sets, of which two share an element. The cheapest two are those:
///
/// ```
/// use aryl::k_union::{Instance, Solution, Solver, Workspace};
///
/// let mut instance = Instance::new();
/// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
/// for set in [alone, shared, shared] {
///     instance.add_set([set])?;
/// }
/// let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
/// let solver = Solver::default();
/// for (count, sets, cost) in [(1, &[0][..], 4), (2, &[1, 2], 5), (3, &[0, 1, 2], 9)] {
///     solver.solve_into(&instance, count, &mut workspace, &mut chosen)?;
///     assert_eq!((chosen.sets(), chosen.cost()), (sets, cost));
///     assert!(chosen.certificate().is_optimal());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Solver {
    /// The most nodes of branch and bound. 1 is the relaxation and the choices made from it. Default: 10,000.
    pub node_budget: u64,
    /// The number of [steps](Workspace::steps) after which no further node is begun, or [`STEPS_PER_MEMBER`] for each member
    /// of a set where that is more. Default: 2^18, a few milliseconds.
    pub step_budget: u64,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver with the default budgets.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Solver;
    ///
    /// assert_eq!(Solver::new(), Solver::default());
    /// assert_eq!((Solver::new().node_budget, Solver::new().step_budget), (10_000, 262_144));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { node_budget: 10_000, step_budget: 1 << 18 }
    }

    /// Sets the most nodes of branch and bound; 0 counts as 1.
    ///
    /// # Examples
    ///
    /// Without branching there may be a gap, and the certificate says so:
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// // Three sets, each two of which share an element. The relaxation buys two thirds of everything.
    /// let mut instance = Instance::new();
    /// let [a, b, c] = [(); 3].map(|()| instance.add_element(9).unwrap());
    /// for set in [[a, b], [a, c], [b, c]] {
    ///     instance.add_set(set)?;
    /// }
    /// let quick = Solver::new().with_node_budget(1).solve(&instance, 1)?;
    /// assert_eq!((quick.cost(), quick.certificate().bound()), (18, 9));
    /// let exact = Solver::new().solve(&instance, 1)?;
    /// assert_eq!((exact.cost(), exact.certificate().bound()), (18, 18));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_node_budget(mut self, nodes: u64) -> Self {
        self.node_budget = nodes;
        self
    }

    /// Sets the number of [steps](Workspace::steps) after which no further node is begun. [`STEPS_PER_MEMBER`] for each member
    /// of a set are allowed in any case.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// // Three sets, each two of which share an element.
    /// let mut instance = Instance::new();
    /// let [a, b, c] = [(); 3].map(|()| instance.add_element(9).unwrap());
    /// for set in [[a, b], [a, c], [b, c]] {
    ///     instance.add_set(set)?;
    /// }
    /// // 6 members: 192 steps are allowed in any case, and they are enough here.
    /// let thrifty = Solver::new().with_step_budget(0);
    /// assert!(thrifty.solve(&instance, 1)?.certificate().is_optimal());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_step_budget(mut self, steps: u64) -> Self {
        self.step_budget = steps;
        self
    }

    /// Chooses exactly `need` sets. Where sets have weights: sets that weigh `need` or more together, and none of which could
    /// be left out.
    ///
    /// # Errors
    ///
    /// [`SolveError::NotEnoughSets`] where the instance has fewer, or all its sets weigh less.
    ///
    /// # Complexity
    ///
    /// For m members of all sets: O(m) memory. Each node solves some maximum flow problems on what is undecided, each
    /// smaller than the one before; on networks of servers and jobs a flow takes a few passes, so a node takes time near
    /// to O(m). The number of nodes is bounded by the budget: 1 where the bound is met at once.
    ///
    /// # Determinism
    ///
    /// The same instance and options give the same sets. Among choices of the same cost no order is promised.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, SolveError, Solver};
    ///
    /// // Two jobs share the first server, a third has the other two to itself.
    /// let mut instance = Instance::new();
    /// let [a, b, wide] = [(); 3].map(|()| instance.add_element(1).unwrap());
    /// for jobs in [&[a, b][..], &[wide], &[wide]] {
    ///     instance.add_set(jobs.iter().copied())?;
    /// }
    /// let chosen = Solver::new().solve(&instance, 2)?;
    /// assert_eq!((chosen.sets(), chosen.cost()), (&[1, 2][..], 1));
    /// let refused = SolveError::NotEnoughSets { asked: 4, available: 3 };
    /// assert_eq!(Solver::new().solve(&instance, 4), Err(refused));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Source
    ///
    /// See the [module](super).
    pub fn solve(&self, instance: &Instance, need: u64) -> Result<Solution, SolveError> {
        let mut solution = Solution::default();
        self.solve_into(instance, need, &mut Workspace::default(), &mut solution)?;
        Ok(solution)
    }

    /// The same as [`solve`](Self::solve), in memory that the caller keeps: no allocation once it is warm.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve). Then the solution is empty.
    ///
    /// # Complexity
    ///
    /// As [`solve`](Self::solve).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solution, Solver, Workspace};
    ///
    /// let mut instance = Instance::new();
    /// for cost in [3, 1, 2] {
    ///     let own = instance.add_element(cost)?;
    ///     instance.add_set([own])?;
    /// }
    /// let (mut workspace, mut chosen) = (Workspace::new(), Solution::default());
    /// let mut costs = Vec::new();
    /// for count in 0..=3 {
    ///     Solver::new().solve_into(&instance, count, &mut workspace, &mut chosen)?;
    ///     costs.push(chosen.cost());
    /// }
    /// assert_eq!(costs, [0, 1, 3, 6]);
    /// // After an error nothing is left of the answer before.
    /// assert!(Solver::new().solve_into(&instance, 4, &mut workspace, &mut chosen).is_err());
    /// assert!(chosen.sets().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_into(
        &self,
        instance: &Instance,
        need: u64,
        workspace: &mut Workspace,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        solution.clear();
        (workspace.nodes, workspace.steps) = (0, 0);
        let error = SolveError::NotEnoughSets { asked: need, available: instance.weight() };
        if need > instance.weight() {
            return Err(error);
        }
        let search = &mut workspace.search;
        search.start(instance);
        let bound = search.run(instance, need, self.budget(instance));
        (workspace.nodes, workspace.steps) = (search.nodes(), search.steps());
        search.trim(instance, need);
        let cost = search.cost.ok_or(error)?;
        solution.sets.extend_from_slice(&search.best);
        solution.certificate = certificate(cost, bound);
        Ok(())
    }

    /// What each number of sets costs, from none to all: bounds for every number, and a choice for each.
    ///
    /// Where the relaxation has an end, the choice is the cheapest; see [`Curve`]. To close a gap at one number, call
    /// [`solve`](Self::solve) for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
    /// for set in [alone, shared, shared] {
    ///     instance.add_set([set])?;
    /// }
    /// let curve = Solver::default().curve(&instance);
    /// let costs: Vec<u64> = (0..=3).map(|count| curve.certificate(count).unwrap().objective()).collect();
    /// assert_eq!(costs, [0, 5, 5, 9]);
    /// // One set alone could cost 3, says the line from none to two sets; in truth it is 4.
    /// assert_eq!(curve.certificate(1).unwrap().bound(), 3);
    /// assert!(curve.certificate(2).unwrap().is_optimal());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// As the relaxation of [`solve`](Self::solve) for each end of the curve, though each on its own part of the sets: on
    /// networks of servers and jobs about O(m log s), for s sets and m members. O(m) memory.
    #[must_use]
    pub fn curve(&self, instance: &Instance) -> Curve {
        let mut curve = Curve::default();
        self.curve_into(instance, &mut Workspace::default(), &mut curve);
        curve
    }

    /// The same as [`curve`](Self::curve), in memory that the caller keeps: no allocation once it is warm.
    ///
    /// # Complexity
    ///
    /// As [`curve`](Self::curve).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Curve, Instance, Solver, Workspace};
    ///
    /// let mut instance = Instance::new();
    /// for cost in [3, 1, 2] {
    ///     let own = instance.add_element(cost)?;
    ///     instance.add_set([own])?;
    /// }
    /// let (mut workspace, mut curve) = (Workspace::new(), Curve::default());
    /// Solver::new().curve_into(&instance, &mut workspace, &mut curve);
    /// assert_eq!(curve.sets(3), Some(&[1, 2, 0][..])); // the cheapest first
    /// assert_eq!(curve.certificate(2).unwrap().objective(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn curve_into(&self, instance: &Instance, workspace: &mut Workspace, curve: &mut Curve) {
        let search = &mut workspace.search;
        search.start(instance);
        search.solve_all(instance, curve);
        (workspace.nodes, workspace.steps) = (1, search.steps());
    }

    pub(crate) fn budget(&self, instance: &Instance) -> Budget {
        let steps = self.step_budget.max(STEPS_PER_MEMBER * instance.member_count() as u64);
        Budget { nodes: self.node_budget, steps }
    }
}

/// The certificate of a cost; a bound above it would be a fault, and is not claimed.
pub(super) fn certificate(cost: u64, bound: u64) -> Certificate {
    debug_assert!(bound <= cost, "the bound {bound} exceeds the cost {cost}");
    Certificate::new(Sense::Minimize, cost, if bound <= cost { bound } else { 0 })
        .unwrap_or(Certificate::optimal(Sense::Minimize, cost))
}
