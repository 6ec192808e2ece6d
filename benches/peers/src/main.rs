//! Other solvers beside those of aryl, on the instances of its benches: times, values and ratios. See README.md.

mod backends;
#[path = "../../clusters/mod.rs"]
mod clusters;
#[path = "../../families/mod.rs"]
mod families;
mod textbook;

use std::fmt::Display;
use std::time::Instant;

use aryl::certificate::Certificate;
use aryl::ilp::{self, Backend, Microlp};
use aryl::knapsack::{Instance, Solver, dense};
use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};
use clusters::{Mix, churned, filled};
use families::Capacity;

/// What CBC and HiGHS may take for an instance.
const SECONDS: f64 = 20.0;
/// The same for microlp, in branch-and-bound nodes.
const NODES: u64 = 20_000;
/// The classes of the largest knapsack, and the servers of the largest reclaim, that microlp is given: beyond, a node alone
/// takes milliseconds.
const MICROLP: (usize, u32) = (100, 200);
const SEED: u64 = 1;

/// A backend under test: its name, itself, and whether it is given large instances.
type Peer = (&'static str, Box<dyn Backend>, bool);

fn peers() -> Vec<Peer> {
    vec![
        #[cfg(feature = "highs")]
        ("HiGHS", Box::new(backends::Through { solver: good_lp::highs, seconds: SECONDS }), true),
        #[cfg(feature = "cbc")]
        ("CBC", Box::new(backends::Through { solver: good_lp::coin_cbc, seconds: SECONDS }), true),
        ("microlp", Box::new(Microlp::with_node_limit(NODES)), false),
    ]
}

/// The answer and the least time of some runs in milliseconds: the first, and more while they are short.
fn timed<T>(mut solve: impl FnMut() -> T) -> (T, f64) {
    let started = Instant::now();
    let mut answer = solve();
    let mut least = started.elapsed().as_secs_f64();
    let mut runs = 1;
    while runs < 20 && started.elapsed().as_secs_f64() < 0.2 {
        let start = Instant::now();
        answer = solve();
        least = least.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    (answer, least * 1_000.0)
}

/// What one solver made of an instance.
enum Cell {
    Answer { objective: u64, is_proven: bool, milliseconds: f64 },
    None { why: String },
}

impl Cell {
    fn new<E: Display>((answer, milliseconds): (Result<Certificate, E>, f64)) -> Self {
        match answer {
            Ok(certificate) => Self::Answer {
                objective: certificate.objective(),
                // Floating-point solvers prove to 10^-7 or so.
                is_proven: certificate.relative_gap() <= 1e-6,
                milliseconds,
            },
            Err(error) => Self::None { why: format!("{error}, {milliseconds:.0} ms") },
        }
    }

    fn left_out() -> Self {
        Self::None { why: "–".to_string() }
    }

    fn objective(&self) -> Option<u64> {
        match self {
            Self::Answer { objective, .. } => Some(*objective),
            Self::None { .. } => None,
        }
    }

    /// The time, and how many times that of aryl it is; the share of the best value where it is missed.
    fn print(&self, best: u64, ours: f64) {
        match self {
            Self::Answer { objective, is_proven, milliseconds } => {
                print!(" {milliseconds:.3} ms (× {:.1})", milliseconds / ours);
                if *objective != best {
                    print!(", value × {:.6}", *objective as f64 / best as f64);
                }
                if !is_proven {
                    print!(", not proven");
                }
                print!(" |");
            }
            Self::None { why } => print!(" {why} |"),
        }
    }
}

fn head(first: &[&str]) {
    let names: Vec<&str> = first.iter().copied().chain(peers().iter().map(|peer| peer.0)).collect();
    println!("\n| {} |\n|{}", names.join(" | "), "---|".repeat(names.len()));
}

/// A line of a table: the best value, then a cell for each solver, aryl first.
fn line(name: &str, cells: &[Cell], best: u64) {
    let ours = match cells[0] {
        Cell::Answer { milliseconds, .. } => milliseconds,
        Cell::None { .. } => f64::NAN,
    };
    print!("| {name} | {best} |");
    cells.iter().for_each(|cell| cell.print(best, ours));
    println!();
}

fn knapsack(name: &str, instance: &Instance) {
    let solver = Solver::default();
    let mut cells = vec![
        Cell::new(timed(|| solver.solve(instance).map(|answer| answer.certificate()))),
        Cell::new(timed(|| dense(instance, 1 << 30).map(|answer| answer.certificate()))),
        match timed(|| textbook::solve(instance)) {
            (Some(objective), milliseconds) => Cell::Answer { objective, is_proven: true, milliseconds },
            (None, _) => Cell::left_out(),
        },
    ];
    cells.extend(peers().into_iter().map(|(_, backend, takes_large)| {
        if instance.class_count() > MICROLP.0 && !takes_large {
            return Cell::left_out();
        }
        Cell::new(timed(|| ilp::knapsack(instance, &*backend).map(|answer| answer.certificate())))
    }));
    let best = cells.iter().filter_map(Cell::objective).max().unwrap_or(0);
    let (classes, items, capacity) = (instance.class_count(), instance.item_count(), instance.capacity());
    line(&format!("{name}, {classes} classes, {items} items, capacity {capacity}"), &cells, best);
}

fn reclaim(servers: u32, kind: Kind, elastic: u32, count: u32) {
    let (jobs, cluster) = match kind {
        Kind::BestFit => ("best fit", churned(servers, elastic, SEED)),
        Kind::Scattered(Mix::WideJobs) => ("scattered", filled(servers, Mix::WideJobs, elastic, SEED)),
        Kind::Scattered(Mix::SmallJobs) => {
            ("scattered, small", filled(servers, Mix::SmallJobs, elastic, SEED))
        }
    };
    let solve = |policy| {
        let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
        Cell::new(timed(|| {
            let solved = Reclaimer::new(policy).solve_into(&cluster, count, &mut workspace, &mut answer);
            solved.map(|()| *answer.certificate())
        }))
    };
    let mut cells = vec![solve(Policy::Exact), solve(Policy::BestOfRules)];
    cells.extend(peers().into_iter().map(|(_, backend, takes_large)| {
        if servers > MICROLP.1 && !takes_large {
            return Cell::left_out();
        }
        Cell::new(timed(|| ilp::reclaim(&cluster, count, &*backend).map(|answer| *answer.certificate())))
    }));
    let best = cells.iter().filter_map(Cell::objective).min().unwrap_or(0);
    line(&format!("{count} of {servers} servers, {jobs}, {elastic} % elastic"), &cells, best);
}

/// How the jobs came to be where they are.
#[derive(Clone, Copy)]
enum Kind {
    BestFit,
    Scattered(Mix),
}

fn main() {
    println!("Times are the least of some runs. In brackets: as a multiple of aryl's. Seed {SEED}.");
    let wanted = std::env::args().nth(1);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let of_knapsack = families::ALL.map(|family| (family, format!("{family:?}")));
    let of_knapsack = of_knapsack.iter().filter(|(_, name)| is_wanted("knapsack") || is_wanted(name));
    for (at, (family, name)) in of_knapsack.enumerate() {
        if at == 0 {
            head(&["knapsack", "value", "aryl", "aryl, dense program", "textbook program"]);
        }
        for (classes, longest, capacity) in [
            (30, 16, Capacity::Units(64)),
            (100, 64, Capacity::Units(64)),
            (100, 64, Capacity::Percent(25)),
            (1_000, 64, Capacity::Percent(25)),
        ] {
            let instance = families::table_of(*family, classes, longest, capacity, u128::from(SEED));
            knapsack(name, &instance);
        }
    }
    if is_wanted("reclaim") {
        head(&["reclaim", "cost", "aryl, exact", "aryl, best of rules"]);
        for (servers, count) in [(60, 6), (200, 20), (1_500, 15), (1_500, 150)] {
            for kind in [Kind::BestFit, Kind::Scattered(Mix::WideJobs), Kind::Scattered(Mix::SmallJobs)] {
                for elastic in [0, 20] {
                    reclaim(servers, kind, elastic, count);
                }
            }
        }
    }
}
