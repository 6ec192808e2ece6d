//! Longer pages: how to embed the crate, the written form of a cluster, where each part of the paper went, the paper's
//! evaluation replayed, which knapsack solver to call, where the paper's reclaim is right and where not, and what is exact.
//!
//! They hold no code of the crate. All their examples are tested.

#[doc = include_str!("choosing_a_solver.md")]
pub mod choosing_a_solver {}
#[doc = include_str!("embedding.md")]
pub mod embedding {}
#[doc = include_str!("ideas/loaning.md")]
#[doc = ""]
#[doc = include_str!("pictures/day.svg")]
#[doc = ""]
#[doc = include_str!("ideas/reclaim.md")]
#[doc = ""]
#[doc = include_str!("pictures/servers.svg")]
#[doc = ""]
#[doc = include_str!("ideas/greedy.md")]
#[doc = ""]
#[doc = include_str!("pictures/union.svg")]
#[doc = ""]
#[doc = include_str!("ideas/exact.md")]
#[doc = ""]
#[doc = include_str!("pictures/bound.svg")]
#[doc = ""]
#[doc = include_str!("ideas/scaling.md")]
#[doc = ""]
#[doc = include_str!("pictures/groups.svg")]
#[doc = ""]
#[doc = include_str!("ideas/placement.md")]
#[doc = ""]
#[doc = include_str!("pictures/apart.svg")]
#[doc = ""]
#[doc = include_str!("ideas/epoch.md")]
#[doc = ""]
#[doc = include_str!("pictures/epoch.svg")]
#[doc = ""]
#[doc = include_str!("ideas/measured.md")]
pub mod ideas {}
#[doc = include_str!("numerics.md")]
pub mod numerics {}
#[doc = include_str!("paper_to_code.md")]
pub mod paper_to_code {}
#[doc = include_str!("reclaim_cases.md")]
pub mod reclaim_cases {}
#[cfg(feature = "sim")]
#[cfg_attr(docsrs, doc(cfg(feature = "sim")))]
#[doc = include_str!("replay.md")]
pub mod replay {}
#[doc = include_str!("snapshot_format.md")]
pub mod snapshot_format {}
#[doc = include_str!("tutorial/begin.md")]
#[doc = ""]
#[doc = "```"]
#[doc = include_str!("tutorial/names.rs")]
#[doc = "```"]
#[doc = ""]
#[doc = include_str!("tutorial/first_plan.md")]
#[doc = ""]
#[doc = "```"]
#[doc = "# include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/guide/tutorial/names.rs\"));"]
#[doc = "# fn main() {}"]
#[doc = include_str!("tutorial/report.rs")]
#[doc = "```"]
#[doc = ""]
#[doc = include_str!("tutorial/loop.md")]
pub mod tutorial {}
