//! The ends of every range: nothing at all, one of each, as many as there can be, numbers at the edges of their types.
//!
//! Each test has the right answer, worked out by hand, and what a solver returns passes `verify`.

mod clusters;
mod epoch;
#[cfg(feature = "ilp")]
mod ilp;
mod k_union;
mod knapsack;
mod loan;
mod place;
mod reclaim;
mod scaling;
#[cfg(feature = "sim")]
mod sim;

use aryl::cluster::{Cluster, GpuType, Server};
use aryl::id::GpuTypeId;

/// The only GPU type of [`idle`] clusters.
const V100: GpuTypeId = GpuTypeId::new(0);

/// A cluster of as many equal servers, all idle.
fn idle(servers: u32, server: fn(GpuTypeId, u32) -> Server, gpus: u32) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..servers {
        cluster.add_server(server(V100, gpus)).unwrap();
    }
    cluster
}

/// The bytes that a call allocates, those that it frees again included.
fn bytes(call: impl FnOnce()) -> u64 {
    allocation_counter::measure(call).bytes_total
}
