//! Small traces, worked out by hand.

use aryl::cluster::{GpuType, Job};
use aryl::epoch::Action;
use aryl::id::JobId;
use aryl::loan::LoanPolicy;
use aryl::sim::metrics::Report;
use aryl::sim::policy::{
    Afs, Aryl, Draft, DraftMemory, Fifo, Policy, PolicyError, Sizes, Target, Tiresias, View,
};
use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
use aryl::sim::{Event, Forecast, Setup, Simulation};
use aryl::units::Seconds;

fn run(setup: &Setup, jobs: &[TraceJob], load: &[(f64, f64)], policy: &mut dyn Policy) -> Report {
    let points = load.iter().map(|&(time, share)| (Seconds(time), share));
    let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::new(points).unwrap() };
    Simulation::new(setup, &workload).unwrap().run(policy).unwrap()
}

fn ends(report: &Report) -> Vec<f64> {
    report.jobs.iter().map(|job| job.ended.0).collect()
}

/// Gives the job that comes first in the workload, or last, as many workers as it can use, and then the others.
struct OneFirst {
    last: bool,
    memory: DraftMemory,
}

impl Policy for OneFirst {
    fn name(&self) -> &str {
        "one first"
    }

    fn sizes(&self) -> Sizes {
        Sizes::Elastic
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let mut jobs: Vec<JobId> = view.cluster().jobs().map(|entry| entry.0).collect();
        if self.last {
            jobs.reverse();
        }
        let mut draft: Draft<'_> = self.memory.begin(view);
        let gpus = draft.reference_gpus() as u32;
        let minimums: u32 = jobs.iter().map(|&id| view.cluster().job(id).unwrap().min_workers).sum();
        let mut spare = gpus - minimums;
        let targets: Vec<Target> = jobs
            .iter()
            .map(|&id| {
                let job = view.cluster().job(id).unwrap();
                let more = spare.min(job.max_workers - job.min_workers);
                spare -= more;
                Target { job: id, reference_workers: job.min_workers + more }
            })
            .collect();
        draft.realise(&targets);
        draft.finish(actions);
        Ok(())
    }
}

fn one_first(last: bool) -> OneFirst {
    OneFirst { last, memory: DraftMemory::default() }
}

fn close(found: &[f64], expected: &[f64]) {
    let near = found.iter().zip(expected).all(|(a, b)| *a >= b - 1e-9 && *a < b + 0.002);
    assert!(near && found.len() == expected.len(), "{found:?}, not {expected:?}");
}

#[test]
fn tables_2_and_3_of_the_paper() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let jobs = [150.0, 60.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut one_first(false))), &[50.0, 53.0 + 1.0 / 3.0]);
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut one_first(true))), &[63.0 + 1.0 / 3.0, 20.0]);
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut Afs::new())), &[60.0, 30.0]);
    // The knapsack by shares, and in seconds: five workers for A.
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut Aryl::scaling_only())), &[60.0, 30.0]);
    let mut in_seconds = Aryl::scaling_only().by_shares(false);
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut in_seconds)), &[56.0 + 2.0 / 3.0, 40.0]);
}

#[test]
fn table_4_of_the_paper() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let a = TraceJob::new(Job::elastic(2..=3).remaining(Seconds(150.0)));
    let b = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(60.0)));
    let jobs = [a, b];
    let first = run(&setup, &jobs, &[(0.0, 1.0)], &mut one_first(false));
    close(&ends(&first), &[100.0, 24.0]);
    close(&[first.jct().mean.0], &[62.0]);
    let second = run(&setup, &jobs, &[(0.0, 1.0)], &mut one_first(true));
    close(&ends(&second), &[106.0 + 2.0 / 3.0, 20.0]);
    // The knapsack finds the better of the two.
    close(&ends(&run(&setup, &jobs, &[(0.0, 1.0)], &mut Aryl::scaling_only())), &[100.0, 24.0]);
}

/// One training server and four inference servers of the same GPUs.
fn five_servers() -> Setup {
    Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8)
}

/// A quarter of inference is busy, and from 1,000 s on all of it.
const LOAD: [(f64, f64); 2] = [(0.0, 0.25), (1_000.0, 1.0)];

#[test]
fn a_loan_that_is_asked_back() {
    // One server is busy and one is headroom, so two are lent; each of three servers gets a job. At 900 s the load of
    // 1,200 s is foreseen, and both go back. The jobs on them start again from nothing, one after the other.
    let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    let report = run(&five_servers(), &jobs, &LOAD, &mut Aryl::as_published());
    assert_eq!(ends(&report), [2_000.0, 4_063.0, 6_126.0]);
    let queuing: Vec<f64> = report.jobs.iter().map(|job| job.queuing.0).collect();
    assert_eq!(queuing, [0.0, 1_100.0, 3_163.0]);
    assert_eq!(report.jobs[1].lost, Seconds(900.0));
    assert_eq!(report.preemption_ratio(), 2.0 / 3.0);
    let loans = report.loans;
    assert_eq!((loans.lent, loans.returned, loans.returned_idle, loans.reclaims), (2, 2, 0, 1));
    assert_eq!((report.collateral_damage(), report.scale_in_share()), (0.0, 0.0));
    assert_eq!(report.makespan, Seconds(6_126.0));
    // The first job alone had its fair share: three jobs of 8 GPUs for 2,000 s, and there are 8.
    assert_eq!(report.jobs[0].finish_time_fairness, 2_000.0 / (2_000.0 * 3.0));
}

