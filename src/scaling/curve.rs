//! The usual scaling curves, and the trait for others.

use super::{MeasuredTable, MeasuredTableError};

/// The speed of a job as a function of its workers.
///
/// Implement it for a curve of your own, then hand it to a job as
/// [`ScalingCurve::sampled`].
///
/// # Examples
///
/// ```
/// use aryl::cluster::Job;
/// use aryl::scaling::{Scaling, ScalingCurve};
/// use aryl::units::Seconds;
///
/// /// Each doubling of the workers brings half as much again.
/// struct Doubling;
///
/// impl Scaling for Doubling {
///     fn speedup(&self, base: u32, workers: u32) -> f64 {
///         1.5f64.powf((f64::from(workers) / f64::from(base)).log2())
///     }
/// }
///
/// let job = Job::elastic(1..=8).remaining(Seconds(90.0)).scaling(ScalingCurve::sampled(&Doubling, 8)?);
/// assert_eq!((job.running_time(2), job.running_time(4)), (Seconds(60.0), Seconds(40.0)));
/// # Ok::<(), aryl::scaling::MeasuredTableError>(())
/// ```
pub trait Scaling {
    /// How many times faster the job runs on `workers` workers than on `base` workers.
    ///
    /// Both are reference workers, at least 1. The answer should be positive and finite, and 1 where the two are equal.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::{Scaling, ScalingCurve};
    ///
    /// // From 2 workers to 6: three times the speed if it is linear, √3 times if it grows with the square root.
    /// assert_eq!(ScalingCurve::Linear.speedup(2, 6), 3.0);
    /// let root = ScalingCurve::PowerLaw { exponent: 0.5 };
    /// assert!((root.speedup(2, 6) - 3f64.sqrt()).abs() < 1e-12);
    /// ```
    fn speedup(&self, base: u32, workers: u32) -> f64;
}

/// A curve that its parameter makes meaningless.
///
/// # Examples
///
/// ```
/// use aryl::scaling::ScalingCurve;
///
/// let error = ScalingCurve::LossPerAddedWorker { loss: 1.5 }.check().unwrap_err();
/// assert_eq!(error.to_string(), "the loss 1.5 per added worker is not from 0 to 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScalingError {
    /// The exponent of a power law is not above 0 and at most 1.
    #[error("the exponent {exponent} of a power law is not above 0 and at most 1")]
    Exponent {
        /// The exponent given.
        exponent: f64,
    },
    /// The serial share is not from 0 to 1.
    #[error("the serial share {serial} is not from 0 to 1")]
    Serial {
        /// The share given.
        serial: f64,
    },
    /// The loss is not from 0 to 1.
    #[error("the loss {loss} per added worker is not from 0 to 1")]
    Loss {
        /// The loss given.
        loss: f64,
    },
}

/// How the speed of a job grows with its workers: one of the usual shapes.
///
/// # Examples
///
/// Twice the workers, under each shape:
///
/// ```
/// use aryl::scaling::{MeasuredTable, Scaling, ScalingCurve};
///
/// assert_eq!(ScalingCurve::Linear.speedup(2, 4), 2.0);
/// assert!((ScalingCurve::PowerLaw { exponent: 0.5 }.speedup(2, 4) - 2f64.sqrt()).abs() < 1e-12);
/// assert!((ScalingCurve::Amdahl { serial: 0.5 }.speedup(1, 2) - 4.0 / 3.0).abs() < 1e-12);
/// // Each added worker brings 20 % less than a full one: 2 + 0.8 · 2 = 3.6 workers' worth, against 2.
/// assert!((ScalingCurve::LossPerAddedWorker { loss: 0.2 }.speedup(2, 4) - 1.8).abs() < 1e-12);
/// let table = MeasuredTable::new([(1, 100.0), (4, 250.0)])?;
/// assert_eq!(ScalingCurve::Measured(table).speedup(1, 4), 2.5);
/// # Ok::<(), aryl::scaling::MeasuredTableError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum ScalingCurve {
    /// Twice the workers, twice the speed. The default, and what the paper assumes.
    #[default]
    Linear,
    /// The speed grows as a power of the number of workers.
    PowerLaw {
        /// The power, above 0 and at most 1; 1 is linear.
        exponent: f64,
    },
    /// A share of the work can't be spread (Amdahl's law).
    Amdahl {
        /// The serial share of the work on one worker, from 0 (linear) to 1 (no gain at all).
        serial: f64,
    },
    /// Each worker above the base brings a fixed share less than a full worker.
    ///
    /// The paper's model of imperfect scaling uses 0.2 (section 7).
    LossPerAddedWorker {
        /// The share that is lost, from 0 (linear) to 1 (no gain at all).
        loss: f64,
    },
    /// Throughput that was measured at some numbers of workers, and is interpolated between them.
    Measured(MeasuredTable),
}

