//! An inference load that follows the day.

use alloc::vec::Vec;

use super::arrivals::DAY;
use super::kinds::check_time;
use super::random::{Stream, stream};
use super::{InferenceLoad, SpecError};
use crate::units::Seconds;

/// The load of an inference cluster that rises to a peak each evening.
///
/// With h hours since the peak, it is trough + (peak − trough) · ((1 + cos(2π · h / 24)) / 2)^p. The power p is the one
/// that brings the mean about. Every step is shifted by some noise, and stays between trough and peak.
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::DiurnalLoad;
/// use aryl::units::Seconds;
///
/// let load = DiurnalLoad { noise: 0.0, ..DiurnalLoad::PAPER }.generate(Seconds(86_400.0), 1)?;
/// let at = |hour: f64| load.at(Seconds(hour * 3_600.0));
/// assert!(at(22.0) > 0.949 && at(10.0) < 0.421);
/// // About four hours are within a tenth of the peak.
/// assert!(at(20.0) > 0.89 && at(24.0) > 0.89 && at(19.0) < 0.85);
/// # Ok::<(), aryl::sim::workload::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct DiurnalLoad {
    /// The least share of the GPUs that are busy.
    pub trough: f64,
    /// The mean share.
    pub mean: f64,
    /// The greatest share.
    pub peak: f64,
    /// The hour of the day in the middle of the peak, from 0 to 24.
    pub peak_hour: f64,
    /// The most that a step is off the curve, up or down, as a share of the GPUs.
    pub noise: f64,
    /// The length of a step.
    pub step: Seconds,
}

impl DiurnalLoad {
    /// The inference cluster of the Aryl paper: 42 % busy in the trough, 95 % at the peak, 65 % on average, with a peak of
    /// about four hours at night (section 2). Steps of 5 minutes, which is how often the paper looks; the noise of 1 % is
    /// ours.
    pub const PAPER: Self =
        Self { trough: 0.42, mean: 0.65, peak: 0.95, peak_hour: 22.0, noise: 0.01, step: Seconds(300.0) };

    /// The most steps of a load.
    const STEP_LIMIT: f64 = 16_777_216.0;

    /// The load from time 0 for so long.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let load = DiurnalLoad::PAPER.generate(Seconds(86_400.0), 1)?;
    /// assert_eq!(load.points().len(), 288); // every 5 minutes
    /// assert!(load.points().iter().all(|&(_, share)| (0.42..=0.95).contains(&share)));
    ///
    /// let wrong = DiurnalLoad { mean: 0.96, ..DiurnalLoad::PAPER }.generate(Seconds(86_400.0), 1);
    /// assert_eq!(wrong, Err(SpecError::LoadMean { trough: 0.42, mean: 0.96, peak: 0.95 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError`] where a share or the hour is out of range, the mean is not between trough and peak, or there would be
    /// more than 2^24 steps.
    ///
    /// # Complexity
    ///
    /// O(steps).
    ///
    /// # Determinism
    ///
    /// The same curve, span and seed give the same load on every machine.
    pub fn generate(&self, span: Seconds, seed: u64) -> Result<InferenceLoad, SpecError> {
        self.check()?;
        check_time("span", span)?;
        let limit = Seconds(self.step.0 * Self::STEP_LIMIT);
        if span > limit {
            return Err(SpecError::Time { what: "span of the load", time: span, limit });
        }
        let power = self.power();
        let mut random = stream(seed, Stream::InferenceLoad);
        let steps = libm::ceil(span.0 / self.step.0) as u32;
        let points: Vec<(Seconds, f64)> = (0..steps)
            .map(|step| {
                let time = f64::from(step) * self.step.0;
                let height = libm::pow(nearness(time / 3_600.0 - self.peak_hour), power);
                let noise = self.noise * (2.0 * random.rand_float() - 1.0);
                let share = self.trough + (self.peak - self.trough) * height + noise;
                (Seconds(time), share.clamp(self.trough, self.peak))
            })
            .collect();
        Ok(InferenceLoad::new(points)?)
    }

