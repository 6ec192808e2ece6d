//! The core solver: exact, at about the cost of reading the input.
//!
//! 1. [`estimate`] brackets the price at which demand meets capacity, from a sample; where that is too vague the sample is
//!    enlarged, or one exact demand is found.
//! 2. [`relaxation`] reads the input once, settles the classes whose best item is the same at both ends of the bracket
//!    ([`between`], by [`scan`] or, for a class that gains less and less, by the search of [`concave`]), and [`split`] divides
//!    the steps of the rest at the capacity: that gives a choice, the split price and the linear bound.
//! 3. [`items`] collects the changes that could still improve the choice; a class that is settled can't be among them
//!    unless the incumbent is further below the bound than the bracket is wide.
//! 4. [`swap`] tries single changes and pairs; [`residue`] lowers the bound where weights share a divisor.
//! 5. [`states`] searches what is left by a dynamic program over a list of states.

#![allow(clippy::too_many_arguments)]

mod between;
mod concave;
mod estimate;
mod items;
mod relaxation;
mod residue;
mod scan;
mod split;
mod states;
mod swap;
mod wide;

use alloc::vec::Vec;

use super::instance::Instance;
use super::solution::{Method, Solution};
use between::OpenClasses;
use estimate::{Estimator, Sample};
use items::{Change, ROUNDING, SplitPrice, collect, keep};
use relaxation::{Totals, demand_at, pass};
use scan::{Limits, Prices};
use split::{Split, split};
use states::StateBuffers;
use swap::{Swap, best_pair, best_single};

/// The memory of the core solver; kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct CoreBuffers {
    sample: Sample,
    open: OpenClasses,
    steepness: Vec<(f64, u32)>,
    changes: Vec<Change>,
    order: Vec<u32>,
    prefix: Vec<(u32, u32)>,
    states: StateBuffers,
}

impl CoreBuffers {
    pub(super) fn memory_usage(&self) -> usize {
        self.sample.memory_usage()
            + self.open.memory_usage()
            + self.steepness.capacity() * 16
            + self.changes.capacity() * size_of::<Change>()
            + self.order.capacity() * 4
            + self.prefix.capacity() * 8
            + self.states.memory_usage()
    }
}

/// Where to look for the split price first, and how far around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Start {
    pub(super) price: f64,
    pub(super) width: f64,
    /// The share of classes that the last solve had to leave open.
    pub(super) open: f64,
}

/// The counted work after which the search is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// States of the dynamic program.
    pub(super) states: u64,
    /// Items read until the split is found; where it is not, there is no answer at all.
    pub(super) items: u64,
}

/// What a run of the core solver tells beside the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Report {
    /// Where to look next time.
    pub(super) next: Option<Start>,
    /// Items looked at in the search for the split and for the core, each time that one is.
    pub(super) items_read: u64,
    /// States made by the dynamic program.
    pub(super) states: u64,
    /// Whether the answer is proven optimal.
    pub(super) optimal: bool,
}

/// The classes in the sample: an eighth of all, within these limits.
const SMALL_SAMPLE: usize = 200;
const LARGE_SAMPLE: usize = 600;
/// The share of classes left open by the sample above which a larger sample or one exact demand is worth its reading.
const WIDE: f64 = 0.12;
/// The classes whose changes are tried first.
const FEW: usize = 64;
/// The states that the dynamic program may make on these few classes.
const FEW_STATES: u64 = 1 << 14;
/// Brackets tried before the widest is taken.
const ATTEMPTS: u32 = 6;
/// The items of formulas that are looked through for steps between two prices: so many, and so many for each class.
const ROOM: u64 = 1 << 16;
const ROOM_OF_CLASS: u64 = 64;

