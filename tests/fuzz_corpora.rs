//! The corpora of the fuzz targets, replayed: every file of `fuzz/corpus`, with the code that the targets run.
//!
//! Neither libFuzzer nor a build of the package in `fuzz` is needed, since the logic of a target is a plain function.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../fuzz/src/lib.rs"]
#[allow(missing_docs, missing_debug_implementations, unreachable_pub)]
mod fuzz;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Runs a target on each file of its corpus, and says which one failed.
fn replay(target: &str, run: fn(&[u8])) {
    let folder = folder().join("corpus").join(target);
    let files = names(&folder);
    assert!(!files.is_empty(), "the corpus of {target} is empty");
    let mut replayed = 0;
    for file in &files {
        let data = fs::read(folder.join(file)).unwrap();
        let outcome = std::panic::catch_unwind(|| run(&data));
        assert!(outcome.is_ok(), "{target} fails on corpus/{target}/{file}");
        replayed += 1;
    }
    assert_eq!(replayed, files.len());
    println!("{target}: {replayed} files replayed");
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name), fuzz::$name::run);
            }
        )*

        const TARGETS: &[&str] = &[$(stringify!($name)),*];
    };
}

targets! { cluster curves epoch k_union knapsack loan reclaim snapshot values }

#[test]
fn every_target_and_every_corpus_is_replayed_here() {
    let listed: BTreeSet<String> = TARGETS.iter().map(|&name| name.into()).collect();
    assert_eq!(names(&folder().join("corpus")), listed);
    let programs = names(&folder().join("fuzz_targets"));
    assert_eq!(programs, listed.iter().map(|name| format!("{name}.rs")).collect());
}
