//! The knapsack solvers on the instance families, beside the time of reading the input: `cargo bench --bench knapsack`.
//!
//! For each family and size, in one run: `cold`, the default solver without a hint; `warm`, with the hint of the solve
//! before, while the capacity moves by up to 0.6 %; `moving`, the same capacities without a hint; `dense`, the dynamic program over the capacity with choices of 16 bits,
//! where its table stays below 64 MiB; `reading`, which sums all weights and values once. `formula` is `cold` on the same
//! jobs given as classes by formula, for the families that have one. All in warm memory, on one thread, seed 1.

#[path = "families/mod.rs"]
mod families;

use core::hint::black_box;
use core::time::Duration;

use aryl::knapsack::{CurveClass, Gain, Instance, Solution, Solver, Workspace, dense_into};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use families::{Capacity, Family};

const SIZES: [(usize, Capacity); 10] = [
    (100, Capacity::Units(64)),
    (100, Capacity::Units(4_096)),
    (1_000, Capacity::Percent(25)),
    (10_000, Capacity::Percent(25)),
    (100_000, Capacity::Units(4_096)),
    (100_000, Capacity::Units(200_000)),
    (100_000, Capacity::Percent(25)),
    (100_000, Capacity::Percent(50)),
    (1_000_000, Capacity::Units(200_000)),
    (1_000_000, Capacity::Percent(25)),
];

/// Largest table of the dense program, in bytes.
const TABLE: u64 = 64 << 20;

fn name(family: Family, classes: usize, capacity: Capacity) -> String {
    match capacity {
        Capacity::Units(units) => format!("{family:?}/n={classes}/C={units}"),
        Capacity::Percent(percent) => format!("{family:?}/n={classes}/C={percent}%"),
    }
}

/// The input as two plain arrays, to be summed.
fn reading(group: &mut BenchmarkGroup<'_, WallTime>, instance: &Instance) {
    let items = (0..instance.class_count()).flat_map(|class| instance.items(class));
    let (weights, values): (Vec<u32>, Vec<f64>) = items.map(|item| (item.weight, item.value as f64)).unzip();
    group.bench_function(BenchmarkId::from_parameter("reading"), |bencher| {
        bencher.iter(|| {
            let weight: u64 = black_box(&weights).iter().map(|&weight| u64::from(weight)).sum();
            // Eight sums side by side, so that the loop is as fast as memory.
            let mut lanes = [0.0; 8];
            for eight in black_box(&values).as_chunks::<8>().0 {
                for (lane, value) in lanes.iter_mut().zip(eight) {
                    *lane += value;
                }
            }
            (weight, lanes)
        });
    });
}

/// The jobs of a family as classes by formula: no table at all.
fn formulas(family: Family, classes: usize, capacity: Capacity) -> Option<Instance> {
    if !matches!(family, Family::LinearEqual | Family::LinearMixed) {
        return None;
    }
    let mut random = oorandom::Rand64::new(1);
    let mut instance = Instance::new(0);
    for _ in 0..classes {
        let job = families::job(family, families::longest(classes), &mut random);
        let gain = Gain::Hyperbola { half: f64::from(job.minimum) };
        let class = CurveClass::new(gain, job.milliseconds as f64, job.gpus, job.extra);
        instance.push_curve(class).expect("the family is a valid instance");
    }
    families::set_capacity(&mut instance, family, capacity);
    Some(instance)
}

fn solvers(criterion: &mut Criterion) {
    let solver = Solver::default();
    for (classes, capacity) in SIZES {
        for family in families::ALL {
            let mut group = criterion.benchmark_group(name(family, classes, capacity));
            group.sample_size(10).warm_up_time(Duration::from_millis(200));
            group.measurement_time(Duration::from_millis(600));
            let mut instance = families::table(family, classes, capacity, 1);
            let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
            reading(&mut group, &instance);
            group.bench_function(BenchmarkId::from_parameter("cold"), |bencher| {
                bencher.iter(|| {
                    solver.solve_into(black_box(&instance), &mut workspace, &mut solution).unwrap();
                });
            });
            if dense_into(&instance, TABLE, &mut workspace, &mut solution).is_ok() {
                group.bench_function(BenchmarkId::from_parameter("dense"), |bencher| {
                    bencher.iter(|| {
                        dense_into(black_box(&instance), TABLE, &mut workspace, &mut solution).unwrap();
                    });
                });
            }
            if let Some(formulas) = formulas(family, classes, capacity) {
                group.bench_function(BenchmarkId::from_parameter("formula"), |bencher| {
                    bencher.iter(|| {
                        solver.solve_into(black_box(&formulas), &mut workspace, &mut solution).unwrap();
                    });
                });
            }
            let units = instance.capacity();
            for (name, warm) in [("moving", false), ("warm", true)] {
                let mut step = 0;
                group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                    bencher.iter(|| {
                        step = (step + 1) % 7;
                        let change = units * step / 1_000;
                        instance.set_capacity(if family == Family::Parity {
                            (units + change) | 1
                        } else {
                            units + change
                        });
                        let hint = workspace.hint().filter(|_| warm);
                        solver
                            .solve_with_hint_into(black_box(&instance), hint, &mut workspace, &mut solution)
                            .unwrap();
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
