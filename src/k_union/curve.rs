//! What each number of sets costs.

use alloc::vec::Vec;

use super::solver::certificate;
use crate::certificate::Certificate;

/// What each number of sets costs, from none to all, and an order of the sets whose beginnings are the choices.
///
/// As the price a set grows, the cheapest choices at that price grow and lose no set. So one order of the sets holds them
/// all: at each [end](Self::ends) the beginning of that length is the cheapest choice of its size for the relaxation,
/// which is the true cost where no element has a tolerance. Between two ends the bound is the line from one to the other.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solver};
///
/// let mut instance = Instance::new();
/// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
/// for set in [alone, shared, shared] {
///     instance.add_set([set])?;
/// }
/// let curve = Solver::new().curve(&instance);
/// let bounds: Vec<u64> = (0..=3).map(|count| curve.certificate(count).unwrap().bound()).collect();
/// assert_eq!(bounds, [0, 3, 5, 9]); // 2.5 a set up to the second, rounded up
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
    /// for set in [alone, shared, shared] {
    ///     instance.add_set([set])?;
    /// }
    /// let curve = Solver::new().curve(&instance);
    /// // Two sets for 5 are cheaper by the set than one for 4, so they come first.
    /// assert_eq!(curve.sets(3), Some(&[1, 2, 0][..]));
    /// assert_eq!(curve.sets(4), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sets(&self, count: usize) -> Option<&[u32]> {
        self.order.get(..count)
    }

    /// The cost of the choice of `count` sets, with a lower bound on any other choice of as many; `None` where there are
    /// fewer sets. Where sets have weights, the bound is on any other choice that weighs as much or more.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
    /// for set in [alone, shared, shared] {
    ///     instance.add_set([set])?;
    /// }
    /// let curve = Solver::new().curve(&instance);
    /// // The beginning of length 1 costs 5. The true cost of one set, 4, lies between the two.
    /// assert_eq!(curve.certificate(1).unwrap().to_string(), "5, at least 3");
    /// assert_eq!(curve.certificate(2).unwrap().to_string(), "5, proven optimal");
    /// assert_eq!(curve.certificate(4), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self, count: usize) -> Option<Certificate> {
        let (&cost, &bound) = (self.costs.get(count)?, self.bounds.get(count)?);
        Some(certificate(cost, bound.min(cost)))
    }

    /// The numbers of sets at which the slope of the lower bound changes, ascending; the last is the number of all sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let (shared, alone) = (instance.add_element(5)?, instance.add_element(4)?);
    /// for set in [alone, shared, shared] {
    ///     instance.add_set([set])?;
    /// }
    /// // 2.5 a set up to the second, 4 for the third.
    /// assert_eq!(Solver::new().curve(&instance).ends(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
