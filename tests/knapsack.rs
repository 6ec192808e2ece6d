//! The plain knapsack solvers against each other, and what any solver must keep.

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{
    ClassKind, Hint, Instance, InstanceError, Item, Method, Solution, SolveError, Solver, VALUE_LIMIT,
    Workspace, brute_force, dense, dense_into, greedy,
};
use oorandom::Rand32;

/// Small instances of every kind: both kinds of class, items of no weight, dominated items, many ties.
pub(crate) fn small(random: &mut Rand32) -> Instance {
    let mut instance = Instance::new(u64::from(random.rand_range(0..24)));
    let largest = [3, 12, 1_000][random.rand_range(0..3) as usize];
    for _ in 0..random.rand_range(0..6) {
        let mandatory = random.rand_range(0..3) == 0;
        let length = random.rand_range(u32::from(mandatory)..6);
        let items =
            (0..length).map(|_| Item::new(random.rand_range(0..9), u64::from(random.rand_range(0..largest))));
        let items: Vec<Item> = items.collect();
        let kind = if mandatory { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        instance.push_class(kind, items).unwrap();
    }
    instance
}

/// Recomputes an answer from the instance alone.
fn check(instance: &Instance, solution: &Solution) {
    assert_eq!(solution.class_count(), instance.class_count());
    let (mut weight, mut value) = (0, 0);
    for (class, choice) in solution.choices().enumerate() {
        match choice {
            Some(item) => {
                let item = instance.item(class, item).expect("the item exists");
                weight += u64::from(item.weight);
                value += item.value;
            }
            None => assert_eq!(instance.class_kind(class), ClassKind::AtMostOne),
        }
    }
    assert_eq!((weight, value), (solution.weight(), solution.value()));
    assert!(weight <= instance.capacity());
    assert_eq!(solution.certificate().objective(), value);
}

#[test]
fn all_solvers_agree_with_brute_force_on_small_instances() {
    let mut random = Rand32::new(1);
    let (mut solved, mut infeasible) = (0, 0);
    for _ in 0..4_000 {
        let instance = small(&mut random);
        let best = match brute_force(&instance) {
            Ok(best) => best,
            Err(error) => {
                assert!(matches!(error, SolveError::Infeasible { .. }), "{error}");
                assert_eq!(dense(&instance, 1 << 20), Err(error));
                assert_eq!(greedy(&instance), Err(error));
                assert_eq!(Solver::default().solve(&instance), Err(error));
                infeasible += 1;
                continue;
            }
        };
        check(&instance, &best);
        let table = dense(&instance, 1 << 20).unwrap();
        check(&instance, &table);
        assert_eq!(table.value(), best.value());
        let quick = greedy(&instance).unwrap();
        check(&instance, &quick);
        assert!(quick.value() <= best.value() && best.value() <= quick.certificate().bound());
        let solved_by_default = Solver::default().solve(&instance).unwrap();
        check(&instance, &solved_by_default);
        assert_eq!(solved_by_default.value(), best.value());
        assert!(solved_by_default.certificate().is_optimal());
        solved += 1;
    }
    assert!(solved > 2_000 && infeasible > 100, "{solved} solved, {infeasible} infeasible");
}

#[test]
fn of_equal_combinations_brute_force_takes_the_first_in_counting_order() {
    let mut instance = Instance::new(3);
    instance.push_class(ClassKind::AtMostOne, [Item::new(3, 5), Item::new(2, 5), Item::new(1, 0)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(3, 5), Item::new(1, 0)]).unwrap();
    let best = brute_force(&instance).unwrap();
    assert_eq!((best.choice(0), best.choice(1)), (Some(0), None));
}

#[test]
fn the_bound_of_greedy_takes_the_part_of_the_step_that_did_not_fit() {
    let mut instance = Instance::new(5);
    instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8)]).unwrap();
    let quick = greedy(&instance).unwrap();
    // 9 and, of the 8 that weigh 4, the 2 units that are left.
    assert_eq!((quick.value(), quick.certificate().bound()), (9, 13));
}

#[test]
fn more_capacity_is_never_worth_less_and_bounds_hold() {
    for family in families::ALL {
        let mut instance = families::table_of(family, 8, 6, families::Capacity::Units(0), 5);
        let mut last = 0;
        for capacity in 0..instance.total_demand() + 3 {
            instance.set_capacity(capacity);
            let value = dense(&instance, 1 << 24).unwrap().value();
            let quick = greedy(&instance).unwrap();
            assert!(value >= last);
            assert!(quick.value() <= value && value <= quick.certificate().bound(), "{family:?} {capacity}");
            last = value;
        }
    }
}

