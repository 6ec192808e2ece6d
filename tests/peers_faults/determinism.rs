//! The same cluster has the same plan, however it was written down.

use aryl::cluster::{Cluster, Job, Placement};
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::id::{JobId, ServerId};
use aryl::knapsack::{self, ClassKind, Instance, Item};
use aryl::place::{BestFitDecreasing, Demand};
use aryl::reclaim::{Policy, Reclaimer};
use oorandom::Rand32;

use crate::board::{Board, V100, ids};
use crate::support::{Shape, random_cluster};

/// Elsewhere equal keys came in the order of a hash map, another at each start of the program.
#[test]
fn equal_keys_are_settled_by_the_lowest_id() {
    Board::inelastic(&["a", "b", "c"]).expect(1, &[0], "a", &[]);
    // Whatever the order in which the jobs were named.
    Board::inelastic(&["c", "b", "a"]).expect(1, &[0], "c", &[]);
    Board::inelastic(&["ab", "ab", "cd", "cd"]).expect(2, &[0, 1], "ab", &[]);
    // A hundred alike servers with alike jobs, by every rule.
    let alike = alike_servers(100);
    for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Amortized] {
        let answer = Reclaimer::new(policy).solve(&alike, 7).unwrap();
        assert_eq!(answer.servers(), ids(&[0, 1, 2, 3, 4, 5, 6]), "{policy:?}");
    }
    // Equal classes of a knapsack: the same choice at every solve.
    let mut instance = Instance::new(10);
    for _ in 0..8 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(3, 5)]).unwrap();
    }
    let first = knapsack::Solver::new().solve(&instance).unwrap();
    assert!((0..20).all(|_| knapsack::Solver::new().solve(&instance).unwrap() == first));
}

/// So many on-loan servers of a GPU, each with a job of its own.
fn alike_servers(number: u32) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(aryl::cluster::GpuType::new("V100")).unwrap();
    for _ in 0..number {
        let server = cluster.add_server(aryl::cluster::Server::on_loan(V100, 1)).unwrap();
        let job = cluster.add_job(Job::inelastic(1)).unwrap();
        cluster.place(job, &[Placement::base(server, 1)]).unwrap();
    }
    cluster
}

/// Elsewhere two runs on one input differed, since maps were walked in their own order or memory was left dirty.
#[test]
fn every_run_gives_the_same_plan() {
    let mut random = Rand32::new(71);
    let (mut workspace, mut plan) = (Workspace::new(), Plan::default());
    for _ in 0..500 {
        let cluster = random_cluster(&mut random, Shape::ALL);
        let request = Request::reclaim(random.rand_range(0..3));
        let first = Epoch::default().plan(&cluster, &request);
        assert_eq!(Epoch::default().plan(&cluster.clone(), &request), first);
        let used = Epoch::default().plan_into(&cluster, &request, &mut workspace, &mut plan);
        assert_eq!(used.map(|()| plan.clone()), first);
    }
}

/// Elsewhere the jobs of a snapshot in another order had other victims.
#[test]
fn a_shuffled_input_gives_the_same_plan() {
    let mut random = Rand32::new(72);
    for _ in 0..500 {
        let cluster = random_cluster(&mut random, Shape::ALL);
        let asked = random.rand_range(1..3);
        let (shuffled, new_ids) = shuffled(&cluster, &mut random);
        for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::BestOfRules] {
            let reclaimer = Reclaimer::new(policy);
            match (reclaimer.solve(&cluster, asked), reclaimer.solve(&shuffled, asked)) {
                (Ok(one), Ok(other)) => {
                    assert_eq!(one.servers(), other.servers(), "{policy:?}\n{cluster:#?}");
                    let mut renamed: Vec<JobId> =
                        one.preempted().iter().map(|job| new_ids[job.index()]).collect();
                    renamed.sort_unstable();
                    assert_eq!(renamed, other.preempted());
                    assert_eq!(one.certificate(), other.certificate());
                }
                (one, other) => assert_eq!(one.is_err(), other.is_err()),
            }
        }
    }
}

/// Elsewhere the order in which demands were listed decided who was placed.
#[test]
fn shuffled_demands_are_placed_alike() {
    let mut random = Rand32::new(73);
    for _ in 0..500 {
        let cluster = random_cluster(&mut random, Shape::ALL);
        let waiting = cluster.jobs().filter(|&(id, _)| !cluster.is_running(id));
        let mut demands: Vec<Demand> = waiting.map(|(id, _)| Demand::new(id)).collect();
        let first = BestFitDecreasing.solve(&cluster, &demands).unwrap();
        for at in (1..demands.len()).rev() {
            demands.swap(at, random.rand_range(0..at as u32 + 1) as usize);
        }
        assert_eq!(BestFitDecreasing.solve(&cluster, &demands).unwrap(), first);
    }
}

/// The same servers and jobs, the jobs added in another order; the new id of each old one.
fn shuffled(cluster: &Cluster, random: &mut Rand32) -> (Cluster, Vec<JobId>) {
    let mut order: Vec<JobId> = cluster.jobs().map(|(id, _)| id).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.rand_range(0..at as u32 + 1) as usize);
    }
    let mut other = Cluster::new();
    for (_, gpu_type) in cluster.gpu_types() {
        other.add_gpu_type(gpu_type.clone()).unwrap();
    }
    for (_, server) in cluster.servers() {
        let _: ServerId = other.add_server(*server).unwrap();
    }
    let mut new_ids = vec![JobId::new(0); order.len()];
    for old in order {
        let id = other.add_job(cluster.job(old).unwrap().clone()).unwrap();
        new_ids[old.index()] = id;
        if cluster.is_running(old) {
            other.place(id, cluster.placements(old)).unwrap();
        }
    }
    (other, new_ids)
}
