//! Placing at the edges.

use aryl::cluster::{Cluster, Job, Placement, Server};
use aryl::id::{JobId, ServerId};
use aryl::place::{BestFitDecreasing, Demand, DemandError, Placements, UnplacedReason};
use aryl::verify;

use crate::idle;

#[track_caller]
fn expect(cluster: &Cluster, demands: &[Demand], placed: usize) -> Placements {
    let answer = BestFitDecreasing.solve(cluster, demands).unwrap();
    assert_eq!(verify::placement(cluster, demands, &answer), Ok(()));
    assert_eq!((answer.placed().count(), answer.unplaced().len()), (placed, demands.len() - placed));
    answer
}

fn demands(cluster: &Cluster) -> Vec<Demand> {
    cluster.jobs().map(|(id, _)| Demand::new(id)).collect()
}

#[test]
fn nothing_onto_nothing() {
    assert_eq!(expect(&Cluster::new(), &[], 0), Placements::default());
    assert_eq!(expect(&idle(5, Server::training, 8), &[], 0), Placements::default());
    let job = JobId::new(u32::MAX);
    assert_eq!(
        BestFitDecreasing.solve(&Cluster::new(), &[Demand::new(job)]),
        Err(DemandError::UnknownJob { job })
    );
    // A job, and no server.
    let mut cluster = idle(0, Server::training, 1);
    cluster.add_job(Job::inelastic(1)).unwrap();
    let answer = expect(&cluster, &demands(&cluster), 0);
    assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NoServer);
}

#[test]
fn the_largest_gang_fills_the_largest_servers() {
    let mut cluster = idle(1_024, Server::training, 1_024);
    let job = cluster.add_job(Job::inelastic(Job::MAX_WORKERS)).unwrap();
    let answer = expect(&cluster, &[Demand::new(job)], 1);
    let all: Vec<Placement> =
        (0..1_024).map(|server| Placement::base(ServerId::new(server), 1_024)).collect();
    assert_eq!(answer.get(job), all);
    // One GPU less, and it waits: the reason has both numbers.
    cluster.remove_server(ServerId::new(0)).unwrap();
    cluster.add_server(Server::training(crate::V100, 1_023)).unwrap();
    let answer = expect(&cluster, &[Demand::new(job)], 0);
    let slots = (1 << 20) - 1;
    assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 1 << 20, slots });
}

#[test]
fn flexible_workers_up_to_the_limit_and_no_further() {
    let mut cluster = idle(2, Server::training, 1_024);
    let job = cluster.add_job(Job::elastic(1..=Job::MAX_WORKERS)).unwrap();
    let limit = Job::MAX_WORKERS - 1;
    for flexible in [limit + 1, u32::MAX] {
        let error = DemandError::AboveMaximum { job, flexible, limit };
        assert_eq!(BestFitDecreasing.solve(&cluster, &[Demand::new(job).flexible(flexible)]), Err(error));
    }
    let answer = expect(&cluster, &[Demand::new(job).flexible(limit)], 1);
    assert_eq!(answer.get(job).iter().map(|placement| placement.workers).sum::<u32>(), 2_048);
}

#[test]
fn ten_thousand_equal_jobs_on_as_many_equal_servers() {
    let mut cluster = idle(10_000, Server::training, 8);
    for _ in 0..10_000 {
        cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    }
    let answer = expect(&cluster, &demands(&cluster), 10_000);
    for (job, workers) in answer.placed() {
        assert_eq!(workers, [Placement::base(ServerId::new(job.get()), 1)]);
    }
}

#[test]
fn a_job_on_every_server_leaves_room_for_one_each() {
    let mut cluster = idle(1_000, Server::training, 8);
    let wide = cluster.add_job(Job::inelastic(7_000)).unwrap();
    let gang: Vec<Placement> = (0..1_000).map(|server| Placement::base(ServerId::new(server), 7)).collect();
    cluster.place(wide, &gang).unwrap();
    let narrow = cluster.add_job(Job::inelastic(1_000)).unwrap();
    let pair = cluster.add_job(Job::inelastic(1).gpus_per_worker(2)).unwrap();
    let answer = expect(&cluster, &[Demand::new(narrow), Demand::new(pair)], 1);
    assert_eq!(answer.get(narrow).len(), 1_000);
    assert_eq!(answer.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 1, slots: 0 });
    assert_eq!(
        BestFitDecreasing.solve(&cluster, &[Demand::new(wide)]),
        Err(DemandError::Running { job: wide })
    );
}

fn large(servers: u32) {
    let mut cluster = idle(servers, Server::training, 8);
    for _ in 0..100 {
        cluster.add_job(Job::inelastic(servers / 200).gpus_per_worker(8)).unwrap();
    }
    let answer = expect(&cluster, &demands(&cluster), 100);
    // Half of the servers, those of the lowest ids.
    let used = answer.placed().flat_map(|(_, workers)| workers.iter().map(|worker| worker.server.get()));
    let used: Vec<u32> = used.collect();
    assert_eq!(used.len() as u32, servers / 200 * 100);
    assert_eq!(used.into_iter().max(), Some(servers / 200 * 100 - 1));
}

#[test]
fn a_hundred_thousand_servers() {
    large(100_000);
}

#[test]
#[ignore = "ten times the test above: for a release build"]
fn a_million_servers() {
    large(1_000_000);
}
