//! The certificates of the allocation, held against what the flexible workers bring.

use alloc::collections::{BTreeMap, BTreeSet};

use super::PlanViolation;
use super::books::Books;
use super::count::Workers;
use crate::certificate::Sense;
use crate::cluster::{Cluster, Placement, Pool, Role};
use crate::epoch::{Action, Plan};
use crate::id::{GpuTypeId, JobId, ServerId};

/// The longest time that the allocation counts, in milliseconds.
const LONGEST: f64 = 9_007_199_254_740_992.0;

/// What there is of one GPU type after a plan.
#[derive(Default)]
struct OfType {
    /// GPUs that training may use, less those of base workers.
    capacity: u64,
    /// Elastic jobs that run on the type, heterogeneous ones aside.
    jobs: u32,
    /// How much sooner they end for their flexible workers, times their weights, in milliseconds.
    worth: f64,
    /// The resize overheads, times their weights, of those that are charged them.
    charged: f64,
    /// And of those that are charged them unless a gang took workers from them, which the plan does not tell.
    perhaps_charged: f64,
}

/// Who pays for another number of flexible workers: running jobs that phase 2 resized of its own accord.
struct Charges<'a> {
    cluster: &'a Cluster,
    /// Jobs that the reclaim resizes in any case.
    reclaimed: BTreeSet<JobId>,
    /// Servers on which gangs start.
    taken: BTreeSet<ServerId>,
}

impl<'a> Charges<'a> {
    fn of(cluster: &'a Cluster, plan: &Plan) -> Self {
        let departures = plan.reclaim().departures().iter().map(|departure| departure.job);
        let starts = plan.actions().iter().filter_map(|action| match *action {
            Action::Start { server, .. } => Some(server),
            _ => None,
        });
        Self {
            cluster,
            reclaimed: plan.reclaim().preempted().iter().copied().chain(departures).collect(),
            taken: starts.collect(),
        }
    }

    /// Adds what a job is charged for these workers.
    fn add(&self, id: JobId, after: &[Placement], of_type: &mut OfType) {
        let Some(job) = self.cluster.job(id).filter(|_| !self.reclaimed.contains(&id)) else { return };
        let before = self.cluster.placements(id);
        let flexible = |placements: &[Placement]| -> u64 {
            placements.iter().filter(|p| p.role == Role::Flexible).map(|p| u64::from(p.workers)).sum()
        };
        if before.is_empty() || flexible(before) == flexible(after) {
            return;
        }
        let overhead = job.resize_overhead.0 * job.weight * 1_000.0;
        if before.iter().any(|p| p.role == Role::Flexible && self.taken.contains(&p.server)) {
            of_type.perhaps_charged += overhead;
        } else {
            of_type.charged += overhead;
        }
    }
}

pub(super) fn check_allocations(
    cluster: &Cluster,
    after: &Books<'_>,
    plan: &Plan,
) -> Result<(), PlanViolation> {
    let mut types = count(cluster, after, &Charges::of(cluster, plan));
    let allocations = plan.allocations();
    for pair in allocations.windows(2) {
        if pair[0].gpu_type >= pair[1].gpu_type {
            let (before, after) = (pair[0].gpu_type, pair[1].gpu_type);
            return Err(PlanViolation::AllocationOrder { before, after });
        }
    }
    for allocation in allocations {
        let gpu_type = allocation.gpu_type;
        if cluster.gpu_type(gpu_type).is_none() {
            return Err(PlanViolation::AllocationType { gpu_type });
        }
        if allocation.certificate.sense() != Sense::Maximize {
            return Err(PlanViolation::AllocationSense { gpu_type });
        }
        let OfType { capacity: expected, jobs, worth, charged, perhaps_charged } =
            types.remove(&gpu_type).unwrap_or_default();
        let capacity = allocation.capacity;
        if capacity != expected {
            return Err(PlanViolation::AllocationCapacity { gpu_type, capacity, expected });
        }
        if allocation.jobs != jobs || jobs == 0 {
            return Err(PlanViolation::AllocationJobs { gpu_type, jobs: allocation.jobs, expected: jobs });
        }
        // Each job's times are rounded to whole milliseconds, or more coarsely where the sums are huge.
        let rounding = 3.0 * f64::from(jobs) + 1e-9 * (worth.abs() + charged + perhaps_charged);
        // Workers that make a job slower, and are kept for the overhead that their leaving would cost, bring less than
        // nothing; the objective says 0 then.
        let most = worth - charged;
        let (least, most) = ((most - perhaps_charged - rounding).max(0.0), (most + rounding).max(0.0));
        let objective = allocation.certificate.objective();
        if !(least..=most).contains(&(objective as f64)) {
            let (least, most) = (least as u64, most as u64);
            return Err(PlanViolation::AllocationObjective { gpu_type, objective, least, most });
        }
    }
    match types.into_iter().find(|(_, of_type)| of_type.jobs > 0) {
        Some((gpu_type, of_type)) => {
            Err(PlanViolation::AllocationJobs { gpu_type, jobs: 0, expected: of_type.jobs })
        }
        None => Ok(()),
    }
}

fn count(cluster: &Cluster, after: &Books<'_>, charges: &Charges<'_>) -> BTreeMap<GpuTypeId, OfType> {
    let mut types: BTreeMap<GpuTypeId, OfType> = BTreeMap::new();
    for (id, server) in cluster.servers() {
        if matches!(after.pool(id), Some(Pool::Training | Pool::OnLoan)) {
            types.entry(server.gpu_type).or_default().capacity += u64::from(server.gpus);
        }
    }
    for (id, job) in cluster.jobs() {
        let placements = after.placements(id);
        for base in placements.iter().filter(|p| p.role == Role::Base) {
            if let Some(server) = cluster.server(base.server) {
                let held = u64::from(base.workers) * u64::from(job.gpus_per_worker);
                let of_type = types.entry(server.gpu_type).or_default();
                of_type.capacity = of_type.capacity.saturating_sub(held);
            }
        }
        let is_counted = job.max_workers > job.min_workers && job.mixing_efficiency.is_none();
        let Some(gpu_type) = Workers::of(cluster, &placements).types().next().filter(|_| is_counted) else {
            continue;
        };
        let of_type = types.entry(gpu_type).or_default();
        of_type.jobs += 1;
        let base = Workers::base_of(cluster, &placements);
        let all = Workers::of(cluster, &placements);
        let sooner = base.running_time(cluster, job) - all.running_time(cluster, job);
        // No time is counted as longer than 2^53 milliseconds.
        of_type.worth += (sooner * job.weight * 1_000.0).max(-LONGEST);
        charges.add(id, &placements, of_type);
    }
    types
}