#[test]
fn a_checkpoint_saves_what_came_before_it() {
    let job = || TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0)));
    let jobs = [job(), job().checkpoint_interval(Seconds(400.0)), job()];
    let report = run(&five_servers(), &jobs, &LOAD, &mut Aryl::as_published());
    // 900 s done, 800 of them saved: 1,200 s are left, fewer than those of job 2.
    assert_eq!(ends(&report), [2_000.0, 3_263.0, 5_326.0]);
    assert_eq!(report.jobs[1].lost, Seconds(100.0));
}

#[test]
fn a_reclaim_met_by_scaling_in() {
    // Job 0 has 8 workers on the training server, and 16 more on the two that are lent. When they go back, it has 8.
    let jobs = [TraceJob::new(Job::elastic(8..=24).remaining(Seconds(6_000.0)))];
    let report = run(&five_servers(), &jobs, &LOAD, &mut Aryl::as_published());
    // 900 s at three times the speed, and 3,300 s at its minimum.
    assert_eq!(ends(&report), [4_200.0]);
    assert_eq!((report.preemptions(), report.scale_in_share(), report.loans.returned), (0, 1.0, 2));
    assert_eq!(report.jobs[0].gpu_seconds, 900.0 * 24.0 + 3_300.0 * 8.0);
}

#[test]
fn slower_gpus_and_overheads() {
    // Two V100 would do; on T4 the job takes 6, and 12 at its maximum, of two servers. Both are lent from the beginning.
    let setup = Setup::new(GpuType::new("V100"), 1, 1)
        .inference(GpuType::new("T4").speed(1, 3), 3, 8)
        .scaling_overhead(Seconds(10.0));
    let first = TraceJob::new(Job::elastic(2..=4).fungible().remaining(Seconds(1_000.0)));
    let second =
        TraceJob::new(Job::inelastic(1).fungible().remaining(Seconds(100.0)).submitted(Seconds(50.0)));
    let third =
        TraceJob::new(Job::inelastic(2).fungible().remaining(Seconds(100.0)).submitted(Seconds(100.0)));
    let report = run(&setup, &[first, second, third], &[(0.0, 0.0)], &mut Aryl::as_published());
    // At 100 s the third job needs 6 T4, where 4 are free: the first gives 2 workers up, and with them a whole reference
    // worker. It has done 200 s of its 1,000 s. It loses 10 s, runs 90 s at 3 / 2, and is given 4 again at 200 s.
    assert_eq!(report.jobs[1].ended, Seconds(150.0));
    assert_eq!(report.jobs[2].ended, Seconds(200.0));
    assert_eq!(report.jobs[0].ended, Seconds(200.0 + 10.0 + (1_000.0 - 200.0 - 135.0) / 2.0));
    assert_eq!(report.jobs[0].resizes, 2);
}

#[test]
fn estimates_decide_and_actual_times_count() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let job = |time| TraceJob::new(Job::inelastic(8).remaining(Seconds(time)));
    // The longer is taken to be the shorter.
    let jobs = [job(100.0).estimate_factor(0.1), job(50.0)];
    let report = run(&setup, &jobs, &[(0.0, 1.0)], &mut Aryl::new());
    assert_eq!(ends(&report), [100.0, 150.0]);
}

#[test]
fn a_policy_that_does_not_scale_gives_what_is_requested() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let job = TraceJob::new(Job::elastic(2..=8).remaining(Seconds(120.0))).requested_workers(4);
    let report = run(&setup, &[job.clone(), job], &[(0.0, 1.0)], &mut Fifo::new());
    assert_eq!(ends(&report), [60.0, 60.0]);
    assert_eq!(report.jobs[0].gpus, 4);
}

#[test]
fn a_suspended_job_keeps_its_progress_and_a_reclaimed_one_does_not() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let long = TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0)));
    let short = TraceJob::new(Job::inelastic(8).remaining(Seconds(10.0)).submitted(Seconds(20.0)));
    let mut policy = Tiresias::new().threshold(8.0 * 20.0);
    let mut stops = Vec::new();
    let workload = Workload { jobs: vec![long, short], load: InferenceLoad::constant(1.0).unwrap() };
    let report = Simulation::new(&setup, &workload)
        .unwrap()
        .observe(|time, event| {
            if let Event::Preempted { job, reclaimed, lost } = *event {
                stops.push((time.0, job, reclaimed, lost.0));
            }
        })
        .run(&mut policy)
        .unwrap();
    assert_eq!(stops, [(20.0, 0, false, 0.0)]);
    assert_eq!(ends(&report), [20.0 + 10.0 + 63.0 + 80.0, 30.0]);
}

