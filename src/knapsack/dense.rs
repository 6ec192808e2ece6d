//! The textbook dynamic program over the capacity.

use alloc::vec::Vec;

use super::error::SolveError;
use super::instance::Instance;
use super::solution::{Method, NONE, Solution};
use super::solver::Workspace;

/// The two rows of values and the table of choices, kept between calls.
#[derive(Clone, Debug, Default)]
pub(super) struct DenseBuffers {
    before: Vec<f64>,
    after: Vec<f64>,
    narrow: Vec<u16>,
    wide: Vec<u32>,
}

impl DenseBuffers {
    pub(super) fn memory_usage(&self) -> usize {
        (self.before.capacity() + self.after.capacity()) * 8
            + self.narrow.capacity() * 2
            + self.wide.capacity() * 4
    }
}

/// A number that names one item of a class, or none: 0 is none, `k + 1` is item `k`.
trait Code: Copy + Default {
    fn encode(item: usize) -> Self;
    fn decode(self) -> u32;
}

impl Code for u16 {
    fn encode(item: usize) -> Self {
        item as u16 + 1
    }

    fn decode(self) -> u32 {
        u32::from(self).wrapping_sub(1)
    }
}

impl Code for u32 {
    fn encode(item: usize) -> Self {
        item as u32 + 1
    }

    fn decode(self) -> u32 {
        self.wrapping_sub(1)
    }
}

/// The bytes of the table of choices and the two rows of values for this instance, or `None` where they can't be
/// counted or the instance has no answer.
///
/// The table has a row a class and a column a unit of capacity, after the weight of the mandatory items has been taken
/// off and what no choice can use has been clipped. An entry takes two bytes, or four where a class has more
/// than 65,535 items.
pub(super) fn table_bytes(instance: &Instance) -> Option<u64> {
    let columns = instance.relative_capacity()?.checked_add(1)?;
    let entry = if instance.longest_class() <= u32::from(u16::MAX) { 2 } else { 4 };
    columns.checked_mul(instance.class_count() as u64 * entry)?.checked_add(columns.checked_mul(16)?)
}

/// Products of items and capacity up to which the cells are counted one by one.
const COUNTED: u64 = 1 << 22;

/// What the dense program costs, in cells of its table: those that it fills, and two for each item besides.
pub(super) fn cost(instance: &Instance, capacity: u64) -> u64 {
    let items = instance.item_count();
    let columns = capacity.saturating_add(1);
    let product = items.saturating_mul(columns);
    if product > COUNTED {
        return product / 2;
    }
    2 * items + instance.cells(columns as u32)
}

/// Solves an instance exactly by the textbook dynamic program over the capacity.
///
/// Row by row, one row a class, it computes the largest value that the classes so far can have within each capacity,
/// and notes the item that gave it; the answer is read back from the last row. Its cost does not depend on how hard
/// the instance is, only on its size, and grows with the capacity.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, dense};
///
/// let mut instance = Instance::new(6);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 9), Item::new(6, 12)])?;
/// instance.push_class(ClassKind::ExactlyOne, [Item::new(2, 1), Item::new(3, 5)])?;
/// let solution = dense(&instance, 1 << 20)?;
/// assert_eq!((solution.value(), solution.weight()), (10, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SolveError::Infeasible`] where the mandatory classes do not fit; [`SolveError::TableTooLarge`] where the table
/// would take more than `table_budget` bytes.
///
/// # Complexity
///
/// With `n` classes, `m` items and capacity `C`, clipped to the total demand: O(`m` · `C`) time, O(`n` · `C`) memory.
///
/// # Determinism
///
/// Going from the last class to the first, each class takes nothing (its lightest item, where it is mandatory) if
/// that loses no value, else the first-listed item among the best.
///
/// Source: Kellerer, Pferschy and Pisinger, *Knapsack Problems* (2004), section 11.5.
pub fn dense(instance: &Instance, table_budget: u64) -> Result<Solution, SolveError> {
    let mut solution = Solution::default();
    dense_into(instance, table_budget, &mut Workspace::default(), &mut solution)?;
    Ok(solution)
}

