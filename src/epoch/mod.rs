//! One decision, end to end: reclaim, allocate, place, and a plan to carry out.

mod action;
mod plan;

pub use action::{Action, Cause};
pub use plan::{AllocationCertificate, Plan, Totals};
