//! The core solver against the dense program and brute force: all families, wrong hints, residues out of reach, the ends
//! of the range, and the growth of its work and memory.

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{
    ClassKind, Hint, Instance, Item, Method, Solution, Solver, Workspace, brute_force, dense, dense_into,
};
use aryl::verify;
use families::{Capacity, Family};
use oorandom::Rand32;

/// The core solver alone: no dense program comes to its help.
fn core() -> Solver {
    Solver::default().with_table_budget(0)
}

/// Solves by the core and by the dense program, and compares.
fn compare(instance: &Instance, workspace: &mut Workspace, name: &str) -> Solution {
    let (mut ours, mut reference) = (Solution::default(), Solution::default());
    core().solve_into(instance, workspace, &mut ours).unwrap();
    dense_into(instance, 1 << 30, workspace, &mut reference).unwrap();
    assert_eq!(ours.method(), Method::Core);
    assert_eq!(ours.value(), reference.value(), "{name}");
    assert!(ours.certificate().is_optimal(), "{name}: {}", ours.certificate());
    verify::knapsack(instance, &ours).unwrap_or_else(|violation| panic!("{name}: {violation}"));
    ours
}

#[test]
fn the_core_equals_the_dense_program_on_all_families() {
    let mut workspace = Workspace::new();
    for family in families::ALL {
        for seed in 0..1_300 {
            let classes = [1, 2, 3, 5, 8, 13, 21, 34][seed % 8];
            let longest = [1, 2, 4, 8][seed / 8 % 4];
            let capacity =
                [Capacity::Percent(5), Capacity::Percent(25), Capacity::Percent(50), Capacity::Units(64)]
                    [seed / 3 % 4];
            let instance = families::table_of(family, classes, longest, capacity, seed as u128);
            compare(
                &instance,
                &mut workspace,
                &format!("{family:?} {classes} {longest} {capacity:?} {seed}"),
            );
        }
    }
}

#[test]
fn the_core_equals_the_dense_program_on_hundreds_of_classes() {
    let mut workspace = Workspace::new();
    for family in families::ALL {
        for (classes, longest, capacity) in [
            (100, 16, Capacity::Units(64)),
            (200, 6, Capacity::Percent(10)),
            (400, 2, Capacity::Percent(25)),
            (700, 2, Capacity::Percent(5)),
        ] {
            let instance = families::table_of(family, classes, longest, capacity, 17);
            compare(&instance, &mut workspace, &format!("{family:?} {classes} {capacity:?}"));
        }
    }
}

#[test]
fn the_core_equals_brute_force_on_any_small_instance() {
    let mut random = Rand32::new(5);
    let mut workspace = Workspace::new();
    let mut ours = Solution::default();
    for case in 0..3_000 {
        let step = [1, 1, 2, 3, 8][random.rand_range(0..5) as usize];
        let mut instance = Instance::new(u64::from(random.rand_range(0..60)));
        for _ in 0..random.rand_range(0..6) {
            let mandatory = random.rand_range(0..4) == 0;
            let items: Vec<Item> = (0..random.rand_range(0..5))
                .map(|_| {
                    let weight = random.rand_range(0..12) * step;
                    // Many equal values, and a few that are far apart.
                    let value = u64::from(random.rand_range(0..6)) << [0, 0, 0, 20, 45][weight as usize % 5];
                    Item::new(weight, value)
                })
                .collect();
            let kind =
                if mandatory && !items.is_empty() { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
            instance.push_class(kind, items).unwrap();
        }
        let solved = core().solve_into(&instance, &mut workspace, &mut ours);
        match brute_force(&instance) {
            Ok(best) => {
                assert_eq!(solved, Ok(()), "case {case}");
                assert_eq!(ours.value(), best.value(), "case {case}: {instance:?}");
                assert!(ours.certificate().is_optimal(), "case {case}");
                verify::knapsack(&instance, &ours).unwrap();
            }
            Err(error) => assert_eq!(solved, Err(error), "case {case}"),
        }
    }
}

#[test]
fn a_wrong_hint_costs_time_and_nothing_else() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    for family in families::ALL {
        for seed in 0..40 {
            let instance = families::table_of(family, 30, 8, Capacity::Percent(25), seed);
            core().solve_into(&instance, &mut workspace, &mut solution).unwrap();
            let (value, found) = (solution.value(), workspace.hint());
            let price = found.map_or(1.0, |hint| hint.price());
            for factor in [1.0, 1.001, 0.97, 0.5, 2.0, 1e-9, 1e9, 1e-300] {
                let hint = Hint::new(price * factor);
                core().solve_with_hint_into(&instance, hint, &mut workspace, &mut solution).unwrap();
                assert_eq!(solution.value(), value, "{family:?} {seed} {factor}");
                assert!(solution.certificate().is_optimal());
                // What it leaves as a hint works too.
                let next = workspace.hint();
                core().solve_with_hint_into(&instance, next, &mut workspace, &mut solution).unwrap();
                assert_eq!(solution.value(), value, "{family:?} {seed} after {factor}");
            }
        }
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Hint::new(bad), None);
    }
}

