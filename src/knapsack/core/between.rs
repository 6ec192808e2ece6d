//! The best item of one class at a price, and the steps between the best items at two prices, for each shape of a class.

use alloc::vec::Vec;

use super::super::curve::CurveClass;
use super::super::hull::{HullPoint, upper_hull, upper_hull_in_order};
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
    if instance.is_worth_nothing(class, price) {
        return BASE;
    }
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
            let reduced = best_reduced(weights, values, price, limits);
            if reduced <= 0.0 {
                return BASE;
            }
            let item = position(weights, values, price, reduced, limits);
            Best { item: item as u32, weight: weights[item], value: values[item] }
        }
        Shape::Formula(curve) => {
            let best = curve.best(price, limits.heaviest, items_read);
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

/// The classes that a pass leaves open, their steps, and scratch; kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenClasses {
    pub(super) alive: Vec<u32>,
    pub(super) steps: Vec<Step>,
    /// How many items of formulas may still be looked through for steps, so that memory follows the number of classes
    /// and not how many items a formula stands for.
    pub(super) room: u64,
    /// Whether there was no room: steps are missing.
    pub(super) is_overfull: bool,
    sorted: Vec<HullPoint>,
    hull: Vec<HullPoint>,
}

impl OpenClasses {
    pub(super) fn clear(&mut self) {
        self.alive.clear();
        self.steps.clear();
        self.is_overfull = false;
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.alive.capacity() * 4
            + self.steps.capacity() * size_of::<Step>()
            + (self.sorted.capacity() + self.hull.capacity()) * size_of::<HullPoint>()
    }
}

/// The weight of the best item at the low price, and the best item at the high price; where they are not the same, the
/// class stays alive and the steps between them are kept.
#[inline(always)]
pub(super) fn between_concave(
    table: Table<'_>,
    first: u32,
    class: usize,
    guess: u32,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut OpenClasses,
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
pub(super) fn between_table(
    table: Table<'_>,
    class: usize,
    guess: u32,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut OpenClasses,
) -> (u32, Best) {
    let Table { mut weights, mut values, ascending } = table;
    let best_low = best_reduced(weights, values, low, limits);
    if best_low <= 0.0 {
        return (0, BASE);
    }
    let is_best = |&(&weight, &value): &(&u32, &f64)| {
        weight <= limits.heaviest && value - low * f64::from(weight) >= best_low
    };
    let item = match weights.get(guess as usize).zip(values.get(guess as usize)).filter(is_best) {
        Some(_) => guess as usize,
        None => position(weights, values, low, best_low, limits),
    };
    let (weight, value) = (weights[item], values[item]);
    if ascending {
        // What is heavier than the best at the low price loses against it at the high one.
        (weights, values) = (&weights[..=item], &values[..=item]);
    }
    let best_high = best_reduced(weights, values, high, limits);
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
pub(super) fn between_formula(
    curve: &CurveClass,
    class: usize,
    (low, high): (f64, f64),
    limits: Limits,
    buffers: &mut OpenClasses,
    items_read: &mut u64,
) -> (u32, Best) {
    let Some((last, weight, value)) = curve.best(low, limits.heaviest, items_read) else {
        return (0, BASE);
    };
    let best = curve.best(high, limits.heaviest, items_read);
    let start = best.map_or(BASE, |(item, weight, value)| Best { item, weight, value });
    if start.item != last {
        let first = start.item.wrapping_add(1);
        let between = u64::from(last.saturating_sub(first)) + 1;
        if between > buffers.room {
            buffers.is_overfull = true;
            return (weight, start);
        }
        buffers.room -= between;
        buffers.alive.push(class as u32);
        let between = (first..last).map(|item| curve.relative(item)).chain([(weight, value)]);
        let between = between.map(|(weight, value)| (weight.wrapping_sub(start.weight), value - start.value));
        let OpenClasses { steps, hull, .. } = buffers;
        upper_hull_in_order(between, u64::from(weight.saturating_sub(start.weight)), hull);
        push_steps(hull, class, first, steps);
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
    buffers: &mut OpenClasses,
) {
    let OpenClasses { steps, sorted, hull, .. } = buffers;
    upper_hull(items, u64::from(span), sorted, hull);
    push_steps(hull, class, first, steps);
}

fn push_steps(hull: &[HullPoint], class: usize, first: u32, steps: &mut Vec<Step>) {
    let (mut weight, mut value) = (0, 0.0);
    for point in hull.iter() {
        let (step_weight, step_value) = (point.weight - weight, point.value - value);
        let item = first + point.item;
        steps.push(Step { value: step_value, weight: step_weight, class: class as u32, item });
        (weight, value) = (point.weight, point.value);
    }
}
