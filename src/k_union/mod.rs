//! Choose k sets with the cheapest union.
//!
//! This room is mathematics only; it knows no server and no job. A reclaim makes a set of each server and an element of
//! each job on it: to return k servers and preempt as little as can be is to choose k sets with the cheapest union
//! ([`reclaim`](crate::reclaim), Aryl section 4). An element with a *tolerance* is a job that can shrink.
//!
//! # How it is solved
//!
//! To choose k sets with the cheapest union is hard in general, even to come near to (Chlamtáč, Dinitz and Makarychev,
//! *Minimizing the Union*, SODA 2017). It is easy at a price. Say that each set earns p: which sets earn more than their
//! union costs is a minimum cut. As p grows the chosen sets grow and never lose a member:
//!
//! ```text
//! cost │                  ╱            each ● is the cheapest choice of its size: the minimum cut
//!      │                ●              at every price between the slopes of the lines beside it.
//!      │              ╱                The lines between are lower bounds: the best that could be
//!      │        ..●´´                  at a size where the cut has no corner. The true cost lies
//!      │  ●´´´                         on or above them, and costs are integers, so it is at least
//!      └────────────────── sets        the line, rounded up.
//! ```
//!
//! 1. **Relaxation.** A search over prices brackets k between two corners; what one price decides stays decided, so each
//!    cut is smaller than the one before.
//! 2. **Fill.** Between the corners a greedy takes the sets that are missing. On clusters of servers it nearly always ends
//!    at the bound, and that is the proof.
//! 3. **Cuts.** The relaxation knows nothing of tolerances beyond single sets. Where sets that it has together exceed one,
//!    an inequality says so, moved into the costs at a price that is found by subgradient steps.
//! 4. **Branch and bound.** What is still open is decided element by element: paid for, or kept. Sets that no better
//!    choice can have, or be without, are settled first by their reduced costs.
//!
//! # Measured
//!
//! On servers whose jobs came and went, without elastic ones, the fill ends at the bound of the relaxation in every case that
//! was tried, from 60 to 20,000 sets: see the table in [`reclaim`](crate::reclaim), and
//! `cargo run --release --example policies`. With tolerances there may remain a gap; the certificate states it.
//!
//! # Sources
//!
//! Picard, *Maximal closure of a graph*, 1976; Dinic, 1970 (maximum flow); Eisner and Severance, 1976, and Gallo, Grigoriadis
//! and Tarjan, 1989 (all prices); Held, Wolfe and Crowder, 1974 (subgradients); cover inequalities: Balas, 1975.

mod brute_force;
mod curve;
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

pub use brute_force::brute_force;
pub use curve::Curve;
pub use error::{InstanceError, SolveError};
pub use instance::{Instance, Member};
pub use solution::Solution;
pub use solver::{STEPS_PER_MEMBER, Solver, Workspace};

pub(crate) use search::Search;
pub(crate) use state::State as Descent;
