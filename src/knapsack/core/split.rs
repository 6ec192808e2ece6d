//! The split: the steepest steps that fit, found by partition and not by sorting.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::between::Step;
use super::relaxation::Totals;

/// The answer of the linear relaxation, with the step that is taken in part left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    /// Weight and value of the choices, relative to the bases.
    pub(super) weight: u64,
    pub(super) value: f64,
    /// The step that no longer fits; its value per weight is the price at which demand meets capacity.
    pub(super) step: Step,
}

/// Steepest first; equally steep ones by class. The quotients are rounded, which keeps their order but may make two of
/// them equal; then the exact products decide.
fn by_steepness(steps: &[Step], left: &(f64, u32), right: &(f64, u32)) -> Ordering {
    right.0.total_cmp(&left.0).then_with(|| {
        let (left, right) = (&steps[left.1 as usize], &steps[right.1 as usize]);
        let left_product = (left.value as u64 as u128) * u128::from(right.weight);
        let right_product = (right.value as u64 as u128) * u128::from(left.weight);
        right_product.cmp(&left_product).then(left.class.cmp(&right.class)).then(left.item.cmp(&right.item))
    })
}

/// Takes the steepest steps that fit, and returns the first that does not; `None` where all of them fit.
pub(super) fn split(
    totals: Totals,
    capacity: u64,
    choices: &mut [u32],
    steps: &[Step],
    order: &mut Vec<(f64, u32)>,
) -> Option<Split> {
    order.clear();
    order.extend(steps.iter().enumerate().map(|(at, step)| (step.value / f64::from(step.weight), at as u32)));
    let mut left = capacity - totals.high_weight;
    let (mut start, mut end) = (0, order.len());
    // Everything before `start` is taken, everything from `end` on is not; `left` is what remains before `start`.
    while start < end {
        let middle = (end - start) / 2;
        order[start..end].select_nth_unstable_by(middle, |a, b| by_steepness(steps, a, b));
        let half = &order[start..=start + middle];
        let weight: u64 = half.iter().map(|&(_, at)| u64::from(steps[at as usize].weight)).sum();
        if weight <= left {
            left -= weight;
            start += middle + 1;
        } else {
            end = start + middle;
        }
    }
    let last = order.get(start).copied();
    let mut value = totals.high_value;
    for (at, step) in steps.iter().enumerate() {
        let key = (step.value / f64::from(step.weight), at as u32);
        if last.is_none_or(|last| by_steepness(steps, &key, &last) == Ordering::Less) {
            choices[step.class as usize] = step.item;
            value += step.value;
        }
    }
    last.map(|(_, at)| Split { weight: capacity - left, value, step: steps[at as usize] })
}
