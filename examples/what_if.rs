//! What it would cost to ask back one server, two, three ...: a chart of the least preemption cost, and who pays.
//!
//! ```text
//! cargo run --release --example what_if
//! ```

use std::error::Error;
use std::fmt::Write;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::JobId;
use aryl::reclaim::{CostCurve, Costs, Reclaimer};

/// Workers by server.
type Workers = &'static [(usize, u32)];
/// Name, the least workers it runs with, what its preemption costs, and its workers.
const JOBS: [(&str, u32, u64, Workers); 8] = [
    ("pretrain", 16, 20, &[(0, 8), (1, 8)]),
    ("elastic-lm", 4, 5, &[(2, 4), (3, 6), (4, 2)]),
    ("tuning", 6, 3, &[(4, 2), (5, 4)]),
    ("sweep-1", 2, 1, &[(5, 2)]),
    ("sweep-2", 2, 1, &[(6, 2)]),
    ("sweep-3", 2, 1, &[(6, 2)]),
    ("vision", 8, 4, &[(7, 4), (8, 4)]),
    ("speech", 3, 2, &[(8, 3)]),
];
const SERVERS: usize = 10; // the last is idle

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// The chart for ten servers on loan.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("A100"))?;
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        servers.push(cluster.add_server(Server::on_loan(gpu, 8))?);
    }
    for (_, least, cost, workers) in JOBS {
        let most = workers.iter().map(|(_, count)| count).sum();
        let id = cluster.add_job(Job::elastic(least..=most).preemption_cost(cost))?;
        // The first workers are the base, the others are flexible.
        let (mut parts, mut base) = (Vec::new(), least);
        for &(server, count) in workers {
            let here = count.min(base);
            base -= here;
            let both =
                [Placement::base(servers[server], here), Placement::flexible(servers[server], count - here)];
            parts.extend(both.into_iter().filter(|part| part.workers > 0));
        }
        cluster.place(id, &parts)?;
    }

    // One search brackets the cost of every number. Asked for one number alone, the reclaimer closes the bracket and says who
    // pays.
    let curve = CostCurve::of(&cluster, &Costs::STATED)?;
    let mut out = String::from("servers  curve  cost\n");
    for (count, bracket) in (0..).zip((0..).map_while(|count| curve.certificate(count))) {
        let answer = Reclaimer::default().solve(&cluster, count)?;
        let (cost, name) = (answer.certificate().objective(), |job: JobId| JOBS[job.index()].0);
        let proof = if answer.certificate().is_optimal() { ' ' } else { '?' };
        let bracket = match bracket.is_optimal() {
            true => bracket.objective().to_string(),
            false => format!("{}-{}", bracket.bound(), bracket.objective()),
        };
        let line = format!("{count:>7}  {bracket:>5}  {cost:>4}{proof} {}", "#".repeat(cost as usize));
        writeln!(out, "{}", line.trim_end())?;
        let mut pay: Vec<String> = answer.preempted().iter().map(|&job| name(job).to_string()).collect();
        for parts in answer.departures().chunk_by(|one, next| one.job == next.job) {
            let workers: u32 = parts.iter().map(|part| part.workers).sum();
            pay.push(format!("{} loses {workers}", name(parts[0].job)));
        }
        if !pay.is_empty() {
            writeln!(out, "{:20}{}", "", pay.join(", "))?;
        }
    }
    Ok(out)
}
