//! Clusters that are larger than others in every respect: as many jobs on each server, and as many servers for each job,
//! as there can be.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::ServerId;

/// `servers` servers of `gpus` GPUs, and `jobs` jobs with a worker on each of as many servers as there is room for; the
/// first of them are those from `turn` on, so that over all turns every job has its time. Three waiting jobs beside them.
pub(crate) fn stuffed(servers: u32, gpus: u32, jobs: u32, turn: u32) -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for server in 0..servers {
        let gpu_type = if server % 2 == turn % 2 { v100 } else { t4 };
        let lent = Server::on_loan(gpu_type, gpus);
        cluster
            .add_server(if server % 3 == turn % 3 { lent } else { Server::training(gpu_type, gpus) })
            .unwrap();
    }
    for _ in 0..jobs {
        cluster.add_job(Job::elastic(1..=4 * servers).fungible().heterogeneous_at(1.0)).unwrap();
    }
    for job in (turn..jobs).chain(0..turn) {
        let job = aryl::id::JobId::new(job);
        let free = |server: &u32| cluster.free_gpus(ServerId::new(*server)) > 0;
        let mut room: Vec<u32> = (0..servers).filter(free).collect();
        // The base is one reference worker: on a V100.
        let of_v100 = |server: &u32| server % 2 == turn % 2;
        let Some(at) = room.iter().position(of_v100) else { break };
        let base = Placement::base(ServerId::new(room.remove(at)), 1);
        let flexible = room.iter().map(|&server| Placement::flexible(ServerId::new(server), 1));
        cluster.place(job, &[base].into_iter().chain(flexible).collect::<Vec<_>>()).unwrap();
    }
    cluster
}
