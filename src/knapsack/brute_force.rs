//! Every combination, for tests and for those who do not trust the rest.

use alloc::vec::Vec;

use super::error::SolveError;
use super::instance::Instance;
use super::solution::{Method, NONE, Solution};

/// The largest number of combinations that [`brute_force`] takes.
pub const COMBINATION_LIMIT: u64 = 1 << 22;

/// Solves a small instance exactly by trying every combination.
///
/// It shares no idea with the other solvers, which is its use: they are tested against it.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, brute_force};
///
/// let mut instance = Instance::new(5);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8), Item::new(2, 1)])?;
/// assert_eq!(brute_force(&instance)?.value(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SolveError::Infeasible`] where the mandatory classes do not fit; [`SolveError::TooManyCombinations`] where there
/// are more than [`COMBINATION_LIMIT`].
///
/// # Complexity
///
/// The product over the classes of the number of their choices.
///
/// # Determinism
///
/// Of equally good combinations the first in counting order, in which the first class changes fastest and "no item"
/// (the lightest item, where the class is mandatory) comes before the others.
pub fn brute_force(instance: &Instance) -> Result<Solution, SolveError> {
    let Some(capacity) = instance.relative_capacity() else {
        return Err(SolveError::infeasible(instance));
    };
    let mut combinations: u64 = 1;
    for class in 0..instance.class_count() {
        combinations = combinations.saturating_mul(instance.class_length(class) as u64 + 1);
        if combinations > COMBINATION_LIMIT {
            return Err(SolveError::TooManyCombinations { combinations, limit: COMBINATION_LIMIT });
        }
    }
    let classes: Vec<Vec<(u32, f64)>> =
        (0..instance.class_count()).map(|class| instance.relative_items(class).collect()).collect();
    let mut counter: Vec<usize> = classes.iter().map(|_| 0).collect();
    let mut best: (f64, Vec<usize>) = (0.0, counter.clone());
    loop {
        let (mut weight, mut value) = (0, 0.0);
        for (&digit, items) in counter.iter().zip(&classes) {
            if digit > 0 {
                weight += u64::from(items[digit - 1].0);
                value += items[digit - 1].1;
            }
        }
        if weight <= capacity && value > best.0 {
            best = (value, counter.clone());
        }
        // The first digit that is not at its end goes up; those before it start again.
        let Some(at) = counter.iter().zip(&classes).position(|(&digit, items)| digit < items.len()) else {
            break;
        };
        counter[at] += 1;
        counter[..at].fill(0);
    }
    let mut solution = Solution::default();
    solution.start(instance);
    for (choice, &digit) in solution.choices.iter_mut().zip(&best.1) {
        *choice = if digit == 0 { NONE } else { digit as u32 - 1 };
    }
    solution.finish(instance, None, Method::BruteForce);
    Ok(solution)
}
