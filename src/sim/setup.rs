//! The two clusters, and how they are run.

use alloc::vec::Vec;

use super::SetupError;
use crate::cluster::{Cluster, GpuType, Server};
use crate::id::GpuTypeId;
use crate::loan::Fleet;
use crate::units::Seconds;

/// What the inference side knows of its load at the next decision on loans.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// // Four inference servers; two are lent. The load rises at 1,000 s, and is asked about every 300 s.
/// let workload = Workload {
///     jobs: vec![TraceJob::new(Job::inelastic(8).remaining(Seconds(1_500.0))); 3],
///     load: InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 1.0)])?,
/// };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
/// let last_loan = |forecast| -> Result<Seconds, Box<dyn std::error::Error>> {
///     let setup = setup.clone().forecast(forecast);
///     let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::as_published())?;
///     let lent = report.series.iter().filter(|sample| sample.on_loan_servers > 0);
///     Ok(lent.last().expect("two are lent").time)
/// };
/// assert_eq!(last_loan(Forecast::Exact)?, Seconds(900.0)); // 900 s: the load at 1,200 s is foreseen
/// assert_eq!(last_loan(Forecast::Naive)?, Seconds(1_200.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Forecast {
    /// The load that the trace will have then. The paper's predictor is learnt, and close to it (Aryl, section 6).
    #[default]
    Exact,
    /// The load as it is now.
    Naive,
    /// The load as it was so many decisions ago ([`SeasonalNaive`](crate::loan::SeasonalNaive)): with decisions every
    /// five minutes a day is 288.
    Seasonal {
        /// The period, in decisions on loans.
        period: u32,
    },
}

/// Servers of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub(super) struct Servers {
    pub(super) gpu_type: u32,
    pub(super) servers: u32,
    pub(super) gpus: u32,
}

/// The two clusters, and how they are run: intervals, overheads, forecast.
///
/// # Examples
///
/// The clusters of the paper's evaluation: 443 servers of 8 V100, and 520 of 8 T4, three of which do the work of one.
///
/// ```
/// use aryl::cluster::GpuType;
/// use aryl::sim::Setup;
///
/// let setup = Setup::new(GpuType::new("V100"), 443, 8).inference(GpuType::new("T4").speed(1, 3), 520, 8);
/// assert_eq!((setup.training_gpus(), setup.inference_gpus()), (3_544, 4_160));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Setup {
    pub(super) gpu_types: Vec<GpuType>,
    pub(super) training: Vec<Servers>,
    pub(super) inference: Option<Servers>,
    /// The time between two decisions on loans; 300 s by default.
    pub loan_interval: Seconds,
    /// The time between two scheduling epochs; 300 s by default. A policy may ask for a shorter one.
    pub epoch_interval: Seconds,
    /// Whether there is a scheduling epoch at each arrival and end too; true by default.
    pub epochs_on_events: bool,
    /// What a job loses each time it starts again after it was stopped: time in which it holds its workers and makes no
    /// progress; 63 s by default (Aryl, section 7).
    pub preemption_overhead: Seconds,
    /// What a job loses each time that the number of its workers changes, beside its own
    /// [`resize_overhead`](crate::cluster::Job); 0 by default.
    pub scaling_overhead: Seconds,
    /// What the inference side knows of its load at its next decision on loans.
    pub forecast: Forecast,
    /// The end of the time over which usage is averaged. `None`, the default: the last submission.
    pub usage_window: Option<Seconds>,
}

impl Setup {
    /// The most servers of both clusters together: memory follows their number, which is given by a few digits.
    pub const MAX_SERVERS: u32 = 1 << 24;