#[test]
fn elastic_jobs_start_on_training_servers_while_a_tenth_stays_idle() {
    // Two jobs of 4 V100 each and up to 5, on a training cluster of 8. The first leaves 4 idle; a second would leave none.
    let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("T4").speed(1, 3), 20, 8);
    let jobs = [0.0, 1.0].map(|time| {
        TraceJob::new(
            Job::elastic(4..=5).fungible().remaining(Seconds(3_000.0)).submitted(Seconds(1_000.0 + time)),
        )
    });
    let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.1).unwrap() };
    let first_gpus = |mut policy: Aryl| {
        let mut gpus = Vec::new();
        let simulation = Simulation::new(&setup, &workload).unwrap();
        let observed = simulation.observe(|_, event| {
            if let Event::Started { gpus: held, .. } = event {
                gpus.push(*held);
            }
        });
        observed.run(&mut policy).unwrap();
        gpus
    };
    assert_eq!(first_gpus(Aryl::new()), [5, 15]);
    assert_eq!(first_gpus(Aryl::new().training_first(false)), [15, 15]);
}

#[test]
fn gpus_vacated_on_a_server_that_stays_are_collateral_damage() {
    // Two workers of 8 GPUs, on the two servers that are lent. One goes back at 900 s, and the job starts again on the
    // other and on the training server.
    let jobs = [TraceJob::new(Job::inelastic(2).gpus_per_worker(8).remaining(Seconds(2_000.0)))];
    let load = [(0.0, 0.25), (1_000.0, 0.5)];
    let report = run(&five_servers(), &jobs, &load, &mut Aryl::as_published());
    assert_eq!(ends(&report), [900.0 + 63.0 + 2_000.0]);
    assert_eq!((report.preemptions(), report.loans.returned, report.loans.collateral_gpus), (1, 1, 8));
    assert_eq!(report.collateral_damage(), 1.0);
}

/// A policy that writes checkpoints before it stops a job by itself.
struct Suspending(Aryl);

impl Policy for Suspending {
    fn name(&self) -> &str {
        "suspending"
    }

    fn sizes(&self) -> Sizes {
        self.0.sizes()
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.0.loan_policy()
    }

    fn suspends(&self) -> bool {
        true
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.0.decide(view, actions)
    }
}

#[test]
fn a_reclaim_leaves_no_time_for_a_checkpoint() {
    let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).remaining(Seconds(2_000.0))));
    let report = run(&five_servers(), &jobs, &LOAD, &mut Suspending(Aryl::as_published()));
    assert_eq!(report.jobs[1].lost, Seconds(900.0));
    assert_eq!((report.preemptions(), report.suspensions()), (2, 0));
}

#[test]
fn a_better_forecast_leaves_inference_less_short() {
    // Inference is busy for 300 s in each 1,200 s, between two decisions at first.
    let spike = |number: u32| {
        let start = 1_000.0 + 1_200.0 * f64::from(number);
        [(start, 0.9), (start + 300.0, 0.0)]
    };
    let mut load = vec![(0.0, 0.0)];
    load.extend((0..5).flat_map(spike));
    let jobs = [TraceJob::new(Job::elastic(8..=40).remaining(Seconds(60_000.0)))];
    let short = |forecast| {
        let mut setup = five_servers().forecast(forecast);
        setup.usage_window = Some(Seconds(6_100.0));
        let report = run(&setup, &jobs, &load, &mut Aryl::as_published());
        assert!(report.makespan.0 > 6_100.0);
        report.usage.inference_short
    };
    let naive = short(Forecast::Naive);
    let seasonal = short(Forecast::Seasonal { period: 4 });
    assert_eq!(short(Forecast::Exact), 0.0);
    // The season is known after the first spike.
    assert!((naive - 5.0 * seasonal).abs() < 1e-12, "{naive} {seasonal}");
    // 29 of 32 GPUs are needed, and 8 are at home: 21 are missing for 200 s.
    assert!((seasonal - 21.0 * 200.0 / (32.0 * 6_100.0)).abs() < 1e-12, "{seasonal}");
}

/// Starts all jobs and thinks better of it, at the first of its decisions.
#[derive(Default)]
struct SecondThoughts {
    decisions: u32,
    memory: DraftMemory,
}

impl Policy for SecondThoughts {
    fn name(&self) -> &str {
        "second thoughts"
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let mut draft = self.memory.begin(view);
        for job in view.waiting() {
            assert!(draft.start(job));
            if self.decisions == 0 {
                draft.preempt(job);
            }
        }
        draft.finish(actions);
        assert_eq!(actions.is_empty(), self.decisions == 0);
        self.decisions += 1;
        Ok(())
    }
}

#[test]
fn what_a_draft_takes_back_never_happens() {
    let setup = Setup::new(GpuType::new("V100"), 1, 8);
    let jobs = [TraceJob::new(Job::inelastic(8).remaining(Seconds(100.0)))];
    let report = run(&setup, &jobs, &[(0.0, 0.0)], &mut SecondThoughts::default());
    assert_eq!(ends(&report), [300.0 + 100.0]);
    assert_eq!(report.suspensions(), 0);
}
