//! A generator of workloads.

use alloc::vec::Vec;

use super::arrivals::draw_gpus;
use super::kinds::check_time;
use super::random::{Stream, shuffle, stream};
use super::{
    Arrivals, DiurnalLoad, JobKinds, RecordedJob, RunningTimes, Scenario, SpecError, Surge, Workload,
};
use crate::units::Seconds;

/// What a generated workload looks like, as statistics.
///
/// [`paper`](Self::paper) is the private trace of the Aryl paper, as far as its figures are published: 50,390 jobs in 15
/// days for 443 training servers and 520 inference servers of 8 GPUs. Change the fields for another cluster.
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::{Scenario, TraceSpec};
///
/// let workload = TraceSpec::paper(Scenario::Basic).generate(1)?;
/// assert_eq!(workload.jobs.len(), 50_390);
/// let share = |flag: &dyn Fn(&aryl::cluster::Job) -> bool| {
///     workload.jobs.iter().filter(|job| flag(&job.job)).count() as f64 / 50_390.0
/// };
/// assert!((share(&|job| job.is_elastic()) - 0.05).abs() < 1e-4);
/// assert_eq!(workload, TraceSpec::paper(Scenario::Basic).generate(1)?);
///
/// // A tenth of it, for a tenth of the servers. The surge is left out: its jobs would be too large.
/// let small = TraceSpec { jobs: 5_039, surge: None, ..TraceSpec::paper(Scenario::Basic) }.generate(1)?;
/// assert_eq!(small.jobs.len(), 5_039);
/// # Ok::<(), aryl::sim::workload::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct TraceSpec {
    /// The number of jobs.
    pub jobs: u32,
    /// The time in which they are submitted, from 0 on.
    pub span: Seconds,
    /// How the arrivals follow the day.
    pub arrivals: Arrivals,
    /// How long the jobs run with the workers they request.
    pub running_times: RunningTimes,
    /// The GPUs that jobs request: numbers, and the share of the jobs for each. Independent of the running times.
    pub gpus: Vec<(u32, f64)>,
    /// Large jobs that are submitted together.
    pub surge: Option<Surge>,
    /// Which jobs are elastic, fungible and so on.
    pub kinds: JobKinds,
    /// The load of the inference cluster.
    pub load: DiurnalLoad,
}

impl TraceSpec {
    /// The most jobs of a generated workload.
    pub const MAX_JOBS: u32 = 1 << 24;

    /// The mix of GPUs: powers of two, 5.07 GPUs on average.
    ///
    /// The paper publishes none. This mean uses the training cluster at 72 %, as in its Table 5, with its number of jobs
    /// and their mean running time: the published usage alone gives 4.85, and some of the work falls behind the 15 days.
    pub const PAPER_GPUS: [(u32, f64); 7] =
        [(1, 0.41), (2, 0.13), (4, 0.16), (8, 0.20), (16, 0.075), (32, 0.02), (64, 0.005)];

    /// The mean running time of the paper's elastic jobs with the workers they request: twice 14.2 h.
    ///
    /// The paper says that they run for 14.2 h on average (section 7), and orders elastic jobs by their time at most workers
    /// (section 5.2): we read the figure as that. As the time with the workers they request it would be too short: scaling
    /// alone lowers the mean running time by 3,765 s (Table 5), which is 21 h for each of them.
    pub const PAPER_ELASTIC_RUNNING_TIME: Seconds = Seconds(2.0 * 14.2 * 3_600.0);

    /// The trace of the Aryl paper in one of its scenarios. The parts say where each number is from.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let spec = TraceSpec::paper(Scenario::Basic);
    /// assert_eq!((spec.jobs, spec.span), (50_390, Seconds(15.0 * 86_400.0)));
    /// // About 140 jobs an hour, as the paper says.
    /// assert_eq!((f64::from(spec.jobs) / (spec.span.0 / 3_600.0)).round(), 140.0);
    /// ```
    #[must_use]
    pub fn paper(scenario: Scenario) -> Self {
        let mut kinds = JobKinds::scenario(scenario);
        if kinds.elastic_load.is_some() {
            kinds.elastic_running_time = Some(Self::PAPER_ELASTIC_RUNNING_TIME);
        }
        Self {
            jobs: 50_390,
            span: Seconds(15.0 * 86_400.0),
            arrivals: Arrivals::PAPER,
            running_times: RunningTimes::PAPER,
            gpus: Self::PAPER_GPUS.to_vec(),
            surge: Some(Surge::PAPER),
            kinds,
            load: DiurnalLoad::PAPER,
        }
    }

