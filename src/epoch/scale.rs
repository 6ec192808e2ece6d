//! Phase 2 carried out: decide who should hold how many flexible workers, and place them, until nothing is gained.

use alloc::vec::Vec;
use core::cmp::Reverse;

use ordered_float::OrderedFloat;

use super::working::Working;
use crate::allocate::{FlexibleAllocator, Target, TypeBound, Unit, View};
use crate::certificate::{Certificate, Sense};
use crate::cluster::{Inventory, Occupancy, Role};
use crate::epoch::AllocationCertificate;
use crate::id::{GpuTypeId, JobId};
use crate::place::Placer;
use crate::units::Speed;

/// Rounds after which phase 2 stops, whatever could still be gained. Each round gains strictly; two are the rule.
const ROUNDS: usize = 32;

/// An elastic job as phase 2 found it.
#[derive(Clone, Copy, Debug)]
struct AtStart {
    job: JobId,
    flexible_workers: u64,
    /// The time to its end with its base alone, times its weight, in units.
    time_at_base: u64,
    overhead: u64,
}

/// Phase 2, with the memory that it uses again.
#[derive(Clone, Debug, Default)]
pub(super) struct FlexibleScaling {
    pub(super) allocator: FlexibleAllocator,
    /// What the working state could become.
    candidate: Occupancy,
    /// Jobs that the candidate gives another number of workers.
    touched: Vec<JobId>,
    /// For each job, whether it is in `touched`.
    is_touched: Vec<bool>,
    /// What is to be carried out, in order.
    resizing: Vec<Target>,
    capacities: Vec<u64>,
    /// For each GPU type, whether on-loan servers have it.
    is_lent: Vec<bool>,
    mixed_order: Vec<GpuTypeId>,
    /// The bounds of the first round. They hold for the epoch: later rounds only find what placing missed.
    bounds: Vec<TypeBound>,
    /// The elastic jobs of each bound in turn.
    at_start: Vec<AtStart>,
}

impl FlexibleScaling {
    /// Gives the GPUs that base workers do not hold to elastic jobs. `placer` agrees with the working state, before and
    /// after.
    pub(super) fn run(
        &mut self,
        inventory: &Inventory,
        working: &mut Working,
        placer: &mut Placer,
        unit: Unit,
    ) {
        self.prepare(inventory, working);
        for round in 0..ROUNDS {
            let was_resized = working.resized.contains(&true);
            self.begin(inventory, working);
            let is_best = self.rebalance(inventory, working, placer, unit);
            if round == 0 {
                self.remember_start(inventory, working, unit);
            }
            let mut gained = self.accept(inventory, working, placer, unit);
            if !gained && !is_best {
                self.begin(inventory, working);
                self.top_up(inventory, working, placer, unit);
                gained = self.accept(inventory, working, placer, unit);
            }
            // From here on every change is charged, as it would be in the next epoch: so the next epoch finds nothing.
            working.resized.fill(false);
            if is_best || !(gained || was_resized) {
                return;
            }
        }
    }

    fn prepare(&mut self, inventory: &Inventory, working: &Working) {
        self.touched.clear();
        self.is_touched.clear();
        self.is_touched.resize(working.resized.len(), false);
        // Flexible workers of heterogeneous jobs go to types with on-loan servers first, then to the others, by id.
        self.is_lent.clear();
        self.is_lent.extend(inventory.gpu_type_ids().map(|_| false));
        for (id, server) in inventory.servers() {
            self.is_lent[server.gpu_type.index()] |= working.is_on_loan(id);
        }
        self.mixed_order.clear();
        self.mixed_order.extend(inventory.gpu_type_ids());
        self.mixed_order.sort_unstable_by_key(|&gpu_type| (!self.is_lent[gpu_type.index()], gpu_type));
    }

    fn begin(&mut self, inventory: &Inventory, working: &Working) {
        self.candidate.copy(&working.occupancy, inventory);
        for job in self.touched.drain(..) {
            self.is_touched[job.index()] = false;
        }
    }

    fn touch(&mut self, job: JobId) {
        if !core::mem::replace(&mut self.is_touched[job.index()], true) {
            self.touched.push(job);
        }
    }

