//! Classes whose items gain less and less: the best item at a price is the last whose step is worth more than its weight.
//!
//! A *step* is what an item has more than the one before: weight and value. The steps grow flatter and flatter, so a
//! search by halves finds the best item, and the steps between two prices stand side by side.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use super::super::hull::at_least_as_steep;
use super::super::shape::Table;
use super::between::Step;

/// The step to an item from the one before, or from the base.
#[inline(always)]
fn step(table: Table<'_>, item: usize) -> (f64, u32) {
    let (value, weight) = (table.values[item], table.weights[item]);
    match item.checked_sub(1) {
        Some(before) => (value - table.values[before], weight - table.weights[before]),
        None => (value, weight),
    }
}

/// Whether the step to an item is worth more than its weight at a price of the grid.
///
/// The comparison is exact: a product is rounded only where it is larger than any value (see
/// [`Prices`](super::scan::Prices)).
#[inline(always)]
pub(super) fn is_worth(table: Table<'_>, item: usize, price: f64) -> bool {
    let (value, weight) = step(table, item);
    value > price * f64::from(weight)
}

/// The number of items whose step is worth more than its weight; the last of them is the best item of the class, and the
/// first-listed one of those that are equally good.
#[inline(always)]
pub(super) fn count_worth(table: Table<'_>, price: f64) -> usize {
    if table.weights.is_empty() || !is_worth(table, 0, price) {
        return 0;
    }
    search(table, (1, table.weights.len()), price)
}

/// As [`count_worth`], where the items before `start` are known to be worth it and those from `end` on are not.
#[inline(always)]
fn search(table: Table<'_>, (mut start, end): (usize, usize), price: f64) -> usize {
    let mut size = end - start;
    if size == 0 {
        return start;
    }
    // Rounds by threes, a few more than are needed: their number is then nearly always the same and well predicted.
    for _ in 0..(usize::BITS - (size - 1).leading_zeros()).div_ceil(3) {
        for _ in 0..3 {
            let half = size / 2;
            // Which half it is can't be predicted: a selection in place of a branch lets the searches of several
            // classes overlap.
            start = select_unpredictable(is_worth(table, start + half, price), start + half, start);
            size -= half;
        }
    }
    start + usize::from(is_worth(table, start, price))
}

/// As [`count_worth`], quick where the answer is near `guess`.
#[inline(always)]
pub(super) fn count_worth_near(table: Table<'_>, guess: usize, price: f64) -> usize {
    let length = table.weights.len();
    let at = guess.min(length);
    if at < length && is_worth(table, at, price) {
        if at + 1 < length && is_worth(table, at + 1, price) {
            return search(table, (at + 2, length), price);
        }
        return at + 1;
    }
    if at == 0 || is_worth(table, at - 1, price) {
        return at;
    }
    if at == 1 || is_worth(table, at - 2, price) {
        return at - 1;
    }
    search(table, (0, at - 2), price)
}

/// The items that are no heavier than this.
#[inline(always)]
pub(super) fn no_heavier(table: Table<'_>, heaviest: u32) -> Table<'_> {
    let count = table.weights.partition_point(|&weight| weight <= heaviest);
    Table { weights: &table.weights[..count], values: &table.values[..count], ..table }
}

/// Appends the steps to the items from `start` to `last`, equally steep ones joined, of a class whose items are counted
/// from `first`.
pub(super) fn push_steps(
    table: Table<'_>,
    (start, last): (usize, usize),
    class: u32,
    first: u32,
    steps: &mut Vec<Step>,
) {
    let one_step = steps.len();
    let (value, weight) = step(table, last);
    if start == last {
        steps.push(Step { value, weight, class, item: first + last as u32 });
        return;
    }
    let (start_value, start_weight) = step(table, start);
    if at_least_as_steep(value, weight, start_value, start_weight) {
        // The last step is no flatter than the first: so all are equally steep.
        let before = start.checked_sub(1);
        let (from_value, from_weight) = before.map_or((0.0, 0), |at| (table.values[at], table.weights[at]));
        let (value, weight) = (table.values[last] - from_value, table.weights[last] - from_weight);
        steps.push(Step { value, weight, class, item: first + last as u32 });
        return;
    }
    for item in start..=last {
        let (value, weight) = step(table, item);
        match steps[one_step..].last_mut() {
            Some(before) if at_least_as_steep(value, weight, before.value, before.weight) => {
                before.value += value;
                before.weight += weight;
                before.item = first + item as u32;
            }
            _ => steps.push(Step { value, weight, class, item: first + item as u32 }),
        }
    }
}
