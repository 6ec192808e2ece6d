//! Runs the tests: once to see which mutants each reaches, then each mutant against those that reach it.

use crate::build::Built;
use crate::list::Mutant;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub struct Test {
    executable: PathBuf,
    name: String,
    seconds: f64,
    reached: HashSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Caught,
    Timeout,
    Missed,
    /// No test reaches it.
    Unreached,
}

fn command(executable: &Path, folder: &Path) -> Command {
    // Some mutants fill the memory: 6 GB is far above what any test needs.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 6000000; exec \"$0\" \"$@\""]).arg(executable).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.env_remove("ARYL_TRACES");
    command
}

/// Whether it passed; none where it ran too long.
fn run(mut command: Command, limit: Duration) -> Option<bool> {
    let mut child = command.spawn().expect("a test runs");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.success());
        }
        if started.elapsed() > limit {
            child.kill().ok();
            child.wait().ok();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn trace(built: &Built, skip: &[String], jobs: usize) -> Vec<Test> {
    let mut names = Vec::new();
    for executable in &built.executables {
        let stem = executable.file_name().unwrap().to_string_lossy().into_owned();
        if skip.iter().any(|skip| stem.starts_with(skip)) {
            continue;
        }
        let list = Command::new(executable).args(["--list", "--format", "terse"]).output().unwrap();
        for line in String::from_utf8_lossy(&list.stdout).lines() {
            if let Some(name) = line.strip_suffix(": test") {
                names.push((executable.clone(), name.to_string()));
            }
        }
    }
    let (next, tests) = (Mutex::new(names.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (next, tests) = (&next, &tests);
            scope.spawn(move || {
                loop {
                    let Some((executable, name)) = next.lock().unwrap().next() else { return };
                    let started = Instant::now();
                    let mut plain = command(&executable, &built.folder);
                    plain.args(["--exact", &name]);
                    if run(plain, Duration::from_secs(300)) != Some(true) {
                        eprintln!("left out, it fails without a mutant: {name}");
                        continue;
                    }
                    let seconds = started.elapsed().as_secs_f64();
                    let notes = built.folder.join(format!("trace-{job}"));
                    std::fs::write(&notes, "").unwrap();
                    let mut traced = command(&executable, &built.folder);
                    traced.args(["--exact", &name]).env("ARYL_MUTANT_TRACE", &notes);
                    run(traced, Duration::from_secs(600));
                    let bytes = std::fs::read(&notes).unwrap();
                    let reached = bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
                    tests.lock().unwrap().push(Test { executable, name, seconds, reached });
                }
            });
        }
    });
    let mut tests = tests.into_inner().unwrap();
    tests.sort_by(|a, b| (&a.executable, &a.name).cmp(&(&b.executable, &b.name)));
    tests
}

/// The function of a mutant, as its name tells.
fn function(mutant: &Mutant) -> String {
    let place = mutant.name.split(':').next().unwrap_or("");
    let name = mutant.name.rsplit(" in ").next().unwrap_or("");
    format!("{place} {}", name.split(" -> ").next().unwrap_or(""))
}

/// Each mutant of `numbers` against the tests that reach it, until one fails or `budget` seconds of tests have run.
pub fn judge(
    built: &Built,
    tests: &[Test],
    mutants: &[Mutant],
    numbers: &[usize],
    budget: f64,
    jobs: usize,
    report: &(dyn Fn(usize, Outcome, &str) + Sync),
) {
    let next = Mutex::new(numbers.iter().copied());
    let kills: Mutex<HashMap<(String, usize), usize>> = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let Some(number) = next.lock().unwrap().next() else { return };
                    let home = function(&mutants[number]);
                    let mut reaching: Vec<usize> =
                        (0..tests.len()).filter(|&test| tests[test].reached.contains(&(number as u32))).collect();
                    {
                        let kills = kills.lock().unwrap();
                        let rank = |test: usize| {
                            let killed = kills.get(&(home.clone(), test)).copied().unwrap_or(0);
                            let cost = (0.005 + tests[test].seconds) * (100.0 + tests[test].reached.len() as f64);
                            cost / (1.0 + 20.0 * killed as f64)
                        };
                        reaching.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)));
                    }
                    let (mut outcome, mut by, mut spent) = (Outcome::Missed, String::new(), 0.0);
                    if reaching.is_empty() {
                        outcome = Outcome::Unreached;
                    }
                    for &test in &reaching {
                        if spent > budget {
                            by = "not all tests ran".to_string();
                            break;
                        }
                        spent += tests[test].seconds;
                        let mut mutated = command(&tests[test].executable, &built.folder);
                        mutated.args(["--exact", &tests[test].name]).env("ARYL_MUTANT", number.to_string());
                        let limit = Duration::from_secs_f64(5.0 + 10.0 * tests[test].seconds);
                        outcome = match run(mutated, limit) {
                            Some(true) => continue,
                            Some(false) => Outcome::Caught,
                            None => Outcome::Timeout,
                        };
                        by.clone_from(&tests[test].name);
                        *kills.lock().unwrap().entry((home.clone(), test)).or_default() += 1;
                        break;
                    }
                    report(number, outcome, &by);
                }
            });
        }
    });
}

pub fn summary(tests: &[Test]) -> String {
    let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
    format!("{} tests, {seconds:.0} s one after the other", tests.len())
}
