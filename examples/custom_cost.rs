//! What a preemption costs, by four measures: three that come with the crate, and one of the caller's own.
//!
//! ```text
//! cargo run --release --example custom_cost
//! ```

use std::error::Error;
use std::fmt::Write;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::reclaim::{Ask, CostModel, Costs, PreemptionCost};
use aryl::units::Seconds;

/// What the scheduler knows of each job, at the place of its id. Times in seconds; it is second 10,000 now.
struct Record {
    name: &'static str,
    team: &'static str,
    gpus: u32,
    server: usize,
    priority: u32,
    checkpointed: f64,
}

const NOW: Seconds = Seconds(10_000.0);
#[rustfmt::skip]
const JOBS: [Record; 6] = [
    Record { name: "ranker",   team: "ads",      gpus: 8, server: 0, priority: 3, checkpointed: 9_900.0 },
    Record { name: "sweep-1",  team: "research", gpus: 2, server: 1, priority: 1, checkpointed: 9_000.0 },
    Record { name: "sweep-2",  team: "research", gpus: 2, server: 1, priority: 1, checkpointed: 9_100.0 },
    Record { name: "thesis",   team: "research", gpus: 8, server: 2, priority: 1, checkpointed: 2_000.0 },
    Record { name: "keynote",  team: "demo",     gpus: 1, server: 3, priority: 0, checkpointed: 9_990.0 },
    Record { name: "backfill", team: "ads",      gpus: 4, server: 3, priority: 0, checkpointed: 6_000.0 },
];

/// The house rule: the work that is lost, in cents, by what the team pays for an hour of a GPU; and a restart costs the
/// ads team 5 euros of engineers' attention. The demo is not touched.
fn house_rule(record: &Record) -> PreemptionCost {
    let (cents_an_hour, restart) = match record.team {
        "demo" => return PreemptionCost::Protected,
        "ads" => (300.0, 500),
        _ => (120.0, 0),
    };
    let gpu_hours = f64::from(record.gpus) * (NOW.0 - record.checkpointed) / 3_600.0;
    PreemptionCost::Cost((gpu_hours * cents_an_hour).round() as u64 + restart)
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// One server is asked back, and the answer depends on what counts.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("A100"))?;
    let servers = [(); 4].map(|()| cluster.add_server(Server::on_loan(gpu, 8)));
    for record in &JOBS {
        let job = Job::inelastic(record.gpus)
            .priority(record.priority)
            .started(Seconds::ZERO)
            .checkpointed(Seconds(record.checkpointed));
        let id = cluster.add_job(job)?;
        cluster.place(id, &[Placement::base(servers[record.server].clone()?, record.gpus)])?;
    }

    let measures = [
        ("jobs, as in the paper", Costs::new(CostModel::Jobs), "job"),
        ("priority", Costs::new(CostModel::Priority), "points"),
        ("work since the checkpoint", Costs::new(CostModel::GpuSecondsLost).now(NOW), "GPU seconds"),
        ("the house rule", Costs::from_fn(&cluster, |id, _| house_rule(&JOBS[id.index()])), "cents"),
    ];
    let mut out = format!("{:28}{:11}{:20}cost\n", "what counts", "goes back", "preempted");
    for (measure, costs, unit) in measures {
        let plan = Epoch::default().plan(&cluster, Request::reclaim(Ask::servers(1).costs(costs)))?;
        let answer = plan.reclaim();
        let names: Vec<&str> = answer.preempted().iter().map(|job| JOBS[job.index()].name).collect();
        let (server, cost) = (answer.servers()[0].to_string(), answer.certificate().objective());
        let proof = if answer.certificate().is_optimal() { "proven the least" } else { "the least found" };
        writeln!(out, "{measure:28}{server:11}{:20}{cost} {unit}, {proof}", names.join(" "))?;
    }
    Ok(out)
}
