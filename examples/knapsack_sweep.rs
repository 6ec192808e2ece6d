//! The default knapsack solver beside the dense program, on small instances of all families: where a wrong choice of
//! method would show.
//!
//! ```text
//! cargo run --release --example knapsack_sweep            # some ten seconds
//! cargo run --release --example knapsack_sweep -- 16 64   # these capacities only
//! ```
//!
//! Each cell is the time of [`Solver::solve_into`] by that of [`dense_into`], the fastest of as many runs as fit into some
//! milliseconds; below 1 the solver is quicker. Run it on an idle machine.

#[path = "../benches/families/mod.rs"]
mod families;

use std::error::Error;
use std::time::{Duration, Instant};

use aryl::knapsack::{Solution, Solver, Workspace, dense_into};
use families::Capacity;

const CLASSES: [usize; 8] = [30, 60, 100, 200, 300, 500, 1_000, 3_000];
const CAPACITIES: [u64; 8] = [8, 16, 32, 64, 128, 256, 512, 1_024];
const TABLE_BUDGET: u64 = 1 << 28;
const PATIENCE: Duration = Duration::from_millis(10);

/// The fastest of some runs.
fn fastest(mut run: impl FnMut()) -> Duration {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < PATIENCE {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut capacities =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<Vec<u64>, _>>()?;
    if capacities.is_empty() {
        capacities.extend(CAPACITIES);
    }
    println!("solver / dense, by family:\n");
    print!("{:>8} {:>8}", "classes", "capacity");
    for family in families::ALL {
        print!(" {:>11}", format!("{family:?}"));
    }
    println!();
    let mut worst = (0.0, String::new());
    for classes in CLASSES {
        for &capacity in &capacities {
            print!("{classes:>8} {capacity:>8}");
            for family in families::ALL {
                let instance = families::table(family, classes, Capacity::Units(capacity), 1);
                let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
                let solver = fastest(|| {
                    Solver::default()
                        .solve_into(&instance, &mut workspace, &mut solution)
                        .expect("it is feasible");
                });
                let value = solution.value();
                let dense = fastest(|| {
                    dense_into(&instance, TABLE_BUDGET, &mut workspace, &mut solution)
                        .expect("the table fits");
                });
                assert_eq!(value, solution.value(), "both are exact");
                let ratio = solver.as_secs_f64() / dense.as_secs_f64();
                if ratio > worst.0 {
                    let name = format!(
                        "{family:?}, {classes} classes, capacity {capacity}: {solver:.1?} by {dense:.1?}"
                    );
                    worst = (ratio, name);
                }
                print!(" {ratio:>11.3}");
            }
            println!();
        }
    }
    println!("\nthe worst is {:.2}: {}", worst.0, worst.1);
    Ok(())
}
