//! Streams of random numbers: one for each thing that is drawn, so that a change of one leaves the others as they are.

use alloc::vec::Vec;

use oorandom::Rand64;

/// What a stream draws. The order is part of the contract: a new one goes to the end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Arrivals,
    RunningTimes,
    Gpus,
    Order,
    Surge,
    InferenceLoad,
    Elastic,
    Fungible,
    Heterogeneous,
    Checkpointed,
    WrongEstimates,
    EstimateErrors,
    Days,
}

/// The stream of a seed.
pub(super) fn stream(seed: u64, stream: Stream) -> Rand64 {
    Rand64::new((u128::from(seed) << 8) | stream as u128)
}

/// The numbers from 0 to `count`, in random order (Fisher and Yates).
pub(super) fn shuffled(count: usize, random: &mut Rand64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut order, random);
    order
}

/// Brings the values in random order.
pub(super) fn shuffle<T>(values: &mut [T], random: &mut Rand64) {
    for at in (1..values.len()).rev() {
        values.swap(at, random.rand_range(0..at as u64 + 1) as usize);
    }
}

/// Flags for this share of the jobs, drawn evenly: of two shares, the smaller draws among the jobs of the greater.
pub(super) fn flags(count: usize, share: f64, random: &mut Rand64) -> Vec<bool> {
    let mut flags = Vec::new();
    flags.resize(count, false);
    for at in shuffled(count, random).into_iter().take(share_of(count, share)) {
        if let Some(flag) = flags.get_mut(at) {
            *flag = true;
        }
    }
    flags
}

/// A share of a number of things, to the nearest whole number.
pub(super) fn share_of(count: usize, share: f64) -> usize {
    (libm::round(count as f64 * share) as usize).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_nested_and_exact() {
        for seed in 0..20 {
            let draw = |share| flags(1_000, share, &mut stream(seed, Stream::Checkpointed));
            let (few, many) = (draw(0.2), draw(0.6));
            assert_eq!(few.iter().filter(|&&flag| flag).count(), 200);
            assert_eq!(many.iter().filter(|&&flag| flag).count(), 600);
            assert!(few.iter().zip(&many).all(|(&few, &many)| many || !few));
        }
    }

    #[test]
    fn streams_of_a_seed_differ() {
        let first = |which| stream(1, which).rand_u64();
        assert_ne!(first(Stream::Arrivals), first(Stream::Gpus));
        assert_ne!(stream(1, Stream::Gpus).rand_u64(), stream(2, Stream::Gpus).rand_u64());
    }
}
