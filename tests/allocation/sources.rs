//! Every public function that works in the caller's memory has its test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The public functions that end in `_into` or take a `&mut Workspace`, each with a test that counts its allocations when
/// warm, on one instance and on others.
const COVERED: [(&str, &str, fn()); 9] = [
    ("epoch/mod.rs", "plan_into", super::epoch::warm_memory_holds_for_other_clusters),
    ("k_union/solver.rs", "curve_into", super::k_union::a_warm_curve_does_not_allocate),
    ("k_union/solver.rs", "solve_into", super::k_union::a_warm_solver_does_not_allocate),
    ("knapsack/dense.rs", "dense_into", super::knapsack::warm_memory_holds_for_other_instances),
    ("knapsack/greedy.rs", "greedy_into", super::knapsack::warm_memory_holds_for_other_instances),
    ("knapsack/solver.rs", "solve_into", super::knapsack::warm_memory_holds_for_other_instances),
    ("knapsack/solver.rs", "solve_with_hint_into", super::knapsack::warm_memory_holds_for_other_instances),
    ("place/decreasing.rs", "solve_into", super::place::warm_memory_holds_for_other_demands),
    ("reclaim/reclaimer.rs", "solve_into", super::reclaim::warm_memory_holds_for_other_clusters),
];

/// The names of the public functions in a source file that end in `_into` or take a `&mut Workspace`.
fn promising(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line.trim(), " "])
        .collect();
    let mut names = Vec::new();
    for part in code.replace("pub const fn ", "pub fn ").split("pub fn ").skip(1) {
        let Some(head) = part.split('{').next() else { continue };
        let Some(name) = head.split(['(', '<']).next() else { continue };
        if name.ends_with("_into") || head.contains("&mut Workspace") {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn scan(folder: &Path, root: &Path, found: &mut BTreeSet<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            scan(&path, root, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let names = promising(&fs::read_to_string(&path).unwrap());
            found.extend(names.into_iter().map(|name| (file.clone(), name)));
        }
    }
}

#[test]
fn every_function_that_works_in_memory_of_the_caller_is_counted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeSet::new();
    scan(&root, &root, &mut found);
    let covered: BTreeSet<(String, String)> =
        COVERED.iter().map(|&(file, name, _)| (file.to_owned(), name.to_owned())).collect();
    let missing: Vec<_> = found.difference(&covered).collect();
    assert!(missing.is_empty(), "no test counts the allocations of {missing:?}: write one and list it here");
    let gone: Vec<_> = covered.difference(&found).collect();
    assert!(gone.is_empty(), "listed, but not in the source: {gone:?}");
}

#[test]
fn the_scan_finds_what_it_looks_for() {
    let source = "\
/// pub fn in_a_comment_into(x: u8) {}
pub fn plain_into(&self) {}
pub fn generic<'a>(
    &self,
    workspace: &mut Workspace,
) -> u8 {
}
pub fn other(&self, text: &str) { let x = y_into(&mut Workspace::new()); }
pub(crate) fn hidden_into() {}
pub const fn constant_into() {}
";
    assert_eq!(promising(source), ["constant_into", "generic", "plain_into"]);
}
