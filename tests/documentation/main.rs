//! Every public item is documented after one template, and this counts it.
//!
//! The source is parsed, not searched: an item counts where users of the crate can name it, through public modules or through
//! `pub use`, and a method of a trait where the trait is public. Implementations of traits do not count, nor what is compiled
//! for tests alone or hidden. A function that a macro of the crate writes counts once.
//!
//! * Each function has an example that is compiled and checks something.
//! * Each that returns a `Result` has a section Errors, each that solves something a section Complexity.
//! * Each struct, enum and trait has an example, or is in the example of its module; each module has documentation.
//!
//! The lints of rustc and clippy see to the rest: `missing_docs`, and `missing_panics_doc`.

mod page;
mod rules;
mod surface;
mod tests_of_rules;
mod tree;

use std::path::Path;

use rules::{SOLVERS, judge, table};
use surface::{Named, Surface};
use tree::Tree;

/// Rooms that need not meet the rules yet.
const NOT_YET: &[&str] = &[];

#[test]
fn every_public_item_follows_the_template() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let surface = Surface::of(&Tree::read(&root));
    let rooms = judge(&surface);
    println!("{}", table(&rooms));
    for name in NOT_YET {
        assert!(rooms.contains_key(*name), "there is no room {name}");
    }
    for solver in SOLVERS {
        let is_there = |named: &Named| (named.room.as_str(), named.name.as_str()) == *solver;
        assert!(surface.functions.iter().any(|function| is_there(&function.named)), "there is no {solver:?}");
    }
    let held = rooms.iter().filter(|(name, _)| !NOT_YET.contains(&name.as_str()));
    let root = root.display().to_string().replace("src/lib.rs", "");
    let lacks: Vec<String> =
        held.flat_map(|(_, found)| &found.lacks).map(|lack| lack.replace(&root, "")).collect();
    assert!(lacks.is_empty(), "{} lacks:\n{}", lacks.len(), lacks.join("\n"));
}
