//! Whole epochs at the edges: reclaim, allocate, place.

use aryl::allocate::{flexible_items, shortest_first};
use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Action, Epoch, EpochError, Plan, Request};
use aryl::id::{JobId, ServerId};
use aryl::reclaim::{Ask, ReclaimError};
use aryl::units::{Seconds, Speed};
use aryl::verify;

use crate::{V100, bytes, idle};

/// Plans, checks the plan, carries it out, and checks that nothing is left to do.
#[track_caller]
fn plan(cluster: &mut Cluster, request: Request<'_>) -> Plan {
    let plan = Epoch::default().plan(cluster, &request).unwrap();
    assert_eq!(verify::plan(cluster, &request, &plan), Ok(()));
    cluster.apply(&plan).unwrap();
    let again = Epoch::default().plan(cluster, Request::NONE).unwrap();
    assert!(again.is_empty(), "then {again}");
    plan
}

#[track_caller]
fn not_enough(cluster: &Cluster, asked: u32, available: u32) {
    match Epoch::default().plan(cluster, Request::reclaim(asked)).unwrap_err() {
        EpochError::Reclaim(ReclaimError::NotEnoughServers { asked: said, available: can, .. }) => {
            assert_eq!((said, can), (asked, available));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn of_an_empty_cluster_the_plan_is_empty() {
    let mut cluster = Cluster::new();
    for _ in 0..2 {
        assert_eq!(plan(&mut cluster, Request::NONE), Plan::default());
        not_enough(&cluster, 1, 0);
        not_enough(&cluster, u32::MAX, 0);
        for asked in [1, u32::MAX] {
            let error = EpochError::NotEnoughToLend { asked, available: 0 };
            assert_eq!(Epoch::default().plan(&cluster, Request::lend(asked)), Err(error));
        }
        assert!(shortest_first(&cluster).is_empty());
        // The same with a GPU type and no servers.
        cluster = idle(0, Server::training, 1);
    }
    // Jobs and no servers: they wait.
    for _ in 0..3 {
        cluster.add_job(Job::elastic(1..=4)).unwrap();
    }
    let plan = plan(&mut cluster, Request::NONE);
    assert!(plan.is_empty());
    assert_eq!((plan.totals().waiting_before, plan.totals().waiting_after), (3, 3));
}

#[test]
fn servers_without_jobs_are_lent_and_returned_up_to_all() {
    let mut cluster = idle(7, Server::inference, 8);
    let error = EpochError::NotEnoughToLend { asked: u32::MAX, available: 7 };
    assert_eq!(Epoch::default().plan(&cluster, Request::lend(u32::MAX)), Err(error));
    let lent = plan(&mut cluster, Request::lend(7));
    let expected: Vec<Action> = (0..7).map(|server| Action::Lend { server: ServerId::new(server) }).collect();
    assert_eq!(lent.actions(), expected);
    assert_eq!((lent.totals().gpus_before, lent.totals().gpus_after), (0, 56));
    not_enough(&cluster, 8, 7);
    let returned = plan(&mut cluster, Request::reclaim(7));
    let expected: Vec<Action> =
        (0..7).map(|server| Action::Return { server: ServerId::new(server) }).collect();
    assert_eq!(returned.actions(), expected);
    assert_eq!((returned.totals().gpus_before, returned.totals().gpus_after), (56, 0));
}

#[test]
fn one_server_and_one_job() {
    let mut cluster = idle(1, Server::training, 8);
    let job = cluster.add_job(Job::elastic(1..=u32::MAX >> 12).remaining(Seconds(80.0))).unwrap();
    let plan = plan(&mut cluster, Request::NONE);
    assert_eq!(plan.to_string(), "start job 0: 1 worker on server 0\nscale out job 0: 7 workers on server 0");
    assert_eq!(plan.totals().jct_reduction_after, Seconds(70.0));
    assert_eq!(cluster.time_to_end(job), Some(Seconds(10.0)));
    let allocation = plan.allocations()[0];
    assert_eq!((allocation.capacity, allocation.certificate.objective()), (7, 70_000));
    assert!(allocation.certificate.is_optimal());
}

#[test]
fn where_all_jobs_are_protected_idle_servers_return_and_no_others() {
    let mut cluster = idle(20, Server::on_loan, 8);
    for server in 0..10 {
        let job = cluster.add_job(Job::inelastic(8).protected()).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(server), 8)]).unwrap();
    }
    not_enough(&cluster, 11, 10);
    let plan = plan(&mut cluster, Request::reclaim(10));
    assert_eq!(plan.reclaim().servers(), (10..20).map(ServerId::new).collect::<Vec<_>>());
    assert_eq!((plan.totals().running_after, plan.totals().gpus_after), (10, 80));
}

