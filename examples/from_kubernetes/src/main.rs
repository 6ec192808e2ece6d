//! Plans a reclaim for what `kubectl get nodes,pods -A -o json` prints: which nodes go back, and which pods must leave them.
//!
//! ```text
//! cargo run --release --manifest-path examples/from_kubernetes/Cargo.toml -- dump.json -k 2
//! ```

mod dump;
mod mapping;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::process::ExitCode;

use aryl::id::JobId;
use aryl::reclaim::{Ask, CostModel, Reclaim, ReclaimError, Reclaimer};
use dump::Dump;
use mapping::Mapping;

const OWN_DUMP: &str = include_str!("../dump.json");
const HELP: &str = "\
Plans a reclaim: which nodes on loan go back to inference, and which pods must leave them.

usage: from_kubernetes [dump.json] [-k NUMBER] [--by-priority]

  dump.json       what `kubectl get nodes,pods -A -o json` prints; - reads standard input; without it, a small one that
                  comes along
  -k NUMBER       how many nodes to give back; 2 by default
  --by-priority   let preemptions cost 1 + the priority of the pods, not what the job's annotation says
";

fn main() -> ExitCode {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match run(&words) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("from_kubernetes: {}", message.replace(char::is_control, " "));
            ExitCode::from(2)
        }
    }
}

/// Gives the text to print, or one line that says what is wrong.
fn run(words: &[String]) -> Result<String, String> {
    let (mut path, mut nodes, mut by_priority) = (None, 2_u32, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-h" | "--help" => return Ok(HELP.to_string()),
            "-k" => {
                let value = words.next().ok_or("-k takes a number")?;
                nodes = value.parse().map_err(|_| format!("-k takes a whole number, not '{value}'"))?;
            }
            "--by-priority" => by_priority = true,
            option if option.starts_with('-') && option != "-" => {
                return Err(format!("unknown option {option}"));
            }
            _ if path.is_some() => return Err(format!("one dump at a time, but '{word}' is given too")),
            _ => path = Some(word.as_str()),
        }
    }
    let mut text = String::new();
    let source = path.unwrap_or("the dump that comes along");
    let fault = |error: String| format!("{source}: {error}");
    match path {
        None => text.push_str(OWN_DUMP),
        Some("-") => {
            std::io::stdin().read_to_string(&mut text).map_err(|error| fault(error.to_string()))?;
        }
        Some(path) => text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?,
    }
    plan(&text, nodes, by_priority).map_err(fault)
}

/// The plan for a dump.
fn plan(text: &str, nodes: u32, by_priority: bool) -> Result<String, String> {
    let mapping = Mapping::new(&Dump::parse(text)?)?;
    let model = if by_priority { CostModel::Priority } else { CostModel::Stated };
    let answer = Reclaimer::default()
        .solve(&mapping.cluster, Ask::servers(nodes).costs(model))
        .map_err(|error| in_names(&error, &mapping))?;

    let mut lines = Vec::new();
    for &server in answer.servers() {
        lines.push(format!("node {} goes back", mapping.nodes[server.index()]));
        let mut jobs: Vec<JobId> = mapping.cluster.tenants(server).iter().map(|tenant| tenant.job).collect();
        jobs.dedup(); // base and flexible workers of one job stand next to each other
        for id in jobs {
            let fate = fate(&mapping, &answer, id);
            let pods = mapping.job(id).pods.iter().filter(|(_, on)| *on == server);
            lines.extend(pods.map(|(pod, _)| format!("  delete pod {pod:28} {fate}")));
        }
    }
    let mut stay = Vec::new();
    for &id in answer.preempted() {
        let pods = mapping.job(id).pods.iter().filter(|(_, on)| !answer.servers().contains(on));
        stay.extend(pods.map(|(pod, on)| {
            let fate = fate(&mapping, &answer, id);
            format!("  delete pod {pod:28} {fate}, here on {}", mapping.nodes[on.index()])
        }));
    }
    if !stay.is_empty() {
        lines.push("on nodes that stay".to_string());
    }
    lines.extend(stay);
    lines.push(format!("preemption cost: {}", answer.certificate()));
    Ok(lines.join("\n") + "\n")
}

/// What becomes of a job with pods on a node that goes back.
fn fate(mapping: &Mapping, answer: &Reclaim, id: JobId) -> String {
    let job = mapping.job(id);
    if answer.preempted().contains(&id) {
        return format!("{} is preempted", job.name);
    }
    let leave: usize =
        answer.departures().iter().filter(|part| part.job == id).map(|part| part.workers as usize).sum();
    let held = job.pods.len();
    format!("{} runs on with {} of {held} pods, and needs {}", job.name, held - leave, job.min)
}

/// The error of a reclaim that can't be had, with the names of the jobs that stand in the way.
fn in_names(error: &ReclaimError, mapping: &Mapping) -> String {
    match error {
        ReclaimError::NotEnoughServers { asked, available, shortage, .. } => {
            let jobs: Vec<&str> =
                shortage.blocking.iter().map(|&job| mapping.job(job).name.as_str()).collect();
            format!(
                "{asked} nodes are to go back, and {available} of {} on loan can; protected nodes: {}; nodes with pods of \
                 protected jobs: {} ({})",
                shortage.on_loan,
                shortage.protected_servers,
                shortage.blocked_servers,
                jobs.join(", ")
            )
        }
        other => other.to_string(),
    }
}
