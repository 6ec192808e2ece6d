//! The core solver against the dense program, over all families, with and without hints.
//!
//! The environment variable `ARYL_HEAVY` asks for many more instances.

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{ClassKind, Hint, Instance, Item, Method, Solution, Solver, Workspace, dense_into};
use families::Capacity;
use oorandom::Rand32;

fn heavy() -> bool {
    std::env::var_os("ARYL_HEAVY").is_some()
}

/// Solves by the core solver alone, cold and with wrong hints, and by the dense program, and compares.
fn compare(instance: &Instance, workspace: &mut Workspace, name: impl Fn() -> String) {
    let solver = Solver::default().with_table_budget(0);
    let (mut ours, mut reference) = (Solution::default(), Solution::default());
    dense_into(instance, 1 << 30, workspace, &mut reference).unwrap();
    let price = reference.value() as f64 / (reference.weight() + 1) as f64;
    let hints = [None, Hint::new(price), Hint::new(price / 1e6), Hint::new(1e300)];
    for hint in hints.into_iter().chain([workspace.hint()]) {
        solver.solve_with_hint_into(instance, hint, workspace, &mut ours).unwrap();
        assert_eq!(ours.method(), Method::Core);
        assert_eq!(ours.value(), reference.value(), "{}", name());
        assert!(ours.certificate().is_optimal(), "{}: {}", name(), ours.certificate());
        check(instance, &ours);
    }
}

/// Recomputes an answer from the instance alone.
fn check(instance: &Instance, solution: &Solution) {
    let (mut weight, mut value) = (0, 0);
    for (class, choice) in solution.choices().enumerate() {
        match choice {
            Some(item) => {
                let item = instance.item(class, item).unwrap();
                weight += u64::from(item.weight);
                value += item.value;
            }
            None => assert_eq!(instance.class_kind(class), ClassKind::AtMostOne),
        }
    }
    assert_eq!((weight, value), (solution.weight(), solution.value()));
    assert!(weight <= instance.capacity());
}

#[test]
fn the_core_solver_equals_the_dense_program_on_all_families() {
    let mut workspace = Workspace::new();
    let rounds = if heavy() { 1_300 } else { 48 };
    for family in families::ALL {
        for seed in 0..rounds {
            let classes = [1, 2, 3, 5, 8, 13, 21, 34][seed % 8];
            let longest = [1, 2, 4, 8][seed / 8 % 4];
            let capacities =
                [Capacity::Percent(5), Capacity::Percent(25), Capacity::Percent(50), Capacity::Units(64)];
            let capacity = capacities[seed / 3 % 4];
            let instance = families::table_of(family, classes, longest, capacity, seed as u128);
            compare(&instance, &mut workspace, || {
                format!("{family:?} {classes} {longest} {capacity:?} {seed}")
            });
        }
    }
}

#[test]
fn many_classes_are_sampled_and_still_solved_exactly() {
    let mut workspace = Workspace::new();
    for family in families::ALL {
        for (classes, seed) in [(300, 1), (700, 2)] {
            let capacity = if heavy() { Capacity::Percent(25) } else { Capacity::Units(120) };
            let instance = families::table_of(family, classes, 4, capacity, seed);
            compare(&instance, &mut workspace, || format!("{family:?} {classes} {seed}"));
        }
    }
}

#[test]
fn residues_that_no_slack_fits_are_solved_exactly() {
    let mut random = Rand32::new(9);
    let mut workspace = Workspace::new();
    for round in 0..if heavy() { 4_000 } else { 400 } {
        let divisor = [2, 3, 5, 6, 7, 12][round % 6];
        let mut instance = Instance::new(0);
        for class in 0..random.rand_range(2..20) {
            // All weights share a divisor but for an odd class now and then; values are tied or nearly.
            let items = (0..random.rand_range(1..6)).map(|_| {
                let units = random.rand_range(1..9);
                let off = if class % 7 == 6 { random.rand_range(0..divisor) } else { 0 };
                let weight = units * divisor + off;
                Item::new(weight, u64::from(weight) * 10 + u64::from(random.rand_range(0..2)))
            });
            let items: Vec<Item> = items.collect();
            let kind = if class % 3 == 2 { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
            instance.push_class(kind, items).unwrap();
        }
        let (least, most) = (instance.mandatory_weight(), instance.total_demand());
        instance.set_capacity(least + u64::from(random.rand_range(0..(most - least + 2) as u32)));
        compare(&instance, &mut workspace, || format!("round {round}"));
    }
}

#[test]
fn values_and_weights_at_the_limits_are_solved_exactly() {
    let mut random = Rand32::new(11);
    let mut workspace = Workspace::new();
    for round in 0..300 {
        let mut instance = Instance::new(40);
        for _ in 0..7 {
            let items = (0..4).map(|_| {
                let heavy = random.rand_range(0..5) == 0;
                let weight =
                    if heavy { u32::MAX - random.rand_range(0..3) } else { random.rand_range(0..20) };
                let large = (1_u64 << 50) - u64::from(random.rand_range(0..3));
                Item::new(weight, if random.rand_range(0..2) == 0 { large } else { u64::from(weight) })
            });
            let items: Vec<Item> = items.collect();
            instance.push_class(ClassKind::AtMostOne, items).unwrap();
        }
        compare(&instance, &mut workspace, || format!("round {round}"));
    }
}

#[test]
fn work_grows_like_the_input_on_scheduler_families() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solver = Solver::default().with_table_budget(0);
    for family in families::SCHEDULER {
        let mut last = None;
        for classes in [1_000, 10_000, 100_000] {
            if classes > 10_000 && !heavy() {
                continue;
            }
            let instance = families::table_of(family, classes, 8, Capacity::Percent(25), 4);
            solver.solve_into(&instance, &mut workspace, &mut solution).unwrap();
            assert!(solution.certificate().is_optimal());
            let work = workspace.work();
            let now = work.items_read + work.states;
            if let Some(last) = last {
                assert!(now <= 12 * last, "{family:?} {classes}: {last} to {now}");
            }
            last = Some(now);
        }
    }
}

