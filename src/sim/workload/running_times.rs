//! The distribution of running times.

use alloc::vec::Vec;

use super::SpecError;
use super::random::{Stream, stream};
use crate::units::Seconds;

/// A heavy-tailed distribution of running times that is given by what papers publish: a median, a 95th percentile and a
/// mean.
///
/// Between the shortest time, the median, the 95th percentile and the longest time, the logarithm of the time grows
/// evenly. The longest time is not given: it is the one that brings the mean about ([`longest`](Self::longest)).
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::RunningTimes;
///
/// let times = RunningTimes::PAPER;
/// assert_eq!(times.mean.0, 13_538.0);
/// let days = times.longest()?.0 / 86_400.0;
/// assert!(days > 1.5 && days < 3.0);
/// assert_eq!(times.quantile(0.5)?, times.median);
/// # Ok::<(), aryl::sim::workload::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct RunningTimes {
    /// The shortest.
    pub shortest: Seconds,
    /// Half of the jobs run for less.
    pub median: Seconds,
    /// 95 % of the jobs run for less.
    pub percentile_95: Seconds,
    /// The mean over all jobs.
    pub mean: Seconds,
}

impl RunningTimes {
    /// The running times of the Aryl paper's trace, fitted.
    ///
    /// The paper publishes completion times under FIFO (Table 5): a median of 791 s, a 95th percentile of 82,933 s and a
    /// mean of 16,610 s, of which 3,072 s are queuing. The mean is therefore 13,538 s; the median and the 95th percentile
    /// are chosen so that the completion times under FIFO on 443 servers come out as published.
    pub const PAPER: Self = Self {
        shortest: Seconds(20.0),
        median: Seconds(350.0),
        percentile_95: Seconds(78_000.0),
        mean: Seconds(13_538.0),
    };

    /// The longest time: the one with which the mean is as given.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let times = RunningTimes {
    ///     shortest: Seconds(60.0),
    ///     median: Seconds(600.0),
    ///     percentile_95: Seconds(6_000.0),
    ///     mean: Seconds(3_000.0),
    /// };
    /// // One job in twenty is longer than 6,000 s, and these bring the mean up to 3,000 s.
    /// let longest = times.longest()?;
    /// assert!(longest > Seconds(100_000.0) && longest < Seconds(130_000.0));
    ///
    /// let out_of_reach = RunningTimes { mean: Seconds(100.0), ..times };
    /// assert!(matches!(out_of_reach.longest(), Err(SpecError::MeanOutOfReach { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError::RunningTimes`] where the times do not ascend from above 0, [`SpecError::MeanOutOfReach`] where no
    /// longest time gives the mean.
    ///
    /// # Complexity
    ///
    /// Constant: a hundred steps of bisection.
    pub fn longest(&self) -> Result<Seconds, SpecError> {
        let Self { shortest, median, percentile_95, mean } = *self;
        let ascend = shortest.0 > 0.0
            && median >= shortest
            && percentile_95 >= median
            && percentile_95.0 <= LIMIT
            && mean.0.is_finite();
        if !ascend {
            return Err(SpecError::RunningTimes { shortest, median, percentile_95 });
        }
        let (least, most) = (self.mean_with(percentile_95.0), self.mean_with(LIMIT));
        if !(mean.0 >= least && mean.0 <= most) {
            return Err(SpecError::MeanOutOfReach { mean, least: Seconds(least), most: Seconds(most) });
        }
        let (mut low, mut high) = (percentile_95.0, LIMIT);
        for _ in 0..100 {
            let middle = low + (high - low) / 2.0;
            if self.mean_with(middle) < mean.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Seconds(high))
    }

