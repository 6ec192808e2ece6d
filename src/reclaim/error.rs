//! Why no servers can be chosen.

use alloc::vec::Vec;
use core::fmt;

use super::cost_table::CostTable;
use super::costs::CostError;
use crate::cluster::{Cluster, Pool, Server};
use crate::id::{GpuTypeId, JobId, ServerId};

/// Why servers can't be reclaimed.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::{ReclaimError, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// // Ask for what can be had, where that is better than nothing.
/// let answer = match Reclaimer::default().solve(&cluster, 5) {
///     Err(ReclaimError::NotEnoughServers { available, .. }) => Reclaimer::default().solve(&cluster, available)?,
///     other => other?,
/// };
/// assert_eq!(answer.servers().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ReclaimError {
    /// More servers are asked for than can go back. No other choice would do: ask for `available` or fewer, or lift a
    /// protection.
    #[error("{} to go back, and {available} can; {shortage}", Are(u64::from(*asked), "server", *gpu_type))]
    NotEnoughServers {
        /// The servers asked for.
        asked: u32,
        /// The servers that can go back.
        available: u32,
        /// The type that they are asked of; `None` for any.
        gpu_type: Option<GpuTypeId>,
        /// What becomes of the others.
        shortage: Shortage,
    },
    /// More GPUs are asked for than the servers have that can go back.
    #[error("{} to go back, and {available} can; {shortage}", Are(*asked, "GPU", *gpu_type))]
    NotEnoughGpus {
        /// The GPUs asked for.
        asked: u64,
        /// The GPUs of the servers that can go back.
        available: u64,
        /// The type that they are asked of; `None` for any.
        gpu_type: Option<GpuTypeId>,
        /// What becomes of the other servers.
        shortage: Shortage,
    },
    /// The ask makes no sense for this cluster.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The preemptions can't be priced.
    #[error(transparent)]
    Costs(#[from] CostError),
}

/// Where the servers on loan are that can't go back. Each is counted once, in the first place that fits.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{ReclaimError, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let busy = cluster.add_server(Server::on_loan(v100, 8))?;
/// cluster.add_server(Server::on_loan(v100, 8).protected())?;
/// let job = cluster.add_job(Job::inelastic(1).protected())?;
/// cluster.place(job, &[Placement::base(busy, 1)])?;
/// let Err(ReclaimError::NotEnoughServers { shortage, .. }) = Reclaimer::default().solve(&cluster, 1) else {
///     unreachable!()
/// };
/// assert_eq!((shortage.on_loan, shortage.protected_servers, shortage.blocked_servers), (2, 1, 1));
/// assert_eq!(shortage.blocking, [job]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Shortage {
    /// The servers on loan, of the type asked for.
    pub on_loan: u32,
    /// Those that are themselves protected.
    pub protected_servers: u32,
    /// Those that the ask says must stay.
    pub told_to_stay: u32,
    /// Those that host workers of protected jobs.
    pub blocked_servers: u32,
    /// The protected jobs with workers on the blocked servers, in ascending order of ids.
    pub blocking: Vec<JobId>,
}