impl ScalingCurve {
    /// A table of a curve of your own, sampled at 1 to `max_workers` workers.
    ///
    /// # Errors
    ///
    /// [`MeasuredTableError`] where the curve gives a speed that is not positive and finite, or where `max_workers` is
    /// 0.
    ///
    /// # Complexity
    ///
    /// One call of the curve, and 16 bytes, for each number of workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::{Scaling, ScalingCurve};
    ///
    /// /// No gain beyond four workers.
    /// struct FourAtMost;
    ///
    /// impl Scaling for FourAtMost {
    ///     fn speedup(&self, base: u32, workers: u32) -> f64 {
    ///         f64::from(workers.min(4)) / f64::from(base.min(4))
    ///     }
    /// }
    ///
    /// let curve = ScalingCurve::sampled(&FourAtMost, 8)?;
    /// assert_eq!(curve.speedup(2, 4), 2.0);
    /// assert_eq!(curve.speedup(2, 8), 2.0);
    /// # Ok::<(), aryl::scaling::MeasuredTableError>(())
    /// ```
    pub fn sampled(curve: &impl Scaling, max_workers: u32) -> Result<Self, MeasuredTableError> {
        let points = (1..=max_workers).map(|workers| (workers, curve.speedup(1, workers)));
        Ok(Self::Measured(MeasuredTable::new(points)?))
    }

    /// Whether the parameters of the curve make sense.
    ///
    /// [`Cluster::add_job`](crate::cluster::Cluster::add_job) calls it; a curve that passes gives a positive and finite
    /// speedup for any two numbers of workers from 1 up.
    ///
    /// # Errors
    ///
    /// [`ScalingError`] names the parameter that is out of its range, NaN among them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::{ScalingCurve, ScalingError};
    ///
    /// assert_eq!(ScalingCurve::Linear.check(), Ok(()));
    /// let curve = ScalingCurve::Amdahl { serial: 1.5 };
    /// assert_eq!(curve.check(), Err(ScalingError::Serial { serial: 1.5 }));
    /// ```
    pub fn check(&self) -> Result<(), ScalingError> {
        match *self {
            Self::PowerLaw { exponent } if !(exponent > 0.0 && exponent <= 1.0) => {
                Err(ScalingError::Exponent { exponent })
            }
            Self::Amdahl { serial } if !(0.0..=1.0).contains(&serial) => Err(ScalingError::Serial { serial }),
            Self::LossPerAddedWorker { loss } if !(0.0..=1.0).contains(&loss) => {
                Err(ScalingError::Loss { loss })
            }
            _ => Ok(()),
        }
    }
}

impl Scaling for ScalingCurve {
    fn speedup(&self, base: u32, workers: u32) -> f64 {
        // A job has at least one worker; 0 is read as 1 so that no caller can make a division by zero.
        let (base_count, worker_count) = (base.max(1), workers.max(1));
        let (base, workers) = (f64::from(base_count), f64::from(worker_count));
        match self {
            Self::Linear => workers / base,
            Self::PowerLaw { exponent } => libm::pow(workers / base, *exponent),
            Self::Amdahl { serial } => (serial + (1.0 - serial) / base) / (serial + (1.0 - serial) / workers),
            Self::LossPerAddedWorker { loss } => (base + (1.0 - loss) * (workers - base)) / base,
            Self::Measured(table) => table.throughput(worker_count) / table.throughput(base_count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> [ScalingCurve; 6] {
        [
            ScalingCurve::Linear,
            ScalingCurve::PowerLaw { exponent: 0.6 },
            ScalingCurve::Amdahl { serial: 0.1 },
            ScalingCurve::LossPerAddedWorker { loss: 0.2 },
            ScalingCurve::Measured(MeasuredTable::new([(2, 10.0), (8, 30.0), (9, 31.0)]).unwrap()),
            ScalingCurve::Measured(MeasuredTable::new([(1, 1e-300)]).unwrap()),
        ]
    }

    #[test]
    fn every_curve_is_one_at_the_base_and_grows() {
        for curve in curves() {
            assert_eq!(curve.check(), Ok(()));
            for base in 1..12 {
                assert!((curve.speedup(base, base) - 1.0).abs() < 1e-12, "{curve:?} at {base}");
                for workers in base..20 {
                    assert!(curve.speedup(base, workers + 1) >= curve.speedup(base, workers) - 1e-12);
                }
            }
        }
    }

    #[test]
    fn no_curve_beats_linear() {
        for curve in curves().into_iter().take(4) {
            for workers in 3..40 {
                assert!(curve.speedup(3, workers) <= f64::from(workers) / 3.0 + 1e-12, "{curve:?}");
            }
        }
    }

    #[test]
    fn limits_of_the_parameters_are_linear_or_flat() {
        for workers in 1..50 {
            let linear = f64::from(workers);
            for curve in [
                ScalingCurve::PowerLaw { exponent: 1.0 },
                ScalingCurve::Amdahl { serial: 0.0 },
                ScalingCurve::LossPerAddedWorker { loss: 0.0 },
            ] {
                assert!((curve.speedup(1, workers) - linear).abs() < 1e-9, "{curve:?}");
            }
            for curve in
                [ScalingCurve::Amdahl { serial: 1.0 }, ScalingCurve::LossPerAddedWorker { loss: 1.0 }]
            {
                assert!((curve.speedup(1, workers) - 1.0).abs() < 1e-12, "{curve:?}");
            }
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            assert!(ScalingCurve::PowerLaw { exponent: bad }.check().is_err());
            assert!(ScalingCurve::Amdahl { serial: bad }.check().is_err());
            assert!(ScalingCurve::LossPerAddedWorker { loss: bad }.check().is_err());
        }
        assert!(ScalingCurve::PowerLaw { exponent: 0.0 }.check().is_err());
    }

    #[test]
    fn zero_workers_divide_by_nothing() {
        for curve in curves() {
            assert!(curve.speedup(0, 0).is_finite());
        }
    }
}
