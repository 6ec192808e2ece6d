//! The message of every error, as a user reads it: `tests/snapshots/error_messages.txt`.
//!
//! What a call can bring about is brought about by a call; what only a broken solver, verifier or four billion servers
//! could bring about is written down as a value. The source is read too, so that a new error can't be forgotten here.
#![allow(clippy::reversed_empty_ranges)] // They are what is refused.

mod cluster;
mod decisions;
#[cfg(feature = "ilp")]
mod ilp;
mod mathematics;
#[cfg(feature = "sim")]
mod sim;
#[path = "../support/sources.rs"]
mod sources;
mod verify;
mod verify_plan;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{Debug, Write as _};
use std::path::Path;

use aryl::id::{GpuTypeId, JobId, ServerId};

/// The messages of each variant: a line for each, named by room, type and variant.
#[derive(Default)]
struct Messages {
    lines: BTreeMap<String, Vec<String>>,
}

impl Messages {
    fn add(&mut self, error: impl Error) {
        self.named(None, error);
    }

    /// The error that this call brings about.
    fn refused<T: Debug>(&mut self, result: Result<T, impl Error>) {
        self.add(result.unwrap_err());
    }

    /// An error that is a struct, so its first word is no variant.
    fn add_struct(&mut self, error: impl Error) {
        self.named(Some(""), error);
    }

    fn named<E: Error>(&mut self, variant: Option<&str>, error: E) {
        let path = std::any::type_name::<E>();
        let parts: Vec<&str> = path.split("::").collect();
        let debug = format!("{error:?}");
        let first = debug.split(|letter: char| !letter.is_alphanumeric()).next().unwrap();
        let name = [parts[1], parts[parts.len() - 1], variant.unwrap_or(first)].join("::");
        let message = error.to_string();
        assert!(!message.contains('\n') && !message.is_empty(), "{name}: {message:?}");
        let messages = self.lines.entry(name.trim_end_matches(':').to_owned()).or_default();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, messages) in &self.lines {
            for message in messages {
                writeln!(text, "{name}\n    {message}").unwrap();
            }
        }
        text
    }
}

fn messages() -> Messages {
    let mut messages = Messages::default();
    cluster::add(&mut messages);
    decisions::add(&mut messages);
    mathematics::add(&mut messages);
    verify::add(&mut messages);
    verify_plan::add(&mut messages);
    #[cfg(feature = "ilp")]
    ilp::add(&mut messages);
    #[cfg(feature = "sim")]
    sim::add(&mut messages);
    messages
}

fn job(id: u32) -> JobId {
    JobId::new(id)
}

fn server(id: u32) -> ServerId {
    ServerId::new(id)
}

fn gpu_type(id: u32) -> GpuTypeId {
    GpuTypeId::new(id)
}

/// The lines of the file without those of the rooms that this build leaves out.
fn of_this_build(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_there = |name: &str| {
        (cfg!(feature = "ilp") || !name.starts_with("ilp::"))
            && (cfg!(feature = "sim") || !name.starts_with("sim::"))
    };
    lines.chunks(2).filter(|pair| is_there(pair[0])).flatten().copied().collect()
}

#[test]
fn every_message_is_the_one_on_record() {
    const UPDATE: &str = "ARYL_UPDATE=1 cargo test --all-features --test error_messages";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/error_messages.txt");
    let found = messages().text();
    if std::env::var_os("ARYL_UPDATE").is_some() {
        let is_whole = cfg!(all(feature = "ilp", feature = "sim"));
        assert!(is_whole, "update with every feature: {UPDATE}");
        std::fs::write(&path, &found).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let (found, recorded) = (found.lines().collect::<Vec<_>>(), of_this_build(&recorded));
    let pairs = |lines: &[&str]| lines.chunks(2).map(|pair| pair.join("\n")).collect::<BTreeSet<String>>();
    let (new, old) = (pairs(&found), pairs(&recorded));
    let mut difference = String::new();
    old.difference(&new).for_each(|pair| writeln!(difference, "- {}", pair.replace('\n', "\n- ")).unwrap());
    new.difference(&old).for_each(|pair| writeln!(difference, "+ {}", pair.replace('\n', "\n+ ")).unwrap());
    assert!(found == recorded, "the messages differ from the record:\n{difference}To accept them: {UPDATE}");
}

/// A new variant without a message on record fails here, by its name.
#[test]
fn every_variant_in_the_source_has_a_message_here() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources::rust_files(&source, &mut files);
    let mut declared = BTreeSet::new();
    for file in files {
        let room = file.strip_prefix(&source).unwrap().components().next().unwrap();
        let room = room.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if (room == "ilp" && !cfg!(feature = "ilp")) || (room == "sim" && !cfg!(feature = "sim")) {
            continue;
        }
        declared_in(&std::fs::read_to_string(&file).unwrap(), &room, &mut declared);
    }
    assert!(declared.len() > 200, "the source is not read right: {declared:?}");
    let found: BTreeSet<String> = messages().lines.into_keys().collect();
    let missing: Vec<&String> = declared.difference(&found).collect();
    assert!(missing.is_empty(), "errors without a message on record; add them here: {missing:#?}");
    let unknown: Vec<&String> = found.difference(&declared).collect();
    assert!(unknown.is_empty(), "no such errors in the source: {unknown:#?}");
}

/// Adds the variants of the error enums of a file, as rustfmt writes them: `Room::Type::Variant`.
fn declared_in(source: &str, room: &str, declared: &mut BTreeSet<String>) {
    let mut derived = false;
    let mut inside: Option<String> = None;
    for line in source.lines() {
        let word = |rest: &str| {
            rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
        };
        derived |= line.starts_with("#[derive(") && line.contains("thiserror::Error");
        if let (true, Some(rest)) = (derived, line.strip_prefix("pub enum ")) {
            (inside, derived) = (Some(word(rest)), false);
        } else if let (true, Some(rest)) = (derived, line.strip_prefix("pub struct ")) {
            declared.insert(format!("{room}::{}", word(rest)));
            derived = false;
        } else if line == "}" {
            inside = None;
        } else if let (Some(name), Some(rest)) = (&inside, line.strip_prefix("    "))
            && rest.starts_with(|letter: char| letter.is_ascii_uppercase())
        {
            declared.insert(format!("{room}::{name}::{}", word(rest)));
        }
    }
}

/// The reader of the source sees every form in which a variant is written.
#[test]
fn variants_of_every_form_are_seen_in_a_source() {
    let source = "#[derive(Debug, thiserror::Error)]\n#[non_exhaustive]\npub enum Fault {\n    /// Text.\n    Bare,\n    \
                  Held(#[from] Other),\n    Named {\n        Field: u32,\n    },\n}\npub enum Other {\n    No,\n}\n\
                  #[derive(thiserror::Error)]\npub struct Whole {\n    Field: u32,\n}\n";
    let mut declared = BTreeSet::new();
    declared_in(source, "room", &mut declared);
    let seen: Vec<&str> = declared.iter().map(String::as_str).collect();
    assert_eq!(seen, ["room::Fault::Bare", "room::Fault::Held", "room::Fault::Named", "room::Whole"]);
}
