//! Phase 2: who gets the GPUs that base workers do not hold. One knapsack a GPU type, then the heterogeneous jobs.

use alloc::vec::Vec;

use super::exchange::Exchanges;
use super::offer::{Offer, base_tally};
use super::worth::Unit;
use crate::cluster::{Inventory, Job, Occupancy, Placement, Role, Tally};
use crate::id::{GpuTypeId, JobId};
use crate::knapsack::{self, ClassKind, CurveClass, Instance, Item, Solution};

/// The choices that all tables of one knapsack hold together: each job has its share. So memory follows the number of
/// jobs, not the numbers of workers that they could use.
const TABLE_ITEMS: usize = 1 << 20;

/// The choices that a table may hold, however many jobs there are.
const SHORTEST_TABLE: usize = 64;

/// How many flexible workers a job should hold on a GPU type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) job: JobId,
    pub(crate) gpu_type: GpuTypeId,
    /// Flexible workers it should hold on the type.
    pub(crate) workers: u32,
    /// Flexible workers it holds there now.
    pub(crate) held: u32,
}

/// How well one knapsack was solved, in units of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeBound {
    pub(crate) gpu_type: GpuTypeId,
    pub(crate) capacity: u64,
    pub(crate) jobs: u32,
    /// No allocation is worth more, resize overheads counted.
    pub(crate) bound: u64,
    /// Whether the solver proved its answer optimal.
    pub(crate) is_optimal: bool,
}

/// What phase 2 looks at.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) inventory: &'a Inventory,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) unit: Unit,
    /// For each job, whether it starts or is resized in this epoch in any case, so that another change costs nothing
    /// more.
    pub(crate) resized: &'a [bool],
    /// For each job, whether the state that is looked at gives it another number of workers than it had: the same holds.
    pub(crate) touched: &'a [bool],
}

impl View<'_> {
    /// What it costs a job to hold another number of workers than now.
    pub(crate) fn overhead(&self, id: JobId, job: &Job) -> u64 {
        let is_set = |flags: &[bool]| flags.get(id.index()).copied().unwrap_or(false);
        let is_sunk = is_set(self.resized) || is_set(self.touched);
        if is_sunk { 0 } else { self.unit.resize_overhead(job) }
    }

    /// The time to the end of a job that holds these workers, times its weight, in units.
    pub(crate) fn time_left(&self, job: &Job, tally: &Tally) -> u64 {
        self.unit.time_left(job, tally.reference_workers(), tally.mixed().is_some())
    }

    /// Flexible workers that a job holds on a type.
    pub(crate) fn held(&self, job: JobId, gpu_type: GpuTypeId) -> u32 {
        let here = |p: &&Placement| {
            p.role == Role::Flexible
                && self.inventory.server(p.server).is_some_and(|server| server.gpu_type == gpu_type)
        };
        self.occupancy.placements(job).iter().filter(here).map(|p| p.workers).sum()
    }
}

/// A job in the knapsack at hand.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    job: JobId,
    offer: Offer,
    held: u32,
    /// Reference workers that the held workers make up: the choice that changes nothing.
    held_reference: u32,
    overhead: u64,
    /// The most GPUs that it can be given, whatever the others get.
    room: u64,
    /// The workers of the choice that changes nothing, where that is worth something and is none of the others: no flexible
    /// worker, or some of which the last make up no whole reference worker. It is the first item of the class then, before
    /// one reference worker more.
    staying: Option<u32>,
}

/// Phase 2, with the memory that it uses again.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlexibleAllocator {
    solver: knapsack::Solver,
    workspace: knapsack::Workspace,
    instance: Instance,
    solution: Solution,
    /// Elastic jobs that run on one type, sorted by type, then id.
    uniform: Vec<(GpuTypeId, JobId)>,
    /// Elastic heterogeneous jobs that run, with the workers that they keep in any case.
    mixing: Vec<(JobId, Tally)>,
    candidates: Vec<Candidate>,
    exchanges: Exchanges,
    pub(crate) targets: Vec<Target>,
    pub(crate) bounds: Vec<TypeBound>,
}

impl FlexibleAllocator {
    pub(crate) fn set_solver(&mut self, solver: knapsack::Solver) {
        self.solver = solver;
    }

    /// Lifts all flexible workers, and decides anew how many each job should hold.
    ///
    /// `capacities` are the GPUs of each type that base workers do not hold. `mixed_order` is the order of types in
    /// which heterogeneous jobs are offered what the others leave.
    pub(crate) fn decide(&mut self, view: View<'_>, capacities: &[u64], mixed_order: &[GpuTypeId]) {
        self.collect(view);
        self.targets.clear();
        self.bounds.clear();
        for (job, tally) in &mut self.mixing {
            *tally = base_tally(view.inventory, view.occupancy, *job);
        }
        let uniform = core::mem::take(&mut self.uniform);
        for group in uniform.chunk_by(|a, b| a.0 == b.0) {
            let gpu_type = group[0].0;
            let Some(speed) = view.inventory.speed(gpu_type) else { continue };
            self.candidates.clear();
            for &(_, id) in group {
                let Some(job) = view.inventory.job(id) else { continue };
                let tally = base_tally(view.inventory, view.occupancy, id);
                let offer = Offer::beyond(&tally, gpu_type, speed);
                self.candidates.push(Candidate::new(view, id, job, offer, view.held(id, gpu_type)));
            }
            let capacity = capacities[gpu_type.index()];
            let first = self.targets.len();
            let bound = self.solve(view, gpu_type, capacity);
            self.bounds.push(bound);
            self.exchanges.undo(view.inventory, view.unit, &mut self.targets[first..]);
        }
        self.uniform = uniform;
        for &gpu_type in mixed_order {
            self.decide_mixed(view, gpu_type, capacities[gpu_type.index()]);
        }
    }

