//! The integer programs at the edges: the same answers as the solvers, or a refusal before memory is taken.

use aryl::cluster::{Cluster, Job, Placement, Server};
use aryl::id::ServerId;
use aryl::ilp::{self, IlpError, Microlp};
use aryl::knapsack::{ClassKind, CurveClass, Gain, Instance, Item, VALUE_LIMIT};
use aryl::units::Seconds;
use aryl::verify;

use crate::{bytes, idle};

#[test]
fn nothing_at_all() {
    let backend = Microlp::default();
    for capacity in [0, 1 << 63, u64::MAX] {
        let answer = ilp::knapsack(&Instance::new(capacity), &backend).unwrap();
        assert_eq!((answer.value(), answer.weight()), (0, 0));
    }
    for cluster in [Cluster::new(), idle(1, Server::training, 8)] {
        assert!(ilp::reclaim(&cluster, 0, &backend).unwrap().servers().is_empty());
        for asked in [1, u32::MAX] {
            assert_eq!(
                ilp::reclaim(&cluster, asked, &backend),
                Err(IlpError::NotEnoughServers { asked, available: 0 })
            );
        }
        let optimum = ilp::epoch(&cluster, Seconds(0.0), &backend).unwrap();
        assert_eq!(optimum.certificate().objective(), 0);
    }
}

#[test]
fn the_heaviest_items_at_the_largest_capacities() {
    let backend = Microlp::default();
    let whole = u64::from(u32::MAX);
    let mut instance = Instance::new(0);
    for value in 1..=5 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(u32::MAX, value)]).unwrap();
    }
    for (capacity, value) in [(whole, 5), (3 * whole, 12), (1 << 63, 15), (u64::MAX, 15)] {
        instance.set_capacity(capacity);
        let answer = ilp::knapsack(&instance, &backend).unwrap();
        assert_eq!(verify::knapsack(&instance, &answer), Ok(()));
        assert_eq!(answer.value(), value, "{capacity}");
    }
    let mut instance = Instance::new(1);
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, VALUE_LIMIT - 1)]).unwrap();
    assert_eq!(ilp::knapsack(&instance, &backend).unwrap().value(), VALUE_LIMIT - 1);
}

#[test]
fn classes_of_2_to_the_20_items_are_refused_before_they_take_memory() {
    let mut instance = Instance::new(u64::MAX);
    for _ in 0..64 {
        instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 1.0 }, 1e6, 1, 1 << 20)).unwrap();
    }
    let used = bytes(|| {
        let error = ilp::knapsack(&instance, &Microlp::default()).unwrap_err();
        assert_eq!(error, IlpError::TooLarge { variables: 1 << 26, limit: 1 << 20 });
    });
    assert!(used < 4_096, "{used} bytes");
}

#[test]
fn costs_of_2_to_the_64_less_1_and_all_servers() {
    let mut cluster = idle(3, Server::on_loan, 8);
    for (server, cost) in [(0, u64::MAX - 2), (1, 1), (2, 1)] {
        let job = cluster.add_job(Job::inelastic(8).preemption_cost(cost)).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(server), 8)]).unwrap();
    }
    for (count, cost) in [(1, 1), (2, 2), (3, u64::MAX)] {
        let answer = ilp::reclaim(&cluster, count, &Microlp::default()).unwrap();
        assert_eq!(verify::reclaim(&cluster, count, &answer), Ok(()));
        assert_eq!(answer.certificate().objective(), cost);
    }
    let error = IlpError::NotEnoughServers { asked: 4, available: 3 };
    assert_eq!(ilp::reclaim(&cluster, 4, &Microlp::default()), Err(error));
}
