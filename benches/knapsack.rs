//! The knapsack solvers on the instance families, beside the time of reading the input once.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "families/mod.rs"]
mod families;

use core::hint::black_box;

use aryl::knapsack::{Instance, Solution, Solver, Workspace, dense_into, greedy_into};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use families::{Capacity, Family};

const SIZES: [(usize, Capacity); 4] = [
    (100, Capacity::Units(64)),
    (100, Capacity::Units(4_096)),
    (1_000, Capacity::Percent(25)),
    (10_000, Capacity::Percent(25)),
];

fn name(family: Family, classes: usize, capacity: Capacity) -> String {
    match capacity {
        Capacity::Units(units) => format!("{family:?}/n={classes}/C={units}"),
        Capacity::Percent(percent) => format!("{family:?}/n={classes}/C={percent}%"),
    }
}

fn solvers(criterion: &mut Criterion) {
    for family in [Family::LinearMixed, Family::Noisy] {
        for (classes, capacity) in SIZES {
            let instance: Instance = families::table(family, classes, capacity, 1);
            let mut group = criterion.benchmark_group(name(family, classes, capacity));
            group.sample_size(10);
            let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
            group.bench_function(BenchmarkId::from_parameter("solver"), |bencher| {
                let solver = Solver::default();
                bencher.iter(|| {
                    solver.solve_into(black_box(&instance), &mut workspace, &mut solution).unwrap();
                });
            });
            group.bench_function(BenchmarkId::from_parameter("greedy"), |bencher| {
                bencher.iter(|| greedy_into(black_box(&instance), &mut workspace, &mut solution).unwrap());
            });
            if dense_into(&instance, 1 << 26, &mut workspace, &mut solution).is_ok() {
                group.bench_function(BenchmarkId::from_parameter("dense"), |bencher| {
                    bencher.iter(|| {
                        dense_into(black_box(&instance), 1 << 26, &mut workspace, &mut solution).unwrap();
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, solvers);
criterion_main!(benches);
