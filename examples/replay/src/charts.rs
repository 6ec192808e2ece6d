//! Charts of several policies, as SVG files.

use std::path::Path;

use aryl::sim::metrics::Report;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

/// What is drawn of a report.
pub(crate) struct Drawing {
    /// Day, and the share of all GPUs that are busy.
    usage: Vec<(f64, f64)>,
    /// Day, and servers on loan.
    on_loan: Vec<(f64, f64)>,
    /// Seconds, and the share of the jobs that wait or take no longer.
    queuing: Vec<(f64, f64)>,
    jct: Vec<(f64, f64)>,
}

/// Points of a curve: more than can be told apart are not drawn.
const POINTS: usize = 600;

impl Drawing {
    pub(crate) fn of(report: &Report, gpus: u64) -> Self {
        // Up to the last submission: what comes after it is the tail of a few long jobs.
        let end = report.jobs.iter().map(|job| job.submitted.0).fold(0.0, f64::max);
        let samples: Vec<_> = report.series.iter().filter(|sample| sample.time.0 <= end).collect();
        let step = samples.len().div_ceil(POINTS).max(1);
        let over_time = |value: &dyn Fn(&aryl::sim::metrics::Sample) -> f64| {
            let means = samples.chunks(step).map(|part| {
                let mean = part.iter().map(|sample| value(sample)).sum::<f64>() / part.len() as f64;
                (part[0].time.0 / 86_400.0, mean)
            });
            means.collect()
        };
        let busy = |sample: &aryl::sim::metrics::Sample| {
            (sample.training_busy + sample.on_loan_busy + sample.inference_busy) as f64 / gpus as f64
        };
        Self {
            usage: over_time(&busy),
            on_loan: over_time(&|sample| f64::from(sample.on_loan_servers)),
            queuing: distribution(report.jobs.iter().map(|job| job.queuing.0)),
            jct: distribution(report.jobs.iter().map(|job| job.jct().0)),
        }
    }
}

/// The cumulative distribution. Times below a second are drawn as a second, since the axis is logarithmic.
fn distribution(times: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let mut times: Vec<f64> = times.map(|time| time.max(1.0)).collect();
    times.sort_unstable_by(f64::total_cmp);
    let (count, step) = (times.len(), times.len().div_ceil(POINTS).max(1));
    let point = |at: usize| (times[at], (at + 1) as f64 / count as f64);
    let inner = (0..count).step_by(step).map(point);
    inner.chain(count.checked_sub(1).map(point)).collect()
}

type Curve<'a> = (&'a str, &'a [(f64, f64)]);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws all charts into a folder, which is made where it is not there, and names the files.
pub(crate) fn draw(folder: &str, drawings: &[(&str, &Drawing)]) -> Result<Vec<String>, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{folder}: {error}"))?;
    let curves = |of: fn(&Drawing) -> &[(f64, f64)]| -> Vec<Curve<'_>> {
        drawings.iter().map(|&(title, drawing)| (title, of(drawing))).collect()
    };
    let charts = [
        ("usage.svg", "Share of all GPUs that are busy, by day", curves(|drawing| &drawing.usage), false),
        ("on_loan.svg", "Servers on loan, by day", curves(|drawing| &drawing.on_loan), false),
        ("queuing.svg", "Share of the jobs, by queuing time (s)", curves(|drawing| &drawing.queuing), true),
        ("jct.svg", "Share of the jobs, by completion time (s)", curves(|drawing| &drawing.jct), true),
    ];
    let mut files = Vec::new();
    for (name, caption, curves, is_logarithmic) in charts {
        let path = Path::new(folder).join(name);
        chart(&path, caption, &curves, is_logarithmic)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        files.push(path.display().to_string());
    }
    Ok(files)
}

/// The palette of Okabe and Ito, which differs for the colour-blind too; black comes last. Then it starts anew.
const COLORS: [RGBColor; 8] = [
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0x8a, 0x6d, 0x3b),
    BLACK,
];
const SIZE: (u32, u32) = (960, 480);
/// Names of curves in a row beneath the chart, and the height of a row.
const COLUMNS: usize = 6;
const ROW: usize = 24;

fn line_style(at: usize) -> ShapeStyle {
    COLORS[at % COLORS.len()].stroke_width(2)
}

fn chart(
    path: &Path,
    caption: &str,
    curves: &[Curve<'_>],
    is_logarithmic: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let rows = curves.len().div_ceil(COLUMNS) * ROW;
    let area: Area<'_> = SVGBackend::new(path, (SIZE.0, SIZE.1 + rows as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let (area, names) = area.split_vertically(SIZE.1);
    let most = |of: fn(&(f64, f64)) -> f64| {
        curves.iter().flat_map(|(_, points)| points.iter()).map(of).fold(0.0, f64::max)
    };
    let (right, top) = (most(|point| point.0).max(2.0), most(|point| point.1));
    // A share is drawn up to 1, servers up to the most there are.
    let top = if top <= 1.0 { 1.0 } else { top * 1.05 };
    let mut builder = ChartBuilder::on(&area);
    builder.caption(caption, ("sans-serif", 20)).margin(12).x_label_area_size(32).y_label_area_size(56);
    if is_logarithmic {
        fill(builder.build_cartesian_2d((1.0..right).log_scale(), 0.0..top)?, curves)?;
    } else {
        fill(builder.build_cartesian_2d(0.0..right, 0.0..top)?, curves)?;
    }
    for (at, &(title, _)) in curves.iter().enumerate() {
        let width = (SIZE.0 - 56) as usize / COLUMNS;
        let (x, y) = ((56 + at % COLUMNS * width) as i32, (at / COLUMNS * ROW + 6) as i32);
        names.draw(&PathElement::new([(x, y), (x + 22, y)], line_style(at)))?;
        names.draw(&Text::new(title.to_string(), (x + 28, y - 8), ("sans-serif", 18)))?;
    }
    names.present()?;
    Ok(())
}

/// Draws the axes and the curves.
fn fill<'a, X>(
    mut chart: ChartContext<'_, SVGBackend<'a>, Cartesian2d<X, RangedCoordf64>>,
    curves: &[Curve<'_>],
) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    // Whole numbers without a decimal: days, servers and seconds.
    let number =
        |value: &f64| if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .label_style(("sans-serif", 17))
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .draw()?;
    for (at, &(_, points)) in curves.iter().enumerate() {
        chart.draw_series(LineSeries::new(points.iter().copied(), line_style(at)))?;
    }
    Ok(())
}
