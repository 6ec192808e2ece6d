//! The answer: the sets chosen, what they cost, and how good that is known to be.

use alloc::vec::Vec;

use crate::certificate::{Certificate, Sense};

/// The sets that were chosen, and what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub(super) sets: Vec<u32>,
    pub(super) certificate: Certificate,
}

impl Default for Solution {
    /// No set, at no cost.
    fn default() -> Self {
        Self { sets: Vec::new(), certificate: Certificate::optimal(Sense::Minimize, 0) }
    }
}

impl Solution {
    /// The sets, in ascending order: exactly as many as were asked for.
    #[must_use]
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// What the elements cost that these sets break.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.certificate.objective()
    }

    /// The cost, and a lower bound on the cost of any other choice of as many sets.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.certificate = Certificate::optimal(Sense::Minimize, 0);
    }
}
