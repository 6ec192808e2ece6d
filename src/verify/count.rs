//! Workers, reference workers and running time, counted from scratch.
//!
//! Nothing here calls the arithmetic of `units`, `cluster` or a solver: the few formulas are written out again, so that
//! a mistake there is not repeated here.

use alloc::collections::BTreeMap;

use crate::cluster::{Cluster, Job, Placement, Role};
use crate::id::{GpuTypeId, ServerId};
use crate::scaling::Scaling;

/// Workers of one job, by the GPU type of their servers. A type with no worker has no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Workers(BTreeMap<GpuTypeId, u64>);

impl Workers {
    /// The workers of these placements. Those on servers that the cluster does not hold are left out.
    pub(super) fn of<'a>(cluster: &Cluster, placements: impl IntoIterator<Item = &'a Placement>) -> Self {
        let mut workers = Self::default();
        for placement in placements {
            workers.add(cluster, placement.server, u64::from(placement.workers));
        }
        workers
    }

    /// The base workers of these placements.
    pub(super) fn base_of(cluster: &Cluster, placements: &[Placement]) -> Self {
        Self::of(cluster, placements.iter().filter(|placement| placement.role == Role::Base))
    }

    pub(super) fn add(&mut self, cluster: &Cluster, server: ServerId, workers: u64) {
        if let Some(server) = cluster.server(server).filter(|_| workers > 0) {
            *self.0.entry(server.gpu_type).or_default() += workers;
        }
    }

    /// These workers without some that are among them.
    pub(super) fn without(&self, cluster: &Cluster, server: ServerId, workers: u64) -> Self {
        let mut left = self.clone();
        if let Some(server) = cluster.server(server) {
            let held = left.0.remove(&server.gpu_type).unwrap_or(0);
            if held > workers {
                left.0.insert(server.gpu_type, held - workers);
            }
        }
        left
    }

    /// How many workers there are, of whatever type.
    pub(super) fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The types that the workers run on, in ascending order.
    pub(super) fn types(&self) -> impl Iterator<Item = GpuTypeId> + '_ {
        self.0.keys().copied()
    }

    /// Whole reference workers: the sum over the types of ⌊workers · speed⌋.
    pub(super) fn reference(&self, cluster: &Cluster) -> u64 {
        self.0.iter().map(|(&gpu_type, &workers)| whole_reference_workers(cluster, gpu_type, workers)).sum()
    }

    /// The fewest reference workers that are left when one worker leaves, whichever it is. 0 where there is none.
    pub(super) fn reference_without_one(&self, cluster: &Cluster) -> u64 {
        let all = self.reference(cluster);
        let without_one_of = |(&gpu_type, &workers): (&GpuTypeId, &u64)| {
            all - whole_reference_workers(cluster, gpu_type, workers)
                + whole_reference_workers(cluster, gpu_type, workers - 1)
        };
        self.0.iter().map(without_one_of).min().unwrap_or(0)
    }

    /// The time to the end of the job with these workers, in seconds: its remaining time, divided by the speedup of the
    /// reference workers over its minimum and, where more than one GPU type is in use, by its mixing efficiency.
    ///
    /// Workers beyond the maximum bring nothing, and fewer than the minimum are counted as the minimum.
    pub(super) fn running_time(&self, cluster: &Cluster, job: &Job) -> f64 {
        let most = u64::from(job.max_workers);
        let workers = self.reference(cluster).min(most).max(u64::from(job.min_workers)) as u32;
        let alone = job.remaining.0 / job.scaling.speedup(job.min_workers, workers);
        match job.mixing_efficiency {
            Some(efficiency) if self.0.len() > 1 => alone / efficiency,
            _ => alone,
        }
    }
}

/// ⌊workers · speed⌋, in numbers wide enough for any count.
fn whole_reference_workers(cluster: &Cluster, gpu_type: GpuTypeId, workers: u64) -> u64 {
    let Some(gpu_type) = cluster.gpu_type(gpu_type) else { return 0 };
    let (numerator, denominator) = gpu_type.speed;
    let whole = u128::from(workers) * u128::from(numerator) / u128::from(denominator.max(1));
    u64::try_from(whole).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{GpuType, Server};
    use crate::units::Seconds;

    #[test]
    fn each_type_counts_its_own_whole_reference_workers() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(2, 6)).unwrap();
        let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(5, 2)).unwrap();
        let [v, t, a] = [v100, t4, a100].map(|kind| cluster.add_server(Server::training(kind, 64)).unwrap());
        let count = |list: &[(ServerId, u32)]| {
            let placements: alloc::vec::Vec<Placement> =
                list.iter().map(|&(server, workers)| Placement::flexible(server, workers)).collect();
            let workers = Workers::of(&cluster, &placements);
            (workers.total(), workers.reference(&cluster), workers.reference_without_one(&cluster))
        };
        assert_eq!(count(&[]), (0, 0, 0));
        assert_eq!(count(&[(t, 5)]), (5, 1, 1));
        assert_eq!(count(&[(t, 3)]), (3, 1, 0));
        assert_eq!(count(&[(a, 3)]), (3, 7, 5));
        assert_eq!(count(&[(v, 1), (t, 5), (a, 1)]), (7, 4, 2));
        assert_eq!(count(&[(t, 2), (t, 1)]), (3, 1, 0));
        assert_eq!(count(&[(a, 3), (t, 0)]), (3, 7, 5));
    }

    #[test]
    fn a_type_whose_workers_are_all_gone_is_not_there() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let server = cluster.add_server(Server::training(v100, 8)).unwrap();
        let workers = Workers::of(&cluster, &[Placement::flexible(server, 2)]);
        assert_eq!(workers.without(&cluster, server, 1).total(), 1);
        assert_eq!(workers.without(&cluster, server, 2), Workers::default());
    }

    #[test]
    fn time_is_divided_by_the_efficiency_only_where_types_are_mixed() {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
        let [v, t] = [v100, t4].map(|kind| cluster.add_server(Server::training(kind, 64)).unwrap());
        let job = Job::elastic(2..=4).remaining(Seconds(120.0)).fungible().heterogeneous_at(0.5);
        let time = |list: &[(ServerId, u32)]| {
            let mut workers = Workers::default();
            list.iter().for_each(|&(server, count)| workers.add(&cluster, server, u64::from(count)));
            workers.running_time(&cluster, &job)
        };
        assert!((time(&[(v, 2)]) - 120.0).abs() < 1e-9);
        assert!((time(&[(v, 4)]) - 60.0).abs() < 1e-9);
        assert!((time(&[(v, 9)]) - 60.0).abs() < 1e-9);
        assert!((time(&[(v, 1)]) - 120.0).abs() < 1e-9);
        assert!((time(&[(t, 9)]) - 80.0).abs() < 1e-9);
        assert!((time(&[(v, 1), (t, 9)]) - 120.0).abs() < 1e-9);
    }
}
