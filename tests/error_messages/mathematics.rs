//! Errors of certificates, the knapsack and the union.

use aryl::certificate::{Certificate, Sense};
use aryl::k_union;
use aryl::knapsack::{
    self, ClassKind, CurveClass, Gain, Instance, InstanceError, Item, SolveError, VALUE_LIMIT,
};

use crate::Messages;

pub(crate) fn add(messages: &mut Messages) {
    messages.add_struct(Certificate::new(Sense::Minimize, 9, 10).unwrap_err());
    add_knapsack(messages);
    add_union(messages);
}

fn add_knapsack(messages: &mut Messages) {
    let mut instance = Instance::new(10);
    let large = Item::new(1, VALUE_LIMIT - 1);
    messages.refused(instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1), Item::new(2, VALUE_LIMIT)]));
    instance.push_class(ClassKind::AtMostOne, [large]).unwrap();
    messages.refused(instance.push_class(ClassKind::AtMostOne, [large]));
    let half = |half| Gain::Hyperbola { half };
    let power = |base, exponent| Gain::Power { base, exponent };
    for wrong in [
        CurveClass::new(half(0.0), 1.0, 1, 1),
        CurveClass::new(power(f64::INFINITY, 0.5), 1.0, 1, 1),
        CurveClass::new(power(2.0, 1.5), 1.0, 1, 1),
        CurveClass::new(half(2.0), -1.0, 1, 1),
        CurveClass::new(half(2.0), 1.0, 1 << 20, 1 << 20),
        CurveClass::new(half(2.0), 1.0, 1, 1 << 30),
        CurveClass::new(half(2.0), 1.0, 1, 1).with_bonus(0, 1 << 60),
    ] {
        messages.refused(instance.push_curve(wrong));
    }
    messages.refused(instance.push_class(ClassKind::ExactlyOne, []));
    messages.add(InstanceError::TooManyItemsInClass { class: 4, items: 1 << 29, limit: (1 << 29) - 1 });
    messages.add(InstanceError::TooManyItems { class: 4, items: 1 << 32, limit: u64::from(u32::MAX) });
    messages.add(InstanceError::TooManyClasses { classes: 1 << 32, limit: u64::from(u32::MAX) });

    let mut heavy = Instance::new(10);
    heavy.push_class(ClassKind::ExactlyOne, [Item::new(11, 1)]).unwrap();
    messages.refused(knapsack::Solver::new().solve(&heavy));
    let mut wide = Instance::new(10);
    for _ in 0..40 {
        wide.push_class(ClassKind::AtMostOne, [Item::new(1, 1), Item::new(2, 1), Item::new(3, 2)]).unwrap();
    }
    messages.refused(knapsack::brute_force(&wide));
    messages.refused(knapsack::dense(&wide, 10));
    assert!(matches!(knapsack::dense(&wide, 10), Err(SolveError::TableTooLarge { .. })));
}

fn add_union(messages: &mut Messages) {
    use k_union::{Instance, InstanceError, Solver};
    let mut instance = Instance::new();
    instance.add_element(u64::MAX - 1).unwrap();
    instance.add_element(1).unwrap();
    messages.refused(instance.add_element(7));
    messages.refused(instance.add_set([0, 5]));
    messages.refused(instance.add_set([1, 0]));
    messages.refused(instance.add_weighted_set(0, []));
    messages.add(InstanceError::TooMany { what: "sets", limit: u32::MAX as usize });
    instance.add_set([0]).unwrap();
    messages.refused(Solver::new().solve(&instance, 2));
    messages.refused(instance.add_weighted_set(u32::MAX, []));
}
