//! Simulations at the edges.

use aryl::cluster::{AddServerError, GpuType, Job, Server};
use aryl::sim::policy::{Aryl, Fifo};
use aryl::sim::workload::{InferenceLoad, LoadError, Scenario, SpecError, TraceJob, TraceSpec, Workload};
use aryl::sim::{Setup, SetupError, Simulation};
use aryl::units::Seconds;

use crate::bytes;

fn workload(jobs: Vec<TraceJob>) -> Workload {
    Workload { jobs, load: InferenceLoad::constant(0.5).unwrap() }
}

fn job(remaining: f64) -> TraceJob {
    TraceJob::new(Job::inelastic(1).remaining(Seconds(remaining)))
}

fn setup() -> Setup {
    Setup::new(GpuType::new("V100"), 1, 8)
}

#[track_caller]
fn refused(setup: &Setup, jobs: Vec<TraceJob>) -> SetupError {
    Simulation::new(setup, &workload(jobs)).unwrap_err()
}

#[test]
fn no_jobs() {
    for setup in [setup(), setup().inference(GpuType::new("T4").speed(1, 3), 3, 8)] {
        let workload = workload(Vec::new());
        let fifo = Simulation::new(&setup, &workload).unwrap().run(&mut Fifo::new()).unwrap();
        let aryl = Simulation::new(&setup, &workload).unwrap().run(&mut Aryl::new()).unwrap();
        for report in [fifo, aryl] {
            assert!(report.jobs.is_empty());
            assert_eq!((report.makespan, report.jct().count, report.preemptions()), (Seconds(0.0), 0, 0));
            assert!(report.usage.training.is_finite() && report.preemption_ratio().is_finite());
        }
    }
    // Nor servers: then a job does not fit.
    let none = Setup::new(GpuType::new("V100"), 0, 8);
    assert!(Simulation::new(&none, &workload(Vec::new())).unwrap().run(&mut Fifo::new()).is_ok());
    assert_eq!(refused(&none, vec![job(1.0)]), SetupError::TooLarge { job: 0, workers: 1, room: 0 });
}

#[test]
fn one_job_of_a_millisecond_and_one_of_2_to_the_43() {
    let longest = (1_u64 << 43) as f64 / 1_000.0;
    for time in [0.001, longest] {
        let mut setup = setup();
        // Few epochs, or there are hundreds of millions.
        setup.epoch_interval = Seconds(longest);
        setup.loan_interval = Seconds(longest);
        let workload = workload(vec![job(time)]);
        let report = Simulation::new(&setup, &workload).unwrap().run(&mut Fifo::new()).unwrap();
        assert_eq!(report.makespan, Seconds(time));
    }
    for time in [1e-300, 0.000_4, longest + 0.001, 1e12].map(Seconds) {
        assert_eq!(refused(&setup(), vec![job(time.0)]), SetupError::RunningTime { job: 0, time });
    }
}

#[test]
fn a_thousand_equal_jobs_run_eight_at_a_time_in_their_order() {
    let workload = workload(vec![job(10.0); 1_000]);
    let report = Simulation::new(&setup(), &workload).unwrap().run(&mut Fifo::new()).unwrap();
    assert_eq!(report.makespan, Seconds(1_250.0));
    for (at, outcome) in report.jobs.iter().enumerate() {
        assert_eq!(outcome.started, Seconds(10.0 * (at / 8) as f64), "{at}");
    }
}

#[test]
fn times_of_a_setup_and_of_submissions_at_1e_minus_300_and_1e300() {
    for time in [1e-300, 1e300, -1e-300].map(Seconds) {
        let mut changed = setup();
        changed.loan_interval = time;
        assert!(
            matches!(refused(&changed, Vec::new()), SetupError::Time { what: "loan interval", .. }),
            "{time}"
        );
        assert!(
            matches!(refused(&setup().epoch_interval(time), Vec::new()), SetupError::Time { .. }),
            "{time}"
        );
    }
    assert!(matches!(
        refused(&setup().preemption_overhead(Seconds(1e300)), Vec::new()),
        SetupError::Time { .. }
    ));
    assert!(matches!(refused(&setup().scaling_overhead(Seconds(-1.0)), Vec::new()), SetupError::Time { .. }));
    for time in [1e300, -1.0].map(Seconds) {
        let mut late = job(1.0);
        late.job = late.job.submitted(time);
        let error = SetupError::Submitted { job: 0, time, earliest: Seconds(0.0) };
        assert_eq!(refused(&setup(), vec![late]), error);
    }
    let error = LoadError::Share { time: Seconds(-1e300), share: 1e300 };
    assert_eq!(InferenceLoad::new([(Seconds(-1e300), 1e300)]), Err(error));
    let load = InferenceLoad::new([(Seconds(-1e300), 1e-300), (Seconds(1e300), 1.0)]).unwrap();
    assert_eq!((load.at(Seconds(0.0)), load.at(Seconds(f64::MAX))), (1e-300, 1.0));
}

#[test]
fn counts_of_2_to_the_31_are_refused_before_they_take_memory() {
    for servers in [1 << 31, u32::MAX] {
        let used = bytes(|| {
            let limit = Setup::MAX_SERVERS;
            let many = Setup::new(GpuType::new("V100"), servers, 8);
            let expected = SetupError::TooManyServers { servers: servers.into(), limit };
            assert_eq!(refused(&many, Vec::new()), expected);
            // Over all kinds together, and those of the inference cluster with them.
            let both =
                setup().training(GpuType::new("V100"), limit - 1, 8).inference(GpuType::new("T4"), 1, 8);
            let expected = SetupError::TooManyServers { servers: u64::from(limit) + 1, limit };
            assert_eq!(refused(&both, Vec::new()), expected);
        });
        assert!(used < 16_384, "{used} bytes");
    }
    let gpus = u32::MAX;
    let error = AddServerError::TooManyGpus { gpus, limit: Server::MAX_GPUS };
    assert_eq!(refused(&Setup::new(GpuType::new("V100"), 1, gpus), Vec::new()), SetupError::Server(error));
    for jobs in [0, 1 << 31, u32::MAX] {
        let spec = TraceSpec { jobs, ..TraceSpec::paper(Scenario::Basic) };
        let used = bytes(|| {
            assert_eq!(spec.generate(1).unwrap_err(), SpecError::Jobs { jobs, limit: TraceSpec::MAX_JOBS });
        });
        assert!(used < 4_096, "{used} bytes");
    }
    let spec = TraceSpec { span: Seconds(1e300), jobs: 10, ..TraceSpec::paper(Scenario::Basic) };
    let used = bytes(|| assert!(matches!(spec.generate(1).unwrap_err(), SpecError::Time { .. })));
    assert!(used < 4_096, "{used} bytes");
}
