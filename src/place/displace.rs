//! Making room: which flexible workers leave a server for base workers of another job.

use super::placer::Placer;
use crate::cluster::{Inventory, Occupancy, Role};
use crate::id::{JobId, ServerId};

/// Flexible workers of a job on the server at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Victim {
    submitted: f64,
    job: JobId,
    gpus_per_worker: u32,
    /// How many there are, then how many leave.
    workers: u32,
}

impl Placer {
    /// Lets flexible workers leave a server until `wanted` GPUs are free there, or none is left to leave.
    ///
    /// Workers of the job submitted last leave first, then of the one with the highest id. Then those come back, from
    /// the job submitted first, whose GPUs turn out not to be needed: no displaced worker could have stayed alone.
    ///
    /// O(t log t) for t tenants of the server.
    pub(super) fn displace(
        &mut self,
        inventory: &Inventory,
        occupancy: &mut Occupancy,
        server: ServerId,
        wanted: u32,
    ) {
        let mut missing = wanted.saturating_sub(self.states[server.index()].free);
        if missing == 0 {
            return;
        }
        let mut victims = core::mem::take(&mut self.victims);
        let flexible = occupancy.tenants(server).iter().filter(|tenant| tenant.role == Role::Flexible);
        victims.clear();
        victims.extend(flexible.filter_map(|tenant| {
            let job = inventory.job(tenant.job)?;
            Some(Victim {
                submitted: job.submitted.0,
                job: tenant.job,
                gpus_per_worker: job.gpus_per_worker,
                workers: tenant.workers,
            })
        }));
        victims.sort_unstable_by(|a, b| b.submitted.total_cmp(&a.submitted).then(b.job.cmp(&a.job)));

        let mut surplus = 0;
        for victim in &mut victims {
            victim.workers = victim.workers.min(missing.div_ceil(victim.gpus_per_worker));
            let freed = victim.workers * victim.gpus_per_worker;
            surplus += freed.saturating_sub(missing);
            missing = missing.saturating_sub(freed);
        }
        for victim in victims.iter_mut().rev() {
            let back = victim.workers.min(surplus / victim.gpus_per_worker);
            victim.workers -= back;
            surplus -= back * victim.gpus_per_worker;
        }
        for &Victim { job, gpus_per_worker, workers, .. } in &victims {
            occupancy.detach(job, server, Role::Flexible, workers, gpus_per_worker);
            let state = &mut self.states[server.index()];
            state.free += workers * gpus_per_worker;
            state.flexible -= workers * gpus_per_worker;
        }
        self.victims = victims;
        self.index(server);
    }
}
