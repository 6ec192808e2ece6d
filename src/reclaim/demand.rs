//! An ask, worked out for one cluster: which servers may go back, and how much of what must.
//!
//! Servers that may go back, the *candidates*, fall into *quotas*: one quota, or one for each GPU type that is asked for.
//! A choice meets a quota where the *weights* of the servers chosen in it add up to its need. A server weighs 1, and the
//! need is a number of servers; only where GPUs are asked for and the sizes of candidates differ does it weigh its GPUs.

use alloc::vec::Vec;

use super::ask::{Amount, Ask, Quantity};
use super::cost_table::CostTable;
use super::error::{AskError, ReclaimError, Shortage};
use crate::cluster::{Cluster, Pool, Server};
use crate::id::{GpuTypeId, JobId, ServerId};

/// No candidate, and no quota, has this number.
pub(super) const NONE: u32 = u32::MAX;

/// So much must go back of one kind of server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    gpu_type: Option<GpuTypeId>,
    quantity: Quantity,
    /// What the weights of the servers chosen must add up to: exactly so where all weigh 1, else so or more. It is no
    /// less than the weight of the servers that must go back.
    pub(super) need: u64,
    /// Whether all its candidates weigh 1.
    pub(super) is_uniform: bool,
    /// The smallest weight of a candidate that need not go back; 1 where there is none.
    pub(super) lightest: u64,
    /// The most servers that a choice takes in this quota, those that must go back included.
    pub(super) most_servers: u64,
}

/// The candidates of a quota, counted.
#[derive(Clone, Copy, Debug)]
struct Tally {
    servers: u32,
    gpus: u64,
    /// Whether all have as many GPUs, and how many the last one has.
    is_uniform: bool,
    size: u32,
    must_servers: u32,
    must_gpus: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { servers: 0, gpus: 0, is_uniform: true, size: 0, must_servers: 0, must_gpus: 0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Free,
    MustReturn,
    MustStay,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    pub(super) quotas: Vec<Quota>,
    /// By candidate: its quota.
    pub(super) quota_of: Vec<u32>,
    /// By candidate: its weight.
    pub(super) weights: Vec<u32>,
    /// The candidates that must go back, ascending.
    pub(super) required: Vec<u32>,
    /// By server.
    marks: Vec<Mark>,
    /// By GPU type, where amounts are given by type: the quota.
    quota_of_type: Vec<u32>,
    tallies: Vec<Tally>,
    /// The quotas and sizes of candidates that need not go back, where sizes differ.
    sizes: Vec<(u32, u32)>,
}

impl Demand {
    /// Reads an ask, and refuses it at once where it makes no sense or can't be met. Fills in the candidates, ascending,
    /// and for each server which candidate it is. O(servers + tenants), and O(n log n) for n candidates of several sizes.
    pub(super) fn read(
        &mut self,
        cluster: &Cluster,
        ask: &Ask<'_>,
        costs: &CostTable,
        candidates: &mut Vec<ServerId>,
        candidate_of: &mut Vec<u32>,
    ) -> Result<(), ReclaimError> {
        candidates.clear();
        candidate_of.clear();
        self.read_amount(cluster, ask)?;
        self.read_lists(cluster, ask, costs)?;
        self.quota_of.clear();
        self.weights.clear();
        self.required.clear();
        for (id, server) in cluster.servers() {
            candidate_of.resize(id.index() + 1, NONE);
            let (quota, mark) = (self.quota_for(server), self.mark(id));
            let may_go = server.pool == Pool::OnLoan && !server.protected && mark != Mark::MustStay;
            if quota == NONE || !may_go || first_protected(cluster, costs, id).is_some() {
                continue;
            }
            let candidate = candidates.len() as u32;
            if mark == Mark::MustReturn {
                self.required.push(candidate);
            } else if matches!(ask.amount, Amount::Listed) {
                continue;
            }
            candidate_of[id.index()] = candidate;
            candidates.push(id);
            self.quota_of.push(quota);
            self.weights.push(server.gpus);
        }
        self.count();
        if matches!(ask.amount, Amount::Listed) {
            self.quotas[0].quantity = Quantity::Servers(self.required.len() as u32);
        }
        for quota in 0..self.quotas.len() {
            self.check(cluster, costs, quota)?;
        }
        self.complete_quotas();
        Ok(())
    }

    /// Whether no server is to go back.
    pub(super) fn is_nothing(&self) -> bool {
        self.quotas.iter().all(|quota| quota.need == 0)
    }

    /// Whether exactly so many servers are to go back, of all candidates, none of which must.
    pub(super) fn plain_count(&self) -> Option<u32> {
        match self.quotas[..] {
            [quota] if quota.is_uniform && self.required.is_empty() => Some(quota.need as u32),
            _ => None,
        }
    }

