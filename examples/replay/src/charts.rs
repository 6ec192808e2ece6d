//! Charts of several policies, as SVG files.

use std::path::Path;

use aryl::sim::metrics::Report;
use plotters::coord::Shift;
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

fn chart(
    path: &Path,
    caption: &str,
    curves: &[Curve<'_>],
    is_logarithmic: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let area: Area<'_> = SVGBackend::new(path, (960, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let most = |of: fn(&(f64, f64)) -> f64| {
        curves.iter().flat_map(|(_, points)| points.iter()).map(of).fold(0.0, f64::max)
    };
    let (right, top) = (most(|point| point.0).max(2.0), most(|point| point.1));
    // A share is drawn up to 1, servers up to the most there are.
    let top = if top <= 1.0 { 1.0 } else { top * 1.05 };
    let mut builder = ChartBuilder::on(&area);
    builder.caption(caption, ("sans-serif", 18)).margin(12).x_label_area_size(32).y_label_area_size(56);
    if is_logarithmic {
        let mut chart = builder.build_cartesian_2d((1.0..right).log_scale(), 0.0..top)?;
        chart.configure_mesh().light_line_style(WHITE).draw()?;
        for (at, &(title, points)) in curves.iter().enumerate() {
            let color = Palette99::pick(at).to_rgba();
            chart
                .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
                .label(title)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    } else {
        let mut chart = builder.build_cartesian_2d(0.0..right, 0.0..top)?;
        chart.configure_mesh().light_line_style(WHITE).draw()?;
        for (at, &(title, points)) in curves.iter().enumerate() {
            let color = Palette99::pick(at).to_rgba();
            chart
                .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
                .label(title)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    }
    area.present()?;
    Ok(())
}
