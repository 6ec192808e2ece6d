//! The written form of a cluster, checked on the way in.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Cluster, GpuType, Job, Placement, Server};
use crate::id::JobId;

/// A cluster as it is written. The place in each list is the id; `null` stands where a thing was removed, so that the
/// ids of the others stay what they are.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Cluster", deny_unknown_fields)]
pub(super) struct Snapshot {
    gpu_types: Vec<GpuType>,
    servers: Vec<Option<Server>>,
    jobs: Vec<Option<Job>>,
    #[serde(default)]
    placements: Vec<Running>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Running {
    job: JobId,
    workers: Vec<Placement>,
}

impl From<Cluster> for Snapshot {
    fn from(cluster: Cluster) -> Self {
        let running = |(job, _)| Running { job, workers: cluster.placements(job).to_vec() };
        let placements = cluster.jobs().filter(|(job, _)| cluster.is_running(*job)).map(running).collect();
        let inventory = cluster.inventory;
        Self { gpu_types: inventory.gpu_types, servers: inventory.servers, jobs: inventory.jobs, placements }
    }
}

impl TryFrom<Snapshot> for Cluster {
    type Error = String;

    fn try_from(snapshot: Snapshot) -> Result<Self, Self::Error> {
        let mut cluster = Self::new();
        for (index, gpu_type) in snapshot.gpu_types.into_iter().enumerate() {
            cluster.add_gpu_type(gpu_type).map_err(|error| format!("GPU type {index}: {error}"))?;
        }
        for (index, server) in snapshot.servers.into_iter().enumerate() {
            match server {
                Some(server) => {
                    cluster.add_server(server).map_err(|error| format!("server {index}: {error}"))?;
                }
                None => {
                    cluster.inventory.servers.push(None);
                    cluster.occupancy.push_server(0);
                }
            }
        }
        for (index, job) in snapshot.jobs.into_iter().enumerate() {
            match job {
                Some(job) => {
                    cluster.add_job(job).map_err(|error| format!("job {index}: {error}"))?;
                }
                None => {
                    cluster.inventory.jobs.push(None);
                    cluster.occupancy.push_job();
                }
            }
        }
        for running in snapshot.placements {
            cluster.place(running.job, &running.workers).map_err(|error| error.to_string())?;
        }
        Ok(cluster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ServerId;

    fn cluster() -> Cluster {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
        cluster.add_server(Server::training(v100, 8)).unwrap();
        let gone = cluster.add_server(Server::training(v100, 8)).unwrap();
        let lent = cluster.add_server(Server::on_loan(t4, 8)).unwrap();
        let gone_job = cluster.add_job(Job::inelastic(1)).unwrap();
        let job = cluster.add_job(Job::elastic(1..=2).fungible()).unwrap();
        cluster.add_job(Job::inelastic(2).on([t4])).unwrap();
        cluster.place(job, &[Placement::base(lent, 3).pinned(), Placement::flexible(lent, 2)]).unwrap();
        cluster.remove_server(gone).unwrap();
        cluster.remove_job(gone_job).unwrap();
        cluster
    }

    #[test]
    fn a_cluster_with_gaps_survives_the_round_trip() {
        let cluster = cluster();
        let text = serde_json::to_string_pretty(&cluster).unwrap();
        let back: Cluster = serde_json::from_str(&text).unwrap();
        assert_eq!(back, cluster);
        assert!(back.server(ServerId::new(1)).is_none());
        assert_eq!(back.tenants(ServerId::new(2)).len(), 2);
    }

    #[test]
    fn a_bad_snapshot_names_the_offender() {
        let base = serde_json::to_value(cluster()).unwrap();
        let refused = |change: &dyn Fn(&mut serde_json::Value), expected: &str| {
            let mut value = base.clone();
            change(&mut value);
            let error = serde_json::from_value::<Cluster>(value).unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} does not say {expected:?}");
        };
        refused(&|v| v["servers"][0]["gpus"] = 0.into(), "server 0: the server has 0 GPUs");
        refused(&|v| v["servers"][2]["gpus"] = 4.into(), "asks for 2 GPUs on server 2, which has 1 free");
        refused(&|v| v["servers"][2]["pool"] = "inference".into(), "inference pool");
        refused(&|v| v["servers"][0]["gpu_type"] = 7.into(), "server 0: the cluster holds no GPU type 7");
        refused(&|v| v["jobs"][1]["min_workers"] = 3.into(), "job 1: the job asks for at least 3");
        refused(&|v| v["jobs"][1]["remaining"] = (-1.0).into(), "job 1: the job's remaining time of -1 s");
        refused(&|v| v["gpu_types"][0]["speed"][0] = 2.into(), "GPU type 0: the first GPU type");
        refused(&|v| v["placements"][0]["job"] = 9.into(), "the cluster holds no job 9");
        refused(&|v| v["placements"][0]["workers"][0]["workers"] = 2.into(), "below its minimum of 1");
        refused(&|v| v["placements"][0]["workers"][1]["pinned"] = true.into(), "can't be pinned");
        refused(&|v| v["jobs"][1]["remainig"] = 5.into(), "unknown field `remainig`");
        let twice = |v: &mut serde_json::Value| {
            let again = v["placements"][0].clone();
            v["placements"].as_array_mut().unwrap().push(again);
        };
        refused(&twice, "job 1 is placed already");
    }
}
