//! A copy of the crate with all mutants in it, built with its tests.

use crate::list::Mutant;
use crate::weave::weave;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Optimized a little, with the checks of a debug build.
const PROFILE: &str = "\n[profile.mutants]\ninherits = \"release\"\nopt-level = 1\ndebug = false\ndebug-assertions = true\n\
                       overflow-checks = true\nincremental = false\n";

pub struct Built {
    /// Numbers of the mutants that are in it.
    pub woven: HashSet<usize>,
    pub executables: Vec<PathBuf>,
    pub folder: PathBuf,
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() != "target" {
                copy(&entry.path(), &to.join(entry.file_name()));
            }
        }
    } else if from.exists() && (!to.exists() || std::fs::read(from).unwrap() != std::fs::read(to).unwrap()) {
        std::fs::copy(from, to).unwrap();
    }
}

/// Unless it is there already, so that cargo does not build it anew.
fn write(to: &Path, text: &str) {
    if std::fs::read_to_string(to).ok().as_deref() != Some(text) {
        std::fs::write(to, text).unwrap();
    }
}

fn source(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(source(&path)) } else { files.push(path) }
    }
    files
}

fn cargo(folder: &Path, arguments: &[&str]) -> (bool, Vec<Value>) {
    let output = Command::new("cargo")
        .args(arguments)
        .args(["--message-format=json", "--all-features"])
        .current_dir(folder)
        .env("RUSTFLAGS", "-Awarnings")
        .stderr(Stdio::null())
        .output()
        .expect("cargo runs");
    let lines = String::from_utf8_lossy(&output.stdout);
    (output.status.success(), lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Numbers of the mutants near where the compiler complains, or the functions that must stay constant.
fn blame(message: &Value, folder: &Path, without: &mut HashSet<usize>, keep_const: &mut HashSet<String>) -> bool {
    let message = &message["message"];
    if message["level"] != "error" {
        return false;
    }
    let text = message["message"].as_str().unwrap_or("");
    if message["code"]["code"] == "E0015" || text.contains("non-const") {
        let name = text.split('`').nth(1).unwrap_or("").rsplit("::").next().unwrap_or("").to_string();
        if !name.is_empty() && keep_const.insert(name.clone()) {
            eprintln!("stays constant: {name}");
            return true;
        }
    }
    let mut found = false;
    for span in message["spans"].as_array().into_iter().flatten() {
        if span["is_primary"] != true {
            continue;
        }
        let (Some(file), Some(line)) = (span["file_name"].as_str(), span["line_start"].as_u64()) else { continue };
        let last = span["line_end"].as_u64().unwrap_or(line);
        let source = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let lines: Vec<&str> = source.lines().collect();
        for line in lines.iter().take(last as usize).skip(line as usize - 1) {
            for part in line.split("crate::mutant::on(").skip(1) {
                let number = part.split(')').next().and_then(|number| number.parse().ok());
                found |= number.is_some_and(|number| without.insert(number));
            }
        }
        if message["code"]["code"] == "E0004" {
            // An arm that is needed: of the match that starts here, all arms that can be deleted.
            for line in lines.iter().skip(line as usize - 1).take(80) {
                for part in line.split(" if !crate::mutant::on(").skip(1) {
                    let number = part.split(')').next().and_then(|number| number.parse().ok());
                    found |= number.is_some_and(|number| without.insert(number));
                }
            }
        }
        if !found {
            eprintln!("{file}:{line}: {text}");
        }
    }
    found
}

pub fn build(root: &Path, folder: &Path, mutants: &[Mutant], targets: &[String]) -> Built {
    for part in ["Cargo.lock", "README.md", "tests", "benches", "examples", "fuzz", "CHANGELOG.md"] {
        copy(&root.join(part), &folder.join(part));
    }
    for file in source(&root.join("src")) {
        let to = folder.join(file.strip_prefix(root).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        if !mutants.iter().any(|mutant| root.join(&mutant.file) == file) && !file.ends_with("src/lib.rs") {
            copy(&file, &to);
        }
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap() + PROFILE;
    write(&folder.join("Cargo.toml"), &manifest);
    let question = include_str!("mutant.rs.in").replace("@COUNT@", &mutants.len().to_string());
    write(&folder.join("src/mutant.rs"), &question);
    let mut files: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        files.entry(&mutant.file).or_default().push((number, mutant));
    }
    // What an earlier run has found out about the same list.
    let notes = folder.join("left-out.json");
    let (mut without, mut keep_const): (HashSet<usize>, HashSet<String>) = std::fs::read_to_string(&notes)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .filter(|(count, ..): &(usize, HashSet<usize>, HashSet<String>)| *count == mutants.len())
        .map_or_else(Default::default, |(_, without, keep_const)| (without, keep_const));
    loop {
        let mut woven = HashSet::new();
        for (file, mutants) in &files {
            let text = std::fs::read_to_string(root.join(file)).unwrap();
            let done = weave(&text, mutants, &without, &keep_const);
            woven.extend(done.numbers);
            write(&folder.join(file), &done.text);
        }
        let main = std::fs::read_to_string(root.join("src/lib.rs")).unwrap();
        write(&folder.join("src/lib.rs"), &(main + "\nmod mutant;\n"));
        let (mut good, mut messages) = cargo(folder, &["check", "--profile", "mutants", "--lib"]);
        if good {
            let mut arguments = vec!["test", "--no-run", "--profile", "mutants", "--lib"];
            arguments.extend(targets.iter().map(String::as_str));
            (good, messages) = cargo(folder, &arguments);
        }
        if good {
            let executables = messages
                .iter()
                .filter(|message| message["profile"]["test"] == true)
                .filter_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
                .collect();
            return Built { woven, executables, folder: folder.to_path_buf() };
        }
        let before = (without.len(), keep_const.len());
        for message in &messages {
            blame(message, folder, &mut without, &mut keep_const);
        }
        std::fs::write(&notes, serde_json::to_string(&(mutants.len(), &without, &keep_const)).unwrap()).unwrap();
        eprintln!("left out: {} mutants; constant: {} functions", without.len(), keep_const.len());
        assert!(before != (without.len(), keep_const.len()), "the copy does not compile for another reason");
    }
}
