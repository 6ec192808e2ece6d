//! The linear relaxation: one pass settles most classes and keeps the steps of the rest.

use core::hint::black_box;

use super::super::instance::Instance;
use super::super::shape::Shape;
use super::super::solution::NONE;
use super::between::{OpenClasses, best_at, between_concave, between_formula, between_table};
use super::scan::Limits;
use super::wide::{NullaryFnOnce, widest};

/// The demand at two prices, and the value at the high one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) low_weight: u64,
    pub(super) high_weight: u64,
    pub(super) high_value: f64,
}

/// The exact demand at one price; the best items are made the choices.
pub(super) fn demand_at(
    instance: &Instance,
    price: f64,
    limits: Limits,
    choices: &mut [u32],
    items_read: &mut u64,
) -> u64 {
    choices.fill(NONE);
    let mut visit = Demand { instance, price, limits, items_read, demand: 0 };
    widest(EachClass { instance, price, choices, visit: &mut visit });
    visit.demand
}

struct Demand<'a> {
    instance: &'a Instance,
    price: f64,
    limits: Limits,
    items_read: &'a mut u64,
    demand: u64,
}

impl Visit for Demand<'_> {
    #[inline(always)]
    fn visit(&mut self, class: usize, choice: &mut u32) {
        let best = best_at(self.instance, class, self.price, self.limits, self.items_read);
        *choice = best.item;
        self.demand += u64::from(best.weight);
    }
}

/// Reads the classes once for their best items at two prices. Where it is one item it is best between them, and the class is
/// settled; else the class chooses its best at the high price for now, and the steps to its best at the low price are kept.
///
/// Where the choices are those of a price nearby, the classes that keep theirs are read less.
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
    let mut visit = Between { instance, prices, limits, open, items_read, totals: Totals::default() };
    widest(EachClass { instance, price: prices.0, choices, visit: &mut visit });
    visit.totals
}

struct Between<'a> {
    instance: &'a Instance,
    prices: (f64, f64),
    limits: Limits,
    open: &'a mut OpenClasses,
    items_read: &'a mut u64,
    totals: Totals,
}

impl Visit for Between<'_> {
    #[inline(always)]
    fn visit(&mut self, class: usize, choice: &mut u32) {
        let Self { instance, prices, limits, open, items_read, totals } = self;
        let (low, high) = match instance.shape(class) {
            Shape::Concave(table, first) => {
                **items_read += table.weights.len() as u64;
                between_concave(table, first, class, *choice, *prices, *limits, open)
            }
            Shape::Table(table) => {
                **items_read += table.weights.len() as u64;
                between_table(table, class, *choice, *prices, *limits, open)
            }
            Shape::Formula(curve) => between_formula(curve, class, *prices, *limits, open, items_read),
        };
        *choice = high.item;
        totals.low_weight += u64::from(low);
        totals.high_weight += u64::from(high.weight);
        totals.high_value += high.value;
    }
}

/// What is done with a class. A trait and not a closure, since it must be inlined to be built for wide vectors.
trait Visit {
    fn visit(&mut self, class: usize, choice: &mut u32);
}

/// The items beyond which they are not in a near cache between two passes.
const NEAR: u64 = 1 << 20;
/// How many classes ahead memory is touched where most of them are needed.
const AHEAD: usize = 2;
/// How many classes are touched at a time where few of them are needed.
const BLOCK: usize = 128;

/// Visits each class that may be worth something at a price, and sees to it that the items are on their way from memory.
struct EachClass<'a, V> {
    instance: &'a Instance,
    price: f64,
    choices: &'a mut [u32],
    visit: &'a mut V,
}

impl<V: Visit> NullaryFnOnce for EachClass<'_, V> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { instance, price, choices, visit } = self;
        let count = choices.len();
        let needed = |class: usize| !instance.is_worth_nothing(class, price);
        if instance.item_count() <= NEAR {
            for (class, choice) in choices.iter_mut().enumerate() {
                if needed(class) {
                    visit.visit(class, choice);
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
                    visit.visit(class, choice);
                }
            }
        } else {
            for (block, choices) in choices.chunks_mut(BLOCK).enumerate() {
                let first = block * BLOCK;
                for class in (first..first + choices.len()).filter(|&class| needed(class)) {
                    touched ^= instance.touch(class);
                }
                for (class, choice) in (first..).zip(choices).filter(|&(class, _)| needed(class)) {
                    visit.visit(class, choice);
                }
            }
        }
        // Of no use but to keep the reading.
        black_box(touched);
    }
}
