//! Inequalities that give tolerances back to the relaxation, each with a price.
//!
//! Where some sets D together take more from an element than it tolerates, the element is paid for once all of them are
//! chosen: z ≥ (Σ loss·x − tolerance) ÷ (total − tolerance), the sum over D, for x and z of 0 or 1 (a cover inequality).
//! Moved into the objective at a price (Lagrange), each set of D is charged for what it takes, the element itself costs
//! so much less, and the tolerance is given back as a constant. Any price that leaves the element a cost of 0 or more
//! gives a lower bound; good prices are found by subgradient steps (Held, Wolfe and Crowder, 1974).
//!
//! Prices are integers in units of 1/2^20, so the bound is exact whatever the steps were.

use alloc::vec::Vec;

use super::instance::{Instance, NO_PART};
use super::network::Amount;
use super::problem::Problem;
use super::relaxation::Relaxation;
use super::state::{Choice, Mark, State};

/// The units of a cost of 1 where there are cuts.
pub(super) const UNIT: Amount = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Cut {
    element: u32,
    start: u32,
    end: u32,
    /// What the sets of the cut take from the element beyond its tolerance.
    excess: u64,
    tolerance: u64,
    /// What is charged for each unit of loss.
    price: Amount,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    cuts: Vec<Cut>,
    /// The sets of the cuts, each with what it takes.
    members: Vec<(u32, u64)>,
    /// By element: the cost that is moved from it to its sets.
    relief: Vec<Amount>,
    /// By set: the cost that is moved to it.
    charge: Vec<Amount>,
    /// What remains for the sets that are taken, and the tolerances given back.
    pub(super) paid: Amount,
    pub(super) rebate: Amount,
    /// By cut: how far the last solution breaks it.
    slopes: Vec<f64>,
    /// The prices of the best bound so far.
    best: Vec<Amount>,
    /// By set: the share of it that the last solution has.
    chosen: Vec<f64>,
    /// By element, in the last solution: what whole sets and shared sets take from it, and the share that is paid for.
    whole: Vec<u64>,
    middle: Vec<u64>,
    share: Vec<f64>,
    /// By element: its cuts.
    count: Vec<u8>,
    found: Vec<(u32, u32, u64)>,
}

/// The most cuts of one element.
const CUTS_PER_ELEMENT: u8 = 4;

/// A cut that is broken by less than this does not count.
const LEAST: f64 = 0.001;

