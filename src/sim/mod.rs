//! Replaying a trace of jobs under a policy: a discrete-event simulation.

pub mod workload;
