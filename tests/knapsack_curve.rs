//! Classes by formula against tables of the same items.

use aryl::knapsack::{
    ClassKind, CurveClass, Gain, Hint, Instance, InstanceError, Item, Solution, Solver, Workspace,
    brute_force, dense, dense_into,
};
use oorandom::Rand64;

fn curve(random: &mut Rand64) -> CurveClass {
    let base = random.rand_range(1..9) as f64;
    let gain = if random.rand_range(0..2) == 0 {
        Gain::Hyperbola { half: base / (0.5 + random.rand_float() / 2.0) }
    } else {
        Gain::Power { base, exponent: 0.3 + 0.7 * random.rand_float() }
    };
    // Small totals make the rounded values far from concave, large ones make them nearly smooth.
    let total = [3.0, 40.0, 3_000.0, 3e7, 1e12][random.rand_range(0..5) as usize] * random.rand_float();
    let (weight, length) = (1 << random.rand_range(0..4), random.rand_range(0..30) as u32);
    let class = CurveClass::new(gain, total, weight, length);
    match random.rand_range(0..3) {
        0 if length > 0 => {
            class.with_bonus(random.rand_range(0..u64::from(length)) as u32, random.rand_range(0..50))
        }
        _ => class,
    }
}

#[test]
fn a_formula_and_its_table_have_the_same_answer() {
    let mut random = Rand64::new(5);
    let (mut workspace, mut ours, mut other) = (Workspace::new(), Solution::default(), Solution::default());
    let solver = Solver::default().with_table_budget(0);
    for round in 0..if std::env::var_os("ARYL_HEAVY").is_some() { 10_000 } else { 1_000 } {
        let (mut formulas, mut tables) = (Instance::new(0), Instance::new(0));
        for class in 0..random.rand_range(1..25) {
            let curve = curve(&mut random);
            let items: Vec<Item> = (0..curve.length()).map(|item| curve.item(item)).collect();
            if class % 5 == 4 {
                // Tables mix with formulas.
                formulas.push_class(ClassKind::AtMostOne, items.iter().copied()).unwrap();
            } else {
                formulas.push_curve(curve).unwrap();
            }
            tables.push_class(ClassKind::AtMostOne, items).unwrap();
        }
        let capacity = random.rand_range(0..tables.total_demand() + 2);
        formulas.set_capacity(capacity);
        tables.set_capacity(capacity);
        solver.solve_into(&formulas, &mut workspace, &mut ours).unwrap();
        dense_into(&tables, 1 << 26, &mut workspace, &mut other).unwrap();
        assert_eq!(ours.value(), other.value(), "round {round}");
        assert!(ours.certificate().is_optimal() && ours.weight() <= capacity);
        let value: u64 = ours
            .choices()
            .enumerate()
            .filter_map(|(class, choice)| tables.item(class, choice?).map(|item| item.value))
            .sum();
        assert_eq!(value, ours.value());
        solver.solve_into(&tables, &mut workspace, &mut other).unwrap();
        assert_eq!(ours.value(), other.value(), "round {round}");
    }
}

/// So long that the items between two prices are not listed before the prices are near each other.
#[test]
fn long_formulas_have_the_answer_of_their_tables() {
    let mut random = Rand64::new(6);
    let (mut workspace, mut ours, mut other) = (Workspace::new(), Solution::default(), Solution::default());
    let solver = Solver::default().with_table_budget(0);
    for round in 0..12 {
        let (mut formulas, mut tables) = (Instance::new(0), Instance::new(0));
        for _ in 0..random.rand_range(1..5) {
            let gain = match curve(&mut random).item(0).value % 2 {
                0 => Gain::Hyperbola { half: random.rand_range(1..2_000) as f64 },
                _ => Gain::Power { base: random.rand_range(1..2_000) as f64, exponent: 0.6 },
            };
            // From flat for most of its length to steep to the end.
            let total = [1e3, 1e6, 1e9, 1e12, 1e15][random.rand_range(0..5) as usize] * random.rand_float();
            let length = random.rand_range(50_000..90_000) as u32;
            let curve = CurveClass::new(gain, total, random.rand_range(1..4) as u32, length);
            formulas.push_curve(curve).unwrap();
            tables.push_class(ClassKind::AtMostOne, (0..length).map(|item| curve.item(item))).unwrap();
        }
        let demand = tables.total_demand();
        let capacity = [demand / 1_000, demand / 7, demand - 1, demand][round % 4];
        formulas.set_capacity(capacity);
        tables.set_capacity(capacity);
        solver.solve_into(&formulas, &mut workspace, &mut ours).unwrap();
        solver.solve_into(&tables, &mut workspace, &mut other).unwrap();
        assert_eq!(ours.value(), other.value(), "round {round}");
        assert!(ours.certificate().is_optimal() && other.certificate().is_optimal(), "round {round}");
        assert!(ours.weight() <= capacity);
    }
}

