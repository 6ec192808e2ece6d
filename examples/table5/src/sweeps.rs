//! The paper's sweeps: one property of the jobs of the Basic scenario is changed at a time.

use aryl::scaling::ScalingCurve;
use aryl::sim::workload::JobKinds;
use aryl::units::Seconds;

/// A sweep: what is changed, and the jobs for each of its values.
pub(crate) struct Sweep {
    pub(crate) title: &'static str,
    pub(crate) points: Vec<(String, JobKinds)>,
}

/// All of them, from these jobs on.
pub(crate) fn all(basic: &JobKinds) -> Vec<Sweep> {
    let basic = || basic.clone();
    let shares = |shares: &[u32], kinds: &dyn Fn(f64) -> JobKinds| {
        shares.iter().map(|&share| (format!("{share} %"), kinds(f64::from(share) / 100.0))).collect()
    };
    vec![
        Sweep {
            title: "elastic jobs, drawn evenly",
            points: shares(&[0, 20, 40, 60, 80, 100], &|elastic| JobKinds {
                elastic,
                elastic_load: None,
                elastic_running_time: None,
                ..basic()
            }),
        },
        Sweep {
            title: "jobs whose estimate is off by up to 25 %",
            points: shares(&[0, 20, 60, 100], &|wrong_estimates| JobKinds {
                wrong_estimates,
                estimate_error: 0.25,
                ..basic()
            }),
        },
        Sweep {
            title: "jobs whose estimate is off by up to 90 %",
            points: shares(&[20, 60, 100], &|wrong_estimates| JobKinds {
                wrong_estimates,
                estimate_error: 0.9,
                ..basic()
            }),
        },
        Sweep {
            title: "loss of each added worker",
            points: shares(&[0, 20, 40], &|loss| JobKinds {
                scaling: ScalingCurve::LossPerAddedWorker { loss },
                ..basic()
            }),
        },
        Sweep {
            title: "jobs with a checkpoint every 30 min",
            points: shares(&[0, 25, 50, 75, 100], &|checkpointed| JobKinds {
                checkpointed,
                checkpoint_interval: Seconds(1_800.0),
                ..basic()
            }),
        },
        Sweep {
            title: "heterogeneous jobs, at 70 % of full speed",
            points: shares(&[0, 10, 30, 50], &|heterogeneous| JobKinds { heterogeneous, ..basic() }),
        },
    ]
}
