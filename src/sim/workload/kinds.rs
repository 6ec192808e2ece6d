//! Which jobs of a trace are elastic, fungible, heterogeneous, checkpointed or wrongly estimated.

use alloc::vec::Vec;

use super::choose::{self, Wanted};
use super::random::{Stream, flags, stream};
use super::recorded_job::workers;
use super::{RecordedJob, SpecError, TraceJob};
use crate::cluster::Job;
use crate::scaling::ScalingCurve;
use crate::units::Seconds;

/// The scenarios of the Aryl paper's evaluation (section 7).
///
/// # Examples
///
/// ```
/// # use aryl::sim::workload::*;
/// let fungible = Scenario::ALL.map(|scenario| JobKinds::scenario(scenario).fungible);
/// assert_eq!(fungible, [0.21, 0.21, 0.0, 0.0]);
/// assert_eq!(Scenario::ALL.map(Scenario::name), ["Basic", "Advanced", "Heterogeneous", "Ideal"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Scenario {
    /// 21 % of the jobs are fungible; 5 % are elastic and make up 36 % of the load.
    Basic,
    /// Basic, and 10 % of the jobs may mix GPU types at 70 % of the ideal speed.
    Advanced,
    /// Those 10 % only: no job is fungible.
    Heterogeneous,
    /// Every job is elastic, and may mix GPU types at full speed.
    Ideal,
}

impl Scenario {
    /// The four, in the order of the paper.
    pub const ALL: [Self; 4] = [Self::Basic, Self::Advanced, Self::Heterogeneous, Self::Ideal];

    /// Its name in the paper.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::workload::*;
    /// assert_eq!(Scenario::Heterogeneous.name(), "Heterogeneous");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "Basic",
            Self::Advanced => "Advanced",
            Self::Heterogeneous => "Heterogeneous",
            Self::Ideal => "Ideal",
        }
    }
}

/// What traces do not record, as shares of jobs: which are elastic, fungible, heterogeneous, checkpointed or wrongly
/// estimated.
///
/// [`draw`](Self::draw) decides it for the jobs of a trace, by a seed. The draws are independent of each other, and each
/// has random numbers of its own. So a change of one share leaves the other draws as they are; and where a share grows,
/// the jobs drawn before stay drawn (but for elastic jobs with a wanted load or running time).
///
/// An elastic job requests its minimum number of workers and can use [`scale_factor`](Self::scale_factor) times as many.
/// Its recorded running time is the one with the workers it requests.
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::{JobKinds, RecordedJob, Scenario};
/// use aryl::units::Seconds;
///
/// let recorded: Vec<RecordedJob> = (1..=1_000)
///     .map(|n| RecordedJob { submitted: Seconds(60.0 * f64::from(n)), running_time: Seconds(f64::from(n)), gpus: 8 })
///     .collect();
/// let jobs = JobKinds::scenario(Scenario::Basic).draw(&recorded, 7)?;
/// let elastic = jobs.iter().filter(|job| job.job.is_elastic()).count();
/// assert_eq!(elastic, 50);
///
/// // In the ideal scenario an 8-GPU job has four workers of 2 GPUs, and can use eight.
/// let jobs = JobKinds::scenario(Scenario::Ideal).draw(&recorded, 7)?;
/// assert_eq!((jobs[0].requested_workers, jobs[0].job.max_workers), (4, 8));
/// # Ok::<(), aryl::sim::workload::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct JobKinds {
    /// The share of the jobs that is elastic.
    pub elastic: f64,
    /// The share of the load (GPUs times running time) that the elastic jobs make up, met as nearly as the trace
    /// allows by drawing longer jobs more often. `None`: drawn evenly.
    pub elastic_load: Option<f64>,
    /// The mean running time of the elastic jobs with the workers they request, met as nearly as the trace allows. `None`:
    /// whatever comes of the draw.
    pub elastic_running_time: Option<Seconds>,
    /// The most workers of an elastic job, as a multiple of those it requests.
    pub scale_factor: u32,
    /// How the speed of every job grows with its workers.
    pub scaling: ScalingCurve,
    /// The share of the jobs that may run on any GPU type, one type a run.
    pub fungible: f64,
    /// The share of the jobs that may run on any GPU type and mix them in one run.
    pub heterogeneous: f64,
    /// The speed of a heterogeneous job that mixes types, as a share of the ideal.
    pub mixing_efficiency: f64,
    /// The share of the jobs that writes checkpoints.
    pub checkpointed: f64,
    /// How much running time lies between two checkpoints.
    pub checkpoint_interval: Seconds,
    /// The share of the jobs whose running time is not estimated right.
    pub wrong_estimates: f64,
    /// How far those are off: the estimate is the running time times a factor that is drawn evenly from 1 − this to
    /// 1 + this, and is not below 0.01.
    pub estimate_error: f64,
}

