//! Where the price lies at which the demand meets the capacity: an estimate from a sample of the classes.
//!
//! The demand at a price is the weight of the best items of all classes at that price; it falls as the price grows. The
//! estimate is an exact demand known at one price (none at all at the highest) plus the change that the sample shows.
//! The nearer the known price is, the smaller the change and its error; so one exact demand sharpens it by far.

use alloc::vec::Vec;

use super::super::instance::Instance;
use super::between::best_at;
use super::scan::{Limits, Prices};
use super::wide::{NullaryFnOnce, widest};

/// The classes of the sample, and the weights of their best items at each price tried.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    classes: Vec<u32>,
    known: Vec<u32>,
    /// One row a point.
    weights: Vec<u32>,
    points: Vec<Point>,
}

impl Sample {
    pub(super) fn memory_usage(&self) -> usize {
        (self.classes.capacity() + self.known.capacity() + self.weights.capacity()) * 4
            + self.points.capacity() * size_of::<Point>()
    }
}

/// The demand estimated at a price.
#[derive(Clone, Copy, Debug)]
struct Point {
    price: f64,
    demand: f64,
    /// Three standard errors; where the sample is the whole there are none, and nobody asks.
    error: f64,
    row: usize,
}

/// Prices between which the demand meets the capacity, most likely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bracket {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// A first estimate that leaves too many classes open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vague {
    pub(super) price: f64,
    /// The share of classes that a bracket would leave open, about; more than 1 where it is far too vague.
    open: f64,
}

/// The share of classes left open with which an enlarged sample is better than one exact demand.
const FEW_OPEN: f64 = 0.35;
/// The share of classes left open at which a bracket is narrow enough where the sample is the whole.
const NARROW: f64 = 0.25;
/// The tries that change no demand after which a price is near enough.
const STALLED: usize = 4;
/// The part of the classes that an enlarged sample has, and the most.
const ENLARGED_PART: usize = 24;
const ENLARGED_SAMPLE: usize = 16_384;
/// The number of prices tried for one side of the bracket.
const ROUNDS: u32 = 9;

pub(super) struct Estimator<'a> {
    instance: &'a Instance,
    limits: Limits,
    prices: Prices,
    sample: &'a mut Sample,
    factor: f64,
    known_demand: f64,
    guess: f64,
    /// By which power of the demand the price falls, about.
    exponent: f64,
    pub(super) items_read: u64,
    /// The items read by the last estimate.
    reading: u64,
    /// The items read after which no more prices are tried.
    pub(super) item_budget: u64,
}

impl<'a> Estimator<'a> {
    /// An estimator on at most `size` classes, spread evenly with a jitter; it knows nothing yet but a first guess.
    pub(super) fn new(
        instance: &'a Instance,
        limits: Limits,
        prices: Prices,
        sample: &'a mut Sample,
        size: usize,
        guess: f64,
    ) -> Self {
        let mut this = Self {
            instance,
            limits,
            prices,
            sample,
            factor: 1.0,
            known_demand: 0.0,
            guess,
            exponent: 1.3,
            items_read: 0,
            reading: 0,
            item_budget: u64::MAX,
        };
        this.draw(size.min(instance.class_count()));
        this
    }

    /// Draws the classes of the sample.
    fn draw(&mut self, size: usize) {
        let count = self.instance.class_count();
        let Sample { classes, known, weights, points } = &mut *self.sample;
        classes.clear();
        let mut state = 0x9e37_79b9_u32;
        for at in 0..size {
            let (start, end) = (at * count / size, (at + 1) * count / size);
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let jitter = ((end - start) as u64 * u64::from(state)) >> 32;
            classes.push((start as u64 + jitter) as u32);
        }
        known.clear();
        known.resize(size, 0);
        weights.clear();
        points.clear();
        self.factor = count as f64 / size.max(1) as f64;
    }

    /// Draws a sample several times as large around an estimate, where that will do: where it leaves few enough of the classes
    /// open and is still a small part of them.
    pub(super) fn enlarge(&mut self, Vague { price, open }: Vague) -> bool {
        let size = (self.instance.class_count() / ENLARGED_PART).min(ENLARGED_SAMPLE);
        let times = size as f64 / self.sample.classes.len() as f64;
        if times < 4.0 || open > FEW_OPEN * libm::sqrt(times) {
            return false;
        }
        self.draw(size);
        self.known_demand = 0.0;
        self.guess = price;
        true
    }

    /// The items read so far, and those that a pass over all classes would read, most likely.
    pub(super) fn items_with_a_pass(&self) -> u64 {
        self.items_read + (self.reading as f64 * self.factor) as u64
    }

