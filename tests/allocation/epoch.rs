//! A warm epoch allocates nothing.

#[path = "../benches/clusters/busy.rs"]
mod busy;

use allocation_counter::measure;
use aryl::epoch::{Epoch, Plan, Request, Workspace};

#[test]
fn a_warm_epoch_allocates_nothing() {
    let (mut cluster, request) = busy::busy(400, 3);
    let epoch = Epoch::default();
    let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
    let cold = measure(|| epoch.plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap());
    assert!(cold.count_total > 0, "the counter counts");
    let first = plan.clone();
    assert!(!first.is_empty());

    // The buffers of an epoch change places, so a few epochs pass before each has held the largest state.
    for _ in 0..3 {
        epoch.plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap();
    }
    let warm = measure(|| epoch.plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap());
    assert_eq!(warm.count_total, 0);
    assert_eq!(plan, first);

    cluster.apply(&plan).unwrap();
    for _ in 0..3 {
        epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap();
    }
    let again = measure(|| epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap());
    assert_eq!(again.count_total, 0);
    assert!(plan.is_empty());
}