impl Shortage {
    /// O(servers + tenants of the servers on loan).
    pub(super) fn of(
        cluster: &Cluster,
        costs: &CostTable,
        gpu_type: Option<GpuTypeId>,
        must_stay: impl Fn(ServerId) -> bool,
    ) -> Self {
        let mut shortage = Self::default();
        let is_asked = |server: &Server| {
            server.pool == Pool::OnLoan && gpu_type.is_none_or(|gpu_type| gpu_type == server.gpu_type)
        };
        for (id, server) in cluster.servers().filter(|(_, server)| is_asked(server)) {
            shortage.on_loan += 1;
            let known = shortage.blocking.len();
            if server.protected {
                shortage.protected_servers += 1;
            } else if must_stay(id) {
                shortage.told_to_stay += 1;
            } else {
                let tenants = cluster.tenants(id).iter().map(|tenant| tenant.job);
                shortage.blocking.extend(tenants.filter(|&job| costs.protects(cluster, job)));
                shortage.blocked_servers += u32::from(shortage.blocking.len() > known);
            }
        }
        shortage.blocking.sort_unstable();
        shortage.blocking.dedup();
        shortage
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many jobs are named; the others are counted.
        const NAMED: usize = 8;
        let Self { on_loan, protected_servers, told_to_stay, blocked_servers, blocking } = self;
        write!(f, "of {on_loan} on loan, protected: {protected_servers}, ")?;
        if *told_to_stay > 0 {
            write!(f, "told to stay: {told_to_stay}, ")?;
        }
        write!(f, "with workers of protected jobs: {blocked_servers}")?;
        for (at, job) in blocking.iter().take(NAMED).enumerate() {
            write!(f, "{}{job}", if at == 0 { " (" } else { ", " })?;
        }
        match blocking.len() {
            0 => Ok(()),
            jobs if jobs > NAMED => write!(f, " and {} more)", jobs - NAMED),
            _ => f.write_str(")"),
        }
    }
}

/// The type asked of, in a sentence.
struct Of(Option<GpuTypeId>);

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |gpu_type| write!(f, " of {gpu_type}"))
    }
}

/// So many of these are, in a sentence.
struct Are(u64, &'static str, Option<GpuTypeId>);

impl fmt::Display for Are {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(count, noun, gpu_type) = self;
        let (s, are) = if count == 1 { ("", "is") } else { ("s", "are") };
        write!(f, "{count} {noun}{s}{} {are}", Of(gpu_type))
    }
}

/// Why an ask makes no sense for a cluster.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::{Ask, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let error = Reclaimer::default().solve(&cluster, Ask::these(&[server])).unwrap_err();
/// assert_eq!(error.to_string(), "server 0 must go back, and is in the training pool");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AskError {
    /// It names a server that the cluster does not hold.
    #[error("the ask names {server}, which the cluster does not hold")]
    UnknownServer {
        /// The server.
        server: ServerId,
    },
    /// It names a GPU type that the cluster does not hold.
    #[error("the ask names {gpu_type}, which the cluster does not hold")]
    UnknownGpuType {
        /// The type.
        gpu_type: GpuTypeId,
    },
    /// It names a GPU type twice.
    #[error("the ask names {gpu_type} twice")]
    GpuTypeTwice {
        /// The type.
        gpu_type: GpuTypeId,
    },
    /// A server must both go back and stay.
    #[error("{server} must go back and must stay")]
    MustReturnAndStay {
        /// The server.
        server: ServerId,
    },
    /// A server must go back that is not on loan.
    #[error("{server} must go back, and is in the {pool} pool")]
    NotOnLoan {
        /// The server.
        server: ServerId,
        /// The pool it is in.
        pool: Pool,
    },
    /// A server must go back that is protected.
    #[error("{server} must go back, and is protected")]
    ProtectedServer {
        /// The server.
        server: ServerId,
    },
    /// A server must go back that hosts workers of a protected job.
    #[error("{server} must go back, and hosts workers of {job}, which is protected")]
    ProtectedJob {
        /// The server.
        server: ServerId,
        /// The first such job.
        job: JobId,
    },
    /// A server must go back of a GPU type of which nothing is asked.
    #[error("{server} must go back, and is of {gpu_type}, of which nothing is asked")]
    OtherGpuType {
        /// The server.
        server: ServerId,
        /// Its type.
        gpu_type: GpuTypeId,
    },
    /// More servers must go back than are asked for.
    #[error(
        "{must_return} server{}{} must go back, and {asked} {} asked for",
        if *must_return == 1 { "" } else { "s" },
        Of(*gpu_type),
        if *asked == 1 { "is" } else { "are" }
    )]
    TooManyMustReturn {
        /// The servers that must go back.
        must_return: u32,
        /// The servers asked for.
        asked: u32,
        /// The type that they are asked of; `None` for any.
        gpu_type: Option<GpuTypeId>,
    },
}
