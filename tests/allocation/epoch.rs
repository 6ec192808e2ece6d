//! A warm epoch allocates nothing.

#[path = "../../benches/clusters/busy.rs"]
mod busy;

use allocation_counter::measure;
use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::id::JobId;

use crate::stuffed::stuffed;

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

/// Other clusters of the same size or smaller, with other requests, in memory that is warm from such clusters and from some
/// that are larger in every respect.
#[test]
pub(crate) fn warm_memory_holds_for_other_clusters() {
    const SERVERS: u32 = 60;
    let epoch = Epoch::default();
    let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
    let case = |seed: u64| {
        // Seeds from 100 on are smaller too.
        let servers = if seed < 102 { SERVERS } else { SERVERS - seed as u32 % 20 };
        let (mut cluster, mut request) = busy::busy(servers, seed);
        if seed % 3 == 1 {
            request = Request::lend(2);
            add_inference(&mut cluster);
        } else if seed % 3 == 2 {
            request = Request::NONE;
        }
        (cluster, request)
    };
    let turns =
        (0..SERVERS).step_by(4).map(|turn| (stuffed(SERVERS + 2, 8, SERVERS, turn), Request::reclaim(2)));
    // Servers that are busy go back too.
    let back = (0..18).map(|at| (busy::busy(SERVERS, at).0, Request::reclaim(1 + at as u32 % 9)));
    let cases: Vec<_> = turns.chain((0..9).map(case)).chain(back).collect();
    // The buffers change places, so each has held the largest state only after some epochs.
    for _ in 0..3 {
        for (cluster, request) in &cases {
            epoch.plan_into(cluster, request, &mut workspace, &mut plan).unwrap();
        }
    }
    for seed in 100..112 {
        let (cluster, request) = case(seed);
        let warm = measure(|| epoch.plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap());
        assert_eq!(warm.count_total, 0, "seed {seed}");
        assert_eq!(plan, epoch.plan(&cluster, &request).unwrap(), "seed {seed}");
    }
}

/// A job that mixes up to four GPU types takes no memory for that.
#[test]
fn jobs_that_mix_gpu_types_do_not_allocate_either() {
    for types in 2..=4 {
        let mut cluster = Cluster::new();
        let types: Vec<_> =
            (0..types).map(|at| cluster.add_gpu_type(GpuType::new("").speed(1, 1 + at)).unwrap()).collect();
        for at in 0..3 * types.len() {
            cluster.add_server(Server::training(types[at % types.len()], 2)).unwrap();
        }
        for _ in 0..2 {
            cluster.add_job(Job::elastic(1..=40).fungible().heterogeneous()).unwrap();
        }
        let epoch = Epoch::default();
        let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
        epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap();
        cluster.apply(&plan).unwrap();
        cluster.add_job(Job::elastic(1..=40).fungible().heterogeneous()).unwrap();
        let mixes = |id| {
            let on = cluster.placements(id).iter().map(|p| cluster.server(p.server).unwrap().gpu_type);
            on.collect::<std::collections::BTreeSet<_>>().len()
        };
        let most = cluster.jobs().map(|(id, _)| mixes(id)).max().unwrap();
        assert!(most >= types.len().min(3), "{most} of {}", types.len());
        for _ in 0..4 {
            epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap();
        }
        let warm = measure(|| epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap());
        assert_eq!(warm.count_total, 0, "{} types", types.len());
    }
}

/// Two servers to lend, and a job that waits for them.
fn add_inference(cluster: &mut Cluster) {
    let t4 = aryl::id::GpuTypeId::new(1);
    for _ in 0..2 {
        cluster.add_server(Server::inference(t4, 8)).unwrap();
    }
    cluster.add_job(Job::elastic(1..=4).fungible()).unwrap();
}

/// Ids are never used twice, so the memory of a job that is gone must serve the jobs after it.
#[test]
pub(crate) fn jobs_that_come_and_go_cost_a_warm_epoch_no_allocation() {
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
            let counted = crate::allocations(|| {
                Epoch::default().plan_into(&cluster, Request::NONE, &mut workspace, &mut plan).unwrap();
            });
            // Past 256 jobs the buffers with a place for each id have room for all that come.
            assert!(epoch < 300 || counted == 0, "{servers_each} servers each: epoch {epoch}");
            assert!(!plan.is_empty());
            cluster.apply(&plan).unwrap();
        }
    }
}
