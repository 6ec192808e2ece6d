//! The core solver against the dense program, over all families.

#![allow(clippy::unwrap_used)]

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{Instance, Method, Solution, Solver, Workspace, dense_into};
use families::{Capacity, Family};

/// Solves both ways and compares.
fn compare(instance: &Instance, workspace: &mut Workspace, name: impl Fn() -> String) -> Solution {
    let solver = Solver::default().with_table_budget(0);
    let (mut ours, mut reference) = (Solution::default(), Solution::default());
    solver.solve_into(instance, workspace, &mut ours).unwrap();
    dense_into(instance, 1 << 30, workspace, &mut reference).unwrap();
    assert_eq!(ours.method(), Method::Core);
    assert_eq!(ours.value(), reference.value(), "{}", name());
    assert!(ours.certificate().is_optimal(), "{}: {}", name(), ours.certificate());
    assert!(ours.weight() <= instance.capacity());
    ours
}

#[test]
fn the_core_solver_equals_the_dense_program_on_all_families() {
    let mut workspace = Workspace::new();
    let rounds = if std::env::var_os("ARYL_HEAVY").is_some() { 1_300 } else { 60 };
    for family in families::ALL {
        for seed in 0..rounds {
            let classes = [1, 2, 3, 5, 8, 13, 21, 34][seed % 8];
            let longest = [1, 2, 4, 8][seed / 8 % 4];
            let capacity =
                [Capacity::Percent(5), Capacity::Percent(25), Capacity::Percent(50), Capacity::Units(64)][seed / 3 % 4];
            let instance = families::table_of(family, classes, longest, capacity, seed as u128);
            compare(&instance, &mut workspace, || format!("{family:?} {classes} {longest} {capacity:?} {seed}"));
        }
    }
    let _ = Family::Weak;
}
