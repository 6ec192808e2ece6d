//! The seasonal naive forecast.

use alloc::vec::Vec;

use super::LoanError;

/// A forecast that repeats the last season: the value one period before.
///
/// Load on inference has a shape that comes back each day or each week. The seasonal naive method takes the last
/// observed value of the same time of the season. It has nothing to fit and nothing to go wrong, and it is the yardstick
/// that other forecasts have to beat. A decision every five minutes and a season of a day make a period of 288 values.
///
/// Values are whole numbers in any unit; for a [`Demand`](super::Demand) they are GPUs. Observe one value each
/// interval: where one is lost, observe the last one again, so that the season does not shift.
///
/// Until a whole period has been seen, the forecast is the last value (the naive method), and [`Forecast`] says so.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Forecast, SeasonalNaive};
///
/// let mut load = SeasonalNaive::new(4)?;
/// assert_eq!(load.forecast(1), None);
/// load.observe(10);
/// load.observe(30);
/// assert_eq!(load.forecast(1), Some(Forecast::Naive(30)));
/// load.observe(50);
/// load.observe(20);
/// assert_eq!(load.forecast(1), Some(Forecast::Seasonal(10)));
/// load.observe(12);
/// assert_eq!(load.forecast(1), Some(Forecast::Seasonal(30)));
/// assert_eq!(load.forecast(4), Some(Forecast::Seasonal(12)));
///
/// let demand = Demand { now: 12, forecast: load.forecast(1).map_or(12, Forecast::value) };
/// assert_eq!(demand.peak(), 30);
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
///
/// # Source
///
/// Hyndman and Athanasopoulos, *Forecasting: Principles and Practice*, 3rd edition, section 5.2: for a period *m*, the
/// forecast *h* steps after time *T* is the value at *T* + *h* − *m* (*k* + 1), with *k* the whole part of (*h* − 1) / *m*.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "SeasonForm", into = "SeasonForm")
)]
pub struct SeasonalNaive {
    period: u32,
    values: Vec<u64>,
    /// Place of the oldest value; 0 until the first one has been overwritten.
    oldest: usize,
}

/// A forecast value, and how it was come by.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Forecast, SeasonalNaive};
///
/// let mut load = SeasonalNaive::new(2)?;
/// load.observe(10);
/// assert_eq!(load.forecast(1), Some(Forecast::Naive(10)));
/// load.observe(30);
/// assert_eq!(load.forecast(1), Some(Forecast::Seasonal(10)));
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Forecast {
    /// The value of the same time of the last season.
    Seasonal(u64),
    /// The last value: no whole season has been seen yet.
    Naive(u64),
}

impl Forecast {
    /// The value, however it was come by.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Forecast;
    ///
    /// assert_eq!(Forecast::Seasonal(280).value(), 280);
    /// assert_eq!(Forecast::Naive(280).value(), 280);
    /// ```
    #[must_use]
    pub const fn value(self) -> u64 {
        match self {
            Self::Seasonal(value) | Self::Naive(value) => value,
        }
    }
}

