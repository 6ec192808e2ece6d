//! The state of a simulation: who runs, who ends when, and what was counted.

use alloc::collections::BinaryHeap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::job::{JobState, Slots, as_held, milliseconds};
use super::metrics::{JobOutcome, LoanTotals, Meter, Report, Sample, Summary, Usage, ratio};
use super::policy::{Policy, Sizes, Sources, View, Worth};
use super::progress::seconds;
use super::simulation::Observer;
use super::workload::Workload;
use super::{Event, Setup, SimulationError};
use crate::cluster::{Cluster, Job};
use crate::epoch::Action;
use crate::id::JobId;
use crate::scaling::Scaling;
use crate::units::Seconds;

/// The intervals and overheads of the setup, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intervals {
    pub(super) loan: u64,
    pub(super) epoch: u64,
    pub(super) preemption_overhead: u64,
    pub(super) scaling_overhead: u64,
}

/// How many servers are to change hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) reclaim: u32,
    pub(super) lend: u32,
}

/// The state of a simulation.
pub(super) struct Engine<'a> {
    workload: &'a Workload,
    sizes: Sizes,
    observer: Observer<'a>,
    pub(super) intervals: Intervals,
    pub(super) epochs_on_events: bool,
    pub(super) has_protected_jobs: bool,
    training_gpus: u64,
    inference_gpus: u64,

    pub(super) now: u64,
    pub(super) cluster: Cluster,
    pub(super) slots: Slots,
    pub(super) jobs: Vec<JobState>,
    /// When running jobs end: the time, the job, and the version of its end.
    ends: BinaryHeap<Reverse<(u64, u32, u32)>>,
    submitted: usize,
    ended: usize,
    pub(super) running: usize,
    /// Points of the load that have passed.
    load_points: usize,
    pub(super) request: Exchange,
    pub(super) meter: Meter,
    series: Vec<Sample>,

    // Memory that is used again.
    pub(super) actions: Vec<Action>,
    pub(super) touched: Vec<JobId>,
    ids: Vec<JobId>,
}

impl<'a> Engine<'a> {
    /// The state at time 0, with the clusters still empty.
    pub(super) fn new(
        setup: &'a Setup,
        empty: Cluster,
        workload: &'a Workload,
        sizes: Sizes,
        observer: Observer<'a>,
    ) -> Self {
        let last = workload.jobs.last().map_or(Seconds::ZERO, |trace| trace.job.submitted);
        let window_end = milliseconds(setup.usage_window.unwrap_or(last));
        let jobs = workload.jobs.iter().map(JobState::new);
        let mut engine = Self {
            workload,
            sizes,
            observer,
            intervals: Intervals {
                loan: milliseconds(setup.loan_interval),
                epoch: milliseconds(setup.epoch_interval),
                preemption_overhead: milliseconds(setup.preemption_overhead),
                scaling_overhead: milliseconds(setup.scaling_overhead),
            },
            epochs_on_events: setup.epochs_on_events,
            has_protected_jobs: workload.jobs.iter().any(|trace| trace.job.protected),
            training_gpus: setup.training_gpus(),
            inference_gpus: setup.inference_gpus(),
            now: 0,
            cluster: empty,
            slots: Slots::default(),
            jobs: jobs.collect(),
            ends: BinaryHeap::new(),
            submitted: 0,
            ended: 0,
            running: 0,
            load_points: 0,
            request: Exchange::default(),
            meter: Meter::new(setup.inference_gpus(), window_end),
            series: Vec::new(),
            actions: Vec::new(),
            touched: Vec::new(),
            ids: Vec::new(),
        };
        engine.set_load();
        engine
    }

    pub(super) fn time(&self) -> Seconds {
        Seconds(self.now as f64 / 1_000.0)
    }

    pub(super) fn tell(&mut self, event: &Event) {
        let time = self.time();
        (self.observer)(time, event);
    }

    pub(super) fn is_done(&self) -> bool {
        self.ended == self.jobs.len()
    }

