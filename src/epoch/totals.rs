//! The cluster before and after, in numbers.

use super::Totals;
use super::working::Working;
use crate::cluster::{Cluster, Inventory, Job, Occupancy};
use crate::id::JobId;
use crate::units::Seconds;

pub(super) fn count(cluster: &Cluster, working: &Working) -> Totals {
    let inventory = cluster.inventory();
    let mut totals = Totals::default();
    for (id, server) in cluster.servers() {
        let gpus = u64::from(server.gpus);
        if server.pool.is_for_training() {
            totals.gpus_before += gpus;
            totals.busy_before += gpus - u64::from(cluster.free_gpus(id));
        }
        if working.pools[id.index()].is_for_training() {
            totals.gpus_after += gpus;
            totals.busy_after += gpus - u64::from(working.occupancy.free(id));
        }
    }
    for (id, job) in cluster.jobs() {
        let before = side(inventory, cluster.occupancy(), id, job, &mut totals.jct_reduction_before);
        *(if before { &mut totals.running_before } else { &mut totals.waiting_before }) += 1;
        let after = side(inventory, &working.occupancy, id, job, &mut totals.jct_reduction_after);
        *(if after { &mut totals.running_after } else { &mut totals.waiting_after }) += 1;
    }
    totals
}

/// Whether a job runs; if so, adds how much sooner it ends than with its minimum.
fn side(inventory: &Inventory, occupancy: &Occupancy, id: JobId, job: &Job, reduction: &mut Seconds) -> bool {
    let placements = occupancy.placements(id);
    if !placements.is_empty() {
        let sooner = job.remaining.0 - inventory.tally(placements).time_to_end(job).0;
        reduction.0 = (reduction.0 + sooner).max(f64::MIN);
    }
    !placements.is_empty()
}