/// Solves the instance, whose mandatory items fit; `capacity` is what is left for the rest.
pub(super) fn solve(
    instance: &Instance,
    capacity: u64,
    start: Option<Start>,
    budget: Budget,
    buffers: &mut CoreBuffers,
    solution: &mut Solution,
) -> Report {
    solution.start(instance);
    // Where a bracket that is worth trying proved too narrow, a cold search is quicker.
    let start = start.filter(|start| start.width <= WIDEST);
    // What no sum of weights can fill is not there.
    let capacity = capacity - capacity % u64::from(instance.divisor().max(1));
    let heaviest = capacity.min(u64::from(u32::MAX)) as u32;
    let limits = Limits {
        heaviest,
        careful: instance.largest_weight() > heaviest || instance.largest_weight() > i32::MAX as u32,
    };
    let mut report = Report::default();
    let prices = Prices::new(instance.largest_value());
    let choices = &mut solution.choices;
    let Some((bracket, totals)) =
        relax(instance, capacity, prices, limits, start, budget.items, buffers, choices, &mut report)
    else {
        return report;
    };
    let Some(split) =
        split(totals, capacity, &mut solution.choices, &buffers.open.steps, &mut buffers.steepness)
    else {
        // Everything that is worth taking fits.
        let value: f64 = solution.relative_value(instance);
        let weight = solution.relative_weight(instance);
        solution.finish_with(instance, weight, value as u64, None, Method::Core);
        report.optimal = true;
        return report;
    };
    improve(
        instance,
        capacity,
        &split,
        bracket,
        limits,
        start,
        budget.states,
        buffers,
        solution,
        &mut report,
    );
    report
}

/// Finds two prices between which demand meets capacity, and runs the pass between them; `None` where that is given up.
fn relax(
    instance: &Instance,
    capacity: u64,
    prices: Prices,
    limits: Limits,
    start: Option<Start>,
    item_budget: u64,
    buffers: &mut CoreBuffers,
    choices: &mut [u32],
    report: &mut Report,
) -> Option<((f64, f64), Totals)> {
    let CoreBuffers { sample, open, .. } = buffers;
    let guess = instance.average_price();
    let size = (instance.class_count() / 8).clamp(SMALL_SAMPLE, LARGE_SAMPLE);
    let mut estimator = Estimator::new(instance, limits, prices, sample, size, guess);
    let mut refined = estimator.is_exact();
    if let Some(Start { price, width, open: share }) = start {
        let low = prices.floor(price * (1.0 - width));
        let high = prices.floor(price * (1.0 + width) + prices.quantum());
        let ends = (low, high);
        if instance.class_count() < 8 * LARGE_SAMPLE || estimator.confirms(ends, capacity, share) {
            let (ends, totals) =
                narrow(instance, capacity, prices, ends, limits, choices, open, &mut report.items_read);
            if totals.high_weight > capacity {
                estimator.learn(ends.1, totals.high_weight);
                refined = true;
            } else if totals.low_weight <= capacity && ends.0 > 0.0 {
                estimator.learn(ends.0, totals.low_weight);
                refined = true;
            } else {
                report.items_read += estimator.items_read;
                return Some((ends, totals));
            }
        }
    }
    estimator.item_budget = item_budget;
    for _ in 0..ATTEMPTS {
        if !refined && let Some(vague) = estimator.too_vague(capacity, WIDE) {
            refined = true;
            if estimator.enlarge(vague) {
                continue;
            }
            // One exact demand reads everything: it is not begun where it would not be ended.
            if report.items_read + estimator.items_with_a_pass() > item_budget {
                report.items_read += estimator.items_read;
                return None;
            }
            let demand = demand_at(instance, vague.price, limits, choices, &mut report.items_read);
            estimator.learn(vague.price, demand);
        }
        let bracket = estimator.bracket(capacity);
        if report.items_read + estimator.items_read > item_budget {
            report.items_read += estimator.items_read;
            return None;
        }
        let ends = (bracket.low, bracket.high);
        let (ends, totals) =
            narrow(instance, capacity, prices, ends, limits, choices, open, &mut report.items_read);
        if totals.high_weight > capacity {
            estimator.learn(bracket.high, totals.high_weight);
        } else if totals.low_weight <= capacity && bracket.low > 0.0 {
            estimator.learn(bracket.low, totals.low_weight);
        } else {
            report.items_read += estimator.items_read;
            return Some((ends, totals));
        }
        refined = true;
    }
    let ends = (0.0, prices.highest());
    report.items_read += estimator.items_read;
    Some(narrow(instance, capacity, prices, ends, limits, choices, open, &mut report.items_read))
}