#[test]
fn a_job_on_every_server_shrinks_to_its_last_worker_and_then_goes() {
    let servers = 400;
    for (count, runs) in [(1, true), (399, true), (400, false)] {
        let mut cluster = idle(servers, Server::on_loan, 1);
        let job = cluster.add_job(Job::elastic(1..=servers).remaining(Seconds(400.0))).unwrap();
        let flexible = (1..servers).map(|server| Placement::flexible(ServerId::new(server), 1));
        let gang: Vec<Placement> =
            [Placement::base(ServerId::new(0), 1)].into_iter().chain(flexible).collect();
        cluster.place(job, &gang).unwrap();
        let plan = plan(&mut cluster, Request::reclaim(count));
        assert_eq!(plan.reclaim().preempted().is_empty(), runs);
        assert_eq!(cluster.is_running(job), runs);
        assert_eq!(cluster.workers(job), u64::from(servers - count));
        assert_eq!(plan.totals().gpus_after, u64::from(servers - count));
        not_enough(&cluster, servers - count + 1, servers - count);
    }
}

/// Ten thousand jobs that are alike in all but their ids: the first start, and each on the server of its number.
#[test]
fn ten_thousand_equal_jobs() {
    let mut cluster = idle(5_000, Server::training, 1);
    for _ in 0..10_000 {
        cluster.add_job(Job::inelastic(1)).unwrap();
    }
    assert!(shortest_first(&cluster).into_iter().eq((0..10_000).map(JobId::new)));
    let plan = plan(&mut cluster, Request::NONE);
    let start = |at| Action::Start { job: JobId::new(at), server: ServerId::new(at), workers: 1 };
    assert_eq!(plan.actions(), (0..5_000).map(start).collect::<Vec<_>>());
    assert_eq!((plan.totals().waiting_after, plan.totals().busy_after), (5_000, 5_000));
}

/// Equal elastic jobs and half the GPUs that they could use: any half, as long as all are used.
#[test]
fn ten_thousand_equal_elastic_jobs() {
    let mut cluster = idle(1_250, Server::training, 8);
    for _ in 0..5_000 {
        cluster.add_job(Job::elastic(1..=3).remaining(Seconds(60.0))).unwrap();
    }
    let plan = plan(&mut cluster, Request::NONE);
    // 60 s becomes 30 s with a second worker, and 20 s with a third: each of the second ones, which is all there are.
    let allocation = plan.allocations()[0];
    assert_eq!((allocation.capacity, allocation.certificate.objective()), (5_000, 150_000_000));
    assert!(allocation.certificate.is_optimal());
    assert_eq!((plan.totals().running_after, plan.totals().busy_after), (5_000, 10_000));
}

#[test]
fn costs_of_2_to_the_64_less_1_in_a_plan() {
    let mut cluster = idle(3, Server::on_loan, 8);
    for (server, cost) in [(0, u64::MAX - 2), (1, 1), (2, 1)] {
        let job = cluster.add_job(Job::inelastic(8).preemption_cost(cost)).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(server), 8)]).unwrap();
    }
    let first = Epoch::default().plan(&cluster, Request::reclaim(2)).unwrap();
    assert_eq!(first.reclaim().certificate().objective(), 2);
    let all = plan(&mut cluster, Request::reclaim(3));
    assert_eq!(all.reclaim().certificate().objective(), u64::MAX);
    assert!(all.reclaim().certificate().is_optimal());
}

/// A remaining time that rounds to nothing is worth no worker, whatever its weight leaves of it.
#[test]
fn workers_go_where_a_millisecond_is_gained() {
    let cases = [
        (1e-300, 1.0, 1),
        (f64::from_bits(1), 1e300, 1),
        (1e-300, 1e303, 4),
        (1e300, 1e-300, 4),
        (9e12, 1.0, 4),
    ];
    for (remaining, weight, workers) in cases {
        let mut cluster = idle(1, Server::training, 8);
        let job = cluster.add_job(Job::elastic(1..=4).remaining(Seconds(remaining)).weight(weight)).unwrap();
        let plan = plan(&mut cluster, Request::NONE);
        assert_eq!(cluster.workers(job), workers, "{remaining} at {weight}");
        assert!(plan.allocations()[0].certificate.is_optimal());
    }
    // A hundred jobs of the longest time and the largest overhead: what they gain is counted in a coarser unit.
    let mut cluster = idle(1, Server::training, 1_000);
    for _ in 0..100 {
        let job = Job::elastic(1..=10).remaining(Seconds(9e12)).resize_overhead(Seconds(9e12));
        cluster.add_job(job).unwrap();
    }
    let plan = plan(&mut cluster, Request::NONE);
    assert_eq!((plan.totals().running_after, plan.totals().busy_after), (100, 1_000));
    let gained = plan.allocations()[0].certificate.objective();
    assert!(gained.abs_diff(81 * 100 * 100_000_000_000_000) < 1 << 20, "{gained}");
}

