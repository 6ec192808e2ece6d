//! The crate's problems as integer programs: the reference answer.

mod backend;
mod epoch;
mod error;
mod good_lp;
mod knapsack;
mod microlp;
mod model;
mod reclaim;

pub use backend::{Assignment, Backend, BackendError, VARIABLE_LIMIT};
pub use epoch::{EpochOptimum, epoch, epoch_value};
pub use error::{IlpError, WrongAnswer};
pub use good_lp::GoodLp;
pub use knapsack::knapsack;
pub use microlp::Microlp;
pub use model::{Model, Relation, Row, Variable};
pub use reclaim::reclaim;
