//! Why no servers can be chosen.

use alloc::vec::Vec;

use crate::cluster::{Cluster, Pool};
use crate::id::JobId;

/// Why servers can't be reclaimed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ReclaimError {
    /// More servers are asked for than can go back. No other choice would do: ask for `available` or fewer, or lift a
    /// protection.
    #[error(
        "{asked} servers are to go back, and {available} can; of {on_loan} on loan, protected: {protected_servers}, with \
         workers of protected jobs: {}",
        on_loan.saturating_sub(*available).saturating_sub(*protected_servers)
    )]
    NotEnoughServers {
        /// The servers asked for.
        asked: u32,
        /// The servers that can go back.
        available: u32,
        /// The servers on loan.
        on_loan: u32,
        /// The servers on loan that are themselves protected.
        protected_servers: u32,
        /// The protected jobs with workers on other servers on loan, in ascending order of ids.
        blocking: Vec<JobId>,
    },
}

impl ReclaimError {
    /// O(servers + placements of protected jobs).
    pub(super) fn not_enough(cluster: &Cluster, asked: u32, available: usize) -> Self {
        let (mut on_loan, mut protected_servers) = (0, 0);
        for (_, server) in cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan) {
            on_loan += 1;
            protected_servers += u32::from(server.protected);
        }
        let is_unprotected_loan =
            |id| cluster.server(id).is_some_and(|server| server.pool == Pool::OnLoan && !server.protected);
        let blocks =
            |id| cluster.placements(id).iter().any(|placement| is_unprotected_loan(placement.server));
        let blocking =
            cluster.jobs().filter(|&(id, job)| job.protected && blocks(id)).map(|(id, _)| id).collect();
        Self::NotEnoughServers { asked, available: available as u32, on_loan, protected_servers, blocking }
    }
}
