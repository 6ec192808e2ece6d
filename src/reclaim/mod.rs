//! Which on-loan servers go back.

mod bound;
mod cost;
mod decision;
mod error;
mod graph;
mod greedy;
mod heap;
mod jct;
mod ledger;
mod outcome;
mod policy;
mod put_back;
mod reclaimer;

pub use cost::{ServerPreemptionCost, server_preemption_costs};
pub use decision::{Departure, Reclaim};
pub use error::ReclaimError;
pub use policy::Policy;
pub use reclaimer::{Reclaimer, Workspace};
