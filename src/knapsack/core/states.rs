//! The dynamic program over a list of states, on the core.
//!
//! A state is what the classes looked at so far add to the split choice: weight and value. Of two states the heavier must
//! be worth more, or it is dropped; and a state is dropped when even the best of the remaining classes can't lift it
//! above the incumbent. Classes come in the order of their least loss per unit of weight, so that what remains gets
//! dearer and dearer, and the list dies out long before the classes do.
//!
//! Source: Pisinger, *A minimal algorithm for the multiple-choice knapsack problem*, EJOR 83 (1995), for the order and
//! the core; the bound here uses the losses of what remains, by direction, and their common divisor.

use alloc::vec::Vec;

use super::items::{Change, ROUNDING};
use super::residue::greatest_common_divisor;

const NO_NODE: u32 = u32::MAX;
const NO_CHANGE: u32 = u32::MAX;
/// The nodes after which the search is given up, so that their numbers stay below [`NO_NODE`].
const MOST_NODES: usize = 1 << 31;

/// What the classes so far add, and how: the node of the arena, and the change of the present class if any.
#[derive(Clone, Copy, Debug)]
struct State {
    weight: i64,
    value: f64,
    node: u32,
    change: u32,
}

/// One change on the way to a state.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    change: u32,
}

/// A class of the core: its changes, and what it and all later classes can do.
#[derive(Clone, Copy, Debug)]
struct CoreClass {
    start: u32,
    end: u32,
    key: f64,
    /// The least loss a unit of weight added, here and later.
    up: f64,
    /// The least loss a unit of weight given back, here and later.
    down: f64,
    /// The greatest common divisor of the weights, here and later.
    divisor: i64,
}

/// Lists of states and the arena of nodes; kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct StateBuffers {
    classes: Vec<CoreClass>,
    states: Vec<State>,
    merged: Vec<State>,
    next: Vec<State>,
    nodes: Vec<Node>,
    pub(super) chosen: Vec<Change>,
}

impl StateBuffers {
    pub(super) fn memory_usage(&self) -> usize {
        self.classes.capacity() * size_of::<CoreClass>()
            + (self.states.capacity() + self.merged.capacity() + self.next.capacity()) * size_of::<State>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.chosen.capacity() * size_of::<Change>()
    }
}

/// What the dynamic program found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// The best value added; where it is more than the incumbent's, `chosen` holds the changes.
    pub(super) gain: f64,
    /// Where the budget ran out: no answer within the core adds more than this.
    pub(super) bound: Option<f64>,
    /// The states made.
    pub(super) states: u64,
}

/// Drops states that can't beat the incumbent with the classes that remain.
#[derive(Clone, Copy)]
struct Bound {
    slack: i64,
    price: f64,
    up: f64,
    down: f64,
    divisor: i64,
}

impl Bound {
    /// What a state can reach at most, rounded up.
    #[inline]
    fn of(&self, state: &State) -> f64 {
        let left = self.slack - state.weight;
        // Rounded down: less can be used of what is free, and more must be given back of what is missing.
        let units = if self.divisor > 1 { left.div_euclid(self.divisor) * self.divisor } else { left };
        // With nothing remaining (`up` infinite) nothing more can be had.
        let slope = if left >= 0 { (self.price - self.up).max(0.0) } else { self.price + self.down };
        let change = if units == 0 { 0.0 } else { slope * units as f64 };
        state.value + change + ROUNDING * (state.value.abs() + change.abs().min(f64::MAX))
    }
}

impl Bound {
    /// What any of the states can reach at most, and at least the incumbent.
    fn of_all(&self, states: &[State], incumbent: f64) -> f64 {
        let reaches = states.iter().map(|state| self.of(state));
        libm::floor(reaches.fold(incumbent, f64::max))
    }
}

