//! What enters a simulation is checked once, here.

use alloc::vec::Vec;

use super::job::as_held;
use super::policy::Sizes;
use super::progress::LONGEST;
use super::workload::{TraceJob, Workload};
use super::{Setup, SetupError};
use crate::cluster::{Cluster, Server};
use crate::units::Seconds;

/// Checks all that enters, and makes the clusters without a job.
pub(super) fn check(setup: &Setup, workload: &Workload) -> Result<Cluster, SetupError> {
    let time = |what, time: Seconds, lowest| match time.milliseconds() {
        Some(milliseconds) if (lowest..=LONGEST).contains(&milliseconds) => Ok(()),
        _ => Err(SetupError::Time { what, time, lowest }),
    };
    time("loan interval", setup.loan_interval, 1)?;
    time("epoch interval", setup.epoch_interval, 1)?;
    time("preemption overhead", setup.preemption_overhead, 0)?;
    time("scaling overhead", setup.scaling_overhead, 0)?;
    time("usage window", setup.usage_window.unwrap_or_default(), 0)?;
    let (servers, limit) = (setup.servers(), Setup::MAX_SERVERS);
    if servers > u64::from(limit) {
        return Err(SetupError::TooManyServers { servers, limit });
    }
    setup.fleet()?;
    let empty = setup.cluster()?;
    let limit = (u32::MAX - 1) as usize;
    if workload.jobs.len() > limit {
        return Err(SetupError::TooManyJobs { jobs: workload.jobs.len(), limit });
    }
    let room = Room::new(&empty);
    // Holds all jobs of the trace at once, so that any that meet in the simulation can be held too.
    let mut held = [Sizes::Elastic, Sizes::Requested].map(|sizes| (empty.clone(), sizes));
    let mut earliest = Seconds::ZERO;
    for (number, trace) in workload.jobs.iter().enumerate() {
        let running = trace.job.remaining;
        if running.milliseconds().is_none_or(|milliseconds| milliseconds == 0 || milliseconds > LONGEST) {
            return Err(SetupError::RunningTime { job: number, time: running });
        }
        trace.check().map_err(|source| SetupError::TraceJob { job: number, source })?;
        for (cluster, sizes) in &mut held {
            let (job, _) = as_held(trace, *sizes);
            cluster.add_job(job).map_err(|source| SetupError::Job { job: number, source })?;
        }
        let submitted = trace.job.submitted;
        let counted = submitted.milliseconds().is_some_and(|milliseconds| milliseconds <= LONGEST);
        if !counted || submitted < earliest {
            return Err(SetupError::Submitted { job: number, time: submitted, earliest });
        }
        earliest = submitted;
        let overhead = trace.job.resize_overhead;
        time("resize overhead", overhead, 0)?;
        let room = room.reference_workers(trace);
        let workers = trace.requested_workers;
        if room < u64::from(workers) {
            return Err(SetupError::TooLarge { job: number, workers, room });
        }
    }
    Ok(empty)
}

/// Whether jobs fit on empty servers.
struct Room<'a> {
    /// Servers counted by type and GPUs, with the number of them.
    kinds: Vec<(Server, u64)>,
    cluster: &'a Cluster,
}

impl<'a> Room<'a> {
    fn new(cluster: &'a Cluster) -> Self {
        let mut kinds: Vec<(Server, u64)> = Vec::new();
        for (_, server) in cluster.servers() {
            match kinds.iter_mut().find(|kind| kind.0 == *server) {
                Some(kind) => kind.1 += 1,
                None => kinds.push((*server, 1)),
            }
        }
        Self { kinds, cluster }
    }

    /// The most reference workers of a job that all servers, were they empty and all on loan, have room for.
    fn reference_workers(&self, trace: &TraceJob) -> u64 {
        let job = &trace.job;
        let on_type = |gpu_type| {
            let here = self.kinds.iter().filter(|kind| kind.0.gpu_type == gpu_type);
            let slots =
                here.map(|(server, count)| count * u64::from(server.gpus / job.gpus_per_worker)).sum();
            self.cluster.speed(gpu_type).map_or(0, |speed| speed.reference_workers(slots))
        };
        let allowed = self.cluster.gpu_types().map(|entry| entry.0).filter(|&id| job.gpu_types.contains(id));
        if job.is_heterogeneous() {
            allowed.map(on_type).sum()
        } else {
            allowed.map(on_type).max().unwrap_or(0)
        }
    }
}
