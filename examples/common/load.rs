//! A recorded inference load, read from comma-separated text; columns are found by their names.

use aryl::sim::workload::InferenceLoad;
use aryl::units::Seconds;

use super::columns::Columns;
use super::text::{cut, one_line};

/// Reads a load: one header line with at least `t_s` and `load`, then one line a point, in the order of time. Where there is
/// a column `source`, only the lines of that source are read. The load is repeated until `span`.
pub(crate) fn parse(text: &str, source: Option<&str>, span: Seconds) -> Result<InferenceLoad, String> {
    let table = Columns::new(text);
    let (time_column, load_column) = (table.column("t_s")?, table.column("load")?);
    let source_column = source.map(|_| table.column("source")).transpose()?;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (line, fields) in table.rows() {
        let field = |column: usize| fields.get(column).copied().unwrap_or("");
        if source_column.is_some_and(|column| Some(field(column)) != source) {
            continue;
        }
        let number = |name: &str, column: usize| {
            let value: Option<f64> = field(column).parse().ok().filter(|value: &f64| value.is_finite());
            value.ok_or_else(|| {
                format!("line {line}: {name} is '{}', not a number", cut(&one_line(field(column)), 30))
            })
        };
        // 1 is the 99.9th percentile of the source, so that some points are above.
        points.push((number("t_s", time_column)?, number("load", load_column)?.clamp(0.0, 1.0)));
    }
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(match source {
            Some(source) => format!("no line of the source '{source}' in it"),
            None => "no line in it".to_string(),
        });
    };
    let step = points.get(1).map_or(300.0, |second| second.0 - first.0);
    let (start, period) = (first.0, last.0 - first.0 + step);
    if period <= 0.0 {
        return Err("the times do not ascend".to_string());
    }
    let repeats = (span.0 / period).ceil().clamp(1.0, 10_000.0) as u32;
    let repeated = (0..repeats).flat_map(|repeat| {
        let shift = f64::from(repeat) * period - start;
        points.iter().map(move |&(time, load)| (Seconds(time + shift), load))
    });
    InferenceLoad::new(repeated).map_err(|error| error.to_string())
}
