//! The rules on small sources: that they ask what they should, and let pass what they should.

use crate::rules::{Count, Findings, judge, table};
use crate::surface::Surface;
use crate::tree::Tree;

fn findings(text: &str, room: &str) -> Findings {
    judge(&Surface::of(&Tree::of_text(text))).remove(room).unwrap_or_default()
}

/// The functions that are asked for an example, by those that lack it.
fn functions(text: &str) -> (usize, Vec<String>) {
    let found = findings(text, "room");
    let lacks = found.lacks.iter().filter(|lack| lack.contains("example that checks"));
    let names = lacks.map(|lack| lack.split(": ").nth(1).expect("a name").into());
    (found.examples.asked, names.collect())
}

#[test]
fn a_function_needs_an_example_that_checks_something() {
    let with = |docs: &str| functions(&format!("pub mod room {{\n{docs}\npub fn f() {{}}\n}}"));
    let none = (1, vec!["f".to_string()]);
    assert_eq!(with("/// Text."), none);
    assert_eq!(with("/// ```\n/// f();\n/// ```"), none, "it checks nothing");
    assert_eq!(with("/// ```text\n/// assert the rights\n/// ```"), none, "it is no code");
    assert_eq!(with("/// ```ignore\n/// assert!(true);\n/// ```"), none, "it is not run");
    assert_eq!(with("/// assert!(true)"), none, "it is prose");
    assert_eq!(with("/// ```\n/// assert!(true);"), none, "the block does not end");
    let all = (1, vec![]);
    assert_eq!(with("/// ```\n/// assert!(true);\n/// ```"), all);
    assert_eq!(with("/// ```no_run\n/// assert_eq!(1, 1);\n/// ```"), all);
    assert_eq!(with("/// ```compile_fail\n/// f(1);\n/// ```"), all);
    assert_eq!(with("#[doc = \"```\\nassert!(true);\\n```\"]"), all);
}

#[test]
fn what_users_can_name_counts_and_nothing_else() {
    let text = "
        pub mod room {
            mod inner {
                pub fn kept() {}
                pub fn exported() {}
                pub struct Kept;
                impl Kept { pub fn method(&self) {} }
                pub struct Exported;
                impl Exported {
                    pub fn method(&self) {}
                    fn private(&self) {}
                    pub(crate) fn of_the_crate(&self) {}
                    #[doc(hidden)] pub fn hidden(&self) {}
                    #[cfg(test)] pub fn for_tests(&self) {}
                    #[cfg(feature = \"x\")] pub fn with_feature(&self) {}
                }
                impl Clone for Exported { fn clone(&self) -> Self { Exported } }
                pub trait Shape { fn area(&self); fn name(&self) {} }
                impl Shape for Exported { fn area(&self) {} }
            }
            mod elsewhere {
                use super::inner::Exported as Renamed;
                impl Renamed { pub fn from_elsewhere(&self) {} }
                impl super::inner::Exported { pub fn by_path(&self) {} }
                use super::inner::*;
                impl Exported { pub fn by_glob(&self) {} }
            }
            pub use inner::{self as _, exported, Exported, Shape};
            pub(crate) fn of_the_crate() {}
            #[cfg(test)] mod tests { pub fn test() {} }
            #[cfg(not(test))] pub fn outside_tests() {}
            pub mod deeper { pub fn deep() {} }
            mod closed { pub mod open { pub fn unreachable() {} } }
        }";
    let (asked, mut lacking) = functions(text);
    lacking.sort_unstable();
    let expected = [
        "Exported::by_glob",
        "Exported::by_path",
        "Exported::from_elsewhere",
        "Exported::method",
        "Exported::with_feature",
        "Shape::area",
        "Shape::name",
        "deep",
        "exported",
        "outside_tests",
    ];
    assert_eq!(lacking, expected);
    assert_eq!(asked, expected.len());
}