impl Cuts {
    pub(super) fn clear(&mut self) {
        self.cuts.clear();
        self.members.clear();
        self.count.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// What the costs are multiplied by.
    pub(super) fn unit(&self) -> Amount {
        if self.cuts.is_empty() { 1 } else { UNIT }
    }

    /// Works out what each set is charged and each element is relieved of, given what is decided. Cuts of elements that
    /// are decided only weaken the bound, so they are left out.
    pub(super) fn apply(&mut self, instance: &Instance, state: &State) {
        (self.paid, self.rebate) = (0, 0);
        if self.cuts.is_empty() {
            return;
        }
        self.relief.clear();
        self.relief.resize(instance.elements(), 0);
        self.charge.clear();
        self.charge.resize(instance.sets(), 0);
        for cut in self.cuts.iter().filter(|cut| cut.price > 0 && state.mark(cut.element) == Mark::Free) {
            self.relief[cut.element as usize] += cut.price * Amount::from(cut.excess);
            self.rebate += cut.price * Amount::from(cut.tolerance);
            for &(set, loss) in &self.members[cut.start as usize..cut.end as usize] {
                let charge = cut.price * Amount::from(loss);
                match state.choice(set) {
                    Choice::Open => self.charge[set as usize] += charge,
                    Choice::Taken => self.paid += charge,
                    Choice::Dropped => {}
                }
            }
        }
    }

    pub(super) fn relief(&self, element: u32) -> Amount {
        if self.cuts.is_empty() { 0 } else { self.relief[element as usize] }
    }

    pub(super) fn charge(&self, set: u32) -> Amount {
        if self.cuts.is_empty() { 0 } else { self.charge[set as usize] }
    }

    /// Reads a solution of the relaxation at the root: adds the cuts that it breaks, and notes how far it breaks each.
    pub(super) fn read(
        &mut self,
        instance: &Instance,
        state: &State,
        problem: &Problem,
        relaxation: &Relaxation,
        need: u64,
    ) {
        let (inside, outside) = (relaxation.inside, relaxation.outside);
        let share = relaxation.share(need);
        let elements = instance.elements();
        self.whole.clear();
        self.whole.resize(elements, 0);
        self.middle.clear();
        self.middle.resize(elements, 0);
        self.share.clear();
        self.share.resize(elements, 0.0);
        self.count.resize(elements, 0);
        self.chosen.clear();
        self.chosen.resize(instance.sets(), 0.0);
        for (place, &at) in relaxation.order[..outside].iter().enumerate() {
            let set = problem.sets[at as usize];
            let chosen = if place < inside { 1.0 } else { share };
            self.chosen[set as usize] = chosen;
            for member in instance.members(set) {
                let element = member.element as usize;
                if state.breaks(instance, member) {
                    self.share[element] = self.share[element].max(chosen);
                } else if place < inside {
                    self.whole[element] = self.whole[element].saturating_add(member.loss);
                } else {
                    self.middle[element] = self.middle[element].saturating_add(member.loss);
                }
            }
        }
        self.add_broken(instance, state, share);
        self.slopes.clear();
        for cut in &self.cuts {
            let members = &self.members[cut.start as usize..cut.end as usize];
            let taken: f64 = members.iter().map(|&(set, loss)| loss as f64 * self.chosen[set as usize]).sum();
            let paid = self.share[cut.element as usize];
            self.slopes.push((taken - cut.tolerance as f64) / cut.excess as f64 - paid);
        }
    }

    fn add_broken(&mut self, instance: &Instance, state: &State, share: f64) {
        self.found.clear();
        for set in 0..instance.sets() as u32 {
            let chosen = self.chosen[set as usize];
            if chosen <= 0.0 {
                continue;
            }
            for member in instance.members(set) {
                let element = member.element as usize;
                let (cost, tolerance) = (instance.costs[element], instance.tolerances[element]);
                let is_cut = cost > 0
                    && member.part == NO_PART
                    && state.mark(member.element) == Mark::Free
                    && self.count[element] < CUTS_PER_ELEMENT
                    && !state.breaks(instance, member);
                if !is_cut {
                    continue;
                }
                let (whole, middle) = (self.whole[element], self.middle[element]);
                let (only_whole, both) = (whole > tolerance, whole.saturating_add(middle));
                let broken = if only_whole {
                    1.0
                } else if both > tolerance {
                    let taken = whole as f64 + share * middle as f64 - tolerance as f64;
                    taken / (both - tolerance) as f64
                } else {
                    0.0
                };
                if broken - self.share[element] > LEAST && (chosen >= 1.0 || !only_whole) {
                    self.found.push((member.element, set, member.loss));
                }
            }
        }
        self.found.sort_unstable();
        let mut found = core::mem::take(&mut self.found);
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let element = group[0].0;
            let members = || group.iter().map(|&(_, set, loss)| (set, loss));
            let is_known =
                self.cuts.iter().filter(|cut| cut.element == element).any(|cut| {
                    self.members[cut.start as usize..cut.end as usize].iter().copied().eq(members())
                });
            if is_known {
                continue;
            }
            let (start, tolerance) = (self.members.len() as u32, instance.tolerances[element as usize]);
            let total = group.iter().map(|&(.., loss)| u128::from(loss)).sum();
            let Some(total) = instance.fits_cut(total) else { continue };
            self.members.extend(members());
            self.count[element as usize] += 1;
            self.cuts.push(Cut {
                element,
                start,
                end: self.members.len() as u32,
                excess: total - tolerance,
                tolerance,
                price: 0,
            });
        }
        found.clear();
        self.found = found;
    }

    /// A free element whose cuts may be what keeps the bound below the cost: the one whose cuts move most.
    pub(super) fn loosest(&self, state: &State) -> Option<u32> {
        // Once the prices are settled only cuts with a price are left.
        let is_free = |cut: &&Cut| state.mark(cut.element) == Mark::Free;
        let moved = |cut: &&Cut| (cut.price * Amount::from(cut.excess), core::cmp::Reverse(cut.element));
        self.cuts.iter().filter(is_free).max_by_key(moved).map(|cut| cut.element)
    }

    /// Keeps the prices as the best so far.
    pub(super) fn keep(&mut self) {
        self.best.clear();
        self.best.extend(self.cuts.iter().map(|cut| cut.price));
    }

    /// Goes back to the best prices, and forgets the cuts that have none.
    pub(super) fn recall(&mut self) {
        for (at, cut) in self.cuts.iter_mut().enumerate() {
            cut.price = self.best.get(at).copied().unwrap_or(0);
        }
        self.cuts.retain(|cut| cut.price > 0);
    }

    /// Steps along the slopes, so far that the bound would rise by `gap` were it as steep all the way.
    pub(super) fn step(&mut self, instance: &Instance, gap: f64) {
        // A price that is 0 already can't fall.
        let moves = |cut: &Cut, slope: f64| slope > 0.0 || cut.price > 0;
        let pairs = self.cuts.iter().zip(&self.slopes);
        let square: f64 =
            pairs.filter(|&(cut, &slope)| moves(cut, slope)).map(|(_, slope)| slope * slope).sum();
        if square <= 0.0 {
            return;
        }
        let length = gap / square * UNIT as f64;
        self.relief.clear();
        self.relief.resize(instance.elements(), 0);
        for (cut, &slope) in self.cuts.iter_mut().zip(&self.slopes) {
            let price = cut.price as f64 + length * slope / cut.excess as f64;
            // The conversion turns what is negative into 0.
            let element = cut.element as usize;
            let most = Amount::from(instance.costs[element]) * UNIT - self.relief[element];
            cut.price = (price as Amount).min(most / Amount::from(cut.excess));
            self.relief[element] += cut.price * Amount::from(cut.excess);
        }
    }
}
