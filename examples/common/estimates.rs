//! What criterion wrote down: the estimates of a bench, when they were made, and times for people to read.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder in which criterion keeps its results.
pub(crate) struct Estimates {
    folder: PathBuf,
    /// When the latest of the estimates read so far was made.
    latest: Option<SystemTime>,
}

impl Estimates {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, latest: None }
    }

    /// The median of a bench in nanoseconds, by its group, function and value as criterion names its folders; `None`
    /// where it was not run.
    pub(crate) fn median(&mut self, bench: &str) -> Option<f64> {
        let file = self.folder.join(bench).join("new").join("estimates.json");
        let median = read(&file)?;
        let made = std::fs::metadata(&file).and_then(|about| about.modified()).ok();
        self.latest = self.latest.max(made);
        Some(median)
    }

    /// The day of the latest estimate since the last call, as year, month and day.
    pub(crate) fn take_day(&mut self) -> Option<String> {
        self.latest.take().map(day)
    }
}

fn read(file: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
    estimates["median"]["point_estimate"].as_f64().filter(|time| *time > 0.0)
}

/// A day of the Gregorian calendar, in UTC.
fn day(time: SystemTime) -> String {
    let mut days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// A time with its unit, in two or three digits.
pub(crate) fn time(nanoseconds: Option<f64>) -> String {
    let Some(nanoseconds) = nanoseconds else { return "–".into() };
    let (value, unit) = match nanoseconds {
        time if time < 1e6 => (time / 1e3, "µs"),
        time if time < 1e9 => (time / 1e6, "ms"),
        time => (time / 1e9, "s"),
    };
    // A space at which no line breaks.
    format!("{value:.*}\u{a0}{unit}", usize::from(value < 100.0 && (unit != "µs" || value < 10.0)))
}

/// A number with a comma before every three digits.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes with their unit.
pub(crate) fn bytes(number: u64) -> String {
    match number as f64 {
        few if few < 1e3 => format!("{few} B"),
        some if some < 1e6 => format!("{:.0} kB", some / 1e3),
        many => format!("{:.1} MB", many / 1e6),
    }
}

/// A markdown table.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        cells.fold(String::from("|"), |line, cell| line + " " + cell + " |") + "\n"
    };
    let rule = "|".to_string() + &"---|".repeat(head.len()) + "\n";
    let rows = rows.iter().map(|row| line(&mut row.iter().map(String::as_str)));
    line(&mut head.iter().copied()) + &rule + &rows.collect::<String>()
}
