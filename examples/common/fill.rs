//! A cluster as a trace leaves it at one second.

use std::collections::BTreeSet;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;

use super::drawn::Drawn;
use super::trace::TraceJob;

pub(crate) const GPUS_A_SERVER: u32 = 8;

/// Servers of the two pools.
#[derive(Clone, Copy)]
pub(crate) struct Servers {
    pub(crate) training: u32,
    pub(crate) on_loan: u32,
}

/// The servers of one pool by their idle GPUs, and the GPU type that they have.
struct Idle {
    gpu_type: GpuTypeId,
    servers: BTreeSet<(u32, ServerId)>,
}

/// Fills a cluster with the jobs that run at a second.
///
/// In the order of submission, each job starts where it fits best: training servers first, but on-loan servers first for
/// a job that is elastic and fungible. Jobs that find no place wait. The elastic jobs then get what is left idle, as one
/// epoch would give it to them before anyone waits.
pub(crate) fn fill(
    jobs: &[TraceJob],
    drawn: &Drawn,
    second: u64,
    servers: Servers,
) -> Result<Cluster, Box<dyn std::error::Error>> {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    let mut training = Idle { gpu_type: v100, servers: BTreeSet::new() };
    for _ in 0..servers.training {
        let server = cluster.add_server(Server::training(v100, GPUS_A_SERVER))?;
        training.servers.insert((GPUS_A_SERVER, server));
    }
    let mut on_loan = Idle { gpu_type: t4, servers: BTreeSet::new() };
    for _ in 0..servers.on_loan {
        let server = cluster.add_server(Server::on_loan(t4, GPUS_A_SERVER))?;
        on_loan.servers.insert((GPUS_A_SERVER, server));
    }

    let mut waiting = Vec::new();
    for (at, traced) in jobs.iter().enumerate().filter(|(_, traced)| traced.runs_at(second)) {
        let (is_elastic, is_fungible) = (drawn.elastic[at], drawn.fungible[at]);
        let job = describe(traced, is_elastic, is_fungible);
        let pools: [Option<&mut Idle>; 2] = match (is_fungible, is_elastic) {
            (false, _) => [Some(&mut training), None],
            (true, false) => [Some(&mut training), Some(&mut on_loan)],
            (true, true) => [Some(&mut on_loan), Some(&mut training)],
        };
        let gang = pools.into_iter().flatten().find_map(|idle| best_fit(&cluster, idle, &job));
        match gang {
            Some(gang) => {
                let left = Seconds(traced.remaining_at(second) as f64);
                let id: JobId = cluster.add_job(job.remaining(left))?;
                cluster.place(id, &gang)?;
            }
            None => waiting.push(job),
        }
    }

    // Nobody waits yet, so this only gives idle GPUs to elastic jobs.
    let plan = Epoch::default().plan(&cluster, Request::NONE)?;
    cluster.apply(&plan)?;
    for job in waiting {
        cluster.add_job(job)?;
    }
    Ok(cluster)
}

/// A job of the trace as the library sees it. Its workers are as wide as a server allows: 16 GPUs are 2 workers of 8.
/// An elastic job can use up to twice its request.
fn describe(traced: &TraceJob, is_elastic: bool, is_fungible: bool) -> Job {
    let divides = |gpus: &u32| traced.gpus.is_multiple_of(*gpus);
    let gpus_per_worker = (1..=GPUS_A_SERVER).rev().find(divides).unwrap_or(1);
    let workers = traced.gpus / gpus_per_worker;
    let job =
        if is_elastic { Job::elastic(workers..=workers.saturating_mul(2)) } else { Job::inelastic(workers) };
    let job = job
        .gpus_per_worker(gpus_per_worker)
        .remaining(Seconds(traced.duration as f64))
        .submitted(Seconds(traced.submitted as f64));
    if is_fungible { job.fungible() } else { job }
}

/// Places each base worker on the server with the fewest idle GPUs that holds it; nothing where not all fit.
fn best_fit(cluster: &Cluster, idle: &mut Idle, job: &Job) -> Option<Vec<Placement>> {
    let workers = job.min_workers_on(cluster.speed(idle.gpu_type)?);
    let gpus = job.gpus_per_worker;
    let mut missing = workers;
    for &(free, _) in idle.servers.range((gpus, ServerId::new(0))..) {
        missing = missing.saturating_sub(u64::from(free / gpus));
        if missing == 0 {
            break;
        }
    }
    if missing > 0 {
        return None;
    }
    let mut gang: Vec<Placement> = Vec::new();
    for _ in 0..workers {
        let &(free, server) = idle.servers.range((gpus, ServerId::new(0))..).next()?;
        idle.servers.remove(&(free, server));
        idle.servers.insert((free - gpus, server));
        match gang.last_mut() {
            Some(last) if last.server == server => last.workers += 1,
            _ => gang.push(Placement::base(server, 1)),
        }
    }
    Some(gang)
}
