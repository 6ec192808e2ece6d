//! The problem: elements with costs, and sets of them.

use alloc::vec::Vec;

use super::error::InstanceError;
use crate::units::Speed;

/// No part has this number: the element counts its loss in one plain sum.
pub(super) const NO_PART: u32 = u32::MAX;

/// The loss that no element survives.
pub(super) const BREAKING: u64 = u64::MAX;

/// The most elements, sets or members that an instance holds.
const LIMIT: usize = u32::MAX as usize - 1;

/// The most that all sets may weigh together.
const LIMIT_OF_WEIGHTS: u64 = u32::MAX as u64;

/// An element of a set, and what the element loses when the set is chosen.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Member};
///
/// let mut instance = Instance::new();
/// let elastic = instance.add_tolerant_element(7, 2)?;
/// instance.add_set_of([Member::losing(elastic, 2)])?;
/// instance.add_set_of([Member::breaking(elastic)])?;
/// assert_eq!((instance.cost_of(&[0]), instance.cost_of(&[1])), (Some(0), Some(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub(super) element: u32,
    pub(super) part: u32,
    pub(super) loss: u64,
}

impl Member {
    /// An element that loses this much when the set is chosen.
    ///
    /// It is paid for where its losses over all chosen sets add up to more than its tolerance.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member};
    ///
    /// let mut instance = Instance::new();
    /// let elastic = instance.add_tolerant_element(7, 3)?; // costs 7, where it loses more than 3
    /// for loss in [2, 1, 1] {
    ///     instance.add_set_of([Member::losing(elastic, loss)])?;
    /// }
    /// assert_eq!(instance.cost_of(&[0, 1]), Some(0)); // 3 lost: as much as it tolerates
    /// assert_eq!(instance.cost_of(&[0, 1, 2]), Some(7)); // 4 lost
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn losing(element: u32, loss: u64) -> Self {
        Self { element, part: NO_PART, loss }
    }

    /// An element that is paid for where this set is chosen, whatever its tolerance.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member};
    ///
    /// let mut instance = Instance::new();
    /// let elastic = instance.add_tolerant_element(7, 1_000)?;
    /// instance.add_set_of([Member::losing(elastic, 1_000)])?;
    /// instance.add_set_of([Member::breaking(elastic)])?;
    /// assert_eq!((instance.cost_of(&[0]), instance.cost_of(&[1])), (Some(0), Some(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn breaking(element: u32) -> Self {
        Self::losing(element, BREAKING)
    }

    /// An element that loses this much of one of its parts.
    pub(crate) const fn of_part(element: u32, part: u32, loss: u64) -> Self {
        Self { element, part, loss }
    }
}

/// One of several amounts that an element holds, each worth the whole part of amount × speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) amount: u64,
    pub(super) speed: Speed,
}

/// Elements with costs, and sets of elements: choose some sets so that the elements they hold cost least.
///
/// An element that no set holds costs nothing; one that several chosen sets hold is paid for once. An element may have
/// a *tolerance*: then each set takes something from it, and it is paid for only where more is taken than it tolerates.
///
/// # Examples
///
/// The servers of Figure 5 in the Aryl paper, and the four jobs on them:
///
/// ```
/// use aryl::k_union::{Instance, Solver};
///
/// let mut instance = Instance::new();
/// let [a, b, c, d] = [(); 4].map(|()| instance.add_element(1).unwrap());
/// for jobs in [&[a][..], &[a], &[b], &[c], &[c, d], &[d]] {
///     instance.add_set(jobs.iter().copied())?;
/// }
/// let chosen = Solver::default().solve(&instance, 2)?;
/// assert_eq!(chosen.sets(), [0, 1]);
/// assert_eq!(chosen.cost(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Instance {
    pub(super) costs: Vec<u64>,
    /// By element: what it can lose and still not be paid for.
    pub(super) tolerances: Vec<u64>,
    pub(super) parts: Vec<Part>,
    /// The members of set `s` are `members[set_start[s]..set_start[s + 1]]`, in ascending order of elements.
    set_start: Vec<u32>,
    members: Vec<Member>,
    weights: Vec<u32>,
    cost_sum: u64,
    weight_sum: u64,
}