    /// Whether exactly so many servers are to go back, of all candidates; some of them may be required.
    pub(super) fn single_count(&self) -> Option<u32> {
        match self.quotas[..] {
            [quota] if quota.is_uniform => Some(quota.need as u32),
            _ => None,
        }
    }

    /// The most servers that a choice takes.
    pub(super) fn most_servers(&self) -> u64 {
        self.quotas.iter().map(|quota| quota.most_servers).sum()
    }

    pub(super) fn is_required(&self, candidate: u32) -> bool {
        self.required.binary_search(&candidate).is_ok()
    }

    /// What is needed of each quota.
    pub(super) fn needs(&self) -> impl Iterator<Item = u64> {
        self.quotas.iter().map(|quota| quota.need)
    }

    /// The quota and the weight of a candidate.
    pub(super) fn weighs(&self, candidate: u32) -> (usize, u64) {
        let at = candidate as usize;
        (self.quota_of[at] as usize, u64::from(self.weights[at]))
    }

    /// Whether exactly one more server is to be taken where this much is still needed.
    pub(super) fn is_last(&self, needs: &[u64]) -> bool {
        let mut open = needs.iter().zip(&self.quotas).filter(|(need, _)| **need > 0);
        open.next().is_some_and(|(&need, quota)| need <= quota.lightest) && open.next().is_none()
    }

    /// Drops servers that are not needed from a choice that meets all quotas, the last first. `excess` is scratch memory.
    pub(super) fn trim(&self, chosen: &mut Vec<u32>, excess: &mut Vec<u64>) {
        if self.quotas.iter().all(|quota| quota.is_uniform) {
            return;
        }
        excess.clear();
        excess.resize(self.quotas.len(), 0);
        for &candidate in chosen.iter() {
            let (quota, weight) = self.weighs(candidate);
            excess[quota] += weight;
        }
        for (excess, quota) in excess.iter_mut().zip(&self.quotas) {
            *excess = excess.saturating_sub(quota.need);
        }
        for candidate in chosen.iter_mut().rev() {
            let (quota, weight) = self.weighs(*candidate);
            if weight <= excess[quota] && !self.is_required(*candidate) {
                excess[quota] -= weight;
                *candidate = NONE;
            }
        }
        chosen.retain(|&candidate| candidate != NONE);
    }

    fn read_amount(&mut self, cluster: &Cluster, ask: &Ask<'_>) -> Result<(), AskError> {
        self.quotas.clear();
        self.quota_of_type.clear();
        let quota = |gpu_type, quantity| Quota {
            gpu_type,
            quantity,
            need: 0,
            is_uniform: true,
            lightest: 1,
            most_servers: 0,
        };
        match &ask.amount {
            Amount::Any(quantity) => self.quotas.push(quota(None, *quantity)),
            Amount::Listed => self.quotas.push(quota(None, Quantity::Gpus(0))),
            Amount::ByType(amounts) => {
                self.quota_of_type.resize(cluster.gpu_types().count(), NONE);
                for &(gpu_type, quantity) in amounts.iter() {
                    let entry = self.quota_of_type.get_mut(gpu_type.index());
                    let entry = entry.ok_or(AskError::UnknownGpuType { gpu_type })?;
                    if *entry != NONE {
                        return Err(AskError::GpuTypeTwice { gpu_type });
                    }
                    *entry = self.quotas.len() as u32;
                    self.quotas.push(quota(Some(gpu_type), quantity));
                }
            }
        }
        Ok(())
    }

    fn read_lists(&mut self, cluster: &Cluster, ask: &Ask<'_>, costs: &CostTable) -> Result<(), AskError> {
        self.marks.clear();
        if ask.must_return.is_empty() && ask.must_stay.is_empty() {
            return Ok(());
        }
        let known = |server| cluster.server(server).ok_or(AskError::UnknownServer { server });
        let last = ask.must_return.iter().chain(ask.must_stay.iter());
        for &server in last.clone() {
            known(server)?;
        }
        self.marks.resize(last.map(|server| server.index() + 1).max().unwrap_or(0), Mark::Free);
        for server in ask.must_stay.iter() {
            self.marks[server.index()] = Mark::MustStay;
        }
        for &server in ask.must_return.iter() {
            let &Server { gpu_type, pool, protected, .. } = known(server)?;
            if self.mark(server) == Mark::MustStay {
                return Err(AskError::MustReturnAndStay { server });
            }
            if pool != Pool::OnLoan {
                return Err(AskError::NotOnLoan { server, pool });
            }
            if protected {
                return Err(AskError::ProtectedServer { server });
            }
            if let Some(job) = first_protected(cluster, costs, server) {
                return Err(AskError::ProtectedJob { server, job });
            }
            if !self.quota_of_type.is_empty() && self.quota_of_type[gpu_type.index()] == NONE {
                return Err(AskError::OtherGpuType { server, gpu_type });
            }
            self.marks[server.index()] = Mark::MustReturn;
        }
        Ok(())
    }

