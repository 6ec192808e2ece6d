//! One epoch on a recorded trace: a cluster as the trace leaves it at one second, from which servers are asked back.
//!
//! ```text
//! cargo run --release --example trace_epoch -- jobs_philly_15d_busy.csv
//! cargo run --release --example trace_epoch -- jobs_philly_15d_busy.csv --second 500000 --seed 7 --reclaim 20
//! ```
//!
//! The trace is a file of comma-separated lines with the columns `submit_s`, `duration_s` and `gpus`.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // The library is `no_std`, its examples are not.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/columns.rs"]
mod columns;
#[path = "common/drawn.rs"]
mod drawn;
#[path = "common/fill.rs"]
mod fill;
#[path = "common/text.rs"]
mod text;
#[path = "common/trace.rs"]
mod trace;

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arguments::{Argument, Arguments};
use aryl::cluster::Cluster;
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::reclaim::{Policy, Reclaimer};
use fill::{GPUS_A_SERVER, Servers};
use text::{count, grouped, one_line, paragraph, percent, seconds, table};
use trace::TraceJob;

const HELP: &str = "\
Plans one scheduling epoch on a cluster filled from a recorded trace.

usage: trace_epoch [options] trace.csv

  trace.csv      jobs, one a line, under a first line that names the columns submit_s, duration_s and gpus
  --second N     the second of the trace to look at; by default the one at which most GPUs are asked for
  --seed N       draws which jobs are elastic and which are fungible; 1 by default
  --training N   training servers of 8 V100; 96 by default
  --on-loan N    on-loan servers of 8 T4, three of which do the work of one V100; 40 by default
  --reclaim N    on-loan servers that are asked back; 10 by default
  --help         print this text
";

const NO_TRACE: &str = "no trace is given: pass a CSV file with the columns submit_s, duration_s and gpus, such as the \
                        Microsoft Philly trace (github.com/msr-fiddle/philly-traces) flattened to one job a line";

/// The most servers of a pool.
const SERVER_LIMIT: u32 = 1_000_000;

/// Warm decisions that are timed.
const TIMED: usize = 21;

fn main() -> ExitCode {
    match run(&arguments::of_this_program()) {
        Ok(text) => {
            // A reader that closes early, such as `head`, is no fault.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("trace_epoch: {}", one_line(&message));
            ExitCode::from(2)
        }
    }
}

/// The rules to compare: a name, and the epochs whose mean counts. The first is the one that is planned and printed.
///
/// The others are baselines as in the paper: victims that turn out to be superfluous are not put back.
fn policies() -> Vec<(&'static str, Vec<Epoch>)> {
    let paper = |policy| Epoch::default().reclaimer(Reclaimer::new(policy).put_back(false));
    vec![
        ("best of three rules", vec![Epoch::default()]),
        ("the paper's greedy", vec![paper(Policy::Aryl)]),
        ("smallest count first", vec![paper(Policy::SmallestCountFirst)]),
        ("random, mean of 10", (0..10).map(|seed| paper(Policy::Random { seed })).collect()),
    ]
}

/// Plans an epoch on the trace that the command line names. Gives the text to print, or one line that says what is wrong.
pub(crate) fn run(words: &[String]) -> Result<String, String> {
    let options = Options::parse(words)?;
    if options.help {
        return Ok(HELP.to_string());
    }
    let path = options.file.as_deref().ok_or(NO_TRACE)?;
    let fault = |error: String| format!("{path}: {error}");
    let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    let jobs = trace::parse(&text).map_err(fault)?;
    let second = options.second.unwrap_or_else(|| trace::busiest_second(&jobs));
    if !jobs.iter().any(|job| job.runs_at(second)) {
        return Err(fault(format!("no job runs at second {second}")));
    }

    // The snapshot: who runs and who waits at that second.
    let drawn = drawn::draw(&jobs, options.seed);
    let cluster =
        fill::fill(&jobs, &drawn, second, options.servers).map_err(|error| fault(error.to_string()))?;

    // The decision, and how long it takes once its memory is warm.
    let (plan, time) = time_of_decision(&Epoch::default(), &cluster, options.reclaim).map_err(fault)?;

    let mut out = String::new();
    instance(&mut out, path, &jobs, &drawn, second, &options);
    totals(&mut out, &cluster, &plan);
    compare(&mut out, &cluster, options.reclaim).map_err(fault)?;
    let build = if cfg!(debug_assertions) { "debug build, so slow" } else { "release build" };
    out.push_str(&format!(
        "\nTime of the decision: {:.3} ms on this machine (median of {TIMED} warm calls, {build})\n",
        time.as_secs_f64() * 1_000.0
    ));
    paragraph(
        &mut out,
        "* ",
        "depends on the flags that are drawn: the trace does not say which jobs are elastic or \
         fungible. Jobs hold what they asked for in the trace; an elastic job can use up to twice that.",
    );
    Ok(out)
}