impl Instance {
    /// An instance without elements and sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let instance = Instance::new();
    /// assert_eq!((instance.elements(), instance.sets()), (0, 0));
    /// assert_eq!(Solver::new().solve(&instance, 0)?.cost(), 0); // no set of none: possible, and free
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all elements and sets, and keeps the memory.
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// let element = instance.add_element(u64::MAX)?;
    /// instance.add_set([element])?;
    /// instance.clear();
    /// assert_eq!((instance.elements(), instance.sets()), (0, 0));
    /// assert_eq!(instance.add_element(u64::MAX), Ok(0)); // numbers and sums begin again
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.costs.clear();
        self.tolerances.clear();
        self.parts.clear();
        self.set_start.clear();
        self.members.clear();
        self.weights.clear();
        (self.cost_sum, self.weight_sum) = (0, 0);
    }

    /// Adds an element that is paid for where any chosen set holds it, and returns its number: 0, 1, 2 and so on.
    ///
    /// # Errors
    ///
    /// [`InstanceError::CostSumTooLarge`] where all costs together exceed a `u64`; [`InstanceError::TooMany`].
    ///
    /// # Complexity
    ///
    /// O(1) amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, InstanceError};
    ///
    /// let mut instance = Instance::new();
    /// assert_eq!(instance.add_element(5), Ok(0));
    /// assert_eq!(instance.add_element(0), Ok(1)); // an element may cost nothing
    /// // 5 are spent: one more than fits is refused, and what fits is not.
    /// let refused = InstanceError::CostSumTooLarge { element: 2, cost: u64::MAX - 4 };
    /// assert_eq!(instance.add_element(u64::MAX - 4), Err(refused));
    /// assert_eq!(instance.add_element(u64::MAX - 5), Ok(2));
    /// ```
    pub fn add_element(&mut self, cost: u64) -> Result<u32, InstanceError> {
        self.add_tolerant_element(cost, 0)
    }

    /// Adds an element that can lose as much as `tolerance` before it is paid for.
    ///
    /// # Examples
    ///
    /// Either of two sets alone costs nothing; both together take too much from the element.
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let job = instance.add_tolerant_element(7, 2)?;
    /// instance.add_set_of([Member::losing(job, 2)])?;
    /// instance.add_set_of([Member::losing(job, 1)])?;
    /// assert_eq!(Solver::default().solve(&instance, 1)?.cost(), 0);
    /// assert_eq!(Solver::default().solve(&instance, 2)?.cost(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add_element`](Self::add_element).
    ///
    /// # Complexity
    ///
    /// O(1) amortized.
    pub fn add_tolerant_element(&mut self, cost: u64, tolerance: u64) -> Result<u32, InstanceError> {
        let element = self.costs.len();
        if element >= LIMIT {
            return Err(InstanceError::TooMany { what: "elements", limit: LIMIT });
        }
        let sum = self.cost_sum.checked_add(cost);
        self.cost_sum = sum.ok_or(InstanceError::CostSumTooLarge { element, cost })?;
        self.costs.push(cost);
        // A tolerance of 2^64 - 1 would tolerate even a loss that breaks.
        self.tolerances.push(tolerance.min(BREAKING - 1));
        Ok(element as u32)
    }

    /// Adds a part of an element; parts are numbered 0, 1, 2 and so on. The tolerance of an element with parts is the sum of what its
    /// parts are worth, less what must remain.
    pub(crate) fn add_part(&mut self, amount: u64, speed: Speed) {
        self.parts.push(Part { amount, speed });
    }

    /// Adds a set of these elements, in ascending order, and returns its number: 0, 1, 2 and so on.
    ///
    /// # Errors
    ///
    /// [`InstanceError::UnknownElement`], [`InstanceError::ElementOrder`], [`InstanceError::TooMany`].
    ///
    /// # Complexity
    ///
    /// O(members), amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, InstanceError};
    ///
    /// let mut instance = Instance::new();
    /// let (first, second) = (instance.add_element(5)?, instance.add_element(3)?);
    /// assert_eq!(instance.add_set([first, second])?, 0);
    /// assert_eq!(instance.add_set([])?, 1); // an idle server: it costs nothing
    /// assert_eq!((instance.cost_of(&[0]), instance.cost_of(&[1])), (Some(8), Some(0)));
    /// let refused = InstanceError::ElementOrder { set: 2, before: second, element: first };
    /// assert_eq!(instance.add_set([second, first]), Err(refused));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_set(&mut self, elements: impl IntoIterator<Item = u32>) -> Result<u32, InstanceError> {
        self.add_set_of(elements.into_iter().map(Member::breaking))
    }

    /// Adds a set of these members, in ascending order of elements, and returns its number.
    ///
    /// # Errors
    ///
    /// As [`add_set`](Self::add_set).
    ///
    /// # Complexity
    ///
    /// O(members), amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member};
    ///
    /// let mut instance = Instance::new();
    /// let (rigid, elastic) = (instance.add_element(4)?, instance.add_tolerant_element(1, 2)?);
    /// let first = instance.add_set_of([Member::breaking(rigid), Member::losing(elastic, 2)])?;
    /// let second = instance.add_set_of([Member::losing(elastic, 1)])?;
    /// assert_eq!(instance.cost_of(&[first]), Some(4)); // the elastic element bears it
    /// assert_eq!(instance.cost_of(&[first, second]), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_set_of(&mut self, members: impl IntoIterator<Item = Member>) -> Result<u32, InstanceError> {
        self.add_weighted_set(1, members)
    }

    /// Adds a set that counts for `weight` sets, and returns its number.
    ///
    /// With weights the problem is to choose sets of at least a given weight.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member, Solver};
    ///
    /// let mut instance = Instance::new();
    /// let jobs = [4, 5, 2].map(|cost| instance.add_element(cost).unwrap());
    /// for (job, weight) in jobs.into_iter().zip([8, 8, 4]) {
    ///     instance.add_weighted_set(weight, [Member::breaking(job)])?;
    /// }
    /// assert_eq!(Solver::default().solve(&instance, 8)?.sets(), [0]);
    /// assert_eq!(Solver::default().solve(&instance, 9)?.sets(), [0, 2]);
    /// assert_eq!(Solver::default().solve(&instance, 13)?.sets(), [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add_set`](Self::add_set); [`InstanceError::ZeroWeight`], [`InstanceError::WeightSumTooLarge`].
    ///
    /// # Complexity
    ///
    /// O(members), amortized.
    pub fn add_weighted_set(
        &mut self,
        weight: u32,
        members: impl IntoIterator<Item = Member>,
    ) -> Result<u32, InstanceError> {
        let (set, first) = (self.sets(), self.members.len());
        if weight == 0 {
            return Err(InstanceError::ZeroWeight { set });
        }
        let weight_sum = self.weight_sum + u64::from(weight);
        if weight_sum > LIMIT_OF_WEIGHTS {
            return Err(InstanceError::WeightSumTooLarge { set, weight, limit: LIMIT_OF_WEIGHTS });
        }
        self.members.extend(members);
        let checked = self.check_last_set(set, first);
        if let Err(error) = checked {
            self.members.truncate(first);
            return Err(error);
        }
        if self.set_start.is_empty() {
            self.set_start.push(0);
        }
        self.set_start.push(self.members.len() as u32);
        self.weights.push(weight);
        self.weight_sum = weight_sum;
        Ok(set as u32)
    }

    fn check_last_set(&self, set: usize, first: usize) -> Result<(), InstanceError> {
        if set >= LIMIT {
            return Err(InstanceError::TooMany { what: "sets", limit: LIMIT });
        }
        if self.members.len() > LIMIT {
            return Err(InstanceError::TooMany { what: "members", limit: LIMIT });
        }
        let members = &self.members[first..];
        let elements = self.costs.len();
        if let Some(unknown) = members.iter().find(|member| member.element as usize >= elements) {
            return Err(InstanceError::UnknownElement { set, element: unknown.element, elements });
        }
        match members.windows(2).find(|pair| pair[0].element >= pair[1].element) {
            None => Ok(()),
            Some(pair) => {
                let (before, element) = (pair[0].element, pair[1].element);
                Err(InstanceError::ElementOrder { set, before, element })
            }
        }
    }

    /// The number of sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// instance.add_set([])?;
    /// assert!(instance.add_set([7]).is_err()); // no element 7: nothing is added
    /// assert_eq!(instance.sets(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sets(&self) -> usize {
        self.set_start.len().saturating_sub(1)
    }

    /// The number of members of all sets together.
    pub(super) fn member_count(&self) -> usize {
        self.members.len()
    }

    /// What all sets weigh together: the number of sets where each weighs 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Solver};
    ///
    /// let mut instance = Instance::new();
    /// instance.add_weighted_set(8, [])?;
    /// instance.add_weighted_set(4, [])?;
    /// assert_eq!((instance.sets(), instance.weight()), (2, 12));
    /// assert!(Solver::new().solve(&instance, 12).is_ok());
    /// assert!(Solver::new().solve(&instance, 13).is_err()); // more than there is
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn weight(&self) -> u64 {
        self.weight_sum
    }

    /// What a set weighs.
    pub(super) fn weight_of(&self, set: u32) -> u64 {
        self.weights[set as usize].into()
    }

    /// The number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// instance.add_element(5)?;
    /// instance.add_tolerant_element(5, 2)?;
    /// assert_eq!(instance.elements(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn elements(&self) -> usize {
        self.costs.len()
    }

    /// What an element costs, or `None` where there is no such element.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// let element = instance.add_element(5)?;
    /// assert_eq!((instance.cost(element), instance.cost(element + 1)), (Some(5), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cost(&self, element: u32) -> Option<u64> {
        self.costs.get(element as usize).copied()
    }

    /// What an element can lose before it is paid for, or `None` where there is no such element.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// let (rigid, elastic) = (instance.add_element(5)?, instance.add_tolerant_element(5, 2)?);
    /// assert_eq!((instance.tolerance(rigid), instance.tolerance(elastic)), (Some(0), Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tolerance(&self, element: u32) -> Option<u64> {
        self.tolerances.get(element as usize).copied()
    }

    /// The elements of a set, ascending, each with what it loses where the set is chosen, or `None` where it breaks whatever
    /// it tolerates. Nothing where there is no such set.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::{Instance, Member};
    ///
    /// let mut instance = Instance::new();
    /// let (rigid, elastic) = (instance.add_element(1)?, instance.add_tolerant_element(1, 3)?);
    /// let set = instance.add_set_of([Member::breaking(rigid), Member::losing(elastic, 2)])?;
    /// assert_eq!(instance.set(set).collect::<Vec<_>>(), [(rigid, None), (elastic, Some(2))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set(&self, set: u32) -> impl Iterator<Item = (u32, Option<u64>)> {
        let members = if (set as usize) < self.sets() { self.members(set) } else { &[] };
        members.iter().map(|member| (member.element, (member.loss != BREAKING).then_some(member.loss)))
    }

    /// What a set weighs, or `None` where there is no such set.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// let (plain, wide) = (instance.add_set([])?, instance.add_weighted_set(8, [])?);
    /// assert_eq!((instance.set_weight(plain), instance.set_weight(wide)), (Some(1), Some(8)));
    /// assert_eq!(instance.set_weight(2), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn set_weight(&self, set: u32) -> Option<u64> {
        self.weights.get(set as usize).map(|&weight| weight.into())
    }

    /// The members of a set.
    pub(super) fn members(&self, set: u32) -> &[Member] {
        let set = set as usize;
        &self.members[self.set_start[set] as usize..self.set_start[set + 1] as usize]
    }

    /// The total loss of a cut, where the numbers that it brings into the relaxation stay below 2^127. They are at most
    /// the sum of costs · units · total loss · weights.
    pub(super) fn fits_cut(&self, total: u128) -> Option<u64> {
        let bits = |number: u128| u128::BITS - number.leading_zeros();
        let unit = bits(super::cuts::UNIT);
        let all = bits(u128::from(self.cost_sum)) + unit + bits(total) + bits(u128::from(self.weight_sum));
        u64::try_from(total).ok().filter(|_| all < 127)
    }

    /// The cost of choosing these sets, or `None` where one is not there. A set named twice counts once.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::k_union::Instance;
    ///
    /// let mut instance = Instance::new();
    /// let (first, second) = (instance.add_element(5)?, instance.add_element(3)?);
    /// instance.add_set([first, second])?;
    /// instance.add_set([second])?;
    /// assert_eq!(instance.cost_of(&[1]), Some(3));
    /// assert_eq!(instance.cost_of(&[0, 1]), Some(8));
    /// assert_eq!(instance.cost_of(&[2]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(elements + members of the sets) time and memory, and a sort of the sets.
    #[must_use]
    pub fn cost_of(&self, sets: &[u32]) -> Option<u64> {
        let mut sets = Vec::from(sets);
        sets.sort_unstable();
        sets.dedup();
        if sets.last().is_some_and(|&last| last as usize >= self.sets()) {
            return None;
        }
        let mut state = super::state::State::default();
        state.reset(self);
        for &set in &sets {
            state.take(self, set);
        }
        Some(state.cost())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Bits: 30 of the cost, 21 of a unit, 44 of the loss and 32 of the weight are 127, one too many.
    #[test]
    fn a_cut_fits_below_2_to_the_127() {
        let mut instance = Instance::new();
        instance.add_element(1 << 29).unwrap();
        instance.add_weighted_set(u32::MAX, []).unwrap();
        assert_eq!(instance.fits_cut((1 << 43) - 1), Some((1 << 43) - 1));
        assert_eq!(instance.fits_cut(1 << 43), None);
        assert_eq!(Instance::new().fits_cut(u128::from(u64::MAX) + 1), None);
    }
}
