//! Numbers, times, tables and paragraphs as text for a person.

use aryl::units::Seconds;

/// No line is longer than this.
pub(crate) const WIDTH: usize = 100;

/// The space between a number and its unit: no line is broken there. It is printed as a common space.
pub(crate) const GLUE: char = '\u{a0}';

/// A number with its thousands marked: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
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

/// Whole seconds with their thousands marked: `12,345 s`.
pub(crate) fn seconds(time: Seconds) -> String {
    format!("{}{GLUE}s", grouped(time.0.round() as u64))
}

/// A share in percent, with one decimal: `87.5 %`. A share of nothing is 0.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    format!("{:.1}{GLUE}%", 100.0 * share)
}

/// A count with its noun, an `s` added for any number but one: `1 job`, `2 jobs`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The text on one line: line breaks and other control characters become spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text, cut to so many characters.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Appends a paragraph: `first` stands before the first line, and the others are indented as far.
pub(crate) fn paragraph(out: &mut String, first: &str, text: &str) {
    let indent = " ".repeat(first.chars().count());
    let mut line = first.to_string();
    let mut is_start = true;
    for word in text.split(' ') {
        if !is_start && line.chars().count() + 1 + word.chars().count() > WIDTH {
            end_line(out, &line);
            line.clone_from(&indent);
            is_start = true;
        }
        if !is_start {
            line.push(' ');
        }
        line.push_str(word);
        is_start = false;
    }
    end_line(out, &line);
}

fn end_line(out: &mut String, line: &str) {
    out.push_str(&line.trim_end().replace(GLUE, " "));
    out.push('\n');
}

/// Appends a table: two spaces before each row and between columns, each column as wide as its widest cell.
pub(crate) fn table(out: &mut String, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("  {cell:width$}"));
        }
        end_line(out, &cut(line.trim_end(), WIDTH));
    }
}
