//! What each number of sets costs.

use alloc::vec::Vec;

use super::solver::certificate;
use crate::certificate::Certificate;

/// What each number of sets costs, from none to all, and an order of the sets whose beginnings are the choices.
///
/// As the price a set grows, the cheapest choices at that price grow and lose no set. So one order of the sets holds them
/// all: at each [end](Self::ends) the beginning of that length is the cheapest choice of its size for the relaxation,
/// which is the true cost where no element has a tolerance. Between two ends the bound is the line from one to the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    pub(super) order: Vec<u32>,
    /// By number of sets, from 0: the cost of the beginning of that length, and a lower bound for that number.
    pub(super) costs: Vec<u64>,
    pub(super) bounds: Vec<u64>,
    pub(super) ends: Vec<usize>,
}

impl Curve {
    /// The choice of `count` sets, or `None` where there are fewer. In the order in which they are added.
    #[must_use]
    pub fn sets(&self, count: usize) -> Option<&[u32]> {
        self.order.get(..count)
    }

    /// The cost of the choice of `count` sets, with a lower bound on any other choice of as many; `None` where there are
    /// fewer sets.
    #[must_use]
    pub fn certificate(&self, count: usize) -> Option<Certificate> {
        let (&cost, &bound) = (self.costs.get(count)?, self.bounds.get(count)?);
        Some(certificate(cost, bound.min(cost)))
    }

    /// The numbers of sets at which the slope of the lower bound changes, ascending; the last is the number of all sets.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    pub(super) fn clear(&mut self) {
        self.order.clear();
        self.costs.clear();
        self.bounds.clear();
        self.ends.clear();
    }
}
