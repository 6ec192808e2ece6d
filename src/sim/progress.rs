//! How far a job has come, counted exactly.
//!
//! Work is counted in units of 2^-20 of a millisecond at the job's minimum. A job that runs does a whole number of units
//! each millisecond, so the order of events cannot change a sum, and work done can be compared with work asked by `==`.

/// Units of work that a job does in a millisecond at its minimum: speed 1.
pub(super) const ONE: u64 = 1 << 20;

/// The slowest and the fastest a job is taken to run.
const RATES: core::ops::RangeInclusive<u64> = 1 << 10..=1 << 43;

/// The longest running time of a job, in milliseconds: 278 years.
pub(super) const LONGEST: u64 = 1 << 43;

/// The progress of one job.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// Work that the job asks for, at most 2^63 units.
    total: u64,
    /// Work done that still counts.
    done: u64,
    /// Work done by the last checkpoint.
    saved: u64,
    /// Work done and thrown away by preemptions.
    lost: u128,
    /// Units a millisecond; 0 while it waits.
    rate: u64,
    /// The time up to which the work is counted. In the future while an overhead runs.
    counted_to: u64,
    /// Milliseconds of progress since it started or was started again.
    ran: u64,
    /// Milliseconds of progress between two checkpoints.
    checkpoint_interval: Option<u64>,
}

/// The rate of a job that runs at so many times its speed at the minimum.
pub(super) fn rate_of(speed: f64) -> u64 {
    let rate = libm::round(speed * ONE as f64);
    // A float beyond the range is cut off by the conversion.
    (rate as u64).clamp(*RATES.start(), *RATES.end())
}

impl Progress {
    /// A job of this running time at its minimum, at most [`LONGEST`].
    pub(super) fn new(milliseconds: u64, checkpoint_interval: Option<u64>) -> Self {
        Self { total: milliseconds * ONE, checkpoint_interval, ..Self::default() }
    }

    /// Counts the work up to now.
    pub(super) fn advance(&mut self, now: u64) {
        if self.rate == 0 || now <= self.counted_to {
            return;
        }
        let elapsed = now - self.counted_to;
        self.counted_to = now;
        if let Some(interval) = self.checkpoint_interval {
            let since_checkpoint = self.ran % interval;
            if since_checkpoint + elapsed >= interval {
                // The last checkpoint in the span, a whole number of intervals after the start.
                let until = (self.ran + elapsed) / interval * interval - self.ran;
                self.saved = (self.done + self.rate.saturating_mul(until)).min(self.total);
            }
        }
        self.ran += elapsed;
        // In its last millisecond a job may have less to do than it could.
        self.done = self.done.saturating_add(self.rate.saturating_mul(elapsed)).min(self.total);
    }

    /// Runs on at this rate, after an overhead during which nothing is done. Overheads that meet add up.
    pub(super) fn set_rate(&mut self, now: u64, rate: u64, overhead: u64) {
        self.advance(now);
        self.rate = rate;
        self.counted_to = self.counted_to.max(now).saturating_add(overhead);
    }

    /// Starts, or starts again, at this rate.
    pub(super) fn start(&mut self, now: u64, rate: u64, overhead: u64) {
        self.rate = rate;
        self.ran = 0;
        self.counted_to = now.saturating_add(overhead);
    }

    /// Stops. What was done is kept, or what was done since the last checkpoint is lost. Returns the units lost.
    pub(super) fn stop(&mut self, now: u64, keeps: bool) -> u64 {
        self.advance(now);
        self.rate = 0;
        if keeps {
            self.saved = self.done;
        }
        let lost = self.done - self.saved;
        self.done = self.saved;
        self.lost += u128::from(lost);
        lost
    }

    /// When it ends if its rate stays what it is.
    pub(super) fn end(&self) -> u64 {
        self.counted_to.saturating_add(self.left().div_ceil(self.rate.max(1)))
    }

