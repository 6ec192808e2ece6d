//! Resizing a running job: flexible workers come and go.

use super::index::Group;
use super::placer::{ON_LOAN_FIRST, Placer, Reach};
use crate::cluster::{Inventory, Occupancy, Pool, Role};
use crate::id::{GpuTypeId, JobId, ServerId};

/// The groups of servers that flexible workers try, in this order. On on-loan servers they gather, so that the others
/// hold base workers alone.
fn flexible_groups(pool: Pool) -> &'static [Group] {
    match pool {
        Pool::OnLoan => &[Group::Flexible, Group::Empty, Group::Base],
        Pool::Training | Pool::Inference => &[Group::Base, Group::Empty],
    }
}

impl Placer {
    /// Adds up to so many flexible workers of a type to a running job, on idle GPUs. Returns how many found a place.
    ///
    /// Servers that host flexible workers of the job already go first, then on-loan servers, then training servers. The
    /// caller keeps the job within its maximum. 0 where the job waits, does not allow the type, or would mix types and
    /// may not.
    ///
    /// O(placements of the job + servers chosen).
    pub(crate) fn grow(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        id: JobId,
        gpu_type: GpuTypeId,
        workers: u32,
    ) -> u32 {
        let Some(job) = inventory.job(id).filter(|job| job.gpu_types.contains(gpu_type)) else { return 0 };
        let placements = occupancy.placements(id);
        let Some(first) = placements.first() else { return 0 };
        let runs_on = inventory.server(first.server).map(|server| server.gpu_type);
        if runs_on != Some(gpu_type) && !job.is_heterogeneous() {
            return 0;
        }
        let gpus = job.gpus_per_worker;
        let mut left = workers;
        for placement in placements.iter().filter(|placement| placement.role == Role::Flexible) {
            let Some(state) = self.states.get(placement.server.index()) else { continue };
            let taken = left.min(state.free / gpus);
            if taken > 0 && state.home.is_some_and(|home| home.0 == gpu_type) {
                self.chosen.push((placement.server, taken));
                self.take(placement.server, taken * gpus, Role::Flexible);
                left -= taken;
            }
        }
        for pool in ON_LOAN_FIRST {
            let Some(&section) = self.sections.of(gpu_type, pool) else { continue };
            let take = |placer: &mut Self, server, wanted| placer.take(server, wanted, Role::Flexible);
            // What is left of a `u32` is one too.
            left = self.choose(section, Reach::Idle, flexible_groups(pool), gpus, left.into(), take) as u32;
        }
        self.settle(occupancy, id, Role::Flexible, gpus);
        workers - left
    }

    /// Grows a running job towards so many reference workers, on the GPU types that it is on already, fastest first.
    ///
    /// The caller keeps the number within the job's maximum.
    pub(crate) fn grow_to(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        id: JobId,
        reference_workers: u32,
    ) {
        let Some(job) = inventory.job(id) else { return };
        let mut types = core::mem::take(&mut self.allowed);
        self.sections.allowed(&job.gpu_types, &mut types);
        for &(gpu_type, speed) in &types {
            let placements = occupancy.placements(id);
            let all = inventory.tally(placements).reference_workers();
            let missing = u64::from(reference_workers).saturating_sub(all);
            let on_type = |server| inventory.server(server).is_some_and(|s| s.gpu_type == gpu_type);
            let held = placements.iter().filter(|p| on_type(p.server)).map(|p| u64::from(p.workers)).sum();
            if held > 0 {
                // At most `reference_workers`, and the workers for that are at most 1,000 times as many.
                let wanted = (speed.reference_workers(held) + missing) as u32;
                let more = speed.workers_for(wanted).saturating_sub(held);
                self.grow(inventory, occupancy, id, gpu_type, u32::try_from(more).unwrap_or(u32::MAX));
            }
        }
        self.allowed = types;
    }

    /// Takes up to so many flexible workers of a type from a job. Returns how many left.
    ///
    /// They leave the server with the fewest flexible workers of the job first, then the one with the highest id, so that
    /// whole servers come free.
    ///
    /// O(p log p) for p placements of the job.
    pub(crate) fn shrink(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        id: JobId,
        gpu_type: GpuTypeId,
        workers: u32,
    ) -> u32 {
        let Some(gpus) = inventory.job(id).map(|job| job.gpus_per_worker) else { return 0 };
        let on_type = |server: ServerId| inventory.server(server).is_some_and(|s| s.gpu_type == gpu_type);
        let mut leaving = core::mem::take(&mut self.chosen);
        let flexible = occupancy.placements(id).iter().filter(|placement| placement.role == Role::Flexible);
        leaving.extend(flexible.filter(|p| on_type(p.server)).map(|p| (p.server, p.workers)));
        leaving.sort_unstable_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
        let mut left = workers;
        for &(server, held) in &leaving {
            let leave = held.min(left);
            if leave == 0 {
                break;
            }
            occupancy.detach(id, server, Role::Flexible, leave, gpus);
            if let Some(state) = self.states.get_mut(server.index()) {
                state.free += leave * gpus;
                state.flexible -= leave * gpus;
                self.index(server);
            }
            left -= leave;
        }
        leaving.clear();
        self.chosen = leaving;
        workers - left
    }
}
