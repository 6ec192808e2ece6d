//! Multiple-choice knapsack: one item a class at most, the largest value within a capacity.
//!
//! This room is mathematics only; it knows no GPU and no job. The allocator makes a class of each elastic job (its items
//! are the numbers of extra workers) and asks for the largest reduction of job completion time within the idle GPUs
//! (Aryl, arXiv 2202.07896, section 5.2).
//!
//! [`Solver`] is the entry point. [`dense`](dense()), [`greedy`](greedy()) and [`brute_force`](brute_force()) are the
//! plain algorithms beneath and beside it, kept public for comparison.

mod brute_force;
mod core;
mod curve;
mod dense;
mod error;
#[cfg(feature = "serde")]
mod form;
mod greedy;
mod hull;
mod instance;
mod item;
mod shape;
mod solution;
mod solver;

pub use brute_force::{COMBINATION_LIMIT, brute_force};
pub use curve::{CurveClass, Gain};
pub use dense::{dense, dense_into};
pub use error::{InstanceError, SolveError};
pub use greedy::{greedy, greedy_into};
pub use instance::{Instance, VALUE_LIMIT};
pub use item::{ClassKind, Item};
pub use shape::CLASS_LENGTH_LIMIT;
pub use solution::{Method, Solution};
pub use solver::{Hint, Solver, Work, Workspace};
