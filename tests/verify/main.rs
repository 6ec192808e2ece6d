//! The public checkers: they accept what an oracle finds, and say what is wrong with what was falsified.
//!
//! Answers are written as JSON, since nothing but a solver or a file can make one.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

extern crate alloc;

mod allocation;
mod knapsack;
mod loan;
mod oracle;
mod placement;
mod plan;
mod reclaim;
