//! Knapsacks at the edges.

use aryl::knapsack::{
    ClassKind, CurveClass, Gain, Hint, Instance, InstanceError, Item, Solution, SolveError, Solver,
    VALUE_LIMIT, Workspace, brute_force, dense, greedy,
};
use aryl::verify;

use crate::bytes;

const HEAVIEST: u32 = u32::MAX;

/// Solves by every solver, checks each answer, and compares with what is right.
#[track_caller]
fn expect(instance: &Instance, value: u64) -> Solution {
    let exact = Solver::default().solve(instance).unwrap();
    let mut answers = vec![exact.clone(), Solver::default().with_table_budget(0).solve(instance).unwrap()];
    answers.extend(dense(instance, 1 << 22));
    answers.extend(brute_force(instance));
    for answer in &answers {
        assert_eq!(verify::knapsack(instance, answer), Ok(()));
        assert_eq!(answer.value(), value, "{:?}", answer.method());
        assert!(answer.certificate().is_optimal(), "{:?}: {}", answer.method(), answer.certificate());
    }
    let quick = greedy(instance).unwrap();
    assert_eq!(verify::knapsack(instance, &quick), Ok(()));
    assert!(quick.value() <= value && value <= quick.certificate().bound(), "{}", quick.certificate());
    exact
}

#[test]
fn without_classes_nothing_is_chosen_at_any_capacity() {
    for capacity in [0, 1, 1 << 63, u64::MAX] {
        let answer = expect(&Instance::new(capacity), 0);
        assert_eq!((answer.weight(), answer.class_count()), (0, 0));
        // Nor of classes without items.
        let mut instance = Instance::new(capacity);
        for _ in 0..3 {
            instance.push_class(ClassKind::AtMostOne, []).unwrap();
        }
        assert!(expect(&instance, 0).choices().all(|choice| choice.is_none()));
    }
}

#[test]
fn weights_of_2_to_the_32_less_1() {
    let whole = u64::from(HEAVIEST);
    let mut instance = Instance::new(0);
    for value in 1..=5 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, value)]).unwrap();
    }
    for (capacity, value, chosen) in [
        (0, 0, 0),
        (whole - 1, 0, 0),
        (whole, 5, 1),
        (3 * whole - 1, 9, 2),
        (3 * whole, 12, 3),
        (5 * whole, 15, 5),
        (1 << 63, 15, 5),
        (u64::MAX, 15, 5),
    ] {
        instance.set_capacity(capacity);
        assert_eq!(expect(&instance, value).weight(), chosen * whole, "{capacity}");
    }
    // Beside light items: 2^32 - 1 and one more, or the light ones alone.
    instance.clear(whole);
    instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, 10), Item::new(HEAVIEST - 1, 9)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, 2)]).unwrap();
    assert_eq!(expect(&instance, 11).weight(), whole);
}

#[test]
fn mandatory_classes_of_the_largest_weight_fit_exactly_or_not_at_all() {
    let whole = 3 * u64::from(HEAVIEST);
    let mut instance = Instance::new(whole);
    for _ in 0..3 {
        instance.push_class(ClassKind::ExactlyOne, [Item::new(HEAVIEST, 1)]).unwrap();
    }
    assert_eq!(expect(&instance, 3).weight(), whole);
    instance.set_capacity(u64::MAX);
    expect(&instance, 3);
    instance.set_capacity(whole - 1);
    let error = SolveError::Infeasible { mandatory_weight: whole, capacity: whole - 1 };
    assert_eq!(Solver::default().solve(&instance), Err(error));
    assert_eq!(greedy(&instance), Err(error));
    assert_eq!(dense(&instance, u64::MAX), Err(error));
    assert_eq!(brute_force(&instance), Err(error));
}

#[test]
fn values_up_to_2_to_the_53_and_none_beyond() {
    let most = VALUE_LIMIT - 1;
    let mut instance = Instance::new(1);
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, most), Item::new(1, most - 1)]).unwrap();
    assert_eq!(expect(&instance, most).choice(0), Some(0));
    let before = instance.clone();
    for value in [VALUE_LIMIT, 1 << 63, u64::MAX] {
        let error =
            instance.push_class(ClassKind::AtMostOne, [Item::new(0, 1), Item::new(1, value)]).unwrap_err();
        let expected = InstanceError::ValueTooLarge { class: 1, item: 1, value, limit: VALUE_LIMIT };
        assert_eq!(error, expected);
    }
    let error = instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1)]).unwrap_err();
    assert_eq!(error, InstanceError::ValueSumTooLarge { class: 1, sum: VALUE_LIMIT, limit: VALUE_LIMIT });
    assert_eq!(instance, before);
    // Two halves, of which the better by one wins.
    instance.clear(HEAVIEST.into());
    instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, most / 2)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, most / 2 + 1)]).unwrap();
    assert_eq!(expect(&instance, most / 2 + 1).choice(1), Some(0));
}