    /// Decides anew who holds what, and makes the candidate so. Whether that is proven to be the best there is: decided
    /// exactly, and placed to the last worker.
    fn rebalance(
        &mut self,
        inventory: &Inventory,
        working: &Working,
        placer: &mut Placer,
        unit: Unit,
    ) -> bool {
        self.capacities.clear();
        self.capacities.extend(inventory.gpu_type_ids().map(|gpu_type| placer.reachable_gpus(gpu_type)));
        let view =
            View { inventory, occupancy: &working.occupancy, unit, resized: &working.resized, touched: &[] };
        self.allocator.decide(view, &self.capacities, &self.mixed_order);
        self.resizing.clear();
        self.resizing.extend(self.allocator.targets.iter().filter(|target| target.workers != target.held));
        sort(inventory, &mut self.resizing);
        for at in 0..self.resizing.len() {
            let Target { job, gpu_type, workers, held } = self.resizing[at];
            if let Some(surplus) = held.checked_sub(workers) {
                self.touch(job);
                placer.shrink(inventory, &mut self.candidate, job, gpu_type, surplus);
            }
        }
        self.resizing.retain(|target| target.workers > target.held);
        let all_placed = self.grow(inventory, working, placer, unit);
        let is_exact = self.allocator.bounds.iter().all(|bound| bound.is_optimal);
        if !(all_placed && is_exact) {
            self.top_up(inventory, working, placer, unit);
        }
        all_placed && is_exact && !self.allocator.has_mixing()
    }

    /// Places the workers of `resizing`, in order, as many as find a server, or none where those would not gain what the
    /// change costs. Whether all were placed.
    fn grow(&mut self, inventory: &Inventory, working: &Working, placer: &mut Placer, unit: Unit) -> bool {
        let mut all_placed = true;
        for at in 0..self.resizing.len() {
            let target = self.resizing[at];
            let Some(job) = inventory.job(target.job) else { continue };
            let wanted = target.workers - target.held;
            let slots = placer.idle_slots(target.gpu_type, job.gpus_per_worker);
            let mut workers = wanted;
            if slots < u64::from(wanted) {
                all_placed = false;
                let tally = inventory.tally(self.candidate.placements(target.job));
                let speed = inventory.speed(target.gpu_type).unwrap_or(Speed::REFERENCE);
                workers = tally.useful_workers(target.gpu_type, speed, slots, job.max_workers);
                let mut more = tally.clone();
                more.add(target.gpu_type, speed, workers);
                let resized = &working.resized;
                let view =
                    View { inventory, occupancy: &self.candidate, unit, resized, touched: &self.is_touched };
                let saved = view.time_left(job, &tally).saturating_sub(view.time_left(job, &more));
                if saved <= view.overhead(target.job, job) {
                    continue;
                }
            }
            self.touch(target.job);
            placer.grow(inventory, &mut self.candidate, target.job, target.gpu_type, workers);
        }
        all_placed
    }

    /// Offers what is idle to jobs that could hold more, until nothing more is placed.
    fn top_up(&mut self, inventory: &Inventory, working: &Working, placer: &mut Placer, unit: Unit) {
        for gpu_type in inventory.gpu_type_ids() {
            // Each time around, a worker of some size finds no server any more, or nothing is placed.
            for _ in 0..ROUNDS {
                let idle = placer.idle_gpus(gpu_type);
                let resized = &working.resized;
                let view =
                    View { inventory, occupancy: &self.candidate, unit, resized, touched: &self.is_touched };
                self.allocator.decide_more(view, gpu_type, idle, |gpus| placer.idle_slots(gpu_type, gpus));
                self.resizing.clear();
                self.resizing.extend(self.allocator.targets.iter().filter(|target| target.workers > 0));
                if self.resizing.is_empty() {
                    break;
                }
                sort(inventory, &mut self.resizing);
                let before = placer.idle_gpus(gpu_type);
                self.grow(inventory, working, placer, unit);
                if placer.idle_gpus(gpu_type) == before {
                    break;
                }
            }
        }
    }

