//! Table 5 of the Aryl paper, replayed: schemes and scenarios, our figures beside the published ones, as ratios to FIFO.
//!
//! ```text
//! cargo run --release --manifest-path examples/table5/Cargo.toml              # a tenth of the paper's clusters
//! cargo run --release --manifest-path examples/table5/Cargo.toml -- --full    # 443 + 520 servers, 50,390 jobs
//! cargo run --release --manifest-path examples/table5/Cargo.toml -- jobs.csv --load load.csv --source azure_conv
//! ```

#[path = "../../common/arguments.rs"]
mod arguments;
#[path = "../../common/columns.rs"]
mod columns;
mod figures;
#[path = "../../common/grid.rs"]
mod grid;
#[path = "../../common/input.rs"]
mod input;
#[path = "../../common/load.rs"]
mod load;
mod paper;
#[path = "../../common/runs.rs"]
mod runs;
#[path = "../../common/schemes.rs"]
mod schemes;
mod sweeps;
#[path = "../../common/text.rs"]
#[allow(dead_code, reason = "shared with the other examples")]
mod text;
#[path = "../../common/trace.rs"]
#[allow(dead_code, reason = "shared with the other examples")]
mod trace;

use std::process::ExitCode;
use std::time::Instant;

use arguments::{Argument, Arguments};
use aryl::sim::Setup;
use aryl::sim::workload::{RecordedJob, Scenario, Workload};
use figures::Figures;
use input::Input;
use paper::ROWS;
use runs::Run;
use text::{count, grouped, one_line};

const USAGE: &str = "\
Table 5 of the Aryl paper, replayed: schemes and scenarios, our figures beside the published ones.

usage: table5 [options] [trace.csv]

  trace.csv           jobs, one a line, under a first line that names the columns submit_s, duration_s and gpus;
                      without it, a trace like that of the paper is generated, in proportion to the servers
  --full              the clusters of the paper: 443 and 520 servers
  --seeds N           replay N traces, of seed 1 and the seeds after it, and average; 1 by default
  --sweeps            the paper's sweeps too: elastic share, estimates, scaling, checkpoints, heterogeneous share
";

