//! Shares as whole millionths, so that no rounding depends on the last bit of a floating-point number.
//!
//! `0.02` is not a number that a computer can hold: the nearest `f64` is a little above it, and `0.02 × 50` rounded up
//! may come to 2. A share is therefore taken to the nearest millionth first, and all that follows is in integers.

/// One, in millionths.
pub(super) const ONE: u64 = 1_000_000;

/// The share to the nearest millionth, or `None` where it is not a number, negative, or 2^53 millionths and more.
pub(super) fn from_share(share: f64) -> Option<u64> {
    let millionths = libm::round(share * ONE as f64);
    (share >= 0.0 && millionths < 9_007_199_254_740_992.0).then_some(millionths as u64)
}

/// The nearest `f64` to so many millionths; [`from_share`] returns the same millionths for it.
pub(super) fn to_share(millionths: u64) -> f64 {
    millionths as f64 / ONE as f64
}

/// So many millionths of `whole`, rounded up, or `None` where that is above 2^64 − 1.
pub(super) fn of(millionths: u64, whole: u64) -> Option<u64> {
    u64::try_from((u128::from(millionths) * u128::from(whole)).div_ceil(u128::from(ONE))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_survives_the_way_out_and_in() {
        for millionths in 0..=ONE {
            assert_eq!(from_share(to_share(millionths)), Some(millionths));
        }
    }

    #[test]
    fn decimals_round_up_exactly() {
        // In f64 the product is 7.000000000000001, which would round up to 8.
        assert!(libm::ceil(core::hint::black_box(0.07) * 100.0) > 7.5);
        assert_eq!(of(from_share(0.07).unwrap(), 100), Some(7));
        assert_eq!(of(from_share(0.02).unwrap(), 50), Some(1));
        assert_eq!(of(from_share(0.02).unwrap(), 51), Some(2));
        // One third is kept as 0.333333, so a third of three million is one short of a million.
        assert_eq!(of(from_share(1.0 / 3.0).unwrap(), 3_000_000), Some(999_999));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300, 1e10] {
            assert_eq!(from_share(bad), None, "{bad}");
        }
        assert_eq!(from_share(-0.0), Some(0));
        let limit = 1_u64 << 53;
        assert_eq!(
            [limit - 9, limit].map(|millionths| from_share(to_share(millionths)).is_some()),
            [true, false]
        );
    }
}
