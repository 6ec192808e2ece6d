//! Errors of simulations and workloads.

use aryl::cluster::{AddJobError, GpuType, Job, JobError, StopError, UpdateJobError};
use aryl::epoch::{Action, EpochError};
use aryl::loan::{LoanError, LoanPolicy};
use aryl::scaling::ScalingCurve;
use aryl::sim::policy::{Policy, PolicyError, View};
use aryl::sim::workload::{
    Arrivals, DiurnalLoad, InferenceLoad, JobKinds, RecordedJob, RunningTimes, Scenario, Surge, TraceJob,
    TraceSpec, Workload,
};
use aryl::sim::{Setup, SetupError, Simulation, SimulationError};
use aryl::units::Seconds;

use crate::{Messages, job, server};

pub(crate) fn add(messages: &mut Messages) {
    add_setups(messages);
    add_policies(messages);
    add_loads(messages);
    add_specifications(messages);
    add_recorded(messages);
}

fn setup() -> Setup {
    Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 2, 8)
}

fn workload(jobs: Vec<TraceJob>) -> Workload {
    Workload { jobs, load: InferenceLoad::constant(0.0).unwrap() }
}

fn add_setups(messages: &mut Messages) {
    let mut refused = |setup: Setup, job: TraceJob| {
        messages.refused(Simulation::new(&setup, &workload(vec![job])));
    };
    let one = || Job::inelastic(1).remaining(Seconds(60.0));
    refused(Setup::new(GpuType::new("V100").speed(0, 1), 1, 8), TraceJob::new(one()));
    refused(Setup::new(GpuType::new("V100"), 1, 0), TraceJob::new(one()));
    let mut endless = setup();
    endless.loan_interval = Seconds(0.0);
    refused(endless, TraceJob::new(one()));
    refused(setup(), TraceJob::new(Job::inelastic(0)));
    refused(setup(), TraceJob::new(Job::elastic(1..=2)).requested_workers(3));
    refused(setup(), TraceJob::new(one().submitted(Seconds(-1.0))));
    refused(setup(), TraceJob::new(one().remaining(Seconds(0.0004))));
    refused(setup(), TraceJob::new(Job::inelastic(25)));
    messages.add(SetupError::Loan(LoanError::ZeroPatience));
    messages.add(SetupError::TooManyServers { servers: 1 << 25, limit: Setup::MAX_SERVERS });
    messages.add(SetupError::TooManyJobs { jobs: 5_000_000_000, limit: u32::MAX as usize });
    for wrong in [
        TraceJob::new(Job::elastic(1..=2)).requested_workers(3),
        TraceJob::new(one()).checkpoint_interval(Seconds(0.0)),
        TraceJob::new(one()).estimate_factor(-2.0),
    ] {
        match Simulation::new(&setup(), &workload(vec![wrong])).unwrap_err() {
            SetupError::TraceJob { source, .. } => messages.add(source),
            other => panic!("{other}"),
        }
    }
}

/// Does always the same.
struct Always(Result<Vec<Action>, PolicyError>, bool);

impl Policy for Always {
    fn name(&self) -> &str {
        "always the same"
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.1.then(LoanPolicy::default)
    }

    fn decide(&mut self, _: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        actions.extend(self.0.clone()?);
        Ok(())
    }
}

