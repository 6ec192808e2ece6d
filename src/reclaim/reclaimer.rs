//! The solver that callers meet.

use alloc::vec::Vec;

use super::ask::Ask;
use super::bound::Prices;
use super::decision::Reclaim;
use super::enumeration::Enumeration;
use super::error::ReclaimError;
use super::exact::Exact;
use super::graph::Graph;
use super::greedy::Greedy;
use super::outcome;
use super::policy::Policy;
use super::put_back::PutBack;
use crate::cluster::Cluster;
use crate::k_union::Solver;

/// Chooses which on-loan servers go back.
///
/// Exactly what is asked for goes back, or an error says why that can't be. The answer names the servers, the jobs
/// that are preempted and the workers that leave, with a lower bound on the preemption cost of any other choice.
///
/// # Examples
///
/// Two jobs share a server, and one job has two servers of its own. Of three servers, two are to go back:
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Policy, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
/// let (shared, first, second) = (server()?, server()?, server()?);
/// for _ in 0..2 {
///     let job = cluster.add_job(Job::inelastic(4))?;
///     cluster.place(job, &[Placement::base(shared, 4)])?;
/// }
/// let wide = cluster.add_job(Job::inelastic(16))?;
/// cluster.place(wide, &[Placement::base(first, 8), Placement::base(second, 8)])?;
///
/// let answer = Reclaimer::new(Policy::Aryl).solve(&cluster, 2)?;
/// assert_eq!(answer.servers(), [first, second]);
/// assert_eq!(answer.preempted(), [wide]);
/// assert_eq!(answer.collateral_gpus(), 0);
/// assert!(answer.certificate().is_optimal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Reclaimer {
    policy: Policy,
    put_back: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    solver: Solver,
}

impl Default for Reclaimer {
    /// [`Policy::default`], with superfluous victims put back.
    fn default() -> Self {
        Self::new(Policy::default())
    }
}

/// The memory of a [`Reclaimer`], to be kept between decisions.
///
/// It holds no state that matters: a decision with a used workspace equals one with a new workspace. Any policy can use
/// it after any other.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
/// for policy in [Policy::Exact, Policy::Aryl, Policy::Random { seed: 1 }] {
///     Reclaimer::new(policy).solve_into(&cluster, 1, &mut workspace, &mut answer)?;
///     assert_eq!(answer, Reclaimer::new(policy).solve(&cluster, 1)?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    graph: Graph,
    greedy: Greedy,
    put_back: PutBack,
    prices: Prices,
    excess: Vec<u64>,
    exact: Exact,
    small: Enumeration,
    trial: Reclaim,
    steps: u64,
}

impl Workspace {
    /// A workspace that holds no memory yet.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Reclaim, Reclaimer, Workspace};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    /// for count in 1..=3 {
    ///     Reclaimer::default().solve_into(&cluster, count, &mut workspace, &mut answer)?;
    ///     assert_eq!(answer.servers().len() as u32, count);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The work of the last decision, counted: steps through "a job on a server", and comparisons of servers.
    ///
    /// It is the same on every machine, so it tells how the effort grows with the cluster. It is 0 after an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Reclaim, Reclaimer, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::on_loan(v100, 8))?;
    /// let mut workspace = Workspace::new();
    /// assert_eq!(workspace.steps(), 0);
    /// Reclaimer::default().solve_into(&cluster, 1, &mut workspace, &mut Reclaim::default())?;
    /// assert!(workspace.steps() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}

impl Reclaimer {
    /// A solver that follows this policy, and puts superfluous victims back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Policy, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // Random order, as in the paper's comparison; the seed makes it the same order each time.
    /// let random = Reclaimer::new(Policy::Random { seed: 7 });
    /// assert_eq!(random.solve(&cluster, 1)?, random.solve(&cluster, 1)?);
    /// assert!(random.solve(&cluster, 1)?.certificate().bound() <= 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn new(policy: Policy) -> Self {
        Self { policy, put_back: true, solver: Solver::new() }
    }