    pub(super) fn unfinished(&self) -> usize {
        self.jobs.len() - self.ended
    }

    /// Whether the cluster holds a job.
    pub(super) fn has_jobs(&self) -> bool {
        self.submitted > self.ended
    }

    /// Whether anything can change without the policy: a job ends or arrives, or the load changes.
    pub(super) fn can_change(&self) -> bool {
        self.running > 0
            || self.submitted < self.jobs.len()
            || self.load_points < self.workload.load.points().len()
    }

    pub(super) fn view(&self) -> View<'_> {
        View(Sources {
            cluster: &self.cluster,
            workload: self.workload,
            slots: &self.slots,
            jobs: &self.jobs,
            now: self.now,
            request: self.request,
        })
    }

    /// When the next job arrives or ends, or the load changes.
    pub(super) fn next_event(&mut self) -> u64 {
        while let Some(&Reverse((_, job, version))) = self.ends.peek() {
            if self.jobs[job as usize].version == version {
                break;
            }
            self.ends.pop();
        }
        let end = self.ends.peek().map_or(u64::MAX, |end| end.0.0);
        let arrival = self.jobs.get(self.submitted).map_or(u64::MAX, |job| job.submitted);
        end.min(arrival).min(self.next_load_change())
    }

    fn next_load_change(&self) -> u64 {
        let point = self.workload.load.points().get(self.load_points);
        // A point before 0 holds from the beginning.
        point.map_or(u64::MAX, |point| milliseconds(Seconds(point.0.0.max(0.0))).max(self.now))
    }

    pub(super) fn advance_to(&mut self, time: u64) {
        self.meter.advance(self.now, time);
        self.now = time;
    }

    pub(super) fn load_at(&self, time: u64) -> f64 {
        self.workload.load.at(Seconds(time as f64 / 1_000.0))
    }

    pub(super) fn change_load(&mut self) {
        if self.next_load_change() <= self.now {
            self.set_load();
        }
    }

    fn set_load(&mut self) {
        while self.next_load_change() <= self.now {
            self.load_points += 1;
        }
        let busy = libm::ceil(self.load_at(self.now) * self.inference_gpus as f64);
        self.meter.inference_busy = (busy as u64).min(self.inference_gpus);
    }

    /// Adds the jobs that arrive now. Whether there are any.
    pub(super) fn submit_jobs(&mut self) -> bool {
        let first = self.submitted;
        while let Some(state) = self.jobs.get_mut(self.submitted).filter(|job| job.submitted <= self.now) {
            let number = self.submitted;
            let trace = &self.workload.jobs[number];
            let (mut job, scale) = as_held(trace, self.sizes);
            job.resize_overhead =
                Seconds(job.resize_overhead.0 + self.intervals.scaling_overhead as f64 / 1_000.0);
            // The job was checked when the simulation was made.
            let Ok(id) = self.cluster.add_job(job) else { break };
            self.slots.0.push(Some(number as u32));
            state.id = Some(id);
            state.since = self.now;
            state.estimate_scale = scale;
            state.contention_before = self.meter.contention;
            self.meter.requested_gpus += requested_gpus(trace);
            self.submitted += 1;
            self.tell(&Event::Submitted { job: number });
        }
        self.submitted > first
    }

    /// Ends the jobs that have done their work. Whether there are any.
    pub(super) fn end_jobs(&mut self) -> bool {
        let before = self.ended;
        while let Some(&Reverse((time, number, version))) = self.ends.peek().filter(|end| end.0.0 <= self.now)
        {
            self.ends.pop();
            let at = number as usize;
            if self.jobs[at].version != version {
                continue;
            }
            debug_assert_eq!(time, self.now);
            let Some(id) = self.jobs[at].id else { continue };
            self.release_gpus(id);
            let state = &mut self.jobs[at];
            state.count(self.now);
            state.progress.advance(self.now);
            debug_assert!(state.progress.is_whole());
            (state.gpus, state.id) = (0, None);
            state.version += 1;
            state.ended = self.now;
            state.contention_after = self.meter.contention;
            self.cluster.remove_job(id);
            self.slots.0[id.index()] = None;
            self.running -= 1;
            self.ended += 1;
            self.meter.requested_gpus -= requested_gpus(&self.workload.jobs[at]);
            self.tell(&Event::Ended { job: at });
        }
        if self.slots.0.len() > 64 + 4 * (self.submitted - self.ended) {
            self.renumber();
        }
        self.ended > before
    }

    /// Takes the GPUs of a running job out of the count.
    pub(super) fn release_gpus(&mut self, id: JobId) {
        let gpus = self.cluster.job(id).map_or(0, |job| u64::from(job.gpus_per_worker));
        for placement in self.cluster.placements(id) {
            if let Some(server) = self.cluster.server(placement.server) {
                self.meter.release(server.pool, gpus * u64::from(placement.workers));
            }
        }
    }

    /// Numbers the jobs in the cluster anew, in the same order. A decision takes time that grows with the ids given out.
    fn renumber(&mut self) {
        let old = core::mem::take(&mut self.cluster);
        for (_, gpu_type) in old.gpu_types() {
            let added = self.cluster.add_gpu_type(gpu_type.clone());
            debug_assert!(added.is_ok());
        }
        for (_, &server) in old.servers() {
            let added = self.cluster.add_server(server);
            debug_assert!(added.is_ok());
        }
        let slots = core::mem::take(&mut self.slots);
        for (id, job) in old.jobs() {
            let (Some(number), Ok(new)) = (slots.trace_index(id), self.cluster.add_job(job.clone())) else {
                continue;
            };
            let placements = old.placements(id);
            if !placements.is_empty() {
                let placed = self.cluster.place(new, placements);
                debug_assert!(placed.is_ok());
            }
            self.jobs[number].id = Some(new);
            self.slots.0.push(Some(number as u32));
        }
    }

    /// Tells the cluster how much time elastic jobs need yet, and what jobs that may lose workers are worth. For
    /// other jobs no decision depends on it.
    pub(super) fn refresh_jobs(&mut self, policy: &dyn Policy) -> Result<(), SimulationError> {
        let reclaims = self.request.reclaim > 0;
        if self.sizes == Sizes::Requested && !reclaims {
            return Ok(());
        }
        let mut ids = core::mem::take(&mut self.ids);
        ids.clear();
        let concerned = |id, job: &Job| job.is_elastic() || reclaims && self.cluster.is_running(id);
        let jobs = self.cluster.jobs().filter(|&(id, job)| concerned(id, job));
        ids.extend(jobs.map(|entry| entry.0));
        let mut refreshed = Ok(());
        for &id in &ids {
            refreshed = refreshed.and_then(|()| self.refresh_job(id, Some(policy)));
        }
        self.ids = ids;
        refreshed
    }

    /// Tells the cluster how much time a job needs yet, and what it is worth.
    pub(super) fn refresh_job(
        &mut self,
        id: JobId,
        policy: Option<&dyn Policy>,
    ) -> Result<(), SimulationError> {
        let (Some(number), Some(job)) = (self.slots.trace_index(id), self.cluster.job(id)) else {
            return Ok(());
        };
        let mut job = job.clone();
        let state = &self.jobs[number];
        job.remaining = state.estimate(&self.workload.jobs[number], self.now);
        let worth = policy.and_then(|policy| policy.worth(job.remaining, &state.record(self.now)));
        if let Some(Worth { weight, preemption_cost }) = worth {
            (job.weight, job.preemption_cost) = (weight, preemption_cost);
        }
        let time = self.time();
        let updated = self.cluster.update_job(id, job);
        updated.map(drop).map_err(|source| SimulationError::Worth { time, job: number, source })
    }

    /// The speed of a running job, as a multiple of that at the minimum of the trace.
    pub(super) fn speed(&self, id: JobId, number: usize, reference_workers: u32) -> f64 {
        let job = &self.workload.jobs[number].job;
        let speedup = job.scaling.speedup(job.min_workers, reference_workers);
        if self.is_mixed(id) { speedup * job.mixing_efficiency.unwrap_or(1.0) } else { speedup }
    }

    pub(super) fn is_mixed(&self, id: JobId) -> bool {
        self.cluster.inventory().tally(self.cluster.placements(id)).mixed().is_some()
    }

    pub(super) fn plan_end(&mut self, number: usize) {
        let state = &mut self.jobs[number];
        state.version += 1;
        self.ends.push(Reverse((state.progress.end(), number as u32, state.version)));
    }

    pub(super) fn sample(&mut self) {
        let running = self.running as u32;
        let waiting = (self.submitted - self.ended) as u32 - running;
        let sample = self.meter.sample(self.time(), waiting, running, self.ended as u32);
        self.series.push(sample);
        self.tell(&Event::Sampled(sample));
    }

    pub(super) fn report(&mut self, policy: &str, latencies: Vec<f64>) -> Report {
        let training = self.training_gpus as f64;
        let jobs = self.workload.jobs.iter().zip(&self.jobs).map(|(trace, state)| {
            let seconds_of = |time: u64| Seconds(time as f64 / 1_000.0);
            let jct = (state.ended - state.submitted) as f64 / 1_000.0;
            let requested = trace.job.remaining.0
                / trace.job.scaling.speedup(trace.job.min_workers, trace.requested_workers);
            let contention = (state.contention_after - state.contention_before) as f64 / 1_000.0 / jct;
            JobOutcome {
                submitted: seconds_of(state.submitted),
                started: seconds_of(state.first_start.unwrap_or(state.ended)),
                ended: seconds_of(state.ended),
                queuing: seconds_of(state.waited_at(state.since)),
                gpus: u32::try_from(requested_gpus(trace)).unwrap_or(u32::MAX),
                gpu_seconds: state.attained_at(state.since) as f64 / 1_000.0,
                lost: Seconds(seconds(state.progress.lost())),
                preemptions: state.preemptions,
                suspensions: state.suspensions,
                resizes: state.resizes,
                finish_time_fairness: jct / (requested * (contention / training).max(1.0)),
            }
        });
        let first = self.jobs.first().map_or(0, |job| job.submitted);
        let counters = self.meter.counters;
        Report {
            policy: policy.to_string(),
            jobs: jobs.collect(),
            usage: self.usage(),
            loans: LoanTotals {
                lent: counters.lent,
                returned: counters.returned,
                returned_idle: counters.returned_idle,
                returned_by_scale_in: counters.returned_by_scale_in,
                reclaims: counters.reclaims,
                returned_gpus: counters.returned_gpus,
                collateral_gpus: counters.collateral_gpus,
            },
            series: core::mem::take(&mut self.series),
            makespan: Seconds((self.now - first.min(self.now)) as f64 / 1_000.0),
            decisions: counters.decisions,
            decision_latency: (!latencies.is_empty())
                .then(|| Summary::of(latencies.into_iter().map(Seconds))),
        }
    }

    fn usage(&self) -> Usage {
        let window = &self.meter.window;
        let time = window.milliseconds as f64;
        let (training, inference) = (self.training_gpus as f64 * time, self.inference_gpus as f64 * time);
        let all = window.training_busy + window.on_loan_busy + window.inference_busy;
        Usage {
            training: ratio(window.training_busy as f64, training),
            inference: ratio(window.inference_busy as f64, inference),
            on_loan: ratio(window.on_loan_busy as f64, window.on_loan_gpus as f64),
            overall: ratio(all as f64, training + inference),
            on_loan_gpus: ratio(window.on_loan_gpus as f64, time),
            inference_short: ratio(window.inference_short as f64, inference),
        }
    }
}

/// The GPUs of the reference type that a job requests.
fn requested_gpus(trace: &super::workload::TraceJob) -> u64 {
    u64::from(trace.requested_workers) * u64::from(trace.job.gpus_per_worker)
}
