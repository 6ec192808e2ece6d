//! The dynamic program of the textbooks for the multiple-choice knapsack, as a first program would have it: a table of
//! classes by capacity, no bound, no reduction of the input.

use aryl::knapsack::{ClassKind, Instance};

/// The largest table that is filled, in cells.
const CELLS: u64 = 1 << 31;

/// The largest value within the capacity, or `None` where the classes do not fit or the table would be too large.
///
/// `best[w]` is the largest value of the classes so far that weighs at most w; each class goes through all weights and
/// all its items (Kellerer, Pferschy, Pisinger, *Knapsack Problems*, 2004, section 11.5).
pub fn solve(instance: &Instance) -> Option<u64> {
    let capacity = instance.capacity().min(instance.total_demand());
    if (capacity + 1).checked_mul(instance.item_count().max(1))? > CELLS {
        return None;
    }
    let mut best: Vec<Option<u64>> = vec![Some(0); capacity as usize + 1];
    let mut next = best.clone();
    for class in 0..instance.class_count() {
        match instance.class_kind(class) {
            ClassKind::AtMostOne => next.clone_from(&best),
            ClassKind::ExactlyOne => next.fill(None),
        }
        for item in instance.items(class) {
            for weight in item.weight as usize..=capacity as usize {
                if let Some(before) = best[weight - item.weight as usize] {
                    let value = before + item.value;
                    if next[weight].is_none_or(|most| most < value) {
                        next[weight] = Some(value);
                    }
                }
            }
        }
        std::mem::swap(&mut best, &mut next);
    }
    best[capacity as usize]
}
