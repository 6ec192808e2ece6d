//! A draw of jobs that make up a wanted share of the load.

use alloc::vec::Vec;
use core::cmp::Ordering;

use oorandom::Rand64;

use super::RecordedJob;
use super::random::share_of;

/// Flags for this share of the jobs, drawn so that they make up as nearly as possible the wanted share of the load.
///
/// A job is drawn with a chance that grows with a power of its running time: each gets the key power · ln(time) plus a
/// random number of the Gumbel distribution, and the greatest keys win (Gumbel's trick: it draws without replacement with
/// chances in proportion to time^power). The power is found by bisection, with the same random numbers throughout. At equal
/// keys the earlier job wins.
pub(super) fn longer_first(
    recorded: &[RecordedJob],
    share: f64,
    load: f64,
    random: &mut Rand64,
) -> Vec<bool> {
    let count = recorded.len();
    let wanted = load * recorded.iter().map(RecordedJob::gpu_seconds).sum::<f64>();
    let draws: Vec<(f64, f64)> = recorded
        .iter()
        .map(|job| {
            let even = random.rand_float().max(f64::MIN_POSITIVE);
            (libm::log(job.running_time.0), -libm::log(-libm::log(even)))
        })
        .collect();
    let chosen = share_of(count, share);

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
        let held: f64 =
            order.iter().filter_map(|&(_, job)| recorded.get(job)).map(RecordedJob::gpu_seconds).sum();
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

    let mut flags = Vec::new();
    flags.resize(count, false);
    for job in best.map_or_else(Vec::new, |(_, jobs)| jobs) {
        if let Some(flag) = flags.get_mut(job) {
            *flag = true;
        }
    }
    flags
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
    fn all_or_none_can_be_drawn() {
        let job = RecordedJob { submitted: Seconds::ZERO, running_time: Seconds(1.0), gpus: 1 };
        for count in [0, 1, 5] {
            let recorded = alloc::vec![job; count];
            assert!(longer_first(&recorded, 1.0, 0.5, &mut Rand64::new(1)).iter().all(|&flag| flag));
            assert!(!longer_first(&recorded, 0.0, 0.5, &mut Rand64::new(1)).iter().any(|&flag| flag));
        }
    }
}