    fn check(&self) -> Result<(), SpecError> {
        let shares = [("trough", self.trough), ("peak", self.peak), ("noise", self.noise)];
        if let Some((what, share)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err(SpecError::Share { what, share });
        }
        let Self { trough, mean, peak, .. } = *self;
        let between = mean > trough && mean < peak;
        let flat = trough >= peak && (trough..=peak).contains(&mean);
        if !(between || flat) {
            return Err(SpecError::LoadMean { trough, mean, peak });
        }
        if !(0.0..=24.0).contains(&self.peak_hour) {
            return Err(SpecError::Hour { what: "hour of the peak", hour: self.peak_hour });
        }
        check_time("step of the load", self.step)
    }

    /// The power that brings the mean about. The mean falls as the power grows.
    fn power(&self) -> f64 {
        let span = self.peak - self.trough;
        let wanted = if span > 0.0 { (self.mean - self.trough) / span } else { 0.5 };
        let (mut low, mut high) = (0.0, 1_000.0);
        for _ in 0..60 {
            let middle = low + (high - low) / 2.0;
            if mean_height(middle) > wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// From 1 at the peak to 0 twelve hours off.
fn nearness(hours: f64) -> f64 {
    (1.0 + libm::cos(core::f64::consts::TAU * hours * 3_600.0 / DAY.0)) / 2.0
}

/// The mean of nearness^power over a day.
fn mean_height(power: f64) -> f64 {
    let steps = 288;
    (0..steps).map(|step| libm::pow(nearness((f64::from(step) + 0.5) / 12.0), power)).sum::<f64>()
        / f64::from(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_as_given() {
        for mean in [0.5, 0.6, 0.65, 0.8] {
            let load = DiurnalLoad { mean, noise: 0.0, ..DiurnalLoad::PAPER };
            let load = load.generate(Seconds(3.0 * DAY.0), 1).unwrap();
            let sum: f64 = load.points().iter().map(|point| point.1).sum();
            assert!((sum / load.points().len() as f64 - mean).abs() < 1e-3, "{mean}");
        }
    }

    #[test]
    fn a_flat_load_is_a_load() {
        let flat = DiurnalLoad { trough: 0.5, mean: 0.5, peak: 0.5, ..DiurnalLoad::PAPER };
        let load = flat.generate(Seconds(DAY.0), 1).unwrap();
        assert!(load.points().iter().all(|&(_, share)| (share - 0.5).abs() < 1e-12));
    }

    #[test]
    fn bad_loads_are_refused() {
        let paper = DiurnalLoad::PAPER;
        let generate = |load: DiurnalLoad| load.generate(Seconds(DAY.0), 1).unwrap_err();
        assert!(matches!(generate(DiurnalLoad { trough: f64::NAN, ..paper }), SpecError::Share { .. }));
        assert!(matches!(generate(DiurnalLoad { peak: 1.1, ..paper }), SpecError::Share { .. }));
        assert!(matches!(generate(DiurnalLoad { mean: 0.96, ..paper }), SpecError::LoadMean { .. }));
        assert!(matches!(generate(DiurnalLoad { mean: f64::NAN, ..paper }), SpecError::LoadMean { .. }));
        assert!(matches!(generate(DiurnalLoad { peak_hour: -1.0, ..paper }), SpecError::Hour { .. }));
        assert!(matches!(generate(DiurnalLoad { step: Seconds(0.0), ..paper }), SpecError::Time { .. }));
        assert!(matches!(paper.generate(Seconds(-1.0), 1), Err(SpecError::Time { .. })));
        assert!(matches!(
            DiurnalLoad { step: Seconds(0.001), ..paper }.generate(Seconds(1e9), 1),
            Err(SpecError::Time { .. })
        ));
    }
}
