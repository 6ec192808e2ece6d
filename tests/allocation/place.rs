//! The placement solver does not allocate once its workspace is warm.

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::place::{BestFitDecreasing, Demand, Placements, Workspace};

/// A cluster of both pools and two GPU types, with waiting jobs of every kind, and some that do not fit.
fn cluster() -> (Cluster, Vec<Demand>) {
    let mut random = oorandom::Rand32::new(5);
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for index in 0..700 {
        let gpus = [4, 8, 16][random.rand_range(0..3) as usize];
        let server = if index % 3 == 0 { Server::on_loan(t4, gpus) } else { Server::training(v100, gpus) };
        cluster.add_server(server).unwrap();
    }
    let mut demands = Vec::new();
    for index in 0..400 {
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
    let (cluster, demands) = cluster();
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
