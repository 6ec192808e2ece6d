//! Longer pages: how to embed the crate, the written form of a cluster, where each part of the paper went, the paper's
//! evaluation replayed, which knapsack solver to call, where the paper's reclaim is right and where not, and what is exact.
//!
//! They hold no code of the crate. All their examples are tested.

#[doc = include_str!("choosing_a_solver.md")]
pub mod choosing_a_solver {}
#[doc = include_str!("comparison.md")]
#[allow(clippy::doc_markdown, reason = "names of projects are not code")]
pub mod comparison {}
#[doc = include_str!("design_questions.md")]
#[allow(clippy::doc_markdown, reason = "names of projects are not code")]
pub mod design_questions {}
#[doc = include_str!("determinism.md")]
pub mod determinism {}
#[doc = include_str!("embedding.md")]
pub mod embedding {}
#[doc = include_str!("numerics.md")]
pub mod numerics {}
#[doc = include_str!("paper_to_code.md")]
pub mod paper_to_code {}
#[doc = include_str!("performance.md")]
#[allow(clippy::doc_markdown, reason = "names of projects are not code")]
pub mod performance {}
#[doc = include_str!("reclaim_cases.md")]
pub mod reclaim_cases {}
#[cfg(feature = "sim")]
#[cfg_attr(docsrs, doc(cfg(feature = "sim")))]
#[doc = include_str!("replay.md")]
pub mod replay {}
#[doc = include_str!("snapshot_format.md")]
pub mod snapshot_format {}
