//! The cost of each job, worked out before a search.

use alloc::vec::Vec;

use super::costs::{CostError, CostModel, Costs, PreemptionCost};
use crate::cluster::{Cluster, Job};
use crate::id::JobId;
use crate::units::Seconds;

/// The cost of each running job, worked out once for a decision.
#[derive(Clone, Debug, Default)]
pub(super) struct CostTable {
    /// By job; empty where the costs are those stated.
    costs: Vec<PreemptionCost>,
}

impl CostTable {
    pub(super) fn fill(&mut self, cluster: &Cluster, costs: &Costs<'_>) -> Result<(), CostError> {
        self.costs.clear();
        if costs.are_stated() {
            return Ok(());
        }
        check_times(costs)?;
        let mut total = 0_u64;
        for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.is_running(id)) {
            let cost = cost_of(cluster, costs, id, job)?;
            if let PreemptionCost::Cost(cost) = cost {
                total = total.checked_add(cost).ok_or(CostError::Overflow { job: id, cost, total })?;
            }
            self.costs.resize(id.index(), PreemptionCost::Cost(0));
            self.costs.push(cost);
        }
        Ok(())
    }

    /// The cost of a running job.
    pub(super) fn of(&self, id: JobId, job: &Job) -> PreemptionCost {
        let stated = || PreemptionCost::Cost(job.preemption_cost);
        if job.protected {
            PreemptionCost::Protected
        } else {
            self.costs.get(id.index()).copied().unwrap_or_else(stated)
        }
    }

    pub(super) fn protects(&self, cluster: &Cluster, id: JobId) -> bool {
        cluster.job(id).is_some_and(|job| self.of(id, job) == PreemptionCost::Protected)
    }
}

fn check_times(costs: &Costs<'_>) -> Result<(), CostError> {
    let needs_now = costs.min_running_time.is_some() || matches!(costs.model, CostModel::GpuSecondsLost);
    match costs.now {
        None if needs_now => return Err(CostError::NoNow),
        Some(time) if !time.0.is_finite() => return Err(CostError::Now { time }),
        _ => {}
    }
    match costs.min_running_time {
        // NaN is refused too.
        Some(time) if time.0.is_nan() || time.0 < 0.0 => Err(CostError::MinRunningTime { time }),
        _ => Ok(()),
    }
}

fn cost_of(cluster: &Cluster, costs: &Costs<'_>, id: JobId, job: &Job) -> Result<PreemptionCost, CostError> {
    let now = costs.now.unwrap_or(Seconds::ZERO);
    let started = || job.started.ok_or(CostError::NotStarted { job: id });
    let cost = match &costs.model {
        CostModel::Stated => job.preemption_cost,
        CostModel::Jobs => 1,
        CostModel::Priority => 1 + u64::from(job.priority),
        CostModel::Preemptions => 1 + u64::from(job.preemptions),
        CostModel::GpuSecondsLost => {
            let started = started()?.0;
            let since = job.checkpointed.map_or(started, |saved| saved.0.max(started));
            let gpus = cluster.workers(id) * u64::from(job.gpus_per_worker);
            // A negative product becomes 0, and one beyond the largest integer becomes that.
            libm::round((now.0 - since) * gpus as f64) as u64
        }
        CostModel::Table(table) => match table.get(id.index()) {
            Some(&PreemptionCost::Cost(cost)) => cost,
            Some(PreemptionCost::Protected) => return Ok(PreemptionCost::Protected),
            None => return Err(CostError::NotInTable { job: id, entries: table.len() as u64 }),
        },
    };
    let is_young = match costs.min_running_time {
        Some(time) => now.0 - started()?.0 < time.0,
        None => false,
    };
    let is_spent = costs.max_preemptions.is_some_and(|times| job.preemptions >= times);
    let is_important = costs.protect_priority.is_some_and(|from| job.priority >= from);
    if job.protected || is_young || is_spent || is_important {
        return Ok(PreemptionCost::Protected);
    }
    let overflow = CostError::Overflow { job: id, cost, total: costs.restart };
    cost.checked_add(costs.restart).map(PreemptionCost::Cost).ok_or(overflow)
}
