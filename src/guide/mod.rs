//! Longer pages.
//!
//! | page | what it is |
//! |---|---|
//! | [`tutorial`] | from an empty project to a scheduler's loop, with your own names for servers and jobs |
//! | [`ideas`] | the ideas of the paper, with pictures, for someone who has not read it |
//! | [`embedding`] | questions of integration, one by one |
//! | [`snapshot_format`] | the written form of a cluster |
//! | [`choosing_a_solver`] | which knapsack solver to call, and what each costs |
//! | [`reclaim_cases`] | ten small clusters that tell the reclaim rules apart |
//! | [`numerics`] | where numbers are exact, and what rounding can cost |
//! | [`determinism`] | what decides each tie, and what may change between versions |
//! | [`performance`] | times, counted work and memory by size |
//! | [`trust`] | what was done to bring it down, and how that ended |
//! | [`design_questions`] | why it is as it is |
//! | [`comparison`] | beside Kueue, KAI, Volcano, Pollux, Sia, Gavel and others |
//! | [`paper_to_code`] | where each part of the paper is |
//! | `replay` | with the feature `sim`: the paper's evaluation, replayed |
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
#[doc = ""]
#[cfg_attr(feature = "sim", doc = "[replay]: crate::guide::replay")]
#[cfg_attr(not(feature = "sim"), doc = "[replay]: https://docs.rs/aryl/latest/aryl/guide/replay/")]
pub mod ideas {}
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
#[doc = include_str!("trust.md")]
pub mod trust {}
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
#[doc = include_str!("tutorial/carry_out.md")]
#[doc = ""]
#[doc = "```"]
#[doc = "# include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/guide/tutorial/names.rs\"));"]
#[doc = "# include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/guide/tutorial/report.rs\"));"]
#[doc = "# fn main() {}"]
#[doc = include_str!("tutorial/time.rs")]
#[doc = "```"]
#[doc = ""]
#[doc = include_str!("tutorial/next_epoch.md")]
#[doc = ""]
#[doc = "```"]
#[doc = "# include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/guide/tutorial/names.rs\"));"]
#[doc = "# include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/guide/tutorial/report.rs\"));"]
#[doc = "# fn main() {}"]
#[doc = include_str!("tutorial/failure.rs")]
#[doc = "```"]
#[doc = ""]
#[doc = include_str!("tutorial/loop.md")]
pub mod tutorial {}

#[cfg(test)]
mod tests {
    /// What each picture must have to be read on a page: by eye, by a screen reader, and by the parser of the page.
    #[test]
    fn pictures_can_be_read() {
        let pictures = [
            ("day", include_str!("pictures/day.svg")),
            ("servers", include_str!("pictures/servers.svg")),
            ("union", include_str!("pictures/union.svg")),
            ("bound", include_str!("pictures/bound.svg")),
            ("groups", include_str!("pictures/groups.svg")),
            ("apart", include_str!("pictures/apart.svg")),
            ("epoch", include_str!("pictures/epoch.svg")),
        ];
        for (name, picture) in pictures {
            // An empty line would end the picture in the middle of it.
            assert!(
                picture.starts_with("<svg ") && picture.lines().all(|line| !line.trim().is_empty()),
                "{name}"
            );
            assert!(picture.trim_end().ends_with("</svg>"), "{name}");
            for tag in ["title", "desc"] {
                assert!(picture.contains(&alloc::format!("<{tag} id=\"{name}-{tag}\">")), "{name}: {tag}");
            }
            // Text has the colour of the page, unless it is of a middling one.
            assert!(picture.contains("fill=\"currentColor\">"), "{name}");
            for colour in ["black", "white", "#000", "#fff"] {
                assert!(!picture.contains(&alloc::format!("\"{colour}")), "{name}: {colour}");
            }
            let sizes = picture.split("font-size=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for size in sizes {
                assert!(size.parse::<u32>().is_ok_and(|size| size >= 12), "{name}: text of {size} pixels");
            }
        }
    }
}
