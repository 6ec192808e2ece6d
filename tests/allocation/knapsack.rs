//! A warm solver does not allocate.

#[path = "../../benches/families/mod.rs"]
mod families;

use aryl::knapsack::{
    ClassKind, CurveClass, Gain, Instance, Item, Solution, Solver, Workspace, dense_into, greedy_into,
};

use crate::allocations;

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
}

/// Solves cold and with a hint until the memory has grown, then counts.
fn warm_allocations(instance: &mut Instance) -> u64 {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solver = Solver::default().with_table_budget(0);
    let capacity = instance.capacity();
    let mut round = |instance: &mut Instance| {
        for change in [0, 1, 2, 3] {
            instance.set_capacity(capacity + capacity * change / 1_000);
            solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
            let hint = workspace.hint();
            solver.solve_with_hint_into(instance, hint, &mut workspace, &mut solution).unwrap();
        }
    };
    round(instance);
    allocations(|| round(instance))
}

#[test]
fn many_classes_do_not_allocate_either() {
    for family in families::SCHEDULER {
        for capacity in [families::Capacity::Units(500), families::Capacity::Percent(25)] {
            let mut instance = families::table_of(family, 20_000, 6, capacity, 7);
            assert_eq!(warm_allocations(&mut instance), 0, "{family:?} {capacity:?}");
        }
    }
}

#[test]
fn classes_by_formula_do_not_allocate_either() {
    for classes in [50, 20_000] {
        let mut random = oorandom::Rand64::new(3);
        let mut instance = Instance::new(0);
        for class in 0..classes {
            let job = families::job(families::Family::LinearMixed, 64, &mut random);
            let base = f64::from(job.minimum);
            let gain = if class % 2 == 0 {
                Gain::Hyperbola { half: base }
            } else {
                Gain::Power { base, exponent: 0.7 }
            };
            let curve = CurveClass::new(gain, job.milliseconds as f64, job.gpus, job.extra);
            instance.push_curve(curve.with_bonus(0, job.milliseconds / 50)).unwrap();
        }
        instance.set_capacity(instance.total_demand() / 4);
        assert_eq!(warm_allocations(&mut instance), 0, "{classes}");
    }
}

#[test]
pub(crate) fn tables_are_pushed_into_reserved_memory() {
    let mut instance = Instance::new(100);
    instance.reserve(50, 150);
    let count = allocations(|| {
        for value in 1..=50 {
            let items = [1, 2, 3].map(|weight| Item::new(weight, value));
            instance.push_class(ClassKind::AtMostOne, items).unwrap();
        }
    });
    assert_eq!(count, 0);
}

/// Other instances of the same size or smaller, of the families of a scheduler, in memory that is warm from instances of all
/// families. How many states those that are made to be hard list differs by magnitudes from one to the next.
#[test]
pub(crate) fn warm_memory_holds_for_other_instances() {
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solvers = [Solver::default(), Solver::default().with_table_budget(0)];
    let instance = |family, seed: u128| {
        let percent = [80, 20, 50, 5][seed as usize % 4] - u64::from(seed >= 100);
        // How many states are listed at once depends on the numbers too: memory is warm from some that list more.
        let classes = if seed < 100 { 180 } else { 150 - seed as usize % 100 };
        families::table_of(family, classes, 8, families::Capacity::Percent(percent), seed)
    };
    let mut solve = |instance: &Instance| {
        let mut hint = None;
        for solver in solvers {
            solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
            hint = workspace.hint().or(hint);
            solver.solve_with_hint_into(instance, hint, &mut workspace, &mut solution).unwrap();
        }
        greedy_into(instance, &mut workspace, &mut solution).unwrap();
        let _ = dense_into(instance, 1 << 22, &mut workspace, &mut solution);
    };
    for (family, seed) in families::ALL.into_iter().flat_map(|family| (0..16).map(move |seed| (family, seed)))
    {
        solve(&instance(family, seed));
    }
    for (family, seed) in
        families::SCHEDULER.into_iter().flat_map(|family| (100..103).map(move |seed| (family, seed)))
    {
        let instance = instance(family, seed);
        assert_eq!(allocations(|| solve(&instance)), 0, "{family:?}, seed {seed}");
    }
}

/// The bytes that a workspace says it holds are those that the allocator gave it and has not got back.
#[test]
fn a_workspace_holds_as_many_bytes_as_it_says() {
    let solvers = [Solver::default(), Solver::default().with_table_budget(0)];
    let mut long = Instance::new(50);
    long.push_class(ClassKind::AtMostOne, (1..70_000).map(|weight| Item::new(weight, 1))).unwrap();
    let mut formulas = Instance::new(300);
    for half in 1..90 {
        let curve = CurveClass::new(Gain::Hyperbola { half: f64::from(half) }, 90_000.0, 1 + half % 3, 40);
        formulas.push_curve(curve).unwrap();
    }
    let mut instances = vec![long, formulas];
    for family in families::ALL {
        instances.push(families::table_of(family, 150, 12, families::Capacity::Percent(25), 7));
    }
    for instance in &instances {
        // The memory of an answer is there before.
        let (mut solution, mut workspace) = (aryl::knapsack::greedy(instance).unwrap(), Workspace::new());
        let held =
            allocation_counter::measure(|| greedy_into(instance, &mut workspace, &mut solution).unwrap());
        assert_eq!(held.bytes_current, workspace.memory_usage() as i64);
        let mut workspace = Workspace::new();
        let held = allocation_counter::measure(|| {
            dense_into(instance, 1 << 26, &mut workspace, &mut solution).unwrap();
        });
        assert_eq!(held.bytes_current, workspace.memory_usage() as i64);
        for solver in solvers {
            let mut workspace = Workspace::new();
            let held = allocation_counter::measure(|| {
                solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
            });
            assert_eq!(held.bytes_current, workspace.memory_usage() as i64);
        }
    }
}
