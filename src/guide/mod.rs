//! Guides: pages of documentation, no code.

#[doc = include_str!("numerics.md")]
pub mod numerics {}

#[doc = include_str!("choosing_a_solver.md")]
pub mod choosing_a_solver {}