/// As [`dense`], with the caller's memory: it does not allocate once the workspace and the solution have grown to the
/// size of the instance.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solution, SolveError, Workspace, dense_into};
///
/// let mut instance = Instance::new(6);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 9), Item::new(6, 12)])?;
/// let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
/// dense_into(&instance, 1 << 20, &mut workspace, &mut solution)?;
/// assert_eq!(solution.value(), 12);
///
/// // Seven columns of two bytes, and two rows of seven values of eight bytes.
/// let refused = dense_into(&instance, 100, &mut workspace, &mut solution);
/// assert_eq!(refused, Err(SolveError::TableTooLarge { bytes: 126, budget: 100 }));
/// assert_eq!(solution.value(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`dense`]; the solution is then unchanged.
///
/// # Complexity
///
/// As [`dense`].
///
/// # Determinism
///
/// As [`dense`]; what the workspace was used for before does not matter.
pub fn dense_into(
    instance: &Instance,
    table_budget: u64,
    workspace: &mut Workspace,
    solution: &mut Solution,
) -> Result<(), SolveError> {
    let Some(capacity) = instance.relative_capacity() else {
        return Err(SolveError::infeasible(instance));
    };
    let bytes = table_bytes(instance).unwrap_or(u64::MAX);
    if bytes > table_budget || usize::try_from(bytes).is_err() {
        return Err(SolveError::TableTooLarge { bytes, budget: table_budget });
    }
    let DenseBuffers { before, after, narrow, wide } = &mut workspace.dense;
    solution.start(instance);
    let capacity = capacity as usize;
    if instance.longest_class() <= u32::from(u16::MAX) {
        run(instance, capacity, before, after, narrow, &mut solution.choices);
    } else {
        run(instance, capacity, before, after, wide, &mut solution.choices);
    }
    solution.finish(instance, None, Method::Dense);
    Ok(())
}

fn run<C: Code>(
    instance: &Instance,
    capacity: usize,
    before: &mut Vec<f64>,
    after: &mut Vec<f64>,
    table: &mut Vec<C>,
    choices: &mut [u32],
) {
    let columns = capacity + 1;
    before.clear();
    before.resize(columns, 0.0);
    after.clear();
    after.resize(columns, 0.0);
    table.clear();
    table.resize(columns * choices.len(), C::default());
    for (class, row) in table.chunks_exact_mut(columns).enumerate() {
        after.copy_from_slice(before);
        for (item, (weight, value)) in instance.relative_items(class).enumerate() {
            let weight = weight as usize;
            if weight > capacity || value <= 0.0 {
                continue;
            }
            // Slices of one length and no branch on the comparison: keep both, or the loop is not vectorised.
            let length = columns - weight;
            let (from, to, codes) = (&before[..length], &mut after[weight..], &mut row[weight..]);
            let code = C::encode(item);
            for ((&from, to), chosen) in from.iter().zip(to.iter_mut()).zip(codes.iter_mut()) {
                let candidate = from + value;
                let better = candidate > *to;
                *to = if better { candidate } else { *to };
                *chosen = if better { code } else { *chosen };
            }
        }
        core::mem::swap(before, after);
    }
    let mut left = capacity;
    for (class, row) in table.chunks_exact(columns).enumerate().rev() {
        let item = row[left].decode();
        choices[class] = item;
        if item != NONE {
            left -= instance.relative_item(class, item).map_or(0, |(weight, _)| weight as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::{ClassKind, Item};
    use super::*;

    /// Classes of one item of each of these weights.
    fn of_weights(classes: u64, weights: impl Iterator<Item = u32> + Clone) -> Instance {
        let mut instance = Instance::new(0);
        for _ in 0..classes {
            instance
                .push_class(ClassKind::AtMostOne, weights.clone().map(|weight| Item::new(weight, 1)))
                .unwrap();
        }
        instance
    }

    #[test]
    fn the_cost_is_the_cells_beside_the_items() {
        // An item of weight 2 fills the columns 2 to 4 and is looked at besides; one that does not fit fills none.
        let few = of_weights(2, [2, 9].into_iter());
        assert_eq!(cost(&few, 4), 2 * (3 + 2) + 2 * 2);
        // Of so many they are not counted one by one.
        let (classes, columns) = (8, 2_000);
        let many = of_weights(classes, 1..columns);
        let cells: u64 = (1..u64::from(columns)).map(|weight| u64::from(columns) - weight).sum();
        let estimate = cost(&many, u64::from(columns) - 1);
        assert!(
            estimate.abs_diff(classes * cells) < classes * cells / 100,
            "{estimate} for {}",
            classes * cells
        );
        // Nor are columns that 32 bits can't count cut to them.
        let heavy = of_weights(3, core::iter::once(u32::MAX));
        assert_eq!(cost(&heavy, 1 << 32), (3 << 32) / 2 + 1);
        assert_eq!(cost(&heavy, u64::MAX), u64::MAX / 2);
    }
}