/// Plans in memory that is kept from call to call, as a scheduler would, and gives the median time.
fn time_of_decision(epoch: &Epoch, cluster: &Cluster, servers: u32) -> Result<(Plan, Duration), String> {
    let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
    let mut decide = |plan: &mut Plan| {
        epoch
            .plan_into(cluster, Request::reclaim(servers), &mut workspace, plan)
            .map_err(|error| refused(servers, &error.to_string()))
    };
    decide(&mut plan)?;
    let mut times = Vec::with_capacity(TIMED);
    for _ in 0..TIMED {
        let start = Instant::now();
        decide(&mut plan)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok((plan, times[TIMED / 2]))
}

fn refused(servers: u32, error: &str) -> String {
    format!("can't give {} back: {error}", count(u64::from(servers), "server"))
}

/// What was planned for: nothing here depends on the machine.
fn instance(
    out: &mut String,
    path: &str,
    jobs: &[TraceJob],
    drawn: &drawn::Drawn,
    second: u64,
    options: &Options,
) {
    let Servers { training, on_loan } = options.servers;
    let name = std::path::Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    let is_default = if options.second.is_none() { ", the busiest" } else { "" };
    let running: Vec<usize> = (0..jobs.len()).filter(|&at| jobs[at].runs_at(second)).collect();
    let gpus = |at: usize| u64::from(jobs[at].gpus);
    let asked: u64 = running.iter().map(|&at| gpus(at)).sum();
    let text = format!(
        "{}: {}. At second {second}{is_default}, {} of them would run and ask for {}.",
        one_line(&name),
        count(jobs.len() as u64, "job"),
        grouped(running.len() as u64),
        count(asked, "GPU")
    );
    paragraph(out, "trace     ", &text);
    let text = format!(
        "{} of {GPUS_A_SERVER} V100, and {} of {GPUS_A_SERVER} T4; three T4 do the work of one V100, so a fungible job \
         takes three times the GPUs there. Filled in the order of submission, best fit; the others wait.",
        count(u64::from(training), "training server"),
        count(u64::from(on_loan), "on-loan server"),
    );
    paragraph(out, "cluster   ", &text);
    let share =
        |flags: &[bool]| percent(flags.iter().filter(|&&flag| flag).count() as u64, flags.len() as u64);
    let elastic_time =
        jobs.iter().zip(&drawn.elastic).filter(|entry| *entry.1).map(|(job, _)| job.gpu_seconds());
    let all_time = jobs.iter().map(TraceJob::gpu_seconds).sum::<u128>();
    let elastic_now: u64 = running.iter().filter(|&&at| drawn.elastic[at]).map(|&at| gpus(at)).sum();
    let text = format!(
        "by seed {}: {} of all jobs are elastic and hold {:.1} % of all GPU time ({} of the GPUs asked for at this \
         second); {} of all jobs are fungible.",
        options.seed,
        share(&drawn.elastic),
        100.0 * elastic_time.sum::<u128>() as f64 / all_time as f64,
        percent(elastic_now, asked),
        share(&drawn.fungible),
    );
    paragraph(out, "drawn *   ", &text);
    let text =
        format!("{} of {} are asked back.", options.reclaim, count(u64::from(on_loan), "on-loan server"));
    paragraph(out, "request   ", &text);
}

fn totals(out: &mut String, cluster: &Cluster, plan: &Plan) {
    let totals = plan.totals();
    let row = |name: &str, before: String, after: String| vec![name.to_string(), before, after];
    let jobs = |number: u32| grouped(u64::from(number));
    let busy = |busy: u64, gpus: u64| format!("{} ({})", grouped(busy), percent(busy, gpus));
    out.push('\n');
    let rows = [
        row("", "before".to_string(), "after".to_string()),
        row("jobs that run *", jobs(totals.running_before), jobs(totals.running_after)),
        row("jobs that wait *", jobs(totals.waiting_before), jobs(totals.waiting_after)),
        row("GPUs for training", grouped(totals.gpus_before), grouped(totals.gpus_after)),
        row(
            "GPUs busy *",
            busy(totals.busy_before, totals.gpus_before),
            busy(totals.busy_after, totals.gpus_after),
        ),
        row(
            "JCT reduction by flexible workers *",
            seconds(totals.jct_reduction_before),
            seconds(totals.jct_reduction_after),
        ),
    ];
    table(out, &rows);
    for allocation in plan.allocations() {
        let certificate = &allocation.certificate;
        let name = cluster.gpu_type(allocation.gpu_type).map_or("?", |gpu_type| gpu_type.name.as_str());
        let proof = if certificate.is_optimal() {
            "given out in the best way, which is proven".to_string()
        } else {
            format!("given out within {} of the best", percent(certificate.gap(), certificate.bound()))
        };
        let text = format!(
            "{} of type {name} and {}: {proof} *",
            count(allocation.capacity, "spare GPU"),
            count(u64::from(allocation.jobs), "elastic job"),
        );
        paragraph(out, "  ", &text);
    }
}

/// Asks each rule for the same servers, and compares what that costs.
fn compare(out: &mut String, cluster: &Cluster, servers: u32) -> Result<(), String> {
    out.push('\n');
    let headings = ["reclaim by", "jobs preempted *", "collateral damage *", "at least *"];
    let mut rows = vec![headings.map(str::to_string).to_vec()];
    for (name, epochs) in policies() {
        let (mut preempted, mut damage, mut bound) = (0, 0.0, 0);
        for epoch in &epochs {
            let plan = epoch.plan(cluster, Request::reclaim(servers));
            let plan = plan.map_err(|error| refused(servers, &error.to_string()))?;
            let reclaim = plan.reclaim();
            preempted += reclaim.preempted().len();
            damage += reclaim.collateral_damage();
            bound = reclaim.certificate().bound().max(bound);
        }
        let mean = epochs.len() as f64;
        let preempted = preempted as f64 / mean;
        let row = [
            name.to_string(),
            if epochs.len() == 1 { format!("{preempted:.0}") } else { format!("{preempted:.1}") },
            format!("{:.1} %", 100.0 * damage / mean),
            grouped(bound),
        ];
        rows.push(row.to_vec());
    }
    table(out, &rows);
    Ok(())
}

/// What the command line says.
struct Options {
    file: Option<String>,
    second: Option<u64>,
    seed: u64,
    servers: Servers,
    reclaim: u32,
    help: bool,
}

impl Options {
    fn parse(words: &[String]) -> Result<Self, String> {
        let servers = Servers { training: 96, on_loan: 40 };
        let mut options = Self { file: None, second: None, seed: 1, servers, reclaim: 10, help: false };
        let mut arguments = Arguments::new(words);
        while let Some(argument) = arguments.next()? {
            match argument {
                Argument::Option(option) => match option.as_str() {
                    "--second" => options.second = Some(arguments.number(&option)?),
                    "--seed" => options.seed = arguments.number(&option)?,
                    "--training" => options.servers.training = arguments.number(&option)?,
                    "--on-loan" => options.servers.on_loan = arguments.number(&option)?,
                    "--reclaim" => options.reclaim = arguments.number(&option)?,
                    "--help" | "-h" => options.help = true,
                    unknown => return Err(format!("unknown option '{unknown}'; --help lists the options")),
                },
                Argument::Word(word) if options.file.is_none() => options.file = Some(word),
                Argument::Word(word) => {
                    return Err(format!("one trace at a time, but '{word}' is given too"));
                }
            }
        }
        let Servers { training, on_loan } = options.servers;
        if let Some(servers) = [training, on_loan].into_iter().find(|&servers| servers > SERVER_LIMIT) {
            return Err(format!(
                "{} servers are above the limit of {}",
                grouped(servers.into()),
                grouped(SERVER_LIMIT.into())
            ));
        }
        Ok(options)
    }
}
