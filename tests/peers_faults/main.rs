//! Faults that schedulers of this kind have shipped, each as a small cluster with the right outcome.
//!
//! The name of a test says the fault or the rule that rules it out; its comment says what went wrong elsewhere. A file
//! stands for one kind of fault. Every reclaim with a drawn answer is compared with all choices tried one by one.
#![allow(clippy::reversed_empty_ranges)] // They are among what is refused.

mod board;
#[path = "../reclaim/brute_force.rs"]
mod brute_force;
mod determinism;
mod gangs;
mod latency;
mod loops;
mod numbers;
mod placement;
mod starving;
#[path = "../support/mod.rs"]
mod support;
mod too_many_victims;
#[cfg(feature = "serde")]
mod written;
mod wrong_victims;
