//! The simulation that callers meet, and its loop over time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::engine::{Engine, Exchange};
use super::lender::Lender;
use super::metrics::Report;
use super::policy::Policy;
use super::workload::Workload;
use super::{Event, Setup, SetupError, SimulationError, check};
use crate::cluster::Cluster;
use crate::units::Seconds;

/// Decisions in a row that change nothing after which waiting jobs are taken to wait for ever, once nothing else can
/// happen.
const PATIENCE: u32 = 1_000;

/// Decisions in a row without the arrival or end of a job after which a simulation is given up.
const LONGEST_LULL: u32 = 1 << 24;

/// The time at which the clock ends, in milliseconds.
const END_OF_TIME: u64 = 1 << 53;

pub(super) type Observer<'a> = Box<dyn FnMut(Seconds, &Event) + 'a>;
pub(super) type Clock<'a> = Box<dyn FnMut() -> Seconds + 'a>;

/// A replay of a workload on two clusters under a policy, to the end of the last job.
///
/// Time runs in whole milliseconds. What happens at the same time happens in this order: the load changes, jobs end, jobs
/// arrive, the inference side decides on loans, the policy decides. Among jobs it goes by their place in the workload.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::{Aryl, Fifo};
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Tables 2 and 3 of the Aryl paper: eight workers; A and B each run with 2 to 6, A needs 50 s with 6 and B 20 s.
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let [a, b] = [150.0, 60.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
/// let workload = Workload { jobs: vec![a, b], load: InferenceLoad::constant(0.95)? };
///
/// // Each gets four workers; when B ends, A grows to six.
/// let report = Simulation::new(&setup, &workload)?.run(&mut Aryl::scaling_only())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [60.0, 30.0]);
///
/// // Without scaling both run with 2 workers.
/// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
/// assert_eq!(report.jct().mean, Seconds(105.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Determinism
///
/// The same setup, workload and policy give the same report, bit for bit, on every machine.
pub struct Simulation<'a> {
    setup: &'a Setup,
    empty: Cluster,
    workload: &'a Workload,
    observer: Observer<'a>,
    clock: Option<Clock<'a>>,
}

impl fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("setup", &self.setup)
            .field("jobs", &self.workload.jobs.len())
            .finish()
    }
}

impl<'a> Simulation<'a> {
    /// A simulation of this workload.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let setup = Setup::new(GpuType::new("V100"), 2, 8);
    /// let job = TraceJob::new(Job::inelastic(17));
    /// let workload = Workload { jobs: vec![job], load: InferenceLoad::constant(0.5)? };
    /// let error = Simulation::new(&setup, &workload).unwrap_err();
    /// assert_eq!(error, SetupError::TooLarge { job: 0, workers: 17, room: 16 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the first number of the setup or job of the workload that makes no sense.
    ///
    /// # Complexity
    ///
    /// O(servers + jobs).
    pub fn new(setup: &'a Setup, workload: &'a Workload) -> Result<Self, SetupError> {
        let empty = check::check(setup, workload)?;
        Ok(Self { setup, empty, workload, observer: Box::new(|_, _| {}), clock: None })
    }

