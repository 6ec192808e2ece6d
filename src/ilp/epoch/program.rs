//! The program of one epoch, and the cluster that its answer describes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::choices::{Choices, Type};
use super::value::Value;
use crate::certificate::Sense;
use crate::cluster::{Cluster, Placement, Role};
use crate::id::{JobId, ServerId};
use crate::ilp::backend;
use crate::ilp::error::{IlpError, WrongAnswer};
use crate::ilp::model::{Model, Relation};
use crate::units::Speed;

/// A server that training may use.
struct Host {
    id: ServerId,
    /// Its place among the types.
    at_type: usize,
    /// GPUs that base workers do not hold.
    open: u32,
}

pub(super) struct Program {
    types: Vec<Type>,
    hosts: Vec<Host>,
    jobs: Vec<Choices>,
    /// What the jobs without a choice are worth, in units.
    pub(super) constant: i128,
}

/// A model, and what its variables mean.
pub(super) struct Built {
    pub(super) model: Model,
    /// By job: the variables of its choices, then of its workers by host.
    jobs: Vec<Variables>,
}

struct Variables {
    first_choice: usize,
    /// Pairs of a host and the variable that counts workers there, beyond base workers of a running job.
    workers: Vec<(usize, usize)>,
}

impl Program {
    pub(super) fn new(cluster: &Cluster, value: &Value) -> Result<Self, IlpError> {
        let types: Vec<Type> =
            cluster.gpu_types().map(|(id, _)| (id, cluster.speed(id).unwrap_or(Speed::REFERENCE))).collect();
        let mut hosts = Vec::new();
        for (id, server) in cluster.servers().filter(|(_, server)| server.pool.is_for_training()) {
            let staying = cluster.tenants(id).iter().filter(|tenant| tenant.role == Role::Base);
            let gpus = |job: JobId| cluster.job(job).map_or(0, |job| job.gpus_per_worker);
            let held: u32 = staying.map(|tenant| tenant.workers * gpus(tenant.job)).sum();
            hosts.push(Host { id, at_type: server.gpu_type.index(), open: server.gpus - held });
        }
        let (mut jobs, mut constant) = (Vec::new(), 0);
        let mut variables = 0_u64;
        for (id, job) in cluster.jobs() {
            match Choices::of(cluster, value, &types, id, job)? {
                Some(choices) => {
                    variables += (choices.list.len() + hosts.len()) as u64;
                    backend::check_size(variables)?;
                    jobs.push(choices);
                }
                None => {
                    let held = cluster.inventory().tally(cluster.placements(id));
                    constant += i128::from(value.reduction(job, &held));
                }
            }
        }
        Ok(Self { types, hosts, jobs, constant })
    }

    pub(super) fn build(&self, cluster: &Cluster) -> Built {
        let mut model = Model::new(Sense::Maximize);
        let mut on_host: Vec<Vec<(usize, f64)>> = self.hosts.iter().map(|_| Vec::new()).collect();
        let mut jobs = Vec::new();
        for choices in &self.jobs {
            let first_choice = model.variables().len();
            for choice in &choices.list {
                model.variable(1, choice.worth as f64);
            }
            let chosen = first_choice..model.variables().len();
            let relation = if choices.is_running { Relation::Equal } else { Relation::AtMost };
            model.row(chosen.clone().map(|variable| (variable, 1.0)), relation, 1.0);

            let base = base_workers(cluster, choices.job);
            let mut variables = Variables { first_choice, workers: Vec::new() };
            for at_type in 0..self.types.len() {
                // The workers on the servers of a type are those of the choice, less the base that stays.
                let staying: u64 = self.on_type(at_type).filter_map(|at| base.get(&self.hosts[at].id)).sum();
                let beyond = |choice: usize| choices.list[choice].workers[at_type] - staying;
                let most = (0..choices.list.len()).map(beyond).max().unwrap_or(0);
                if most == 0 {
                    continue;
                }
                let mut terms: Vec<(usize, f64)> = Vec::new();
                for at in self.on_type(at_type) {
                    let fit = self.hosts[at].open / choices.gpus_per_worker;
                    // At most the GPUs of a server.
                    let upper = u64::from(fit).min(most) as u32;
                    if upper > 0 {
                        let counted = model.variable(upper, 0.0);
                        terms.push((counted, 1.0));
                        on_host[at].push((counted, f64::from(choices.gpus_per_worker)));
                        variables.workers.push((at, counted));
                    }
                }
                let taken = chosen.clone().enumerate().map(|(at, variable)| (variable, -(beyond(at) as f64)));
                terms.extend(taken.filter(|&(_, factor)| factor < 0.0));
                model.row(terms, Relation::Equal, 0.0);
            }
            jobs.push(variables);
        }
        for (host, terms) in self.hosts.iter().zip(on_host) {
            model.row(terms, Relation::AtMost, f64::from(host.open));
        }
        Built { model, jobs }
    }

