//! The tables of the guides `performance` and `choosing_a_solver`: work and memory counted here and now, times read from what criterion wrote.
//!
//! ```text
//! cargo bench --bench epoch                          # and knapsack, place, reclaim: on an idle machine
//! cargo run --release --example figures -- --machine "two cores of ..." --write
//! ```
//!
//! | option | meaning |
//! |---|---|
//! | `--write` | puts the tables into the pages under `src/guide`, each where it stands; without it they are printed |
//! | `--machine TEXT` | what the times were measured on; it stands beside them |
//! | `--criterion DIR` | criterion's folder, in place of `target/criterion` |
//! | `NAME` ... | these tables only |
//!
//! What is counted is the same on every machine, but for bytes, which depend on the width of a pointer. A table of times
//! for which nothing was measured is left as it stands.

#[path = "../benches/clusters/busy.rs"]
mod busy;
#[path = "../benches/clusters/mod.rs"]
mod clusters;
#[path = "common/estimates.rs"]
mod estimates;
#[path = "../benches/families/mod.rs"]
mod families;

use std::error::Error;
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use aryl::cluster::Cluster;
use aryl::epoch::{Epoch, Plan, Workspace};
use aryl::knapsack::{self, Solution, Solver};
use aryl::reclaim::{self, Policy, Reclaim, Reclaimer};
use clusters::{Mix, churned, filled};
use estimates::{Estimates, bytes, count, table, time};
use families::{Capacity, Family};

/// A table by its name in its page.
struct Figure {
    name: &'static str,
    page: &'static str,
    /// Whether it is made of times.
    is_timed: bool,
    make: fn(&mut Estimates) -> Option<String>,
}

const PERFORMANCE: &str = "src/guide/performance.md";
const SOLVERS: &str = "src/guide/choosing_a_solver.md";

const FIGURES: [Figure; 8] = [
    Figure { name: "epoch", page: PERFORMANCE, is_timed: true, make: epoch },
    Figure { name: "reclaim", page: PERFORMANCE, is_timed: true, make: reclaim },
    Figure { name: "knapsack", page: PERFORMANCE, is_timed: true, make: knapsack },
    Figure { name: "place", page: PERFORMANCE, is_timed: true, make: place },
    Figure { name: "reclaim-work", page: PERFORMANCE, is_timed: false, make: |_| Some(reclaim_work()) },
    Figure { name: "knapsack-work", page: PERFORMANCE, is_timed: false, make: |_| Some(knapsack_work()) },
    Figure { name: "memory", page: PERFORMANCE, is_timed: false, make: |_| Some(memory()) },
    Figure { name: "families", page: SOLVERS, is_timed: true, make: all_families },
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut folder, mut machine) = (root.join("target/criterion"), None);
    let (mut write, mut wanted) = (false, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--write" => write = true,
            "--machine" => machine = Some(words.next().ok_or("--machine wants a text")?),
            "--criterion" => folder = PathBuf::from(words.next().ok_or("--criterion wants a folder")?),
            name if FIGURES.iter().any(|figure| figure.name == name) => wanted.push(word),
            _ => {
                let names = FIGURES.map(|figure| figure.name).join(", ");
                return Err(format!("what is {word:?}? The tables are {names}").into());
            }
        }
    }
    let mut estimates = Estimates::in_folder(folder);
    let is_wanted = |figure: &&Figure| wanted.is_empty() || wanted.iter().any(|name| name == figure.name);
    for figure in FIGURES.iter().filter(is_wanted) {
        let Some(mut made) = (figure.make)(&mut estimates) else {
            eprintln!("{}: nothing was measured", figure.name);
            continue;
        };
        if figure.is_timed {
            let day = estimates.take_day().unwrap_or_default();
            let machine = machine.as_deref().map_or(String::new(), |machine| format!(" on {machine}"));
            made = format!("Measured {day}{machine}:\n\n{made}");
        }
        if write {
            let page = root.join(figure.page);
            let text = std::fs::read_to_string(&page)?;
            std::fs::write(&page, put(&text, figure.name, &made)?)?;
        } else {
            println!("# {}\n\n{made}", figure.name);
        }
    }
    Ok(())
}

/// The page with this table in the place of the one that it holds.
fn put(page: &str, name: &str, made: &str) -> Result<String, String> {
    let (start, end) = (format!("<!-- figures: {name} -->\n"), "<!-- end of figures -->");
    let missing = || format!("the page has no place for {name}");
    let (before, rest) = page.split_once(&start).ok_or_else(missing)?;
    let (_, after) = rest.split_once(end).ok_or_else(missing)?;
    Ok(format!("{before}{start}\n{made}\n{end}{after}"))
}

