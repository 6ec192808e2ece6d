//! The worked examples of the Aryl paper (arXiv 2202.07896), section 5.2: Figure 6 and Tables 2 to 4.

use aryl::allocate::flexible_items;
use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Request};
use aryl::units::{Seconds, Speed};

/// A job of `min` to `max` workers that takes `at_max` seconds with the most.
fn job(min: u32, max: u32, at_max: f64) -> Job {
    Job::elastic(min..=max).remaining(Seconds(at_max * f64::from(max) / f64::from(min)))
}

/// When two jobs end that start together on `workers` workers with a given split, where the one that stays takes the
/// freed workers at once, up to its maximum.
fn completion_times(jobs: [&Job; 2], split: [u32; 2]) -> [f64; 2] {
    let time = |at: usize, workers: u32| jobs[at].running_time(workers).0;
    let alone = [time(0, split[0]), time(1, split[1])];
    let (first, second) = if alone[0] <= alone[1] { (0, 1) } else { (1, 0) };
    let left = 1.0 - alone[first] / alone[second];
    let grown = (split[0] + split[1]).min(jobs[second].max_workers);
    let mut ends = [0.0; 2];
    ends[first] = alone[first];
    ends[second] = alone[first] + left * time(second, grown);
    ends
}

fn assert_near(ends: [f64; 2], expected: [f64; 2], mean: f64) {
    for (end, expected) in ends.into_iter().zip(expected) {
        assert!((end - expected).abs() < 0.005, "{ends:?} are not {expected:?}");
    }
    assert!(((ends[0] + ends[1]) / 2.0 - mean).abs() < 0.005, "the mean of {ends:?} is not {mean}");
}

#[test]
fn tables_2_and_3() {
    let (a, b) = (job(2, 6, 50.0), job(2, 6, 20.0));
    assert_near(completion_times([&a, &b], [6, 2]), [50.0, 53.333], 51.667);
    assert_near(completion_times([&a, &b], [2, 6]), [63.333, 20.0], 41.667);
    assert_near(completion_times([&a, &b], [4, 4]), [60.0, 30.0], 45.0);
}

#[test]
fn table_4_shortest_first_is_not_always_right_and_the_knapsack_knows() {
    let (a, b) = (job(2, 3, 100.0), job(2, 6, 20.0));
    assert_near(completion_times([&a, &b], [3, 5]), [100.0, 24.0], 62.0);
    assert_near(completion_times([&a, &b], [2, 6]), [106.667, 20.0], 63.333);

    // The plan gives A its third worker, and B the other five.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::training(v100, 8)).unwrap();
    let (a, b) = (cluster.add_job(a).unwrap(), cluster.add_job(b).unwrap());
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert_eq!((cluster.workers(a), cluster.workers(b)), (3, 5));
    let certificate = plan.allocations()[0].certificate;
    assert_eq!((certificate.objective(), certificate.bound()), (50_000 + 36_000, 86_000));
}

#[test]
fn figure_6() {
    let items = |job: &Job| -> Vec<(u64, u64)> {
        let items = flexible_items(job, Speed::REFERENCE);
        items.map(|item| (item.gpus, item.jct_reduction_milliseconds)).collect()
    };
    let (a, b) = (job(2, 3, 100.0).gpus_per_worker(2), job(2, 6, 20.0));
    assert_eq!(items(&a), [(2, 50_000)]);
    assert_eq!(items(&b), [(1, 20_000), (2, 30_000), (3, 36_000), (4, 40_000)]);
}
