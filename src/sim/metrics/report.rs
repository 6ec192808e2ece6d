//! What a simulation reports.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Sample, Summary};
use crate::units::Seconds;

/// What became of one job.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
/// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
/// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
/// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
/// # let workload = Workload { jobs: jobs.to_vec(), load };
/// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
/// let stopped = report.jobs[1];
/// assert_eq!((stopped.preemptions, stopped.lost), (1, Seconds(900.0)));
/// assert_eq!((stopped.queuing, stopped.ended), (Seconds(1_100.0), Seconds(4_063.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs want all 8 GPUs for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// assert_eq!(report.jobs[1].jct(), Seconds(90.0)); // from 30 s to 120 s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn jct(&self) -> Seconds {
        Seconds(self.ended.0 - self.submitted.0)
    }

    /// The time for which it held workers.
    ///
    /// Time in which it makes no progress, after a preemption say, is part of it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs want all 8 GPUs for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// let second = report.jobs[1];
    /// assert_eq!((second.jct(), second.queuing, second.running()), (Seconds(90.0), Seconds(30.0), Seconds(60.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn running(&self) -> Seconds {
        Seconds(self.jct().0 - self.queuing.0)
    }
}

/// How much the clusters were used, as shares from 0 to 1, averaged over the usage window of the setup. A share of nothing
/// is 0.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// // One job holds half of the GPUs for all of the time that counts; inference needs a quarter of its own.
/// let jobs = [TraceJob::new(Job::inelastic(4).remaining(Seconds(600.0)))];
/// let setup = {
///     let mut setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("T4"), 4, 8);
///     setup.usage_window = Some(Seconds(600.0));
///     setup
/// };
/// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.25)? };
/// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
/// assert_eq!((report.usage.training, report.usage.inference), (0.5, 0.25));
/// assert_eq!(report.usage.overall, (4.0 + 8.0) / 40.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
/// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
/// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
/// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
/// # let workload = Workload { jobs: jobs.to_vec(), load };
/// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
/// assert_eq!((report.loans.lent, report.loans.returned, report.loans.reclaims), (2, 2, 1));
/// assert_eq!((report.loans.returned_gpus, report.loans.collateral_gpus), (16, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs want all 8 GPUs for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// let jct = report.jct();
    /// assert_eq!((jct.mean, jct.max), (Seconds(75.0), Seconds(90.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n log n) for n jobs, at each call.
    #[must_use]
    pub fn jct(&self) -> Summary {
        Summary::of(self.jobs.iter().map(JobOutcome::jct))
    }

    /// The queuing times.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs want all 8 GPUs for 60 s; the second arrives at 30 s.
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let jobs = [job(0.0), job(30.0)];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// let queuing = report.queuing();
    /// assert_eq!((queuing.mean, queuing.max), (Seconds(15.0), Seconds(30.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n log n) for n jobs, at each call.
    #[must_use]
    pub fn queuing(&self) -> Summary {
        Summary::of(self.jobs.iter().map(|job| job.queuing))
    }

    /// Preemptions for reclaims.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
    /// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// assert_eq!((report.preemptions(), report.suspensions()), (2, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preemptions(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.preemptions)).sum()
    }

    /// Preemptions by the policy itself, in favour of other jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // After 20 s on 8 GPUs the long job has had 160 GPU-seconds, and makes way for the short one.
    /// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0)));
    /// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(10.0)).submitted(Seconds(20.0)));
    /// let jobs = [long, short];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Tiresias::new().threshold(160.0))?;
    /// assert_eq!((report.suspensions(), report.preemptions()), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn suspensions(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.suspensions)).sum()
    }

    /// Changes of the workers of running jobs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // The job grows from 4 to 8 workers. At 10 s another arrives, and it shrinks: 20 s of its 60 s are done.
    /// let first = TraceJob::new(Job::elastic(4..=8).remaining(Seconds(60.0)));
    /// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
    /// let jobs = [first, second];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Gandiva::new())?;
    /// assert_eq!(report.scaling_operations(), 1); // it grew as it started, which is no change
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn scaling_operations(&self) -> u64 {
        self.jobs.iter().map(|job| u64::from(job.resizes)).sum()
    }

    /// Preemptions for reclaims over job submissions (Aryl, section 7); 0 where there is no job.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two inference servers are lent, and two of three jobs run on them when both go back at 900 s.
    /// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// assert_eq!(report.preemption_ratio(), 2.0 / 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preemption_ratio(&self) -> f64 {
        ratio(self.preemptions() as f64, self.jobs.len() as f64)
    }

    /// GPUs vacated on servers that did not go back, over those of the servers that did (Aryl, section 4).
    ///
    /// 0 where no server went back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two workers of 8 GPUs, on the two servers that are lent. One goes back at 900 s.
    /// let jobs = [TraceJob::new(Job::inelastic(2).gpus_per_worker(8).remaining(Seconds(2_000.0)))];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 0.5)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// // The 8 GPUs on the other server are vacated too.
    /// assert_eq!(report.collateral_damage(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn collateral_damage(&self) -> f64 {
        ratio(self.loans.collateral_gpus as f64, self.loans.returned_gpus as f64)
    }

    /// Of the servers given back on which something ran, the share that came free by scaling jobs in alone.
    ///
    /// 0 where none was.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // 8 workers on the training server and 16 on the two that are lent; when these go back, the job runs on with 8.
    /// let jobs = [TraceJob::new(Job::elastic(8..=24).remaining(Seconds(6_000.0)))];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// # let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?;
    /// # let workload = Workload { jobs: jobs.to_vec(), load };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
    /// assert_eq!((report.scale_in_share(), report.preemptions()), (1.0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn scale_in_share(&self) -> f64 {
        let used = self.loans.returned - self.loans.returned_idle;
        ratio(self.loans.returned_by_scale_in as f64, used as f64)
    }

    /// The mean of the finish-time fairness of the jobs, and the largest: 0 where there is no job.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Two jobs ask for all GPUs at once: each has a fair share of half, and would take 200 s with it.
    /// let jobs = [0; 2].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0))));
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// // The first takes 100 s. The second takes 200 s, and had company for half of them.
    /// let (mean, largest) = report.finish_time_fairness();
    /// assert_eq!((report.jobs[0].finish_time_fairness, largest), (0.5, 200.0 / 150.0));
    /// assert_eq!(mean, (0.5 + largest) / 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
