//! Table 5 of the Aryl paper: its rows, and what it reports for them.

use aryl::sim::workload::Scenario;

/// What the paper reports for a scheme. Times in seconds.
pub(crate) struct Reported {
    /// Mean, median and 95th percentile.
    pub(crate) queuing: [f64; 3],
    pub(crate) jct: [f64; 3],
    pub(crate) training_usage: f64,
    pub(crate) overall_usage: Option<f64>,
    pub(crate) preempted: Option<f64>,
}

/// A row of our table.
pub(crate) struct Row {
    /// The scenario, or what the scheme is limited to.
    pub(crate) group: &'static str,
    /// The key of the policy that is replayed.
    pub(crate) scheme: &'static str,
    /// Which jobs are elastic, fungible or heterogeneous.
    pub(crate) scenario: Scenario,
    pub(crate) reported: Option<Reported>,
}

/// The baseline comes first. Rows without reported figures are policies that the paper's table does not have.
pub(crate) const ROWS: [Row; 20] = [
    row(
        "",
        "fifo",
        Scenario::Basic,
        reported([3072., 55., 8357.], [16610., 791., 82933.], 0.72, Some(0.52), None),
    ),
    row("Basic", "aryl", Scenario::Basic, BASIC),
    row("Basic", "published", Scenario::Basic, BASIC),
    row(
        "Advanced",
        "aryl",
        Scenario::Advanced,
        reported([1835., 24., 3238.], [10434., 525., 56553.], 0.86, Some(0.68), Some(0.0735)),
    ),
    row(
        "Heterogeneous",
        "aryl",
        Scenario::Heterogeneous,
        reported([1944., 27., 3574.], [12113., 604., 57392.], 0.78, Some(0.64), Some(0.1123)),
    ),
    row(
        "Ideal",
        "aryl",
        Scenario::Ideal,
        reported([1157., 22., 3204.], [8891., 422., 41146.], 0.93, Some(0.72), Some(0.0572)),
    ),
    row(
        LOANING,
        "opportunistic",
        Scenario::Basic,
        reported([2788., 22., 5256.], [14828., 744., 67843.], 0.74, Some(0.63), Some(0.1935)),
    ),
    row(
        LOANING,
        "random",
        Scenario::Basic,
        reported([2901., 23., 5478.], [14678., 731., 62923.], 0.76, Some(0.64), Some(0.2089)),
    ),
    row(
        LOANING,
        "scf",
        Scenario::Basic,
        reported([2783., 24., 4994.], [14923., 695., 62456.], 0.76, Some(0.64), Some(0.1748)),
    ),
    row(
        LOANING,
        "greedy",
        Scenario::Basic,
        reported([2212., 23., 3427.], [12947., 662., 57987.], 0.76, Some(0.65), Some(0.1494)),
    ),
    row(LOANING, "loaning", Scenario::Basic, None),
    row(
        SCALING,
        "gandiva",
        Scenario::Basic,
        reported([3035., 49., 6632.], [15912., 755., 80567.], 0.79, None, None),
    ),
    row(
        SCALING,
        "afs",
        Scenario::Basic,
        reported([2284., 47., 3488.], [15045., 686., 60883.], 0.95, None, None),
    ),
    row(
        SCALING,
        "pollux",
        Scenario::Basic,
        reported([2791., 58., 5883.], [14534., 721., 72123.], 0.93, None, None),
    ),
    row(
        SCALING,
        "scaling",
        Scenario::Basic,
        reported([2275., 47., 3475.], [12048., 602., 57597.], 0.92, None, None),
    ),
    row(OTHERS, "backfill", Scenario::Basic, None),
    row(OTHERS, "sjf", Scenario::Basic, None),
    row(OTHERS, "tiresias", Scenario::Basic, None),
    row(OTHERS, "drf", Scenario::Basic, None),
    row(OTHERS, "optimus", Scenario::Basic, None),
];

const LOANING: &str = "loaning only";
const SCALING: &str = "scaling only";
const OTHERS: &str = "not in the paper";
const BASIC: Option<Reported> =
    reported([2010., 26., 3358.], [11236., 568., 56477.], 0.86, Some(0.65), Some(0.1224));

const fn row(
    group: &'static str,
    scheme: &'static str,
    scenario: Scenario,
    reported: Option<Reported>,
) -> Row {
    Row { group, scheme, scenario, reported }
}

const fn reported(
    queuing: [f64; 3],
    jct: [f64; 3],
    training_usage: f64,
    overall_usage: Option<f64>,
    preempted: Option<f64>,
) -> Option<Reported> {
    Some(Reported { queuing, jct, training_usage, overall_usage, preempted })
}