#[test]
fn what_a_macro_of_the_crate_writes_counts_once() {
    let text = "
        pub mod room {
            macro_rules! thing {
                ($(#[$doc:meta])* $name:ident) => {
                    $(#[$doc])*
                    pub struct $name(u32);
                    impl $name {
                        pub fn new() -> Self { $name(0) }
                    }
                };
            }
            thing!(A);
            thing!(B);
        }";
    assert_eq!(functions(text), (1, vec!["name::new".to_string()]));
}

#[test]
fn a_result_needs_a_section_errors() {
    let errors = |returned: &str, docs: &str| {
        findings(&format!("pub mod room {{ {docs} pub fn f() -> {returned} {{}} }}"), "room").errors
    };
    let (none, lacking) = (Count::default(), Count { asked: 1, there: 0 });
    assert_eq!(errors("u32", ""), none);
    assert_eq!(errors("Option<u32>", ""), none);
    assert_eq!(errors("Result<u32, Error>", "#[doc = \" Errors are rare.\"]"), lacking);
    assert_eq!(errors("core::result::Result<u32, Error>", ""), lacking);
    assert_eq!(errors("Result<u32, Error>", "#[doc = \"```\\n# Errors\\n```\"]"), lacking, "it is code");
    assert_eq!(errors("Result<u32, Error>", "#[doc = \" # Errors\"]"), Count { asked: 1, there: 1 });
}

#[test]
fn a_solver_needs_a_section_complexity() {
    let solvers = |function: &str| findings(&format!("pub mod room {{ {function} }}"), "room").complexities;
    let lacking = Count { asked: 1, there: 0 };
    assert_eq!(solvers("pub fn solve(instance: &Instance) {}"), lacking);
    assert_eq!(solvers("pub fn solve_into(instance: &Instance) {}"), lacking);
    assert_eq!(solvers("pub struct S; impl S { pub fn plan(&self, cluster: &Cluster) {} }"), lacking);
    assert_eq!(solvers("#[doc = \" # Complexity\"] pub fn solve(a: u32) {}"), Count { asked: 1, there: 1 });
    let none = Count::default();
    assert_eq!(solvers("pub fn solved(instance: &Instance) {}"), none);
    assert_eq!(
        solvers("pub struct S; impl S { pub fn plan(&self) -> &Plan {} }"),
        none,
        "a part of an answer"
    );
    assert_eq!(
        solvers("pub struct S; impl S { pub fn reclaim(self, rule: u32) -> Self {} }"),
        none,
        "an option"
    );
}

#[test]
fn a_type_needs_an_example_on_its_page_or_that_of_its_module() {
    let lacks = |docs: &str, own: &str| {
        let text = format!(
            "{docs} pub mod room {{ mod inner {{ {own} pub enum Kind {{}} }} pub use inner::Kind; }}"
        );
        let mut lacks = findings(&text, "room").lacks;
        lacks.retain(|lack| lack.contains("Kind"));
        lacks
    };
    let example = |code: &str| format!("#[doc = \"```\\n{code}\\n```\"]");
    assert_eq!(lacks("", "").len(), 2, "neither documentation nor example");
    assert_eq!(
        lacks("", "#[doc = \"Text.\"]"),
        ["lib.rs:1: Kind: no example here or on the page of its module"]
    );
    assert_eq!(lacks(&example("assert!(Kinds::all())"), "#[doc = \"Text.\"]").len(), 1, "another name");
    assert!(lacks(&example("assert!(Kind::all())"), "#[doc = \"Text.\"]").is_empty());
    assert!(lacks("", &example("assert!(true)")).is_empty());
}

#[test]
fn a_module_needs_documentation() {
    let lacks = |text: &str| findings(text, "room").lacks;
    assert_eq!(lacks("pub mod room {}"), ["lib.rs:1: room: no documentation"]);
    assert!(lacks("/// A page of prose.\npub mod room {}").is_empty());
    let items = "/// Numbers.\npub mod room { /// Ten.\npub const TEN: u32 = 10; }";
    assert_eq!(lacks(items), ["lib.rs:2: room: no example here or on one of its items"]);
}

#[test]
fn the_table_sums_up() {
    let text = "
        pub mod a { pub fn f() -> Result<(), ()> {} }
        pub mod b { pub fn solve(a: u32) {} pub struct S; }";
    let table = table(&judge(&Surface::of(&Tree::of_text(text))));
    let last: Vec<&str> = table.lines().last().expect("a row").split_whitespace().collect();
    assert_eq!(last, ["all", "2", "0", "1", "0", "1", "0", "3", "0"]);
}
