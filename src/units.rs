//! Units: seconds, and the relative speed of a GPU type.
//!
//! GPUs and workers are plain `u32`, since they are counts; the name of each field and method says which of the two
//! it counts. Time is [`Seconds`], so that it can't be taken for either. Speed is a ratio of two integers, so that no
//! floating-point number decides how many workers a job gets.

use core::fmt;

/// A time or a span of time, in seconds.
///
/// The number is checked where it enters a cluster, not here: `Seconds(f64::NAN)` can be written, and is answered
/// with an error by [`Cluster::add_job`](crate::cluster::Cluster::add_job).
///
/// # Examples
///
/// ```
/// use aryl::units::Seconds;
///
/// let ten_hours = Seconds(36_000.0);
/// assert_eq!(ten_hours.to_string(), "36000 s");
/// assert_eq!(ten_hours.milliseconds(), Some(36_000_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Seconds(
    /// The number of seconds.
    pub f64,
);

impl Seconds {
    /// No time at all.
    pub const ZERO: Self = Self(0.0);

    /// The time in whole milliseconds, rounded to the nearest, or `None` where that is not a number from 0 to
    /// 2^53 − 1.
    ///
    /// The solvers count in milliseconds so that sums are exact and equal in any order.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Seconds;
    ///
    /// assert_eq!(Seconds(1.5).milliseconds(), Some(1_500));
    /// assert_eq!(Seconds(-1.0).milliseconds(), None);
    /// assert_eq!(Seconds(f64::NAN).milliseconds(), None);
    /// ```
    #[must_use]
    pub fn milliseconds(self) -> Option<u64> {
        let milliseconds = libm::round(self.0 * 1_000.0);
        if (0.0..9_007_199_254_740_992.0).contains(&milliseconds) { Some(milliseconds as u64) } else { None }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            Some(precision) => write!(f, "{:.*} s", precision, self.0),
            None => write!(f, "{} s", self.0),
        }
    }
}

/// The speed of a GPU type relative to the reference type, as a ratio of two integers.
///
/// Three T4 that do the work of one V100 have speed 1 : 3. On such a type a job that asks for `w` reference workers
/// runs ⌈`w` · 3⌉ workers of the same number of GPUs each ([`workers_for`](Self::workers_for)), so that its global
/// batch and its running time stay what they are on the reference type (Aryl, arXiv 2202.07896, section 6).
///
/// The ratio is kept in lowest terms: 2 : 6 equals 1 : 3.
///
/// # Examples
///
/// ```
/// use aryl::units::Speed;
///
/// let t4 = Speed::new(1, 3).unwrap();
/// assert_eq!(t4.workers_for(2), 6);
/// assert_eq!(t4.reference_workers(6), 2);
/// assert_eq!(t4.reference_workers(5), 1);
/// assert_eq!(Speed::new(2, 6), Some(t4));
/// assert_eq!(Speed::new(0, 3), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Speed {
    numerator: u32,
    denominator: u32,
}

impl Speed {
    /// The reference type's own speed, 1 : 1.
    pub const REFERENCE: Self = Self { numerator: 1, denominator: 1 };

    /// The largest number on either side of the ratio, in lowest terms.
    pub const LIMIT: u32 = 1_000;

    /// The ratio `numerator : denominator`, or `None` where either is 0 or, in lowest terms, above
    /// [`LIMIT`](Self::LIMIT).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Speed;
    ///
    /// // Two thirds of the reference, however it is written.
    /// assert_eq!(Speed::new(2_000, 3_000), Speed::new(2, 3));
    /// assert_eq!(Speed::new(0, 3), None);
    /// assert_eq!(Speed::new(1_001, 1_000), None); // already in lowest terms, and above the limit
    /// ```
    #[must_use]
    pub const fn new(numerator: u32, denominator: u32) -> Option<Self> {
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        let speed = Self { numerator: numerator / divisor, denominator: denominator / divisor };
        if speed.numerator > Self::LIMIT || speed.denominator > Self::LIMIT { None } else { Some(speed) }
    }

    /// The first number of the ratio, in lowest terms.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Speed;
    ///
    /// assert_eq!(Speed::new(4, 6).unwrap().numerator(), 2);
    /// ```
    #[must_use]
    pub const fn numerator(self) -> u32 {
        self.numerator
    }

    /// The second number of the ratio, in lowest terms.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Speed;
    ///
    /// assert_eq!(Speed::new(4, 6).unwrap().denominator(), 3);
    /// ```
    #[must_use]
    pub const fn denominator(self) -> u32 {
        self.denominator
    }

    /// The workers on this type that do the work of `reference` workers: ⌈`reference` / speed⌉.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Speed;
    ///
    /// assert_eq!(Speed::new(2, 3).unwrap().workers_for(3), 5); // 4.5, rounded up
    /// assert_eq!(Speed::new(2, 1).unwrap().workers_for(3), 2);
    /// ```
    #[must_use]
    pub const fn workers_for(self, reference: u32) -> u64 {
        (reference as u64 * self.denominator as u64).div_ceil(self.numerator as u64)
    }

    /// The whole reference workers that `workers` on this type make up: ⌊`workers` · speed⌋.
    ///
    /// It is the inverse of [`workers_for`](Self::workers_for): `n` workers make up at least `w` reference workers
    /// exactly when `n` ≥ `workers_for(w)`. Exact up to 2^54 workers, far above any sum of `u32` counts; beyond that the
    /// product stops at 2^64 − 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::units::Speed;
    ///
    /// let t4 = Speed::new(1, 3).unwrap();
    /// assert_eq!(t4.reference_workers(6), 2);
    /// assert_eq!(t4.reference_workers(5), 1); // the last two T4 are not a whole reference worker
    /// ```
    #[must_use]
    pub const fn reference_workers(self, workers: u64) -> u64 {
        // `workers` is a sum of `u32` counts, so it stays far below 2^54 and the product below 2^64.
        workers.saturating_mul(self.numerator as u64) / self.denominator as u64
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.numerator, self.denominator)
    }
}

const fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_conversions_are_inverse() {
        for (numerator, denominator) in [(1, 1), (1, 3), (2, 3), (3, 2), (7, 5), (1_000, 1), (1, 1_000)] {
            let speed = Speed::new(numerator, denominator).unwrap();
            for wanted in 1..60 {
                let workers = speed.workers_for(wanted);
                assert!(speed.reference_workers(workers) >= u64::from(wanted));
                assert!(speed.reference_workers(workers - 1) < u64::from(wanted));
            }
        }
    }

    #[test]
    fn milliseconds_refuses_what_it_cannot_hold() {
        for bad in [f64::NAN, f64::INFINITY, -1.0, 1e18] {
            assert_eq!(Seconds(bad).milliseconds(), None);
        }
        assert_eq!(Seconds(0.0004).milliseconds(), Some(0));
        assert_eq!(Seconds(0.0005).milliseconds(), Some(1));
    }
}
