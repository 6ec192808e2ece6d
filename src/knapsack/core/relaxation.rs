//! The linear relaxation: one pass settles most classes, the steps of the rest are partitioned around the split.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::super::curve::CurveClass;
use super::super::hull::{HullPoint, upper_hull};
use super::super::instance::Instance;
use super::super::shape::{Shape, Table};
use super::super::solution::NONE;
use super::concave::{count_worth, count_worth_near, is_worth, no_heavier, push_steps as push_concave_steps};
use super::scan::{Limits, best_reduced, position};

/// The best item of a class at a price; `item` is [`NONE`] for the base.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) item: u32,
    pub(super) weight: u32,
    pub(super) value: f64,
}

const BASE: Best = Best { item: NONE, weight: 0, value: 0.0 };

/// The best item of a class at a price of the grid.
#[inline(always)]
pub(super) fn best_at(
    instance: &Instance,
    class: usize,
    price: f64,
    limits: Limits,
    items_read: &mut u64,
) -> Best {
    match instance.shape(class) {
        Shape::Concave(table, first) => {
            let table = if limits.careful { no_heavier(table, limits.heaviest) } else { table };
            *items_read += table.weights.len() as u64;
            match count_worth(table, price).checked_sub(1) {
                Some(at) => {
                    Best { item: first + at as u32, weight: table.weights[at], value: table.values[at] }
                }
                None => BASE,
            }
        }
        Shape::Table(Table { weights, values, .. }) => {
            *items_read += weights.len() as u64;
            let [reduced] = best_reduced(weights, values, [price], limits);
            if reduced <= 0.0 {
                return BASE;
            }
            let item = position(weights, values, price, reduced, limits);
            Best { item: item as u32, weight: weights[item], value: values[item] }
        }
        Shape::Formula(curve) => {
            *items_read += 1;
            let best = curve.best(price, limits.heaviest);
            best.map_or(BASE, |(item, weight, value)| Best { item, weight, value })
        }
    }
}

/// One step along the hull of a class that is not settled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) value: f64,
    pub(super) weight: u32,
    pub(super) class: u32,
    pub(super) item: u32,
}

/// The steps of the classes that a pass leaves open, and scratch; kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct RelaxationBuffers {
    pub(super) alive: Vec<u32>,
    steps: Vec<Step>,
    order: Vec<(f64, u32)>,
    sorted: Vec<HullPoint>,
    hull: Vec<HullPoint>,
}

impl RelaxationBuffers {
    pub(super) fn memory_usage(&self) -> usize {
        self.alive.capacity() * 4
            + self.steps.capacity() * size_of::<Step>()
            + self.order.capacity() * 16
            + (self.sorted.capacity() + self.hull.capacity()) * size_of::<HullPoint>()
    }
}

/// What a pass found: the demand at both prices, and the value at the high one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pass {
    pub(super) low_weight: u64,
    pub(super) high_weight: u64,
    pub(super) high_value: f64,
}

/// The exact demand at one price; the best items are the choices.
#[inline(always)]
pub(super) fn demand_at(
    instance: &Instance,
    price: f64,
    limits: Limits,
    choices: &mut [u32],
    items_read: &mut u64,
) -> u64 {
    let mut demand = 0;
    for (class, choice) in choices.iter_mut().enumerate() {
        let best = best_at(instance, class, price, limits, items_read);
        *choice = best.item;
        demand += u64::from(best.weight);
    }
    demand
}

