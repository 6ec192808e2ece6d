//! The answer: the sets chosen, what they cost, and how good that is known to be.

use alloc::vec::Vec;

use crate::certificate::{Certificate, Sense};

/// The sets that were chosen, and what they cost.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solver};
///
/// let mut instance = Instance::new();
/// let jobs = [3, 1, 2].map(|cost| instance.add_element(cost).unwrap());
/// for job in jobs {
///     instance.add_set([job])?;
/// }
/// let chosen = Solver::new().solve(&instance, 2)?;
/// assert_eq!((chosen.sets(), chosen.cost()), (&[1, 2][..], 3));
/// assert!(chosen.certificate().is_optimal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The sets, in ascending order: exactly as many as were asked for, where each weighs 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let jobs = [3, 1, 2].map(|cost| instance.add_element(cost).unwrap());
    /// for job in jobs {
    ///     instance.add_set([job])?;
    /// }
    /// assert_eq!(Solver::new().solve(&instance, 2)?.sets(), [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// What the elements cost that these sets break.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let shared = instance.add_element(5)?;
    /// instance.add_set([shared])?;
    /// instance.add_set([shared])?;
    /// // Both sets hold the element, and it is paid for once.
    /// assert_eq!(Solver::new().solve(&instance, 2)?.cost(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.certificate.objective()
    }

    /// The cost, and a lower bound on the cost of any other choice that is large enough.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// // Three sets, each two of which share an element.
    /// let mut instance = Instance::new();
    /// let [a, b, c] = [(); 3].map(|()| instance.add_element(9).unwrap());
    /// for set in [[a, b], [a, c], [b, c]] {
    ///     instance.add_set(set)?;
    /// }
    /// // Any one costs 18. Without branching only 9 is proven.
    /// let quick = Solver::new().with_node_budget(1).solve(&instance, 1)?;
    /// assert_eq!(quick.certificate().to_string(), "18, at least 9");
    /// assert_eq!(Solver::new().solve(&instance, 1)?.certificate().to_string(), "18, proven optimal");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.certificate = Certificate::optimal(Sense::Minimize, 0);
    }
}