#[test]
fn residues_that_no_choice_can_reach() {
    let mut random = Rand32::new(77);
    let mut workspace = Workspace::new();
    for case in 0..400 {
        // All weights share a divisor, but for a class or two that are hardly worth their weight.
        let divisor = [2, 3, 4, 6, 8, 12][case % 6];
        let mut instance =
            Instance::new(u64::from(divisor * random.rand_range(5..60) + random.rand_range(0..divisor)));
        for _ in 0..random.rand_range(3..30) {
            let items = (1..=random.rand_range(1..7)).map(|k| {
                Item::new(
                    divisor * k * random.rand_range(1..4),
                    u64::from(k * 1_000 + random.rand_range(0..3)),
                )
            });
            instance.push_class(ClassKind::AtMostOne, items).unwrap();
        }
        for _ in 0..case % 3 {
            let odd = divisor * random.rand_range(0..4) + random.rand_range(1..divisor);
            instance
                .push_class(ClassKind::AtMostOne, [Item::new(odd, u64::from(random.rand_range(0..2)))])
                .unwrap();
        }
        compare(&instance, &mut workspace, &format!("case {case}: {instance:?}"));
    }
}

#[test]
fn the_ends_of_the_range() {
    let value = (1u64 << 51) - 1;
    let mut instance = Instance::new(u64::MAX);
    for _ in 0..3 {
        let items = [Item::new(u32::MAX, value), Item::new(0, 1), Item::new(7, value - 1)];
        instance.push_class(ClassKind::AtMostOne, items).unwrap();
    }
    assert_eq!(core().solve(&instance).unwrap().value(), 3 * value);
    for (capacity, expected) in [
        (0, 3),
        (6, 3),
        (7, value - 1 + 2),
        (21, 3 * (value - 1)),
        (u64::from(u32::MAX), 3 * (value - 1)),
        (u64::from(u32::MAX) + 14, value + 2 * (value - 1)),
        (3 * u64::from(u32::MAX), 3 * value),
    ] {
        instance.set_capacity(capacity);
        let answer = core().solve(&instance).unwrap();
        assert_eq!(answer.value(), expected, "{capacity}");
        assert!(answer.certificate().is_optimal());
    }
    // A pruned state keeps its way back: the best answer is found, then pruned by its own value.
    let mut close = Instance::new(10);
    for (weight, value) in [(6, 60), (5, 50), (5, 50), (4, 40)] {
        close.push_class(ClassKind::AtMostOne, [Item::new(weight, value)]).unwrap();
    }
    assert_eq!(core().solve(&close).unwrap().value(), 100);
}

#[test]
fn a_budget_of_no_states_leaves_an_answer_with_its_gap() {
    let mut solver = core();
    solver.state_budget = 0;
    let mut feasible = 0;
    for seed in 0..200 {
        let instance = families::table_of(Family::Weak, 40, 6, Capacity::Percent(25), seed);
        let best = dense(&instance, 1 << 26).unwrap().value();
        let answer = solver.solve(&instance).unwrap();
        verify::knapsack(&instance, &answer).unwrap();
        assert!(answer.value() <= best && best <= answer.certificate().bound());
        assert!(!answer.certificate().is_optimal() || answer.value() == best);
        feasible += usize::from(!answer.certificate().is_optimal());
        // With a table allowed, the dense program proves the rest.
        let mut helped = solver;
        helped.table_budget = 1 << 26;
        assert_eq!(helped.solve(&instance).unwrap().value(), best);
    }
    assert!(feasible > 0, "no instance needed a state");
}

#[test]
fn memory_is_a_small_part_of_the_input() {
    for (family, capacity) in [
        (Family::LinearMixed, Capacity::Units(4_096)),
        (Family::LinearEqual, Capacity::Percent(25)),
        (Family::LinearMixed, Capacity::Percent(25)),
    ] {
        let classes = 100_000;
        let instance = families::table_of(family, classes, 16, capacity, 1);
        let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
        core().solve_into(&instance, &mut workspace, &mut solution).unwrap();
        let (used, input) = (workspace.memory_usage() as u64, 12 * instance.item_count());
        assert!(
            used <= 40 * classes as u64 && used <= input / 2,
            "{family:?} {capacity:?}: {used} of {input}"
        );
    }
}
