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
    touched: Vec<u32>,
    steps: u64,
}

impl Fill {
    /// Takes `count` of the candidates, or as many as can be had without breaking an element that is to be kept. Returns
    /// the first candidate that was passed over for that.
    pub(super) fn run(
        &mut self,
        instance: &Instance,
        state: &mut State,
        candidates: &[u32],
        count: usize,
    ) -> Option<u32> {
        self.run_noting(instance, state, candidates, count, |_, _| {})
    }

    /// The same, and tells each set taken with the cost of all that is paid for then.
    pub(super) fn run_noting(
        &mut self,
        instance: &Instance,
        state: &mut State,
        candidates: &[u32],
        count: usize,
        mut note: impl FnMut(u32, u64),
    ) -> Option<u32> {
        self.index(instance, candidates);
        let mut refused = None;
        let mut horizon = count;
        let mut still = count;
        let Self { heap, .. } = self;
        let mut filled = core::mem::take(heap);
        filled.fill(candidates.iter().map(|&set| self.price(instance, state, set, horizon)));
        while still > 0 {
            if 4 * still <= 3 * horizon {
                horizon = still;
                filled.rekey(|at| self.price(instance, state, candidates[at], horizon));
            }
            let Some(at) = filled.pop() else { break };
            let set = candidates[at];
            if state.choice(set) != Choice::Open {
                continue;
            }
            if breaks_kept(instance, state, set) {
                refused = refused.or(Some(set));
                continue;
            }
            self.take(instance, state, set);
            note(set, state.cost());
            still -= 1;
            for index in 0..self.touched.len() {
                let element = self.touched[index] as usize;
                let (first, held) = (self.start[element] as usize, self.count[element] as usize);
                for place in first..first + held {
                    self.steps += 1;
                    let other = self.holders[place] as usize;
                    filled.update(other, self.price(instance, state, candidates[other], horizon));
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

    fn price(&self, instance: &Instance, state: &State, set: u32, horizon: usize) -> u128 {
        let charged = instance.members(set).iter().filter(|member| {
            state.mark(member.element) != Mark::Paid && state.breaks(instance, member)
        });
        let share = |element: u32| {
            let holders = (self.count[element as usize] as usize).min(horizon).max(1);
            u128::from(instance.costs[element as usize]) * SCALE / holders as u128
        };
        charged.map(|member| share(member.element)).sum()
    }

    fn take(&mut self, instance: &Instance, state: &mut State, set: u32) {
        self.touched.clear();
        let unpaid = |member: &&Member| state.mark(member.element) != Mark::Paid;
        self.touched.extend(instance.members(set).iter().filter(unpaid).map(|member| member.element));
        state.take(instance, set);
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
