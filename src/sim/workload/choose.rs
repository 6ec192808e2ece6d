//! A draw of jobs with a wanted mean running time, or a wanted share of the load, or both.

use alloc::vec::Vec;
use core::cmp::Ordering;

use oorandom::Rand64;

use super::RecordedJob;
use super::random::{share_of, shuffle};

/// What the jobs that are drawn shall have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Their share of all jobs.
    pub(super) share: f64,
    /// Their share of the load.
    pub(super) load: Option<f64>,
    /// Their mean running time, in seconds.
    pub(super) running_time: Option<f64>,
}

/// Flags for this share of the jobs, drawn so that they come as near as possible to what is wanted.
///
/// A job is drawn with a chance that grows with a power of its running time: each gets the key power · ln(time) plus a
/// random number of the Gumbel distribution, and the greatest keys win (Gumbel's trick: it draws without replacement with
/// chances in proportion to time^power). The power is found by bisection, with the same random numbers throughout; the
/// running time decides it, and without one the load. At equal keys the earlier job wins.
///
/// Where both are wanted, jobs are then exchanged for others of nearly the same running time and other GPUs.
pub(super) fn draw(recorded: &[RecordedJob], wanted: Wanted, random: &mut Rand64) -> Vec<bool> {
    let count = share_of(recorded.len(), wanted.share);
    let load = wanted.load.map(|load| load * sum(recorded.iter(), RecordedJob::gpu_seconds));
    let mut flags = Vec::new();
    flags.resize(recorded.len(), false);
    let chosen = match (wanted.running_time, load) {
        (Some(time), _) => by_power(recorded, count, random, |job| job.running_time.0, time * count as f64),
        (None, Some(load)) => by_power(recorded, count, random, RecordedJob::gpu_seconds, load),
        (None, None) => by_power(recorded, count, random, |_| 0.0, 0.0),
    };
    for job in chosen {
        if let Some(flag) = flags.get_mut(job) {
            *flag = true;
        }
    }
    if let (Some(_), Some(load)) = (wanted.running_time, load) {
        exchange(recorded, &mut flags, load, random);
    }
    flags
}

fn sum<'a>(jobs: impl Iterator<Item = &'a RecordedJob>, of: impl Fn(&RecordedJob) -> f64) -> f64 {
    jobs.map(of).sum()
}

/// So many jobs, in the order of the trace, whose sum of a measure is as near to the wanted one as the power makes it.
fn by_power(
    recorded: &[RecordedJob],
    chosen: usize,
    random: &mut Rand64,
    measure: impl Fn(&RecordedJob) -> f64,
    wanted: f64,
) -> Vec<usize> {
    let count = recorded.len();
    let draws: Vec<(f64, f64)> = recorded
        .iter()
        .map(|job| {
            let even = random.rand_float().max(f64::MIN_POSITIVE);
            (libm::log(job.running_time.0), -libm::log(-libm::log(even)))
        })
        .collect();
    let mut order: Vec<(f64, usize)> = Vec::with_capacity(count);
    let mut best: Option<(f64, Vec<usize>)> = None;
    let (mut low, mut high) = (-POWER_LIMIT, POWER_LIMIT);
    for _ in 0..TRIALS {
        let power = low + (high - low) / 2.0;
        order.clear();
        order.extend(draws.iter().enumerate().map(|(job, &(time, luck))| (power * time + luck, job)));
        if chosen > 0 && chosen < count {
            order.select_nth_unstable_by(chosen - 1, by_key);
        }
        order.truncate(chosen);
        // In the order of the trace, so that the sum does not hang on how the selection works.
        order.sort_unstable_by_key(|&(_, job)| job);
        let held = sum(order.iter().filter_map(|&(_, job)| recorded.get(job)), &measure);
        let off = libm::fabs(held - wanted);
        if best.as_ref().is_none_or(|&(least, _)| off < least) {
            best = Some((off, order.iter().map(|&(_, job)| job).collect()));
        }
        if held < wanted {
            low = power;
        } else {
            high = power;
        }
    }
    best.map_or_else(Vec::new, |(_, jobs)| jobs)
}

