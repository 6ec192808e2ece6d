//! The same input gives the same answer, bit for bit: however often, wherever, from whatever memory, in whatever order.
//!
//! | file | what is asked |
//! |---|---|
//! | `repeat` | again, of a clone, of what was written down and read back, with memory used for something else |
//! | `permute` | of the same things in another order: what the documentation promises, and no less |
//! | `results` | in a debug build, in a release build and with any features: the committed digests |
//! | `source` | is there anything in the source that could differ from run to run, or from machine to machine? |

mod canonical;
mod clusters;
mod permute;
mod repeat;
mod results;
mod rooms;
#[cfg(feature = "sim")]
mod simulation;
#[cfg(feature = "sim")]
#[path = "../sim/instances.rs"]
mod simulation_instances;
mod source;

/// The seeds of every test here.
const SEEDS: std::ops::Range<u64> = 0..100;