#[test]
fn the_order_of_classes_and_items_does_not_change_the_value() {
    let mut random = Rand32::new(2);
    let mut compared = 0;
    for _ in 0..1_500 {
        let instance = small(&mut random);
        let mut classes: Vec<(ClassKind, Vec<Item>)> = (0..instance.class_count())
            .map(|class| (instance.class_kind(class), instance.items(class).collect()))
            .collect();
        for at in (1..classes.len()).rev() {
            classes.swap(at, random.rand_range(0..at as u32 + 1) as usize);
        }
        let mut shuffled = Instance::new(instance.capacity());
        for (kind, mut items) in classes {
            items.reverse();
            shuffled.push_class(kind, items).unwrap();
        }
        let solver = Solver::default();
        if let (Ok(left), Ok(right)) = (solver.solve(&instance), solver.solve(&shuffled)) {
            assert_eq!(left.value(), right.value());
            compared += 1;
        }
    }
    assert!(compared > 1_000);
}

#[test]
fn figure_6_of_the_paper() {
    let mut instance = Instance::new(0);
    instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)]).unwrap();
    let b = [Item::new(1, 20), Item::new(2, 30), Item::new(3, 36), Item::new(4, 40)];
    instance.push_class(ClassKind::AtMostOne, b).unwrap();
    for (capacity, value) in [(0, 0), (1, 20), (2, 50), (3, 70), (4, 80), (5, 86), (6, 90), (7, 90)] {
        instance.set_capacity(capacity);
        assert_eq!(Solver::default().solve(&instance).unwrap().value(), value);
        assert_eq!(dense(&instance, 1 << 10).unwrap().value(), value);
    }
}

#[test]
fn an_instance_without_anything_to_choose_is_answered() {
    let empty = Instance::new(7);
    assert_eq!(Solver::default().solve(&empty).unwrap().value(), 0);
    let mut instance = Instance::new(u64::MAX);
    instance.push_class(ClassKind::AtMostOne, []).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(u32::MAX, VALUE_LIMIT - 1)]).unwrap();
    let solution = Solver::default().solve(&instance).unwrap();
    assert_eq!((solution.value(), solution.weight()), (VALUE_LIMIT - 1, u64::from(u32::MAX)));
    assert!(solution.certificate().is_optimal());
}

#[test]
fn bad_input_is_refused_and_leaves_the_instance_as_it_was() {
    let mut instance = Instance::new(7);
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, VALUE_LIMIT - 5)]).unwrap();
    let before = instance.clone();
    assert_eq!(
        instance.push_class(ClassKind::AtMostOne, [Item::new(0, 1), Item::new(1, VALUE_LIMIT)]),
        Err(InstanceError::ValueTooLarge { class: 1, item: 1, value: VALUE_LIMIT, limit: VALUE_LIMIT })
    );
    assert_eq!(
        instance.push_class(ClassKind::AtMostOne, [Item::new(0, 5)]),
        Err(InstanceError::ValueSumTooLarge { class: 1, sum: VALUE_LIMIT, limit: VALUE_LIMIT })
    );
    assert_eq!(
        instance.push_class(ClassKind::ExactlyOne, []),
        Err(InstanceError::NoItemToChoose { class: 1, items: 0 })
    );
    assert_eq!(instance, before);

    let mut instance = Instance::new(4);
    instance.push_class(ClassKind::ExactlyOne, [Item::new(9, 1), Item::new(5, 1)]).unwrap();
    assert_eq!(
        Solver::default().solve(&instance),
        Err(SolveError::Infeasible { mandatory_weight: 5, capacity: 4 })
    );
    instance.set_capacity(5);
    assert_eq!(Solver::default().solve(&instance).unwrap().choice(0), Some(1));
}

#[test]
fn budgets_are_kept() {
    let instance = families::table(families::Family::LinearMixed, 30, families::Capacity::Units(100), 3);
    assert_eq!(
        dense(&instance, 1_000),
        Err(SolveError::TableTooLarge { bytes: 101 * (30 * 2 + 16), budget: 1_000 })
    );
    let mut workspace = Workspace::new();
    dense_into(&instance, 101 * (30 * 2 + 16), &mut workspace, &mut Solution::default()).unwrap();
    assert_eq!(workspace.memory_usage(), 101 * (30 * 2 + 16));
    let many = families::table(families::Family::LinearMixed, 30, families::Capacity::Units(100), 3);
    assert!(matches!(brute_force(&many), Err(SolveError::TooManyCombinations { .. })));
}

