//! What each number of servers would cost.

use alloc::vec::Vec;

use super::ask::Ask;
use super::costs::Costs;
use super::error::ReclaimError;
use super::exact::Exact;
use super::graph::Graph;
use crate::certificate::{Certificate, Sense};
use crate::cluster::Cluster;
use crate::id::ServerId;
use crate::k_union::Solver;

/// What it would cost to give back each number of servers, from none to all that may go.
///
/// For each number there is a choice and a lower bound, all from one search over prices
/// ([`k_union::Curve`](crate::k_union::Curve)): so an operator sees what one more server would cost. Where the two differ,
/// [`Reclaimer::solve`](super::Reclaimer::solve) for that number tells more.
///
/// # Examples
///
/// The six servers of Figure 5 of the paper:
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{CostCurve, Costs};
///
/// let mut cluster = Cluster::new();
/// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
/// let servers = [server()?, server()?, server()?, server()?, server()?, server()?];
/// for workers in [&[(0, 6), (1, 6)][..], &[(2, 8)], &[(3, 8), (4, 2)], &[(4, 2), (5, 8)]] {
///     let job = cluster.add_job(Job::inelastic(workers.iter().map(|(_, count)| count).sum()))?;
///     let placements: Vec<Placement> =
///         workers.iter().map(|&(server, count)| Placement::base(servers[server], count)).collect();
///     cluster.place(job, &placements)?;
/// }
///
/// let curve = CostCurve::of(&cluster, &Costs::STATED)?;
/// let costs: Vec<u64> = (0..=6).map(|count| curve.certificate(count).unwrap().objective()).collect();
/// assert_eq!(costs, [0, 1, 1, 2, 3, 3, 4]);
/// assert_eq!(curve.servers(2), Some(&servers[..2]));
/// assert_eq!(curve.servers(7), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CostCurve {
    servers: Vec<ServerId>,
    certificates: Vec<Certificate>,
}

impl CostCurve {
    /// Works out the curve of a cluster, with preemptions measured so.
    ///
    /// # Errors
    ///
    /// [`ReclaimError`] where the costs can't be worked out.
    ///
    /// # Complexity
    ///
    /// As one reclaim by [`Policy::Exact`](super::Policy::Exact) without branching, times the logarithm of the number of
    /// servers.
    ///
    /// # Determinism
    ///
    /// The same cluster and costs give the same curve. Among choices of the same cost no order is promised.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{CostCurve, Costs};
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
    /// let cost = |curve: &CostCurve, count| curve.certificate(count).map(|certificate| certificate.objective());
    /// let stated = CostCurve::of(&cluster, &Costs::STATED)?;
    /// // The second server comes with the first.
    /// assert_eq!([1, 2, 3].map(|count| cost(&stated, count)), [Some(1), Some(1), Some(6)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(cluster: &Cluster, costs: &Costs<'_>) -> Result<Self, ReclaimError> {
        let (mut graph, mut exact) = (Graph::default(), Exact::default());
        match graph.read(cluster, &Ask::servers(1).costs(costs.borrowed())) {
            Err(ReclaimError::NotEnoughServers { .. }) => {}
            other => other?,
        }
        let mut curve = Self { servers: Vec::new(), certificates: Vec::new() };
        if graph.servers.is_empty() || !exact.read(&graph) {
            curve.certificates.push(Certificate::optimal(Sense::Minimize, 0));
            return Ok(curve);
        }
        let sets = Solver::new().curve(&exact.instance);
        let order = sets.sets(graph.servers.len()).unwrap_or(&[]);
        curve.servers.extend(order.iter().map(|&set| graph.servers[set as usize]));
        curve.certificates.extend((0..=order.len()).filter_map(|count| sets.certificate(count)));
        Ok(curve)
    }

    /// How many servers may go back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{CostCurve, Costs};
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
    /// cluster.add_server(Server::on_loan(v100, 8).protected())?;
    /// assert_eq!(CostCurve::of(&cluster, &Costs::STATED)?.available(), 3); // of 4 on loan
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn available(&self) -> usize {
        self.servers.len()
    }

    /// A choice of `count` servers, in the order in which they would be added; `None` where fewer may go back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{CostCurve, Costs};
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
    /// let curve = CostCurve::of(&cluster, &Costs::STATED)?;
    /// assert_eq!(curve.servers(2), Some(&[first, second][..]));
    /// assert_eq!(curve.servers(4), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn servers(&self, count: usize) -> Option<&[ServerId]> {
        self.servers.get(..count)
    }

    /// What that choice costs, and a lower bound on the cost of any other of as many servers; `None` where fewer may go
    /// back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{CostCurve, Costs};
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
    /// let curve = CostCurve::of(&cluster, &Costs::STATED)?;
    /// assert_eq!(curve.certificate(2).unwrap().to_string(), "1, proven optimal");
    /// assert_eq!(curve.certificate(4), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self, count: usize) -> Option<&Certificate> {
        self.certificates.get(count)
    }
}