    /// Offers heterogeneous jobs what is left of a type once the others have theirs.
    fn decide_mixed(&mut self, view: View<'_>, gpu_type: GpuTypeId, capacity: u64) {
        let Some(speed) = view.inventory.speed(gpu_type) else { return };
        let mut mixing = core::mem::take(&mut self.mixing);
        self.candidates.clear();
        for (id, tally) in &mixing {
            if let Some(job) = view.inventory.job(*id)
                && job.gpu_types.contains(gpu_type)
            {
                let offer = Offer::beyond(tally, gpu_type, speed);
                let held = view.held(*id, gpu_type);
                // A job at its maximum, with nothing to lift here, has no choice on this type.
                if held > 0 || offer.most(job) > 0 {
                    self.candidates.push(Candidate::new(view, *id, job, offer, held));
                }
            }
        }
        if !self.candidates.is_empty() {
            let before = self.targets.len();
            let taken = self.targets.iter().filter(|target| target.gpu_type == gpu_type);
            let gpus = |target: &Target| {
                let job = view.inventory.job(target.job);
                u64::from(target.workers) * job.map_or(0, |job| u64::from(job.gpus_per_worker))
            };
            let left = capacity.saturating_sub(taken.map(gpus).sum());
            self.solve(view, gpu_type, left);
            let mut decided = self.targets[before..].iter().peekable();
            for (id, tally) in &mut mixing {
                if let Some(target) = decided.next_if(|target| target.job == *id) {
                    tally.add(gpu_type, speed, target.workers);
                }
            }
        }
        self.mixing = mixing;
    }

    /// Offers idle GPUs of a type to jobs that could hold more, and takes nothing from anyone.
    ///
    /// `room` says how many workers of so many GPUs still find a server.
    pub(crate) fn decide_more(
        &mut self,
        view: View<'_>,
        gpu_type: GpuTypeId,
        idle: u64,
        room: impl Fn(u32) -> u64,
    ) {
        self.targets.clear();
        let Some(speed) = view.inventory.speed(gpu_type) else { return };
        if idle == 0 {
            return;
        }
        self.candidates.clear();
        // Sorted by type, so that a cluster of many types does not walk through all jobs for each.
        let first = self.uniform.partition_point(|entry| entry.0 < gpu_type);
        let uniform =
            self.uniform[first..].iter().take_while(|entry| entry.0 == gpu_type).map(|entry| entry.1);
        let mixing = self.mixing.iter().map(|entry| entry.0);
        for id in uniform.chain(mixing) {
            let Some(job) = view.inventory.job(id) else { continue };
            let slots = room(job.gpus_per_worker);
            if slots == 0 || !job.gpu_types.contains(gpu_type) {
                continue;
            }
            let tally = view.inventory.tally(view.occupancy.placements(id));
            let offer = Offer::beyond(&tally, gpu_type, speed);
            if offer.most(job) > 0 {
                let room = slots * u64::from(job.gpus_per_worker);
                self.candidates.push(Candidate { room, ..Candidate::new(view, id, job, offer, 0) });
            }
        }
        if !self.candidates.is_empty() {
            self.solve(view, gpu_type, idle);
        }
    }

    /// The elastic jobs of the last decision that run on one type, in the order of its bounds.
    pub(crate) fn uniform_jobs(&self) -> impl Iterator<Item = JobId> {
        self.uniform.iter().map(|entry| entry.1)
    }

    /// Whether heterogeneous jobs were among those of the last decision.
    pub(crate) fn has_mixing(&self) -> bool {
        !self.mixing.is_empty()
    }

    /// Sorts the running elastic jobs into those on one type and those that may mix.
    fn collect(&mut self, view: View<'_>) {
        self.uniform.clear();
        self.mixing.clear();
        for (id, job) in view.inventory.jobs() {
            let Some(first) = view.occupancy.placements(id).first() else { continue };
            if !job.is_elastic() {
                continue;
            }
            if job.is_heterogeneous() {
                self.mixing.push((id, Tally::default()));
            } else if let Some(server) = view.inventory.server(first.server) {
                self.uniform.push((server.gpu_type, id));
            }
        }
        self.uniform.sort_unstable();
    }

