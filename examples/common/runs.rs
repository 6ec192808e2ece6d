//! Simulations side by side, one for each core.

use std::time::Instant;

use aryl::sim::metrics::Report;
use aryl::sim::workload::Workload;
use aryl::sim::{Event, Setup, Simulation};
use aryl::units::Seconds;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::schemes::Scheme;

/// One simulation to run.
pub(crate) struct Run<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) workload: &'a Workload,
    pub(crate) scheme: &'a Scheme,
}

/// Jobs that end between two looks at the progress bar.
const BATCH: u64 = 256;

/// Runs all of them, and keeps of each report what `keep` makes of it, in the order of the runs. A bar on standard error shows
/// how many of all jobs have ended, where that is a terminal.
pub(crate) fn all<T: Send>(runs: &[Run<'_>], keep: impl Fn(&Report) -> T + Sync) -> Result<Vec<T>, String> {
    let jobs: usize = runs.iter().map(|run| run.workload.jobs.len()).sum();
    let bar = ProgressBar::new(jobs as u64);
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} jobs, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    let results = runs.par_iter().map(|run| one(run, &bar).map(|report| keep(&report))).collect();
    bar.finish_and_clear();
    results
}

fn one(run: &Run<'_>, bar: &ProgressBar) -> Result<Report, String> {
    let says = |error: String| format!("{}: {error}", run.scheme.title);
    let simulation = Simulation::new(run.setup, run.workload).map_err(|error| says(error.to_string()))?;
    let mut ended = 0;
    let start = Instant::now();
    let report = simulation
        .observe(|_, event| {
            if let Event::Ended { .. } = event {
                ended += 1;
                if ended % BATCH == 0 {
                    bar.inc(BATCH);
                }
            }
        })
        .clock(|| Seconds(start.elapsed().as_secs_f64()))
        .run(&mut *(run.scheme.make)());
    bar.inc(run.workload.jobs.len() as u64 % BATCH);
    report.map_err(|error| says(error.to_string()))
}