#[test]
fn ten_thousand_equal_classes() {
    let mut instance = Instance::new(5_000);
    for _ in 0..10_000 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1)]).unwrap();
    }
    assert_eq!(expect(&instance, 5_000).weight(), 5_000);
    instance.set_capacity(u64::MAX);
    assert_eq!(expect(&instance, 10_000).weight(), 10_000);
    // Each first unit brings 2 and each second 1: all of the first, and 2,000 of the second.
    instance.clear(12_000);
    for _ in 0..10_000 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(1, 2), Item::new(2, 3)]).unwrap();
    }
    assert_eq!(expect(&instance, 22_000).weight(), 12_000);
    // The same where no two units make a whole: 3 weigh 3, and 10,000 are left of 3 · 6,667 − 10,001.
    instance.clear(10_001);
    for _ in 0..10_000 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(3, 7)]).unwrap();
    }
    assert_eq!(expect(&instance, 3_333 * 7).weight(), 9_999);
}

#[test]
fn ten_thousand_equal_items_of_which_the_first_is_chosen() {
    for capacity in [7, 8, 1 << 63, u64::MAX] {
        let mut instance = Instance::new(capacity);
        instance.push_class(ClassKind::AtMostOne, vec![Item::new(7, 9); 10_000]).unwrap();
        let answer = expect(&instance, 9);
        assert_eq!((answer.choice(0), answer.weight()), (Some(0), 7));
    }
}

#[test]
fn ten_thousand_items_without_weight_fit_into_nothing() {
    let mut instance = Instance::new(0);
    for _ in 0..10_000 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(1, 5), Item::new(0, 1)]).unwrap();
    }
    let answer = expect(&instance, 10_000);
    assert!(answer.choices().all(|choice| choice == Some(1)));
    assert_eq!(answer.weight(), 0);
}

/// The values of the five items of a class of weight 3.
fn values(gain: Gain, total: f64) -> [u64; 5] {
    let class = CurveClass::new(gain, total, 3, 5);
    let mut instance = Instance::new(u64::MAX);
    instance.push_curve(class).unwrap();
    let values = [0, 1, 2, 3, 4].map(|item| class.item(item).value);
    let best = *values.iter().max().unwrap();
    for capacity in [15, 1 << 63, u64::MAX] {
        instance.set_capacity(capacity);
        expect(&instance, best);
    }
    instance.set_capacity(2);
    expect(&instance, 0);
    values
}

#[test]
fn formulas_at_1e_minus_300_at_1e300_and_below_all_normal_numbers() {
    let hyperbola = |half| Gain::Hyperbola { half };
    let power = |base, exponent| Gain::Power { base, exponent };
    let smallest = f64::from_bits(1);
    // A whole of nearly nothing is nothing.
    for total in [0.0, smallest, 1e-310, 1e-300, 0.4] {
        assert_eq!(values(hyperbola(1.0), total), [0; 5], "{total}");
        assert_eq!(values(power(1.0, 0.5), total), [0; 5], "{total}");
    }
    // From nearly nothing the first unit gains all, and to nearly infinity none gains anything.
    for tiny in [smallest, 1e-310, 1e-300] {
        assert_eq!(values(hyperbola(tiny), 1_000.0), [1_000; 5], "{tiny}");
        assert_eq!(values(power(tiny, 1.0), 1_000.0), [1_000; 5], "{tiny}");
        assert_eq!(values(power(1.0, tiny), 1_000.0), [0; 5], "{tiny}");
    }
    for huge in [1e300, f64::MAX] {
        assert_eq!(values(hyperbola(huge), 1_000.0), [0; 5], "{huge}");
        assert_eq!(values(power(huge, 1.0), 1_000.0), [0; 5], "{huge}");
    }
    // The largest whole there can be: half of it at one unit of one.
    let most = (VALUE_LIMIT - 3) as f64;
    assert_eq!(values(hyperbola(1.0), most)[0], VALUE_LIMIT / 2 - 1);
}

#[test]
fn formulas_out_of_range_are_refused_with_their_number() {
    let mut instance = Instance::new(10);
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1)]).unwrap();
    let before = instance.clone();
    let good = Gain::Hyperbola { half: 1.0 };
    let mut refused = |curve: CurveClass, field: &'static str, value: f64| {
        let expected = InstanceError::Curve { class: 1, field, value };
        assert_eq!(instance.push_curve(curve), Err(expected));
        assert_eq!(instance, before);
    };
    for total in [1e300, VALUE_LIMIT as f64, f64::INFINITY, -1e-300] {
        refused(CurveClass::new(good, total, 1, 5), "total", total);
    }
    for bad in [0.0, -1.0, f64::INFINITY, -1e-300] {
        refused(CurveClass::new(Gain::Hyperbola { half: bad }, 5.0, 1, 5), "half", bad);
        refused(CurveClass::new(Gain::Power { base: bad, exponent: 1.0 }, 5.0, 1, 5), "base", bad);
    }
    for exponent in [0.0, 1.000_000_1, 1e300] {
        refused(CurveClass::new(Gain::Power { base: 1.0, exponent }, 5.0, 1, 5), "exponent", exponent);
    }
    let heaviest = u64::from(u32::MAX) * u64::from(u32::MAX);
    refused(CurveClass::new(good, 5.0, u32::MAX, u32::MAX), "weight times length", heaviest as f64);
    refused(CurveClass::new(good, 5.0, 2, 1 << 31), "weight times length", 4_294_967_296.0);
    for length in [(1 << 20) + 1, 1 << 31, u32::MAX] {
        refused(CurveClass::new(good, 5.0, 1, length), "length", f64::from(length));
    }
    let bonus = VALUE_LIMIT;
    refused(CurveClass::new(good, 5.0, 1, 5).with_bonus(0, bonus), "bonus", bonus as f64);
}

