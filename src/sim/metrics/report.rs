//! What a simulation reports.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Sample, Summary};
use crate::units::Seconds;

/// What became of one job.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JobOutcome {
    /// When it was submitted.
    pub submitted: Seconds,
    /// When it first started.
    pub started: Seconds,
    /// When it ended.
    pub ended: Seconds,
    /// How long it waited, in all: before its first start and after each preemption.
    pub queuing: Seconds,
    /// The GPUs that it requests, of the reference type.
    pub gpus: u32,
    /// The GPUs that it held, each times the seconds for which it did.
    pub gpu_seconds: f64,
    /// The work that preemptions threw away, in seconds at its minimum.
    pub lost: Seconds,
    /// How often it was stopped because a server went back to inference.
    pub preemptions: u32,
    /// How often the policy stopped it in favour of others.
    pub suspensions: u32,
    /// How often its workers changed while it ran.
    pub resizes: u32,
    /// Its completion time over that with a fair share of the training cluster: the running time with the workers that it
    /// requests, times the GPUs that all jobs requested on average while it was there over those of the training cluster,
    /// where that is above 1. After Mahajan et al., *Themis*, NSDI 2020. Above 1: it got less than its share.
    pub finish_time_fairness: f64,
}

impl JobOutcome {
    /// The job completion time: from submission to end.
    #[must_use]
    pub fn jct(&self) -> Seconds {
        Seconds(self.ended.0 - self.submitted.0)
    }

    /// The time for which it held workers.
    #[must_use]
    pub fn running(&self) -> Seconds {
        Seconds(self.jct().0 - self.queuing.0)
    }
}

/// How much the clusters were used, as shares from 0 to 1, averaged over the usage window of the setup. A share of nothing
/// is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Usage {
    /// Of the GPUs of training servers, those that training workers hold.
    pub training: f64,
    /// Of the GPUs of inference servers, lent or not, those that inference needs.
    pub inference: f64,
    /// Of the GPUs of on-loan servers, those that training workers hold.
    pub on_loan: f64,
    /// Of all GPUs, those that training workers hold or inference needs.
    pub overall: f64,
    /// GPUs on loan, on average.
    pub on_loan_gpus: f64,
    /// GPUs that inference needed and had lent, as a share of its GPUs: load that came faster than servers came back.
    pub inference_short: f64,
}

/// How the loans went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LoanTotals {
    /// Servers lent, each time counted.
    pub lent: u64,
    /// Servers given back, each time counted.
    pub returned: u64,
    /// Of those, servers on which nothing ran.
    pub returned_idle: u64,
    /// Of those, servers that jobs left without any of them being preempted.
    pub returned_by_scale_in: u64,
    /// Decisions in which servers were given back.
    pub reclaims: u64,
    /// GPUs of the servers given back.
    pub returned_gpus: u64,
    /// GPUs that preempted jobs held on servers that were not given back.
    pub collateral_gpus: u64,
}

/// What a simulation reports.
///
/// # Examples
///
/// One server of two GPUs, and two jobs that want both:
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Fifo;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// let job = |submitted| TraceJob::new(Job::inelastic(2).remaining(Seconds(100.0)).submitted(Seconds(submitted)));
/// let workload = Workload { jobs: vec![job(0.0), job(40.0)], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 2);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
/// assert_eq!((report.jct().mean, report.queuing().mean), (Seconds(130.0), Seconds(30.0)));
/// assert_eq!((report.makespan, report.usage.training), (Seconds(200.0), 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The name of the policy.
    pub policy: String,
    /// What became of each job, in the order of the workload.
    pub jobs: Vec<JobOutcome>,
    /// How much the clusters were used.
    pub usage: Usage,
    /// How the loans went.
    pub loans: LoanTotals,
    /// The clusters at each decision on loans, whether or not the policy takes any.
    pub series: Vec<Sample>,
    /// From the first submission to the last end.
    pub makespan: Seconds,
    /// How often the policy decided.
    pub decisions: u64,
    /// How long the policy took for a decision, where the simulation was given a clock.
    pub decision_latency: Option<Summary>,
}

impl Report {
    /// The job completion times.
    #[must_use]
    pub fn jct(&self) -> Summary {
        Summary::of(self.jobs.iter().map(JobOutcome::jct))
    }

    /// The queuing times.
    #[must_use]
    pub fn queuing(&self) -> Summary {
        Summary::of(self.jobs.iter().map(|job| job.queuing))
    }

    /// Preemptions for reclaims.
    #[must_use]
    pub fn preemptions(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.preemptions)).sum()
    }

    /// Preemptions by the policy itself, in favour of other jobs.
    #[must_use]
    pub fn suspensions(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.suspensions)).sum()
    }

    /// Changes of the workers of running jobs.
    #[must_use]
    pub fn scaling_operations(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.resizes)).sum()
    }

    /// Preemptions for reclaims over job submissions (Aryl, section 7); 0 where there is no job.
    #[must_use]
    pub fn preemption_ratio(&self) -> f64 {
        ratio(self.preemptions() as f64, self.jobs.len() as f64)
    }

    /// GPUs vacated on servers that did not go back, over those of the servers that did (Aryl, section 4).
    #[must_use]
    pub fn collateral_damage(&self) -> f64 {
        ratio(self.loans.collateral_gpus as f64, self.loans.returned_gpus as f64)
    }

    /// Of the servers given back on which something ran, the share that came free by scaling jobs in alone.
    #[must_use]
    pub fn scale_in_share(&self) -> f64 {
        let used = self.loans.returned - self.loans.returned_idle;
        ratio(self.loans.returned_by_scale_in as f64, used as f64)
    }

    /// The mean of the finish-time fairness of the jobs, and the largest: 0 where there is no job.
    #[must_use]
    pub fn finish_time_fairness(&self) -> (f64, f64) {
        let sum: f64 = self.jobs.iter().map(|job| job.finish_time_fairness).sum();
        let largest = self.jobs.iter().map(|job| job.finish_time_fairness).fold(0.0, f64::max);
        (ratio(sum, self.jobs.len() as f64), largest)
    }
}

pub(in crate::sim) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