    /// The time that this share of the jobs stays below. A share outside of 0 to 1 is taken as the nearer of the two.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let times = RunningTimes::PAPER;
    /// assert_eq!(times.quantile(0.0)?, Seconds(20.0));
    /// assert_eq!(times.quantile(0.95)?, times.percentile_95);
    /// assert_eq!(times.quantile(2.0)?, times.longest()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`longest`](Self::longest).
    pub fn quantile(&self, share: f64) -> Result<Seconds, SpecError> {
        let longest = self.longest()?;
        Ok(Seconds(at(&self.knots(longest.0), share)))
    }

    fn knots(&self, longest: f64) -> [(f64, f64); 4] {
        [(0.0, self.shortest.0), (0.5, self.median.0), (0.95, self.percentile_95.0), (1.0, longest)]
    }

    /// The mean with this longest time: the integral of the quantile function.
    fn mean_with(&self, longest: f64) -> f64 {
        let knots = self.knots(longest);
        knots.windows(2).map(|pair| piece(pair[0], pair[1])).sum()
    }

    /// Running times for so many jobs, in whole seconds and ascending. There is one from each of as many equally likely
    /// ranges, so that even a small trace has the shape of the distribution.
    pub(super) fn draw(&self, jobs: usize, seed: u64) -> Result<Vec<Seconds>, SpecError> {
        let knots = self.knots(self.longest()?.0);
        let mut random = stream(seed, Stream::RunningTimes);
        let shares = (0..jobs).map(|job| (job as f64 + random.rand_float()) / jobs as f64);
        Ok(shares.map(|share| Seconds(libm::round(at(&knots, share)).max(1.0))).collect())
    }
}

/// The longest time of all: about 30 years.
const LIMIT: f64 = 1e9;

/// The integral between two points of the quantile function, on which the logarithm grows evenly.
fn piece((from, low): (f64, f64), (to, high): (f64, f64)) -> f64 {
    let growth = libm::log(high / low);
    let mean = if growth > 1e-9 { (high - low) / growth } else { low };
    (to - from) * mean
}

fn at(knots: &[(f64, f64)], share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    for pair in knots.windows(2) {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        if share <= to {
            return low * libm::pow(high / low, (share - from) / (to - from));
        }
    }
    // A share that is not a number ends here.
    knots.first().map_or(0.0, |knot| knot.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_as_given() {
        for mean in [5_000.0, 8_000.0, 13_538.0, 40_000.0] {
            let times =
                RunningTimes { mean: Seconds(mean), percentile_95: Seconds(20_000.0), ..RunningTimes::PAPER };
            let drawn = times.draw(20_000, 3).unwrap();
            let sum: f64 = drawn.iter().map(|time| time.0).sum();
            assert!((sum / 20_000.0 / mean - 1.0).abs() < 0.01, "{mean}: {}", sum / 20_000.0);
            let below = drawn.iter().filter(|&&time| time < times.median).count();
            assert!(below.abs_diff(10_000) < 60);
        }
    }

    #[test]
    fn what_has_no_shape_is_refused() {
        let with = |shortest: f64, median: f64, mean: f64| {
            let times = RunningTimes {
                shortest: Seconds(shortest),
                median: Seconds(median),
                percentile_95: Seconds(1_000.0),
                mean: Seconds(mean),
            };
            times.longest()
        };
        for (shortest, median) in
            [(0.0, 10.0), (-1.0, 10.0), (20.0, 10.0), (1.0, 1_001.0), (f64::NAN, 1.0), (1.0, f64::NAN)]
        {
            assert!(matches!(with(shortest, median, 500.0), Err(SpecError::RunningTimes { .. })));
        }
        for mean in [1.0, 1e12] {
            assert!(matches!(with(1.0, 10.0, mean), Err(SpecError::MeanOutOfReach { .. })));
        }
        let same = RunningTimes {
            shortest: Seconds(60.0),
            median: Seconds(60.0),
            percentile_95: Seconds(60.0),
            mean: Seconds(60.0),
        };
        assert!(same.draw(50, 1).unwrap().iter().all(|&time| time == Seconds(60.0)));
    }
}
