//! A scaling curve of one's own, and what it changes: GPUs go where they shorten a job, not where there is most to do.
//!
//! ```text
//! cargo run --release --example custom_curve
//! ```

use std::error::Error;
use std::fmt::Write;

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Request};
use aryl::scaling::{Scaling, ScalingCurve};
use aryl::units::Seconds;

/// A step of synchronous training on a fixed batch: the computing is shared among the workers, the all-reduce of the
/// gradients is not. A ring sends each gradient 2 (n − 1) / n times through every worker's link.
struct RingAllReduce {
    /// Seconds of computing a step, on one worker.
    compute: f64,
    /// Seconds in which the gradients pass through one link once.
    transfer: f64,
}

impl RingAllReduce {
    fn step(&self, workers: u32) -> f64 {
        let workers = f64::from(workers);
        self.compute / workers + self.transfer * 2.0 * (workers - 1.0) / workers
    }
}

impl Scaling for RingAllReduce {
    fn speedup(&self, base: u32, workers: u32) -> f64 {
        self.step(base) / self.step(workers)
    }
}

const NAMES: [&str; 3] = ["llm-finetune", "detector", "speech"];
/// Workers at least and at most, hours to go with the least, and the two times of a step.
const JOBS: [(u32, u32, f64, RingAllReduce); 3] = [
    // Large gradients on a slow link: eight workers are hardly faster than two.
    (2, 8, 20.0, RingAllReduce { compute: 0.8, transfer: 0.5 }),
    (2, 8, 12.0, RingAllReduce { compute: 0.8, transfer: 0.02 }),
    (1, 4, 6.0, RingAllReduce { compute: 0.3, transfer: 0.01 }),
];

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// The same twelve GPUs, given out by the linear curve and by the measured ones.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let mut averages = Vec::new();
    for (title, own) in [("every job taken to be linear", false), ("each job by its own curve", true)] {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("A100"))?;
        cluster.add_server(Server::training(gpu, 8))?;
        cluster.add_server(Server::training(gpu, 4))?;
        for (least, most, hours, curve) in &JOBS {
            // The crate samples the curve once, at every number of workers that the job may have.
            let curve = if own { ScalingCurve::sampled(curve, *most)? } else { ScalingCurve::Linear };
            cluster
                .add_job(Job::elastic(*least..=*most).remaining(Seconds(3_600.0 * hours)).scaling(curve))?;
        }
        let plan = Epoch::default().plan(&cluster, Request::NONE)?;
        cluster.apply(&plan)?;

        writeln!(out, "{title}:\n  {:14}{:>9}{:>14}{:>12}", "job", "workers", "said to end", "ends after")?;
        let mut sum = 0.0;
        for (id, _) in cluster.jobs() {
            let (least, _, hours, curve) = &JOBS[id.index()];
            let workers = cluster.workers(id) as u32;
            let said = cluster.time_to_end(id).map_or(f64::INFINITY, |time| time.0 / 3_600.0);
            let true_hours = hours / curve.speedup(*least, workers);
            sum += true_hours;
            writeln!(out, "  {:14}{workers:>9}{said:>12.1} h{true_hours:>10.1} h", NAMES[id.index()])?;
        }
        averages.push(sum / JOBS.len() as f64);
        let certificate = plan.allocations()[0].certificate; // in milliseconds
        let gain = certificate.objective() as f64 / 3_600_000.0;
        let proof =
            if certificate.is_optimal() { "proven to be the most" } else { "not proven to be the most" };
        writeln!(
            out,
            "  hours saved by the workers above the least, as the plan sees it: {gain:.1}, {proof}\n"
        )?;
    }
    writeln!(
        out,
        "true completion time, on average: {:.2} h, and {:.2} h with the curves",
        averages[0], averages[1]
    )?;
    assert!(averages[1] < averages[0]);
    Ok(out)
}