/// Rows of times, without those that were not measured.
fn timed<const N: usize>(
    head: &[&str],
    rows: impl Iterator<Item = (Vec<String>, [Option<f64>; N])>,
) -> Option<String> {
    let rows = rows.filter(|(_, times)| times.iter().any(Option::is_some));
    let rows: Vec<_> = rows
        .map(|(mut row, times)| {
            row.extend(times.map(time));
            row
        })
        .collect();
    (!rows.is_empty()).then(|| table(head, &rows))
}

fn epoch(estimates: &mut Estimates) -> Option<String> {
    let rows = [125, 1_250, 12_500, 125_000].map(|servers: u64| {
        let median = estimates.median(&format!("epoch/{servers}"));
        let row = vec![count(servers), count(8 * servers), count((4 * servers).div_ceil(5))];
        (row, [median, median.map(|median| median / servers as f64)])
    });
    timed(&["servers", "GPUs", "jobs added", "one epoch", "for each server"], rows.into_iter())
}

/// The clusters of the bench `reclaim`, by the names that it gives them.
const KINDS: [(&str, &str, [u64; 4]); 3] = [
    ("best_fit", "best fit, none elastic", [60, 520, 1_500, 20_000]),
    ("small_jobs", "small jobs, 20 % elastic", [60, 1_500, 125_000, 0]),
    ("wide_jobs", "wide jobs, 20 % elastic", [60, 1_500, 125_000, 0]),
];

fn reclaim(estimates: &mut Estimates) -> Option<String> {
    let policies = ["exact", "best_of_rules", "aryl", "smallest_count_first"];
    let rows = KINDS.iter().flat_map(|&(folder, kind, sizes)| sizes.map(|size| (folder, kind, size)));
    let rows = rows.filter(|&(.., servers)| servers > 0).map(|(folder, kind, servers)| {
        let times = policies.map(|policy| estimates.median(&format!("reclaim_{folder}/{policy}/{servers}")));
        (vec![kind.into(), count(servers), count(servers / 10)], times)
    });
    let head = ["jobs", "servers", "returned", "exact", "best of rules", "paper's greedy", "smallest count"];
    timed(&head, rows)
}

const SIZES: [(u64, &str, &str); 10] = [
    (100, "64", "64"),
    (100, "4096", "4,096"),
    (1_000, "25%", "25 %"),
    (10_000, "25%", "25 %"),
    (100_000, "4096", "4,096"),
    (100_000, "200000", "200,000"),
    (100_000, "25%", "25 %"),
    (100_000, "50%", "50 %"),
    (1_000_000, "200000", "200,000"),
    (1_000_000, "25%", "25 %"),
];

fn knapsack(estimates: &mut Estimates) -> Option<String> {
    let families = [("LinearMixed", "linear-mixed"), ("Noisy", "noisy")];
    let rows = SIZES.iter().flat_map(|&size| families.map(|family| (size, family)));
    let rows = rows.map(|((classes, folder, capacity), (family, name))| {
        let bench = |kind| format!("{family}_n={classes}_C={folder}/{kind}");
        let kinds = ["reading", "cold", "warm", "formula", "dense"];
        let times = kinds.map(|kind| estimates.median(&bench(kind)));
        (vec![name.into(), count(classes), capacity.into()], times)
    });
    let head = ["family", "classes", "capacity", "reading the input", "cold", "warm", "by formula", "dense"];
    timed(&head, rows)
}

/// All families, with the ratios that the solver is held to.
fn all_families(estimates: &mut Estimates) -> Option<String> {
    let families = [
        ("LinearEqual", "linear-equal"),
        ("LinearMixed", "linear-mixed"),
        ("Noisy", "noisy"),
        ("Mandatory", "mandatory"),
        ("Strong", "strong"),
        ("SubsetSum", "subset-sum"),
        ("Weak", "weak"),
        ("Parity", "parity"),
    ];
    let mut rows = Vec::new();
    for (classes, folder, capacity) in SIZES {
        for (family, name) in families {
            let kinds = ["reading", "cold", "moving", "warm", "formula", "dense"];
            let times =
                kinds.map(|kind| estimates.median(&format!("{family}_n={classes}_C={folder}/{kind}")));
            let [reading, cold, moving, warm, formula, dense] = times;
            if cold.is_none() {
                continue;
            }
            let ratio = |of: Option<f64>, to: Option<f64>| match of.zip(to) {
                Some((of, to)) if of < 100.0 * to => format!("{:.1}", of / to),
                Some((of, to)) => count((of / to) as u64),
                None => "–".into(),
            };
            let mut row = vec![name.into(), count(classes), capacity.into()];
            row.extend([reading, cold, warm, formula, dense].map(time));
            row.extend([ratio(cold, reading), ratio(warm, reading), ratio(warm, moving), ratio(dense, cold)]);
            rows.push(row);
        }
    }
    let head = [
        "family",
        "classes",
        "capacity",
        "reading",
        "cold",
        "warm",
        "formula",
        "dense",
        "cold / reading",
        "warm / reading",
        "warm / moving",
        "dense / cold",
    ];
    (!rows.is_empty()).then(|| table(&head, &rows))
}

