//! Replaying a trace of jobs under a policy: a discrete-event simulation.

mod carry_out;
mod check;
mod engine;
mod error;
mod event;
mod job;
mod lender;
pub mod metrics;
pub mod policy;
mod progress;
mod setup;
mod simulation;
pub mod workload;

pub use error::{SetupError, SimulationError};
pub use event::Event;
pub use policy::PolicyError;
pub use setup::{Forecast, Setup};
pub use simulation::Simulation;
