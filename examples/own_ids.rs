//! The call of a scheduler with names of its own, after the manner of Slurm: nodes and jobs by name go in, assignments,
//! victims and nodes to give back come out by name. Run it with `cargo run --release --example own_ids`.
use std::{cmp::Reverse, collections::HashMap, error::Error, iter::once};

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::reclaim::{Ask, CostModel};
use aryl::units::Seconds;

struct Node<'a>(&'a str, u32, bool); // name, GPUs, whether inference lends it
struct Work<'a> {
    name: &'a str,
    priority: u32,
    gpus: u32, // one worker on each
    seconds: f64,
    on: &'a [(&'a str, u32)], // node and GPUs held; empty while it is pending
}
#[derive(Default)]
struct Decision<'a> {
    assignments: Vec<(&'a str, &'a str, u32)>, // job, node, GPUs
    victims: Vec<&'a str>,
    given_back: Vec<&'a str>,
}

fn schedule<'a>(nodes: &[Node<'a>], jobs: &[Work<'a>], ask: u32) -> Result<Decision<'a>, Box<dyn Error>> {
    let (mut cluster, mut servers, mut decision) = (Cluster::new(), HashMap::new(), Decision::default());
    let gpu = cluster.add_gpu_type(GpuType::new("A100"))?;
    for &Node(name, gpus, lent) in nodes {
        let server = if lent { Server::on_loan(gpu, gpus) } else { Server::training(gpu, gpus) };
        servers.insert(name, cluster.add_server(server)?); // ids count up: they are places in `nodes`
    }
    let find = |name: &str| servers.get(name).copied().ok_or(format!("there is no node {name}"));
    let entry =
        |job: &Work<'_>| Job::inelastic(job.gpus).remaining(Seconds(job.seconds)).priority(job.priority);
    let (mut by_id, mut pending): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| !job.on.is_empty());
    for job in &by_id {
        let parts = job.on.iter().map(|(node, gpus)| Ok(Placement::base(find(node)?, *gpus)));
        let parts = parts.collect::<Result<Vec<_>, String>>()?;
        let id = cluster.add_job(entry(job))?;
        cluster.place(id, &parts)?;
    }
    // The crate starts short jobs first. Where priority comes before length, each priority has a round of its own. In the
    // first round nothing is pending yet: nodes go back, and a victim may start elsewhere.
    let before = cluster.clone();
    let mut request = Request::reclaim(Ask::servers(ask).costs(CostModel::Priority));
    pending.sort_by_key(|job| Reverse(job.priority));
    for round in once(&[][..]).chain(pending.chunk_by(|one, next| one.priority == next.priority)) {
        round.iter().try_for_each(|job| cluster.add_job(entry(job)).map(drop))?;
        let plan = Epoch::default().plan(&cluster, &request)?;
        cluster.apply(&plan)?;
        decision.given_back.extend(plan.reclaim().servers().iter().map(|server| nodes[server.index()].0));
        request = Request::NONE;
    }
    by_id.extend(pending); // jobs in the order in which they were added
    for (id, _) in cluster.jobs().filter(|&(id, _)| cluster.placements(id) != before.placements(id)) {
        let (job, now) = (by_id[id.index()].name, cluster.placements(id));
        decision.assignments.extend(now.iter().map(|part| (job, nodes[part.server.index()].0, part.workers)));
        decision.victims.extend(now.is_empty().then_some(job));
    }
    Ok(decision)
}

fn main() -> Result<(), Box<dyn Error>> {
    let nodes =
        [Node("gpu01", 8, false), Node("gpu02", 8, false), Node("inf07", 8, true), Node("inf09", 8, true)];
    let work = |name, priority, gpus, seconds, on| Work { name, priority, gpus, seconds, on };
    let jobs = [
        work("llama-sft", 50, 12, 40_000.0, &[("gpu01", 8), ("inf09", 4)]),
        work("resnet-sweep", 10, 8, 9_000.0, &[("inf07", 8)]),
        work("bert", 30, 6, 5_000.0, &[("gpu02", 6)]),
        work("debug-shell", 5, 4, 600.0, &[]),
        work("whisper", 20, 4, 30_000.0, &[]),
    ];
    let Decision { assignments, victims, given_back } = schedule(&nodes, &jobs, 1)?;
    assignments.iter().for_each(|(job, node, gpus)| println!("start {job} on {node}: {gpus} GPUs"));
    println!("stop {victims:?}, then give back {given_back:?}");
    assert_eq!(assignments, [("whisper", "inf09", 4)]); // not debug-shell, which is shorter
    Ok(())
}
