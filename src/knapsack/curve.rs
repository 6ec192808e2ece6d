//! Classes given by a formula: a job costs a few numbers, not a table.

use super::instance::VALUE_LIMIT;
use super::item::Item;
use super::solution::NONE;

/// The most items of a class by formula. A solver may look at all of them where they gain next to nothing, and a number
/// alone must not ask for more work than a table of such a length would.
const LENGTH_LIMIT: u32 = 1 << 20;

/// How the gain grows with the number of units chosen; each shape is concave.
///
/// With `k` units and a whole of `total`:
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{CurveClass, Gain};
///
/// let values = |gain| [0, 1, 2].map(|item| CurveClass::new(gain, 600.0, 1, 3).item(item).value);
/// // Two workers at first, linear scaling: half of the 600 s is saved by two more.
/// assert_eq!(values(Gain::Hyperbola { half: 2.0 }), [200, 300, 360]);
/// // The power 1 is the same curve; with the square root of the workers the gain is less.
/// assert_eq!(values(Gain::Power { base: 2.0, exponent: 1.0 }), [200, 300, 360]);
/// assert_eq!(values(Gain::Power { base: 2.0, exponent: 0.5 }), [110, 176, 221]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Gain {
    /// `total · k / (half + k)`: half of the whole is gained at `half` units.
    ///
    /// The time that a job saves with `k` workers more than `b` has this shape under linear scaling (`half` = `b`), under
    /// a share `l` lost for each added worker (`half` = `b` / (1 − `l`)), and under Amdahl's law with the serial share `s`
    /// (`half` = `b`, and `total` · (1 − `s`) / (`s` · `b` + 1 − `s`) in place of `total`).
    Hyperbola {
        /// The units at which half of the whole is gained: positive and finite.
        half: f64,
    },
    /// `total · (1 − (base / (base + k))^exponent)`: a speed that grows as a power of the workers.
    Power {
        /// The units held before: positive and finite.
        base: f64,
        /// The power, above 0 and at most 1.
        exponent: f64,
    },
}

/// A class whose items are given by a formula: item `k − 1` weighs `k` · `weight` and is worth the gain of `k` units,
/// rounded to an integer, for `k` from 1 to `length`.
///
/// One item may be worth more than the formula says, by `bonus`: what is held now, say.
///
/// # Examples
///
/// Job B of figure 6 of the Aryl paper: two workers, up to four more, 60 s of work at two.
///
/// ```
/// use aryl::knapsack::{CurveClass, Gain, Instance, Solver};
///
/// let class = CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4);
/// assert_eq!([0, 1, 2, 3].map(|item| class.item(item).value), [20, 30, 36, 40]);
///
/// let mut instance = Instance::new(2);
/// instance.push_curve(class)?;
/// instance.push_curve(class.with_bonus(0, 5))?;
/// assert_eq!(Solver::default().solve(&instance)?.value(), 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct CurveClass {
    gain: Gain,
    total: f64,
    weight: u32,
    length: u32,
    bonus_item: u32,
    bonus: u64,
}

