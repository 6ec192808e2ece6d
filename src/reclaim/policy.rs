//! How the servers that go back are chosen.

/// How the servers that go back are chosen.
///
/// All policies keep the same rules and give the same kind of answer; they differ in how many jobs they preempt. The
/// [module](super) compares them.
///
/// # Examples
///
/// Two jobs are spread over four servers, and a third has a server of its own. One server is to go back. By the paper's
/// measure each of the four costs 1/4 + 1/4, and the fifth costs 1:
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Policy, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
/// let (four, fifth) = ([server()?, server()?, server()?, server()?], server()?);
/// for _ in 0..2 {
///     let wide = cluster.add_job(Job::inelastic(4))?;
///     cluster.place(wide, &four.map(|server| Placement::base(server, 1)))?;
/// }
/// let alone = cluster.add_job(Job::inelastic(8))?;
/// cluster.place(alone, &[Placement::base(fifth, 8)])?;
///
/// let preempted = |policy| Reclaimer::new(policy).solve(&cluster, 1).map(|answer| answer.preempted().len());
/// assert_eq!(preempted(Policy::Aryl), Ok(2));
/// assert_eq!(preempted(Policy::SmallestCountFirst), Ok(1));
/// assert_eq!(preempted(Policy::Amortized), Ok(1));
/// assert_eq!(preempted(Policy::BestOfRules), Ok(1));
/// assert_eq!(preempted(Policy::Exact), Ok(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Determinism
///
/// Where two servers are equal to a rule, the one with the lowest id is taken; [`Random`](Self::Random) follows its seed.
/// [`Exact`](Self::Exact) takes the lowest ids where it looks at all choices, and else one of the best that its search meets:
/// the same one each time. [`guide::determinism`](crate::guide::determinism) has all ties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Policy {
    /// The choice with the least total preemption cost, proven so, or the best found with a bound where the budget ends
    /// first ([`Reclaimer::solver`](super::Reclaimer::solver)).
    ///
    /// It starts from the choice of [`BestOfRules`](Self::BestOfRules). A minimum cut bounds the cost, and a greedy that
    /// the cut guides meets the bound: on clusters filled under churn that is all. Where the bound is not met at once, it
    /// branches. See [`k_union`](crate::k_union). It takes some four to twenty times as long as one rule, or tenths of a
    /// millisecond at 520 servers, and more where jobs are elastic: the [module](super) has the table. Among choices of
    /// the same cost it takes the best by the other objectives where there are few choices, else a good one.
    #[default]
    Exact,
    /// The paper's greedy (Aryl, section 4): servers without a job first, then servers with flexible workers only, then
    /// the server with the least [server preemption cost](super::ServerPreemptionCost), again and again.
    ///
    /// Among servers with flexible workers only: the least completion time lost, then the fewest workers. Among servers
    /// of the same preemption cost: the least collateral damage. A job that survives the loss of base workers, thanks to
    /// workers elsewhere, keeps its share on the servers that host its other base workers, and is charged the same share
    /// on every server that it can't lose any more.
    Aryl,
    /// The server that hosts the fewest running jobs first, whatever they cost: the paper's baseline *SCF*.
    SmallestCountFirst,
    /// Servers in random order, each order equally likely: the paper's baseline *Random*.
    Random {
        /// Where the random numbers start: the same seed gives the same order.
        seed: u64,
    },
    /// The paper's greedy with a share that looks ahead: cost ÷ min(candidate servers of the job, servers still to
    /// free), charged only on servers whose loss would preempt the job.
    ///
    /// The paper's share of a wide job is small on each of its servers, as if all of them were to go back. Where few
    /// servers are asked for, most never do, and the job is preempted for little. This rule never divides by more
    /// servers than can still be taken. (Ours, not the paper's.)
    Amortized,
    /// The best answer of [`Aryl`](Self::Aryl), [`SmallestCountFirst`](Self::SmallestCountFirst) and
    /// [`Amortized`](Self::Amortized), at two to three times the price of one.
    BestOfRules,
}

/// A policy that is one pass of the greedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Aryl,
    SmallestCountFirst,
    Random { seed: u64 },
    Amortized,
}

impl Policy {
    /// The passes to make, of which the best counts.
    pub(super) fn rules(self) -> impl Iterator<Item = Rule> {
        let rules = match self {
            Self::Aryl => [Some(Rule::Aryl), None, None],
            Self::SmallestCountFirst => [Some(Rule::SmallestCountFirst), None, None],
            Self::Random { seed } => [Some(Rule::Random { seed }), None, None],
            Self::Amortized => [Some(Rule::Amortized), None, None],
            Self::Exact | Self::BestOfRules => {
                [Some(Rule::Amortized), Some(Rule::Aryl), Some(Rule::SmallestCountFirst)]
            }
        };
        rules.into_iter().flatten()
    }
}
