//! How the speed of a job grows with its workers.
//!
//! A job states its remaining time at its minimum number of workers, the base. Its scaling curve says how many times
//! faster it runs with more. [`ScalingCurve`] holds the usual shapes; a shape of your own implements [`Scaling`] and is
//! turned into a measured table by [`ScalingCurve::sampled`].
//!
//! | curve | speedup from `base` to `workers` | source |
//! |---|---|---|
//! | [`Linear`](ScalingCurve::Linear) | `workers / base` | Aryl, section 5.2 |
//! | [`PowerLaw`](ScalingCurve::PowerLaw) | `(workers / base)^exponent` | common fit of measured training throughput |
//! | [`Amdahl`](ScalingCurve::Amdahl) | ratio of `1 / (serial + (1 − serial) / w)` | Amdahl 1967 |
//! | [`LossPerAddedWorker`](ScalingCurve::LossPerAddedWorker) | `(base + (1 − loss)(workers − base)) / base` | Aryl, section 7 |
//! | [`Measured`](ScalingCurve::Measured) | ratio of interpolated throughputs | your profiler |

mod curve;
mod measured;

pub use curve::{Scaling, ScalingCurve, ScalingError};
pub use measured::{MeasuredPoint, MeasuredTable, MeasuredTableError};
