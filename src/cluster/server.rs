//! Servers, and the pool that each belongs to.

use core::fmt;

use crate::id::GpuTypeId;

/// Who uses a server.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Pool, Server};
/// use aryl::epoch::{Epoch, Request};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::inference(v100, 8))?;
/// let plan = Epoch::default().plan(&cluster, Request::lend(1))?;
/// cluster.apply(&plan)?;
/// assert_eq!(cluster.server(server).unwrap().pool, Pool::OnLoan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Pool {
    /// It belongs to the training cluster and stays there.
    Training,
    /// It belongs to the inference cluster and serves inference: training may not use it.
    Inference,
    /// It belongs to the inference cluster and is lent to training for now.
    OnLoan,
}

impl Pool {
    /// Whether training jobs may run on servers of this pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Pool;
    ///
    /// let pools = [Pool::Training, Pool::Inference, Pool::OnLoan];
    /// assert_eq!(pools.map(Pool::is_for_training), [true, false, true]);
    /// ```
    #[must_use]
    pub const fn is_for_training(self) -> bool {
        matches!(self, Self::Training | Self::OnLoan)
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Training => "training",
            Self::Inference => "inference",
            Self::OnLoan => "on-loan",
        })
    }
}

/// A server: some GPUs of one type, in one pool.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Pool, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::on_loan(v100, 8).protected())?;
/// assert_eq!(cluster.server(server).unwrap().pool, Pool::OnLoan);
/// assert_eq!(cluster.free_gpus(server), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Server {
    /// The type of its GPUs.
    pub gpu_type: GpuTypeId,
    /// How many GPUs it has, from 1 to [`Server::MAX_GPUS`].
    pub gpus: u32,
    /// Who uses it.
    pub pool: Pool,
    /// Whether it must stay in its pool: a protected server is neither lent nor reclaimed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub protected: bool,
}

impl Server {
    /// The most GPUs that one server can have.
    pub const MAX_GPUS: u32 = 1_024;

    const fn new(gpu_type: GpuTypeId, gpus: u32, pool: Pool) -> Self {
        Self { gpu_type, gpus, pool, protected: false }
    }

    /// A server of the training cluster, with this many GPUs.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Pool, Server};
    /// use aryl::id::GpuTypeId;
    ///
    /// let server = Server::training(GpuTypeId::new(0), 8);
    /// assert_eq!((server.gpus, server.pool), (8, Pool::Training));
    /// ```
    #[must_use]
    pub const fn training(gpu_type: GpuTypeId, gpus: u32) -> Self {
        Self::new(gpu_type, gpus, Pool::Training)
    }

    /// A server of the inference cluster that serves inference, with this many GPUs. It can be lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Server;
    /// use aryl::id::GpuTypeId;
    ///
    /// let server = Server::inference(GpuTypeId::new(0), 8);
    /// assert!(!server.pool.is_for_training());
    /// ```
    #[must_use]
    pub const fn inference(gpu_type: GpuTypeId, gpus: u32) -> Self {
        Self::new(gpu_type, gpus, Pool::Inference)
    }

    /// A server of the inference cluster that is lent to training, with this many GPUs. It can be reclaimed.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Server;
    /// use aryl::id::GpuTypeId;
    ///
    /// let server = Server::on_loan(GpuTypeId::new(0), 8);
    /// assert!(server.pool.is_for_training());
    /// assert_eq!(server.pool.to_string(), "on-loan");
    /// ```
    #[must_use]
    pub const fn on_loan(gpu_type: GpuTypeId, gpus: u32) -> Self {
        Self::new(gpu_type, gpus, Pool::OnLoan)
    }

    /// The same server, marked to stay in its pool: it is neither lent nor reclaimed.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::Reclaimer;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::on_loan(v100, 8).protected())?;
    /// let plain = cluster.add_server(Server::on_loan(v100, 8))?;
    /// // Both are idle, and the lower id would go first.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.servers(), [plain]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn protected(mut self) -> Self {
        self.protected = true;
        self
    }
}

/// Why a server can't be added.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{AddServerError, Cluster, Server};
/// use aryl::id::GpuTypeId;
///
/// let gpu_type = GpuTypeId::new(0);
/// let error = Cluster::new().add_server(Server::training(gpu_type, 8));
/// assert_eq!(error, Err(AddServerError::UnknownGpuType { gpu_type }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddServerError {
    /// The cluster holds no such GPU type.
    #[error("the cluster holds no {gpu_type}")]
    UnknownGpuType {
        /// The type given.
        gpu_type: GpuTypeId,
    },
    /// The server has no GPU.
    #[error("the server has 0 GPUs")]
    ZeroGpus,
    /// The server has more than [`Server::MAX_GPUS`] GPUs.
    #[error("the server has {gpus} GPUs, above the limit of {limit}")]
    TooManyGpus {
        /// The number given.
        gpus: u32,
        /// The largest number allowed.
        limit: u32,
    },
    /// The cluster holds as many servers as ids can name.
    #[error("the cluster holds {limit} servers already, as many as there can be")]
    Full {
        /// The number of servers there can be.
        limit: u32,
    },
}
