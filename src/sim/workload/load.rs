//! The load of the inference cluster over time.

use alloc::vec::Vec;

use super::LoadError;
use crate::units::Seconds;

/// The share of the inference GPUs that are busy, as a step function: each point holds until the next.
///
/// Before the first point the share is that of the first, after the last that of the last.
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::InferenceLoad;
/// use aryl::units::Seconds;
///
/// let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(3_600.0), 0.75)])?;
/// assert_eq!(load.at(Seconds(3_599.9)), 0.25);
/// assert_eq!(load.at(Seconds(3_600.0)), 0.75);
/// # Ok::<(), aryl::sim::workload::LoadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<(Seconds, f64)>", into = "Vec<(Seconds, f64)>")
)]
pub struct InferenceLoad {
    points: Vec<(Seconds, f64)>,
}

impl InferenceLoad {
    /// A load with these shares, each from its time on.
    ///
    /// # Errors
    ///
    /// [`LoadError`] where there is no point, a time is not finite or not above the one before, or a share is not from 0
    /// to 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::sim::workload::{InferenceLoad, LoadError};
    /// use aryl::units::Seconds;
    ///
    /// let error = InferenceLoad::new([(Seconds(0.0), 1.5)]).unwrap_err();
    /// assert_eq!(error, LoadError::Share { time: Seconds(0.0), share: 1.5 });
    /// assert_eq!(error.to_string(), "the load at 0 s is 1.5, not from 0 to 1");
    /// ```
    pub fn new(points: impl IntoIterator<Item = (Seconds, f64)>) -> Result<Self, LoadError> {
        let points: Vec<_> = points.into_iter().collect();
        if points.is_empty() {
            return Err(LoadError::Empty);
        }
        for (at, &(time, share)) in points.iter().enumerate() {
            if !time.0.is_finite() {
                return Err(LoadError::Time { time });
            }
            if let Some(&(previous, _)) = at.checked_sub(1).and_then(|before| points.get(before))
                && time <= previous
            {
                return Err(LoadError::NotAscending { previous, time });
            }
            if !(0.0..=1.0).contains(&share) {
                return Err(LoadError::Share { time, share });
            }
        }
        Ok(Self { points })
    }

    /// The same share at all times.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let load = InferenceLoad::constant(0.5)?;
    /// assert_eq!((load.at(Seconds(0.0)), load.at(Seconds(1e9))), (0.5, 0.5));
    /// assert!(InferenceLoad::constant(f64::NAN).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LoadError::Share`] where it is not from 0 to 1.
    pub fn constant(share: f64) -> Result<Self, LoadError> {
        Self::new([(Seconds::ZERO, share)])
    }

    /// The share of the inference GPUs that are busy at this time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let load = InferenceLoad::new([(Seconds(100.0), 0.25), (Seconds(200.0), 0.75)])?;
    /// assert_eq!([0.0, 100.0, 199.0, 200.0, 999.0].map(|time| load.at(Seconds(time))), [0.25, 0.25, 0.25, 0.75, 0.75]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log points).
    #[must_use]
    pub fn at(&self, time: Seconds) -> f64 {
        let after = self.points.partition_point(|point| point.0 <= time);
        self.points.get(after.saturating_sub(1)).map_or(0.0, |point| point.1)
    }

    /// The points, in ascending order of times.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let load = InferenceLoad::new([(Seconds(100.0), 0.25), (Seconds(200.0), 0.75)])?;
    /// let peak = load.points().iter().map(|point| point.1).fold(0.0, f64::max);
    /// assert_eq!((load.points().len(), peak), (2, 0.75));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> &[(Seconds, f64)] {
        &self.points
    }
}

impl TryFrom<Vec<(Seconds, f64)>> for InferenceLoad {
    type Error = LoadError;

    fn try_from(points: Vec<(Seconds, f64)>) -> Result<Self, Self::Error> {
        Self::new(points)
    }
}

impl From<InferenceLoad> for Vec<(Seconds, f64)> {
    fn from(load: InferenceLoad) -> Self {
        load.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_holds_until_the_next() {
        let load = InferenceLoad::new([(Seconds(10.0), 0.1), (Seconds(20.0), 0.2)]).unwrap();
        let at = [-5.0, 10.0, 19.9, 20.0, 1e9].map(|time| load.at(Seconds(time)));
        assert_eq!(at, [0.1, 0.1, 0.1, 0.2, 0.2]);
    }

    #[test]
    fn bad_loads_are_refused() {
        let new = |points: &[(f64, f64)]| {
            InferenceLoad::new(points.iter().map(|&(time, share)| (Seconds(time), share))).unwrap_err()
        };
        assert_eq!(new(&[]), LoadError::Empty);
        assert!(matches!(new(&[(f64::NAN, 0.5)]), LoadError::Time { .. }));
        assert!(matches!(new(&[(1.0, 0.5), (1.0, 0.5)]), LoadError::NotAscending { .. }));
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(matches!(new(&[(1.0, bad)]), LoadError::Share { .. }));
        }
    }
}
