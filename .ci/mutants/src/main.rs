//! Mutation testing in an hour instead of a day: the mutants are those that cargo-mutants lists; all are built into one
//! program, which asks at run time whether one is on; and each runs only against the tests that reach it.
//!
//! `aryl-mutants ROOT LIST FOLDER RESULTS [--jobs N] [--budget SECONDS] [--only TEXT] [--test NAME].. [--again RESULTS]
//! [--done RESULTS]`. `LIST` is what
//! `cargo mutants --list --json` printed in `ROOT`; `FOLDER` is a scratch folder; `RESULTS` gets one line a mutant.
//! With `--explained FILE`, survivors that stand there with a reason are counted apart; any other makes the exit status 1.
//! With `--again`, only those that were not caught in an earlier file of results; with `--done`, none that stand in it.

mod build;
mod explained;
mod list;
mod run;
mod weave;

use run::Outcome;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut positions, mut targets) = (Vec::new(), Vec::new());
    let (mut jobs, mut budget, mut only, mut again, mut done) = (2, 20.0, String::new(), None, None);
    let mut explained = Vec::new();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value follows");
        match &*argument {
            "--jobs" => jobs = value().parse().expect("a number"),
            "--budget" => budget = value().parse().expect("seconds"),
            "--only" => only = value(),
            "--explained" => explained = explained::read(&PathBuf::from(value())),
            "--test" => targets.extend(["--test".to_string(), value()]),
            "--done" => done = Some(std::fs::read_to_string(value()).expect("earlier results")),
            "--again" => again = Some(std::fs::read_to_string(value()).expect("earlier results")),
            _ => positions.push(PathBuf::from(argument)),
        }
    }
    let [root, list, folder, results] = &positions[..] else { panic!("ROOT LIST FOLDER RESULTS") };
    let mutants = list::read(list);
    if targets.is_empty() {
        targets.push("--tests".to_string());
    }
    let built = build::build(root, folder, &mutants, &targets);
    eprintln!("{} mutants of {} in {} programs", built.woven.len(), mutants.len(), built.executables.len());
    let tests = run::trace(&built, &["examples".to_string(), "api".to_string(), "documentation".to_string()], jobs);
    eprintln!("{}", run::summary(&tests));

    let names = explained::names(&mutants);
    let out = Mutex::new((std::fs::File::create(results).expect("results"), BTreeMap::<String, Counts>::new()));
    let note = |number: usize, outcome: &str, by: &str| {
        let mut out = out.lock().unwrap();
        let reason = explained::reason(&explained, &names[number]);
        let room = mutants[number].file.split('/').nth(1).unwrap_or("").to_string();
        let counts = out.1.entry(room).or_default();
        let outcome = match (outcome, reason) {
            ("Missed" | "Unreached", Some(_)) => "Explained",
            (outcome, _) => outcome,
        };
        match outcome {
            "Caught" => counts.caught += 1,
            "Timeout" => counts.timeout += 1,
            "Explained" => counts.explained += 1,
            "Outside" => counts.outside += 1,
            _ => counts.missed += 1,
        }
        writeln!(out.0, "{outcome}\t{}\t{by}\t{}", mutants[number].name, names[number]).unwrap();
    };
    let wanted = |number: usize| {
        let name = &mutants[number].name;
        name.contains(&only)
            && !done.as_ref().is_some_and(|done| done.lines().any(|line| line.split('\t').nth(1) == Some(name)))
            && again.as_ref().is_none_or(|again| {
                again.lines().any(|line| line.split('\t').nth(1) == Some(name) && !line.starts_with("Caught") && !line.starts_with("Timeout"))
            })
    };
    let (inside, outside): (Vec<usize>, Vec<usize>) =
        (0..mutants.len()).filter(|&number| wanted(number)).partition(|number| built.woven.contains(number));
    for number in outside {
        note(number, "Outside", "");
    }
    run::judge(&built, &tests, &mutants, &inside, budget, jobs, &|number, outcome: Outcome, by| {
        note(number, &format!("{outcome:?}"), by);
    });
    let (_, rooms) = out.into_inner().unwrap();
    println!("| room | mutants built | caught | endless | explained | missed | do not compile, or constant |");
    println!("|---|---|---|---|---|---|---|");
    let mut all = Counts::default();
    for (room, counts) in &rooms {
        println!("{}", counts.row(room));
        all.add(counts);
    }
    println!("{}", all.row("all"));
    std::process::exit(i32::from(all.missed > 0));
}

/// How the mutants of a room ended.
#[derive(Default)]
struct Counts {
    caught: usize,
    timeout: usize,
    explained: usize,
    missed: usize,
    outside: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.caught += other.caught;
        self.timeout += other.timeout;
        self.explained += other.explained;
        self.missed += other.missed;
        self.outside += other.outside;
    }

    fn row(&self, name: &str) -> String {
        let Self { caught, timeout, explained, missed, outside } = self;
        let built = caught + timeout + explained + missed;
        format!("| {name} | {built} | {caught} | {timeout} | {explained} | {missed} | {outside} |")
    }
}