    /// Whether the sample is the whole, so that its demands are exact.
    pub(super) fn is_exact(&self) -> bool {
        self.sample.classes.len() == self.instance.class_count()
    }

    /// Takes note of the exact demand at a price: from now on only the change from it is estimated.
    pub(super) fn learn(&mut self, price: f64, demand: u64) {
        let Point { row, .. } = self.estimate(price);
        let demand = demand as f64;
        let Sample { known, weights, points, .. } = &mut *self.sample;
        weights.drain(..row);
        known.copy_from_slice(weights);
        points.clear();
        // The error is the least that a point has.
        points.push(Point { price, demand, error: 6.0 * self.factor, row: 0 });
        self.known_demand = demand;
        self.guess = price;
    }

    /// Estimates the demand at a price and keeps it as a point.
    fn estimate(&mut self, price: f64) -> Point {
        // What the sample did not show may still be there: one class more that changes like the largest seen.
        let (mut sum, mut squares, mut largest) = (0.0, 0.0, 4.0);
        let Sample { classes, known, weights, points } = &mut *self.sample;
        let row = weights.len();
        let before = self.items_read;
        let (instance, limits, items_read) = (self.instance, self.limits, &mut self.items_read);
        widest(BestWeights { instance, classes, price, limits, weights, items_read });
        self.reading = self.items_read - before;
        for (&now, &known) in weights[row..].iter().zip(known.iter()) {
            let change = f64::from(now) - f64::from(known);
            sum += change;
            squares += change * change;
            largest = if change * change > largest { change * change } else { largest };
        }
        let size = classes.len().max(1) as f64;
        let spread = (squares - sum * sum / size).max(0.0) + largest;
        let error = 3.0 * self.factor * libm::sqrt(spread);
        let point = Point { price, demand: self.known_demand + self.factor * sum, error, row };
        points.push(point);
        point
    }

    /// The points on both sides of a demand: the dearest that exceeds it, and the cheapest that does not.
    fn neighbours(&self, demand: f64) -> (Option<Point>, Option<Point>) {
        let (mut low, mut high): (Option<Point>, Option<Point>) = (None, None);
        for &point in &self.sample.points {
            if point.demand > demand {
                low = if low.is_none_or(|low| point.price > low.price) { Some(point) } else { low };
            } else {
                high = if high.is_none_or(|high| point.price < high.price) { Some(point) } else { high };
            }
        }
        (low, high)
    }

    /// The share of the sample whose weights differ between two points.
    fn alive(&self, low: Point, high: Point) -> f64 {
        let size = self.sample.known.len();
        let low = &self.sample.weights[low.row..low.row + size];
        let high = &self.sample.weights[high.row..high.row + size];
        let differ = low.iter().zip(high).filter(|(low, high)| low != high).count();
        differ as f64 / size.max(1) as f64
    }

    /// The factor by which a price changes so that the demand changes by this ratio, and a little more; much more with each
    /// try that was in vain.
    fn rise(&self, ratio: f64, eager: f64) -> f64 {
        let factor = libm::pow(ratio.clamp(1.0, 1e4), self.exponent);
        libm::pow(factor * (1.0 + 0.01 * self.exponent.min(1.0)), eager).min(64.0)
    }

    /// Tries prices until `enough` says that the points on both sides of a demand are near enough.
    fn close_in(&mut self, demand: f64, enough: impl Fn(&Self, Point, Point) -> bool) {
        let (mut stalled, mut eager) = (0, 1.0);
        for _ in 0..ROUNDS {
            if self.items_read > self.item_budget {
                return;
            }
            let next = match self.neighbours(demand) {
                (Some(low), Some(high)) => {
                    if enough(self, low, high) {
                        return;
                    }
                    between(low, high, demand)
                }
                (Some(low), None) => low.price * self.rise(low.demand / demand.max(0.5), eager),
                (None, Some(high)) => high.price / self.rise(demand / high.demand.max(0.01 * demand), eager),
                (None, None) => self.guess,
            };
            let next = self.prices.floor(next.clamp(self.prices.quantum(), self.prices.highest()));
            // As between two prices that are neighbours.
            if self.sample.points.iter().any(|point| point.price.total_cmp(&next).is_eq()) {
                return;
            }
            let before = self.neighbours(demand);
            let now = self.estimate(next).demand;
            if let (Some(low), Some(high)) = before {
                // All items change at one price, which need not be found to the last digit.
                let same = |point: Point| point.demand.total_cmp(&now).is_eq();
                stalled += usize::from(same(low) || same(high));
            } else {
                eager *= 2.0;
            }
            if stalled == STALLED || (stalled == 2 && self.is_exact()) {
                return;
            }
        }
    }

