//! The written form of every type that serde knows, frozen in `tests/snapshots`: `written_form.txt` has each type with
//! values, `refused_forms.txt` what is not read and what is said of it.
//!
//! What is on record is what was written when it was recorded. It must be written so again, and read.
#![cfg(feature = "serde")]

mod decisions;
mod inputs;
mod refused;
#[cfg(feature = "sim")]
mod sim;
#[path = "../support/sources.rs"]
mod sources;

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

const UPDATE: &str = "ARYL_UPDATE=1 cargo test --all-features --test written_form";

/// Texts, in the order in which they came, of names in alphabetical order.
#[derive(Default)]
struct Record {
    texts: BTreeMap<String, Vec<String>>,
}

impl Record {
    /// Keeps the written form of a value, which is read back to the same value.
    fn keep<T: Serialize + DeserializeOwned + Debug + PartialEq>(&mut self, value: &T) {
        assert_eq!(self.keep_alike(value), *value);
    }

    /// As [`keep`](Self::keep), for a type without equality: what was read back.
    fn keep_alike<T: Serialize + DeserializeOwned>(&mut self, value: &T) -> T {
        let text = serde_json::to_string(value).unwrap();
        let back: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
        self.push(name_of::<T>(), text);
        back
    }

    /// Keeps the written form of a value that is never read.
    fn keep_written<T: Serialize>(&mut self, value: &T) {
        self.push(name_of::<T>(), serde_json::to_string(value).unwrap());
    }

    /// Keeps what is said of a text that is not the written form of a value.
    fn refuse<T: DeserializeOwned + Debug>(&mut self, text: &str) {
        let message = match serde_json::from_str::<T>(text) {
            Ok(value) => panic!("{} is read from {text}: {value:?}", name_of::<T>()),
            Err(error) => error.to_string(),
        };
        self.push(format!("{} {text}", name_of::<T>()), message);
    }

    fn push(&mut self, name: String, text: String) {
        let texts = self.texts.entry(name).or_default();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }

    /// Two lines for each text: the name and, indented, the text.
    fn compare(&self, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(file);
        let lines = self.texts.iter().flat_map(|(name, texts)| texts.iter().map(move |text| (name, text)));
        let found: Vec<String> = lines.map(|(name, text)| format!("{name}\n    {text}")).collect();
        if std::env::var_os("ARYL_UPDATE").is_some() {
            let is_whole = cfg!(feature = "sim");
            assert!(is_whole, "update with every feature: {UPDATE}");
            std::fs::write(&path, found.join("\n") + "\n").unwrap();
        }
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<&str> = recorded.lines().collect();
        let of_this_build = |pair: &&[&str]| cfg!(feature = "sim") || !pair[0].starts_with("sim::");
        let recorded: Vec<String> =
            lines.chunks(2).filter(of_this_build).map(|pair| pair.join("\n")).collect();
        let mut difference = String::new();
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (recorded.iter().collect(), found.iter().collect());
        old.difference(&new)
            .for_each(|pair| writeln!(difference, "- {}", pair.replace('\n', "\n- ")).unwrap());
        new.difference(&old)
            .for_each(|pair| writeln!(difference, "+ {}", pair.replace('\n', "\n+ ")).unwrap());
        assert!(found == recorded, "not as in tests/snapshots/{file}:\n{difference}To accept it: {UPDATE}");
    }
}

/// The room and the name of a type, without its parameters.
fn name_of<T>() -> String {
    let path = type_name::<T>();
    let path = path.split('<').next().unwrap();
    let parts: Vec<&str> = path.split("::").collect();
    format!("{}::{}", parts[1], parts[parts.len() - 1])
}

fn forms() -> Record {
    let mut record = Record::default();
    inputs::keep(&mut record);
    decisions::keep(&mut record);
    #[cfg(feature = "sim")]
    sim::keep(&mut record);
    record
}

#[test]
fn every_type_is_written_as_on_record_and_read_back() {
    forms().compare("written_form.txt");
}

#[test]
fn what_is_no_written_form_is_refused_with_the_words_on_record() {
    let mut record = Record::default();
    refused::keep(&mut record);
    #[cfg(feature = "sim")]
    sim::refuse(&mut record);
    record.compare("refused_forms.txt");
}

/// A new type that serde knows fails here, by its name.
#[test]
fn every_type_that_serde_knows_is_on_record() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut declared) = (Vec::new(), BTreeSet::new());
    sources::rust_files(&source, &mut files);
    for file in files {
        let room = file.strip_prefix(&source).unwrap().components().next().unwrap();
        let room = room.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if room == "sim" && !cfg!(feature = "sim") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let mut is_known = false;
        for line in text.lines() {
            let declares = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            if let (true, Some(rest)) = (is_known, declares) {
                let name = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap();
                declared.insert(format!("{room}::{name}"));
            }
            // What stands between the derive and the declaration: attributes, comments, and their ends.
            let goes_on = line.starts_with(['#', '/', ' ', ')', ']']);
            is_known = goes_on && (is_known || line.contains("derive(serde::Serialize"));
        }
    }
    assert!(declared.len() > 50, "the source is not read right: {declared:?}");
    let record = forms();
    let missing: Vec<&String> = declared.iter().filter(|&name| !record.texts.contains_key(name)).collect();
    assert!(missing.is_empty(), "written forms that are not on record; add them here: {missing:#?}");
}
