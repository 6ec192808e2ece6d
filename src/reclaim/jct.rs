//! What a job loses when workers leave.

use crate::cluster::Job;
use crate::units::Seconds;

/// The most milliseconds that one job counts for: the largest number that [`Seconds::milliseconds`] gives.
const MOST: u64 = (1 << 53) - 1;

/// How much later a job ends that loses workers, times its weight, in whole milliseconds.
///
/// A job that mixes GPU types runs at its mixing efficiency. Both sides are given as `(reference workers, whether the
/// job mixes types)`. A job that ends sooner for having fewer workers, which a measured curve or the end of mixing can
/// bring about, loses nothing.
pub(super) fn jct_lost_milliseconds(job: &Job, before: (u64, bool), after: (u64, bool)) -> u64 {
    let lost = (running_time(job, after) - running_time(job, before)) * job.weight;
    // Not a number: both times are infinite, so neither is later.
    if lost.is_nan() || lost <= 0.0 { 0 } else { Seconds(lost).milliseconds().unwrap_or(MOST) }
}

fn running_time(job: &Job, (reference_workers, mixed): (u64, bool)) -> f64 {
    let workers = u32::try_from(reference_workers).unwrap_or(u32::MAX);
    let efficiency = if mixed { job.mixing_efficiency.unwrap_or(1.0) } else { 1.0 };
    job.running_time(workers).0 / efficiency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_follows_the_curve_the_weight_and_the_mix() {
        let job = Job::elastic(2..=6).remaining(Seconds(60.0)).heterogeneous_at(0.5);
        assert_eq!(jct_lost_milliseconds(&job, (6, false), (3, false)), 20_000);
        assert_eq!(jct_lost_milliseconds(&job.clone().weight(2.5), (6, false), (3, false)), 50_000);
        assert_eq!(jct_lost_milliseconds(&job, (6, true), (4, true)), 20_000);
        assert_eq!(jct_lost_milliseconds(&job, (6, true), (4, false)), 0);
    }

    #[test]
    fn extremes_are_numbers() {
        let tiny = Job::elastic(1..=2).remaining(Seconds(9e12)).heterogeneous_at(f64::MIN_POSITIVE);
        assert_eq!(jct_lost_milliseconds(&tiny, (2, false), (1, true)), MOST);
        assert_eq!(jct_lost_milliseconds(&tiny, (2, true), (1, true)), 0);
    }
}
