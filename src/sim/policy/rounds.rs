//! Policies that decide in rounds.

use crate::units::Seconds;

/// When a policy is to decide again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    interval: Seconds,
    next: f64,
}

impl Rounds {
    pub(super) fn every(interval: Seconds) -> Self {
        Self { interval, next: f64::NEG_INFINITY }
    }

    pub(super) fn interval(&self) -> Seconds {
        self.interval
    }

    /// Whether a round begins now.
    pub(super) fn is_due(&mut self, now: Seconds) -> bool {
        let due = now.0 >= self.next;
        if due {
            self.next = now.0 + self.interval.0;
        }
        due
    }
}