impl JobKinds {
    /// The most that [`scale_factor`](Self::scale_factor) can be.
    pub const MAX_SCALE_FACTOR: u32 = 16;

    /// The most GPUs of a recorded job.
    pub const MAX_GPUS: u32 = 1 << 16;

    /// Every job inelastic, on the reference type alone, without checkpoints, and known beforehand.
    pub const PLAIN: Self = Self {
        elastic: 0.0,
        elastic_load: None,
        elastic_running_time: None,
        scale_factor: 2,
        scaling: ScalingCurve::Linear,
        fungible: 0.0,
        heterogeneous: 0.0,
        mixing_efficiency: Job::MIXING_EFFICIENCY,
        checkpointed: 0.0,
        checkpoint_interval: Seconds(3_600.0),
        wrong_estimates: 0.0,
        estimate_error: 0.25,
    };

    /// The proportions of a scenario of the paper.
    ///
    /// The paper says what elastic jobs scale to in the ideal scenario only, twice the request; the others take that too.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::workload::*;
    /// let basic = JobKinds::scenario(Scenario::Basic);
    /// assert_eq!((basic.elastic, basic.elastic_load, basic.fungible), (0.05, Some(0.36), 0.21));
    /// assert_eq!((basic.scale_factor, basic.heterogeneous), (2, 0.0));
    /// ```
    #[must_use]
    pub const fn scenario(scenario: Scenario) -> Self {
        let basic = Self { elastic: 0.05, elastic_load: Some(0.36), fungible: 0.21, ..Self::PLAIN };
        match scenario {
            Scenario::Basic => basic,
            Scenario::Advanced => Self { heterogeneous: 0.1, ..basic },
            Scenario::Heterogeneous => Self { heterogeneous: 0.1, fungible: 0.0, ..basic },
            Scenario::Ideal => Self {
                elastic: 1.0,
                elastic_load: None,
                heterogeneous: 1.0,
                mixing_efficiency: 1.0,
                ..Self::PLAIN
            },
        }
    }

    /// Decides the kind of each recorded job. The answer is in the order of the trace.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// # let recorded: Vec<RecordedJob> = (1..=200)
    /// #     .map(|n| RecordedJob { submitted: Seconds(f64::from(n)), running_time: Seconds(f64::from(n)), gpus: 8 })
    /// #     .collect();
    /// // 200 recorded jobs: a quarter may run anywhere, and half of all write checkpoints.
    /// let kinds = JobKinds { fungible: 0.25, checkpointed: 0.5, ..JobKinds::PLAIN };
    /// let jobs = kinds.draw(&recorded, 7)?;
    /// let saving = jobs.iter().filter(|job| job.checkpoint_interval.is_some()).count();
    /// assert_eq!((jobs.len(), saving), (200, 100));
    /// assert_eq!(jobs, kinds.draw(&recorded, 7)?);
    ///
    /// let wrong = JobKinds { fungible: 1.25, ..kinds }.draw(&recorded, 7);
    /// assert_eq!(wrong, Err(SpecError::Share { what: "share of fungible jobs", share: 1.25 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the share that is out of its range, or the first recorded job that makes no sense: of no GPU or
    /// more than [`MAX_GPUS`](Self::MAX_GPUS), without a positive running time, submitted before the one above it.
    ///
    /// # Complexity
    ///
    /// O(jobs · log jobs), and O(jobs) for each of at most 64 trials of the elastic draw.
    ///
    /// # Determinism
    ///
    /// The same jobs and the same seed give the same answer on every machine.
    pub fn draw(&self, recorded: &[RecordedJob], seed: u64) -> Result<Vec<TraceJob>, SpecError> {
        self.check()?;
        check_recorded(recorded)?;
        let count = recorded.len();
        let mut random = stream(seed, Stream::Elastic);
        let elastic = if self.elastic_load.is_some() || self.elastic_running_time.is_some() {
            let running_time = self.elastic_running_time.map(|time| time.0);
            let wanted = Wanted { share: self.elastic, load: self.elastic_load, running_time };
            choose::draw(recorded, wanted, &mut random)
        } else {
            flags(count, self.elastic, &mut random)
        };
        let fungible = flags(count, self.fungible, &mut stream(seed, Stream::Fungible));
        let heterogeneous = flags(count, self.heterogeneous, &mut stream(seed, Stream::Heterogeneous));
        let checkpointed = flags(count, self.checkpointed, &mut stream(seed, Stream::Checkpointed));
        let wrong = flags(count, self.wrong_estimates, &mut stream(seed, Stream::WrongEstimates));
        let mut errors = stream(seed, Stream::EstimateErrors);

        let kinds = elastic.into_iter().zip(fungible).zip(heterogeneous).zip(checkpointed).zip(wrong);
        let jobs =
            recorded.iter().zip(kinds).map(|(recorded, ((((elastic, fungible), mixes), writes), wrong))| {
                let (gpus_per_worker, requested) = workers(recorded.gpus, elastic);
                let most = if elastic { requested * self.scale_factor } else { requested };
                let mut job = Job::elastic(requested..=most)
                    .gpus_per_worker(gpus_per_worker)
                    .remaining(recorded.running_time)
                    .scaling(self.scaling.clone())
                    .submitted(recorded.submitted);
                if fungible || mixes {
                    job = job.fungible();
                }
                if mixes {
                    job = job.heterogeneous_at(self.mixing_efficiency);
                }
                let mut job = TraceJob::new(job);
                if writes {
                    job = job.checkpoint_interval(self.checkpoint_interval);
                }
                // Drawn for every job, so that a job's error does not hang on who else is wrong.
                let error = self.estimate_error * (2.0 * errors.rand_float() - 1.0);
                if wrong { job.estimate_factor((1.0 + error).max(0.01)) } else { job }
            });
        Ok(jobs.collect())
    }