    fn on_type(&self, at_type: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.hosts.len()).filter(move |&at| self.hosts[at].at_type == at_type)
    }

    /// The cluster as the values say, checked by the cluster itself.
    pub(super) fn after(
        &self,
        cluster: &Cluster,
        built: &Built,
        values: &[u32],
    ) -> Result<Cluster, IlpError> {
        let mut after = cluster.clone();
        // First all leave that change, so that their GPUs are free for each other.
        let mut arrivals: Vec<(JobId, Vec<Placement>)> = Vec::new();
        for (choices, variables) in self.jobs.iter().zip(&built.jobs) {
            let id = choices.job;
            let range = variables.first_choice..variables.first_choice + choices.list.len();
            let made: u32 = values[range].iter().sum();
            if made > 1 || (choices.is_running && made == 0) {
                return Err(WrongAnswer::JobChoices { job: id, choices: made }.into());
            }
            let workers = variables
                .workers
                .iter()
                .map(|&(host, variable)| (self.hosts[host].id, values[variable]))
                .filter(|&(_, workers)| workers > 0);
            let placements = if choices.is_running {
                let stay = cluster.placements(id).iter().copied().filter(|p| p.role == Role::Base);
                stay.chain(workers.map(|(server, workers)| Placement::flexible(server, workers))).collect()
            } else {
                self.gang(cluster, id, workers)
            };
            if made == 1 {
                if choices.is_running && after.stop(id).is_err() {
                    return Err(WrongAnswer::Placement { job: id, server: None }.into());
                }
                arrivals.push((id, placements));
            }
        }
        for (job, placements) in arrivals {
            if after.place(job, &placements).is_err() {
                let server = placements.last().map(|placement| placement.server);
                return Err(WrongAnswer::Placement { job, server }.into());
            }
        }
        Ok(after)
    }

    /// The workers of a job that starts: base workers from the first server on until they make up its minimum, then
    /// flexible ones.
    fn gang(
        &self,
        cluster: &Cluster,
        id: JobId,
        workers: impl Iterator<Item = (ServerId, u32)>,
    ) -> Vec<Placement> {
        let min = cluster.job(id).map_or(0, |job| u64::from(job.min_workers));
        let mut base = crate::cluster::Tally::default();
        let mut placements = Vec::new();
        for (server, workers) in workers {
            let Some(&(gpu_type, speed)) =
                cluster.server(server).and_then(|server| self.types.get(server.gpu_type.index()))
            else {
                continue;
            };
            let mut first = 0;
            while first < workers && base.reference_workers() < min {
                base.add(gpu_type, speed, 1);
                first += 1;
            }
            let parts = [(Placement::base(server, first)), (Placement::flexible(server, workers - first))];
            placements.extend(parts.into_iter().filter(|placement| placement.workers > 0));
        }
        placements
    }
}

/// The base workers of a job by server.
fn base_workers(cluster: &Cluster, job: JobId) -> BTreeMap<ServerId, u64> {
    let mut base = BTreeMap::new();
    for placement in cluster.placements(job).iter().filter(|placement| placement.role == Role::Base) {
        *base.entry(placement.server).or_default() += u64::from(placement.workers);
    }
    base
}
