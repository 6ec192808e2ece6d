//! What a policy sees when it decides.

use crate::cluster::Cluster;
use crate::epoch::Request;
use crate::id::JobId;
use crate::sim::engine::Exchange;
use crate::sim::job::{JobState, Slots};
use crate::sim::workload::{TraceJob, Workload};
use crate::units::Seconds;

/// What the engine lends to a view.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Sources<'a> {
    pub(in crate::sim) cluster: &'a Cluster,
    pub(in crate::sim) workload: &'a Workload,
    pub(in crate::sim) slots: &'a Slots,
    pub(in crate::sim) jobs: &'a [JobState],
    pub(in crate::sim) now: u64,
    pub(in crate::sim) request: Exchange,
}

/// What a policy sees when it decides: the cluster, what the inference side asks, and the past of each job.
///
/// # Job ids
///
/// A [`JobId`] names a job within one decision only: the simulation numbers the jobs anew when many have ended. To remember
/// a job from one decision to the next, keep its place in the workload: [`trace_index`](Self::trace_index) gives it, and
/// [`job_id`](Self::job_id) leads back.
///
/// # Remaining times
///
/// [`Job::remaining`](crate::cluster::Job) of a job in [`cluster`](Self::cluster) is an estimate. For a waiting job, and for a running elastic
/// one, it is that of the time left now. For a running inelastic one, which no decision of this crate looks at, it is that
/// of the time left when it started; [`remaining`](Self::remaining) is as of now for all.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(pub(in crate::sim) Sources<'a>);

impl<'a> View<'a> {
    /// The time, in seconds from the beginning of the trace.
    #[must_use]
    pub fn now(&self) -> Seconds {
        Seconds(self.0.now as f64 / 1_000.0)
    }

    /// The two clusters, and all jobs that have arrived and not ended.
    #[must_use]
    pub fn cluster(&self) -> &'a Cluster {
        self.0.cluster
    }

    /// How many servers the inference side lends or asks back now.
    #[must_use]
    pub fn request(&self) -> Request<'static> {
        Request::reclaim(self.0.request.reclaim).and_lend(self.0.request.lend)
    }

    /// How many servers the inference cluster asks back.
    #[must_use]
    pub fn asked_back(&self) -> u32 {
        self.0.request.reclaim
    }

    /// How many servers the inference cluster offers.
    #[must_use]
    pub fn offered(&self) -> u32 {
        self.0.request.lend
    }

    /// The jobs that wait, in order of submission.
    pub fn waiting(&self) -> impl Iterator<Item = JobId> + use<'a> {
        let cluster = self.0.cluster;
        cluster.jobs().map(|(id, _)| id).filter(|&id| !cluster.is_running(id))
    }

    /// The jobs that run, in order of submission.
    pub fn running(&self) -> impl Iterator<Item = JobId> + use<'a> {
        let cluster = self.0.cluster;
        cluster.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id))
    }

    /// The place of a job in the workload, or `None` where the cluster does not hold it.
    #[must_use]
    pub fn trace_index(&self, job: JobId) -> Option<usize> {
        self.0.slots.trace_index(job)
    }

    /// The id of a job of the workload now, or `None` where it has not arrived or has ended.
    #[must_use]
    pub fn job_id(&self, trace_index: usize) -> Option<JobId> {
        self.0.jobs.get(trace_index)?.id
    }

    /// A job as the trace has it, or `None` where the cluster does not hold it.
    #[must_use]
    pub fn trace_job(&self, job: JobId) -> Option<&'a TraceJob> {
        self.0.workload.jobs.get(self.trace_index(job)?)
    }

    /// The time that a job is estimated to need yet, with its minimum number of workers as the cluster has it; `None`
    /// where the cluster does not hold it.
    #[must_use]
    pub fn remaining(&self, job: JobId) -> Option<Seconds> {
        let (state, trace) = (self.state(job)?, self.trace_job(job)?);
        Some(state.estimate(trace, self.0.now))
    }

    /// The past of a job; `None` where the cluster does not hold it.
    #[must_use]
    pub fn record(&self, job: JobId) -> Option<JobRecord> {
        Some(self.state(job)?.record(self.0.now))
    }

    fn state(&self, job: JobId) -> Option<&'a JobState> {
        self.0.jobs.get(self.trace_index(job)?)
    }
}

/// The past of a job, as a policy may know it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobRecord {
    /// When it was submitted.
    pub submitted: Seconds,
    /// When it first started, if it has.
    pub first_start: Option<Seconds>,
    /// How long it has waited, in all.
    pub waited: Seconds,
    /// The GPUs that it has held, each times the seconds for which it did.
    pub attained_gpu_seconds: f64,
    /// The work that a preemption for a reclaim would throw away now, in seconds at its minimum.
    pub at_stake: Seconds,
    /// How often it was stopped.
    pub preemptions: u32,
    /// How often it was stopped, or its workers changed while it ran.
    pub changes: u32,
    /// The most reference workers that it has had.
    pub largest_size: u32,
}
