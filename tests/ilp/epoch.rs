//! The two phases of an epoch never beat the optimum.

use std::collections::BTreeMap;

use aryl::cluster::Cluster;
use aryl::epoch::{Epoch, Request};
use aryl::ilp::{self, Microlp};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;

use crate::support::{Shape, random_cluster};

const SMALL: Shape =
    Shape { servers: 4, jobs: 7, types: false, heterogeneous: false, overheads: false, protection: false };

#[test]
fn the_two_phases_never_beat_the_optimum() {
    let mixed = Shape { types: true, overheads: true, protection: true, ..SMALL };
    let heterogeneous = Shape { servers: 3, jobs: 5, heterogeneous: true, ..mixed };
    let mut reached = 0;
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (name, shape, seed, count) in
        [("one type", SMALL, 1, 250), ("types", mixed, 2, 250), ("mixing", heterogeneous, 3, 200)]
    {
        let mut random = Rand32::new(seed);
        for case in 0..count {
            let cluster = random_cluster(&mut random, shape);
            let wait = Seconds([0.0, 300.0, 3_600.0, 1e7][case % 4]);
            let optimum = ilp::epoch(&cluster, wait, &Microlp::default())
                .unwrap_or_else(|error| panic!("{name} {case}: {error}"));
            verify::cluster(optimum.after()).unwrap();
            let best = optimum.certificate();
            let value = ilp::epoch_value(&cluster, optimum.after(), wait).unwrap();
            assert_eq!(value.max(0), i128::from(best.objective()), "{name} {case}");
            check_moves(&cluster, &optimum);

            let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
            let mut planned = cluster.clone();
            planned.apply(&plan).unwrap();
            let two_phase = ilp::epoch_value(&cluster, &planned, wait).unwrap();
            assert!(two_phase <= i128::from(best.bound()), "{name} {case}: {two_phase}, and {best}");
            if best.is_optimal() {
                assert!(two_phase <= value.max(0), "{name} {case}: {two_phase}, and {best}");
            }
            // To do nothing is an answer too.
            let nothing = ilp::epoch_value(&cluster, &cluster, wait).unwrap();
            assert!(nothing <= i128::from(best.bound()), "{name} {case}");
            reached += u32::from(two_phase == value);
            *seen.entry(name).or_default() += 1;
        }
    }
    assert_eq!(seen.values().sum::<u32>(), 700);
    assert!(reached > 200, "{reached}");
}

/// No running job stops, and no base worker of one moves.
fn check_moves(before: &Cluster, optimum: &ilp::EpochOptimum) {
    for (id, _) in before.jobs().filter(|(id, _)| before.is_running(*id)) {
        let base = |cluster: &Cluster| -> Vec<_> {
            let placements = cluster.placements(id).iter();
            placements.filter(|p| p.role == aryl::cluster::Role::Base).copied().collect()
        };
        assert_eq!(base(before), base(optimum.after()));
    }
    for &id in optimum.started() {
        assert!(!before.is_running(id) && optimum.after().is_running(id));
    }
}
