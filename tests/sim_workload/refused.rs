//! What no workload can be made of.

use aryl::scaling::ScalingCurve;
use aryl::sim::workload::{
    Arrivals, JobKinds, RecordedJob, RunningTimes, Scenario, SpecError, Surge, TraceSpec,
};
use aryl::units::Seconds;

fn refused(spec: TraceSpec) -> SpecError {
    spec.generate(1).expect_err("it makes no sense")
}

fn small() -> TraceSpec {
    TraceSpec { jobs: 10, ..TraceSpec::paper(Scenario::Basic) }
}

#[test]
fn specifications_out_of_range_are_refused() {
    for jobs in [0, TraceSpec::MAX_JOBS + 1] {
        assert!(matches!(refused(TraceSpec { jobs, ..small() }), SpecError::Jobs { .. }));
    }
    for span in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(TraceSpec { span: Seconds(span), ..small() }), SpecError::Time { .. }));
        let surge = Surge { width: Seconds(span), ..Surge::PAPER };
        assert!(matches!(refused(TraceSpec { surge: Some(surge), ..small() }), SpecError::Time { .. }));
    }
    for swing in [-0.1, 1.1, f64::NAN] {
        let arrivals = Arrivals { swing, ..Arrivals::PAPER };
        assert!(matches!(refused(TraceSpec { arrivals, ..small() }), SpecError::Share { .. }));
    }
    let arrivals = Arrivals { peak_hour: 25.0, ..Arrivals::PAPER };
    assert!(matches!(refused(TraceSpec { arrivals, ..small() }), SpecError::Hour { .. }));
    let running_times = RunningTimes { mean: Seconds(1.0), ..RunningTimes::PAPER };
    assert!(matches!(refused(TraceSpec { running_times, ..small() }), SpecError::MeanOutOfReach { .. }));
    let mixed = |gpus: &[(u32, f64)]| refused(TraceSpec { gpus: gpus.to_vec(), ..small() });
    assert_eq!(mixed(&[]), SpecError::NoGpus);
    assert!(matches!(mixed(&[(0, 1.0)]), SpecError::Gpus { gpus: 0, .. }));
    assert!(matches!(mixed(&[(u32::MAX, 1.0)]), SpecError::Gpus { .. }));
    assert!(matches!(mixed(&[(1, 0.5)]), SpecError::MixSum { .. }));
    assert!(matches!(mixed(&[(1, f64::NAN)]), SpecError::Share { .. }));
    assert_eq!(
        refused(TraceSpec { jobs: 0, ..small() }).to_string(),
        "0 jobs are asked for; the number must be from 1 to 16777216"
    );
}

#[test]
fn kinds_out_of_range_are_refused() {
    let with = |change: fn(&mut JobKinds, f64), value: f64| {
        let mut kinds = JobKinds::scenario(Scenario::Basic);
        change(&mut kinds, value);
        kinds.draw(&[], 1).expect_err("it makes no sense")
    };
    let shares: [fn(&mut JobKinds, f64); 7] = [
        |kinds, share| kinds.elastic = share,
        |kinds, share| kinds.elastic_load = Some(share),
        |kinds, share| kinds.fungible = share,
        |kinds, share| kinds.heterogeneous = share,
        |kinds, share| kinds.checkpointed = share,
        |kinds, share| kinds.wrong_estimates = share,
        |kinds, share| kinds.estimate_error = share,
    ];
    for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        for change in shares {
            assert!(matches!(with(change, bad), SpecError::Share { .. }));
        }
        let curve = |kinds: &mut JobKinds, loss| kinds.scaling = ScalingCurve::LossPerAddedWorker { loss };
        assert!(matches!(with(curve, bad), SpecError::Scaling(_)));
        let mixing = with(|kinds, efficiency| kinds.mixing_efficiency = efficiency, bad);
        assert!(matches!(mixing, SpecError::MixingEfficiency { .. }));
    }
    for bad in [0.0, 17.0] {
        let error = with(|kinds, factor| kinds.scale_factor = factor as u32, bad);
        assert!(matches!(error, SpecError::ScaleFactor { .. }));
    }
    let error = with(|kinds, time| kinds.checkpoint_interval = Seconds(time), 0.0);
    assert!(matches!(error, SpecError::Time { .. }));
}

#[test]
fn recorded_jobs_that_make_no_sense_are_refused() {
    let good = RecordedJob { submitted: Seconds(5.0), running_time: Seconds(60.0), gpus: 1 };
    let draw = |bad: RecordedJob| JobKinds::PLAIN.draw(&[good, bad], 1).expect_err("it makes no sense");
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = draw(RecordedJob { running_time: Seconds(time), ..good });
        assert!(matches!(error, SpecError::RecordedTime { job: 1, what: "running time", .. }));
    }
    let error = draw(RecordedJob { submitted: Seconds(f64::NAN), ..good });
    assert!(matches!(error, SpecError::RecordedTime { job: 1, what: "time of submission", .. }));
    for gpus in [0, JobKinds::MAX_GPUS + 1] {
        let error = draw(RecordedJob { gpus, ..good });
        assert_eq!(error, SpecError::RecordedGpus { job: 1, gpus, limit: JobKinds::MAX_GPUS });
    }
    let error = draw(RecordedJob { submitted: Seconds(4.0), ..good });
    assert_eq!(error.to_string(), "recorded job 1 was submitted at 4 s, before the one above it at 5 s");
    assert_eq!(JobKinds::PLAIN.draw(&[], 1), Ok(Vec::new()));
}
