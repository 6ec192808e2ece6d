//! Replays a trace of training jobs under several policies, and compares what they do.
//!
//! ```text
//! cargo run --release --manifest-path examples/replay/Cargo.toml
//! cargo run --release --manifest-path examples/replay/Cargo.toml -- jobs.csv fifo sjf aryl --svg charts
//! ```
//!
//! The trace is a file of comma-separated lines with the columns `submit_s`, `duration_s` and `gpus`. Without one, a small
//! trace is generated.

#[path = "../../common/arguments.rs"]
mod arguments;
mod charts;
#[path = "../../common/columns.rs"]
mod columns;
#[path = "../../common/grid.rs"]
mod grid;
#[path = "../../common/input.rs"]
#[allow(dead_code, reason = "shared with the other examples")]
mod input;
#[path = "../../common/load.rs"]
mod load;
#[path = "../../common/runs.rs"]
mod runs;
#[path = "../../common/schemes.rs"]
mod schemes;
#[path = "../../common/text.rs"]
#[allow(dead_code, reason = "shared with the other examples")]
mod text;
#[path = "../../common/trace.rs"]
#[allow(dead_code, reason = "shared with the other examples")]
mod trace;

use std::process::ExitCode;
use std::time::Instant;

use arguments::{Argument, Arguments};
use aryl::sim::metrics::{Report, Summary};
use charts::Drawing;
use input::Input;
use runs::Run;
use schemes::Scheme;
use text::{count, grouped, one_line, percent};

const USAGE: &str = "\
Replays a trace of training jobs under several policies, and compares what they do.

usage: replay [options] [trace.csv] [policy ...]

  trace.csv           jobs, one a line, under a first line that names the columns submit_s, duration_s and gpus;
                      without it, a trace like that of the Aryl paper is generated, in proportion to the servers
  policy              any of those below; by default fifo, sjf, opportunistic, gandiva, afs and aryl
  --svg DIR           draw usage, servers on loan, and the distributions of queuing and completion times into DIR
";

/// The policies that are compared where none is named.
const DEFAULT: [&str; 6] = ["fifo", "sjf", "opportunistic", "gandiva", "afs", "aryl"];

