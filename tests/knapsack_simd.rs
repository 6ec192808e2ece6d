//! Answers are the same with and without the feature `simd`: this test runs under both, against one recorded number.

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{CurveClass, Gain, Instance, Solution, Solver, Workspace};
use families::Capacity;

/// The number of Fowler, Noll and Vo over all choices.
fn mix(sum: u64, number: u64) -> u64 {
    (sum ^ number).wrapping_mul(0x0000_0100_0000_01b3)
}

#[test]
fn choices_are_those_of_the_build_without_vectors() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solver = Solver::default().with_table_budget(0);
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for family in families::ALL {
        for (classes, longest, capacity) in [
            (3, 64, Capacity::Units(40)),
            (100, 64, Capacity::Units(4_096)),
            (100, 7, Capacity::Percent(30)),
            (2_000, 17, Capacity::Percent(25)),
        ] {
            let mut instance = families::table_of(family, classes, longest, capacity, 3);
            solver.solve_into(&instance, &mut workspace, &mut solution).unwrap();
            // The second is warm, with a hint from the first.
            for _ in 0..2 {
                sum = mix(sum, solution.value());
                for choice in solution.choices() {
                    sum = mix(sum, choice.map_or(u64::MAX, u64::from));
                }
                instance.set_capacity(instance.capacity() + 7);
                let hint = workspace.hint();
                solver.solve_with_hint_into(&instance, hint, &mut workspace, &mut solution).unwrap();
            }
        }
    }
    let mut formulas = Instance::new(900);
    for class in 1..200 {
        let gain = Gain::Hyperbola { half: f64::from(class % 7 + 1) };
        formulas.push_curve(CurveClass::new(gain, f64::from(class * class), class % 3 + 1, 40)).unwrap();
    }
    solver.solve_into(&formulas, &mut workspace, &mut solution).unwrap();
    for choice in solution.choices() {
        sum = mix(sum, choice.map_or(u64::MAX, u64::from));
    }
    assert_eq!(sum, 0x4c44_5b38_821d_708d, "{sum:#x}");
}
