//! Nothing in the source may differ from run to run, or from machine to machine: no hash order, no clock, no thread, no
//! random state, no address, and no float function but those of `libm`, which are the same everywhere.

use std::fs;
use std::path::{Path, PathBuf};

/// What must not appear outside tests, and why.
const FORBIDDEN: [(&str, &str); 24] = [
    ("HashMap", "hash order differs from run to run"),
    ("HashSet", "hash order differs from run to run"),
    ("RandomState", "a hash seed differs from run to run"),
    ("DefaultHasher", "its algorithm is not promised"),
    ("hashbrown", "hash order"),
    ("std::", "the library is no_std, and most of what is deterministic is in core and alloc"),
    ("extern crate std", "as above"),
    ("Instant", "a clock"),
    ("SystemTime", "a clock"),
    ("thread", "the order of threads differs from run to run"),
    ("atomic", "shared state"),
    ("rayon", "threads"),
    ("rand::", "random numbers from outside; `oorandom` with a stated seed is allowed"),
    ("getrandom", "random numbers from outside"),
    ("{:p}", "an address differs from run to run"),
    ("as *const", "an address differs from run to run"),
    ("as_ptr", "an address differs from run to run"),
    ("mul_add", "one rounding or two, as the machine has it"),
    ("powf", "the platform's libm; use `libm::pow`"),
    ("powi(", "its precision is not specified"),
    ("partial_cmp", "floats are compared with `total_cmp`, so that no order depends on NaN"),
    ("target_arch", "code for one machine alone"),
    ("target_feature", "code for one machine alone"),
    ("target_os", "code for one machine alone"),
];

/// Methods of floats that come from the platform's libm, or are one instruction here and a call there. The same names are
/// allowed as `libm::name`, which is not a method.
const FLOAT_METHODS: [&str; 25] = [
    ".sqrt()",
    ".cbrt()",
    ".exp()",
    ".exp2()",
    ".exp_m1()",
    ".ln()",
    ".ln_1p()",
    ".log(",
    ".log2()",
    ".log10()",
    ".sin()",
    ".cos()",
    ".tan()",
    ".sinh()",
    ".cosh()",
    ".tanh()",
    ".atan2(",
    ".hypot(",
    ".floor()",
    ".ceil()",
    ".round()",
    ".trunc()",
    ".fract()",
    ".algebraic_add(",
    ".recip()",
];

/// Where one of them is right all the same: a file, the text, and why.
const ALLOWED: [(&str, &str, &str); 0] = [];

/// The lines of a source file that are compiled outside tests, without their comments, with their numbers.
fn code(source: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let (mut skipping, mut block): (Option<String>, bool) = (None, false);
    let mut test_item = false;
    for (at, line) in source.lines().enumerate() {
        if let Some(end) = &skipping {
            if line == *end {
                skipping = None;
            }
            continue;
        }
        let trimmed = line.trim_start();
        if test_item {
            // Other attributes may stand between; what follows is a module or a function with its own closing brace, or
            // one line.
            if trimmed.starts_with("#[") {
                continue;
            }
            test_item = false;
            if line.ends_with('{') {
                skipping = Some(format!("{}}}", &line[..line.len() - trimmed.len()]));
            }
            continue;
        }
        if trimmed.starts_with("#[cfg(test)]") {
            test_item = true;
            continue;
        }
        if block || trimmed.starts_with("/*") {
            block = !line.contains("*/");
            continue;
        }
        let text = line.split_once("//").map_or(line, |(before, _)| before);
        if !text.trim().is_empty() {
            lines.push((at + 1, text.to_owned()));
        }
    }
    lines
}

/// What is wrong with the code of a file.
fn faults(file: &str, source: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, text) in code(source) {
        let words = FORBIDDEN.iter().map(|&(word, reason)| (word, reason));
        let methods =
            FLOAT_METHODS.iter().map(|&method| (method, "the platform's float function; use `libm`"));
        for (word, reason) in words.chain(methods) {
            let allowed = ALLOWED.iter().any(|&(at, what, _)| at == file && what == word);
            if text.contains(word) && !allowed {
                faults.push(format!("{file}:{line}: `{word}`: {reason}: {}", text.trim()));
            }
        }
    }
    faults
}

/// The source files of the library, those of its tests and the code of its guides left out.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" && name != "guide" {
            sources(&path, into);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            into.push(path);
        }
    }
}

#[test]
fn nothing_in_the_source_differs_from_run_to_run_or_machine_to_machine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 150, "{} files", files.len());
    let (mut found, mut lines) = (Vec::new(), 0);
    for path in files {
        let source = fs::read_to_string(&path).unwrap();
        lines += code(&source).len();
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        found.extend(faults(&name, &source));
    }
    assert!(lines > 10_000, "{lines} lines of code");
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_scan_finds_what_it_looks_for_and_nothing_in_tests() {
    for (word, _) in FORBIDDEN {
        assert_eq!(faults("a.rs", &format!("let x = {word};")).len(), 1, "{word}");
    }
    for method in FLOAT_METHODS {
        assert_eq!(faults("a.rs", &format!("let x = y{method};")).len(), 1, "{method}");
    }
    let source = "\
// a HashMap in a comment
/// std::thread in documentation
let fine = 1; // and an Instant after code
let also = libm::sqrt(2.0) + libm::floor(x);
#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use std::collections::HashMap;
    fn inner() {
        x.sqrt();
    }
}
fn after() {
    let x = y.sqrt();
}
";
    let found = faults("a.rs", source);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.rs:14: `.sqrt()`"), "{found:?}");
}
