//! The server preemption cost of the paper, as a table.

use alloc::vec::Vec;

use super::ask::Ask;
use super::error::ReclaimError;
use super::graph::Graph;
use crate::cluster::Cluster;
use crate::id::ServerId;

/// The unit of a cost in integers: the least common multiple of 1 to 40.
///
/// So the share of a job on up to 40 servers is exact, and the share on more is rounded down by less than 10^-15 of a
/// unit of cost. Sums of integers do not depend on their order, so the order of jobs decides nothing. A cost is below
/// 2^64 and the unit below 2^53, so the sum of the shares of all jobs fits a `u128`.
pub(super) const SCALE: u128 = 5_342_931_457_063_200;

/// What it would cost to take one server, by three measures (Aryl, section 4, Table 1).
///
/// # Examples
///
/// Server 5 of Figure 5 in the paper, with 2 of the 10 GPUs of each of two jobs:
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::server_preemption_costs;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(v100, 8));
/// let (fourth, fifth, sixth) = (server()?, server()?, server()?);
/// for other in [fourth, sixth] {
///     let job = cluster.add_job(Job::inelastic(10))?;
///     cluster.place(job, &[Placement::base(other, 8), Placement::base(fifth, 2)])?;
/// }
/// let row = server_preemption_costs(&cluster)[1];
/// assert_eq!((row.server, row.running_jobs, row.gpu_fractions, row.cost), (fifth, 2, 0.4, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ServerPreemptionCost {
    /// The server.
    pub server: ServerId,
    /// The jobs with workers on it.
    pub running_jobs: u32,
    /// The sum, over these jobs, of the share of the job's GPUs that are on the server.
    pub gpu_fractions: f64,
    /// The server preemption cost: the sum, over the jobs with base workers on the server, of the job's preemption cost
    /// ÷ the number of servers that host base workers of the job. It counts servers, not GPUs.
    pub cost: f64,
}

/// The server preemption cost of each server that can be reclaimed, in ascending order of ids.
///
/// [`Policy::Aryl`](super::Policy::Aryl) starts from these costs, in exact integers, and updates them as it preempts
/// jobs.
///
/// # Examples
///
/// The cluster of Figure 5 in the paper, drawn in the [module documentation](super):
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::server_preemption_costs;
///
/// let mut cluster = Cluster::new();
/// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
/// let servers = [server()?, server()?, server()?, server()?, server()?, server()?];
/// for gang in [&[(0, 6), (1, 6)][..], &[(2, 8)], &[(3, 8), (4, 2)], &[(4, 2), (5, 8)]] {
///     let workers = gang.iter().map(|&(_, workers)| workers).sum();
///     let job = cluster.add_job(Job::inelastic(workers))?;
///     let placed: Vec<_> = gang.iter().map(|&(at, workers)| Placement::base(servers[at], workers)).collect();
///     cluster.place(job, &placed)?;
/// }
/// let costs: Vec<f64> = server_preemption_costs(&cluster).iter().map(|row| row.cost).collect();
/// assert_eq!(costs, [0.5, 0.5, 1.0, 0.5, 1.0, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Complexity
///
/// O(servers + jobs + placements).
#[must_use]
pub fn server_preemption_costs(cluster: &Cluster) -> Vec<ServerPreemptionCost> {
    let mut graph = Graph::default();
    // One server is asked for so that the jobs are read; where there is none the table is empty.
    let read: Result<(), ReclaimError> = graph.read(cluster, &Ask::servers(1));
    if read.is_err() {
        return Vec::new();
    }
    let row = |(at, &server): (usize, &ServerId)| {
        let (mut cost, mut gpu_fractions) = (0, 0.0);
        let on_server = graph.on_server(at);
        for &index in on_server {
            let tenancy = &graph.tenancies[index];
            let gang = graph.gang_of(tenancy);
            gpu_fractions += gang.gpus_of(tenancy) as f64 / gang.gpus as f64;
            if tenancy.hosts_base {
                cost += u128::from(gang.preemption_cost) * SCALE / u128::from(gang.base_servers);
            }
        }
        let running_jobs = on_server.len() as u32;
        ServerPreemptionCost { server, running_jobs, gpu_fractions, cost: cost as f64 / SCALE as f64 }
    };
    graph.servers.iter().enumerate().map(row).collect()
}
