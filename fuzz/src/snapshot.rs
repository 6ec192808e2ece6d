//! Any bytes as a snapshot of a cluster: reading them must not panic, and what is read must keep the rules and survive
//! being written.

use aryl::cluster::Cluster;
use aryl::verify;

pub fn run(data: &[u8]) {
    let Ok(cluster) = serde_json::from_slice::<Cluster>(data) else { return };
    verify::cluster(&cluster).expect("the rules of the cluster");
    let written = serde_json::to_vec(&cluster).expect("a cluster can be written");
    let read: Cluster = serde_json::from_slice(&written).expect("and read again");
    assert_eq!(read, cluster);
}