impl SeasonalNaive {
    /// A forecast of this many values a season, with nothing observed yet. A period of 1 is the naive method.
    ///
    /// # Errors
    ///
    /// [`LoanError::ZeroPeriod`] where the period is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{LoanError, SeasonalNaive};
    ///
    /// let day = SeasonalNaive::new(288)?; // a value each five minutes
    /// assert_eq!(day.forecast(1), None);
    /// assert_eq!(SeasonalNaive::new(0), Err(LoanError::ZeroPeriod));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn new(period: u32) -> Result<Self, LoanError> {
        if period == 0 {
            return Err(LoanError::ZeroPeriod);
        }
        Ok(Self { period, values: Vec::new(), oldest: 0 })
    }

    /// Takes in the value of the next interval.
    ///
    /// # Complexity
    ///
    /// O(1), amortised until a season is full. Memory is 8 bytes for each value kept: the lesser of the values so far and
    /// the period.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Forecast, SeasonalNaive};
    ///
    /// let mut load = SeasonalNaive::new(3)?;
    /// for gpus in [10, 30, 20, 11] {
    ///     load.observe(gpus);
    /// }
    /// // The 11 took the place of the 10 of a season before, so 30 comes next.
    /// assert_eq!(load.forecast(1), Some(Forecast::Seasonal(30)));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    pub fn observe(&mut self, value: u64) {
        if self.values.len() < self.period as usize {
            self.values.push(value);
        } else {
            self.values[self.oldest] = value;
            self.oldest = (self.oldest + 1) % self.values.len();
        }
    }

    /// The forecast so many intervals after the last value, or `None` where nothing has been observed.
    ///
    /// Further than a period ahead, the last season is repeated. 0 steps ahead is the last value itself, and counts as
    /// the value of a season only where a whole one has been seen.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Forecast, SeasonalNaive};
    ///
    /// let mut load = SeasonalNaive::new(3)?;
    /// load.observe(10);
    /// assert_eq!(load.forecast(2), Some(Forecast::Naive(10))); // no season yet: the last value
    /// load.observe(30);
    /// load.observe(20);
    /// let ahead = [0, 1, 2, 3, 4].map(|steps| load.forecast(steps).map(Forecast::value));
    /// assert_eq!(ahead, [20, 10, 30, 20, 10].map(Some));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn forecast(&self, steps_ahead: u32) -> Option<Forecast> {
        let last = self.values().next_back()?;
        if !self.is_seasonal() {
            return Some(Forecast::Naive(last));
        }
        let Some(further) = steps_ahead.checked_sub(1) else { return Some(Forecast::Seasonal(last)) };
        let place = (self.oldest + (further % self.period) as usize) % self.values.len();
        Some(Forecast::Seasonal(self.values[place]))
    }

    /// Values of one season.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::SeasonalNaive;
    ///
    /// assert_eq!(SeasonalNaive::new(288)?.period(), 288);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn period(&self) -> u32 {
        self.period
    }

    /// Whether a whole season has been seen, so that forecasts are seasonal.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::SeasonalNaive;
    ///
    /// let mut load = SeasonalNaive::new(2)?;
    /// load.observe(10);
    /// assert!(!load.is_seasonal());
    /// load.observe(30);
    /// assert!(load.is_seasonal());
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn is_seasonal(&self) -> bool {
        self.values.len() == self.period as usize
    }

    /// The values kept, the oldest first: at most one season.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::SeasonalNaive;
    ///
    /// let mut load = SeasonalNaive::new(3)?;
    /// for gpus in [10, 30, 20, 11] {
    ///     load.observe(gpus);
    /// }
    /// assert!(load.values().eq([30, 20, 11]));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        let kept = self.values.len();
        (0..kept).map(move |place| self.values[(self.oldest + place) % kept])
    }
}

/// Equal where period and values are, whatever the place of the oldest in memory.
impl PartialEq for SeasonalNaive {
    fn eq(&self, other: &Self) -> bool {
        self.period == other.period && self.values().eq(other.values())
    }
}

impl Eq for SeasonalNaive {}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SeasonForm {
    period: u32,
    /// The oldest first.
    #[serde(default)]
    values: Vec<u64>,
}

#[cfg(feature = "serde")]
impl From<SeasonalNaive> for SeasonForm {
    fn from(mut season: SeasonalNaive) -> Self {
        season.values.rotate_left(season.oldest);
        Self { period: season.period, values: season.values }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<SeasonForm> for SeasonalNaive {
    type Error = LoanError;

    fn try_from(SeasonForm { period, values }: SeasonForm) -> Result<Self, LoanError> {
        if values.len() > period as usize {
            return Err(LoanError::ValuesAbovePeriod { values: values.len(), period });
        }
        Ok(Self { values, ..Self::new(period)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_textbook_formula() {
        for period in 1..8u32 {
            let mut season = SeasonalNaive::new(period).unwrap();
            let mut all = Vec::new();
            let mut random = oorandom::Rand64::new(u128::from(period));
            for _ in 0..40 {
                let value = random.rand_range(0..1_000);
                season.observe(value);
                all.push(value);
                assert!(season.values().eq(all[all.len().saturating_sub(period as usize)..].iter().copied()));
                for steps in 1..=20u32 {
                    // Times count from 1, as in the book.
                    let repeats = period * ((steps - 1) / period + 1);
                    let time = (all.len() as u32 + steps).saturating_sub(repeats);
                    let want = if all.len() >= period as usize {
                        Forecast::Seasonal(all[time as usize - 1])
                    } else {
                        Forecast::Naive(value)
                    };
                    assert_eq!(season.forecast(steps), Some(want), "period {period}, {steps} ahead");
                }
                assert_eq!(season.forecast(0).unwrap().value(), value);
            }
        }
    }

    #[test]
    fn memory_follows_what_was_observed() {
        let mut season = SeasonalNaive::new(u32::MAX).unwrap();
        assert_eq!(season.forecast(u32::MAX), None);
        season.observe(u64::MAX);
        assert_eq!(season.forecast(u32::MAX), Some(Forecast::Naive(u64::MAX)));
        assert!(season.values.capacity() < 100);
        assert_eq!(SeasonalNaive::new(0).unwrap_err(), LoanError::ZeroPeriod);
    }
}
