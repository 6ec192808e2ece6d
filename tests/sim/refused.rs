//! What is refused, and with which words.

use aryl::cluster::{GpuType, Job};
use aryl::epoch::Action;
use aryl::id::{JobId, ServerId};
use aryl::loan::LoanPolicy;
use aryl::sim::policy::{Fifo, Policy, PolicyError, View};
use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
use aryl::sim::{Setup, SetupError, Simulation, SimulationError};
use aryl::units::Seconds;

fn setup() -> Setup {
    Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 2, 8)
}

fn workload(jobs: Vec<TraceJob>) -> Workload {
    Workload { jobs, load: InferenceLoad::constant(0.0).unwrap() }
}

fn job_of(time: f64) -> Job {
    Job::inelastic(1).remaining(Seconds(time))
}

fn refused(setup: &Setup, jobs: Vec<TraceJob>) -> SetupError {
    Simulation::new(setup, &workload(jobs)).unwrap_err()
}

#[test]
fn bad_workloads() {
    use SetupError as E;
    let one = |job| refused(&setup(), vec![TraceJob::new(Job::inelastic(1)), TraceJob::new(job)]);
    assert!(matches!(one(job_of(f64::NAN)), E::RunningTime { job: 1, .. }));
    assert!(matches!(one(job_of(0.0004)), E::RunningTime { job: 1, .. }));
    assert!(matches!(one(job_of(9e12)), E::RunningTime { job: 1, .. }));
    assert!(matches!(one(Job::inelastic(0)), E::Job { job: 1, .. }));
    assert!(matches!(one(job_of(1.0).submitted(Seconds(-1.0))), E::Submitted { job: 1, .. }));
    assert!(matches!(one(job_of(1.0).submitted(Seconds(1e12))), E::Submitted { job: 1, .. }));
    let error = one(Job::inelastic(25));
    assert_eq!(error, E::TooLarge { job: 1, workers: 25, room: 24 });
    assert_eq!(
        error.to_string(),
        "job 1 of the workload asks for 25 workers, and the servers have room for 24"
    );
    assert_eq!(one(Job::inelastic(1).gpus_per_worker(9)), E::TooLarge { job: 1, workers: 1, room: 0 });
    let trace = TraceJob::new(Job::elastic(1..=2)).requested_workers(3);
    assert!(matches!(refused(&setup(), vec![trace]), E::TraceJob { job: 0, .. }));
    let trace = TraceJob::new(job_of(1.0)).checkpoint_interval(Seconds(0.0));
    assert!(matches!(refused(&setup(), vec![trace]), E::TraceJob { job: 0, .. }));
    let trace = TraceJob::new(job_of(1e9)).estimate_factor(1e9);
    assert!(matches!(refused(&setup(), vec![trace]), E::Job { job: 0, .. }));
    let late = |time| TraceJob::new(job_of(1.0).submitted(Seconds(time)));
    let error = refused(&setup(), vec![late(2.0), late(1.0)]);
    assert_eq!(error, E::Submitted { job: 1, time: Seconds(1.0), earliest: Seconds(2.0) });
}

#[test]
fn bad_setups() {
    use SetupError as E;
    let with = |change: fn(&mut Setup)| {
        let mut setup = setup();
        change(&mut setup);
        refused(&setup, Vec::new())
    };
    for bad in [
        with(|setup| setup.loan_interval = Seconds(0.0)),
        with(|setup| setup.epoch_interval = Seconds(f64::NAN)),
        with(|setup| setup.preemption_overhead = Seconds(-1.0)),
        with(|setup| setup.scaling_overhead = Seconds(1e12)),
        with(|setup| setup.usage_window = Some(Seconds(f64::INFINITY))),
    ] {
        assert!(matches!(bad, E::Time { .. }), "{bad:?}");
    }
    assert!(matches!(
        refused(&Setup::new(GpuType::new("V100").speed(0, 1), 1, 8), Vec::new()),
        E::GpuType(_)
    ));
    assert!(matches!(refused(&Setup::new(GpuType::new("V100"), 1, 0), Vec::new()), E::Server(_)));
}

#[test]
fn nothing_to_do_is_done_at_once() {
    for setup in [setup(), Setup::new(GpuType::new("V100"), 0, 8)] {
        let nothing = workload(Vec::new());
        let report = Simulation::new(&setup, &nothing).unwrap().run(&mut Fifo::new()).unwrap();
        assert_eq!((report.jobs.len(), report.makespan, report.decisions), (0, Seconds(0.0), 0));
        assert_eq!(report.preemption_ratio(), 0.0);
    }
}

/// Does always the same.
struct Always(Vec<Action>, bool);

impl Policy for Always {
    fn name(&self) -> &str {
        "always the same"
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.1.then(LoanPolicy::default)
    }

    fn decide(&mut self, _: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        actions.extend(&self.0);
        Ok(())
    }
}

fn failed(policy: &mut dyn Policy) -> SimulationError {
    let jobs = workload(vec![TraceJob::new(job_of(60.0))]);
    Simulation::new(&setup(), &jobs).unwrap().run(policy).unwrap_err()
}

#[test]
fn bad_decisions() {
    use SimulationError as E;
    let (job, server) = (JobId::new(0), ServerId::new(0));
    let start = |server, workers| Action::Start { job, server, workers };
    // A job that waits for ever.
    assert!(matches!(failed(&mut Always(vec![], false)), E::Stalled { waiting: 1, .. }));
    assert!(matches!(failed(&mut Always(vec![start(server, 2)], false)), E::Step { step: 0, .. }));
    assert!(matches!(failed(&mut Always(vec![start(ServerId::new(1), 1)], false)), E::Step { step: 0, .. }));
    let unknown = Action::Preempt { job: JobId::new(9) };
    let error = failed(&mut Always(vec![start(server, 1), unknown], false));
    assert!(matches!(error, E::Step { step: 1, .. }));
    assert_eq!(
        error.to_string(),
        "at 0 s step 1 of the policy's decision can't be carried out: the cluster holds no job 9"
    );
    // Three servers are lent in the third decision on loans, unless it says so.
    let jobs = workload(vec![TraceJob::new(job_of(1e6))]);
    let wide = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 6, 8);
    let error = Simulation::new(&wide, &jobs).unwrap().run(&mut Always(vec![], true)).unwrap_err();
    assert!(matches!(error, E::Loan { verb: "lent", done: 0, asked: 3, time: Seconds(600.0) }), "{error:?}");
    let lend = Action::Lend { server: ServerId::new(1) };
    assert!(matches!(
        failed(&mut Always(vec![lend], false)),
        E::Loan { verb: "lent", done: 1, asked: 0, .. }
    ));
}

#[test]
fn a_policy_that_gives_up() {
    struct GivesUp;
    impl Policy for GivesUp {
        fn name(&self) -> &str {
            "gives up"
        }
        fn decide(&mut self, _: &View<'_>, _: &mut Vec<Action>) -> Result<(), PolicyError> {
            Err(PolicyError::Other("there is no hope"))
        }
    }
    let error = failed(&mut GivesUp);
    assert_eq!(error.to_string(), "at 0 s the policy could not decide: there is no hope");
}
