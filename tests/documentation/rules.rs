//! What the documentation of each public item must have.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::page::Page;
use crate::surface::{Function, Named, Surface};

/// A function solves something where its name is one of these or begins with one, and it takes an instance of the problem.
/// What is left are functions that return a part of an answer, and those that set an option and return `Self`.
const SOLVING: &[&str] = &[
    "allocate",
    "bootstrap",
    "brute_force",
    "choose",
    "decide",
    "dense",
    "draw",
    "explain",
    "generate",
    "greedy",
    "place",
    "plan",
    "realise",
    "reclaim",
    "run",
    "solve",
];

/// Functions that solve something under another name, by room.
pub(crate) const SOLVERS: &[(&str, &str)] = &[
    ("allocate", "flexible_items"),
    ("allocate", "shortest_first"),
    ("ilp", "epoch"),
    ("ilp", "knapsack"),
    ("k_union", "Solver::curve"),
    ("k_union", "Solver::curve_into"),
    ("reclaim", "server_preemption_costs"),
    ("sim", "TraceSpec::record"),
];

/// One thing that is to be there, how often it is asked for and how often it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) asked: usize,
    pub(crate) there: usize,
}

/// What was found in one room.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) examples: Count,
    pub(crate) errors: Count,
    pub(crate) complexities: Count,
    pub(crate) nouns: Count,
    /// What is missing, with file and line.
    pub(crate) lacks: Vec<String>,
}

/// Goes through all that is public. The answer is by room.
pub(crate) fn judge(surface: &Surface) -> BTreeMap<String, Findings> {
    let mut rooms: BTreeMap<String, Findings> = BTreeMap::new();
    for function in &surface.functions {
        let page = &function.named.page;
        let Findings { examples, errors, complexities, lacks, .. } = room(&mut rooms, &function.named);
        ask(examples, lacks, &function.named, "example that checks something", page.has_example());
        if function.returns_result {
            ask(errors, lacks, &function.named, "section Errors", page.has_section("Errors"));
        }
        if is_solver(function) {
            ask(complexities, lacks, &function.named, "section Complexity", page.has_section("Complexity"));
        }
    }
    // A type named by the parameter of a macro has the page that whoever calls the macro gives it.
    let is_parameter = |name: &str| name.starts_with(char::is_lowercase);
    for noun in surface.nouns.iter().filter(|noun| !is_parameter(&noun.named.name)) {
        let Named { page, name, .. } = &noun.named;
        let Findings { nouns, lacks, .. } = room(&mut rooms, &noun.named);
        let is_shown = page.has_example() || noun.module.shows(name);
        ask(nouns, lacks, &noun.named, "example here or on the page of its module", is_shown);
        ask(&mut Count::default(), lacks, &noun.named, "documentation", !page.is_empty());
    }
    for module in &surface.modules {
        let Findings { nouns, lacks, .. } = room(&mut rooms, &module.named);
        ask(&mut Count::default(), lacks, &module.named, "documentation", !module.named.page.is_empty());
        if module.has_items {
            let path = &module.named;
            let here = |page: &Page, file: &Named| file.room == path.room && page.has_example();
            let is_shown = path.page.has_example()
                || surface.nouns.iter().any(|noun| here(&noun.named.page, &noun.named))
                || surface.functions.iter().any(|function| here(&function.named.page, &function.named));
            ask(nouns, lacks, &module.named, "example here or on one of its items", is_shown);
        }
    }
    rooms
}

fn room<'a>(rooms: &'a mut BTreeMap<String, Findings>, named: &Named) -> &'a mut Findings {
    rooms.entry(named.room.clone()).or_default()
}

fn ask(count: &mut Count, lacks: &mut Vec<String>, named: &Named, what: &str, is_there: bool) {
    count.asked += 1;
    if is_there {
        count.there += 1;
    } else {
        lacks.push(format!("{named}: no {what}"));
    }
}

fn is_solver(function: &Function) -> bool {
    let Named { room, name, .. } = &function.named;
    let last = name.rsplit("::").next().unwrap_or_default();
    let solves =
        |verb: &&str| last.strip_prefix(*verb).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let is_named = SOLVERS.contains(&(room.as_str(), name.as_str()));
    is_named || (function.has_arguments && !function.returns_self && SOLVING.iter().any(solves))
}

/// The counts of all rooms, to read.
pub(crate) fn table(rooms: &BTreeMap<String, Findings>) -> String {
    let mut text = format!(
        "{:<12} {:>9} {:>8} {:>7} {:>6} {:>7} {:>10} {:>6} {:>7}\n",
        "room", "functions", "examples", "Results", "Errors", "solvers", "Complexity", "nouns", "shown"
    );
    let mut total = [Count::default(); 4];
    let mut row = |name: &str, counts: [Count; 4]| {
        let [examples, errors, complexities, nouns] = counts;
        writeln!(
            text,
            "{name:<12} {:>9} {:>8} {:>7} {:>6} {:>7} {:>10} {:>6} {:>7}",
            examples.asked,
            examples.there,
            errors.asked,
            errors.there,
            complexities.asked,
            complexities.there,
            nouns.asked,
            nouns.there
        )
        .expect("a string takes all");
    };
    for (name, found) in rooms {
        let counts = [found.examples, found.errors, found.complexities, found.nouns];
        for (sum, count) in total.iter_mut().zip(counts) {
            (sum.asked, sum.there) = (sum.asked + count.asked, sum.there + count.there);
        }
        row(name, counts);
    }
    row("all", total);
    text
}
