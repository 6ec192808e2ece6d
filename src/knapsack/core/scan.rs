//! The innermost loops: the best item of a class at a price of a unit of weight.
//!
//! The reduced value of an item at price `p` is `value − p · weight`. Prices are multiples of a power of two so small
//! (see [`Prices`]) that reduced values near or above 0 are exact in floating point: two items are never compared
//! wrongly, whatever the order of the sums and whatever the width of the vectors.

/// The grid of prices for which reduced values are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    quantum: f64,
    highest: f64,
}

impl Prices {
    /// The grid for items of at most this value.
    ///
    /// Let `q` = 2^−s be the distance of the grid, with `largest` · 2^s < 2^53. A product `price · weight` that is less
    /// than 2^53 · `q` is a multiple of `q` and exact, and so is its difference from a value. A larger product may be
    /// rounded, but stays larger than every value, so that the item is worth less than its base either way.
    pub(super) fn new(largest: u64) -> Self {
        let bits = 64 - largest.leading_zeros();
        let shift = 53_u32.saturating_sub(bits);
        Self { quantum: 1.0 / (1_u64 << shift) as f64, highest: (largest + 1) as f64 }
    }

    /// The price at which every item with a weight is worth less than nothing.
    pub(super) fn highest(self) -> f64 {
        self.highest
    }

    /// The distance of two prices.
    pub(super) fn quantum(self) -> f64 {
        self.quantum
    }

    /// The highest price of the grid that is not above this one.
    pub(super) fn floor(self, price: f64) -> f64 {
        (libm::floor(price / self.quantum) * self.quantum).clamp(0.0, self.highest)
    }
}

/// What the loops need to know of the instance: whether an item may be too heavy for the capacity or for 31 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) heaviest: u32,
    pub(super) careful: bool,
}

/// The number of maxima kept apart, so that they fill vectors and do not wait for each other.
const LANES: usize = 8;

#[inline(always)]
fn reduced<const CAREFUL: bool>(weight: u32, value: f64, price: f64, heaviest: u32) -> f64 {
    if CAREFUL {
        if weight <= heaviest { value - price * f64::from(weight) } else { f64::NEG_INFINITY }
    } else {
        // Weights below 2^31 are converted as signed numbers: vectors have an instruction for that, and none for
        // unsigned ones.
        value - price * f64::from(weight as i32)
    }
}

#[inline(always)]
fn larger(left: f64, right: f64) -> f64 {
    // Not `f64::max`, whose care for NaN costs three instructions more.
    if left > right { left } else { right }
}

#[inline(always)]
fn maximum<const CAREFUL: bool>(weights: &[u32], values: &[f64], price: f64, heaviest: u32) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let mut look = |weights: &[u32; LANES], values: &[f64; LANES]| {
        for ((lane, &weight), &value) in lanes.iter_mut().zip(weights).zip(values) {
            *lane = larger(reduced::<CAREFUL>(weight, value, price, heaviest), *lane);
        }
    };
    // Chunks of a fixed length through arrays, one maximum a lane, no index, one price: keep all four. Then eight items are
    // 31 instructions of x86-64 (28 of them on pairs of items: `cvtdq2pd`, `mulpd`, `subpd`, `maxpd`), and the maxima stay
    // in registers. Weights of 32 bits are compared and converted by twice as many. With two prices at once the body was
    // called and kept its maxima in memory; inlined, pairs were made of the two prices and weights converted one by one.
    // The last chunk overlaps the one before, which does no harm to a maximum and spares a slow rest.
    let (weight_chunks, weight_rest) = weights.as_chunks::<LANES>();
    let (value_chunks, value_rest) = values.as_chunks::<LANES>();
    for (weights, values) in weight_chunks.iter().zip(value_chunks) {
        look(weights, values);
    }
    if !weight_rest.is_empty() {
        if let (Some(weights), Some(values)) = (weights.last_chunk::<LANES>(), values.last_chunk::<LANES>()) {
            look(weights, values);
        } else {
            let (mut few_weights, mut few_values) = ([0; LANES], [0.0; LANES]);
            for ((to_weight, to_value), (&weight, &value)) in
                few_weights.iter_mut().zip(&mut few_values).zip(weight_rest.iter().zip(value_rest))
            {
                (*to_weight, *to_value) = (weight, value);
            }
            look(&few_weights, &few_values);
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    larger(larger(larger(a, b), larger(c, d)), larger(larger(e, f), larger(g, h)))
}

/// The largest reduced value at a price, at least 0, the reduced value of the base.
#[inline(always)]
pub(super) fn best_reduced(weights: &[u32], values: &[f64], price: f64, limits: Limits) -> f64 {
    if limits.careful {
        maximum::<true>(weights, values, price, limits.heaviest)
    } else {
        maximum::<false>(weights, values, price, limits.heaviest)
    }
}

/// The first item of this reduced value, which [`best_reduced`] gave.
#[inline(always)]
pub(super) fn position(weights: &[u32], values: &[f64], price: f64, best: f64, limits: Limits) -> usize {
    let found = if limits.careful {
        first_equal::<true>(weights, values, price, best, limits.heaviest)
    } else {
        first_equal::<false>(weights, values, price, best, limits.heaviest)
    };
    found.unwrap_or(0)
}

#[inline(always)]
#[allow(clippy::float_cmp)]
fn first_equal<const CAREFUL: bool>(
    weights: &[u32],
    values: &[f64],
    price: f64,
    best: f64,
    heaviest: u32,
) -> Option<usize> {
    let mut start = 0;
    for (some_weights, some_values) in weights.chunks_exact(LANES).zip(values.chunks_exact(LANES)) {
        // No early exit within a chunk, so that its comparisons are vectorised (`cmpeqpd`, then one test for all eight).
        let mut hit = false;
        for (&weight, &value) in some_weights.iter().zip(some_values) {
            hit |= reduced::<CAREFUL>(weight, value, price, heaviest) == best;
        }
        if hit {
            break;
        }
        start += LANES;
    }
    let rest = weights[start..].iter().zip(&values[start..]);
    let found = rest.map(|(&weight, &value)| reduced::<CAREFUL>(weight, value, price, heaviest));
    found.into_iter().position(|reduced| reduced == best).map(|at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_first_of_the_best_items_is_found_in_any_chunk() {
        for careful in [false, true] {
            let limits = Limits { heaviest: 9, careful };
            for (equal, length) in [(1, 1), (8, 8), (8, 12), (9, 30), (30, 30)] {
                for first in 0..=length - equal {
                    let value = |at: usize| if (first..first + equal).contains(&at) { 7.0 } else { 5.0 };
                    let values: Vec<f64> = (0..length).map(value).collect();
                    let weights = alloc::vec![2; length];
                    let best = best_reduced(&weights, &values, 0.5, limits);
                    assert_eq!(position(&weights, &values, 0.5, best, limits), first, "{equal} of {length}");
                }
            }
        }
    }
}