/// Formulas and their tables, with another item.
fn with_tables(curves: &[CurveClass], other: Item) -> [Instance; 2] {
    let (mut formulas, mut tables) = (Instance::new(0), Instance::new(0));
    for curve in curves {
        formulas.push_curve(*curve).unwrap();
        let items = (0..80_000).map(|item| curve.item(item));
        tables.push_class(ClassKind::AtMostOne, items).unwrap();
    }
    for instance in [&mut formulas, &mut tables] {
        instance.push_class(ClassKind::AtMostOne, [other]).unwrap();
        let concave = [Item::new(1, 1), Item::new(2, 5), Item::new(3, 7)];
        instance.push_class(ClassKind::AtMostOne, concave).unwrap();
        instance.push_class(ClassKind::ExactlyOne, concave).unwrap();
    }
    [formulas, tables]
}

/// All steps lie within two hundredths of one price, so that a hint has most of 240,000 items between its ends, on
/// whichever side of it the price lies.
#[test]
fn a_hint_with_more_steps_than_there_is_room_for_is_brought_nearer() {
    let gain = Gain::Power { base: 5e6, exponent: 0.6 };
    let curves = [1.0, 1.001, 1.002].map(|part| CurveClass::new(gain, 1e15 * part, 1, 80_000));
    let [mut formulas, mut tables] = with_tables(&curves, Item::new(7, 900_000_000));
    let solver = Solver::default().with_table_budget(0);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    for capacity in [50_003, 120_000, 230_001] {
        formulas.set_capacity(capacity);
        tables.set_capacity(capacity);
        let mut other = Workspace::new();
        solver.solve_into(&tables, &mut other, &mut solution).unwrap();
        let (value, price) = (solution.value(), other.hint().unwrap().price());
        for part in [1.0, 0.996, 1.004, 0.97, 1.03] {
            let hint = Hint::new(price * part);
            solver.solve_with_hint_into(&formulas, hint, &mut workspace, &mut solution).unwrap();
            assert_eq!(solution.value(), value, "{capacity} {part}");
            assert!(solution.certificate().is_optimal());
            // Neither as many steps were listed as there are items, nor were the prices brought nearer without end.
            assert!(workspace.memory_usage() < 10_000_000, "{}", workspace.memory_usage());
            let read = workspace.work().items_read;
            assert!(read < 400_000, "{read}");
        }
    }
}

/// Beside a value of 2^52 prices are whole numbers, and the steps of three long formulas all lie between 0 and 1.
#[test]
fn steps_between_the_two_lowest_prices_are_all_listed_or_none_is_needed() {
    let curves =
        [500.0, 510.0, 520.0].map(|half| CurveClass::new(Gain::Hyperbola { half }, 40_000.0, 1, 80_000));
    let [mut formulas, mut tables] = with_tables(&curves, Item::new(1, 1 << 52));
    let solver = Solver::default().with_table_budget(0);
    let demand = tables.total_demand();
    for capacity in [demand / 3, demand / 2, demand - 70_000, demand] {
        formulas.set_capacity(capacity);
        tables.set_capacity(capacity);
        let (ours, other) = (solver.solve(&formulas).unwrap(), solver.solve(&tables).unwrap());
        assert_eq!(ours.value(), other.value(), "{capacity}");
        assert!(ours.certificate().is_optimal());
        assert!(ours.weight() <= capacity);
    }
}

/// What is too heavy for the capacity is not needed for the answer, but makes an instance so long that memory is read ahead,
/// block by block where few classes are worth their weight.
#[test]
fn few_classes_of_many_that_are_long_are_found() {
    let (mut formulas, mut tables) = (Instance::new(60), Instance::new(60));
    for class in 0..400 {
        let total = if class % 10 == 3 { 1_000_000.0 + f64::from(class) } else { 5_000.0 };
        let curve = CurveClass::new(Gain::Hyperbola { half: 8.0 }, total, 1, 3_000);
        formulas.push_curve(curve).unwrap();
        tables.push_class(ClassKind::AtMostOne, (0..60).map(|item| curve.item(item))).unwrap();
    }
    let ours = Solver::new().with_table_budget(0).solve(&formulas).unwrap();
    assert_eq!(ours.value(), dense(&tables, 1 << 20).unwrap().value());
    assert!(ours.certificate().is_optimal() && ours.weight() <= 60);
}

/// An item that a class without items can't have does not make weights odd.
#[test]
fn a_formula_without_items_changes_nothing() {
    let nothing = CurveClass::new(Gain::Hyperbola { half: 1.0 }, 9.0, 1, 0);
    let (mut random, mut workspace) = (Rand64::new(4), Workspace::new());
    let mut solution = Solution::default();
    let solver = Solver::new().with_table_budget(0);
    for round in 0..200 {
        let capacity = 2 * random.rand_range(4..40) + 1;
        let (mut with, mut without) = (Instance::new(capacity), Instance::new(capacity));
        with.push_curve(nothing).unwrap();
        without.push_class(ClassKind::AtMostOne, []).unwrap();
        for _ in 0..random.rand_range(2..12) {
            let even =
                |random: &mut Rand64| Item::new(2 * random.rand_range(1..9) as u32, random.rand_range(1..40));
            let items: Vec<Item> = (0..random.rand_range(1..5)).map(|_| even(&mut random)).collect();
            with.push_class(ClassKind::AtMostOne, items.iter().copied()).unwrap();
            without.push_class(ClassKind::AtMostOne, items).unwrap();
        }
        let mut solve = |instance: &Instance| {
            solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
            (solution.clone(), workspace.work(), workspace.hint())
        };
        assert_eq!(solve(&with), solve(&without), "round {round}");
    }
}

