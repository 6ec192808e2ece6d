//! A busy cluster at any size, by seed: it has run for a while, some jobs have ended, others have come.

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::JobId;
use aryl::units::Seconds;
use oorandom::Rand32;

/// A cluster of `servers` servers with 8 GPUs each, and four jobs for each five servers; the request asks back 1 % of
/// the servers.
///
/// 80 % of the servers are V100 for training, 20 % are T4 (1 : 3) on loan. Jobs ask for 1 to 64 GPUs; one in three is
/// elastic, up to three times its minimum; one in five is fungible; one in fifty mixes types. The first nineteen of
/// twenty jobs are planned and started by the crate itself; then one in ten of those ends, and the others arrive. Nearly
/// all base demand fits, and elastic jobs could use twice the GPUs that are left.
pub(crate) fn busy(servers: u32, seed: u64) -> (Cluster, Request<'static>) {
    let mut random = Rand32::new(seed);
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for server in 0..servers {
        let lent = server % 5 == 4;
        let definition = if lent { Server::on_loan(t4, 8) } else { Server::training(v100, 8) };
        cluster.add_server(definition).unwrap();
    }
    let jobs = (servers * 4).div_ceil(5);
    let late = jobs.div_ceil(20);
    for arrival in 0..jobs - late {
        cluster.add_job(job(&mut random, arrival)).unwrap();
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    let running: Vec<JobId> = cluster.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id)).collect();
    for id in running {
        if random.rand_range(0..10) == 0 {
            cluster.remove_job(id);
        }
    }
    for arrival in jobs - late..jobs {
        cluster.add_job(job(&mut random, arrival)).unwrap();
    }
    (cluster, Request::reclaim((servers / 100).max(1)))
}

fn job(random: &mut Rand32, arrival: u32) -> Job {
    // GPUs a worker and workers, in a hundred jobs.
    let (gpus, workers) = match random.rand_range(0..100) {
        0..40 => (1, 1),
        40..55 => (2, 1),
        55..70 => (4, 1),
        70..85 => (8, 1),
        85..95 => (8, 2),
        95..99 => (8, 4),
        _ => (8, 8),
    };
    // A median of 40 minutes, and a long tail.
    let length = (f64::from(random.rand_range(0..10_000)) / 1_000.0 - 2.2).exp() * 600.0 + 30.0;
    let elastic = random.rand_range(0..3) == 0;
    let job = Job::elastic(workers..=if elastic { workers * 3 } else { workers })
        .gpus_per_worker(gpus)
        .remaining(Seconds(length))
        .submitted(Seconds(f64::from(arrival)));
    match random.rand_range(0..50) {
        0 => job.fungible().heterogeneous(),
        1..11 => job.fungible(),
        _ => job,
    }
}
