//! Which on-loan servers go back.

mod decision;

pub use decision::{Departure, Reclaim};
