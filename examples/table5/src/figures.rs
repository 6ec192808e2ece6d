//! The figures of one scheme, averaged over traces.

use aryl::sim::metrics::{Report, Summary};

/// What is kept of a report.
#[derive(Clone, Copy, Default)]
pub(crate) struct Figures {
    /// Mean, then p50, p75, p95 and p99, in seconds.
    pub(crate) queuing: [f64; 5],
    pub(crate) jct: [f64; 5],
    pub(crate) training_usage: f64,
    pub(crate) overall_usage: f64,
    pub(crate) preempted: f64,
    pub(crate) suspended: f64,
    pub(crate) collateral: f64,
    pub(crate) by_scale_in: f64,
}

impl Figures {
    pub(crate) fn of(report: &Report) -> Self {
        let times = |summary: Summary| {
            [summary.mean, summary.p50, summary.p75, summary.p95, summary.p99].map(|time| time.0)
        };
        Self {
            queuing: times(report.queuing()),
            jct: times(report.jct()),
            training_usage: report.usage.training,
            overall_usage: report.usage.overall,
            preempted: report.preemption_ratio(),
            suspended: report.suspensions() as f64 / report.jobs.len() as f64,
            collateral: report.collateral_damage(),
            by_scale_in: report.scale_in_share(),
        }
    }

    /// The mean of each figure.
    pub(crate) fn mean(all: &[Self]) -> Self {
        let mean = |of: &dyn Fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        Self {
            queuing: core::array::from_fn(|at| mean(&|figures| figures.queuing[at])),
            jct: core::array::from_fn(|at| mean(&|figures| figures.jct[at])),
            training_usage: mean(&|figures| figures.training_usage),
            overall_usage: mean(&|figures| figures.overall_usage),
            preempted: mean(&|figures| figures.preempted),
            suspended: mean(&|figures| figures.suspended),
            collateral: mean(&|figures| figures.collateral),
            by_scale_in: mean(&|figures| figures.by_scale_in),
        }
    }
}
