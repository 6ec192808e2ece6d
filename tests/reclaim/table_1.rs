//! Figure 5 and Table 1 of the paper.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{JobId, ServerId};
use aryl::reclaim::{Policy, Reclaimer, server_preemption_costs};

/// Six servers of 8 GPUs and the jobs a, b, c, d, with workers of `gpus_per_worker` GPUs.
fn figure_5(gpus_per_worker: u32) -> Cluster {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..6 {
        cluster.add_server(Server::on_loan(gpu, 8)).unwrap();
    }
    for gang in [&[(0, 6), (1, 6)][..], &[(2, 8)], &[(3, 8), (4, 2)], &[(4, 2), (5, 8)]] {
        let workers: u32 = gang.iter().map(|&(_, gpus)| gpus / gpus_per_worker).sum();
        let job = cluster.add_job(Job::inelastic(workers).gpus_per_worker(gpus_per_worker)).unwrap();
        let placed: Vec<Placement> = gang
            .iter()
            .map(|&(server, gpus)| Placement::base(ServerId::new(server), gpus / gpus_per_worker))
            .collect();
        cluster.place(job, &placed).unwrap();
    }
    cluster
}

#[test]
fn the_three_measures_of_table_1() {
    for gpus_per_worker in [1, 2] {
        let table = server_preemption_costs(&figure_5(gpus_per_worker));
        assert!((0..).zip(&table).all(|(server, row)| row.server == ServerId::new(server)));
        let column = |read: &dyn Fn(usize) -> f64| (0..6).map(read).collect::<Vec<f64>>();
        assert_eq!(column(&|at| f64::from(table[at].running_jobs)), [1.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
        assert_eq!(column(&|at| table[at].gpu_fractions), [0.5, 0.5, 1.0, 0.8, 0.4, 0.8]);
        assert_eq!(column(&|at| table[at].cost), [0.5, 0.5, 1.0, 0.5, 1.0, 0.5]);
    }
}

#[test]
fn two_servers_cost_one_preemption_and_are_the_first_two() {
    let raw = Reclaimer::new(Policy::Aryl).put_back(false).solve(&figure_5(1), 2).unwrap();
    let answer = Reclaimer::new(Policy::Aryl).solve(&figure_5(1), 2).unwrap();
    assert_eq!(raw, answer);
    assert_eq!(answer.servers(), [ServerId::new(0), ServerId::new(1)]);
    assert_eq!(answer.preempted(), [JobId::new(0)]);
    assert_eq!((answer.collateral_gpus(), answer.returned_gpus()), (0, 16));
    assert!(answer.certificate().is_optimal());
}

#[test]
fn every_number_of_servers_is_answered_at_the_optimum() {
    for (count, cost) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 4)] {
        let answer = Reclaimer::new(Policy::Aryl).solve(&figure_5(1), count).unwrap();
        let best = crate::brute_force::optimum(&figure_5(1), count as usize).unwrap();
        assert_eq!((answer.certificate().objective(), best.cost), (cost, cost), "{count}");
    }
}

#[test]
fn a_cluster_without_candidates_has_an_empty_table() {
    assert!(server_preemption_costs(&Cluster::new()).is_empty());
}