/// The pass between two prices, brought nearer to each other where formulas have more items between them than there is
/// room for.
///
/// A formula of some numbers may stand for half a billion items, so that a list of those between two prices could be
/// far longer than the input.
fn narrow(
    instance: &Instance,
    capacity: u64,
    prices: Prices,
    (mut low, mut high): (f64, f64),
    limits: Limits,
    choices: &mut [u32],
    open: &mut OpenClasses,
    items_read: &mut u64,
) -> ((f64, f64), Totals) {
    let room = ROOM + ROOM_OF_CLASS * instance.class_count() as u64;
    open.room = room;
    let mut totals = pass(instance, (low, high), limits, choices, open, items_read);
    while open.is_overfull {
        if totals.high_weight > capacity {
            // The split is not between them, so that the steps are not needed.
            break;
        }
        if totals.low_weight <= capacity {
            // Nor is it here; and at the price of nothing all that is worth taking fits, so that it is the best.
            open.clear();
            totals.high_weight = demand_at(instance, low, limits, choices, items_read);
            high = low;
            break;
        }
        let middle = prices.floor(low + (high - low) / 2.0);
        let is_narrowest = middle <= low;
        if !is_narrowest {
            let demand = demand_at(instance, middle, limits, choices, items_read);
            (low, high) = if demand > capacity { (middle, high) } else { (low, middle) };
        }
        // Between two prices that are neighbours the hull bends no more often than whole numbers let it.
        open.room = if is_narrowest { u64::MAX } else { room };
        totals = pass(instance, (low, high), limits, choices, open, items_read);
    }
    ((low, high), totals)
}

/// From the split choice to the best one.
fn improve(
    instance: &Instance,
    capacity: u64,
    split: &Split,
    (low, high): (f64, f64),
    limits: Limits,
    start: Option<Start>,
    state_budget: u64,
    buffers: &mut CoreBuffers,
    solution: &mut Solution,
    report: &mut Report,
) {
    let CoreBuffers { open, changes, order, prefix, states, .. } = buffers;
    let at = SplitPrice::new(split);
    // The slack is less than the weight of the step that did not fit, so that these products are small.
    let slack = (capacity - split.weight) as i64;
    let whole = (split.step.value as u64 as u128) * (slack as u128) / u128::from(split.step.weight);
    // What any answer can add to the split choice, as an integer and, rounded up, before it was cut to one.
    let mut most = whole as f64;
    let ceiling = at.price * slack as f64 * (1.0 + ROUNDING);
    // What a change outside the classes left open loses at least: it is best at neither end of the bracket.
    let divisor = f64::from(instance.divisor().max(1));
    let distance = (at.price - low).min(high - at.price) * (1.0 - ROUNDING) * divisor - ROUNDING * at.price;
    let mut best = Swap::NONE;
    let mut bound = None;
    states.chosen.clear();
    let alive = &open.alive;
    if best.gain < most {
        // A few classes first: they often suffice, and else lower the loss up to which the others matter. They are taken
        // around the split: of equally steep steps those before it are taken, those after it are not.
        let middle = alive.partition_point(|&class| class < split.step.class);
        let few = alive.iter().copied().skip(middle.saturating_sub(FEW / 2)).take(FEW);
        let limit = ceiling - 1.0;
        collect(instance, few, &solution.choices, at, limit, limits, changes, &mut report.items_read);
        try_swaps(changes, slack, (ceiling, most), &mut best, &mut states.chosen, order, prefix);
    }
    if best.gain < most && alive.len() > FEW {
        keep(changes, ceiling - best.gain - 1.0);
        let outcome =
            states::solve(changes, slack, at.price, (best.gain, most), FEW_STATES.min(state_budget), states);
        report.states += outcome.states;
        if outcome.gain > best.gain {
            best = Swap { gain: outcome.gain, changes: [None, None] };
        }
    }
    if best.gain < most && alive.len() > FEW {
        let limit = ceiling - best.gain - 1.0;
        let classes = alive.iter().copied();
        collect(instance, classes, &solution.choices, at, limit, limits, changes, &mut report.items_read);
        try_swaps(changes, slack, (ceiling, most), &mut best, &mut states.chosen, order, prefix);
    }
    let open_gap = if best.gain < most { ceiling - best.gain } else { 0.0 };
    let all_open = alive.len() == instance.class_count();
    if best.gain < most && ceiling - best.gain - 1.0 >= distance && !all_open {
        let classes = 0..instance.class_count() as u32;
        let limit = ceiling - best.gain - 1.0;
        collect(instance, classes, &solution.choices, at, limit, limits, changes, &mut report.items_read);
        try_swaps(changes, slack, (ceiling, most), &mut best, &mut states.chosen, order, prefix);
    }
    if best.gain < most {
        keep(changes, ceiling - best.gain - 1.0);
        let least = residue::least_loss(changes, slack, at.price);
        let reach = libm::floor(ceiling - least * (1.0 - ROUNDING) + ROUNDING * ceiling);
        most = if reach < most { if reach > best.gain { reach } else { best.gain } } else { most };
    }
    if best.gain < most {
        let outcome = states::solve(changes, slack, at.price, (best.gain, most), state_budget, states);
        report.states += outcome.states;
        if outcome.gain > best.gain {
            best = Swap { gain: outcome.gain, changes: [None, None] };
        }
        bound = outcome.bound.map(|reach| if reach < most { reach } else { most });
    }
    let mut weight = split.weight as i64;
    for change in best.changes.iter().flatten().chain(&states.chosen) {
        solution.choices[change.class as usize] = change.item;
        weight += change.weight;
    }
    let value = split.value + best.gain;
    let bound = bound.map(|reach| (split.value + reach) as u64);
    let width = next_width(at.price, (low, high), start);
    // And so wide that it proves that the classes outside need not be read, unless that would open many more: to read
    // a class costs far less than to open it.
    let proving = (1.5 * open_gap / (at.price * divisor)).min(WIDENING * width);
    let width = if proving > width { proving } else { width };
    let share = alive.len() as f64 / instance.class_count() as f64;
    report.next = Some(Start { price: at.price, width: width.min(WIDEST), open: share });
    report.optimal = bound.is_none_or(|bound| bound <= value as u64);
    solution.finish_with(instance, weight as u64, value as u64, bound, Method::Core);
}

