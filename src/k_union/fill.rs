//! From the lower end of the middle to k sets: which of the middle to take, one after another.
//!
//! The rule is a greedy: the set with the least price first, where an element that the set would break counts
//! cost ÷ min(sets of the middle that hold it, sets still to take). It is a heuristic; the bound tells how good it is.

use alloc::vec::Vec;

use super::instance::{Instance, Member};
use super::state::{Choice, Mark, State};
use crate::heap::IndexedHeap;

/// Prices are integers in units of 1/2^32.
const SCALE: u128 = 1 << 32;

#[derive(Clone, Debug, Default)]
pub(super) struct Fill {
    heap: IndexedHeap<u128>,
    /// By element: the candidates that hold it and are not taken are `holders[start..start + count]`.
    start: Vec<u32>,
    count: Vec<u32>,
    holders: Vec<u32>,
    /// By element: what it adds to the price of a set that would break it.
    share: Vec<u128>,
    /// The elements that the last set taken made payable.
    paid: Vec<u32>,
    steps: u64,
}

impl Fill {
    /// Takes candidates until they weigh `need` or more, or as many as can be had without breaking an element that is to be
    /// kept. Returns the first candidate that was passed over for that.
    pub(super) fn run(
        &mut self,
        instance: &Instance,
        state: &mut State,
        candidates: &[u32],
        need: u64,
    ) -> Option<u32> {
        self.run_noting(instance, state, candidates, need, |_, _| {})
    }

    /// The same, and tells each set taken with the cost of all that is paid for then.
    pub(super) fn run_noting(
        &mut self,
        instance: &Instance,
        state: &mut State,
        candidates: &[u32],
        need: u64,
        mut note: impl FnMut(u32, u64),
    ) -> Option<u32> {
        self.index(instance, candidates);
        let mut refused = None;
        let all = candidates.iter().map(|&set| instance.weight_of(set)).sum();
        let (mut still, mut horizon) = (need.min(all), need.min(all));
        self.share_out(instance, candidates, horizon, true);
        let mut filled = core::mem::take(&mut self.heap);
        filled.fill(candidates.iter().map(|&set| self.price(instance, state, set)));
        while still > 0 {
            if 4 * still <= 3 * horizon {
                horizon = still;
                self.share_out(instance, candidates, horizon, false);
                filled.rekey(|at| self.price(instance, state, candidates[at]));
            }
            let Some((at, key)) = filled.first() else { break };
            let set = candidates[at];
            // As tolerances are used up prices rise, and only those that matter are brought up to date.
            let price = self.price(instance, state, set);
            if price > key {
                filled.update(at, price);
                continue;
            }
            filled.pop();
            if state.choice(set) != Choice::Open {
                continue;
            }
            if breaks_kept(instance, state, set) {
                refused = refused.or(Some(set));
                continue;
            }
            self.take(instance, state, set);
            note(set, state.cost());
            still = still.saturating_sub(instance.weight_of(set));
            for index in 0..self.paid.len() {
                let element = self.paid[index] as usize;
                let (first, held) = (self.start[element] as usize, self.count[element] as usize);
                for place in first..first + held {
                    let other = self.holders[place] as usize;
                    let set = candidates[other];
                    self.steps += instance.members(set).len() as u64;
                    filled.update(other, self.price(instance, state, set));
                }
            }
        }
        self.steps += filled.steps();
        self.heap = filled;
        refused
    }

    fn index(&mut self, instance: &Instance, candidates: &[u32]) {
        self.start.resize(instance.elements(), 0);
        self.count.resize(instance.elements(), 0);
        let members = || candidates.iter().flat_map(|&set| instance.members(set));
        for member in members() {
            self.count[member.element as usize] = 0;
        }
        for member in members() {
            self.count[member.element as usize] += 1;
        }
        let mut next = 0;
        for member in members() {
            // The first time that an element is met its count is still positive.
            let count = core::mem::take(&mut self.count[member.element as usize]);
            if count > 0 {
                self.start[member.element as usize] = next;
                next += count;
            }
        }
        self.holders.clear();
        self.holders.resize(next as usize, 0);
        for (at, &set) in candidates.iter().enumerate() {
            for member in instance.members(set) {
                let element = member.element as usize;
                self.holders[(self.start[element] + self.count[element]) as usize] = at as u32;
                self.count[element] += 1;
                self.steps += 1;
            }
        }
    }

    /// Brings the shares up to date: all at first, then those that depend on how much is still to take.
    fn share_out(&mut self, instance: &Instance, candidates: &[u32], horizon: u64, is_first: bool) {
        self.share.resize(instance.elements(), 0);
        for member in candidates.iter().flat_map(|&set| instance.members(set)) {
            let element = member.element as usize;
            let holders = u64::from(self.count[element]);
            if is_first || holders > horizon {
                let cost = u128::from(instance.costs[element]) * SCALE;
                self.share[element] = cost / u128::from(holders.min(horizon).max(1));
            }
        }
    }

    fn price(&self, instance: &Instance, state: &State, set: u32) -> u128 {
        let charged = instance
            .members(set)
            .iter()
            .filter(|member| state.mark(member.element) != Mark::Paid && state.breaks(instance, member));
        let price: u128 = charged.map(|member| self.share[member.element as usize]).sum();
        match instance.weight_of(set) {
            1 => price,
            weight => price / u128::from(weight),
        }
    }

    fn take(&mut self, instance: &Instance, state: &mut State, set: u32) {
        self.paid.clear();
        let is_unpaid = |member: &&Member| state.mark(member.element) != Mark::Paid;
        self.paid.extend(instance.members(set).iter().filter(is_unpaid).map(|member| member.element));
        state.take(instance, set);
        self.paid.retain(|&element| state.mark(element) == Mark::Paid);
    }

    /// The steps since [`Self::forget_steps`]: candidates and members looked at.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn forget_steps(&mut self) {
        self.steps = 0;
    }
}

fn breaks_kept(instance: &Instance, state: &State, set: u32) -> bool {
    let kept = |element| state.mark(element) == Mark::Kept;
    instance.members(set).iter().any(|member| kept(member.element) && state.breaks(instance, member))
}
