//! A warm solver does not allocate.

#![allow(clippy::unwrap_used)]

#[path = "../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{Solution, Solver, Workspace, dense_into, greedy_into};

/// The allocations that `run` makes.
fn allocations(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).count_total
}

#[test]
fn a_warm_solver_does_not_allocate() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solver = Solver::default();
    for family in families::ALL {
        let mut instance = families::table_of(family, 40, 12, families::Capacity::Percent(25), 7);
        for _ in 0..2 {
            solver.solve_into(&instance, &mut workspace, &mut solution).unwrap();
            greedy_into(&instance, &mut workspace, &mut solution).unwrap();
            dense_into(&instance, 1 << 26, &mut workspace, &mut solution).unwrap();
        }
        let count = allocations(|| {
            solver.solve_into(&instance, &mut workspace, &mut solution).unwrap();
            greedy_into(&instance, &mut workspace, &mut solution).unwrap();
            dense_into(&instance, 1 << 26, &mut workspace, &mut solution).unwrap();
        });
        assert_eq!(count, 0, "{family:?}");

        // An instance is cleared and filled again without allocating, too.
        let classes: Vec<(_, Vec<_>)> =
            (0..40).map(|class| (instance.class_kind(class), instance.items(class).collect())).collect();
        let count = allocations(|| {
            instance.clear(50);
            for (kind, items) in &classes {
                instance.push_class(*kind, items.iter().copied()).unwrap();
            }
        });
        assert_eq!(count, 0, "{family:?}");
    }
    assert!(allocations(|| drop(core::hint::black_box(vec![1_u8]))) > 0, "the allocator counts");
}