/// Reads every class once. Where one item is best at both prices it is best between them, and the class is settled; else
/// the class chooses its best at the high price for now, and the steps to its best at the low price are kept.
///
/// Where the choices are those of a price nearby, the classes that keep theirs are read less.
#[inline(always)]
pub(super) fn pass(
    instance: &Instance,
    prices: (f64, f64),
    limits: Limits,
    choices: &mut [u32],
    buffers: &mut RelaxationBuffers,
    items_read: &mut u64,
) -> Pass {
    buffers.alive.clear();
    buffers.steps.clear();
    let mut totals = Pass::default();
    for (class, choice) in choices.iter_mut().enumerate() {
        let (low, high) = match instance.shape(class) {
            Shape::Concave(table, first) => {
                *items_read += table.weights.len() as u64;
                between_concave(table, first, class, *choice, prices, limits, buffers)
            }
            Shape::Table(table) => {
                *items_read += table.weights.len() as u64;
                between_table(table, class, *choice, prices, limits, buffers)
            }
            Shape::Formula(curve) => {
                *items_read += 1;
                between_formula(curve, class, prices, limits, buffers)
            }
        };
        *choice = high.item;
        totals.low_weight += u64::from(low);
        totals.high_weight += u64::from(high.weight);
        totals.high_value += high.value;
    }
    totals
}

/// The weight of the best item at the low price, and the best item at the high price; where they are not the same, the
/// class stays alive and the steps between them are kept.
#[inline(always)]
fn between_concave(
    table: Table<'_>,
    first: u32,
    class: usize,
    guess: u32,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut RelaxationBuffers,
) -> (u32, Best) {
    let table = if limits.careful { no_heavier(table, limits.heaviest) } else { table };
    let count = match guess {
        NONE => count_worth(table, low),
        // The base of a mandatory class is item 0, and the items are counted from 1.
        _ => count_worth_near(table, (guess + 1).saturating_sub(first) as usize, low),
    };
    let Some(last) = count.checked_sub(1) else {
        // Where nothing is worth its weight at the low price, nothing is at the high one.
        return (0, BASE);
    };
    let at = |item: usize| Best {
        item: first + item as u32,
        weight: table.weights[item],
        value: table.values[item],
    };
    let most = at(last);
    if is_worth(table, last, high) {
        return (most.weight, most);
    }
    let lighter = Table { weights: &table.weights[..last], values: &table.values[..last], ..table };
    let start = count_worth_near(lighter, last, high);
    buffers.alive.push(class as u32);
    push_concave_steps(table, (start, last), class as u32, first, &mut buffers.steps);
    (most.weight, start.checked_sub(1).map_or(BASE, at))
}

/// As [`between_concave`], for a table in any order.
#[inline(always)]
fn between_table(
    table: Table<'_>,
    class: usize,
    guess: u32,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut RelaxationBuffers,
) -> (u32, Best) {
    let Table { mut weights, mut values, ascending } = table;
    let best_low;
    if let (Some(&weight), Some(&value)) = (weights.get(guess as usize), values.get(guess as usize)) {
        let best_high;
        [best_low, best_high] = best_reduced(weights, values, [low, high], limits);
        let weighs = f64::from(weight);
        if value - low * weighs >= best_low && value - high * weighs >= best_high && weight <= limits.heaviest
        {
            return (weight, Best { item: guess, weight, value });
        }
    } else {
        [best_low] = best_reduced(weights, values, [low], limits);
    }
    if best_low <= 0.0 {
        return (0, BASE);
    }
    let item = position(weights, values, low, best_low, limits);
    let (weight, value) = (weights[item], values[item]);
    if ascending {
        // What is heavier than the best at the low price loses against it at the high one.
        (weights, values) = (&weights[..=item], &values[..=item]);
    }
    let [best_high] = best_reduced(weights, values, [high], limits);
    if value - high * f64::from(weight) >= best_high {
        return (weight, Best { item: item as u32, weight, value });
    }
    let mut start = BASE;
    let mut first = 0;
    if best_high > 0.0 {
        let item = position(weights, values, high, best_high, limits);
        start = Best { item: item as u32, weight: weights[item], value: values[item] };
        first = if ascending { item } else { 0 };
    }
    buffers.alive.push(class as u32);
    let between = weights[first..].iter().zip(&values[first..]).map(|(&weight, &value)| {
        let worth = if weight >= start.weight { value - start.value } else { 0.0 };
        (weight.wrapping_sub(start.weight), worth)
    });
    push_hull(between, class, first as u32, weight.saturating_sub(start.weight), buffers);
    (weight, start)
}

