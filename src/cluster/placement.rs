//! Who runs where: the two directions of one fact.

use core::fmt;

use crate::id::{JobId, ServerId};

/// What a worker is to its job.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=4))?;
/// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 1)])?;
/// // A base worker leaves, and there is no flexible one that stays to take its place.
/// assert!(cluster.scale_in(job, server, 2).is_err());
/// cluster.scale_in(job, server, 1)?;
/// assert!(cluster.placements(job).iter().all(|placement| placement.role == Role::Base));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Role {
    /// One of the minimum number of workers, without which the job stops.
    Base,
    /// A worker above the minimum: it can leave, and the job runs on more slowly.
    Flexible,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Base => "base",
            Self::Flexible => "flexible",
        })
    }
}

/// Workers of one job on one server, seen from the job.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Placement, Role};
/// use aryl::id::ServerId;
///
/// let placement = Placement::base(ServerId::new(3), 2);
/// assert_eq!((placement.role, placement.workers, placement.pinned), (Role::Base, 2, false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Placement {
    /// The server that hosts them.
    pub server: ServerId,
    /// What they are to their job.
    pub role: Role,
    /// How many they are: workers of the server's own GPU type.
    pub workers: u32,
    /// Whether the job can't lose them. Only base workers can be pinned: rank 0, say. Where a server with pinned
    /// workers is reclaimed, their job is preempted, whatever surplus it has elsewhere.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pinned: bool,
}

impl Placement {
    /// Base workers on a server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Placement, Role};
    /// use aryl::id::ServerId;
    ///
    /// let placement = Placement::base(ServerId::new(3), 2);
    /// assert_eq!((placement.role, placement.workers), (Role::Base, 2));
    /// ```
    #[must_use]
    pub const fn base(server: ServerId, workers: u32) -> Self {
        Self { server, role: Role::Base, workers, pinned: false }
    }

    /// Flexible workers on a server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Placement, Role};
    /// use aryl::id::ServerId;
    ///
    /// let placement = Placement::flexible(ServerId::new(3), 1);
    /// assert_eq!((placement.role, placement.workers), (Role::Flexible, 1));
    /// assert!(Role::Base < Role::Flexible); // so base workers come first in a sorted list
    /// ```
    #[must_use]
    pub const fn flexible(server: ServerId, workers: u32) -> Self {
        Self { server, role: Role::Flexible, workers, pinned: false }
    }

    /// The same workers, marked as ones that the job can't lose.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Placement;
    /// use aryl::id::ServerId;
    ///
    /// assert!(Placement::base(ServerId::new(0), 1).pinned().pinned);
    /// ```
    #[must_use]
    pub const fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }
}

/// Workers of one job on one server, seen from the server.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(2))?;
/// cluster.place(job, &[Placement::base(server, 3)])?;
/// let tenant = cluster.tenants(server)[0];
/// assert_eq!((tenant.job, tenant.workers), (job, 3)); // workers, not GPUs
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Tenant {
    /// The job they belong to.
    pub job: JobId,
    /// What they are to their job.
    pub role: Role,
    /// How many they are: workers of the server's own GPU type.
    pub workers: u32,
}