    fn mark(&self, server: ServerId) -> Mark {
        self.marks.get(server.index()).copied().unwrap_or(Mark::Free)
    }

    fn quota_for(&self, server: &Server) -> u32 {
        match self.quotas[..] {
            [Quota { gpu_type: None, .. }] => 0,
            _ => self.quota_of_type.get(server.gpu_type.index()).copied().unwrap_or(NONE),
        }
    }

    /// Counts the candidates of each quota. On entry each candidate weighs its GPUs.
    fn count(&mut self) {
        self.tallies.clear();
        self.tallies.resize(self.quotas.len(), Tally::default());
        for (&quota, &gpus) in self.quota_of.iter().zip(&self.weights) {
            let tally = &mut self.tallies[quota as usize];
            tally.is_uniform &= tally.servers == 0 || gpus == tally.size;
            tally.size = gpus;
            tally.servers += 1;
            tally.gpus += u64::from(gpus);
        }
        for &candidate in &self.required {
            let tally = &mut self.tallies[self.quota_of[candidate as usize] as usize];
            tally.must_servers += 1;
            tally.must_gpus += u64::from(self.weights[candidate as usize]);
        }
    }

    /// Refuses what can't be had of a quota.
    fn check(&self, cluster: &Cluster, costs: &CostTable, at: usize) -> Result<(), ReclaimError> {
        let (Quota { gpu_type, quantity, .. }, tally) = (self.quotas[at], self.tallies[at]);
        let shortage =
            || Shortage::of(cluster, costs, gpu_type, |server| self.mark(server) == Mark::MustStay);
        match quantity {
            Quantity::Servers(asked) if tally.must_servers > asked => {
                let must_return = tally.must_servers;
                Err(AskError::TooManyMustReturn { must_return, asked, gpu_type }.into())
            }
            Quantity::Servers(asked) if tally.servers < asked => {
                let (available, shortage) = (tally.servers, shortage());
                Err(ReclaimError::NotEnoughServers { asked, available, gpu_type, shortage })
            }
            Quantity::Gpus(asked) if tally.gpus < asked => {
                let (available, shortage) = (tally.gpus, shortage());
                Err(ReclaimError::NotEnoughGpus { asked, available, gpu_type, shortage })
            }
            _ => Ok(()),
        }
    }

    /// Works out what is needed of each quota, in servers where that can be.
    fn complete_quotas(&mut self) {
        for (quota, tally) in self.quotas.iter_mut().zip(&self.tallies) {
            quota.is_uniform = tally.is_uniform || matches!(quota.quantity, Quantity::Servers(_));
            quota.need = match quota.quantity {
                Quantity::Servers(asked) => asked.into(),
                Quantity::Gpus(asked) if tally.is_uniform => {
                    asked.div_ceil(tally.size.max(1).into()).max(tally.must_servers.into())
                }
                Quantity::Gpus(asked) => asked.max(tally.must_gpus),
            };
            quota.most_servers = if quota.is_uniform { quota.need } else { tally.must_servers.into() };
        }
        // A choice without its smallest server falls short, so it has at most one server more than the smallest
        // candidates that fall short.
        self.sizes.clear();
        for candidate in 0..self.weights.len() {
            let quota = self.quota_of[candidate];
            if self.quotas[quota as usize].is_uniform {
                self.weights[candidate] = 1;
            } else if self.required.binary_search(&(candidate as u32)).is_err() {
                self.sizes.push((quota, self.weights[candidate]));
            }
        }
        self.sizes.sort_unstable();
        for members in self.sizes.chunk_by(|a, b| a.0 == b.0) {
            let at = members[0].0 as usize;
            let quota = &mut self.quotas[at];
            quota.lightest = members[0].1.into();
            let mut sum = self.tallies[at].must_gpus;
            for &(_, gpus) in members {
                if sum >= quota.need {
                    break;
                }
                quota.most_servers += 1;
                sum += u64::from(gpus);
            }
        }
    }
}

/// The first protected job with workers on a server.
fn first_protected(cluster: &Cluster, costs: &CostTable, server: ServerId) -> Option<JobId> {
    cluster.tenants(server).iter().map(|tenant| tenant.job).find(|&job| costs.protects(cluster, job))
}