    /// Work that is still to do.
    pub(super) fn left(&self) -> u64 {
        self.total - self.done
    }

    /// Work that would be still to do as of now.
    pub(super) fn left_at(&self, now: u64) -> u64 {
        let elapsed = now.saturating_sub(self.counted_to);
        self.left().saturating_sub(self.rate.saturating_mul(elapsed))
    }

    /// Work that a stop as of now would throw away.
    pub(super) fn at_stake(&self, now: u64) -> u64 {
        let mut stopped = self.clone();
        stopped.stop(now, false)
    }

    /// Work thrown away so far.
    pub(super) fn lost(&self) -> u128 {
        self.lost
    }

    pub(super) fn is_whole(&self) -> bool {
        self.done == self.total
    }
}

/// Units of work as seconds at the minimum.
pub(super) fn seconds(units: u128) -> f64 {
    units as f64 / (ONE as f64 * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_rate_times_time_whatever_the_stops_between() {
        let mut random = oorandom::Rand64::new(7);
        for _ in 0..1_000 {
            let mut progress = Progress::new(random.rand_range(1..100_000), None);
            let (mut now, mut done) = (0, 0);
            progress.start(0, ONE, 0);
            while progress.end() > now {
                let rate = rate_of(random.rand_float() * 4.0);
                progress.set_rate(now, rate, 0);
                let next = (now + random.rand_range(1..30_000)).min(progress.end());
                done += rate * (next - now);
                progress.advance(next);
                now = next;
                assert_eq!(progress.total - progress.left(), done.min(progress.total));
            }
            assert!(progress.is_whole());
            // No job ends a millisecond late.
            assert!(done - progress.total < progress.rate);
        }
    }

    #[test]
    fn an_overhead_does_no_work() {
        let mut progress = Progress::new(1_000, None);
        progress.start(50, ONE, 63);
        assert_eq!(progress.end(), 50 + 63 + 1_000);
        progress.set_rate(80, 2 * ONE, 10);
        assert_eq!(progress.end(), 50 + 63 + 10 + 500);
        progress.advance(123 + 100);
        assert_eq!(progress.left(), 800 * ONE);
    }

    #[test]
    fn a_stop_loses_what_came_after_the_checkpoint() {
        let mut progress = Progress::new(1_000, Some(300));
        progress.start(0, ONE, 0);
        progress.set_rate(200, 2 * ONE, 0);
        // By 300 ms it has done 200 + 2 · 100, by 350 ms another 100.
        assert_eq!(progress.stop(350, false), 100 * ONE);
        assert_eq!(progress.left(), 600 * ONE);
        progress.start(400, ONE, 0);
        assert_eq!(progress.stop(699, false), 299 * ONE);
        progress.start(700, ONE, 0);
        assert_eq!(progress.stop(1_299, false), 299 * ONE);
        assert_eq!(progress.left(), 300 * ONE);
        assert_eq!(progress.lost(), u128::from(698 * ONE));
    }

    #[test]
    fn without_a_checkpoint_all_is_lost_unless_it_is_kept() {
        let mut progress = Progress::new(1_000, None);
        progress.start(0, ONE, 0);
        assert_eq!(progress.stop(400, true), 0);
        progress.start(500, ONE, 0);
        assert_eq!(progress.left_at(600), 500 * ONE);
        assert_eq!(progress.at_stake(600), 100 * ONE);
        // What was kept once stays kept.
        assert_eq!(progress.stop(600, false), 100 * ONE);
        assert_eq!(progress.left(), 600 * ONE);
    }

    #[test]
    fn rates_are_within_their_range() {
        assert_eq!(rate_of(1.0), ONE);
        assert_eq!(rate_of(f64::INFINITY), 1 << 43);
        for slow in [0.0, -1.0, f64::NAN, 1e-300] {
            assert_eq!(rate_of(slow), 1 << 10);
        }
    }
}
