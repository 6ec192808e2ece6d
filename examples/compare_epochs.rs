//! How far the two phases of an epoch are from the optimum of both at once: the histogram in the documentation of
//! `aryl::ilp`.
//!
//! ```text
//! cargo run --release --features ilp --example compare_epochs
//! ```
//!
//! Each number counts random clusters, by seeds from 1: the value of the plan of `Epoch::default()` as a share of the
//! optimum. The columns are what a start is worth: the wait that it spares a job. Clusters in which nothing can be had, and
//! those whose optimum is not proven to 10^-6 within 20,000 nodes, are left out; the latter are counted.

#[path = "../tests/support/mod.rs"]
mod support;

use aryl::epoch::{Epoch, Request};
use aryl::ilp::{self, BackendError, IlpError, Microlp};
use aryl::units::Seconds;
use oorandom::Rand32;
use support::{Shape, random_cluster};

/// What a start is worth: nothing but its own reduction, an interval of the orchestrator, an hour, and more than all
/// reductions together.
const WAITS: [f64; 4] = [0.0, 300.0, 3_600.0, 1e7];

/// The lower ends of the shares that are counted together, in thousandths.
const SHARES: [(i128, &str); 8] = [
    (1_000, "1 (the optimum)"),
    (990, "0.99 to 1"),
    (950, "0.95 to 0.99"),
    (900, "0.9 to 0.95"),
    (800, "0.8 to 0.9"),
    (600, "0.6 to 0.8"),
    (300, "0.3 to 0.6"),
    (i128::MIN, "below 0.3"),
];

struct Column {
    counts: [u32; SHARES.len()],
    sums: (f64, u32),
    worst: (f64, u64),
    unproven: u32,
}

fn column(wait: Seconds, shape: Shape, clusters: u64) -> Result<Column, Box<dyn std::error::Error>> {
    let mut column =
        Column { counts: [0; SHARES.len()], sums: (0.0, 0), worst: (f64::INFINITY, 0), unproven: 0 };
    for seed in 1..=clusters {
        let cluster = random_cluster(&mut Rand32::new(seed), shape);
        let optimum = match ilp::epoch(&cluster, wait, &Microlp::with_node_limit(20_000)) {
            Ok(optimum) if optimum.certificate().relative_gap() <= 1e-6 => optimum.certificate(),
            Ok(_) | Err(IlpError::Backend(BackendError::LimitReached { .. })) => {
                column.unproven += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let mut planned = cluster.clone();
        planned.apply(&Epoch::default().plan(&cluster, Request::NONE)?)?;
        let two_phase = ilp::epoch_value(&cluster, &planned, wait)?;
        let best = i128::from(optimum.objective());
        if best == 0 {
            continue;
        }
        let share = SHARES.iter().position(|&(from, _)| two_phase * 1_000 >= from.saturating_mul(best));
        column.counts[share.unwrap_or(SHARES.len() - 1)] += 1;
        let share = two_phase as f64 / best as f64;
        column.sums = (column.sums.0 + share, column.sums.1 + 1);
        if share < column.worst.0 {
            column.worst = (share, seed);
        }
    }
    Ok(column)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let small = Shape {
        servers: 5,
        jobs: 10,
        types: false,
        heterogeneous: false,
        overheads: false,
        protection: false,
    };
    let types = Shape { types: true, overheads: true, ..small };
    let large = Shape { servers: 24, jobs: 48, ..types };
    for (name, shape, clusters) in [
        ("up to 5 servers, one GPU type", small, 1_000),
        ("up to 5 servers, three GPU types, resize overheads", types, 1_000),
        ("the same, up to 24 servers", large, 200),
    ] {
        let columns: Result<Vec<Column>, _> =
            WAITS.iter().map(|&wait| column(Seconds(wait), shape, clusters)).collect();
        let columns = columns?;
        print!("| {name}: share of the optimum |");
        WAITS.iter().for_each(|wait| print!(" wait {wait} s |"));
        println!("\n|---|---|---|---|---|");
        for (at, (_, label)) in SHARES.iter().enumerate() {
            print!("| {label} |");
            columns.iter().for_each(|column| print!(" {} |", column.counts[at]));
            println!();
        }
        print!("| mean |");
        columns.iter().for_each(|column| print!(" {:.3} |", column.sums.0 / f64::from(column.sums.1.max(1))));
        print!("\n| worst (seed) |");
        columns.iter().for_each(|column| print!(" {:.3} ({}) |", column.worst.0, column.worst.1));
        print!("\n| optimum not found |");
        columns.iter().for_each(|column| print!(" {} |", column.unproven));
        println!("\n");
    }
    Ok(())
}
