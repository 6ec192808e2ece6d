//! Mutants that may survive, each with the reason why: `explained.tsv`, a name and a reason a line.

use crate::list::Mutant;
use std::collections::HashMap;
use std::path::Path;

/// Names that hold while lines move: the file, the change, and which of those alike in the file it is.
pub fn names(mutants: &[Mutant]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    mutants
        .iter()
        .map(|mutant| {
            let change = mutant.name.splitn(4, ':').nth(3).unwrap_or("").trim();
            let name = format!("{}: {change}", mutant.file);
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            format!("{name} #{count}")
        })
        .collect()
}

/// The reason by name. A name that ends in `*` stands for all that begin so.
pub fn read(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(name, reason)| (name.to_string(), reason.to_string())).collect()
}

pub fn reason<'a>(explained: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let is_meant = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    explained.iter().find(|(pattern, _)| is_meant(pattern)).map(|(_, reason)| reason.as_str())
}
