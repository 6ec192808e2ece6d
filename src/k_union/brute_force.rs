//! Every choice, one after another: the definition of the problem, as code.

use alloc::vec::Vec;

use super::error::SolveError;
use super::instance::Instance;
use super::solution::Solution;
use super::state::State;
use crate::certificate::{Certificate, Sense};

/// Chooses `count` sets by trying every choice, except those that cost too much already.
///
/// For tests and small instances: of 20 sets there are up to 184,756 choices, of 30 more than 100 million.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, brute_force};
///
/// let mut instance = Instance::new();
/// let (first, second) = (instance.add_element(3)?, instance.add_element(2)?);
/// for elements in [&[first][..], &[second], &[first, second]] {
///     instance.add_set(elements.iter().copied())?;
/// }
/// assert_eq!(brute_force(&instance, 2)?.sets(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SolveError::NotEnoughSets`] where the instance has fewer than `count` sets.
///
/// # Complexity
///
/// O(choices · members) time, O(members) memory.
///
/// # Determinism
///
/// Of the cheapest choices, the one whose ascending sets come first in the order of words.
pub fn brute_force(instance: &Instance, count: usize) -> Result<Solution, SolveError> {
    let sets = instance.sets();
    if count > sets {
        return Err(SolveError::NotEnoughSets { asked: count, sets });
    }
    let mut state = State::default();
    state.reset(instance);
    // The sets taken, each with the point before it was.
    let mut taken: Vec<(u32, usize)> = Vec::new();
    let mut best: Option<(u64, Vec<u32>)> = None;
    let mut next = 0;
    loop {
        let is_better = best.as_ref().is_none_or(|(cost, _)| state.cost() < *cost);
        if taken.len() == count && is_better {
            best = Some((state.cost(), taken.iter().map(|&(set, _)| set).collect()));
        }
        let left = sets - next as usize;
        if is_better && taken.len() < count && left >= count - taken.len() {
            taken.push((next, state.point()));
            state.take(instance, next);
            next += 1;
            continue;
        }
        let Some((set, point)) = taken.pop() else { break };
        state.undo(instance, point);
        next = set + 1;
    }
    let (cost, sets) = best.unwrap_or_default();
    Ok(Solution { sets, certificate: Certificate::optimal(Sense::Minimize, cost) })
}