/// Exchanges drawn jobs for others that are next to them in running time, as long as that brings the load nearer to the
/// wanted one. The pairs are tried in random order.
fn exchange(recorded: &[RecordedJob], flags: &mut [bool], wanted: f64, random: &mut Rand64) {
    let mut by_time: Vec<(usize, &RecordedJob)> = recorded.iter().enumerate().collect();
    by_time.sort_by(|a, b| a.1.running_time.0.total_cmp(&b.1.running_time.0));
    let mut pairs: Vec<[(usize, &RecordedJob); 2]> =
        by_time.windows(2).filter_map(|pair| <[_; 2]>::try_from(pair).ok()).collect();
    shuffle(&mut pairs, random);
    let drawn = recorded.iter().zip(flags.iter()).filter(|(_, flag)| **flag).map(|(job, _)| job);
    let mut excess = sum(drawn, RecordedJob::gpu_seconds) - wanted;
    for [a, b] in pairs {
        let (Some(&first), Some(&second)) = (flags.get(a.0), flags.get(b.0)) else { continue };
        if first == second {
            continue;
        }
        let (drawn, other) = if first { (a, b) } else { (b, a) };
        let change = other.1.gpu_seconds() - drawn.1.gpu_seconds();
        if libm::fabs(excess + change) < libm::fabs(excess) {
            excess += change;
            flags.swap(a.0, b.0);
        }
    }
}

/// Beyond this power the longest jobs win whatever the luck.
const POWER_LIMIT: f64 = 64.0;

/// Halvings of the range of powers.
const TRIALS: u32 = 40;

/// Greatest key first; at equal keys the earlier job.
fn by_key(a: &(f64, usize), b: &(f64, usize)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    fn longer_first(recorded: &[RecordedJob], share: f64, load: f64, random: &mut Rand64) -> Vec<bool> {
        draw(recorded, Wanted { share, load: Some(load), running_time: None }, random)
    }

    fn held(recorded: &[RecordedJob], flags: &[bool]) -> f64 {
        let load = |keep: &dyn Fn(bool) -> bool| -> f64 {
            recorded
                .iter()
                .zip(flags)
                .filter(|(_, flag)| keep(**flag))
                .map(|(job, _)| job.gpu_seconds())
                .sum()
        };
        load(&|flag| flag) / load(&|_| true)
    }

    #[test]
    fn the_wanted_load_is_met_where_it_can_be() {
        let mut random = Rand64::new(5);
        for _ in 0..20 {
            let recorded: Vec<RecordedJob> = (0..2_000)
                .map(|_| RecordedJob {
                    submitted: Seconds::ZERO,
                    running_time: Seconds(10.0 * libm::exp(9.0 * random.rand_float())),
                    gpus: 1 << random.rand_range(0..5),
                })
                .collect();
            for load in [0.05, 0.1, 0.2, 0.3] {
                let flags = longer_first(&recorded, 0.1, load, &mut random);
                assert_eq!(flags.iter().filter(|&&flag| flag).count(), 200);
                let held = held(&recorded, &flags);
                assert!((held - load).abs() < 0.01, "{load}: {held}");
            }
            // More than the longest tenth holds, and less than the shortest: as near as can be.
            assert!(held(&recorded, &longer_first(&recorded, 0.1, 1.0, &mut random)) > 0.35);
            assert!(held(&recorded, &longer_first(&recorded, 0.1, 0.0, &mut random)) < 0.001);
        }
    }

    #[test]
    fn both_can_be_wanted() {
        let mut random = Rand64::new(6);
        let recorded: Vec<RecordedJob> = (0..10_000)
            .map(|_| RecordedJob {
                submitted: Seconds::ZERO,
                running_time: Seconds(10.0 * libm::exp(9.0 * random.rand_float())),
                gpus: 1 << random.rand_range(0..5),
            })
            .collect();
        for (time, load) in [(30_000.0, 0.2), (30_000.0, 0.15), (30_000.0, 0.25), (50_000.0, 0.3)] {
            let wanted = Wanted { share: 0.05, load: Some(load), running_time: Some(time) };
            let flags = draw(&recorded, wanted, &mut random);
            let drawn: Vec<f64> = recorded
                .iter()
                .zip(&flags)
                .filter(|(_, flag)| **flag)
                .map(|(job, _)| job.running_time.0)
                .collect();
            assert_eq!(drawn.len(), 500);
            let mean = drawn.iter().sum::<f64>() / 500.0;
            assert!((mean / time - 1.0).abs() < 0.01, "{time}: {mean}");
            let held = held(&recorded, &flags);
            assert!((held - load).abs() < 0.01, "{load}: {held}");
        }
    }

    #[test]
    fn all_or_none_can_be_drawn() {
        let job = RecordedJob { submitted: Seconds::ZERO, running_time: Seconds(1.0), gpus: 1 };
        for count in [0, 1, 5] {
            let recorded = alloc::vec![job; count];
            assert!(longer_first(&recorded, 1.0, 0.5, &mut Rand64::new(1)).iter().all(|&flag| flag));
            assert!(!longer_first(&recorded, 0.0, 0.5, &mut Rand64::new(1)).iter().any(|&flag| flag));
        }
    }
}