/// The price of a unit times so small a base is no number any more: the search for the best item began at the wrong end,
/// where no item is worth its price, and ended there. Found by fuzzing.
#[test]
fn a_power_law_of_a_tiny_base_is_priced_from_its_summit() {
    let solver = Solver::default().with_table_budget(0);
    for base in [5e-324, 1e-310, 1e-300, 1e-20, 1e300] {
        for exponent in [0.136, 0.5, 1.0] {
            let curve = CurveClass::new(Gain::Power { base, exponent }, 280_000.0, 30, 5);
            let (mut formula, mut table) = (Instance::new(60), Instance::new(60));
            formula.push_curve(curve).unwrap();
            table.push_class(ClassKind::AtMostOne, (0..5).map(|item| curve.item(item))).unwrap();
            for value in [100_000, 90_000, 80_000] {
                for instance in [&mut formula, &mut table] {
                    instance.push_class(ClassKind::AtMostOne, [Item::new(30, value)]).unwrap();
                }
            }
            let answer = solver.solve(&formula).unwrap();
            assert_eq!(answer.value(), brute_force(&table).unwrap().value(), "{base} {exponent}");
            assert!(answer.certificate().is_optimal());
        }
    }
}

#[test]
fn work_counts_each_item_of_a_formula_that_is_evaluated() {
    let mut instance = Instance::new(0);
    for class in 1..=400 {
        let gain = Gain::Hyperbola { half: f64::from(class % 9 + 1) };
        instance.push_curve(CurveClass::new(gain, 1e6 + f64::from(class), 1, 1_000)).unwrap();
    }
    instance.set_capacity(instance.total_demand() / 10);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    Solver::default().solve_into(&instance, &mut workspace, &mut solution).unwrap();
    let read = workspace.work().items_read;
    // Several a class and price, but far from all of them.
    assert!(read >= 4 * 400 && read < instance.item_count(), "{read}");
}

#[test]
fn a_formula_has_as_many_items_as_it_says() {
    let mut instance = Instance::new(5);
    instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 1.0 }, 12.0, 2, 3)).unwrap();
    assert_eq!(instance.items(0).collect::<Vec<Item>>(), [Item::new(2, 6), Item::new(4, 8), Item::new(6, 9)]);
    assert_eq!((instance.item(0, 2), instance.item(0, 3)), (Some(Item::new(6, 9)), None));
}

#[test]
fn numbers_out_of_range_are_refused() {
    let mut instance = Instance::new(5);
    let half = Gain::Hyperbola { half: 2.0 };
    for (curve, field) in [
        (CurveClass::new(Gain::Hyperbola { half: 0.0 }, 1.0, 1, 1), "half"),
        (CurveClass::new(Gain::Hyperbola { half: f64::NAN }, 1.0, 1, 1), "half"),
        (CurveClass::new(Gain::Power { base: -1.0, exponent: 0.5 }, 1.0, 1, 1), "base"),
        (CurveClass::new(Gain::Power { base: 1.0, exponent: 1.5 }, 1.0, 1, 1), "exponent"),
        (CurveClass::new(half, f64::NAN, 1, 1), "total"),
        (CurveClass::new(half, 1e16, 1, 1), "total"),
        (CurveClass::new(half, 1.0, 1 << 20, 1 << 12), "weight times length"),
        (CurveClass::new(half, 1.0, 0, u32::MAX), "length"),
        (CurveClass::new(half, 1.0, 1, 1).with_bonus(0, 1 << 53), "bonus"),
    ] {
        let error = instance.push_curve(curve).unwrap_err();
        assert!(
            matches!(error, InstanceError::Curve { class: 0, field: named, .. } if named == field),
            "{error}"
        );
    }
    assert_eq!(instance, Instance::new(5));
}

#[cfg(feature = "serde")]
#[test]
fn formulas_are_written_and_read_back() {
    let mut instance = Instance::new(5);
    instance.push_curve(CurveClass::new(Gain::Power { base: 2.0, exponent: 0.5 }, 100.0, 2, 9)).unwrap();
    instance.push_class(ClassKind::ExactlyOne, [Item::new(1, 2)]).unwrap();
    let text = serde_json::to_string(&instance).unwrap();
    assert_eq!(serde_json::from_str::<Instance>(&text).unwrap(), instance);
}
