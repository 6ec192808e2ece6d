//! What a reclaim was asked for, and whether some servers are that.

use alloc::collections::{BTreeMap, BTreeSet};

use super::ReclaimViolation;
use crate::cluster::{Cluster, Job, Pool, Server};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::reclaim::{Amount, Ask, CostModel, Costs, PreemptionCost, Quantity};

/// An ask, and what it says of one cluster.
pub(super) struct Asked<'a> {
    cluster: &'a Cluster,
    must_return: BTreeSet<ServerId>,
    must_stay: BTreeSet<ServerId>,
    /// How much is asked of each type, or of any.
    amounts: BTreeMap<Option<GpuTypeId>, Quantity>,
    /// The cost of each running job; `None` where it is protected.
    costs: BTreeMap<JobId, Option<u64>>,
}

impl<'a> Asked<'a> {
    pub(super) fn of(cluster: &'a Cluster, ask: &Ask<'_>) -> Result<Self, ReclaimViolation> {
        let mut costs = BTreeMap::new();
        let mut total = 0u64;
        for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.is_running(id)) {
            let no_cost = ReclaimViolation::NoCost { job: id };
            let cost = cost(cluster, &ask.costs, id, job).ok_or(no_cost)?;
            total = total.checked_add(cost.unwrap_or(0)).ok_or(no_cost)?;
            costs.insert(id, cost);
        }
        let must_return: BTreeSet<ServerId> = ask.must_return.iter().copied().collect();
        let must_stay = ask.must_stay.iter().copied().collect();
        let amounts = match &ask.amount {
            Amount::Any(quantity) => BTreeMap::from([(None, *quantity)]),
            Amount::Listed => BTreeMap::from([(None, Quantity::Servers(must_return.len() as u32))]),
            Amount::ByType(amounts) => amounts.iter().map(|&(of, quantity)| (Some(of), quantity)).collect(),
        };
        Ok(Self { cluster, must_return, must_stay, amounts, costs })
    }

    /// What the preemption of a running job costs; 0 for any other.
    pub(super) fn cost(&self, job: JobId) -> u64 {
        self.costs.get(&job).copied().flatten().unwrap_or(0)
    }

    pub(super) fn must_return(&self, server: ServerId) -> bool {
        self.must_return.contains(&server)
    }

    /// How many servers were asked for, where that is all that was said of how much.
    pub(super) fn number(&self) -> Option<u32> {
        match self.amounts.get(&None) {
            Some(&Quantity::Servers(asked)) => Some(asked),
            _ => None,
        }
    }

    /// The servers that may go back, ascending.
    pub(super) fn candidates(&self) -> impl Iterator<Item = ServerId> {
        let all = self.cluster.servers().filter(|&(id, server)| self.check_server(id, server).is_ok());
        all.map(|(id, _)| id)
    }

    /// The type by which servers of a type are asked for, if they are.
    fn asked_as(&self, gpu_type: GpuTypeId) -> Option<Option<GpuTypeId>> {
        [None, Some(gpu_type)].into_iter().find(|of| self.amounts.contains_key(of))
    }

    /// Counts no server yet.
    pub(super) fn count(&self) -> Count<'_> {
        Count { asked: self, counts: BTreeMap::new() }
    }

    /// These servers, which may go back, with what they make up.
    pub(super) fn counted(&self, servers: BTreeSet<ServerId>) -> Counted<'_> {
        let mut count = self.count();
        servers.iter().for_each(|&server| count.add(server));
        let holds_all_that_must_return = self.must_return.is_subset(&servers);
        Counted { servers, holds_all_that_must_return, count }
    }

    pub(super) fn check_servers(&self, servers: &[ServerId]) -> Result<(), ReclaimViolation> {
        if let Some(asked) = self.number()
            && servers.len() as u64 != u64::from(asked)
        {
            return Err(ReclaimViolation::Count { servers: servers.len() as u64, asked });
        }
        for pair in servers.windows(2) {
            if pair[0] >= pair[1] {
                return Err(ReclaimViolation::ServerOrder { before: pair[0], after: pair[1] });
            }
        }
        for &server in servers {
            let definition = self.cluster.server(server).ok_or(ReclaimViolation::UnknownServer { server })?;
            self.check_server(server, definition)?;
        }
        if let Some(&server) = self.must_return.iter().find(|&server| servers.binary_search(server).is_err())
        {
            return Err(ReclaimViolation::MustReturn { server });
        }
        let mut count = self.count();
        servers.iter().for_each(|&server| count.add(server));
        for (&of, &quantity) in &self.amounts {
            let (servers, gpus) = count.of(of);
            match (quantity, of) {
                (Quantity::Servers(asked), Some(gpu_type)) if servers != u64::from(asked) => {
                    return Err(ReclaimViolation::CountOfType { gpu_type, servers, asked });
                }
                (Quantity::Gpus(asked), _) if gpus < asked => {
                    return Err(ReclaimViolation::TooFewGpus { gpus, asked });
                }
                _ => {}
            }
        }
        servers.iter().try_for_each(|&server| self.check_needed(server, &count))
    }

    /// Whether a server may go back.
    fn check_server(&self, server: ServerId, definition: &Server) -> Result<(), ReclaimViolation> {
        let Server { gpu_type, pool, protected, .. } = *definition;
        if pool != Pool::OnLoan {
            return Err(ReclaimViolation::NotOnLoan { server, pool });
        }
        if protected {
            return Err(ReclaimViolation::ProtectedServer { server });
        }
        for tenant in self.cluster.tenants(server) {
            if self.costs.get(&tenant.job) == Some(&None) {
                return Err(ReclaimViolation::ProtectedJob { server, job: tenant.job });
            }
        }
        if self.must_stay.contains(&server) {
            return Err(ReclaimViolation::MustStay { server });
        }
        match self.asked_as(gpu_type) {
            None => Err(ReclaimViolation::OtherGpuType { server, gpu_type }),
            Some(_) => Ok(()),
        }
    }

    /// Whether the GPUs of a server that goes back are needed beside those of the others.
    fn check_needed(&self, server: ServerId, count: &Count<'_>) -> Result<(), ReclaimViolation> {
        let Some(definition) = self.cluster.server(server).filter(|_| !self.must_return(server)) else {
            return Ok(());
        };
        let Some(of) = self.asked_as(definition.gpu_type) else { return Ok(()) };
        if let Some(&Quantity::Gpus(asked)) = self.amounts.get(&of) {
            let gpus = count.of(of).1 - u64::from(definition.gpus);
            if gpus >= asked {
                return Err(ReclaimViolation::NeedlessServer { server, gpus, asked });
            }
        }
        Ok(())
    }
}

