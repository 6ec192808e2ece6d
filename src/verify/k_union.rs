//! The answer to a cheapest union, added up again.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::Violation;
use crate::certificate::Sense;
use crate::k_union::{Instance, Solution};

/// A rule that the answer to a cheapest union breaks. Sets and elements are numbered from 0.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solution};
/// use aryl::verify;
///
/// let mut instance = Instance::new();
/// instance.add_set([])?;
/// let violation = verify::k_union(&instance, 1, &Solution::default()).unwrap_err();
/// assert_eq!(violation.to_string(), "the sets chosen weigh 0, and 1 are asked for");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnionViolation {
    /// The instance has no such set.
    #[error("set {set} is chosen, and the instance has {sets} sets")]
    NoSuchSet {
        /// The set chosen.
        set: u32,
        /// Sets of the instance.
        sets: usize,
    },
    /// The sets are not in ascending order, or one is there twice.
    #[error("set {after} comes after set {before}")]
    Order {
        /// The set before.
        before: u32,
        /// The set after it.
        after: u32,
    },
    /// The sets weigh too little.
    #[error("the sets chosen weigh {weight}, and {needed} are asked for")]
    TooLight {
        /// The sum over the sets chosen.
        weight: u64,
        /// What is asked for.
        needed: u64,
    },
    /// A set could be left out.
    #[error("without set {set} the sets chosen still weigh {weight}, and {needed} are asked for")]
    Superfluous {
        /// The set that is not needed.
        set: u32,
        /// What the others weigh.
        weight: u64,
        /// What is asked for.
        needed: u64,
    },
    /// The cost is added up wrongly.
    #[error("the cost is stated as {stated}, and the sets chosen cost {expected}")]
    Cost {
        /// The cost in the answer.
        stated: u64,
        /// The sum over the elements that the sets break.
        expected: u64,
    },
    /// The certificate is not about a cost.
    #[error("the certificate is about a maximum")]
    Sense,
    /// The bound is above the cost of another choice.
    #[error("the bound is {bound}, and sets that weigh as much can be had for {cost}")]
    Bound {
        /// The bound in the answer.
        bound: u64,
        /// The cost of a choice.
        cost: u64,
    },
}

/// Checks the answer to a cheapest union.
///
/// It proves that the sets are there, ascending, weigh enough, and none of them is superfluous; that the cost is the sum
/// over the elements that lose more than they tolerate; and that the bound is above neither the cost nor that of the
/// cheapest sets taken one by one. That the bound holds for *every* other choice is the solver's proof, and is not
/// repeated here.
///
/// # Errors
///
/// [`Violation::Union`] with the first rule that is broken.
///
/// # Complexity
///
/// O(m log m) time and O(m) memory, for m members of all sets.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solution, Solver};
/// use aryl::verify::{self, UnionViolation, Violation};
///
/// let mut instance = Instance::new();
/// let job = instance.add_element(3)?;
/// instance.add_set([job])?;
/// assert_eq!(verify::k_union(&instance, 1, &Solver::new().solve(&instance, 1)?), Ok(()));
/// assert_eq!(
///     verify::k_union(&instance, 1, &Solution::default()),
///     Err(Violation::Union(UnionViolation::TooLight { weight: 0, needed: 1 }))
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn k_union(instance: &Instance, needed: u64, answer: &Solution) -> Result<(), Violation> {
    let weigh = |set: u32| instance.set_weight(set).unwrap_or(0);
    for &set in answer.sets() {
        if set as usize >= instance.sets() {
            return Err(UnionViolation::NoSuchSet { set, sets: instance.sets() }.into());
        }
    }
    if let Some(pair) = answer.sets().windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(UnionViolation::Order { before: pair[0], after: pair[1] }.into());
    }
    let weight: u64 = answer.sets().iter().map(|&set| weigh(set)).sum();
    if weight < needed {
        return Err(UnionViolation::TooLight { weight, needed }.into());
    }
    if let Some(&set) = answer.sets().iter().find(|&&set| weight - weigh(set) >= needed) {
        return Err(UnionViolation::Superfluous { set, weight: weight - weigh(set), needed }.into());
    }
    let certificate = answer.certificate();
    if certificate.sense() != Sense::Minimize {
        return Err(UnionViolation::Sense.into());
    }
    let (stated, expected) = (certificate.objective(), cost(instance, answer.sets()));
    if stated != expected {
        return Err(UnionViolation::Cost { stated, expected }.into());
    }
    let other = cost(instance, &cheapest(instance, needed)).min(expected);
    if certificate.bound() > other {
        return Err(UnionViolation::Bound { bound: certificate.bound(), cost: other }.into());
    }
    Ok(())
}

/// What these sets cost.
fn cost(instance: &Instance, sets: &[u32]) -> u64 {
    // For each element, what it loses in all; a loss that breaks is more than any tolerance.
    let mut lost: BTreeMap<u32, u128> = BTreeMap::new();
    for &set in sets {
        for (element, loss) in instance.set(set) {
            *lost.entry(element).or_default() += loss.map_or(1 << 100, u128::from);
        }
    }
    let broken =
        |&(&element, &loss): &(&u32, &u128)| loss > u128::from(instance.tolerance(element).unwrap_or(0));
    lost.iter().filter(broken).filter_map(|(&element, _)| instance.cost(element)).sum()
}

/// Sets that weigh enough: those whose elements cost least a unit of weight first, each set by itself.
fn cheapest(instance: &Instance, needed: u64) -> Vec<u32> {
    let price = |set: u32| -> u128 {
        instance.set(set).filter_map(|(element, _)| instance.cost(element)).map(u128::from).sum()
    };
    let weight = |set: u32| u128::from(instance.set_weight(set).unwrap_or(1));
    let mut ranked: Vec<(u128, u32)> =
        (0..instance.sets() as u32).map(|set| (price(set) * 1_024 / weight(set), set)).collect();
    ranked.sort_unstable();
    let mut left = u128::from(needed);
    let is_needed = |&(_, set): &(u128, u32)| {
        let needed = left > 0;
        left = left.saturating_sub(weight(set));
        needed
    };
    ranked.into_iter().take_while(is_needed).map(|(_, set)| set).collect()
}