#[test]
fn the_table_has_no_columns_that_no_choice_can_use() {
    let mut instance = Instance::new(1_000);
    instance.push_class(ClassKind::ExactlyOne, [Item::new(5, 1), Item::new(7, 2)]).unwrap();
    // Two units more than the mandatory five: columns for 0, 1 and 2.
    let bytes = 3 * (2 + 16);
    assert_eq!(dense(&instance, bytes - 1), Err(SolveError::TableTooLarge { bytes, budget: bytes - 1 }));
    assert_eq!(dense(&instance, bytes).unwrap().value(), 2);
}

/// Items that are counted from 1 to 65,535, and 0 for none, are as many as two bytes can tell.
#[test]
fn an_entry_takes_two_bytes_up_to_65_535_items() {
    for (items, entry) in [(65_535, 2), (65_536, 4)] {
        let mut instance = Instance::new(1);
        instance.push_class(ClassKind::AtMostOne, (1..=items).map(|item| Item::new(1, item))).unwrap();
        let bytes = 2 * (entry + 16);
        assert_eq!(dense(&instance, 1), Err(SolveError::TableTooLarge { bytes, budget: 1 }));
        assert_eq!(dense(&instance, bytes).unwrap().value(), items);
    }
}

/// Reading an item costs more than four cells, so that nothing is gained by a search before.
#[test]
fn where_few_cells_an_item_are_filled_the_dense_program_is_run_at_once() {
    let mut instance = Instance::new(1);
    for value in 1..=2_500 {
        let items = (0..4).map(|item| Item::new(1, value + item));
        instance.push_class(ClassKind::AtMostOne, items).unwrap();
    }
    let mut workspace = Workspace::new();
    let mut solution = Solution::default();
    Solver::new().solve_into(&instance, &mut workspace, &mut solution).unwrap();
    assert_eq!((solution.method(), solution.value()), (Method::Dense, 2_503));
    assert_eq!(workspace.work().items_read, 0);
}

#[test]
fn a_class_longer_than_sixteen_bits_can_count_is_read_back() {
    let mut instance = Instance::new(70_000);
    instance.push_class(ClassKind::AtMostOne, (1..70_001).map(|k| Item::new(k, u64::from(k)))).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, 3)]).unwrap();
    // Few columns keep the test quick: the long class is cut by the capacity.
    instance.set_capacity(50);
    assert_eq!(dense(&instance, 1 << 20).unwrap().choice(0), Some(48));
    assert_eq!(Solver::default().solve(&instance).unwrap().value(), 52);

    let mut instance = Instance::new(2);
    let items = (0..70_000).map(|item| Item::new(1, if item == 69_999 { 5 } else { 1 }));
    instance.push_class(ClassKind::AtMostOne, items).unwrap();
    assert_eq!(dense(&instance, 1 << 20).unwrap().choice(0), Some(69_999));
}

#[cfg(feature = "serde")]
#[test]
fn instances_and_solutions_are_written_and_read_back() {
    let mut random = Rand32::new(3);
    for _ in 0..100 {
        let instance = small(&mut random);
        let text = serde_json::to_string(&instance).unwrap();
        assert_eq!(serde_json::from_str::<Instance>(&text).unwrap(), instance);
        if let Ok(solution) = Solver::default().solve(&instance) {
            let text = serde_json::to_string(&solution).unwrap();
            assert_eq!(serde_json::from_str::<Solution>(&text).unwrap(), solution);
        }
    }
    let bad = r#"{"capacity":1,"classes":[{"kind":"exactly_one","items":[]}]}"#;
    let error = serde_json::from_str::<Instance>(bad).unwrap_err().to_string();
    assert!(error.contains("class 0 asks for exactly one item"), "{error}");
    let solver: Solver = serde_json::from_str("{}").unwrap();
    assert_eq!(solver, Solver::default());
}

#[test]
fn a_hint_tells_its_price_and_the_next_one_is_near_the_split() {
    assert_eq!(Hint::new(2.5).map(|hint| hint.price().to_bits()), Some(2.5_f64.to_bits()));
    let mut instance = Instance::new(5);
    instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8)]).unwrap();
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    Solver::new().with_table_budget(0).solve_into(&instance, &mut workspace, &mut solution).unwrap();
    // The step that did not fit is worth 8 for 4 units.
    assert_eq!(workspace.hint().map(|hint| hint.price().to_bits()), Some(2.0_f64.to_bits()));
}