// Where the dense program is nearly as cheap as to read the input, an exact demand was still found first, for nothing: it took
// twice the time of the dense program.
#[test]
fn the_dense_program_is_not_put_off_by_an_exact_demand() {
    for family in [families::Family::SubsetSum, families::Family::Strong] {
        let instance = families::table_of(family, 300, 64, Capacity::Units(16), 1);
        let mut workspace = Workspace::new();
        let mut solution = Solution::default();
        Solver::default().solve_into(&instance, &mut workspace, &mut solution).unwrap();
        assert_eq!(solution.method(), Method::Dense, "{family:?}");
        let (read, items) = (workspace.work().items_read, instance.item_count());
        assert!(0 < read && 5 * read < 3 * items, "{family:?}: {read} items read of {items}");
    }
}

/// Values of 1,000 a unit of weight, weights that are multiples of 3 but for one item, and a capacity that asks for two of
/// it: the bound can't be reached, and nothing but a search through nearly all sums of weights shows it.
fn hard(classes: usize) -> Instance {
    let mut random = Rand32::new(3);
    let mut instance = Instance::new(0);
    for _ in 0..classes {
        let weight = 3 * random.rand_range(300..1_000);
        instance.push_class(ClassKind::AtMostOne, [Item::new(weight, 1_000 * u64::from(weight))]).unwrap();
    }
    instance.push_class(ClassKind::AtMostOne, [Item::new(301, 300_999)]).unwrap();
    let half = instance.total_demand() / 2;
    instance.set_capacity(half - half % 3 + 2);
    instance
}

#[test]
fn a_hard_search_is_given_up_before_it_costs_half_of_the_dense_program() {
    let instance = hard(100);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    Solver::new().solve_into(&instance, &mut workspace, &mut solution).unwrap();
    assert_eq!(solution.method(), Method::Dense);
    // A state costs as much as twelve cells, an item as seven. Half of the cells are filled.
    let (work, cells) = (workspace.work(), instance.item_count() * instance.capacity() / 2);
    let cost = 12 * work.states + 7 * work.items_read;
    assert!(work.states > 0 && cost < cells / 2, "{cost} beside {cells}");
    Solver::new().with_table_budget(0).solve_into(&instance, &mut workspace, &mut solution).unwrap();
    assert!(workspace.work().states > 4 * work.states, "the instance is not hard");
}

#[test]
fn a_choice_is_given_up_for_an_item_without_weight() {
    let mut instance = Instance::new(6);
    instance.push_class(ClassKind::AtMostOne, [Item::new(0, 3), Item::new(5, 10)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(6, 8)]).unwrap();
    let solution = Solver::new().with_table_budget(0).solve(&instance).unwrap();
    assert_eq!((solution.method(), solution.value()), (Method::Core, 11));
    assert_eq!((solution.choice(0), solution.choice(1)), (Some(0), Some(0)));
}

#[test]
fn a_small_budget_gives_a_feasible_answer_with_its_gap() {
    // Equal values a unit of weight, weights that share no divisor, a capacity that can't be filled.
    let mut instance = Instance::new(1_000);
    for class in 0..40_u32 {
        let weight = 2 * (60 + class);
        instance.push_class(ClassKind::AtMostOne, [Item::new(weight, u64::from(weight))]).unwrap();
    }
    instance.push_class(ClassKind::AtMostOne, [Item::new(1_001, 1_000)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(999, 998)]).unwrap();
    instance.set_capacity(1_119);
    let mut solver = Solver::default().with_table_budget(0);
    let exact = solver.solve(&instance).unwrap();
    assert!(exact.certificate().is_optimal());
    solver.state_budget = 0;
    let quick = solver.solve(&instance).unwrap();
    check(&instance, &quick);
    assert!(quick.value() <= exact.value() && exact.value() <= quick.certificate().bound());
}

#[test]
fn the_workspace_stays_small_beside_the_input() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let classes = if heavy() { 100_000 } else { 20_000 };
    let instance = families::table_of(families::Family::LinearMixed, classes, 16, Capacity::Percent(25), 1);
    let solver = Solver::default().with_table_budget(0);
    solver.solve_into(&instance, &mut workspace, &mut solution).unwrap();
    // The input has 12 bytes an item; what survives the pass must be a fraction of it.
    let input = 12 * instance.item_count() as usize;
    assert!(
        workspace.memory_usage() > 0 && workspace.memory_usage() < input / 2,
        "{}",
        workspace.memory_usage()
    );
}
