//! Loops built twice where the feature `simd` asks for it: for any processor, and for one with wide vectors.
//!
//! The crate `pulp` asks the processor at run time and calls the build that it can run. Rust never joins a product and a sum
//! into one instruction of its own accord, and the numbers are exact anyhow (see [`Prices`](super::scan::Prices)), so both
//! builds give the same answer.

#[cfg(feature = "simd")]
pub(super) use pulp::NullaryFnOnce;

/// A loop with all that it needs. Its `call` and all that this calls must be `#[inline(always)]`, since only what is inlined is
/// built for wide vectors; a closure is not.
#[cfg(not(feature = "simd"))]
pub(super) trait NullaryFnOnce {
    type Output;

    fn call(self) -> Self::Output;
}

/// Runs a loop with the widest vectors that it was built for and the processor has.
pub(super) fn widest<L: NullaryFnOnce>(one_loop: L) -> L::Output {
    #[cfg(feature = "simd")]
    return pulp::Arch::new().dispatch(one_loop);
    #[cfg(not(feature = "simd"))]
    one_loop.call()
}
