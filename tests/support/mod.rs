//! Random clusters for tests: every kind of job and server, at any fill, small enough to try thousands.

#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::scaling::ScalingCurve;
use aryl::units::Seconds;
use oorandom::Rand32;

/// What to vary.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub servers: u32,
    pub jobs: u32,
    /// Whether two GPU types of other speed are there too.
    pub types: bool,
    /// Whether some jobs mix GPU types.
    pub heterogeneous: bool,
    /// Whether some jobs pay for a change of size.
    pub overheads: bool,
    /// Whether some servers and jobs are protected, and some workers pinned.
    pub protection: bool,
}

impl Shape {
    pub const PLAIN: Self = Self {
        servers: 8,
        jobs: 12,
        types: false,
        heterogeneous: false,
        overheads: false,
        protection: false,
    };
    pub const ALL: Self =
        Self { servers: 10, jobs: 16, types: true, heterogeneous: true, overheads: true, protection: true };
}

/// A cluster in which some jobs run, spread at random, and the others wait.
pub fn random_cluster(random: &mut Rand32, shape: Shape) -> Cluster {
    let mut cluster = Cluster::new();
    let mut types = vec![cluster.add_gpu_type(GpuType::new("V100")).unwrap()];
    if shape.types {
        types.push(cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap());
        types.push(cluster.add_gpu_type(GpuType::new("A100").speed(3, 2)).unwrap());
    }
    for _ in 0..random.rand_range(1..shape.servers + 1) {
        let gpu_type = types[random.rand_range(0..types.len() as u32) as usize];
        let gpus = [8, 8, 8, 4, 3][random.rand_range(0..5) as usize];
        let server = match random.rand_range(0..8) {
            0..3 => Server::training(gpu_type, gpus),
            3..7 => Server::on_loan(gpu_type, gpus),
            _ => Server::inference(gpu_type, gpus),
        };
        let protect = shape.protection && random.rand_range(0..8) == 0;
        cluster.add_server(if protect { server.protected() } else { server }).unwrap();
    }
    for _ in 0..random.rand_range(0..shape.jobs + 1) {
        let job = random_job(random, shape, &types);
        let job = cluster.add_job(job).unwrap();
        if random.rand_range(0..5) < 3 {
            run_somewhere(random, &mut cluster, job, shape.protection);
        }
    }
    cluster
}

pub fn random_job(random: &mut Rand32, shape: Shape, types: &[GpuTypeId]) -> Job {
    let min = random.rand_range(1..4);
    let more = if random.rand_range(0..3) == 0 { 0 } else { random.rand_range(0..6) };
    let mut job = Job::elastic(min..=min + more)
        .gpus_per_worker([1, 1, 2, 4, 8, 3][random.rand_range(0..6) as usize])
        .remaining(Seconds(f64::from(random.rand_range(1..200_000)) / 7.0))
        .submitted(Seconds(f64::from(random.rand_range(0..1_000_000))))
        .preemption_cost(u64::from(random.rand_range(0..4)));
    job = match random.rand_range(0..3) {
        0 => job.fungible(),
        1 => job.on([types[random.rand_range(0..types.len() as u32) as usize]]),
        _ => job,
    };
    job = match random.rand_range(0..6) {
        0 => job.scaling(ScalingCurve::PowerLaw { exponent: 0.7 }),
        1 => job.scaling(ScalingCurve::Amdahl { serial: 0.2 }),
        2 => job.scaling(ScalingCurve::LossPerAddedWorker { loss: 0.2 }),
        _ => job,
    };
    if random.rand_range(0..4) == 0 {
        job = job.weight(f64::from(random.rand_range(1..9)) / 2.0);
    }
    if shape.heterogeneous && random.rand_range(0..3) == 0 {
        job = job.fungible().heterogeneous_at([1.0, 0.7, 0.3][random.rand_range(0..3) as usize]);
    }
    if shape.overheads && random.rand_range(0..2) == 0 {
        job = job.resize_overhead(Seconds(f64::from(random.rand_range(0..2_000))));
    }
    if shape.protection && random.rand_range(0..10) == 0 {
        job = job.protected();
    }
    job
}

/// Tries to run a job with its base and some flexible workers, each on a server drawn at random.
fn run_somewhere(random: &mut Rand32, cluster: &mut Cluster, job: JobId, pin: bool) {
    let definition = cluster.job(job).unwrap().clone();
    let servers: Vec<(ServerId, Server)> = cluster.servers().map(|(id, server)| (id, *server)).collect();
    let (home, server) = servers[random.rand_range(0..servers.len() as u32) as usize];
    let speed = cluster.speed(server.gpu_type).unwrap();
    let mut free: Vec<u32> = servers.iter().map(|&(id, _)| cluster.free_gpus(id)).collect();
    let mut gang = Vec::new();
    for worker in 0..definition.min_workers_on(speed) {
        let pick = if worker == 0 { home.index() } else { random.rand_range(0..free.len() as u32) as usize };
        let fits = |at: usize| {
            servers[at].1.gpu_type == server.gpu_type
                && servers[at].1.pool.is_for_training()
                && free[at] >= definition.gpus_per_worker
        };
        let Some(at) = (0..free.len()).map(|step| (pick + step) % free.len()).find(|&at| fits(at)) else {
            return;
        };
        free[at] -= definition.gpus_per_worker;
        let placement = Placement::base(servers[at].0, 1);
        gang.push(if pin && random.rand_range(0..20) == 0 { placement.pinned() } else { placement });
    }
    if cluster.place(job, &gang).is_err() {
        return;
    }
    for _ in 0..random.rand_range(0..8) {
        let (to, _) = servers[random.rand_range(0..servers.len() as u32) as usize];
        let _ = cluster.scale_out(job, to, random.rand_range(1..4));
    }
}