    /// A workload with these statistics.
    ///
    /// Shares are met but for rounding, and running times and GPUs are spread over their distributions evenly. So workloads
    /// of different seeds differ in who arrives when, and hardly in their totals.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let spec = TraceSpec { jobs: 500, surge: None, ..TraceSpec::paper(Scenario::Basic) };
    /// let workload = spec.generate(1)?;
    /// assert_eq!((workload.jobs.len(), workload.load.points().len()), (500, 15 * 288));
    /// assert_ne!(workload, spec.generate(2)?);
    ///
    /// let wrong = TraceSpec { gpus: vec![(8, 0.5)], ..spec }.generate(1);
    /// assert_eq!(wrong, Err(SpecError::MixSum { sum: 0.5 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the number that is out of its range.
    ///
    /// # Complexity
    ///
    /// O(jobs · log jobs + steps of the load).
    ///
    /// # Determinism
    ///
    /// The same specification and seed give the same workload on every machine.
    pub fn generate(&self, seed: u64) -> Result<Workload, SpecError> {
        Ok(Workload {
            jobs: self.kinds.draw(&self.record(seed)?, seed)?,
            load: self.load.generate(self.span, seed)?,
        })
    }

    /// The jobs alone, as a trace would record them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let spec = TraceSpec { jobs: 500, surge: None, ..TraceSpec::paper(Scenario::Basic) };
    /// let jobs = spec.record(1)?;
    /// let mean = jobs.iter().map(|job| f64::from(job.gpus)).sum::<f64>() / 500.0;
    /// assert!((mean - 5.07).abs() < 0.1); // GPUs a job
    /// assert!(jobs.is_sorted_by_key(|job| job.submitted));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`generate`](Self::generate).
    ///
    /// # Complexity
    ///
    /// O(jobs · log jobs).
    ///
    /// # Determinism
    ///
    /// As [`generate`](Self::generate), whose jobs these are.
    pub fn record(&self, seed: u64) -> Result<Vec<RecordedJob>, SpecError> {
        self.check()?;
        let jobs = self.jobs as usize;
        let submitted = self.arrivals.draw(jobs, self.span, seed);
        let running_times = self.running_times.draw(jobs, seed)?;
        let gpus = draw_gpus(&self.gpus, jobs, seed);
        let mut work: Vec<(Seconds, u32)> = running_times.into_iter().zip(gpus).collect();
        shuffle(&mut work, &mut stream(seed, Stream::Order));
        let jobs = submitted.into_iter().zip(work);
        let mut jobs: Vec<RecordedJob> = jobs
            .map(|(submitted, (running_time, gpus))| RecordedJob { submitted, running_time, gpus })
            .collect();
        if let Some(surge) = &self.surge {
            surge.gather(&mut jobs, seed);
        }
        Ok(jobs)
    }

    fn check(&self) -> Result<(), SpecError> {
        let (jobs, limit) = (self.jobs, Self::MAX_JOBS);
        if jobs == 0 || jobs > limit {
            return Err(SpecError::Jobs { jobs, limit });
        }
        check_time("span", self.span)?;
        self.arrivals.check()?;
        if let Some(surge) = &self.surge {
            surge.check()?;
        }
        if self.gpus.is_empty() {
            return Err(SpecError::NoGpus);
        }
        for &(gpus, share) in &self.gpus {
            if gpus == 0 || gpus > JobKinds::MAX_GPUS {
                return Err(SpecError::Gpus { gpus, limit: JobKinds::MAX_GPUS });
            }
            if !(0.0..=1.0).contains(&share) {
                return Err(SpecError::Share { what: "share of a number of GPUs", share });
            }
        }
        let sum: f64 = self.gpus.iter().map(|&(_, share)| share).sum();
        if libm::fabs(sum - 1.0) > 1e-6 {
            return Err(SpecError::MixSum { sum });
        }
        self.kinds.check()
    }
}
