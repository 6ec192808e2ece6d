//! The exact knapsack equals the integer program.

use aryl::ilp::{self, GoodLp, IlpError, Microlp};
use aryl::knapsack::{ClassKind, CurveClass, Gain, Instance, Item, Method, Solver, dense};
use aryl::verify;
use oorandom::Rand32;

use crate::families::{self, Capacity, Family};

/// Solves by the default solver and as an integer program, and compares.
fn compare(instance: &Instance, name: &str) -> bool {
    let exact = Solver::default().solve(instance).unwrap();
    let reference = ilp::knapsack(instance, &Microlp::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    verify::knapsack(instance, &reference).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    assert_eq!(reference.method(), Method::IntegerProgram);
    let is_optimal = reference.certificate().is_optimal();
    if is_optimal {
        assert_eq!(exact.value(), reference.value(), "{name}");
    }
    let (ours, theirs) = (exact.value() as f64, reference.value() as f64);
    assert!((ours - theirs).abs() <= 1e-6 * ours, "{name}: {ours} but {theirs}");
    assert!(reference.certificate().bound() >= exact.value(), "{name}: {}", reference.certificate());
    assert!(reference.certificate().relative_gap() < 1e-8, "{name}: {}", reference.certificate());
    is_optimal
}

fn random_class(random: &mut Rand32, instance: &mut Instance) {
    if random.rand_range(0..3) == 0 {
        let (base, length) = (f64::from(1 + random.rand_range(0..8)), random.rand_range(0..7));
        let total = f64::from(random.rand_range(0..1_000_000));
        let gain = match random.rand_range(0..2) {
            0 => Gain::Hyperbola { half: base },
            _ => Gain::Power { base, exponent: 0.1 + 0.9 * random.rand_float() as f64 },
        };
        let curve = CurveClass::new(gain, total, random.rand_range(0..5), length);
        let curve = if random.rand_range(0..3) == 0 { curve.with_bonus(0, 5_000) } else { curve };
        instance.push_curve(curve).unwrap();
        return;
    }
    let scale = [1, 1_000, 100_000_000][random.rand_range(0..3) as usize];
    let items: Vec<Item> = (0..random.rand_range(0..6))
        .map(|_| Item::new(random.rand_range(0..12), u64::from(random.rand_range(0..100)) * scale))
        .collect();
    let kind = match random.rand_range(0..3) {
        0 if !items.is_empty() => ClassKind::ExactlyOne,
        _ => ClassKind::AtMostOne,
    };
    instance.push_class(kind, items).unwrap();
}

#[test]
fn any_small_instance() {
    let mut random = Rand32::new(11);
    let mut optimal = 0;
    for case in 0..700 {
        let mut instance = Instance::new(u64::from(random.rand_range(0..40)));
        for _ in 0..random.rand_range(0..9) {
            random_class(&mut random, &mut instance);
        }
        if instance.mandatory_weight() > instance.capacity() {
            let (mandatory_weight, capacity) = (instance.mandatory_weight(), instance.capacity());
            let expected = IlpError::MandatoryTooHeavy { mandatory_weight, capacity };
            assert_eq!(ilp::knapsack(&instance, &Microlp::default()), Err(expected));
            continue;
        }
        optimal += u32::from(compare(&instance, &format!("case {case}")));
    }
    assert!(optimal > 300, "{optimal}");
}

#[test]
fn the_families_of_the_benches() {
    for family in families::ALL {
        for seed in 0..60 {
            let classes = [2, 4, 8, 12][seed % 4];
            let capacity = [Capacity::Percent(25), Capacity::Percent(50), Capacity::Units(16)][seed % 3];
            let instance = families::table_of(family, classes, 4, capacity, seed as u128);
            compare(&instance, &format!("{family:?} {classes} {capacity:?} {seed}"));
        }
    }
}

#[test]
fn the_default_solver_of_good_lp_says_the_same() {
    for seed in 0..20 {
        let instance = families::table_of(Family::Strong, 10, 4, Capacity::Percent(30), seed);
        let reference = ilp::knapsack(&instance, &GoodLp).unwrap();
        assert_eq!(reference.value(), dense(&instance, 1 << 20).unwrap().value());
        assert!(reference.certificate().is_optimal());
    }
}

#[test]
fn the_same_instance_and_limit_give_the_same_answer() {
    for seed in 0..10 {
        let instance = families::table_of(Family::Parity, 12, 6, Capacity::Percent(30), seed);
        for nodes in [10, 1_000] {
            let solve = || ilp::knapsack(&instance, &Microlp::with_node_limit(nodes));
            assert_eq!(solve(), solve());
        }
    }
}

#[test]
fn an_instance_that_is_too_large_is_refused_before_anything_is_built() {
    let mut instance = Instance::new(1 << 40);
    for _ in 0..4_096 {
        instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 1.0 }, 1e9, 1, 1 << 20)).unwrap();
    }
    let refused = ilp::knapsack(&instance, &Microlp::default());
    assert_eq!(refused, Err(IlpError::TooLarge { variables: 1 << 32, limit: ilp::VARIABLE_LIMIT }));
}

#[test]
fn the_node_limit_ends_a_search_with_a_bound_or_an_error() {
    let instance = families::table_of(Family::Strong, 40, 8, Capacity::Percent(30), 3);
    let exact = Solver::default().solve(&instance).unwrap().value();
    let mut bounded = 0;
    for nodes in [0, 1, 5, 50, 300] {
        match ilp::knapsack(&instance, &Microlp::with_node_limit(nodes)) {
            Ok(answer) => {
                let certificate = answer.certificate();
                assert!(certificate.objective() <= exact && exact <= certificate.bound(), "{certificate}");
                bounded += 1;
            }
            Err(error) => {
                assert_eq!(
                    error.to_string(),
                    format!("the backend found no answer within its limit of {nodes} nodes")
                );
            }
        }
    }
    assert!(bounded > 0);
}

#[test]
fn values_near_the_end_of_the_range_are_stated_with_the_gap_that_tolerances_leave() {
    let mut instance = Instance::new(10);
    for value in [1_u64 << 50, (1 << 50) + 1, 7] {
        instance.push_class(ClassKind::AtMostOne, [Item::new(5, value), Item::new(2, value / 3)]).unwrap();
    }
    let reference = ilp::knapsack(&instance, &Microlp::default()).unwrap();
    verify::knapsack(&instance, &reference).unwrap();
    assert!(reference.certificate().gap() > 0);
    assert!(reference.certificate().bound() >= Solver::default().solve(&instance).unwrap().value());
}

#[test]
fn extremes() {
    let empty = ilp::knapsack(&Instance::new(3), &Microlp::default()).unwrap();
    assert_eq!((empty.value(), empty.weight()), (0, 0));
    let mut instance = Instance::new(u64::MAX);
    instance.push_class(ClassKind::ExactlyOne, [Item::new(u32::MAX, 5), Item::new(u32::MAX - 1, 4)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, []).unwrap();
    assert!(compare(&instance, "huge weights"));
    instance.set_capacity(u64::from(u32::MAX) - 1);
    assert!(compare(&instance, "just one fits"));
}