    /// A training cluster of so many servers with so many GPUs each of the reference type, and no inference cluster.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::GpuType, sim::Setup, units::Seconds};
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8);
    /// assert_eq!((setup.training_gpus(), setup.inference_gpus()), (16, 0));
    /// assert_eq!((setup.loan_interval, setup.preemption_overhead), (Seconds(300.0), Seconds(63.0)));
    /// ```
    #[must_use]
    pub fn new(gpu_type: GpuType, servers: u32, gpus: u32) -> Self {
        Self {
            gpu_types: alloc::vec![gpu_type],
            training: alloc::vec![Servers { gpu_type: 0, servers, gpus }],
            inference: None,
            loan_interval: Seconds(300.0),
            epoch_interval: Seconds(300.0),
            epochs_on_events: true,
            preemption_overhead: Seconds(63.0),
            scaling_overhead: Seconds::ZERO,
            forecast: Forecast::Exact,
            usage_window: None,
        }
    }

    /// The same setup with more training servers. A type of the same name and speed as an earlier one is that type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::GpuType;
    /// use aryl::sim::Setup;
    ///
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8).training(GpuType::new("A100").speed(2, 1), 1, 4);
    /// assert_eq!(setup.training_gpus(), 20);
    /// ```
    #[must_use]
    pub fn training(mut self, gpu_type: GpuType, servers: u32, gpus: u32) -> Self {
        let gpu_type = self.number(gpu_type);
        self.training.push(Servers { gpu_type, servers, gpus });
        self
    }

    /// The same setup with this inference cluster. Its servers are all of one kind.
    ///
    /// A second call takes the place of the first.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::GpuType, sim::Setup};
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8).inference(GpuType::new("T4").speed(1, 3), 10, 4);
    /// assert_eq!(setup.inference_gpus(), 40);
    /// ```
    #[must_use]
    pub fn inference(mut self, gpu_type: GpuType, servers: u32, gpus: u32) -> Self {
        let gpu_type = self.number(gpu_type);
        self.inference = Some(Servers { gpu_type, servers, gpus });
        self
    }

    /// The same setup with this overhead each time that the number of a job's workers changes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // The job grows from 4 to 8 workers. At 10 s another arrives, and it shrinks: 20 s of its 60 s are done.
    /// let first = TraceJob::new(Job::elastic(4..=8).remaining(Seconds(60.0)));
    /// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
    /// let jobs = [first, second];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).scaling_overhead(Seconds(5.0));
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Gandiva::new())?;
    /// assert_eq!(report.jobs[0].ended, Seconds(10.0 + 5.0 + 40.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn scaling_overhead(mut self, time: Seconds) -> Self {
        self.scaling_overhead = time;
        self
    }

    /// The same setup with this overhead each time that a job starts again.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // The short job takes the place of the long one, which keeps its progress and starts again at 30 s.
    /// let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0)));
    /// let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(10.0)).submitted(Seconds(20.0)));
    /// let jobs = [long, short];
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8).preemption_overhead(Seconds(5.0));
    /// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Tiresias::new().threshold(160.0))?;
    /// assert_eq!(report.jobs[0].ended, Seconds(30.0 + 5.0 + 80.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preemption_overhead(mut self, time: Seconds) -> Self {
        self.preemption_overhead = time;
        self
    }

    /// The same setup with this time between two scheduling epochs.
    ///
    /// Jobs that arrive or end bring about epochs of their own, unless [`epochs_on_events`](Self::epochs_on_events)
    /// is off.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let workload = Workload { jobs: vec![job(0.0), job(30.0)], load: InferenceLoad::constant(0.5)? };
    /// let mut setup = Setup::new(GpuType::new("V100"), 1, 8).epoch_interval(Seconds(100.0));
    /// setup.epochs_on_events = false;
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// assert_eq!(report.jobs[1].started, Seconds(100.0)); // though the GPUs are free from 60 s on
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn epoch_interval(mut self, time: Seconds) -> Self {
        self.epoch_interval = time;
        self
    }

    /// The same setup with this forecast of the inference load.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::GpuType, sim::{Forecast, Setup}, units::Seconds};
    /// // With a decision every 300 s, a day is 288 of them.
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8).forecast(Forecast::Seasonal { period: 288 });
    /// assert_eq!(setup.forecast, Forecast::Seasonal { period: 288 });
    /// assert_eq!(Seconds(288.0 * setup.loan_interval.0), Seconds(86_400.0));
    /// ```
    #[must_use]
    pub fn forecast(mut self, forecast: Forecast) -> Self {
        self.forecast = forecast;
        self
    }

    /// GPUs of the training cluster.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::GpuType, sim::Setup};
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8).training(GpuType::new("A100").speed(2, 1), 1, 4);
    /// assert_eq!(setup.training_gpus(), 20);
    /// ```
    #[must_use]
    pub fn training_gpus(&self) -> u64 {
        self.training.iter().map(|kind| u64::from(kind.servers) * u64::from(kind.gpus)).sum()
    }

    /// GPUs of the inference cluster.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::GpuType, sim::Setup};
    /// let setup = Setup::new(GpuType::new("V100"), 443, 8);
    /// assert_eq!(setup.inference_gpus(), 0);
    /// assert_eq!(setup.inference(GpuType::new("T4").speed(1, 3), 520, 8).inference_gpus(), 4_160);
    /// ```
    #[must_use]
    pub fn inference_gpus(&self) -> u64 {
        self.inference.map_or(0, |kind| u64::from(kind.servers) * u64::from(kind.gpus))
    }

    fn number(&mut self, gpu_type: GpuType) -> u32 {
        let known = self.gpu_types.iter().position(|other| *other == gpu_type);
        // Far below 2^32: each type was given by a call.
        known.unwrap_or_else(|| {
            self.gpu_types.push(gpu_type);
            self.gpu_types.len() - 1
        }) as u32
    }

    /// The servers of both clusters.
    pub(super) fn servers(&self) -> u64 {
        self.training.iter().chain(&self.inference).map(|kind| u64::from(kind.servers)).sum()
    }

    /// The two clusters as one, with nothing on loan: training servers have the lower ids.
    pub(super) fn cluster(&self) -> Result<Cluster, SetupError> {
        let mut cluster = Cluster::new();
        for gpu_type in &self.gpu_types {
            cluster.add_gpu_type(gpu_type.clone())?;
        }
        for kind in &self.training {
            for _ in 0..kind.servers {
                cluster.add_server(Server::training(GpuTypeId::new(kind.gpu_type), kind.gpus))?;
            }
        }
        if let Some(kind) = self.inference {
            for _ in 0..kind.servers {
                cluster.add_server(Server::inference(GpuTypeId::new(kind.gpu_type), kind.gpus))?;
            }
        }
        Ok(cluster)
    }

    pub(super) fn fleet(&self) -> Result<Option<Fleet>, SetupError> {
        let fleet =
            self.inference.filter(|kind| kind.servers > 0).map(|kind| Fleet::new(kind.servers, kind.gpus));
        Ok(fleet.transpose()?)
    }
}
