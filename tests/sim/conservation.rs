//! Work, time and GPUs add up, counted again from the events alone.

use aryl::scaling::Scaling;
use aryl::sim::metrics::{Report, Sample};
use aryl::sim::workload::{TraceJob, Workload};
use aryl::sim::{Event, Setup, Simulation};
use aryl::units::Seconds;

use crate::instances::{instance, policies};

/// A job as the events tell it. Times in seconds, work in seconds at the job's minimum.
#[derive(Clone, Debug, Default)]
struct Told {
    is_running: bool,
    starts: u32,
    since: f64,
    progress_from: f64,
    speed: f64,
    fastest: f64,
    gpus: u32,
    done: f64,
    lost: f64,
    waited: f64,
    gpu_seconds: f64,
    ended: Option<f64>,
}

impl Told {
    fn count(&mut self, now: f64) {
        if self.is_running {
            self.done += self.speed * (now - self.progress_from).max(0.0);
            self.progress_from = self.progress_from.max(now);
            self.gpu_seconds += f64::from(self.gpus) * (now - self.since);
        } else {
            self.waited += now - self.since;
        }
        self.since = now;
    }

    fn run(&mut self, trace: &TraceJob, workers: u32, gpus: u32, mixed: bool) {
        let job = &trace.job;
        self.speed = job.scaling.speedup(job.min_workers, workers);
        if mixed {
            self.speed *= job.mixing_efficiency.unwrap();
        }
        self.fastest = self.fastest.max(self.speed);
        self.gpus = gpus;
        self.is_running = true;
    }
}

/// The jobs as the events tell them, each event checked against what came before.
fn follow(workload: &Workload, setup: &Setup, jobs: &mut [Told], time: Seconds, event: &Event) {
    let now = time.0;
    match *event {
        Event::Submitted { job } => {
            assert_eq!(now, workload.jobs[job].job.submitted.0);
            jobs[job].since = now;
        }
        Event::Started { job, reference_workers, gpus, mixed } => {
            let told = &mut jobs[job];
            assert!(!told.is_running && told.ended.is_none());
            told.count(now);
            told.run(&workload.jobs[job], reference_workers, gpus, mixed);
            told.progress_from = now + if told.starts > 0 { setup.preemption_overhead.0 } else { 0.0 };
            told.starts += 1;
        }
        Event::Resized { job, reference_workers, gpus, mixed } => {
            let trace = &workload.jobs[job];
            let told = &mut jobs[job];
            assert!(told.is_running);
            told.count(now);
            if told.gpus != gpus {
                told.progress_from += trace.job.resize_overhead.0 + setup.scaling_overhead.0;
            }
            told.run(trace, reference_workers, gpus, mixed);
        }
        Event::Preempted { job, lost, .. } => {
            let told = &mut jobs[job];
            assert!(told.is_running);
            told.count(now);
            assert!(lost.0 >= 0.0 && lost.0 <= told.done + 0.01, "{lost} of {}", told.done);
            told.done -= lost.0;
            told.lost += lost.0;
            told.is_running = false;
        }
        Event::Ended { job } => {
            let told = &mut jobs[job];
            assert!(told.is_running);
            told.count(now);
            told.is_running = false;
            told.ended = Some(now);
        }
        _ => {}
    }
}

fn check(workload: &Workload, jobs: &[Told], report: &Report) {
    for ((trace, told), outcome) in workload.jobs.iter().zip(jobs).zip(&report.jobs) {
        // Work done is work asked: a job ends within the millisecond in which it has done it.
        let asked = trace.job.remaining.0;
        let slack = 0.001 * told.fastest + 1e-5 * asked;
        assert!(told.done >= asked - slack && told.done <= asked + slack, "{} of {asked} done", told.done);
        assert!((told.lost - outcome.lost.0).abs() < 1e-6 * (1.0 + told.lost));
        // Time adds up.
        assert_eq!(told.ended, Some(outcome.ended.0));
        assert_eq!(outcome.jct().0, outcome.ended.0 - trace.job.submitted.0);
        assert!((told.waited - outcome.queuing.0).abs() < 1e-6);
        assert!((told.gpu_seconds - outcome.gpu_seconds).abs() < 1e-6 * (1.0 + told.gpu_seconds));
        assert_eq!(told.starts, 1 + outcome.preemptions + outcome.suspensions);
        assert!(outcome.started.0 >= outcome.submitted.0 && outcome.running().0 > 0.0);
    }
}

/// Servers lent and returned, counted from the events, and the samples beside them.
#[derive(Default)]
struct Loans {
    lent: u32,
    returned: u32,
    samples: Vec<(u32, Sample)>,
}

impl Loans {
    fn follow(&mut self, event: &Event) {
        match event {
            Event::Lent { servers } => self.lent += servers,
            Event::Returned { servers } => self.returned += servers,
            Event::Sampled(sample) => self.samples.push((self.lent - self.returned, *sample)),
            _ => {}
        }
    }

    fn check(&self, setup: &Setup, report: &Report) {
        let loans = report.loans;
        assert_eq!((u64::from(self.lent), u64::from(self.returned)), (loans.lent, loans.returned));
        assert!(loans.returned_idle + loans.returned_by_scale_in <= loans.returned);
        assert!((0.0..=1.0).contains(&report.scale_in_share()));
        for (servers, sample) in &self.samples {
            assert_eq!(*servers, sample.on_loan_servers);
            assert!(sample.training_busy <= setup.training_gpus());
            assert!(sample.on_loan_busy <= sample.on_loan_gpus);
            assert_eq!(sample.on_loan_gpus, u64::from(sample.on_loan_servers) * 8);
        }
        assert_eq!(self.samples.iter().map(|entry| entry.1).collect::<Vec<_>>(), report.series);
    }
}

/// The usage window holds the whole time, so usage is what the jobs held.
fn check_usage(setup: &Setup, report: &Report) {
    let usage = report.usage;
    for share in [usage.training, usage.inference, usage.on_loan, usage.overall, usage.inference_short] {
        assert!((0.0..=1.0 + 1e-12).contains(&share), "{usage:?}");
    }
    let held: f64 = report.jobs.iter().map(|job| job.gpu_seconds).sum();
    let first = report.jobs.iter().map(|job| job.submitted.0).fold(f64::INFINITY, f64::min);
    let time = first + report.makespan.0;
    let counted =
        usage.training * setup.training_gpus() as f64 * time + usage.on_loan * usage.on_loan_gpus * time;
    assert!((held - counted).abs() < 1e-6 * held, "{held} held, {counted} counted");
}

#[test]
fn work_time_and_gpus_add_up_under_every_policy() {
    for seed in 0..70 {
        let (mut setup, workload) = instance(seed);
        setup.usage_window = Some(Seconds(1e6));
        for mut policy in policies() {
            let mut told = vec![Told::default(); workload.jobs.len()];
            let mut loans = Loans::default();
            let simulation = Simulation::new(&setup, &workload).unwrap();
            let report = simulation
                .observe(|time, event| {
                    follow(&workload, &setup, &mut told, time, event);
                    loans.follow(event);
                })
                .run(&mut *policy)
                .unwrap_or_else(|error| panic!("{} on {seed}: {error}", policy.name()));
            check(&workload, &told, &report);
            loans.check(&setup, &report);
            check_usage(&setup, &report);
        }
    }
}
