//! The upper hull of a class: the items that can be best at some price of a unit of weight.

use alloc::vec::Vec;

/// An item on the hull; weight and value are relative to the base of the class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HullPoint {
    pub(super) weight: u32,
    pub(super) item: u32,
    pub(super) value: f64,
}

/// Whether the step `(value, weight)` is at least as steep as the step `(other_value, other_weight)`, exactly.
///
/// Values are integers of at most 53 bits and weights of 32, so that the products fit 128 bits.
pub(super) fn at_least_as_steep(value: f64, weight: u32, other_value: f64, other_weight: u32) -> bool {
    (value as i64 as i128) * i128::from(other_weight) >= (other_value as i64 as i128) * i128::from(weight)
}

/// Writes the upper hull of the items over the origin, lightest first, without the origin itself unless an item of
/// weight 0 has a positive value. Items heavier than `capacity` are left out.
///
/// Of equal items the first-listed is kept; an item on the line between two others is left out.
///
/// Source: Andrew's monotone chain (1979), applied to items sorted by weight.
pub(super) fn upper_hull(
    items: impl Iterator<Item = (u32, f64)>,
    capacity: u64,
    sorted: &mut Vec<HullPoint>,
    hull: &mut Vec<HullPoint>,
) {
    sorted.clear();
    hull.clear();
    let mut in_order = true;
    let mut last = 0;
    for (item, (weight, value)) in items.enumerate() {
        if value > 0.0 && u64::from(weight) <= capacity {
            in_order &= weight >= last;
            last = weight;
            sorted.push(HullPoint { weight, item: item as u32, value });
        }
    }
    if !in_order {
        sorted.sort_unstable_by_key(|point| (point.weight, point.item));
    }
    for &point in sorted.iter() {
        extend(hull, point);
    }
}

/// As [`upper_hull`], of items that ascend by weight: it needs no memory but for the hull.
pub(super) fn upper_hull_in_order(
    items: impl Iterator<Item = (u32, f64)>,
    capacity: u64,
    hull: &mut Vec<HullPoint>,
) {
    hull.clear();
    for (item, (weight, value)) in items.enumerate() {
        if value > 0.0 && u64::from(weight) <= capacity {
            extend(hull, HullPoint { weight, item: item as u32, value });
        }
    }
}

/// Extends the hull by an item that is not lighter than those before.
#[inline]
fn extend(hull: &mut Vec<HullPoint>, point: HullPoint) {
    if hull.last().is_some_and(|last| last.value >= point.value) {
        return;
    }
    while let Some(last) = hull.last() {
        let before = hull.len().checked_sub(2).map_or((0, 0.0), |at| (hull[at].weight, hull[at].value));
        // An item of weight 0 starts the hull: its step, of some value and no weight, is steeper than any other.
        let same_weight = last.weight == point.weight;
        let bends_down = !at_least_as_steep(
            point.value - last.value,
            point.weight - last.weight,
            last.value - before.1,
            last.weight - before.0,
        );
        if !same_weight && bends_down {
            break;
        }
        hull.pop();
    }
    hull.push(point);
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;
    use alloc::vec;

    fn hull_of(items: &[(u32, f64)], capacity: u64) -> Vec<u32> {
        let (mut sorted, mut hull) = (Vec::new(), Vec::new());
        upper_hull(items.iter().copied(), capacity, &mut sorted, &mut hull);
        hull.iter().map(|point| point.item).collect()
    }

    #[test]
    fn items_below_or_on_the_hull_are_left_out() {
        assert_eq!(hull_of(&[(1, 20.0), (2, 30.0), (3, 36.0), (4, 40.0)], 9), vec![0, 1, 2, 3]);
        assert_eq!(hull_of(&[(1, 1.0), (2, 2.0), (3, 9.0), (4, 9.0)], 9), vec![2]);
        assert_eq!(hull_of(&[(4, 9.0), (2, 8.0), (2, 8.0), (2, 7.0)], 9), vec![1, 0]);
        assert_eq!(hull_of(&[(0, 5.0), (0, 6.0), (3, 6.0), (3, 7.0)], 9), vec![1, 3]);
        assert_eq!(hull_of(&[(1, 1.0), (9, 90.0)], 8), vec![0]);
        assert_eq!(hull_of(&[(1, 0.0)], 8), Vec::<u32>::new());
    }
}
