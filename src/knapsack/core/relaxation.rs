//! The linear relaxation: one pass settles most classes and keeps the steps of the rest.

use core::hint::black_box;

use super::super::instance::Instance;
use super::super::shape::Shape;
use super::super::solution::NONE;
use super::between::{OpenClasses, best_at, between_concave, between_formula, between_table};
use super::scan::Limits;

/// The demand at two prices, and the value at the high one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) low_weight: u64,
    pub(super) high_weight: u64,
    pub(super) high_value: f64,
}

/// The exact demand at one price; the best items are made the choices.
#[inline(always)]
pub(super) fn demand_at(
    instance: &Instance,
    price: f64,
    limits: Limits,
    choices: &mut [u32],
    items_read: &mut u64,
) -> u64 {
    let mut demand = 0;
    choices.fill(NONE);
    for_each(instance, price, choices, |class, choice| {
        let best = best_at(instance, class, price, limits, items_read);
        *choice = best.item;
        demand += u64::from(best.weight);
    });
    demand
}

/// Reads the classes once for their best items at two prices. Where it is one item it is best between them, and the class is
/// settled; else the class chooses its best at the high price for now, and the steps to its best at the low price are kept.
///
/// Where the choices are those of a price nearby, the classes that keep theirs are read less.
#[inline(always)]
pub(super) fn pass(
    instance: &Instance,
    prices: (f64, f64),
    limits: Limits,
    choices: &mut [u32],
    open: &mut OpenClasses,
    items_read: &mut u64,
) -> Totals {
    open.clear();
    for (class, choice) in choices.iter_mut().enumerate() {
        *choice = if instance.is_worth_nothing(class, prices.0) { NONE } else { *choice };
    }
    let mut totals = Totals::default();
    for_each(instance, prices.0, choices, |class, choice| {
        let (low, high) = match instance.shape(class) {
            Shape::Concave(table, first) => {
                *items_read += table.weights.len() as u64;
                between_concave(table, first, class, *choice, prices, limits, open)
            }
            Shape::Table(table) => {
                *items_read += table.weights.len() as u64;
                between_table(table, class, *choice, prices, limits, open)
            }
            Shape::Formula(curve) => {
                *items_read += 1;
                between_formula(curve, class, prices, limits, open)
            }
        };
        *choice = high.item;
        totals.low_weight += u64::from(low);
        totals.high_weight += u64::from(high.weight);
        totals.high_value += high.value;
    });
    totals
}

/// The items beyond which they are not in a near cache between two passes.
const NEAR: u64 = 1 << 20;
/// How many classes ahead memory is touched where most of them are needed.
const AHEAD: usize = 2;
/// How many classes are touched at a time where few of them are needed.
const BLOCK: usize = 128;

/// Calls `visit` with each class that may be worth something at a price and with its choice, and sees to it that the items
/// are on their way from memory.
#[inline(always)]
fn for_each(instance: &Instance, price: f64, choices: &mut [u32], mut visit: impl FnMut(usize, &mut u32)) {
    let count = choices.len();
    let needed = |class: usize| !instance.is_worth_nothing(class, price);
    if instance.item_count() <= NEAR {
        for (class, choice) in choices.iter_mut().enumerate() {
            if needed(class) {
                visit(class, choice);
            }
        }
        return;
    }
    let mut touched = 0;
    if (0..count).filter(|&class| needed(class)).count() > count / 4 {
        for (class, choice) in choices.iter_mut().enumerate() {
            if class + AHEAD < count {
                touched ^= instance.touch(class + AHEAD);
            }
            if needed(class) {
                visit(class, choice);
            }
        }
    } else {
        for (block, choices) in choices.chunks_mut(BLOCK).enumerate() {
            let first = block * BLOCK;
            for class in (first..first + choices.len()).filter(|&class| needed(class)) {
                touched ^= instance.touch(class);
            }
            for (class, choice) in (first..).zip(choices).filter(|&(class, _)| needed(class)) {
                visit(class, choice);
            }
        }
    }
    // Of no use but to keep the reading.
    black_box(touched);
}
