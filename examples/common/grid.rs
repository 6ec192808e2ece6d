//! A table with right-aligned numbers.

/// The first column to the left, all others to the right, two spaces between. The first row is the heading, underlined. A row
/// with one cell stands as it is.
pub(crate) fn grid(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() > 1).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells =
            row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match (column, row.len()) {
                (_, 1) => cell.clone(),
                (0, _) => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
        if at == 0 {
            text.push_str(&"-".repeat(widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2)));
            text.push('\n');
        }
    }
    text
}
