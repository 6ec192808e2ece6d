//! Elastic jobs on training servers first, while these have room.

use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::cluster::{AllowedGpuTypes, Cluster, Pool};
use crate::epoch::{Action, Plan};
use crate::id::{GpuTypeId, JobId};

/// One in so many GPUs of the training servers is left to jobs that can run nowhere else.
const RESERVE: u64 = 10;

/// A copy of the cluster in which waiting elastic jobs that may run on any GPU type are bound to the types of the training
/// servers.
#[derive(Clone, Debug, Default)]
pub(super) struct TrainingFirst {
    pub(super) cluster: Cluster,
    bound: Vec<JobId>,
}

impl TrainingFirst {
    /// Makes the copy. `false` where no job is to be bound: none waits that the training servers have room for, or the
    /// inference servers are of the same type.
    pub(super) fn fill(&mut self, cluster: &Cluster) -> bool {
        self.bound.clear();
        let waits = |&id: &JobId| {
            let job = cluster.job(id).filter(|job| job.is_elastic() && !job.is_heterogeneous());
            job.is_some_and(|job| job.gpu_types == AllowedGpuTypes::Any) && !cluster.is_running(id)
        };
        self.bound.extend(cluster.jobs().map(|entry| entry.0).filter(waits));
        if self.bound.is_empty() {
            return false;
        }
        let mut all = 0;
        let (mut types, mut idle, mut is_apart) = (SmallVec::<[GpuTypeId; 4]>::new(), 0u64, true);
        for (id, server) in cluster.servers() {
            if server.pool == Pool::Training {
                idle += u64::from(cluster.free_gpus(id));
                all += u64::from(server.gpus);
                if !types.contains(&server.gpu_type) {
                    types.push(server.gpu_type);
                }
            } else {
                // Training servers have the lower ids.
                is_apart &= !types.contains(&server.gpu_type);
            }
        }
        let reserve = all / RESERVE;
        self.bound.retain(|&id| {
            let gpus =
                cluster.job(id).map_or(0, |job| u64::from(job.min_workers) * u64::from(job.gpus_per_worker));
            let fits = gpus + reserve <= idle;
            idle -= if fits { gpus } else { 0 };
            fits
        });
        if !is_apart || types.is_empty() || self.bound.is_empty() {
            return false;
        }
        self.cluster.clone_from(cluster);
        self.bound.retain(|&id| {
            let Some(mut job) = cluster.job(id).cloned() else { return false };
            job.gpu_types = AllowedGpuTypes::Only(types.clone());
            self.cluster.update_job(id, job).is_ok()
        });
        true
    }

    /// Whether a plan made from the copy starts all jobs that are bound.
    pub(super) fn all_start(&self, plan: &Plan) -> bool {
        let starts = |id: JobId| {
            plan.actions().iter().any(|action| matches!(action, Action::Start { job, .. } if *job == id))
        };
        self.bound.iter().all(|&id| starts(id))
    }
}
