//! The greedy on the upper hulls, and the linear bound.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::error::SolveError;
use super::hull::{HullPoint, upper_hull};
use super::instance::Instance;
use super::solution::{Method, NONE, Solution};
use super::solver::Workspace;

/// One step along the hull of a class: from the item before to this one.
#[derive(Clone, Copy, Debug)]
struct Step {
    value: f64,
    weight: u32,
    class: u32,
    item: u32,
    previous: u32,
}

/// The steps of all hulls, and scratch for one hull; kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct GreedyBuffers {
    sorted: Vec<HullPoint>,
    hull: Vec<HullPoint>,
    steps: Vec<Step>,
}

impl GreedyBuffers {
    pub(super) fn memory_usage(&self) -> usize {
        (self.sorted.capacity() + self.hull.capacity()) * size_of::<HullPoint>()
            + self.steps.capacity() * size_of::<Step>()
    }
}

/// Steepest first; equally steep ones by class, and within a class along the hull.
fn by_steepness(left: &Step, right: &Step) -> Ordering {
    let left_product = (left.value as u64 as u128) * u128::from(right.weight);
    let right_product = (right.value as u64 as u128) * u128::from(left.weight);
    // A step of weight 0 is steeper than any other, also than another class's, which the products don't tell.
    let free = (right.weight == 0).cmp(&(left.weight == 0));
    free.then(right_product.cmp(&left_product)).then(left.class.cmp(&right.class))
}

/// Solves an instance by the greedy: a good answer quickly, with a bound on the best.
///
/// The items of each class that can be best at some price of a unit of weight form its upper hull. The greedy takes the
/// steps along the hulls in order of value per weight. The first step that no longer fits, taken in part, gives the
/// linear bound: no choice is worth more. The greedy goes on past it with the steps that still fit.
///
/// The answer lies below the bound by less than the value of one step.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, greedy};
///
/// let mut instance = Instance::new(5);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8), Item::new(2, 1)])?;
/// let solution = greedy(&instance)?;
/// assert_eq!(solution.value(), 9);                       // the best is 10: the step of weight 4 hides the item of 2
/// assert_eq!(solution.certificate().bound(), 13);        // 9 + 2 units at 8 / 4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SolveError::Infeasible`] where the mandatory classes do not fit.
///
/// # Complexity
///
/// With `m` items: O(`m` log `m`) time, O(`m`) memory.
///
/// # Determinism
///
/// Of equally steep steps the one of the lowest class is first; of equal items the first-listed is kept.
///
/// Source: Sinha and Zoltners, *The Multiple-Choice Knapsack Problem*, Operations Research 27 (1979).
pub fn greedy(instance: &Instance) -> Result<Solution, SolveError> {
    let mut solution = Solution::default();
    greedy_into(instance, &mut Workspace::default(), &mut solution)?;
    Ok(solution)
}

/// As [`greedy`], with the caller's memory: it does not allocate once the workspace and the solution have grown to the
/// size of the instance.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solution, Workspace, greedy_into};
///
/// let mut instance = Instance::new(0);
/// for _ in 0..3 {
///     instance.push_class(ClassKind::AtMostOne, [Item::new(2, 30), Item::new(3, 36)])?;
/// }
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// let mut bounds = Vec::new();
/// for capacity in [3, 5, 7] {
///     instance.set_capacity(capacity);
///     greedy_into(&instance, &mut workspace, &mut solution)?;
///     bounds.push((solution.value(), solution.certificate().bound()));
/// }
/// assert_eq!(bounds, [(36, 45), (66, 75), (96, 96)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`greedy`]; the solution is then unchanged.
///
/// # Complexity
///
/// As [`greedy`].
///
/// # Determinism
///
/// As [`greedy`]; what the workspace was used for before does not matter.
pub fn greedy_into(
    instance: &Instance,
    workspace: &mut Workspace,
    solution: &mut Solution,
) -> Result<(), SolveError> {
    let Some(capacity) = instance.relative_capacity() else {
        return Err(SolveError::infeasible(instance));
    };
    solution.start(instance);
    let GreedyBuffers { sorted, hull, steps } = &mut workspace.greedy;
    steps.clear();
    for class in 0..instance.class_count() {
        upper_hull(instance.relative_items(class), capacity, sorted, hull);
        let mut before = HullPoint { weight: 0, item: NONE, value: 0.0 };
        for &point in hull.iter() {
            steps.push(Step {
                value: point.value - before.value,
                weight: point.weight - before.weight,
                class: class as u32,
                item: point.item,
                previous: before.item,
            });
            before = point;
        }
    }
    // Steps of one class are never equally steep, so that the order is total and an unstable sort is deterministic.
    steps.sort_unstable_by(by_steepness);

    let mut left = capacity;
    let mut value = 0.0;
    let mut bound = None;
    for step in steps.iter() {
        let choice = &mut solution.choices[step.class as usize];
        if u64::from(step.weight) <= left {
            if *choice == step.previous {
                *choice = step.item;
                left -= u64::from(step.weight);
                value += step.value;
            }
        } else if bound.is_none() {
            let part = (step.value as u64 as u128) * u128::from(left) / u128::from(step.weight);
            bound = Some(value as u64 + part as u64);
        }
    }
    solution.finish(instance, bound, Method::Greedy);
    Ok(())
}
