//! A bound from residues: weights that come in steps of two, four or eight can't fill every slack.

use super::items::Change;

/// The modulus: a multiple of the usual numbers of GPUs a worker.
const MODULUS: usize = 16;

/// A lower bound on what any answer loses at the split, over the changes given: for each residue of the weight that
/// changes may add, the least loss to reach it, plus the price of the units that then stay free.
///
/// Weights are taken modulo 16 and divided by their greatest common divisor before. The least losses are shortest paths
/// over the residues, found by letting each residue improve all others until nothing changes.
pub(super) fn least_loss(changes: &[Change], slack: i64, price: f64) -> f64 {
    let divisor = changes.iter().fold(0, |divisor, change| greatest_common_divisor(divisor, change.weight));
    if divisor == 0 {
        return price * slack as f64;
    }
    let steps = slack / divisor;
    let rest = slack % divisor;
    let mut step_loss = [f64::INFINITY; MODULUS];
    for change in changes {
        let residue = (change.weight / divisor).rem_euclid(MODULUS as i64) as usize;
        step_loss[residue] = step_loss[residue].min(change.loss);
    }
    let mut loss = [f64::INFINITY; MODULUS];
    let mut done = [false; MODULUS];
    loss[0] = 0.0;
    while let Some(at) = (0..MODULUS)
        .filter(|&at| !done[at] && loss[at] < f64::INFINITY)
        .min_by(|&a, &b| loss[a].total_cmp(&loss[b]))
    {
        done[at] = true;
        for (residue, &step) in step_loss.iter().enumerate() {
            let to = (at + residue) % MODULUS;
            loss[to] = loss[to].min(loss[at] + step);
        }
    }
    let free = |residue: usize| (steps - residue as i64).rem_euclid(MODULUS as i64) * divisor + rest;
    let bounds = loss.iter().enumerate().map(|(residue, &loss)| loss + price * free(residue) as f64);
    bounds.fold(f64::INFINITY, f64::min)
}

/// Euclid's algorithm; the divisor of 0 and `n` is `n`.
pub(super) fn greatest_common_divisor(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left as i64
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;

    fn change(weight: i64, loss: f64) -> Change {
        Change { weight, value: 0.0, loss, class: 0, item: 0 }
    }

    #[test]
    fn even_weights_leave_an_odd_slack_open() {
        let even = [change(2, 0.0), change(-4, 1.0)];
        assert_eq!(least_loss(&even, 7, 10.0), 10.0);
        assert_eq!(least_loss(&even, 6, 10.0), 0.0);
        let with_odd = [change(2, 0.0), change(3, 4.0)];
        assert_eq!(least_loss(&with_odd, 7, 10.0), 4.0);
        assert_eq!(least_loss(&[change(6, 0.0), change(-9, 0.0)], 2, 10.0), 20.0);
        assert_eq!(least_loss(&[], 2, 10.0), 20.0);
        assert_eq!(least_loss(&[change(2, 100.0)], 7, 10.0), 70.0, "dearer than to leave all seven free");
    }
}
