//! The totals of a plan, counted again.

use super::PlanViolation;
use super::books::Books;
use super::count::Workers;
use crate::cluster::{Cluster, Pool};
use crate::epoch::Totals;
use crate::units::Seconds;

/// What is counted on one side of a plan.
#[derive(Default)]
struct Side {
    waiting: u64,
    running: u64,
    gpus: u64,
    busy: u64,
    jct_reduction: f64,
    /// The sum of the magnitudes of the times added up, against which a difference is held.
    added_up: f64,
}

impl Side {
    fn of(cluster: &Cluster, books: &Books<'_>) -> Self {
        let mut side = Self::default();
        for (id, server) in cluster.servers() {
            if matches!(books.pool(id), Some(Pool::Training | Pool::OnLoan)) {
                side.gpus += u64::from(server.gpus);
            }
            side.busy += books.held(id);
        }
        for (id, job) in cluster.jobs() {
            if !books.is_running(id) {
                side.waiting += 1;
                continue;
            }
            side.running += 1;
            let held = Workers::of(cluster, &books.placements(id)).running_time(cluster, job);
            // A curve may be so slow that the time is infinite.
            side.jct_reduction = (side.jct_reduction + (job.remaining.0 - held)).max(f64::MIN);
            side.added_up += job.remaining.0 + held;
        }
        side
    }
}

pub(super) fn check_totals(
    cluster: &Cluster,
    after: &Books<'_>,
    totals: &Totals,
) -> Result<(), PlanViolation> {
    let (before, after) = (Side::of(cluster, &Books::of(cluster)), Side::of(cluster, after));
    for (what, stated, expected) in [
        ("waiting jobs before", totals.waiting_before.into(), before.waiting),
        ("waiting jobs after", totals.waiting_after.into(), after.waiting),
        ("running jobs before", totals.running_before.into(), before.running),
        ("running jobs after", totals.running_after.into(), after.running),
        ("GPUs before", totals.gpus_before, before.gpus),
        ("GPUs after", totals.gpus_after, after.gpus),
        ("busy GPUs before", totals.busy_before, before.busy),
        ("busy GPUs after", totals.busy_after, after.busy),
    ] {
        if stated != expected {
            return Err(PlanViolation::Count { what, stated, expected });
        }
    }
    for (what, stated, side) in [
        ("reduction in job completion time before", totals.jct_reduction_before, &before),
        ("reduction in job completion time after", totals.jct_reduction_after, &after),
    ] {
        let expected = Seconds(side.jct_reduction);
        // Where a sum ends at the lowest number, the two must end there alike.
        let same = stated.0.total_cmp(&expected.0).is_eq();
        let close = (stated.0 - expected.0).abs() <= 1e-9 * side.added_up && side.added_up.is_finite();
        if !same && !close {
            return Err(PlanViolation::Time { what, stated, expected });
        }
    }
    Ok(())
}
