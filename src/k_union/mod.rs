//! Choose k sets with the cheapest union.
mod cuts;
mod error;
mod fill;
mod instance;
mod network;
mod problem;
mod relaxation;
mod search;
mod solution;
mod solver;
mod state;

pub use error::{InstanceError, SolveError};
pub use instance::{Instance, Member};
pub use solution::Solution;
pub use solver::{Solver, Workspace};
