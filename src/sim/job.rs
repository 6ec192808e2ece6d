//! The state of each job of the workload, and which id it has in the cluster.

use alloc::vec::Vec;

use super::policy::{JobRecord, Sizes};
use super::progress::{Progress, seconds};
use super::workload::TraceJob;
use crate::cluster::Job;
use crate::id::JobId;
use crate::scaling::{Scaling, ScalingCurve};
use crate::units::Seconds;

/// The place in the workload of each job that the cluster holds, by job id.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots(pub(super) Vec<Option<u32>>);

impl Slots {
    pub(super) fn trace_index(&self, job: JobId) -> Option<usize> {
        self.0.get(job.index()).copied().flatten().map(|index| index as usize)
    }
}

/// What the simulation knows of a job. Times are in milliseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct JobState {
    /// Its id in the cluster while it is there.
    pub(super) id: Option<JobId>,
    pub(super) submitted: u64,
    pub(super) first_start: Option<u64>,
    pub(super) ended: u64,
    /// Since when it has waited, or run with the GPUs that it holds.
    pub(super) since: u64,
    /// The GPUs that it holds; 0 while it waits.
    pub(super) gpus: u32,
    pub(super) reference_workers: u32,
    /// The time for which it has waited, up to `since`.
    waited: u64,
    /// The GPUs that it has held, times milliseconds, up to `since`.
    attained: u128,
    pub(super) progress: Progress,
    /// Counts the changes of its end, so that an end that was planned before is known to be out of date.
    pub(super) version: u32,
    pub(super) preemptions: u32,
    pub(super) suspensions: u32,
    pub(super) resizes: u32,
    pub(super) largest_size: u32,
    /// Its running time divided by its estimate's unit: what turns work left into the estimate that the cluster is told.
    pub(super) estimate_scale: f64,
    /// The integral of contention over time when it was submitted.
    pub(super) contention_before: u128,
    pub(super) contention_after: u128,
}

/// A time that was checked when the simulation was made.
pub(super) fn milliseconds(time: Seconds) -> u64 {
    time.milliseconds().unwrap_or(0)
}

impl JobState {
    /// A job that has not arrived.
    pub(super) fn new(trace: &TraceJob) -> Self {
        let checkpoint_interval = trace.checkpoint_interval.map(milliseconds);
        Self {
            submitted: milliseconds(trace.job.submitted),
            progress: Progress::new(milliseconds(trace.job.remaining), checkpoint_interval),
            ..Self::default()
        }
    }

    /// Counts what it waited and held up to now.
    pub(super) fn count(&mut self, now: u64) {
        (self.waited, self.attained) = (self.waited_at(now), self.attained_at(now));
        self.since = now;
    }

    pub(super) fn waited_at(&self, now: u64) -> u64 {
        self.waited + if self.gpus == 0 { now - self.since } else { 0 }
    }

    pub(super) fn attained_at(&self, now: u64) -> u128 {
        self.attained + u128::from(self.gpus) * u128::from(now - self.since)
    }

    /// What a policy may know of its past.
    pub(super) fn record(&self, now: u64) -> JobRecord {
        let seconds_of = |time: u64| Seconds(time as f64 / 1_000.0);
        JobRecord {
            submitted: seconds_of(self.submitted),
            first_start: self.first_start.map(seconds_of),
            waited: seconds_of(self.waited_at(now)),
            attained_gpu_seconds: self.attained_at(now) as f64 / 1_000.0,
            at_stake: Seconds(seconds(u128::from(self.progress.at_stake(now)))),
            preemptions: self.preemptions + self.suspensions,
            changes: self.preemptions + self.suspensions + self.resizes,
            largest_size: self.largest_size,
        }
    }

    /// The estimated time that it needs yet with the minimum that the cluster knows. Never below a millisecond.
    pub(super) fn estimate(&self, trace: &TraceJob, now: u64) -> Seconds {
        let left = seconds(u128::from(self.progress.left_at(now)));
        Seconds((left * trace.estimate_factor * self.estimate_scale).max(0.001))
    }
}

/// The job as it enters the cluster under a policy that scales, or does not, and the time at its minimum there as a
/// share of the time at the trace's minimum.
pub(super) fn as_held(trace: &TraceJob, sizes: Sizes) -> (Job, f64) {
    let mut job = trace.job.clone();
    let mut scale = 1.0;
    if sizes != Sizes::Elastic && job.is_elastic() {
        scale = 1.0 / job.scaling.speedup(job.min_workers, trace.requested_workers);
        job.min_workers = trace.requested_workers;
        if sizes == Sizes::Requested {
            job.max_workers = trace.requested_workers;
            job.scaling = ScalingCurve::Linear;
        }
    }
    job.remaining = Seconds((job.remaining.0 * trace.estimate_factor * scale).max(0.001));
    (job, scale)
}