    /// The same solver, which puts superfluous victims back or not.
    ///
    /// By default it does. Without, the choice is what the policy alone made of it: a baseline as in the paper.
    ///
    /// # Examples
    ///
    /// The cheap job goes first; then the wide one, which frees servers enough:
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Policy, Reclaimer};
    ///
    /// let mut cluster = Cluster::new();
    /// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
    /// let (first, second, third) = (server()?, server()?, server()?);
    /// let cheap = cluster.add_job(Job::inelastic(1).preemption_cost(4))?;
    /// cluster.place(cheap, &[Placement::base(first, 1)])?;
    /// let wide = cluster.add_job(Job::inelastic(4).preemption_cost(10))?;
    /// cluster.place(wide, &[Placement::base(second, 2), Placement::base(third, 2)])?;
    ///
    /// let greedy = Reclaimer::new(Policy::Aryl);
    /// assert_eq!(greedy.put_back(false).solve(&cluster, 2)?.preempted(), [cheap, wide]);
    /// assert_eq!(greedy.solve(&cluster, 2)?.preempted(), [wide]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn put_back(mut self, put_back: bool) -> Self {
        self.put_back = put_back;
        self
    }

    /// The same solver, with these budgets for [`Policy::Exact`]; other policies ignore them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Solver;
    /// use aryl::reclaim::Reclaimer;
    ///
    /// // Never branches: the answer of the relaxation, with its bound.
    /// let quick = Reclaimer::default().solver(Solver::new().with_node_budget(1));
    /// assert_ne!(quick, Reclaimer::default());
    /// ```
    #[must_use]
    pub const fn solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// The policy that it follows.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::reclaim::{Policy, Reclaimer};
    ///
    /// assert_eq!(Reclaimer::default().policy(), Policy::Exact);
    /// assert_eq!(Reclaimer::new(Policy::Aryl).policy(), Policy::Aryl);
    /// ```
    #[must_use]
    pub const fn policy(&self) -> Policy {
        self.policy
    }

    /// Chooses on-loan servers to go back: a number of them, or what an [`Ask`] says.
    ///
    /// # Errors
    ///
    /// [`ReclaimError::NotEnoughServers`] or [`ReclaimError::NotEnoughGpus`] where less can go back than is asked for,
    /// with how much can and which protected jobs stand in the way; [`ReclaimError::Ask`] and [`ReclaimError::Costs`]
    /// where the ask makes no sense for the cluster. All are found before any search, in O(servers + jobs + workers).
    ///
    /// # Complexity
    ///
    /// For each rule: O((S + T) log S + J) time and O(S + T + J) memory, for S servers, J jobs and T pairs of a job and a
    /// server that hosts it, and with a factor of log k in [`Policy::Amortized`] where jobs are wider than the number k of
    /// servers asked for. A job that mixes m GPU types adds a factor m to its own part. An ask of q types adds O(q) for
    /// each server that goes back.
    ///
    /// [`Policy::Exact`] follows three rules, then searches: some minimum cuts, each in time near to O(S + T), and as many
    /// nodes of branch and bound as its [budget](Self::solver) allows where the cuts do not settle the matter
    /// ([`k_union::Solver::solve`](Solver::solve)).
    ///
    /// # Determinism
    ///
    /// The same cluster, ask and policy give the same answer. Which of several equal servers goes first is said at
    /// [`Policy`]; where two jobs are equal to the pass that puts victims back, the lowest id is put back first.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let idle = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let busy = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).protected())?;
    /// cluster.place(job, &[Placement::base(busy, 8)])?;
    ///
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.servers(), [idle]);
    /// assert_eq!(Reclaimer::default().solve(&cluster, Ask::gpus(3))?.servers(), [idle]);
    /// let error = Reclaimer::default().solve(&cluster, 2).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "2 servers are to go back, and 1 can; of 2 on loan, protected: 0, with workers of protected jobs: 1 (job 0)"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve<'a>(&self, cluster: &Cluster, ask: impl Into<Ask<'a>>) -> Result<Reclaim, ReclaimError> {
        let mut answer = Reclaim::default();
        self.solve_ask(cluster, &ask.into(), &mut Workspace::new(), &mut answer)?;
        Ok(answer)
    }

    /// The same as [`solve`](Self::solve), in memory that the caller keeps: no allocation once it is warm.
    ///
    /// # Errors
    ///
    /// As [`solve`](Self::solve). Then the answer is empty.
    ///
    /// # Complexity
    ///
    /// As [`solve`](Self::solve).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Reclaim, Reclaimer, Workspace};
    ///
    /// let mut cluster = Cluster::new();
    /// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(gpu, 8))?;
    /// let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    /// Reclaimer::default().solve_into(&cluster, 1, &mut workspace, &mut answer)?;
    /// assert_eq!(answer.servers(), [server]);
    /// assert!(Reclaimer::default().solve_into(&cluster, 2, &mut workspace, &mut answer).is_err());
    /// assert!(answer.servers().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve_into<'a>(
        &self,
        cluster: &Cluster,
        ask: impl Into<Ask<'a>>,
        workspace: &mut Workspace,
        answer: &mut Reclaim,
    ) -> Result<(), ReclaimError> {
        self.solve_ask(cluster, &ask.into(), workspace, answer)
    }

    fn solve_ask(
        &self,
        cluster: &Cluster,
        ask: &Ask<'_>,
        workspace: &mut Workspace,
        answer: &mut Reclaim,
    ) -> Result<(), ReclaimError> {
        answer.clear();
        let Workspace { graph, exact, steps, .. } = workspace;
        *steps = 0;
        graph.read(cluster, ask)?;
        if graph.demand.is_nothing() {
            return Ok(());
        }
        *steps += (graph.servers.len() + graph.tenancies.len()) as u64;
        let mut bound = 0;
        exact.forget_steps();
        if self.policy == Policy::Exact && exact.read(graph) {
            bound = self.solve_exactly(cluster, workspace, answer);
        } else {
            self.follow_rules(cluster, workspace, answer);
        }
        let Workspace { graph, prices, .. } = workspace;
        let cost = answer.certificate.objective();
        answer.certificate = outcome::certificate(cost, bound.max(prices.lower_bound(graph)));
        Ok(())
    }

    /// The best answer of the policy's rules.
    fn follow_rules(&self, cluster: &Cluster, workspace: &mut Workspace, answer: &mut Reclaim) {
        let Workspace { graph, greedy, put_back, excess, trial, steps, .. } = workspace;
        for (turn, rule) in self.policy.rules().enumerate() {
            greedy.run(graph, rule);
            *steps += greedy.steps();
            if self.put_back {
                *steps += put_back.run(graph, greedy);
            } else {
                graph.demand.trim(&mut greedy.chosen, excess);
            }
            let Greedy { ledger, chosen, .. } = greedy;
            let out = if turn == 0 { &mut *answer } else { &mut *trial };
            outcome::write(cluster, graph, chosen, ledger, out);
            if turn > 0 && order(trial) < order(answer) {
                core::mem::swap(trial, answer);
            }
        }
    }

    /// The exact answer, and a lower bound on the cost of every choice.
    fn solve_exactly(&self, cluster: &Cluster, workspace: &mut Workspace, answer: &mut Reclaim) -> u64 {
        // The rules take little time beside the search, and give it a choice to start from.
        self.follow_rules(cluster, workspace, answer);
        let Workspace { graph, greedy, put_back, exact, small, trial, steps, .. } = workspace;
        let mut bound = 0;
        // What costs nothing at all can't be bettered but in the order of ids.
        if loses_something(answer) {
            bound = exact.run(graph, self.solver, &answer.servers);
            let mut consider = |exact: &Exact, answer: &mut Reclaim| {
                greedy.load(graph, &exact.chosen);
                *steps += put_back.run(graph, greedy);
                outcome::write(cluster, graph, &greedy.chosen, &mut greedy.ledger, trial);
                if order(trial) < order(answer) {
                    core::mem::swap(trial, answer);
                }
            };
            consider(exact, answer);
            if answer.collateral_gpus > 0 && exact.refine(graph, self.solver, &answer.servers) {
                consider(exact, answer);
            }
            *steps += exact.steps();
        }
        let is_tried = small.run(cluster, graph, &mut greedy.ledger, exact, trial, answer);
        *steps += small.steps();
        if is_tried {
            // All choices have been tried.
            return answer.certificate.objective();
        }
        bound
    }
}

fn loses_something(answer: &Reclaim) -> bool {
    answer.certificate.objective() > 0 || answer.jct_lost_milliseconds > 0 || answer.collateral_gpus > 0
}

/// What makes one answer better than another, in this order.
pub(super) fn order(answer: &Reclaim) -> impl Ord {
    let cost = answer.certificate.objective();
    (cost, answer.jct_lost_milliseconds, answer.collateral_gpus, answer.servers.as_slice())
}
