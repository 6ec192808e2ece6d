//! A job as public traces record it.

use crate::units::Seconds;

/// A job as public traces record it: when it was submitted, how long it ran, and on how many GPUs.
///
/// What traces do not say, which jobs are elastic or may run on other GPUs, is drawn by [`JobKinds`](super::JobKinds).
///
/// # Examples
///
/// ```
/// use aryl::sim::workload::RecordedJob;
/// use aryl::units::Seconds;
///
/// let job = RecordedJob { submitted: Seconds(25.0), running_time: Seconds(3_600.0), gpus: 4 };
/// assert_eq!(job.gpu_seconds(), 14_400.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct RecordedJob {
    /// When it was submitted, on the trace's own time line.
    pub submitted: Seconds,
    /// How long it ran, queuing excluded.
    pub running_time: Seconds,
    /// The GPUs it ran on.
    pub gpus: u32,
}

impl RecordedJob {
    /// Its load: GPUs times running time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{sim::workload::*, units::Seconds};
    /// let job = RecordedJob { submitted: Seconds(0.0), running_time: Seconds(3_600.0), gpus: 8 };
    /// assert_eq!(job.gpu_seconds() / 3_600.0, 8.0); // GPU hours
    /// ```
    #[must_use]
    pub fn gpu_seconds(&self) -> f64 {
        f64::from(self.gpus) * self.running_time.0
    }
}

/// The GPUs of each worker of a job that runs on so many, and how many workers that makes.
///
/// Workers have at most 8 GPUs, the servers of the paper, and all have the same number. An inelastic job has workers as
/// large as that allows. An elastic one has at least four workers where it can, so that it scales in steps.
pub(super) fn workers(gpus: u32, elastic: bool) -> (u32, u32) {
    let most = if elastic { (gpus / 4).clamp(1, 8) } else { 8 };
    let gpus_per_worker = (1..=most.min(gpus)).rev().find(|size| gpus.is_multiple_of(*size)).unwrap_or(1);
    (gpus_per_worker, gpus / gpus_per_worker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_split_evenly() {
        let inelastic = [1, 2, 4, 7, 8, 9, 12, 64].map(|gpus| workers(gpus, false));
        assert_eq!(inelastic, [(1, 1), (2, 1), (4, 1), (7, 1), (8, 1), (3, 3), (6, 2), (8, 8)]);
        let elastic = [1, 2, 4, 7, 8, 16, 64, 128].map(|gpus| workers(gpus, true));
        assert_eq!(elastic, [(1, 1), (1, 2), (1, 4), (1, 7), (2, 4), (4, 4), (8, 8), (8, 16)]);
        for gpus in 1..300 {
            for elastic in [false, true] {
                let (size, count) = workers(gpus, elastic);
                assert_eq!(size * count, gpus);
            }
        }
    }
}
