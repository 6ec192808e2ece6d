//! The mean and the percentiles of some numbers.

use alloc::vec::Vec;

use crate::units::Seconds;

/// The mean and the percentiles of some times.
///
/// A percentile p is the smallest time that at least p per cent of the times do not exceed (nearest rank): it is always
/// one of the times.
///
/// # Examples
///
/// ```
/// use aryl::sim::metrics::Summary;
/// use aryl::units::Seconds;
///
/// let summary = Summary::of((1..=200).map(|time| Seconds(f64::from(time))));
/// assert_eq!((summary.mean, summary.p50, summary.p95), (Seconds(100.5), Seconds(100.0), Seconds(190.0)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Summary {
    /// How many there are. With none, all else is 0.
    pub count: usize,
    /// The mean.
    pub mean: Seconds,
    /// The median.
    pub p50: Seconds,
    /// The 75th percentile.
    pub p75: Seconds,
    /// The 90th percentile.
    pub p90: Seconds,
    /// The 95th percentile.
    pub p95: Seconds,
    /// The 99th percentile.
    pub p99: Seconds,
    /// The largest.
    pub max: Seconds,
}

impl Summary {
    /// The summary of these times.
    ///
    /// One that is not a number makes the mean none too.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::metrics::Summary, units::Seconds};
    /// let summary = Summary::of([Seconds(4.0), Seconds(1.0), Seconds(1.0), Seconds(2.0)]);
    /// assert_eq!((summary.count, summary.mean), (4, Seconds(2.0)));
    /// assert_eq!((summary.p50, summary.p75, summary.max), (Seconds(1.0), Seconds(2.0), Seconds(4.0)));
    /// assert_eq!(Summary::of([]), Summary::default());
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n log n) for n times.
    #[must_use]
    pub fn of(times: impl IntoIterator<Item = Seconds>) -> Self {
        let mut times: Vec<f64> = times.into_iter().map(|time| time.0).collect();
        times.sort_unstable_by(f64::total_cmp);
        let Some(&max) = times.last() else { return Self::default() };
        let count = times.len();
        let percentile = |percent: usize| Seconds(times[(count * percent).div_ceil(100).max(1) - 1]);
        Self {
            count,
            mean: Seconds(times.iter().sum::<f64>() / count as f64),
            p50: percentile(50),
            p75: percentile(75),
            p90: percentile(90),
            p95: percentile(95),
            p99: percentile(99),
            max: Seconds(max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers() {
        assert_eq!(Summary::of([]), Summary::default());
        let one = Summary::of([Seconds(3.0)]);
        assert_eq!(
            (one.count, one.mean, one.p50, one.p99, one.max),
            (1, Seconds(3.0), Seconds(3.0), Seconds(3.0), Seconds(3.0))
        );
        let two = Summary::of([Seconds(4.0), Seconds(2.0)]);
        assert_eq!((two.p50, two.p75), (Seconds(2.0), Seconds(4.0)));
    }
}
