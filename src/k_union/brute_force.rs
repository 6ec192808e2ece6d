//! Every choice, one after another: the definition of the problem, as code.

use alloc::vec::Vec;

use super::error::SolveError;
use super::instance::Instance;
use super::solution::Solution;
use super::state::State;
use crate::certificate::{Certificate, Sense};

/// Chooses `need` sets by trying every choice, except those that cost too much already. Where sets have weights: sets
/// that weigh `need` or more together, and none of which could be left out.
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
/// [`SolveError::NotEnoughSets`] where the instance has fewer than `need` sets, or all its sets weigh less.
///
/// # Complexity
///
/// O(choices · members) time, O(members) memory.
///
/// # Determinism
///
/// Of the cheapest choices, the one whose ascending sets come first in the order of words.
pub fn brute_force(instance: &Instance, need: u64) -> Result<Solution, SolveError> {
    let available = instance.weight();
    if need > available {
        return Err(SolveError::NotEnoughSets { asked: need, available });
    }
    let mut state = State::default();
    state.reset(instance);
    // The sets taken, each with the point before it was.
    let mut taken: Vec<(u32, usize)> = Vec::new();
    let mut best: Option<(u64, Vec<u32>)> = None;
    // What the sets from `next` on weigh.
    let (mut next, mut left) = (0, available);
    loop {
        let is_better = best.as_ref().is_none_or(|(cost, _)| state.cost() < *cost);
        let is_enough = state.taken() >= need;
        // A set that costs nothing more may still be one too many.
        let weigh = |&(set, _): &(u32, usize)| instance.weight_of(set);
        let lightest = taken.iter().map(weigh).min().unwrap_or(0);
        let is_minimal = need == 0 || state.taken() < need + lightest;
        if is_enough && is_better && is_minimal {
            best = Some((state.cost(), taken.iter().map(|&(set, _)| set).collect()));
        }
        // After the last set nothing is left, so it is enough or will not be.
        if is_better && !is_enough && state.taken() + left >= need {
            taken.push((next, state.point()));
            state.take(instance, next);
            left -= instance.weight_of(next);
            next += 1;
            continue;
        }
        let Some((set, point)) = taken.pop() else { break };
        state.undo(instance, point);
        left += (set + 1..next).map(|set| instance.weight_of(set)).sum::<u64>();
        next = set + 1;
    }
    let (cost, sets) = best.unwrap_or_default();
    Ok(Solution { sets, certificate: Certificate::optimal(Sense::Minimize, cost) })
}
