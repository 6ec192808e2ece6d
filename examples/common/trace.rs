//! A recorded trace of jobs, read from comma-separated text; columns are found by their names.

use super::columns::Columns;
use super::text::{cut, one_line};

/// One job of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceJob {
    pub(crate) submitted: u64,
    /// Its running time, in seconds.
    pub(crate) duration: u64,
    pub(crate) gpus: u32,
}

impl TraceJob {
    /// The first second at which it runs no more, were it to start when it was submitted.
    fn end(&self) -> u64 {
        self.submitted + self.duration
    }

    pub(crate) fn runs_at(&self, second: u64) -> bool {
        self.submitted <= second && second < self.end()
    }

    /// The running time that is left at a second at which it runs.
    pub(crate) fn remaining_at(&self, second: u64) -> u64 {
        self.end() - second
    }

    pub(crate) fn gpu_seconds(&self) -> u128 {
        u128::from(self.duration) * u128::from(self.gpus)
    }
}

/// The most GPUs of one job, and the latest second and longest time: what the library can count exactly, with room.
const GPU_LIMIT: u64 = 500_000;
const SECOND_LIMIT: u64 = 1_000_000_000_000;

/// Reads a trace: one header line with at least `submit_s`, `duration_s` and `gpus`, then one line a job. Jobs that ran
/// for no time or on no GPU are left out.
pub(crate) fn parse(text: &str) -> Result<Vec<TraceJob>, String> {
    let table = Columns::new(text);
    let columns = [
        ("submit_s", SECOND_LIMIT, table.column("submit_s")?),
        ("duration_s", SECOND_LIMIT, table.column("duration_s")?),
        ("gpus", GPU_LIMIT, table.column("gpus")?),
    ];
    let mut jobs = Vec::new();
    for (line, fields) in table.rows() {
        let mut values = [0u64; 3];
        for (value, (name, limit, column)) in values.iter_mut().zip(columns) {
            let field = fields.get(column).copied().unwrap_or("");
            let shown = || cut(&one_line(field), 30);
            *value = field
                .parse()
                .map_err(|_| format!("line {line}: {name} is '{}', not a whole number from 0", shown()))?;
            if *value > limit {
                return Err(format!("line {line}: {name} is {value}, above the limit of {limit}"));
            }
        }
        let [submitted, duration, gpus] = values;
        let gpus = gpus as u32; // At most GPU_LIMIT.
        if duration > 0 && gpus > 0 {
            jobs.push(TraceJob { submitted, duration, gpus });
        }
    }
    if jobs.is_empty() {
        return Err("no job in it".to_string());
    }
    jobs.sort_by_key(|job| job.submitted);
    Ok(jobs)
}

/// The first second at which the jobs that run ask for the most GPUs, were each to start when it was submitted.
pub(crate) fn busiest_second(jobs: &[TraceJob]) -> u64 {
    // At equal seconds the ends go first, since `false` is below `true`.
    let starts = jobs.iter().map(|job| (job.submitted, true, job.gpus));
    let ends = jobs.iter().map(|job| (job.end(), false, job.gpus));
    let mut events: Vec<(u64, bool, u32)> = starts.chain(ends).collect();
    events.sort_unstable();
    let (mut running, mut most, mut busiest) = (0u64, 0, 0);
    for (second, is_start, gpus) in events {
        if is_start {
            running += u64::from(gpus);
        } else {
            running -= u64::from(gpus);
        }
        if running > most {
            (most, busiest) = (running, second);
        }
    }
    busiest
}
