//! What a state of the cluster is worth, next to the one before it.

use crate::allocate::Unit;
use crate::cluster::{Cluster, Job, Tally};
use crate::id::JobId;
use crate::ilp::error::IlpError;
use crate::units::Seconds;

/// The measure: a unit of time, and the wait that a job is spared.
pub(super) struct Value {
    unit: Unit,
    wait: Seconds,
}

impl Value {
    pub(super) fn new(cluster: &Cluster, wait: Seconds) -> Self {
        Self { unit: Unit::for_jobs(cluster.inventory()), wait }
    }

    pub(super) fn milliseconds(&self) -> u64 {
        self.unit.milliseconds()
    }

    /// T(minimum) − T(workers held), times the weight.
    pub(super) fn reduction(&self, job: &Job, held: &Tally) -> i64 {
        let least = self.unit.time_left(job, u64::from(job.min_workers), false);
        // Both are below 2^54.
        least.cast_signed()
            - self.unit.time_left(job, held.reference_workers(), held.mixed().is_some()).cast_signed()
    }

    pub(super) fn overhead(&self, job: &Job) -> i64 {
        self.unit.resize_overhead(job).cast_signed()
    }

    /// The wait, times the weight of the job.
    pub(super) fn wait(&self, id: JobId, job: &Job) -> Result<i64, IlpError> {
        let milliseconds = Seconds(self.wait.0 * job.weight).milliseconds();
        let milliseconds = milliseconds.ok_or(IlpError::Wait { job: id, wait: self.wait })?;
        let unit = self.milliseconds();
        Ok(((milliseconds + unit / 2) / unit).cast_signed())
    }

    /// The whole, in units.
    pub(super) fn between(&self, before: &Cluster, after: &Cluster) -> Result<i128, IlpError> {
        let mut sum = 0;
        for (id, job) in before.jobs() {
            let then = before.inventory().tally(before.placements(id));
            let now = after.inventory().tally(after.placements(id));
            sum += i128::from(match (before.is_running(id), after.is_running(id)) {
                (false, false) => 0,
                (false, true) => self.reduction(job, &now) + self.wait(id, job)?,
                (true, false) => -self.wait(id, job)?,
                (true, true) if now == then => self.reduction(job, &now),
                (true, true) => self.reduction(job, &now) - self.overhead(job),
            });
        }
        Ok(sum)
    }
}

/// What an epoch brought that led from one state of a cluster to another, by the measure of [`epoch`](super::epoch()), in
/// milliseconds.
///
/// With it, the plan of any scheduler is compared with the optimum. A job that ran and waits is charged the wait that a job
/// which starts is spared. Jobs are taken from the cluster before; a job that is not in the cluster after waits there.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::epoch::{Epoch, Request};
/// use aryl::ilp;
/// use aryl::units::Seconds;
///
/// let mut before = Cluster::new();
/// let v100 = before.add_gpu_type(GpuType::new("V100"))?;
/// before.add_server(Server::training(v100, 5))?;
/// before.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
///
/// let mut after = before.clone();
/// after.apply(&Epoch::default().plan(&before, Request::NONE)?)?;
/// // It starts, which spares it 300 s, and ends after 24 s in place of 60 s.
/// assert_eq!(ilp::epoch_value(&before, &after, Seconds(300.0))?, 300_000 + 36_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`IlpError::Wait`] where the wait times the weight of a job is negative or 2^53 milliseconds or more.
///
/// # Complexity
///
/// O(jobs + placements).
pub fn epoch_value(before: &Cluster, after: &Cluster, wait: Seconds) -> Result<i128, IlpError> {
    let value = Value::new(before, wait);
    Ok(value.between(before, after)? * i128::from(value.milliseconds()))
}
