//! From nodes and pods to a cluster of this crate, and the names back.

use std::collections::BTreeMap;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{JobId, ServerId};

use crate::dump::{Dump, GpuNode, JOB_LABEL, Worker};

/// A cluster, and what its ids are called.
pub(crate) struct Mapping {
    pub(crate) cluster: Cluster,
    /// The nodes with GPUs, at `id.index()` of their server.
    pub(crate) nodes: Vec<String>,
    /// The jobs, at `id.index()`.
    pub(crate) jobs: Vec<JobRecord>,
}

pub(crate) struct JobRecord {
    pub(crate) name: String,
    /// The running pods, with their servers.
    pub(crate) pods: Vec<(String, ServerId)>,
    pub(crate) min: u32,
}

impl Mapping {
    pub(crate) fn new(dump: &Dump) -> Result<Self, String> {
        let mut mapping = Self { cluster: Cluster::new(), nodes: Vec::new(), jobs: Vec::new() };
        let mut products = BTreeMap::new();
        let mut servers = BTreeMap::new();
        for node in &dump.nodes {
            let gpu_type = match products.get(&node.product) {
                Some(&known) => known,
                // All of the same speed: workers are counted in pods, and a job keeps to one product here.
                None => {
                    mapping.cluster.add_gpu_type(GpuType::new(&node.product)).map_err(named(&node.name))?
                }
            };
            products.insert(&node.product, gpu_type);
            let mut server = Server::training(gpu_type, node.gpus);
            (server.pool, server.protected) = (node.pool, node.protected);
            let id = mapping.cluster.add_server(server).map_err(named(&node.name))?;
            servers.insert(node.name.as_str(), (id, node));
            mapping.nodes.push(node.name.clone());
        }
        check_pods(dump, &servers)?;

        // Jobs in the order of their names, so that the order of the dump decides nothing.
        let mut jobs: BTreeMap<&str, Vec<&Worker>> = BTreeMap::new();
        for worker in &dump.workers {
            if let Some(job) = &worker.job {
                jobs.entry(job).or_default().push(worker);
            }
        }
        for (name, workers) in jobs {
            mapping.add_job(name, &workers, &servers)?;
        }
        Ok(mapping)
    }

    fn add_job(
        &mut self,
        name: &str,
        workers: &[&Worker],
        servers: &BTreeMap<&str, (ServerId, &GpuNode)>,
    ) -> Result<(), String> {
        let who = format!("job {name}");
        let first = workers[0];
        if let Some(other) = workers.iter().find(|worker| worker.gpus != first.gpus) {
            let (one, two) = (first.gpus, other.gpus);
            return Err(format!(
                "{who}: pod {} asks for {one} GPUs, and pod {} for {two}",
                first.name, other.name
            ));
        }
        // A number may stand on any of the pods, and all of those that have one must agree.
        let count = workers.len() as u32;
        let min = agreed(workers, |worker| worker.min).map_err(named(&who))?.unwrap_or(count);
        let max = agreed(workers, |worker| worker.max).map_err(named(&who))?.unwrap_or(count.max(min));
        let cost = agreed(workers, |worker| worker.cost).map_err(named(&who))?.unwrap_or(1);
        let mut job = Job::elastic(min..=max).gpus_per_worker(first.gpus).fungible().preemption_cost(cost);
        job.priority = workers.iter().map(|worker| worker.priority).max().unwrap_or(0);
        job.protected = workers.iter().any(|worker| worker.protected);
        let id = self.cluster.add_job(job).map_err(named(&who))?;

        // How many run where, and whether a pinned one is among them.
        let mut pods = Vec::new();
        let mut held: BTreeMap<ServerId, (bool, u32)> = BTreeMap::new();
        for worker in workers {
            let Some((server, _)) = worker.node.as_deref().and_then(|node| servers.get(node)) else {
                continue;
            };
            pods.push((worker.name.clone(), *server));
            let (pinned, count) = held.entry(*server).or_default();
            *pinned |= worker.pinned;
            *count += 1;
        }
        if !pods.is_empty() && pods.len() < min as usize {
            return Err(format!("{who} runs with {} pods, and needs {min}", pods.len()));
        }
        // The pinned ones and then as many as are needed are the base; the others are flexible.
        let mut held: Vec<(ServerId, (bool, u32))> = held.into_iter().collect();
        held.sort_by_key(|&(server, (pinned, _))| (!pinned, server));
        let (mut placements, mut base_left) = (Vec::new(), min);
        for (server, (pinned, count)) in held {
            let base = count.min(base_left);
            base_left -= base;
            let part = Placement::base(server, base);
            placements.push(if pinned && base > 0 { part.pinned() } else { part });
            placements.push(Placement::flexible(server, count - base));
        }
        placements.retain(|part| part.workers > 0);
        if !placements.is_empty() {
            self.cluster.place(id, &placements).map_err(named(&who))?;
        }
        self.jobs.push(JobRecord { name: name.to_string(), pods, min });
        Ok(())
    }

    pub(crate) fn job(&self, id: JobId) -> &JobRecord {
        &self.jobs[id.index()]
    }
}

/// Every pod is on a node that is there, has room for it, and may host it.
fn check_pods(dump: &Dump, servers: &BTreeMap<&str, (ServerId, &GpuNode)>) -> Result<(), String> {
    let mut asked: BTreeMap<&str, u64> = BTreeMap::new();
    for worker in &dump.workers {
        let Some(name) = worker.node.as_deref() else { continue };
        let pod = &worker.name;
        let Some((_, node)) = servers.get(name) else {
            return Err(match dump.node_names.iter().any(|known| known == name) {
                true => {
                    format!("pod {pod} asks for {} GPUs and runs on node {name}, which has none", worker.gpus)
                }
                false => format!("pod {pod} runs on node {name}, which is not in the list"),
            });
        };
        match (&worker.job, node.pool) {
            (None, Pool::Training | Pool::OnLoan) => {
                return Err(format!("pod {pod} on node {name} has no label {JOB_LABEL}"));
            }
            (Some(job), Pool::Inference) => {
                return Err(format!("pod {pod} of job {job} runs on node {name}, which serves inference"));
            }
            _ => {}
        }
        let sum = asked.entry(name).or_default();
        *sum += u64::from(worker.gpus);
        if *sum > u64::from(node.gpus) {
            return Err(format!("node {name} has {} GPUs, and its pods ask for {sum} or more", node.gpus));
        }
    }
    Ok(())
}

/// What the workers say, where they say it; an error where two of them differ.
fn agreed<T: Copy + PartialEq + std::fmt::Display>(
    workers: &[&Worker],
    say: impl Fn(&Worker) -> Option<T>,
) -> Result<Option<T>, String> {
    let mut said = workers.iter().filter_map(|worker| Some((worker, say(worker)?)));
    let Some((first, value)) = said.next() else { return Ok(None) };
    match said.find(|(_, other)| *other != value) {
        Some((other, two)) => {
            Err(format!("pod {} says {value}, and pod {} says {two}", first.name, other.name))
        }
        None => Ok(Some(value)),
    }
}

/// An error of the crate, which knows numbers only, with the name before it.
fn named<E: std::fmt::Display>(name: &str) -> impl Fn(E) -> String {
    move |error| format!("{name}: {error}")
}
