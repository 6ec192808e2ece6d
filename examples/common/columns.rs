//! Comma-separated text under a line that names the columns.

use super::text::{cut, one_line};

/// The names of the columns, and the lines below them.
pub(crate) struct Columns<'a> {
    header: Vec<&'a str>,
    text: &'a str,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let header = text.lines().next().map_or("", |header| header);
        Self { header: header.split(',').map(str::trim).collect(), text }
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|&heading| heading == name)
    }

    /// Where the column of this name is, or a message that shows which columns there are.
    pub(crate) fn column(&self, name: &str) -> Result<usize, String> {
        self.find(name).ok_or_else(|| {
            let header = cut(&one_line(&self.header.join(",")), 60);
            format!("no column '{name}' in the first line, which reads '{header}'")
        })
    }

    /// The lines with something on them, each with its number in the file.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Vec<&'a str>)> + use<'a> {
        let lines = self.text.lines().zip(1usize..).skip(1);
        lines
            .filter(|(line, _)| !line.trim().is_empty())
            .map(|(line, number)| (number, line.split(',').map(str::trim).collect()))
    }
}
