//! The linear relaxation: one pass settles most classes, the steps of the rest are partitioned around the split.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::super::hull::{HullPoint, upper_hull};
use super::super::instance::Instance;
use super::super::solution::NONE;
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
#[inline]
pub(super) fn best_at(
    instance: &Instance,
    class: usize,
    price: f64,
    limits: Limits,
    items_read: &mut u64,
) -> Best {
    if let Some(curve) = instance.curve(class) {
        *items_read += 1;
        let best = curve.best(price, limits.heaviest);
        return best.map_or(BASE, |(item, weight, value)| Best { item, weight, value });
    }
    let (weights, values) = instance.table(class);
    *items_read += weights.len() as u64;
    let [reduced] = best_reduced(weights, values, [price], limits);
    if reduced <= 0.0 {
        return BASE;
    }
    let item = position(weights, values, price, reduced, limits);
    Best { item: item as u32, weight: weights[item], value: values[item] }
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

/// The exact demand at one price.
pub(super) fn demand_at(instance: &Instance, price: f64, limits: Limits, items_read: &mut u64) -> u64 {
    let classes = 0..instance.class_count();
    classes.map(|class| u64::from(best_at(instance, class, price, limits, items_read).weight)).sum()
}

/// Reads every class once. Where one item is best at both prices it is best between them, and the class is settled; else
/// the class chooses its best at the high price for now, and the steps to its best at the low price are kept.
pub(super) fn pass(
    instance: &Instance,
    (low, high): (f64, f64),
    limits: Limits,
    choices: &mut [u32],
    buffers: &mut RelaxationBuffers,
) -> Pass {
    let RelaxationBuffers { alive, steps, sorted, hull, .. } = buffers;
    alive.clear();
    steps.clear();
    let mut totals = Pass::default();
    for (class, choice) in choices.iter_mut().enumerate() {
        if let Some(curve) = instance.curve(class) {
            let Some((last, weight, value)) = curve.best(low, limits.heaviest) else {
                *choice = NONE;
                continue;
            };
            let best = curve.best(high, limits.heaviest);
            let start = best.map_or(BASE, |(item, weight, value)| Best { item, weight, value });
            *choice = start.item;
            totals.high_weight += u64::from(start.weight);
            totals.high_value += start.value;
            if start.item == last {
                totals.low_weight += u64::from(weight);
                continue;
            }
            alive.push(class as u32);
            let first = start.item.wrapping_add(1);
            let between = (first..last).map(|item| curve.relative(item)).chain([(weight, value)]);
            let between =
                between.map(|(weight, value)| (weight.wrapping_sub(start.weight), value - start.value));
            let span = u64::from(weight.saturating_sub(start.weight));
            upper_hull(between, span, sorted, hull);
            totals.low_weight += u64::from(start.weight) + push_steps(class, first, hull, steps);
            continue;
        }
        let (weights, values) = instance.table(class);
        let [best_low] = best_reduced(weights, values, [low], limits);
        if best_low <= 0.0 {
            // Where nothing is worth its weight at the low price, nothing is at the high one.
            *choice = NONE;
            continue;
        }
        let [best_high] = best_reduced(weights, values, [high], limits);
        let item = position(weights, values, low, best_low, limits);
        let (weight, value) = (weights[item], values[item]);
        if value - high * f64::from(weight) >= best_high {
            *choice = item as u32;
            totals.low_weight += u64::from(weight);
            totals.high_weight += u64::from(weight);
            totals.high_value += value;
            continue;
        }
        let mut start = BASE;
        if best_high > 0.0 {
            let item = position(weights, values, high, best_high, limits);
            start = Best { item: item as u32, weight: weights[item], value: values[item] };
        }
        *choice = start.item;
        totals.high_weight += u64::from(start.weight);
        totals.high_value += start.value;
        alive.push(class as u32);
        let between = weights.iter().zip(values).map(|(&weight, &value)| {
            let worth = if weight >= start.weight { value - start.value } else { 0.0 };
            (weight.wrapping_sub(start.weight), worth)
        });
        upper_hull(between, u64::from(weight.saturating_sub(start.weight)), sorted, hull);
        totals.low_weight += u64::from(start.weight) + push_steps(class, 0, hull, steps);
    }
    totals
}

/// Appends the steps along a hull, whose items are counted from `first`, and returns the weight of all of them.
fn push_steps(class: usize, first: u32, hull: &[HullPoint], steps: &mut Vec<Step>) -> u64 {
    let (mut weight, mut value) = (0, 0.0);
    for point in hull {
        let (step_weight, step_value) = (point.weight - weight, point.value - value);
        let item = first + point.item;
        steps.push(Step { value: step_value, weight: step_weight, class: class as u32, item });
        (weight, value) = (point.weight, point.value);
    }
    u64::from(weight)
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