impl CurveClass {
    /// A class of `length` items of weights `weight`, 2 · `weight`, and so on.
    ///
    /// The numbers are checked by [`Instance::push_curve`](super::Instance::push_curve).
    ///
    /// # Examples
    ///
    /// Three more workers of two GPUs each:
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain, Item};
    ///
    /// let class = CurveClass::new(Gain::Hyperbola { half: 1.0 }, 120.0, 2, 3);
    /// assert_eq!([0, 1, 2].map(|item| class.item(item)), [Item::new(2, 60), Item::new(4, 80), Item::new(6, 90)]);
    /// ```
    #[must_use]
    pub const fn new(gain: Gain, total: f64, weight: u32, length: u32) -> Self {
        Self { gain, total, weight, length, bonus_item: NONE, bonus: 0 }
    }

    /// Adds a bonus to the value of one item, counted from 0.
    ///
    /// One item at most has a bonus: a second call takes the place of the first. On an item that the class does not have
    /// it changes nothing.
    ///
    /// # Examples
    ///
    /// A job that holds two workers more than its base, and would lose 5 s by a change:
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain};
    ///
    /// let class = CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4).with_bonus(1, 5);
    /// assert_eq!([0, 1, 2, 3].map(|item| class.item(item).value), [20, 35, 36, 40]);
    /// ```
    #[must_use]
    pub const fn with_bonus(mut self, item: u32, bonus: u64) -> Self {
        (self.bonus_item, self.bonus) = (item, bonus);
        self
    }

    /// The number of items.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain};
    ///
    /// assert_eq!(CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4).length(), 4);
    /// ```
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Weight and value of an item, counted from 0: what a table of the class holds, to the digit.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain, Item};
    ///
    /// // With k units more than two, 100 · k / (2 + k): a third of it is 33.3.
    /// let class = CurveClass::new(Gain::Hyperbola { half: 2.0 }, 100.0, 4, 8);
    /// assert_eq!(class.item(0), Item::new(4, 33));
    /// ```
    ///
    /// # Determinism
    ///
    /// The values are computed with `libm`, so that they are the same on every machine.
    #[must_use]
    pub fn item(&self, item: u32) -> Item {
        let (weight, value) = self.relative(item);
        Item { weight, value: value as u64 }
    }

    pub(super) fn weight(&self) -> u32 {
        self.weight
    }

    /// What is wrong with the numbers, if anything: the name of the field and its value.
    pub(super) fn fault(&self) -> Option<(&'static str, f64)> {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        match self.gain {
            Gain::Hyperbola { half } if !positive(half) => return Some(("half", half)),
            Gain::Power { base, .. } if !positive(base) => return Some(("base", base)),
            Gain::Power { exponent, .. } if !(exponent > 0.0 && exponent <= 1.0) => {
                return Some(("exponent", exponent));
            }
            _ => {}
        }
        if !(self.total >= 0.0 && self.total < VALUE_LIMIT as f64) {
            return Some(("total", self.total));
        }
        let heaviest = u64::from(self.weight) * u64::from(self.length);
        if heaviest > u64::from(u32::MAX) {
            return Some(("weight times length", heaviest as f64));
        }
        if self.length > LENGTH_LIMIT {
            return Some(("length", f64::from(self.length)));
        }
        (self.bonus >= VALUE_LIMIT).then_some(("bonus", self.bonus as f64))
    }

    /// A number that no value of the class exceeds.
    pub(super) fn largest_value(&self) -> u64 {
        // One more than the last item, since a rounding of the formula may make an item before it worth one more.
        if self.length == 0 { 0 } else { libm::round(self.gain(self.length)) as u64 + 1 + self.bonus }
    }

    /// The sum over all items of the columns that remain beside their weight.
    pub(super) fn cells(&self, columns: u32) -> u64 {
        let fitting = columns.checked_div(self.weight).unwrap_or(self.length).min(self.length);
        let (fitting, weight) = (u64::from(fitting), u64::from(self.weight));
        fitting * u64::from(columns) - weight * fitting * (fitting + 1) / 2
    }

    /// A number that no value a unit of weight of the class exceeds: the first unit gains most.
    pub(super) fn dearest(&self) -> f64 {
        let most = self.gain(1) + 1.0 + self.bonus as f64;
        if self.length == 0 { 0.0 } else { most / f64::from(self.weight) }
    }

    #[inline]
    pub(super) fn relative(&self, item: u32) -> (u32, f64) {
        let units = item.saturating_add(1);
        (units.saturating_mul(self.weight), self.value(item, self.gain(units)))
    }

    /// The value of an item of this gain: rounded, with the bonus if it is the one that has it.
    #[inline]
    fn value(&self, item: u32, gain: f64) -> f64 {
        // As `libm::round` for a number that is not negative and below 2^53, without a call.
        let whole = gain as i64 as f64;
        let value = if gain - whole >= 0.5 { whole + 1.0 } else { whole };
        if item == self.bonus_item { value + self.bonus as f64 } else { value }
    }

    /// The gain of this many units, before it is rounded to an integer.
    #[inline]
    fn gain(&self, units: u32) -> f64 {
        let units = f64::from(units);
        match self.gain {
            Gain::Hyperbola { half } => self.total * (units / (half + units)),
            Gain::Power { base, exponent } => self.total * (1.0 - libm::pow(base / (base + units), exponent)),
        }
    }

    /// Where the gain less the price of the units is largest, as a real number: the root of the derivative.
    #[inline]
    fn summit(&self, unit_price: f64) -> f64 {
        match self.gain {
            Gain::Hyperbola { half } => libm::sqrt(self.total * half / unit_price) - half,
            Gain::Power { base, exponent } => {
                let scale = base * unit_price;
                let steepness = self.total * exponent / scale;
                if scale >= f64::MIN_POSITIVE && steepness.is_finite() {
                    return base * libm::pow(steepness, 1.0 / (exponent + 1.0)) - base;
                }
                // A product or ratio beyond the range of `f64`, though the summit itself need not be.
                let steepness = libm::log2(self.total * exponent) - libm::log2(unit_price);
                // The base is then so small that to subtract it changes nothing.
                libm::exp2((steepness + exponent * libm::log2(base)) / (exponent + 1.0))
            }
        }
    }

    /// Calls `visit` with each item no heavier than `heaviest` whose reduced value may reach the bar that `visit` returns,
    /// which may rise on the way; some items are visited twice.
    ///
    /// The gain is concave, and a value is at most a half and a rounding away from it. So it is enough to walk from the
    /// summit to both sides until the gain falls below the bar by more than that.
    pub(super) fn near(&self, price: f64, heaviest: u32, mut visit: impl FnMut(u32, u32, f64) -> f64) {
        let last = self.length.min(heaviest.checked_div(self.weight).unwrap_or(u32::MAX));
        if last == 0 {
            return;
        }
        let unit_price = price * f64::from(self.weight);
        let summit = if unit_price > 0.0 { self.summit(unit_price) } else { f64::INFINITY };
        let start = if summit >= f64::from(last) { last } else { (summit.max(1.0)) as u32 };
        // Generous for the roundings of the formula and of the powers of libm. What the units cost is exact at a price of the
        // grid, where it matters; at another price the bar allows for it.
        let margin = 2.0 + self.total / (1_u64 << 46) as f64;
        let mut look = |units: u32| {
            let gain = self.gain(units);
            let bar = visit(units - 1, units * self.weight, self.value(units - 1, gain));
            gain - unit_price * f64::from(units) + margin >= bar
        };
        // The summit lies between the start and the next. From there the gain falls to both sides, so that the first that fails
        // is the last to look at; that the summit is rounded moves it by far less than the margin has to spare.
        look(start);
        let _ = (start + 1..=last).all(&mut look);
        let _ = (1..start).rev().all(&mut look);
        if self.bonus_item < last {
            look(self.bonus_item + 1);
        }
    }

    /// The first item of the largest reduced value at a price of the grid, with weight and value, if any is worth more
    /// than nothing; and no heavier than `heaviest`.
    pub(super) fn best(&self, price: f64, heaviest: u32, items_read: &mut u64) -> Option<(u32, u32, f64)> {
        let mut best: Option<(u32, u32, f64)> = None;
        let mut most = 0.0;
        self.near(price, heaviest, |item, weight, value| {
            *items_read += 1;
            let reduced = value - price * f64::from(weight);
            let lighter = best.is_some_and(|(before, ..)| item < before) && reduced >= most;
            if reduced > most || lighter {
                most = reduced;
                best = Some((item, weight, value));
            }
            most
        });
        best
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;

    /// Looks at every item.
    fn first_of_the_largest(curve: &CurveClass, price: f64) -> Option<(u32, u32, f64)> {
        let (mut best, mut most) = (None, 0.0);
        for item in 0..curve.length {
            let (weight, value) = curve.relative(item);
            let reduced = value - price * f64::from(weight);
            if reduced > most {
                (best, most) = (Some((item, weight, value)), reduced);
            }
        }
        best
    }

    // So flat that rounding makes many items equally good, and bases whose products with a price are no numbers any more.
    #[test]
    fn the_best_item_is_the_first_of_the_largest_reduced_value_and_few_are_evaluated() {
        let mut random = oorandom::Rand64::new(8);
        for round in 0..200 {
            let (gain, total) = match round % 4 {
                0 => (Gain::Hyperbola { half: 1e-6 * random.rand_float() }, 1e15 * random.rand_float()),
                1 => (Gain::Hyperbola { half: 100.0 * random.rand_float() }, 1e6 * random.rand_float()),
                2 => (Gain::Power { base: 1e-307, exponent: [0.002, 0.01][round / 4 % 2] }, 1e15),
                _ => (Gain::Power { base: 9.0, exponent: random.rand_float().max(0.1) }, 1e6),
            };
            let curve = CurveClass::new(gain, total, 1 + round as u32 % 3, 3_000);
            let unit = (curve.gain(1_500) - curve.gain(1_499)) / f64::from(curve.weight);
            for part in [0.2, 1.0, 1.0, 4.0] {
                let price = libm::floor((unit * part).max(1e-4) * 1_024.0) / 1_024.0;
                let mut read = 0;
                let best = curve.best(price, u32::MAX, &mut read);
                assert_eq!(best, first_of_the_largest(&curve, price), "{round}: {curve:?} at {price}");
                let is_steep = round % 4 == 2;
                assert!(!is_steep || read < 100, "{round}: {read} of {curve:?} at {price}");
            }
        }
    }

    #[test]
    fn cells_are_the_columns_beside_the_items() {
        for (weight, length, columns) in [(1, 5, 9), (3, 5, 9), (3, 5, 10), (2, 7, 100), (11, 4, 10)] {
            let curve = CurveClass::new(Gain::Hyperbola { half: 1.0 }, 1.0, weight, length);
            let fitting = (1..=length).filter(|units| units * weight <= columns);
            let cells: u32 = fitting.map(|units| columns - units * weight).sum();
            assert_eq!(curve.cells(columns), u64::from(cells));
        }
    }
}