    /// The same simulation, telling what happens as it happens.
    ///
    /// # Examples
    ///
    /// When each job starts:
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let workload = Workload { jobs: vec![job(0.0), job(30.0)], load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let mut starts = Vec::new();
    /// let simulation = Simulation::new(&setup, &workload)?.observe(|time, event| {
    ///     if let Event::Started { job, .. } = event {
    ///         starts.push((*job, time));
    ///     }
    /// });
    /// simulation.run(&mut Fifo::new())?;
    /// assert_eq!(starts, [(0, Seconds(0.0)), (1, Seconds(60.0))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(Seconds, &Event) + 'a) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// The same simulation, measuring by this clock how long the policy takes for each decision. The library has no clock of
    /// its own. What it reads changes nothing but [`Report::decision_latency`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let workload = Workload { jobs: vec![job(0.0), job(30.0)], load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let start = std::time::Instant::now();
    /// let simulation = Simulation::new(&setup, &workload)?.clock(move || Seconds(start.elapsed().as_secs_f64()));
    /// let latency = simulation.run(&mut Fifo::new())?.decision_latency.unwrap();
    /// assert_eq!(latency.count, 3); // at 0, 30 and 60 s
    /// assert!(latency.max.0 < 60.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl FnMut() -> Seconds + 'a) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Replays the workload under this policy, until all jobs have ended.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
    /// let workload = Workload { jobs: vec![job(0.0), job(30.0)], load: InferenceLoad::constant(0.5)? };
    /// let setup = Setup::new(GpuType::new("V100"), 1, 8);
    /// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
    /// assert_eq!(report.jobs[1].queuing, Seconds(30.0));
    /// assert_eq!(report.makespan, Seconds(120.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SimulationError`] where the policy takes a step that can't be carried out, or starts none of the jobs that wait
    /// though nothing else can happen any more.
    ///
    /// # Complexity
    ///
    /// O(log jobs) for each event, and for each decision what the policy takes and O(jobs that are in the cluster). Memory
    /// is O(servers + jobs + samples).
    ///
    /// # Determinism
    ///
    /// The same setup, workload and policy give the same report, bit for bit, on every machine.
    pub fn run(self, policy: &mut dyn Policy) -> Result<Report, SimulationError> {
        let lender = Lender::new(self.setup, policy.loan_policy());
        let mut engine = Engine::new(self.setup, self.empty, self.workload, policy.sizes(), self.observer);
        Loop { clock: self.clock, latencies: Vec::new(), lender, idle_decisions: 0, lull: 0 }
            .run(&mut engine, policy)
    }
}

/// The loop over time.
struct Loop<'a> {
    clock: Option<Clock<'a>>,
    latencies: Vec<f64>,
    lender: Lender,
    idle_decisions: u32,
    /// Times gone through since a job arrived or ended.
    lull: u32,
}

impl Loop<'_> {
    fn run(mut self, engine: &mut Engine<'_>, policy: &mut dyn Policy) -> Result<Report, SimulationError> {
        let own = policy.interval().and_then(Seconds::milliseconds).unwrap_or(u64::MAX);
        let epoch_interval = engine.intervals.epoch.min(own.max(1));
        let (mut next_epoch, mut next_loan) = (0, 0);
        while !engine.is_done() {
            let at = engine.next_event().min(next_epoch).min(next_loan);
            if at >= END_OF_TIME || self.lull >= LONGEST_LULL {
                return Err(SimulationError::Endless {
                    time: engine.time(),
                    unfinished: engine.unfinished(),
                });
            }
            engine.advance_to(at);
            engine.change_load();
            let ended = engine.end_jobs();
            if engine.is_done() {
                break;
            }
            let arrived = engine.submit_jobs();
            self.lull = if ended || arrived { 0 } else { self.lull + 1 };
            let mut is_epoch = engine.epochs_on_events && (ended || arrived);
            if at == next_loan {
                next_loan = at + engine.intervals.loan;
                engine.request = self.lender.decide(engine);
                is_epoch |= engine.request != Exchange::default();
                engine.sample();
            }
            if at == next_epoch {
                next_epoch = at + epoch_interval;
                is_epoch = true;
            }
            if is_epoch {
                self.epoch(engine, policy)?;
            }
        }
        Ok(engine.report(policy.name(), self.latencies))
    }

    fn epoch(&mut self, engine: &mut Engine<'_>, policy: &mut dyn Policy) -> Result<(), SimulationError> {
        if !engine.has_jobs() && engine.request == Exchange::default() {
            return Ok(());
        }
        engine.refresh_jobs(policy)?;
        let mut actions = core::mem::take(&mut engine.actions);
        actions.clear();
        let before = self.clock.as_mut().map(|clock| clock());
        let decided = policy.decide(&engine.view(), &mut actions);
        if let Some((before, clock)) = before.zip(self.clock.as_mut()) {
            self.latencies.push(clock().0 - before.0);
        }
        let time = engine.time();
        decided.map_err(|source| SimulationError::Policy { time, source })?;
        let changed = engine.carry_out(&actions, policy.suspends())?;
        engine.actions = actions;
        self.idle_decisions = if changed || engine.can_change() { 0 } else { self.idle_decisions + 1 };
        if self.idle_decisions > PATIENCE {
            return Err(SimulationError::Stalled { time, waiting: engine.unfinished() });
        }
        Ok(())
    }
}