fn main() -> ExitCode {
    match run(&arguments::of_this_program()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("table5: {}", one_line(&message));
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<String, String> {
    let Some(options) = Options::parse(words)? else {
        return Ok(format!("{USAGE}{}  --help              print this text\n", input::OPTIONS));
    };
    let start = Instant::now();
    let default = match (&options.input.trace, options.is_full) {
        (_, true) => input::PAPER,
        (Some(_), false) => input::PHILLY,
        (None, false) => input::SMALL,
    };
    let servers = options.input.servers(default);
    let setup = input::setup(servers);
    let traces = options.traces(servers)?;
    let jobs = traces.iter().map(|(_, _, jobs)| jobs.len()).sum::<usize>() as u64;
    let mut text = format!(
        "{}\n{} in {}\n\n",
        options.input.says(servers),
        count(jobs, "job"),
        count(traces.len() as u64, "trace")
    );

    let figures = table(&setup, &traces)?;
    text.push_str(&beside_the_paper(&figures));
    text.push_str(
        "\nqueuing, JCT: FIFO's time over that of the scheme, so that above 1 is better (0 s: no time at all); then what the paper reports\n\n",
    );
    text.push_str(&absolute(&figures));
    if options.sweeps {
        text.push('\n');
        text.push_str(&sweep(&setup, &traces, &figures[0])?);
    }
    text.push_str(&format!(
        "\ntook {:.0} s on {}\n",
        start.elapsed().as_secs_f64(),
        count(rayon::current_num_threads() as u64, "core")
    ));
    Ok(text)
}

/// Recorded jobs, with the input and the seed that draw their kinds.
type Trace = (Input, u64, Vec<RecordedJob>);

/// The figures of each row, averaged over the traces.
fn table(setup: &Setup, traces: &[Trace]) -> Result<Vec<Figures>, String> {
    let workloads = |scenario: Scenario| -> Result<Vec<Workload>, String> {
        traces.iter().map(|(input, seed, jobs)| input.workload(jobs, &input.kinds(scenario), *seed)).collect()
    };
    let scenarios: Vec<(Scenario, Vec<Workload>)> = Scenario::ALL
        .into_iter()
        .map(|scenario| Ok((scenario, workloads(scenario)?)))
        .collect::<Result<_, String>>()?;
    let mut runs = Vec::new();
    for row in &ROWS {
        let scheme = schemes::find(row.scheme)?;
        let of_scenario = scenarios.iter().filter(|(scenario, _)| *scenario == row.scenario);
        for workload in of_scenario.flat_map(|(_, workloads)| workloads) {
            runs.push(Run { setup, workload, scheme });
        }
    }
    let figures = runs::all(&runs, Figures::of)?;
    Ok(figures.chunks(traces.len()).map(Figures::mean).collect())
}

/// Ratios to FIFO and shares, ours and the paper's.
fn beside_the_paper(figures: &[Figures]) -> String {
    let fifo = (&figures[0], ROWS[0].reported.as_ref());
    let heading = [
        "",
        "",
        "queuing",
        "paper",
        "p95",
        "paper",
        "JCT",
        "paper",
        "p50",
        "paper",
        "p95",
        "paper",
        "training",
        "paper",
        "overall",
        "paper",
        "preempted",
        "paper",
    ];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for (row, ours) in ROWS.iter().zip(figures) {
        let theirs = row.reported.as_ref();
        let ratio = |of: fn(&Figures) -> f64| match of(ours) {
            0.0 => "0 s".to_string(),
            time => format!("{:.2}x", of(fifo.0) / time),
        };
        let reported = |of: fn(&paper::Reported) -> f64| match (fifo.1, theirs) {
            (Some(fifo), Some(theirs)) => format!("{:.2}x", of(fifo) / of(theirs)),
            _ => String::new(),
        };
        let share = |share: f64| format!("{share:.2}");
        let some = |share: Option<f64>| share.map_or(String::new(), |share| format!("{share:.2}"));
        let percent =
            |share: f64| if share > 0.0 { format!("{:.2} %", 100.0 * share) } else { "-".to_string() };
        let title = schemes::find(row.scheme).map_or(row.scheme, |scheme| scheme.title);
        rows.push(vec![
            row.group.to_string(),
            format!("{title:<24}"),
            ratio(|figures| figures.queuing[0]),
            reported(|paper| paper.queuing[0]),
            ratio(|figures| figures.queuing[3]),
            reported(|paper| paper.queuing[2]),
            ratio(|figures| figures.jct[0]),
            reported(|paper| paper.jct[0]),
            ratio(|figures| figures.jct[1]),
            reported(|paper| paper.jct[1]),
            ratio(|figures| figures.jct[3]),
            reported(|paper| paper.jct[2]),
            share(ours.training_usage),
            theirs.map_or(String::new(), |paper| share(paper.training_usage)),
            share(ours.overall_usage),
            some(theirs.and_then(|paper| paper.overall_usage)),
            percent(ours.preempted),
            theirs.map_or(String::new(), |paper| paper.preempted.map_or("-".to_string(), percent)),
        ]);
    }
    grid::grid(&rows)
}

/// Our times, in seconds.
fn absolute(figures: &[Figures]) -> String {
    let heading = [
        "",
        "",
        "queuing (s)",
        "p50",
        "p75",
        "p95",
        "p99",
        "JCT (s)",
        "p50",
        "p75",
        "p95",
        "p99",
        "collateral",
        "by scale-in",
        "suspended",
    ];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for (row, ours) in ROWS.iter().zip(figures) {
        let title = schemes::find(row.scheme).map_or(row.scheme, |scheme| scheme.title);
        let mut cells = vec![row.group.to_string(), format!("{title:<24}")];
        cells.extend(ours.queuing.iter().chain(&ours.jct).map(|time| grouped(time.round() as u64)));
        for share in [ours.collateral, ours.by_scale_in, ours.suspended] {
            cells.push(if share > 0.0 { format!("{:.1} %", 100.0 * share) } else { "-".to_string() });
        }
        rows.push(cells);
    }
    grid::grid(&rows)
}

/// Aryl in the Basic scenario with one property changed, against FIFO, which knows nothing of these properties.
fn sweep(setup: &Setup, traces: &[Trace], fifo: &Figures) -> Result<String, String> {
    let sweeps = sweeps::all(&traces[0].0.kinds(Scenario::Basic));
    let scheme = schemes::find("aryl")?;
    let mut workloads = Vec::new();
    for (_, kinds) in sweeps.iter().flat_map(|sweep| &sweep.points) {
        for (input, seed, jobs) in traces {
            workloads.push(input.workload(jobs, kinds, *seed)?);
        }
    }
    let runs: Vec<Run<'_>> = workloads.iter().map(|workload| Run { setup, workload, scheme }).collect();
    let all = runs::all(&runs, Figures::of)?;
    let mut figures = all.chunks(traces.len()).map(Figures::mean);
    let heading = ["Aryl in Basic with", "queuing", "JCT", "training", "overall", "preempted", "by scale-in"];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    for sweep in &sweeps {
        rows.push(vec![sweep.title.to_string()]);
        for ((label, _), ours) in sweep.points.iter().zip(&mut figures) {
            rows.push(vec![
                format!("  {label}"),
                format!("{:.2}x", fifo.queuing[0] / ours.queuing[0]),
                format!("{:.2}x", fifo.jct[0] / ours.jct[0]),
                format!("{:.2}", ours.training_usage),
                format!("{:.2}", ours.overall_usage),
                format!("{:.2} %", 100.0 * ours.preempted),
                format!("{:.1} %", 100.0 * ours.by_scale_in),
            ]);
        }
    }
    Ok(grid::grid(&rows))
}

/// What the command line says.
struct Options {
    input: Input,
    is_full: bool,
    seeds: u64,
    sweeps: bool,
}

impl Options {
    /// `None` where help is asked for.
    fn parse(words: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self { input: Input::default(), is_full: false, seeds: 1, sweeps: false };
        let mut arguments = Arguments::new(words);
        while let Some(argument) = arguments.next()? {
            match argument {
                Argument::Option(option) => match option.as_str() {
                    "--help" | "-h" => return Ok(None),
                    "--full" => options.is_full = true,
                    "--sweeps" => options.sweeps = true,
                    "--seeds" => options.seeds = arguments.number(&option)?,
                    "--scenario" => {
                        return Err("the table has all scenarios: there is none to choose".to_string());
                    }
                    _ if options.input.option(&option, &mut arguments)? => {}
                    unknown => return Err(format!("unknown option '{unknown}'; --help lists the options")),
                },
                Argument::Word(word) if options.input.trace.is_none() => options.input.trace = Some(word),
                Argument::Word(word) => {
                    return Err(format!("one trace at a time, but '{word}' is given too"));
                }
            }
        }
        if options.seeds == 0 || options.seeds > 1_000 {
            return Err(format!("--seeds is {}; it must be from 1 to 1000", options.seeds));
        }
        Ok(Some(options))
    }

    /// The traces to replay: generated anew for each seed, or one whose kinds are drawn anew.
    fn traces(&self, servers: input::Servers) -> Result<Vec<Trace>, String> {
        (self.input.seed..self.input.seed.saturating_add(self.seeds))
            .map(|seed| {
                let input = self.input.with_seed(seed);
                let recorded = input.recorded(servers)?;
                Ok((input, seed, recorded))
            })
            .collect()
    }
}
