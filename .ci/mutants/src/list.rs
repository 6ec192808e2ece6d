//! The mutants, as `cargo mutants --list --json` writes them.

use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Deserialize, Clone)]
pub struct Range {
    pub start: Place,
}

#[derive(Deserialize, Clone)]
pub struct Mutant {
    pub name: String,
    pub file: String,
    pub genre: String,
    pub replacement: String,
    pub span: Range,
}

pub fn read(path: &Path) -> Vec<Mutant> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut mutants: Vec<Mutant> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for mutant in &mut mutants {
        mutant.replacement = with_paths(&mutant.replacement);
    }
    mutants
}

/// The crate has no prelude of std: what comes from `alloc` needs its path.
fn with_paths(text: &str) -> String {
    let mut out = text.to_string();
    for (name, path) in [("vec![", "alloc::vec!["), ("Vec::", "alloc::vec::Vec::"), ("Box::", "alloc::boxed::Box::")] {
        let mut parts = out.split(name);
        let mut next = parts.next().unwrap_or("").to_string();
        for part in parts {
            next.push_str(if next.ends_with(|before: char| before.is_alphanumeric() || before == ':') { name } else { path });
            next.push_str(part);
        }
        out = next;
    }
    out.replace("String::new()", "alloc::string::String::new()")
}