    /// Whether the shares, times and factors make sense.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::workload::*;
    /// assert_eq!(JobKinds::scenario(Scenario::Advanced).check(), Ok(()));
    /// let wide = JobKinds { scale_factor: 17, ..JobKinds::PLAIN };
    /// assert_eq!(wide.check(), Err(SpecError::ScaleFactor { factor: 17, limit: 16 }));
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError`] names the number that is out of its range, NaN among them.
    pub fn check(&self) -> Result<(), SpecError> {
        let shares = [
            ("share of elastic jobs", self.elastic),
            ("load of elastic jobs", self.elastic_load.unwrap_or(0.0)),
            ("share of fungible jobs", self.fungible),
            ("share of heterogeneous jobs", self.heterogeneous),
            ("share of jobs with checkpoints", self.checkpointed),
            ("share of wrong estimates", self.wrong_estimates),
            ("error of wrong estimates", self.estimate_error),
        ];
        if let Some((what, share)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err(SpecError::Share { what, share });
        }
        let (factor, limit) = (self.scale_factor, Self::MAX_SCALE_FACTOR);
        if factor == 0 || factor > limit {
            return Err(SpecError::ScaleFactor { factor, limit });
        }
        let efficiency = self.mixing_efficiency;
        if !(efficiency > 0.0 && efficiency <= 1.0) {
            return Err(SpecError::MixingEfficiency { efficiency });
        }
        if let Some(time) = self.elastic_running_time {
            check_time("mean running time of elastic jobs", time)?;
        }
        check_time("time between checkpoints", self.checkpoint_interval)?;
        self.scaling.check()?;
        Ok(())
    }
}

/// The longest time of a specification: about 30 years.
const TIME_LIMIT: Seconds = Seconds(1e9);

/// Whether a length of time is at least a millisecond, the finest that is counted, and not too long.
pub(super) fn check_time(what: &'static str, time: Seconds) -> Result<(), SpecError> {
    if (0.001..=TIME_LIMIT.0).contains(&time.0) {
        Ok(())
    } else {
        Err(SpecError::Time { what, time, limit: TIME_LIMIT })
    }
}

fn check_recorded(recorded: &[RecordedJob]) -> Result<(), SpecError> {
    let mut previous = Seconds(f64::NEG_INFINITY);
    for (job, &RecordedJob { submitted, running_time, gpus }) in recorded.iter().enumerate() {
        if !(0.001..=TIME_LIMIT.0).contains(&running_time.0) {
            return Err(SpecError::RecordedTime { job, what: "running time", time: running_time });
        }
        if !(-TIME_LIMIT.0..=TIME_LIMIT.0).contains(&submitted.0) {
            return Err(SpecError::RecordedTime { job, what: "time of submission", time: submitted });
        }
        if gpus == 0 || gpus > JobKinds::MAX_GPUS {
            return Err(SpecError::RecordedGpus { job, gpus, limit: JobKinds::MAX_GPUS });
        }
        if submitted < previous {
            return Err(SpecError::NotAscending { job, submitted, previous });
        }
        previous = submitted;
    }
    Ok(())
}