fn main() -> ExitCode {
    match run(&arguments::of_this_program()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("replay: {}", one_line(&message));
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<String, String> {
    let Some(options) = Options::parse(words)? else {
        return Ok(format!(
            "{USAGE}{}  --help              print this text\n\npolicies: {}\n",
            input::OPTIONS,
            schemes::keys()
        ));
    };
    let start = Instant::now();
    let input = &options.input;
    let servers = input.servers(if input.trace.is_some() { input::PHILLY } else { input::SMALL });
    let setup = input::setup(servers);
    let kinds = input.kinds(input.scenario);
    let workload = input.workload(&input.recorded(servers)?, &kinds, input.seed)?;

    let runs: Vec<Run<'_>> =
        options.schemes.iter().map(|&scheme| Run { setup: &setup, workload: &workload, scheme }).collect();
    let gpus = setup.training_gpus() + setup.inference_gpus();
    let results =
        runs::all(&runs, |report| (cells(report), options.svg.is_some().then(|| Drawing::of(report, gpus))))?;

    let mut text = format!("{}; {}\n", input.says(servers), count(workload.jobs.len() as u64, "job"));
    text.push_str(&kinds_text(&workload, input));
    let titles = || options.schemes.iter().map(|scheme| scheme.title.to_string());
    let table = |heading: &[&str], cells: fn(&Cells) -> &Vec<String>| {
        let heading = heading.iter().map(|name| (*name).to_string()).collect();
        let rows = titles().zip(&results).map(|(title, (row, _))| [vec![title], cells(row).clone()].concat());
        grid::grid(&[heading].into_iter().chain(rows).collect::<Vec<_>>())
    };
    text.push('\n');
    text.push_str(&table(&TIMES, |cells| &cells.times));
    text.push('\n');
    text.push_str(&table(&REST, |cells| &cells.rest));
    text.push_str("\nqueuing and JCT in seconds; usage up to the last submission; fairness: JCT over that with a fair share\n");
    if let Some(folder) = &options.svg {
        let drawings: Vec<(&str, &Drawing)> = options
            .schemes
            .iter()
            .zip(&results)
            .filter_map(|(scheme, (_, drawing))| Some((scheme.title, drawing.as_ref()?)))
            .collect();
        for file in charts::draw(folder, &drawings)? {
            text.push_str(&format!("drawn: {file}\n"));
        }
    }
    text.push_str(&format!("took {:.1} s\n", start.elapsed().as_secs_f64()));
    Ok(text)
}

/// The kinds of the jobs, which no trace says.
fn kinds_text(workload: &aryl::sim::workload::Workload, input: &Input) -> String {
    let total = workload.jobs.len() as u64;
    let share = |flag: &dyn Fn(&aryl::cluster::Job) -> bool| {
        percent(workload.jobs.iter().filter(|job| flag(&job.job)).count() as u64, total)
            .replace(text::GLUE, " ")
    };
    format!(
        "{} scenario, drawn by seed {}: {} of the jobs elastic, {} on any GPU type, {} mixing types\n",
        input.scenario.name(),
        input.seed,
        share(&|job| job.is_elastic()),
        share(&|job| job.gpu_types == aryl::cluster::AllowedGpuTypes::Any),
        share(&|job| job.is_heterogeneous()),
    )
}

const TIMES: [&str; 11] =
    ["policy", "queuing mean", "p50", "p75", "p95", "p99", "JCT mean", "p50", "p75", "p95", "p99"];

const REST: [&str; 12] = [
    "policy",
    "usage training",
    "overall",
    "on loan",
    "preempted",
    "suspended",
    "collateral",
    "by scale-in",
    "resizes",
    "fairness",
    "makespan (h)",
    "decision p50 / p99 (ms)",
];

/// What a report adds to the two tables.
struct Cells {
    times: Vec<String>,
    rest: Vec<String>,
}

fn cells(report: &Report) -> Cells {
    let seconds = |time: aryl::units::Seconds| grouped(time.0.round() as u64);
    let summary =
        |summary: Summary| [summary.mean, summary.p50, summary.p75, summary.p95, summary.p99].map(seconds);
    let times = [summary(report.queuing()), summary(report.jct())].concat();
    let share = |share: f64| format!("{:.1} %", 100.0 * share);
    let some = |any: bool, text: String| if any { text } else { "-".to_string() };
    let loans = report.loans;
    let jobs = report.jobs.len() as f64;
    let rest = vec![
        share(report.usage.training),
        share(report.usage.overall),
        some(loans.lent > 0, share(report.usage.on_loan)),
        some(loans.lent > 0, format!("{:.2} %", 100.0 * report.preemption_ratio())),
        some(report.suspensions() > 0, format!("{:.1} %", 100.0 * report.suspensions() as f64 / jobs)),
        some(loans.returned > 0, share(report.collateral_damage())),
        some(loans.returned > 0, share(report.scale_in_share())),
        some(report.scaling_operations() > 0, grouped(report.scaling_operations())),
        format!("{:.2}", report.finish_time_fairness().0),
        format!("{:.0}", report.makespan.0 / 3_600.0),
        report.decision_latency.map_or("-".to_string(), |latency| {
            format!("{:.2} / {:.2}", latency.p50.0 * 1e3, latency.p99.0 * 1e3)
        }),
    ];
    Cells { times, rest }
}

/// What the command line says.
struct Options {
    input: Input,
    schemes: Vec<&'static Scheme>,
    svg: Option<String>,
}

impl Options {
    /// `None` where help is asked for.
    fn parse(words: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self { input: Input::default(), schemes: Vec::new(), svg: None };
        let mut arguments = Arguments::new(words);
        while let Some(argument) = arguments.next()? {
            match argument {
                Argument::Option(option) => match option.as_str() {
                    "--help" | "-h" => return Ok(None),
                    "--svg" => options.svg = Some(arguments.value(&option, "a folder")?),
                    _ if options.input.option(&option, &mut arguments)? => {}
                    unknown => return Err(format!("unknown option '{unknown}'; --help lists the options")),
                },
                // A trace has a dot or a slash in it, a policy has not.
                Argument::Word(word) if word.contains(['.', '/', '\\']) => {
                    if options.input.trace.is_some() {
                        return Err(format!("one trace at a time, but '{word}' is given too"));
                    }
                    options.input.trace = Some(word);
                }
                Argument::Word(word) => options.schemes.push(schemes::find(&word)?),
            }
        }
        if options.schemes.is_empty() {
            options.schemes = DEFAULT.into_iter().map(schemes::find).collect::<Result<_, _>>()?;
        }
        Ok(Some(options))
    }
}