/// Single changes, then pairs, as long as the bound is not reached.
fn try_swaps(
    changes: &mut Vec<Change>,
    slack: i64,
    (ceiling, most): (f64, f64),
    best: &mut Swap,
    chosen: &mut Vec<Change>,
    order: &mut Vec<u32>,
    prefix: &mut Vec<(u32, u32)>,
) {
    let single = best_single(changes, slack);
    if single.gain > best.gain {
        *best = single;
        chosen.clear();
    }
    if best.gain < most {
        keep(changes, ceiling - best.gain - 1.0);
        if let Some(pair) = best_pair(changes, slack, best.gain, order, prefix) {
            *best = pair;
            chosen.clear();
        }
    }
}

/// How far around the split price to look next time: four times as far as it moved from the hint, and at least a quarter
/// of the last width, so that one quiet epoch does not make the next one fail.
fn next_width(price: f64, (low, high): (f64, f64), start: Option<Start>) -> f64 {
    let width = match start {
        Some(start) => {
            let moved = (price - start.price) / price;
            let (moved, last) = (4.0 * moved.abs(), start.width / 4.0);
            if moved > last { moved } else { last }
        }
        None => (high - low) / price / 2.0,
    };
    width.clamp(1e-12, WIDEST)
}

/// How many times as wide a hint may be as the move of the price asks for, so that fewer classes are read again.
const WIDENING: f64 = 4.0;
/// The widest hint that is worth trying.
const WIDEST: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knapsack::{ClassKind, Item, Solver, Workspace};

    /// Values of 1,000 a unit of weight, up to 10 more or less: the prices at which choices change lie in a millionth.
    fn weak(classes: usize) -> Instance {
        let mut random = oorandom::Rand64::new(7);
        let mut instance = Instance::new(0);
        for _ in 0..classes {
            let items = (0..30).map(|_| {
                let weight = random.rand_range(1..513) as u32;
                Item { weight, value: 1_000 * u64::from(weight) + random.rand_range(0..21) - 10 }
            });
            instance.push_class(ClassKind::AtMostOne, items).unwrap();
        }
        instance
    }

    // A hint so wide that it left every class open took five times as long as none.
    #[test]
    fn a_hint_is_not_widened_until_it_opens_every_class() {
        let mut instance = weak(1_000);
        let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
        let (units, mut open) = (1_000 * 512 / 4, 0);
        for step in 0..30 {
            instance.set_capacity(units + units * (step % 7) / 1_000);
            let hint = workspace.hint();
            Solver::new().solve_with_hint_into(&instance, hint, &mut workspace, &mut solution).unwrap();
            open += workspace.core.open.alive.len();
        }
        assert!(open < 4_000, "of 30,000 classes {open} were open");
    }
}
