//! The core: the few items that a better answer could still choose.
//!
//! At the split price every choice is worth the linear bound less its *losses*: an item loses the difference of its
//! reduced value from the best of its class, and capacity that stays free loses the price a unit. So an item that loses
//! as much as the incumbent is below the bound can't be part of a better answer.

use alloc::vec::Vec;

use super::super::instance::Instance;
use super::super::shape::{Shape, Table};
use super::super::solution::NONE;
use super::scan::Limits;
use super::split::Split;

/// A change of one class from its choice to another item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// Weight of the item less the weight of the choice.
    pub(super) weight: i64,
    /// Value of the item less the value of the choice.
    pub(super) value: f64,
    pub(super) loss: f64,
    pub(super) class: u32,
    /// The item, or [`NONE`] for the base.
    pub(super) item: u32,
}

/// The price at the split and how far a loss that was computed with it may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitPrice {
    pub(super) price: f64,
}

/// The error of `price · weight − value`, in parts of the two numbers: a few roundings, generously.
pub(super) const ROUNDING: f64 = 1.0 / (1_u64 << 49) as f64;

impl SplitPrice {
    pub(super) fn new(split: &Split) -> Self {
        Self { price: split.step.value / f64::from(split.step.weight) }
    }

    /// A loss of a change, rounded down: never more than the true one, never below 0.
    fn loss(self, weight: i64, value: f64) -> f64 {
        let price = self.price * weight as f64;
        let loss = price - value;
        (loss - ROUNDING * (price.abs() + value.abs())).max(0.0)
    }
}

/// Collects the changes that lose at most `limit`, of these classes; those of one class stay together.
pub(super) fn collect(
    instance: &Instance,
    classes: impl Iterator<Item = u32>,
    choices: &[u32],
    split: SplitPrice,
    limit: f64,
    limits: Limits,
    changes: &mut Vec<Change>,
    items_read: &mut u64,
) {
    changes.clear();
    for class in classes {
        let choice = choices[class as usize];
        let chosen = if choice == NONE { None } else { instance.relative_item(class as usize, choice) };
        let (from_weight, from_value) = chosen.unwrap_or((0, 0.0));
        // A first look without care for rounding; what passes is looked at again.
        let best = from_value - split.price * f64::from(from_weight);
        let least = best - limit - 4.0 * ROUNDING * (from_value + best.abs() + limit);
        let mut consider = |item: u32, weight: u32, value: f64| {
            let change = i64::from(weight) - i64::from(from_weight);
            let worth = value - from_value;
            let loss = split.loss(change, worth);
            // An item of the same weight is no better than the choice, which is best of its class.
            if loss <= limit && change != 0 && weight <= limits.heaviest && (value > 0.0 || item == NONE) {
                changes.push(Change { weight: change, value: worth, loss, class, item });
            }
        };
        consider(NONE, 0, 0.0);
        match instance.shape(class as usize) {
            Shape::Concave(table, first) => {
                // Losses grow with the distance from the choice. One that is rounded down and yet above the limit ends
                // the walk, since the true ones further on are above it, too.
                let middle = if choice == NONE { 0 } else { (choice - first) as usize };
                let mut walk = |at: usize| {
                    *items_read += 1;
                    let (weight, value) = (table.weights[at], table.values[at]);
                    let change = i64::from(weight) - i64::from(from_weight);
                    consider(first + at as u32, weight, value);
                    weight <= limits.heaviest && split.loss(change, value - from_value) <= limit
                };
                (middle..table.weights.len()).all(&mut walk);
                (0..middle).rev().all(&mut walk);
            }
            Shape::Table(Table { weights, values, .. }) => {
                *items_read += weights.len() as u64;
                for (item, (&weight, &value)) in weights.iter().zip(values).enumerate() {
                    let product = split.price * f64::from(weight);
                    if value - product >= least - 4.0 * ROUNDING * product {
                        consider(item as u32, weight, value);
                    }
                }
            }
            Shape::Formula(curve) => {
                let start = changes.len();
                curve.near(split.price, limits.heaviest, |item, weight, value| {
                    *items_read += 1;
                    let change = i64::from(weight) - i64::from(from_weight);
                    let (worth, loss) = (value - from_value, split.loss(change, value - from_value));
                    if loss <= limit && change != 0 && value > 0.0 {
                        changes.push(Change { weight: change, value: worth, loss, class, item });
                    }
                    least - 4.0 * ROUNDING * split.price * f64::from(weight)
                });
                // An item may have been seen twice.
                changes[start..].sort_unstable_by_key(|change| change.item);
            }
        }
    }
}

/// Keeps the changes that lose at most `limit`.
pub(super) fn keep(changes: &mut Vec<Change>, limit: f64) {
    changes.retain(|change| change.loss <= limit);
}
