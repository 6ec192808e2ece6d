//! The same input gives the same report, whatever happened before.

use aryl::sim::Simulation;
#[cfg(feature = "serde")]
use aryl::sim::{Setup, SetupError, metrics::Report, workload::Workload};
use aryl::units::Seconds;

use crate::instances::{instance, policies};

#[test]
fn the_same_input_gives_the_same_report_to_the_bit() {
    for seed in 300..315 {
        let (setup, workload) = instance(seed);
        for (mut first, mut second) in policies().into_iter().zip(policies()) {
            let report = Simulation::new(&setup, &workload).unwrap().run(&mut *first).unwrap();
            let mut ticks = 0.0;
            let mut again = Simulation::new(&setup, &workload)
                .unwrap()
                .clock(|| {
                    ticks += 0.5;
                    Seconds(ticks)
                })
                .run(&mut *second)
                .unwrap();
            let latency = again.decision_latency.take().unwrap();
            assert_eq!((latency.count as u64, latency.mean), (again.decisions, Seconds(0.5)));
            assert_eq!(report, again);
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_setup_a_workload_and_a_report_can_be_written_down() {
    let (setup, workload) = instance(301);
    let report = Simulation::new(&setup, &workload).unwrap().run(&mut *policies().remove(0)).unwrap();
    assert_eq!(serde_json::from_str::<Setup>(&serde_json::to_string(&setup).unwrap()).unwrap(), setup);
    assert_eq!(
        serde_json::from_str::<Workload>(&serde_json::to_string(&workload).unwrap()).unwrap(),
        workload
    );
    assert_eq!(serde_json::from_str::<Report>(&serde_json::to_string(&report).unwrap()).unwrap(), report);
    // What is wrong with it is found when it enters a simulation.
    let written = serde_json::to_string(&setup).unwrap().replacen("\"gpu_type\":0", "\"gpu_type\":9", 1);
    let setup: Setup = serde_json::from_str(&written).unwrap();
    assert!(matches!(Simulation::new(&setup, &workload), Err(SetupError::Server(_))));
}