#[test]
fn items_at_the_ends() {
    let job = Job::elastic(1..=Job::MAX_WORKERS).gpus_per_worker(1_024).remaining(Seconds(1e6));
    let slow = Speed::new(1, 1_000).unwrap();
    let used = bytes(|| {
        let first = flexible_items(&job, slow).next().unwrap();
        assert_eq!((first.extra_workers, first.gpus), (1, 1_024_000));
        assert_eq!(first.jct_reduction_milliseconds, 500_000_000);
    });
    assert!(used < 4_096, "{used} bytes");
    assert_eq!(flexible_items(&Job::inelastic(5), Speed::REFERENCE).count(), 0);
}

/// A job that could use 2^20 workers takes no memory for each.
#[test]
fn twenty_jobs_of_2_to_the_20_workers() {
    let mut cluster = idle(50, Server::training, 1_024);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(999, 1_000)).unwrap();
    for at in 0..20 {
        let job = Job::elastic(1..=Job::MAX_WORKERS).remaining(Seconds(1e9));
        // Half of them by the table that a speed of 999 : 1000 needs.
        cluster.add_job(if at % 2 == 0 { job } else { job.on([t4]) }).unwrap();
    }
    for _ in 0..50 {
        cluster.add_server(Server::on_loan(t4, 1_024)).unwrap();
    }
    let mut made = None;
    let used = bytes(|| made = Some(Epoch::default().plan(&cluster, Request::NONE).unwrap()));
    let plan = made.unwrap();
    assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    assert!(used < 256 << 20, "{used} bytes");
    assert_eq!(plan.totals().running_after, 20);
    // All V100 are in use; of T4 as many as make up whole reference workers.
    let busy = plan.totals().busy_after;
    assert!((51_200 + 51_100..=102_400).contains(&busy), "{busy}");
}

/// A cluster of as many servers, a tenth of them lent, with one job of 64 GPUs for every hundred.
fn large(servers: u32) {
    let lent = servers / 10;
    let mut cluster = idle(servers - lent, Server::training, 8);
    for _ in 0..lent {
        cluster.add_server(Server::on_loan(V100, 8)).unwrap();
    }
    let jobs = servers / 100;
    for _ in 0..jobs {
        cluster.add_job(Job::elastic(8..=16).gpus_per_worker(8).remaining(Seconds(3_600.0))).unwrap();
    }
    let request = Request::reclaim(lent / 2);
    let first = Epoch::default().plan(&cluster, &request).unwrap();
    let totals = first.totals();
    assert_eq!(totals.gpus_before, u64::from(servers) * 8);
    assert_eq!(totals.gpus_after, u64::from(servers - lent / 2) * 8);
    // Every job has all that it can use, and gains half of its hour.
    assert_eq!((totals.waiting_after, totals.running_after), (0, jobs));
    assert_eq!(totals.busy_after, u64::from(jobs) * 128);
    assert_eq!(totals.jct_reduction_after, Seconds(f64::from(jobs) * 1_800.0));
    // The idle servers of lowest ids go back, at no cost.
    let lowest = servers - lent;
    assert!(first.reclaim().servers().iter().copied().eq((lowest..lowest + lent / 2).map(ServerId::new)));
    assert_eq!(first.reclaim().certificate().objective(), 0);
    not_enough(&cluster, lent + 1, lent);
    cluster.apply(&first).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
    // All that are left.
    let rest: Vec<ServerId> = (lowest + lent / 2..servers).map(ServerId::new).collect();
    let plan = Epoch::default().plan(&cluster, Request::reclaim(Ask::these(&rest))).unwrap();
    assert_eq!(plan.reclaim().servers(), rest);
}

#[test]
fn a_hundred_thousand_servers() {
    large(100_000);
}

/// Run by `.ci/run`: `cargo test --release --test extremes -- --ignored`.
#[test]
#[ignore = "ten times the test above: for a release build"]
fn a_million_servers() {
    large(1_000_000);
}
