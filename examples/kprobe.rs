#[path = "../benches/families/mod.rs"]
mod families;
use aryl::knapsack::*;
use families::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let only: Option<usize> = args.get(1).and_then(|a| a.parse().ok());
    for (n, cap) in [(100, Capacity::Units(64)), (100, Capacity::Units(4096)), (1000, Capacity::Percent(25)), (10_000, Capacity::Percent(25)), (100_000, Capacity::Units(4096)), (100_000, Capacity::Units(200_000)), (100_000, Capacity::Percent(25)),(100_000, Capacity::Percent(50)), (1_000_000, Capacity::Units(200_000)), (1_000_000, Capacity::Percent(25))] {
        if only.is_some_and(|o| o != n) { continue; }
        for family in ALL {
            if n > 100_000 && family != Family::LinearMixed && family != Family::Noisy { continue; }
            let instance = table(family, n, cap, 1);
            let (mut ws, mut sol) = (Workspace::new(), Solution::default());
            let solver = Solver::default().with_table_budget(0);
            let reps = (20_000_000 / (n * 34)).clamp(5, 2000);
            let mut times = vec![];
            let mut sums = vec![];
            for _ in 0..reps {
                let t = Instant::now();
                let s = instance.sum();
                sums.push(t.elapsed().as_secs_f64());
                std::hint::black_box(s);
                let t = Instant::now();
                solver.solve_into(&instance, &mut ws, &mut sol).unwrap();
                times.push(t.elapsed().as_secs_f64());
            }
            times.sort_by(f64::total_cmp); sums.sort_by(f64::total_cmp);
            let (t, s) = (times[times.len()/2], sums[sums.len()/2]);
            println!("{family:?} n={n} {cap:?}: {:.1} us, sum {:.1} us, ratio {:.2}, {} gap {} mem {} {}", t*1e6, s*1e6, t/s, sol.value(), sol.certificate().gap(), ws.memory_usage(), sol.debug());
        }
    }
}