/// As [`between_concave`], for a formula.
#[inline(always)]
fn between_formula(
    curve: &CurveClass,
    class: usize,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut RelaxationBuffers,
) -> (u32, Best) {
    let Some((last, weight, value)) = curve.best(low, limits.heaviest) else {
        return (0, BASE);
    };
    let best = curve.best(high, limits.heaviest);
    let start = best.map_or(BASE, |(item, weight, value)| Best { item, weight, value });
    if start.item != last {
        buffers.alive.push(class as u32);
        let first = start.item.wrapping_add(1);
        let between = (first..last).map(|item| curve.relative(item)).chain([(weight, value)]);
        let between = between.map(|(weight, value)| (weight.wrapping_sub(start.weight), value - start.value));
        push_hull(between, class, first, weight.saturating_sub(start.weight), buffers);
    }
    (weight, start)
}

/// Appends the steps along the hull of items counted from `first` and relative to the present choice, of which none
/// heavier than `span` matters.
fn push_hull(
    items: impl Iterator<Item = (u32, f64)>,
    class: usize,
    first: u32,
    span: u32,
    buffers: &mut RelaxationBuffers,
) {
    let RelaxationBuffers { steps, sorted, hull, .. } = buffers;
    upper_hull(items, u64::from(span), sorted, hull);
    let (mut weight, mut value) = (0, 0.0);
    for point in hull.iter() {
        let (step_weight, step_value) = (point.weight - weight, point.value - value);
        let item = first + point.item;
        steps.push(Step { value: step_value, weight: step_weight, class: class as u32, item });
        (weight, value) = (point.weight, point.value);
    }
}

/// The answer of the linear relaxation, with the step that is taken in part left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    /// Weight and value of the choices, relative to the bases.
    pub(super) weight: u64,
    pub(super) value: f64,
    /// The step that no longer fits; its value per weight is the price at which demand meets capacity.
    pub(super) step: Step,
}

/// Steepest first; equally steep ones by class. The quotients are rounded, which keeps their order but may make two of
/// them equal; then the exact products decide.
fn by_steepness(steps: &[Step], left: &(f64, u32), right: &(f64, u32)) -> Ordering {
    right.0.total_cmp(&left.0).then_with(|| {
        let (left, right) = (&steps[left.1 as usize], &steps[right.1 as usize]);
        let left_product = (left.value as u64 as u128) * u128::from(right.weight);
        let right_product = (right.value as u64 as u128) * u128::from(left.weight);
        right_product.cmp(&left_product).then(left.class.cmp(&right.class)).then(left.item.cmp(&right.item))
    })
}

/// Takes the steepest steps that fit, and returns the first that does not; `None` where all of them fit.
pub(super) fn split(
    totals: Pass,
    capacity: u64,
    choices: &mut [u32],
    buffers: &mut RelaxationBuffers,
) -> Option<Split> {
    let RelaxationBuffers { steps, order, .. } = buffers;
    order.clear();
    order.extend(steps.iter().enumerate().map(|(at, step)| (step.value / f64::from(step.weight), at as u32)));
    let mut left = capacity - totals.high_weight;
    let (mut start, mut end) = (0, order.len());
    // Everything before `start` is taken, everything from `end` on is not; `left` is what remains before `start`.
    while start < end {
        let middle = (end - start) / 2;
        order[start..end].select_nth_unstable_by(middle, |a, b| by_steepness(steps, a, b));
        let half = &order[start..=start + middle];
        let weight: u64 = half.iter().map(|&(_, at)| u64::from(steps[at as usize].weight)).sum();
        if weight <= left {
            left -= weight;
            start += middle + 1;
        } else {
            end = start + middle;
        }
    }
    let last = order.get(start).copied();
    let mut value = totals.high_value;
    for (at, step) in steps.iter().enumerate() {
        let key = (step.value / f64::from(step.weight), at as u32);
        if last.is_none_or(|last| by_steepness(steps, &key, &last) == Ordering::Less) {
            choices[step.class as usize] = step.item;
            value += step.value;
        }
    }
    last.map(|(_, at)| Split { weight: capacity - left, value, step: steps[at as usize] })
}
