//! Simulations: their setups, workloads and reports.

use aryl::cluster::{GpuType, Job};
use aryl::sim::policy::Fifo;
use aryl::sim::workload::{
    Arrivals, DiurnalLoad, InferenceLoad, JobKinds, RecordedJob, RunningTimes, Scenario, Surge, TraceJob,
    TraceSpec, Workload,
};
use aryl::sim::{Forecast, Setup, Simulation};
use aryl::units::Seconds;

use crate::Record;

pub(crate) fn keep(record: &mut Record) {
    for forecast in [Forecast::Exact, Forecast::Naive, Forecast::Seasonal { period: 288 }] {
        record.keep(&forecast);
    }
    let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("T4").speed(1, 3), 2, 8);
    record.keep(&setup);
    let load = InferenceLoad::new([(Seconds(0.0), 0.95), (Seconds(300.0), 0.4)]).unwrap();
    let trace = TraceJob::new(Job::elastic(1..=2).remaining(Seconds(60.0)))
        .requested_workers(2)
        .checkpoint_interval(Seconds(30.0))
        .estimate_factor(1.25);
    record.keep(&load);
    record.keep(&trace);
    let workload = Workload { jobs: vec![trace], load };
    record.keep(&workload);
    record.keep(&Arrivals::PAPER);
    record.keep(&Surge::PAPER);
    record.keep(&DiurnalLoad::PAPER);
    record.keep(&RunningTimes::PAPER);
    record.keep(&RecordedJob { submitted: Seconds(5.0), running_time: Seconds(60.0), gpus: 4 });
    record.keep(&JobKinds::PLAIN);
    for scenario in Scenario::ALL {
        record.keep(&scenario);
        record.keep(&JobKinds::scenario(scenario));
    }
    record.keep(&TraceSpec::paper(Scenario::Basic));

    let report = Simulation::new(&setup, &workload).unwrap().run(&mut Fifo::new()).unwrap();
    report.jobs.iter().for_each(|job| record.keep(job));
    report.series.iter().take(1).for_each(|sample| record.keep(sample));
    record.keep(&report.usage);
    record.keep(&report.loans);
    record.keep(&report.jct());
    record.keep(&report);
}

pub(crate) fn refuse(record: &mut Record) {
    record.refuse::<Forecast>(r#""perfect""#);
    record.refuse::<Setup>(r#"{"servers":1}"#);
    record.refuse::<InferenceLoad>("[]");
    record.refuse::<InferenceLoad>("[[0,0.5],[0,0.6]]");
    record.refuse::<InferenceLoad>("[[0,1.5]]");
    record.refuse::<Workload>(r#"{"jobs":[]}"#);
    record.refuse::<RecordedJob>(r#"{"submitted":1,"running_time":2,"gpus":-1}"#);
    record.refuse::<TraceSpec>(r#"{"job":1}"#);
    record.refuse::<JobKinds>(r#"{"elastics":1}"#);
    record.refuse::<Scenario>(r#""best""#);
}