    /// Whether the sample agrees that the demand meets the capacity between two prices, and that few classes are left open,
    /// or about as many as last time: where all change their choice at one price, no other bracket leaves fewer.
    pub(super) fn confirms(&mut self, (low, high): (f64, f64), capacity: u64, last_open: f64) -> bool {
        let capacity = capacity as f64;
        let (low, high) = (self.estimate(low), self.estimate(high));
        let meets = low.demand + low.error > capacity && high.demand - high.error <= capacity;
        meets && self.alive(low, high) <= (1.1 * last_open).max(0.2)
    }

    /// The first estimate of the price.
    fn approach(&mut self, capacity: f64) -> (Option<Point>, Option<Point>) {
        self.close_in(capacity, |_, low, high| {
            low.demand - high.demand <= low.error.max(high.error)
                || (low.error > 4.0 * capacity && low.demand < 4.0 * low.error)
        });
        self.neighbours(capacity)
    }

    /// The first estimate, where a bracket by the sample alone would leave more than this share of classes open.
    pub(super) fn too_vague(&mut self, capacity: u64, share: f64) -> Option<Vague> {
        let capacity = capacity as f64;
        let (low, high) = self.approach(capacity);
        let (low, high) = (low?, high?);
        let (fall, rise) = (libm::log(low.demand / high.demand.max(0.5)), libm::log(high.price / low.price));
        if fall > 0.02 {
            self.exponent = (rise / fall).clamp(0.002, 4.0);
        }
        // The share open between the two, and as many more as the bracket will be wider.
        let distance = (low.demand - high.demand).max(1.0);
        let wider = (2.0 * low.error.max(high.error).min(capacity) / distance).max(1.0);
        let open = self.alive(low, high) * wider;
        let price = self.prices.floor(between(low, high, capacity));
        (open > share).then_some(Vague { price, open })
    }

    /// Prices such that the demand at the low one exceeds the capacity and that at the high one does not, beyond the
    /// error of the sample.
    pub(super) fn bracket(&mut self, capacity: u64) -> Bracket {
        let capacity = capacity as f64;
        let (mut low, mut high);
        if self.factor > 1.0 {
            (low, high) = self.approach(capacity);
            let nearest = match (low, high) {
                (Some(low), Some(high)) if low.demand - capacity > capacity - high.demand => Some(high),
                (low, high) => low.or(high),
            };
            let error = nearest.map_or(0.0, |nearest| nearest.error);
            self.close_in(capacity + error, |_, low, _| low.demand - capacity < 2.0 * low.error);
            low = self.neighbours(capacity + error).0;
            high = None;
            if error < capacity {
                self.close_in(capacity - error, |_, _, high| capacity - high.demand < 2.0 * high.error);
                high = self.neighbours(capacity - error).1;
            }
        } else {
            self.close_in(capacity, |this, low, high| this.alive(low, high) <= NARROW);
            (low, high) = self.neighbours(capacity);
        }
        Bracket {
            low: low.map_or(0.0, |low| low.price),
            high: high.map_or(self.prices.highest(), |high| high.price),
        }
    }
}

/// The price of this demand on the power law through two points, kept a little away from both.
fn between(low: Point, high: Point, wanted: f64) -> f64 {
    let (start, end) = (libm::log(low.price.max(1e-12)), libm::log(high.price));
    let (top, bottom) = (libm::log(low.demand.max(0.5)), libm::log(high.demand.max(0.5)));
    let share = if top > bottom { (top - libm::log(wanted.max(0.5))) / (top - bottom) } else { 0.5 };
    libm::exp(start + (end - start) * share.clamp(0.08, 0.92))
}

/// Appends the weights of the best items of some classes at a price.
struct BestWeights<'a> {
    instance: &'a Instance,
    classes: &'a [u32],
    price: f64,
    limits: Limits,
    weights: &'a mut Vec<u32>,
    items_read: &'a mut u64,
}

impl NullaryFnOnce for BestWeights<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { instance, classes, price, limits, weights, items_read } = self;
        for &class in classes {
            weights.push(best_at(instance, class as usize, price, limits, items_read).weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_between_two_points_follows_the_power_law_through_them() {
        let point = |price, demand| Point { price, demand, error: 0.0, row: 0 };
        let (low, high) = (point(1.0, 400.0), point(4.0, 100.0));
        assert!((between(low, high, 200.0) - 2.0).abs() < 1e-9);
        // Kept away from both.
        assert!(between(low, high, 399.9) > 1.1 && between(low, high, 100.1) < 3.6);
        // Two demands of next to nothing tell nothing: the middle.
        assert!((between(point(1.0, 0.4), point(4.0, 0.1), 0.2) - 2.0).abs() < 1e-9);
    }
}
