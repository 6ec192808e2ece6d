//! The same input gives the same report, whatever happened before.

use aryl::sim::Simulation;
use aryl::units::Seconds;

use crate::instances::{instance, policies};

#[test]
fn the_same_input_gives_the_same_report_to_the_bit() {
    for seed in 300..330 {
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
