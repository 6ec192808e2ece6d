//! The placement solver does not allocate once its workspace is warm.

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::place::{BestFitDecreasing, Demand, Placements, Workspace};

use crate::allocations;
use crate::stuffed::stuffed;

/// A cluster of both pools and two GPU types, with waiting jobs of every kind, and some that do not fit.
fn cluster(seed: u64, servers: u32, jobs: u32) -> (Cluster, Vec<Demand>) {
    let mut random = oorandom::Rand32::new(seed);
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for index in 0..servers {
        let gpus = [4, 8, 16][random.rand_range(0..3) as usize];
        let server = if index % 3 == 0 { Server::on_loan(t4, gpus) } else { Server::training(v100, gpus) };
        cluster.add_server(server).unwrap();
    }
    let mut demands = Vec::new();
    for index in 0..jobs {
        let min = random.rand_range(1..9);
        let job = Job::elastic(min..=min + 6).gpus_per_worker(1 << random.rand_range(0..4));
        let job = match index % 4 {
            0 => job,
            1 => job.on([t4, v100]),
            2 => job.fungible(),
            _ => job.fungible().heterogeneous(),
        };
        demands.push(Demand::new(cluster.add_job(job).unwrap()).flexible(random.rand_range(0..7)));
    }
    (cluster, demands)
}

#[test]
fn a_warm_solve_does_not_allocate() {
    let (cluster, demands) = cluster(5, 700, 400);
    let mut workspace = Workspace::new();
    let mut out = Placements::default();
    let mut solve = || BestFitDecreasing.solve_into(&cluster, &demands, &mut workspace, &mut out).unwrap();
    let cold = allocation_counter::measure(&mut solve);
    assert!(cold.count_total > 0, "the counter counts");
    let warm = allocation_counter::measure(&mut solve);
    assert_eq!(warm.count_total, 0);
    assert!(out.placed().len() > 100 && out.unplaced().len() > 50, "{out}");
    assert_eq!(out, BestFitDecreasing.solve(&cluster, &demands).unwrap());
    // Another instance in the same memory is not disturbed by what was there before.
    let few = &demands[..50];
    BestFitDecreasing.solve_into(&cluster, few, &mut workspace, &mut out).unwrap();
    assert_eq!(out, BestFitDecreasing.solve(&cluster, few).unwrap());
}

/// A cluster that is cleared and filled again, and a solve after a smaller one, find the memory that was there.
#[test]
fn a_smaller_cluster_between_takes_no_memory_away() {
    let stuff = |servers| stuffed(servers, 16, 60, 0);
    let (large, small) = (stuff(40), stuff(2));
    let waiting = [Demand::new(aryl::id::JobId::new(59))];
    let (mut workspace, mut out) = (Workspace::new(), Placements::default());
    let mut solve = |cluster: &Cluster| {
        BestFitDecreasing.solve_into(cluster, &waiting, &mut workspace, &mut out).unwrap();
    };
    solve(&large);
    solve(&small);
    assert_eq!(allocations(|| solve(&large)), 0);

    let mut cluster = large.clone();
    let fill = |cluster: &mut Cluster| {
        cluster.clear();
        for (_, gpu_type) in large.gpu_types() {
            // A name is the only thing that is allocated anew.
            cluster.add_gpu_type(GpuType::new("").speed(gpu_type.speed.0, gpu_type.speed.1)).unwrap();
        }
        for (_, server) in large.servers() {
            cluster.add_server(*server).unwrap();
        }
        for (_, job) in large.jobs() {
            cluster.add_job(job.clone()).unwrap();
        }
        for (id, _) in large.jobs().filter(|&(id, _)| large.is_running(id)) {
            cluster.place(id, large.placements(id)).unwrap();
        }
    };
    fill(&mut cluster);
    assert_eq!(allocations(|| fill(&mut cluster)), 0);
}

/// Other clusters of the same size or smaller, in memory that is warm from such clusters.
#[test]
pub(crate) fn warm_memory_holds_for_other_demands() {
    let (mut workspace, mut out) = (Workspace::new(), Placements::default());
    let waiting = |cluster: &Cluster| -> Vec<Demand> {
        let jobs = cluster.jobs().filter(|&(id, _)| !cluster.is_running(id));
        jobs.map(|(id, _)| Demand::new(id)).collect()
    };
    // As many jobs on each server as there can be, and each job on as many servers.
    let turns = (0..120).step_by(8).map(|turn| stuffed(200, 16, 120, turn));
    let turns =
        turns.map(|cluster| (waiting(&cluster), cluster)).map(|(demands, cluster)| (cluster, demands));
    for (cluster, demands) in turns.chain((0..6).map(|seed| cluster(seed, 200, 120))) {
        BestFitDecreasing.solve_into(&cluster, &demands, &mut workspace, &mut out).unwrap();
    }
    for seed in 100..124 {
        let (cluster, demands) = cluster(seed, 200 - seed as u32 % 80, 120 - seed as u32 % 60);
        let warm = allocation_counter::measure(|| {
            BestFitDecreasing.solve_into(&cluster, &demands, &mut workspace, &mut out).unwrap();
        });
        assert_eq!(warm.count_total, 0, "seed {seed}");
        assert_eq!(out, BestFitDecreasing.solve(&cluster, &demands).unwrap());
    }
}