    /// Makes the candidate the working state if that gains strictly: first for jobs on one type, then for heterogeneous
    /// ones. Otherwise the placer goes back to the working state.
    fn accept(
        &mut self,
        inventory: &Inventory,
        working: &mut Working,
        placer: &mut Placer,
        unit: Unit,
    ) -> bool {
        let (mut uniform, mut mixing) = (0i128, 0i128);
        for &id in &self.touched {
            let Some(job) = inventory.job(id) else { continue };
            let before = inventory.tally(working.occupancy.placements(id));
            let after = inventory.tally(self.candidate.placements(id));
            if before == after {
                continue;
            }
            let view =
                View { inventory, occupancy: &self.candidate, unit, resized: &working.resized, touched: &[] };
            let gain = i128::from(view.time_left(job, &before))
                - i128::from(view.time_left(job, &after))
                - i128::from(view.overhead(id, job));
            *(if job.is_heterogeneous() { &mut mixing } else { &mut uniform }) += gain;
        }
        let gains = (uniform, mixing) > (0, 0);
        if gains {
            core::mem::swap(&mut working.occupancy, &mut self.candidate);
        } else {
            placer.rebuild(inventory, &working.occupancy, &working.pools);
        }
        gains
    }

    fn remember_start(&mut self, inventory: &Inventory, working: &Working, unit: Unit) {
        self.bounds.clear();
        self.bounds.extend_from_slice(&self.allocator.bounds);
        self.at_start.clear();
        let view =
            View { inventory, occupancy: &working.occupancy, unit, resized: &working.resized, touched: &[] };
        for id in self.allocator.uniform_jobs() {
            let Some(job) = inventory.job(id) else { continue };
            let base = working.occupancy.placements(id).iter().filter(|p| p.role == Role::Base);
            self.at_start.push(AtStart {
                job: id,
                flexible_workers: flexible_workers(&working.occupancy, id),
                time_at_base: view.time_left(job, &inventory.tally(base)),
                overhead: view.overhead(id, job),
            });
        }
    }

    /// What the end state is worth, beside the bound of the first round, a certificate for each type.
    pub(super) fn certify(
        &self,
        inventory: &Inventory,
        working: &Working,
        unit: Unit,
        certificates: &mut Vec<AllocationCertificate>,
    ) {
        let mut jobs = self.at_start.iter();
        for bound in &self.bounds {
            let mut objective = 0i128;
            for start in jobs.by_ref().take(bound.jobs as usize) {
                let Some(job) = inventory.job(start.job) else { continue };
                let view = View {
                    inventory,
                    occupancy: &working.occupancy,
                    unit,
                    resized: &working.resized,
                    touched: &[],
                };
                let tally = inventory.tally(working.occupancy.placements(start.job));
                objective += i128::from(start.time_at_base) - i128::from(view.time_left(job, &tally));
                if flexible_workers(&working.occupancy, start.job) != start.flexible_workers {
                    objective -= i128::from(start.overhead);
                }
            }
            // The end state is worth no less than the state at the start. That is below 0 only where it held workers that
            // make their job slower, and their leaving costs more than they do.
            let objective = u64::try_from(objective).unwrap_or(0);
            debug_assert!(objective <= bound.bound, "an allocation beats its bound");
            let milliseconds = |units: u64| units.saturating_mul(unit.milliseconds());
            let (objective, bound_time) = (milliseconds(objective), milliseconds(bound.bound.max(objective)));
            certificates.push(AllocationCertificate {
                gpu_type: bound.gpu_type,
                capacity: bound.capacity,
                jobs: bound.jobs,
                certificate: Certificate::new(Sense::Maximize, objective, bound_time)
                    .unwrap_or(Certificate::optimal(Sense::Maximize, objective)),
            });
        }
    }
}

/// Sorts targets into the order in which they are carried out: largest workers first, then by submission. A server that
/// changed last is chosen first among equal ones, so the order of the steps counts, be it that workers leave.
fn sort(inventory: &Inventory, targets: &mut [Target]) {
    targets.sort_unstable_by_key(|target| {
        let job = inventory.job(target.job);
        let order = job.map(|job| (Reverse(job.gpus_per_worker), OrderedFloat(job.submitted.0)));
        (order, target.job, target.gpu_type)
    });
}

fn flexible_workers(occupancy: &Occupancy, job: JobId) -> u64 {
    let flexible = occupancy.placements(job).iter().filter(|p| p.role == Role::Flexible);
    flexible.map(|p| u64::from(p.workers)).sum()
}