fn add_policies(messages: &mut Messages) {
    let other = PolicyError::Other("it needs two GPU types");
    let epoch = EpochError::NotEnoughToLend { asked: 3, available: 2 };
    messages.add(PolicyError::Epoch(epoch));
    messages.add(PolicyError::Reclaim(
        aryl::reclaim::Reclaimer::default().solve(&aryl::cluster::Cluster::new(), 1).unwrap_err(),
    ));
    messages.add(other.clone());
    let long = workload(vec![TraceJob::new(Job::inelastic(1).remaining(Seconds(1e6)))]);
    let six = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 6, 8);
    for mut policy in [
        Always(Ok(vec![]), false),
        Always(Ok(vec![Action::Preempt { job: job(9) }]), false),
        Always(Err(other), false),
        Always(Ok(vec![]), true),
        Always(Ok(vec![Action::Lend { server: server(1) }]), false),
    ] {
        messages.refused(Simulation::new(&six, &long).unwrap().run(&mut policy));
    }
    let source = UpdateJobError::Job(JobError::Weight { weight: -1.0 });
    messages.add(SimulationError::Worth { time: Seconds(60.0), job: 3, source });
    messages.add(SimulationError::Endless { time: Seconds(1e9), unfinished: 2 });
    let step = aryl::cluster::StepError::Stop(StopError::NotRunning { job: job(3) });
    messages.add(SimulationError::Step { time: Seconds(60.0), step: 4, reason: step });
    assert!(matches!(AddJobError::from(JobError::ZeroWorkers), AddJobError::Job(_)));
}

fn add_loads(messages: &mut Messages) {
    let at = |time, share| (Seconds(time), share);
    messages.refused(InferenceLoad::new([]));
    messages.refused(InferenceLoad::new([at(f64::NAN, 0.5)]));
    messages.refused(InferenceLoad::new([at(5.0, 0.5), at(5.0, 0.6)]));
    messages.refused(InferenceLoad::new([at(5.0, 1.5)]));
    let refused = Workload::bootstrap(&workload(vec![]), 0, 1);
    messages.refused(refused);
}

fn add_specifications(messages: &mut Messages) {
    let small = || TraceSpec { jobs: 10, ..TraceSpec::paper(Scenario::Basic) };
    let times =
        |mean, median| RunningTimes { mean: Seconds(mean), median: Seconds(median), ..RunningTimes::PAPER };
    let load = |mean| DiurnalLoad { mean, ..DiurnalLoad::PAPER };
    for wrong in [
        TraceSpec { jobs: 0, ..small() },
        TraceSpec { span: Seconds(-1.0), ..small() },
        TraceSpec { surge: Some(Surge { width: Seconds(0.0), ..Surge::PAPER }), ..small() },
        TraceSpec { arrivals: Arrivals { swing: 1.1, ..Arrivals::PAPER }, ..small() },
        TraceSpec { arrivals: Arrivals { peak_hour: 25.0, ..Arrivals::PAPER }, ..small() },
        TraceSpec { running_times: times(1.0, RunningTimes::PAPER.median.0), ..small() },
        TraceSpec { running_times: times(RunningTimes::PAPER.mean.0, -1.0), ..small() },
        TraceSpec { gpus: vec![], ..small() },
        TraceSpec { gpus: vec![(0, 1.0)], ..small() },
        TraceSpec { gpus: vec![(1, 0.5)], ..small() },
        TraceSpec { load: load(0.01), ..small() },
    ] {
        messages.refused(wrong.generate(1));
    }
    let kinds = || JobKinds::scenario(Scenario::Basic);
    for wrong in [
        JobKinds { scale_factor: 17, ..kinds() },
        JobKinds { mixing_efficiency: 1.5, ..kinds() },
        JobKinds { scaling: ScalingCurve::LossPerAddedWorker { loss: 1.5 }, ..kinds() },
        JobKinds { checkpoint_interval: Seconds(0.0), ..kinds() },
    ] {
        messages.refused(wrong.draw(&[], 1));
    }
    messages.add(aryl::sim::workload::SpecError::Load(InferenceLoad::new([]).unwrap_err()));
}

fn add_recorded(messages: &mut Messages) {
    let good = RecordedJob { submitted: Seconds(5.0), running_time: Seconds(60.0), gpus: 1 };
    for wrong in [
        RecordedJob { running_time: Seconds(0.0), ..good },
        RecordedJob { submitted: Seconds(f64::NAN), ..good },
        RecordedJob { gpus: 0, ..good },
        RecordedJob { submitted: Seconds(4.0), ..good },
    ] {
        messages.refused(JobKinds::PLAIN.draw(&[good, wrong], 1));
    }
}
