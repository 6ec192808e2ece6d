//! The crate against integer programs: knapsack, reclaim, and the two phases of an epoch.

#![cfg(feature = "ilp")]

#[path = "../reclaim/brute_force.rs"]
#[allow(dead_code)]
mod brute_force;
#[path = "../../benches/clusters/mod.rs"]
mod clusters;
mod epoch;
#[path = "../../benches/families/mod.rs"]
mod families;
#[path = "../reclaim/instances.rs"]
mod instances;
mod knapsack;
mod reclaim;
#[path = "../support/mod.rs"]
mod support;