/// Looks for a choice that adds more than `incumbent` to the split choice, over the changes given, until one adds
/// `most`, which nothing can beat.
///
/// Changes of one class stand together. `budget` limits the states made. Where nothing better is found, `chosen` is left
/// as it was.
pub(super) fn solve(
    changes: &[Change],
    slack: i64,
    price: f64,
    (incumbent, most): (f64, f64),
    budget: u64,
    buffers: &mut StateBuffers,
) -> Outcome {
    let StateBuffers { classes, states, merged, next, nodes, chosen } = buffers;
    arrange(changes, classes);
    states.clear();
    nodes.clear();
    states.push(State { weight: 0, value: 0.0, node: NO_NODE, change: NO_CHANGE });
    let mut best = (incumbent, NO_NODE);
    let mut made = 0_u64;
    let mut bound = None;
    'classes: for at in 0..classes.len() {
        let class = classes[at];
        let rest = classes.get(at + 1);
        let limit = Bound {
            slack,
            price,
            up: rest.map_or(f64::INFINITY, |rest| rest.up),
            down: rest.map_or(f64::INFINITY, |rest| rest.down),
            divisor: rest.map_or(0, |rest| rest.divisor),
        };
        merged.clear();
        merged.extend_from_slice(states);
        for change in class.start..class.end {
            if made >= budget {
                // Some states of this class are not made: what was there before it bounds them all.
                let before = Bound { up: class.up, down: class.down, divisor: class.divisor, ..limit };
                bound = Some(before.of_all(states, best.0));
                break 'classes;
            }
            let step = &changes[change as usize];
            merge(merged, states, step, change, next);
            core::mem::swap(merged, next);
            made += merged.len() as u64;
        }
        // The best state that fits becomes the incumbent before anything is dropped, and keeps its node, since the
        // bound may drop the state itself right after.
        for state in merged.iter() {
            if state.weight <= slack && state.value > best.0 {
                nodes.push(Node { parent: state.node, change: state.change });
                best = (state.value, nodes.len() as u32 - 1);
            }
        }
        if best.0 >= most {
            break;
        }
        states.clear();
        for state in merged.iter() {
            // Values are integers: what can't reach one more than the incumbent is no better.
            if limit.of(state) < best.0 + 1.0 {
                continue;
            }
            let mut state = *state;
            if state.change != NO_CHANGE {
                nodes.push(Node { parent: state.node, change: state.change });
                state.node = nodes.len() as u32 - 1;
                state.change = NO_CHANGE;
            }
            states.push(state);
        }
        if states.is_empty() {
            break;
        }
        if nodes.len() >= MOST_NODES {
            bound = Some(limit.of_all(states, best.0));
            break;
        }
    }
    let mut node = best.1;
    if node != NO_NODE {
        chosen.clear();
    }
    while let Some(&Node { parent, change }) = nodes.get(node as usize) {
        if let Some(change) = changes.get(change as usize) {
            chosen.push(*change);
        }
        node = parent;
    }
    Outcome { gain: best.0, bound, states: made }
}

/// Groups the changes by class, orders the classes, and computes what remains after each.
fn arrange(changes: &[Change], classes: &mut Vec<CoreClass>) {
    classes.clear();
    let mut start = 0;
    for group in changes.chunk_by(|left, right| left.class == right.class) {
        let end = start + group.len() as u32;
        let (mut up, mut down) = (f64::INFINITY, f64::INFINITY);
        let mut divisor = 0;
        for change in group {
            let each = change.loss / change.weight.unsigned_abs() as f64;
            let side = if change.weight > 0 { &mut up } else { &mut down };
            *side = side.min(each);
            divisor = greatest_common_divisor(divisor, change.weight);
        }
        classes.push(CoreClass { start, end, key: up.min(down), up, down, divisor });
        start = end;
    }
    classes.sort_unstable_by(|left, right| left.key.total_cmp(&right.key).then(left.start.cmp(&right.start)));
    for at in (1..classes.len()).rev() {
        let later = classes[at];
        let class = &mut classes[at - 1];
        class.up = class.up.min(later.up);
        class.down = class.down.min(later.down);
        class.divisor = greatest_common_divisor(class.divisor, later.divisor);
    }
}

/// Merges a list with another shifted by a change, lightest first, and drops what is dominated. Of two equal states
/// that of the list is kept.
fn merge(list: &[State], base: &[State], step: &Change, change: u32, into: &mut Vec<State>) {
    into.clear();
    let mut list = list.iter().peekable();
    let mut last = f64::NEG_INFINITY;
    let mut push = |state: State| {
        if state.value > last {
            last = state.value;
            // Of equally heavy states the later one, which is worth more, replaces the one before.
            match into.last_mut() {
                Some(before) if before.weight == state.weight => *before = state,
                _ => into.push(state),
            }
        }
    };
    for state in base {
        let shifted = State {
            weight: state.weight + step.weight,
            value: state.value + step.value,
            node: state.node,
            change,
        };
        while let Some(&&state) = list.peek() {
            if state.weight > shifted.weight {
                break;
            }
            push(state);
            list.next();
        }
        push(shifted);
    }
    list.for_each(|&state| push(state));
}
