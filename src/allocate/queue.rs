//! The order in which waiting jobs are offered GPUs: shortest job first.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::cluster::{Cluster, Inventory, Job, Occupancy};
use crate::id::JobId;

/// The waiting jobs of a cluster, shortest first.
///
/// The length of a job is its running time at its maximum number of workers. Jobs of equal length go by submission
/// time, then by id.
///
/// # Complexity
///
/// O(jobs + w log w) for w waiting jobs.
///
/// # Examples
///
/// ```
/// use aryl::allocate::shortest_first;
/// use aryl::cluster::{Cluster, GpuType, Job};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// cluster.add_gpu_type(GpuType::new("V100"))?;
/// let long = cluster.add_job(Job::inelastic(1).remaining(Seconds(90.0)))?;
/// // 120 s with 2 workers, but 40 s with 6.
/// let elastic = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(120.0)))?;
/// assert_eq!(shortest_first(&cluster), [elastic, long]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Phase 1 of \[Aryl\], section 5.2.
#[must_use]
pub fn shortest_first(cluster: &Cluster) -> Vec<JobId> {
    let mut queue = Queue::default();
    queue.fill(cluster.inventory(), cluster.occupancy());
    queue.jobs().collect()
}

/// The waiting jobs in order, with what they are ordered by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue(Vec<Entry>);

#[derive(Clone, Copy, Debug)]
struct Entry {
    length: f64,
    submitted: f64,
    job: JobId,
}

impl Entry {
    fn new(id: JobId, job: &Job) -> Self {
        Self { length: job.running_time(job.max_workers).0, submitted: job.submitted.0, job: id }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.length
            .total_cmp(&other.length)
            .then(self.submitted.total_cmp(&other.submitted))
            .then(self.job.cmp(&other.job))
    }
}

impl Queue {
    pub(crate) fn fill(&mut self, inventory: &Inventory, occupancy: &Occupancy) {
        self.0.clear();
        let waiting = inventory.jobs().filter(|&(id, _)| !occupancy.is_running(id));
        self.0.extend(waiting.map(|(id, job)| Entry::new(id, job)));
        self.0.sort_unstable_by(Entry::order);
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = JobId> {
        self.0.iter().map(|entry| entry.job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{GpuType, Placement, Server};
    use crate::units::Seconds;

    #[test]
    fn ties_go_by_submission_then_id_and_running_jobs_are_left_out() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let server = cluster.add_server(Server::training(v100, 8)).unwrap();
        let job = |submitted: f64| Job::inelastic(1).remaining(Seconds(10.0)).submitted(Seconds(submitted));
        let late = cluster.add_job(job(5.0)).unwrap();
        let first = cluster.add_job(job(-1.0)).unwrap();
        let second = cluster.add_job(job(-1.0)).unwrap();
        let running = cluster.add_job(job(-9.0)).unwrap();
        cluster.place(running, &[Placement::base(server, 1)]).unwrap();
        assert_eq!(shortest_first(&cluster), [first, second, late]);
    }

    #[test]
    fn the_length_of_an_elastic_job_is_that_at_its_maximum() {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let rigid = cluster.add_job(Job::inelastic(1).remaining(Seconds(90.0))).unwrap();
        let elastic = cluster.add_job(Job::elastic(1..=2).remaining(Seconds(120.0))).unwrap();
        assert_eq!(shortest_first(&cluster), [elastic, rigid]);
    }
}