/// A class by formula takes no memory, however many items it has; nor does a solve, which looks at each item a few times at
/// most. More than 2^20 items are refused: they would take that time for a number.
#[test]
fn a_class_of_2_to_the_20_items_takes_no_memory() {
    let length = 1 << 20;
    let class = CurveClass::new(Gain::Hyperbola { half: 1.0 }, 1e5, 1, length);
    let mut instance = Instance::new(0);
    let used = bytes(|| {
        instance.push_curve(class).unwrap();
        instance.push_curve(class).unwrap();
    });
    assert!(used < 4_096, "{used} bytes");
    let (mut workspace, mut answer) = (Workspace::new(), Solution::default());
    // With c units for two equal classes, half of them each is best: twice 10^5 · c / (c + 2).
    for (capacity, value) in [(0, 0), (1, 50_000), (1_998, 199_800)] {
        instance.set_capacity(capacity);
        let used = bytes(|| Solver::default().solve_into(&instance, &mut workspace, &mut answer).unwrap());
        assert_eq!(answer.value(), value, "{capacity}");
        assert_eq!(verify::knapsack(&instance, &answer), Ok(()));
        assert!(used < 1 << 20, "{capacity}: {used} bytes");
    }
    // All fits: each class has its whole from 2 · 10^5 − 1 units on, where 10^5 · k / (1 + k) first rounds up to it.
    {
        let capacity = u64::MAX;
        instance.set_capacity(capacity);
        let used = bytes(|| Solver::default().solve_into(&instance, &mut workspace, &mut answer).unwrap());
        assert_eq!(answer.value(), 200_000, "{capacity}");
        assert!(answer.certificate().is_optimal());
        assert!(used < 1 << 20, "{capacity}: {used} bytes");
        let read = workspace.work().items_read;
        assert!(read < 20 * u64::from(length), "{capacity}: {read} items read");
    }
}

#[test]
fn a_hint_at_the_edge_of_numbers_changes_no_value() {
    let mut instance = Instance::new(9_001);
    for class in 0..2_000_u32 {
        let items =
            (1..8).map(|item| Item::new(item * (1 + class % 4), u64::from(item * (class % 97) + class % 13)));
        instance.push_class(ClassKind::AtMostOne, items).unwrap();
    }
    let solver = Solver::default().with_table_budget(0);
    let right = solver.solve(&instance).unwrap();
    let (mut workspace, mut answer) = (Workspace::new(), Solution::default());
    for price in [f64::from_bits(1), 1e-310, f64::MIN_POSITIVE, 1e-300, 1.0, 1e15, 1e300, f64::MAX] {
        let hint = Hint::new(price);
        assert!(hint.is_some(), "{price}");
        solver.solve_with_hint_into(&instance, hint, &mut workspace, &mut answer).unwrap();
        assert_eq!(answer.certificate(), right.certificate(), "{price}");
        assert_eq!(verify::knapsack(&instance, &answer), Ok(()));
    }
    for price in [0.0, -1e-300, f64::NAN, f64::INFINITY] {
        assert_eq!(Hint::new(price), None, "{price}");
    }
}

#[test]
fn a_table_that_can_not_be_counted_is_refused() {
    let mut instance = Instance::new(u64::MAX);
    for _ in 0..4 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, 1)]).unwrap();
    }
    let used = bytes(|| {
        let error = dense(&instance, 1 << 30).unwrap_err();
        assert!(
            matches!(error, SolveError::TableTooLarge { bytes, budget: 1_073_741_824 } if bytes > 1 << 35)
        );
    });
    assert_eq!(used, 0);
    instance.clear(1);
    for _ in 0..23 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1)]).unwrap();
    }
    let error = SolveError::TooManyCombinations { combinations: 1 << 23, limit: 1 << 22 };
    assert_eq!(brute_force(&instance), Err(error));
}

#[test]
fn the_verifier_refuses_answers_to_another_problem() {
    let mut instance = Instance::new(u64::MAX);
    instance.push_class(ClassKind::AtMostOne, [Item::new(HEAVIEST, VALUE_LIMIT - 1)]).unwrap();
    let answer = Solver::default().solve(&instance).unwrap();
    instance.set_capacity(u64::from(HEAVIEST) - 1);
    assert!(verify::knapsack(&instance, &answer).is_err());
    assert!(verify::knapsack(&Instance::new(u64::MAX), &answer).is_err());
}