    /// Solves the knapsack over the candidates, and adds their targets.
    fn solve(&mut self, view: View<'_>, gpu_type: GpuTypeId, capacity: u64) -> TypeBound {
        self.instance.clear(capacity);
        let (mut stay, mut left_out) = (0, 0u64);
        let longest = (TABLE_ITEMS / self.candidates.len().max(1)).max(SHORTEST_TABLE) as u32;
        for candidate in &self.candidates {
            stay += candidate.overhead;
            if let Some(job) = view.inventory.job(candidate.job) {
                let most = capacity.min(candidate.room);
                let beyond = candidate.push_class(&mut self.instance, job, view.unit, most, longest);
                left_out = left_out.saturating_add(beyond);
            }
        }
        let solved = self.solver.solve_into(&self.instance, &mut self.workspace, &mut self.solution);
        debug_assert!(solved.is_ok(), "no class has to have an item, so nothing is infeasible");
        for (class, candidate) in self.candidates.iter().enumerate() {
            let workers = candidate.workers(self.solution.choice(class));
            self.targets.push(Target { job: candidate.job, gpu_type, workers, held: candidate.held });
        }
        let certificate = self.solution.certificate();
        TypeBound {
            gpu_type,
            capacity,
            jobs: self.candidates.len() as u32,
            bound: certificate.bound().saturating_sub(stay).saturating_add(left_out),
            is_optimal: certificate.is_optimal() && left_out == 0,
        }
    }
}

impl Candidate {
    fn new(view: View<'_>, id: JobId, job: &Job, offer: Offer, held: u32) -> Self {
        let held_reference = offer.reference_for(u64::from(held), job);
        let overhead = view.overhead(id, job);
        // A heterogeneous job is decided type after type: what it held on one may be too much beside what it has by then.
        let whole = offer.workers(held_reference) as u32;
        let kept = if job.is_heterogeneous() { whole } else { held };
        let staying = (overhead > 0 && (held_reference == 0 || kept != whole)).then_some(kept);
        Self { job: id, offer, held, held_reference, overhead, room: u64::MAX, staying }
    }

    /// Adds the class of this job. A change costs the overhead; to keep all values positive, the overhead is added to
    /// the choice that changes nothing instead, and taken off the sum at the end.
    ///
    /// A class that has no formula is a table of at most `longest` choices, or up to what the job holds. Returns what the
    /// choices left out could bring beyond those in the table: it is added to the bound.
    fn push_class(&self, instance: &mut Instance, job: &Job, unit: Unit, capacity: u64, longest: u32) -> u64 {
        if let Some(class) = self.formula(job, unit, capacity) {
            let pushed = instance.push_curve(class);
            debug_assert!(pushed.is_ok(), "the unit of time keeps every sum below 2^53");
            return 0;
        }
        let stay = self.staying.map(|workers| {
            let value = match self.held_reference.checked_sub(1) {
                Some(before) => self.offer.items(job, unit).nth(before as usize).map_or(0, |item| item.2),
                None => 0,
            };
            Item::new(workers.saturating_mul(job.gpus_per_worker), value + self.overhead)
        });
        // A class holds weights of 32 bits; no job holds 2^32 GPUs.
        let most = capacity.min(u64::from(u32::MAX));
        // Nothing is gained beyond the flat end of a curve, but what a job holds stays a choice.
        let useful = self.offer.last_useful(job).max(self.held_reference);
        let last = useful.min(longest.max(self.held_reference));
        let more = self.offer.items(job, unit);
        let more = more.take_while(|&(reference, gpus, _)| reference <= last && gpus <= most);
        let more = more.map(|(reference, gpus, value)| {
            let stays = reference == self.held_reference && self.staying.is_none();
            let bonus = if stays { self.overhead } else { 0 };
            Item::new(gpus as u32, value + bonus)
        });
        let pushed = instance.push_class(ClassKind::AtMostOne, stay.into_iter().chain(more));
        debug_assert!(pushed.is_ok(), "the unit of time keeps every sum below 2^53");
        if last < useful { self.offer.value_beyond(job, unit, last, useful) } else { 0 }
    }

    /// The class as a formula, of a few numbers in place of a table: where the job keeps just its base, on a type of speed
    /// 1 : n, and its curve has one.
    fn formula(&self, job: &Job, unit: Unit, capacity: u64) -> Option<CurveClass> {
        let gpus = self.offer.gpus_per_reference_worker(job).filter(|_| self.staying.is_none())?;
        let fits = capacity.min(u64::from(u32::MAX)) / u64::from(gpus);
        let class = unit.formula(job, gpus, u32::try_from(fits).unwrap_or(u32::MAX))?;
        Some(match self.held_reference.checked_sub(1) {
            Some(held) if self.overhead > 0 => class.with_bonus(held, self.overhead),
            _ => class,
        })
    }

    /// The workers of the choice that the knapsack made in the class of this job.
    fn workers(&self, choice: Option<u32>) -> u32 {
        let reference = match (choice, self.staying) {
            (None, _) => 0,
            (Some(0), Some(workers)) => return workers,
            (Some(item), Some(_)) => item,
            (Some(item), None) => item + 1,
        };
        self.offer.workers(reference) as u32
    }
}
