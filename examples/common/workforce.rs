//! How long a job takes with some set of workers, and how to write that down.

use aryl::cluster::{Cluster, Job, Placement};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;

use super::text::{GLUE, grouped};

/// The workers of one job, counted by GPU type.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Workforce(Vec<(GpuTypeId, u64)>);

impl Workforce {
    /// All workers that a job holds in a cluster.
    pub(crate) fn of(cluster: &Cluster, job: JobId) -> Self {
        Self::from_placements(cluster, cluster.placements(job))
    }

    pub(crate) fn from_placements<'a>(
        cluster: &Cluster,
        placements: impl IntoIterator<Item = &'a Placement>,
    ) -> Self {
        let mut workers = Self::default();
        for placement in placements {
            if let Some(server) = cluster.server(placement.server) {
                *workers.of_type(server.gpu_type) += u64::from(placement.workers);
            }
        }
        workers
    }

    /// Takes workers away that were on a server.
    pub(crate) fn remove(&mut self, cluster: &Cluster, server: ServerId, workers: u32) {
        if let Some(server) = cluster.server(server) {
            let held = self.of_type(server.gpu_type);
            *held = held.saturating_sub(u64::from(workers));
        }
    }

    fn of_type(&mut self, gpu_type: GpuTypeId) -> &mut u64 {
        let at = self.0.iter().position(|entry| entry.0 == gpu_type).unwrap_or_else(|| {
            self.0.push((gpu_type, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// The workers, of whatever type.
    pub(crate) fn workers(&self) -> u64 {
        self.0.iter().map(|entry| entry.1).sum()
    }

    /// The whole reference workers that these make up: three T4 workers at speed 1 : 3 make up one.
    pub(crate) fn reference_workers(&self, cluster: &Cluster) -> u64 {
        let whole = |&(gpu_type, workers): &(GpuTypeId, u64)| {
            cluster.speed(gpu_type).map_or(0, |speed| speed.reference_workers(workers))
        };
        self.0.iter().map(whole).sum()
    }

    /// The time to the end of the job with these workers.
    pub(crate) fn time_to_end(&self, cluster: &Cluster, job: &Job) -> Seconds {
        let reference = u32::try_from(self.reference_workers(cluster)).unwrap_or(u32::MAX);
        let is_mixed = self.0.iter().filter(|entry| entry.1 > 0).count() > 1;
        let efficiency = if is_mixed { job.mixing_efficiency.unwrap_or(1.0) } else { 1.0 };
        Seconds(job.running_time(reference).0 / efficiency)
    }

    /// The workers by type, as text: `2 V100 + 3 T4`.
    pub(crate) fn describe(&self, cluster: &Cluster) -> String {
        let part = |&(gpu_type, workers): &(GpuTypeId, u64)| {
            let name = cluster.gpu_type(gpu_type).map_or("?", |gpu_type| gpu_type.name.as_str());
            format!("{} {name}", grouped(workers))
        };
        let parts: Vec<String> = self.0.iter().filter(|entry| entry.1 > 0).map(part).collect();
        if parts.is_empty() { "none".to_string() } else { parts.join(" + ") }
    }
}

/// A span of time in the largest unit that keeps two digits: `45 s`, `25 min`, `7.5 h`, `12.0 d`.
pub(crate) fn span(time: Seconds) -> String {
    let seconds = time.0;
    match seconds {
        _ if seconds < 99.5 => format!("{seconds:.0}{GLUE}s"),
        _ if seconds < 99.5 * 60.0 => format!("{:.0}{GLUE}min", seconds / 60.0),
        _ if seconds < 99.95 * 3_600.0 => format!("{:.1}{GLUE}h", seconds / 3_600.0),
        _ => format!("{:.1}{GLUE}d", seconds / 86_400.0),
    }
}
