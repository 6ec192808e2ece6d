use aryl::cluster::{Cluster, Job, Server};
use aryl::epoch::{Action, Plan};
use aryl::id::{JobId, ServerId};
use aryl::units::Seconds;
use std::{collections::HashMap, error::Error};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The snapshot, with this scheduler's own names beside it.
#[derive(Default)]
struct Scheduler {
    cluster: Cluster,
    nodes: Vec<String>, // the name of a server, at the index of its id
    jobs: Vec<String>,  // the name of a job, at the index of its id
    ids: HashMap<String, JobId>, // and back: from the name of a job to its id
}

impl Scheduler {
    fn add_node(&mut self, name: &str, server: Server) -> Result<ServerId> {
        let id = self.cluster.add_server(server)?;
        self.nodes.push(name.to_owned());
        Ok(id)
    }

    fn add_job(&mut self, name: &str, job: Job) -> Result<JobId> {
        let id = self.cluster.add_job(job)?;
        self.jobs.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        Ok(id)
    }

    /// A step in our own names: what a real scheduler sends to its nodes.
    fn order(&self, step: &Action) -> String {
        let job = |id: JobId| &self.jobs[id.index()];
        let node = |id: ServerId| &self.nodes[id.index()];
        match *step {
            Action::Preempt { job: id } => format!("stop {}", job(id)),
            Action::ScaleIn { job: id, server, workers, .. } => {
                format!("{}: -{workers} on {}", job(id), node(server))
            }
            Action::Return { server } => format!("{} goes back", node(server)),
            Action::Lend { server } => format!("{} comes on loan", node(server)),
            Action::Start { job: id, server, workers } => {
                format!("start {}: {workers} on {}", job(id), node(server))
            }
            Action::ScaleOut { job: id, server, workers } => {
                format!("{}: +{workers} on {}", job(id), node(server))
            }
            _ => step.to_string(),
        }
    }

    /// The steps of a plan that change something, in order.
    fn orders(&self, plan: &Plan) -> Vec<String> {
        let changes = plan.actions().iter().filter(|step| step.is_change());
        changes.map(|step| self.order(step)).collect()
    }
}
