//! Plans one epoch for a cluster, and prints the plan so that a person can read it.
//!
//! ```text
//! cargo run --release --example plan                          # the cluster that comes with the crate
//! cargo run --release --example plan -- my_cluster.json       # another; - reads standard input
//! cargo run --release --example plan -- --reclaim 1 --json    # other numbers; the plan as JSON
//! ```
//!
//! What the library does stands in [`run`]: read a snapshot, plan, carry the plan out, plan again. The files beside this
//! one only turn the answer into text.
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core)] // The library is `no_std`, its examples are not.

#[path = "common/arguments.rs"]
mod arguments;
#[path = "common/document.rs"]
mod document;
#[path = "common/picture.rs"]
mod picture;
#[path = "common/reasons.rs"]
mod reasons;
#[path = "common/report.rs"]
mod report;
#[path = "common/text.rs"]
mod text;
#[path = "common/workforce.rs"]
mod workforce;

use std::io::{Read, Write};
use std::process::ExitCode;

use arguments::{Argument, Arguments};
use aryl::epoch::{Epoch, Request};
use aryl::reclaim::{Amount, Ask, Quantity};
use document::Document;
use reasons::Story;
use text::{count, one_line, paragraph};

const SMALL_CLUSTER: &str = include_str!("small_cluster.json");

const HELP: &str = "\
Plans one scheduling epoch: which servers go back, which jobs start, who gets the spare GPUs.

usage: plan [options] [file]

  file           a cluster as JSON; - reads standard input; without it, a small cluster that comes along
  --reclaim N    on-loan servers to give back, whatever the file asks
  --gpus N       the same, but so many that they have N GPUs
  --lend N       inference servers to take on loan, whatever the file asks
  --json         print the plan as JSON and nothing else
  --help         print this text

The file holds a cluster as the library writes it, or {\"cluster\": ..., \"request\": {\"reclaim\": 2, \"lend\": 0},
\"server_names\": [...], \"job_names\": [...]} with names in the order of ids; all but the cluster may be missing.
";

fn main() -> ExitCode {
    match run(&arguments::of_this_program(), &mut std::io::stdin()) {
        Ok(text) => {
            // A reader that closes early, such as `head`, is no fault.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("plan: {}", one_line(&message));
            ExitCode::from(2)
        }
    }
}

/// Plans the cluster that the command line names. Gives the text to print, or one line that says what is wrong.
pub(crate) fn run(words: &[String], input: &mut dyn Read) -> Result<String, String> {
    let options = Options::parse(words)?;
    if options.help {
        return Ok(HELP.to_string());
    }
    let (source, text) = options.read(input)?;
    let fault = |error: String| format!("{source}: {error}");

    // The snapshot is checked as it comes in: whatever is wrong with it is found here, by name.
    let document = Document::parse(&text).map_err(fault)?;
    let before = &document.cluster;
    let request = Request {
        reclaim: options.reclaim.as_ref().unwrap_or(&document.request.reclaim).into(),
        lend: options.lend.unwrap_or(document.request.lend),
    };

    // The decision is a pure function of the snapshot and of what is asked.
    let epoch = Epoch::default();
    let plan =
        epoch.plan(before, &request).map_err(|error| fault(format!("can't {}: {error}", asked(&request))))?;

    // Carry it out on a copy of the snapshot. A plan can always be carried out on the cluster that it was made for.
    let mut after = before.clone();
    after.apply(&plan).map_err(|error| fault(error.to_string()))?;

    // A good plan leaves nothing to be done: planning again gives an empty plan.
    let again = epoch.plan(&after, Request::NONE).map_err(|error| fault(error.to_string()))?;
    if !again.is_empty() {
        return Err(fault(format!("planned again, it is not done yet: {again}")));
    }

    if options.json {
        let json = serde_json::to_string_pretty(&plan).map_err(|error| fault(error.to_string()))?;
        return Ok(json + "\n");
    }
    let names = document.names();
    let mut out = String::new();
    paragraph(&mut out, "One epoch: ", &format!("{}, for {source}.", asked(&request)));
    report::write(&mut out, Story { names: &names, before, after: &after, plan: &plan });
    out.push_str("\nChecked: carried out on the snapshot and planned again, nothing is left to do.\n");
    Ok(out)
}

fn asked(request: &Request<'_>) -> String {
    let lend = count(u64::from(request.lend), "server");
    // A plain number of servers is printed with its digits in groups.
    let back = match request.reclaim.amount() {
        Amount::Any(Quantity::Servers(number)) if request.reclaim == Ask::servers(*number) => {
            format!("give {} back", count(u64::from(*number), "server"))
        }
        _ => format!("give back {}", request.reclaim),
    };
    match (request.reclaim.is_nothing(), request.lend) {
        (true, 0) => "plan, with no server changing hands".to_string(),
        (false, 0) => back,
        (true, _) => format!("take {lend} on loan"),
        (false, _) => format!("{back} and take {lend} on loan"),
    }
}

/// What the command line says.
#[derive(Default)]
struct Options {
    file: Option<String>,
    reclaim: Option<Ask<'static>>,
    lend: Option<u32>,
    json: bool,
    help: bool,
}

impl Options {
    fn parse(words: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = Arguments::new(words);
        while let Some(argument) = arguments.next()? {
            match argument {
                Argument::Option(option) => match option.as_str() {
                    "--reclaim" => options.reclaim = Some(Ask::servers(arguments.number(&option)?)),
                    "--gpus" => options.reclaim = Some(Ask::gpus(arguments.number(&option)?)),
                    "--lend" => options.lend = Some(arguments.number(&option)?),
                    "--json" => options.json = true,
                    "--help" | "-h" => options.help = true,
                    unknown => return Err(format!("unknown option '{unknown}'; --help lists the options")),
                },
                Argument::Word(word) if options.file.is_none() => options.file = Some(word),
                Argument::Word(word) => return Err(format!("one file at a time, but '{word}' is given too")),
            }
        }
        Ok(options)
    }

    /// What to call the snapshot, and its text.
    fn read(&self, input: &mut dyn Read) -> Result<(String, String), String> {
        match self.file.as_deref() {
            None => Ok(("the small cluster of this crate".to_string(), SMALL_CLUSTER.to_string())),
            Some("-") => {
                let mut text = String::new();
                input.read_to_string(&mut text).map_err(|error| format!("standard input: {error}"))?;
                Ok(("standard input".to_string(), text))
            }
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
                Ok((path.to_string(), text))
            }
        }
    }
}
