//! A warm epoch allocates nothing.

#[path = "../benches/clusters/busy.rs"]
mod busy;

use allocation_counter::measure;
use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::id::JobId;

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

/// Ids are never used twice, so the memory of a job that is gone must serve the jobs after it.
#[test]
fn jobs_that_come_and_go_cost_a_warm_epoch_no_allocation() {
    for servers_each in [1, 3, 5] {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..30 {
            cluster.add_server(Server::training(gpu, 8)).unwrap();
        }
        let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
        for epoch in 0..400 {
            if epoch >= 4 {
                cluster.remove_job(JobId::new(epoch - 4)).expect("it came four epochs ago");
            }
            let job = Job::elastic(servers_each..=servers_each + 1).gpus_per_worker(8);
            cluster.add_job(job).unwrap();
            let counted = measure(|| {
                Epoch::default().plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap();
            });
            // Past 256 jobs the buffers with a place for each id have room for all that come.
            assert!(epoch < 300 || counted.count_total == 0, "{servers_each} servers each: epoch {epoch}");
            assert!(!plan.is_empty());
            cluster.apply(&plan).unwrap();
        }
    }
}
