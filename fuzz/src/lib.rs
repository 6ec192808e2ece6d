//! What each fuzz target does with an input: a plain function of bytes, so that the tests of the crate can replay the
//! corpora without libFuzzer.

pub mod bytes;
pub mod cluster;
pub mod curves;
pub mod epoch;
pub mod k_union;
pub mod knapsack;
pub mod loan;
pub mod model;
pub mod reclaim;
pub mod snapshot;
pub mod values;
