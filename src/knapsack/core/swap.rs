//! The best single change and the best pair of changes of the split choice.

use alloc::vec::Vec;

use super::items::Change;

/// At most two changes, and the value that they add to the split choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swap {
    pub(super) gain: f64,
    pub(super) changes: [Option<Change>; 2],
}

impl Swap {
    /// No change at all.
    pub(super) const NONE: Self = Self { gain: 0.0, changes: [None, None] };
}

/// The most valuable single change that fits the slack, or none.
pub(super) fn best_single(changes: &[Change], slack: i64) -> Swap {
    let mut best = Swap::NONE;
    for change in changes {
        if change.weight <= slack && change.value > best.gain {
            best = Swap { gain: change.value, changes: [Some(*change), None] };
        }
    }
    best
}

/// The best change so far, and the one before it of another class.
///
/// A change that comes after a better one is not noted, and need not be. Let a and b be the best pair, a the lighter, and of
/// the best pairs that whose lighter comes first. If a is not noted for b, a change c of the class of b came before it that is
/// worth as much; if b is not noted for a, there is a change d of the class of a that is worth as much as b and fits beside
/// a. Then c and d are as good a pair, and fit, since c is no heavier than a; but c comes before a.
#[derive(Clone, Copy)]
struct TopTwo {
    first: u32,
    second: u32,
}

const NOTHING: u32 = u32::MAX;

/// The changes that are paired at most, those of the least losses.
const PAIRED: usize = 20_000;

/// The most valuable pair of changes of different classes that fits the slack together, if it gains more than
/// `at_least`.
///
/// Sorts the changes by weight; as one of the pair grows heavier, the other may weigh less, so that one walk from both
/// ends with the best two of each prefix suffices.
pub(super) fn best_pair(
    changes: &[Change],
    slack: i64,
    at_least: f64,
    order: &mut Vec<u32>,
    prefix: &mut Vec<(u32, u32)>,
) -> Option<Swap> {
    order.clear();
    order.extend(0..changes.len() as u32);
    if order.len() > PAIRED {
        order.select_nth_unstable_by(PAIRED, |&left, &right| {
            changes[left as usize].loss.total_cmp(&changes[right as usize].loss).then(left.cmp(&right))
        });
        order.truncate(PAIRED);
    }
    order.sort_unstable_by_key(|&at| (changes[at as usize].weight, at));
    prefix.clear();
    let mut top = TopTwo { first: NOTHING, second: NOTHING };
    let value = |at: u32| if at == NOTHING { f64::NEG_INFINITY } else { changes[at as usize].value };
    for &at in order.iter() {
        let change = &changes[at as usize];
        if value(top.first) < change.value {
            if top.first != NOTHING && changes[top.first as usize].class != change.class {
                top.second = top.first;
            }
            top.first = at;
        }
        prefix.push((top.first, top.second));
    }
    let mut best: Option<Swap> = None;
    let mut gain = at_least;
    let mut partners = order.len();
    for &at in order.iter() {
        let change = &changes[at as usize];
        while partners > 0 && changes[order[partners - 1] as usize].weight + change.weight > slack {
            partners -= 1;
        }
        let Some(&(first, second)) = partners.checked_sub(1).and_then(|last| prefix.get(last)) else {
            break;
        };
        let partner = if changes[first as usize].class == change.class { second } else { first };
        if partner != NOTHING && change.value + value(partner) > gain {
            gain = change.value + value(partner);
            best = Some(Swap { gain, changes: [Some(*change), Some(changes[partner as usize])] });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_and_no_pair_of_two_classes_that_fits_gains_more() {
        let mut random = oorandom::Rand64::new(5);
        let (mut order, mut prefix, mut pairs) = (Vec::new(), Vec::new(), 0);
        for round in 0..2_000 {
            let changes: Vec<Change> = (0..random.rand_range(0..12) as u32)
                .map(|at| Change {
                    weight: random.rand_range(0..20) as i64 - 10,
                    value: random.rand_range(0..40) as f64 - 20.0,
                    loss: 0.0,
                    class: at / 3,
                    item: at,
                })
                .collect();
            let slack = random.rand_range(0..8) as i64;
            let fitting = changes.iter().filter(|change| change.weight <= slack).map(|change| change.value);
            let single = best_single(&changes, slack).gain;
            assert!((single - fitting.fold(0.0, f64::max)).abs() < 1e-9, "{round}");

            let both = changes.iter().flat_map(|left| changes.iter().map(move |right| (left, right)));
            let fitting =
                both.filter(|(left, right)| left.class != right.class && left.weight + right.weight <= slack);
            let most = fitting.map(|(left, right)| left.value + right.value).fold(single, f64::max);
            let pair = best_pair(&changes, slack, single, &mut order, &mut prefix);
            assert!((pair.map_or(single, |pair| pair.gain) - most).abs() < 1e-9, "{round}");
            let Some(Swap { gain, changes: [Some(left), Some(right)] }) = pair else { continue };
            assert!(left.class != right.class && left.weight + right.weight <= slack, "{round}");
            assert!((gain - left.value - right.value).abs() < 1e-9, "{round}");
            pairs += 1;
        }
        assert!(pairs > 300, "{pairs} pairs");
    }

    #[test]
    fn of_very_many_changes_those_of_the_least_losses_are_paired() {
        let (mut order, mut prefix) = (Vec::new(), Vec::new());
        for more in [0, 1, 5] {
            let count = PAIRED as u32 + more;
            let change =
                |at| Change { weight: 1, value: 1.0, loss: f64::from(count - at), class: at, item: 0 };
            let changes: Vec<Change> = (0..count).map(change).collect();
            let pair = best_pair(&changes, 2, 0.0, &mut order, &mut prefix);
            assert_eq!(pair.map(|pair| pair.gain), Some(2.0));
            assert_eq!(order, (more..count).collect::<Vec<u32>>());
        }
    }
}