/// Servers that may go back, and their count.
pub(super) struct Counted<'a> {
    servers: BTreeSet<ServerId>,
    holds_all_that_must_return: bool,
    count: Count<'a>,
}

impl Counted<'_> {
    pub(super) fn len(&self) -> u64 {
        self.servers.len() as u64
    }

    pub(super) fn contains(&self, server: ServerId) -> bool {
        self.servers.contains(&server)
    }

    /// Whether what is asked can be made up from these servers without some of them.
    pub(super) fn meet_without(&self, left_out: &BTreeSet<ServerId>) -> bool {
        let mut count = self.count.clone();
        left_out.iter().for_each(|&server| count.remove(server));
        let asked = count.asked;
        self.holds_all_that_must_return
            && !left_out.iter().any(|&server| asked.must_return(server))
            && asked.amounts.keys().all(|&of| !count.is_short_of(of))
    }
}

/// Servers and their GPUs, counted by the types that are asked for.
#[derive(Clone)]
pub(super) struct Count<'a> {
    asked: &'a Asked<'a>,
    counts: BTreeMap<Option<GpuTypeId>, (u64, u64)>,
}

impl Count<'_> {
    pub(super) fn add(&mut self, server: ServerId) {
        let Some(definition) = self.asked.cluster.server(server) else { return };
        let Some(of) = self.asked.asked_as(definition.gpu_type) else { return };
        let (servers, gpus) = self.counts.entry(of).or_default();
        *servers += 1;
        *gpus += u64::from(definition.gpus);
    }

    /// Takes back a server that was added.
    fn remove(&mut self, server: ServerId) {
        let Some(definition) = self.asked.cluster.server(server) else { return };
        let Some(of) = self.asked.asked_as(definition.gpu_type) else { return };
        if let Some((servers, gpus)) = self.counts.get_mut(&of) {
            *servers -= 1;
            *gpus -= u64::from(definition.gpus);
        }
    }

    /// Servers and GPUs.
    fn of(&self, of: Option<GpuTypeId>) -> (u64, u64) {
        self.counts.get(&of).copied().unwrap_or((0, 0))
    }

    fn is_short_of(&self, of: Option<GpuTypeId>) -> bool {
        let (servers, gpus) = self.of(of);
        match self.asked.amounts.get(&of) {
            Some(&Quantity::Servers(asked)) => servers < u64::from(asked),
            Some(&Quantity::Gpus(asked)) => gpus < asked,
            None => false,
        }
    }

    /// Whether more servers like this one are needed.
    pub(super) fn needs(&self, server: ServerId) -> bool {
        let definition = self.asked.cluster.server(server);
        definition
            .and_then(|server| self.asked.asked_as(server.gpu_type))
            .is_some_and(|of| self.is_short_of(of))
    }
}

/// What the preemption of a running job costs: `Some(None)` where it is protected, `None` where that can't be said.
fn cost(cluster: &Cluster, costs: &Costs<'_>, id: JobId, job: &Job) -> Option<Option<u64>> {
    let cost = match &costs.model {
        CostModel::Stated => job.preemption_cost,
        CostModel::Jobs => 1,
        CostModel::Priority => u64::from(job.priority) + 1,
        CostModel::Preemptions => u64::from(job.preemptions) + 1,
        CostModel::GpuSecondsLost => {
            let (now, started) = (costs.now?.0, job.started?.0);
            let unsaved = match job.checkpointed {
                Some(saved) if saved.0 > started => now - saved.0,
                _ => now - started,
            };
            let mut gpus = 0;
            for placement in cluster.placements(id) {
                gpus += u64::from(placement.workers) * u64::from(job.gpus_per_worker);
            }
            libm::round(unsaved * gpus as f64).max(0.0) as u64
        }
        CostModel::Table(table) => match table.get(id.index())? {
            PreemptionCost::Cost(cost) => *cost,
            PreemptionCost::Protected => return Some(None),
        },
    };
    let mut protected = job.protected;
    if let Some(times) = costs.max_preemptions {
        protected |= job.preemptions >= times;
    }
    if let Some(from) = costs.protect_priority {
        protected |= job.priority >= from;
    }
    if let Some(time) = costs.min_running_time {
        protected |= costs.now?.0 - job.started?.0 < time.0;
    }
    if protected { Some(None) } else { Some(Some(cost.checked_add(costs.restart)?)) }
}