fn place(estimates: &mut Estimates) -> Option<String> {
    let rows = ["empty", "fragmented"].into_iter().flat_map(|kind| {
        [1_000_u64, 12_500, 125_000].map(|servers| {
            (vec![kind.into(), count(servers)], [estimates.median(&format!("place_{kind}/{servers}"))])
        })
    });
    timed(&["cluster", "servers", "all demands placed"], rows.collect::<Vec<_>>().into_iter())
}

/// Steps of a reclaim of a tenth of the servers, for each server.
fn reclaim_work() -> String {
    type Fill = fn(u32) -> Cluster;
    let kinds: [(&str, Fill); 3] = [
        ("best fit, none elastic", |servers| churned(servers, 0, 1)),
        ("small jobs, 20 % elastic", |servers| filled(servers, Mix::SmallJobs, 20, 1)),
        ("wide jobs, 20 % elastic", |servers| filled(servers, Mix::WideJobs, 20, 1)),
    ];
    let policies = [Policy::Exact, Policy::BestOfRules, Policy::Aryl, Policy::SmallestCountFirst];
    let mut rows = Vec::new();
    for (kind, fill) in kinds {
        for servers in [60, 600, 6_000, 60_000] {
            let cluster = fill(servers);
            let (mut workspace, mut answer) = (reclaim::Workspace::new(), Reclaim::default());
            let mut row = vec![kind.into(), count(u64::from(servers))];
            for policy in policies {
                Reclaimer::new(policy)
                    .solve_into(&cluster, servers / 10, &mut workspace, &mut answer)
                    .expect("a tenth of the servers can go back");
                row.push(format!("{:.1}", workspace.steps() as f64 / f64::from(servers)));
            }
            rows.push(row);
        }
    }
    table(&["jobs", "servers", "exact", "best of rules", "paper's greedy", "smallest count"], &rows)
}

/// Items read and states made, for each item of the input.
fn knapsack_work() -> String {
    let solver = Solver::default();
    let mut rows = Vec::new();
    for (family, name) in [(Family::LinearMixed, "linear-mixed"), (Family::Noisy, "noisy")] {
        for classes in [100, 1_000, 10_000, 100_000] {
            let mut instance = families::table(family, classes, Capacity::Percent(25), 1);
            let (mut workspace, mut solution) = (knapsack::Workspace::new(), Solution::default());
            solver.solve_into(&instance, &mut workspace, &mut solution).expect("no class is mandatory");
            let (cold, hint) = (workspace.work(), workspace.hint());
            instance.set_capacity(instance.capacity() + instance.capacity() / 500);
            solver
                .solve_with_hint_into(&instance, hint, &mut workspace, &mut solution)
                .expect("no class is mandatory");
            let items = instance.item_count();
            let share = |read: u64| format!("{:.2}", read as f64 / items as f64);
            let warm = workspace.work();
            rows.push(vec![
                name.into(),
                count(classes as u64),
                count(items),
                share(cold.items_read),
                count(cold.states),
                share(warm.items_read),
                count(warm.states),
                bytes(12 * items),
                bytes(workspace.memory_usage() as u64),
            ]);
        }
    }
    let head = [
        "family",
        "classes",
        "items",
        "read, cold",
        "states, cold",
        "read, warm",
        "states, warm",
        "input",
        "workspace",
    ];
    table(&head, &rows)
}

/// What an epoch takes from the heap.
fn memory() -> String {
    let epoch = Epoch::default();
    let rows = [125, 1_250, 12_500, 125_000].map(|servers| {
        let mut made = None;
        let snapshot = measure(|| made = Some(busy::busy(servers, 1)));
        let (cluster, request) = made.expect("it was made");
        let held = snapshot.bytes_current.unsigned_abs();
        let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
        let mut plan_once = || {
            measure(|| {
                let planned = epoch.plan_into(&cluster, &request, &mut workspace, &mut plan);
                planned.expect("what the bench asks for can be had");
            })
        };
        let first = plan_once();
        for _ in 0..3 {
            plan_once();
        }
        let warm = plan_once();
        vec![
            count(u64::from(servers)),
            bytes(held),
            bytes(first.bytes_max),
            format!("{:.0} B", first.bytes_max as f64 / f64::from(servers)),
            count(first.count_total),
            count(warm.count_total),
        ]
    });
    let head = [
        "servers",
        "the snapshot",
        "workspace and plan, at most",
        "for each server",
        "allocations, first epoch",
        "allocations, fifth epoch",
    ];
    table(&head, &rows)
}
