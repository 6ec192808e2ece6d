//! What is left to decide, without tolerances: the open sets, and for each the elements that it alone would break.
//!
//! It is the relaxation of the instance. An element that some chosen sets break only together costs nothing here, so the
//! cost of a choice is a lower bound on its true cost; without tolerances it is the true cost.

use alloc::vec::Vec;

use super::cuts::Cuts;
use super::instance::{Instance, Member};
use super::network::Amount;
use super::state::{Choice, Mark, State};

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    /// The open sets, in ascending order.
    pub(super) sets: Vec<u32>,
    /// By open set: its weight.
    pub(super) weights: Vec<u64>,
    /// By open set: the costs of the elements that no other open set breaks.
    pub(super) own: Vec<Amount>,
    /// The shared elements of open set `s` are `shared[start[s]..start[s + 1]]`.
    start: Vec<u32>,
    shared: Vec<u32>,
    /// The shared elements: those that several open sets break.
    pub(super) elements: Vec<u32>,
    pub(super) costs: Vec<Amount>,
    /// By element of the instance: how many open sets break it, then its number here.
    number: Vec<u32>,
    steps: u64,
}

impl Problem {
    /// Reads what is open, and drops the sets that would break an element that is to be kept.
    pub(super) fn read(&mut self, instance: &Instance, state: &mut State, cuts: &Cuts, open: &mut Vec<u32>) {
        open.retain(|&set| {
            let members = instance.members(set);
            self.steps += members.len() as u64;
            let breaks_kept = |member| {
                let member: &Member = member;
                state.mark(member.element) == Mark::Kept && state.breaks(instance, member)
            };
            let is_open = state.choice(set) == Choice::Open;
            if is_open && members.iter().any(breaks_kept) {
                state.drop_set(set);
                return false;
            }
            is_open
        });
        self.sets.clear();
        self.sets.extend_from_slice(open);
        self.weights.clear();
        self.weights.extend(open.iter().map(|&set| instance.weight_of(set)));
        self.number.resize(instance.elements(), 0);
        let breaks = |state: &State, member: &Member| {
            state.mark(member.element) == Mark::Free && state.breaks(instance, member)
        };
        for &set in open.iter() {
            for member in instance.members(set) {
                self.number[member.element as usize] = 0;
            }
        }
        for &set in open.iter() {
            for member in instance.members(set) {
                self.number[member.element as usize] += u32::from(breaks(state, member));
            }
        }
        let unit = cuts.unit();
        self.own.clear();
        self.start.clear();
        self.start.push(0);
        self.shared.clear();
        self.elements.clear();
        self.costs.clear();
        for &set in open.iter() {
            let mut own = cuts.charge(set);
            for member in instance.members(set).iter().filter(|member| breaks(state, member)) {
                let element = member.element as usize;
                let cost = Amount::from(instance.costs[element]) * unit - cuts.relief(member.element);
                match self.number[element] {
                    _ if cost == 0 => {}
                    1 => own += cost,
                    // Negative numbers of shared elements would do; the high half of the range does as well.
                    count if count < NONE / 2 => {
                        let number = self.elements.len() as u32;
                        self.number[element] = NONE - number;
                        self.elements.push(member.element);
                        self.costs.push(cost);
                        self.shared.push(number);
                    }
                    number => self.shared.push(NONE - number),
                }
            }
            self.own.push(own);
            self.start.push(self.shared.len() as u32);
        }
    }

    pub(super) fn shared(&self, set: usize) -> &[u32] {
        &self.shared[self.start[set] as usize..self.start[set + 1] as usize]
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn forget_steps(&mut self) {
        self.steps = 0;
    }
}
