//! A long-lived cluster: small changes before each epoch, plans made in memory that is kept. Once warm, planning allocates
//! nothing. What still does, now and then: a decision larger than any before, and buffers that grow with the number of jobs
//! ever added, since an id is never used twice.
//!
//! ```text
//! cargo run --release --example warm_loop
//! ```

use std::error::Error;
use std::fmt::Write;

use allocation_counter::measure;
use aryl::cluster::{Cluster, GpuType, Job, Pool, Server};
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::id::JobId;
use aryl::units::Seconds;
use oorandom::Rand32;

const INTERVAL: f64 = 300.0; // seconds between two epochs
const DAY: u32 = 288; // epochs
const DAYS: usize = 3;
const ROW: u32 = 72; // epochs of a line

/// Servers on loan in the course of a day: none at first and last, 16 in the middle.
fn wanted(epoch: u32) -> u32 {
    let time = epoch % DAY;
    16 * time.min(DAY - time) / (DAY / 2)
}

/// What happens to a job in an interval: it ends, or it has less to do.
fn advance(cluster: &mut Cluster, job: JobId) -> Result<(), Box<dyn Error>> {
    let (Some(left), Some(definition)) = (cluster.time_to_end(job), cluster.job(job)) else { return Ok(()) };
    if left.0 <= INTERVAL {
        cluster.remove_job(job);
    } else {
        let remaining = Seconds(definition.remaining.0 * (1.0 - INTERVAL / left.0));
        let definition = definition.clone().remaining(remaining);
        cluster.update_job(job, definition)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report()?);
    Ok(())
}

/// Three days of 24 training servers and 16 of inference.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("A100"))?;
    for at in 0..40 {
        cluster.add_server(if at < 24 { Server::training(gpu, 8) } else { Server::inference(gpu, 8) })?;
    }
    // Twelve elastic jobs run for weeks.
    for at in 0..12 {
        let weeks = Seconds(2e6 + 1e5 * f64::from(at));
        cluster.add_job(Job::elastic(2..=16).gpus_per_worker(2).remaining(weeks))?;
    }
    let mut random = Rand32::new(7);
    // These live as long as the scheduler.
    let (planner, mut workspace, mut plan) = (Epoch::default(), Workspace::new(), Plan::default());
    let mut out =
        String::from("day  hour  on loan  running  waiting  steps  preempted  decisions that allocated\n");
    let (mut steps, mut preempted, mut allocating, mut calls) = (0, 0, 0, [0; DAYS]);
    for epoch in 0..DAYS as u32 * DAY {
        // What changed since the last epoch. Nothing is built anew.
        let jobs: Vec<JobId> = cluster.jobs().map(|(id, _)| id).collect();
        for job in jobs {
            advance(&mut cluster, job)?;
        }
        if epoch % 3 == 0 {
            let job = Job::inelastic(random.rand_range(1..3)).gpus_per_worker(1 << random.rand_range(1..4));
            cluster.add_job(job.remaining(Seconds(f64::from(random.rand_range(1_200..30_000)))))?;
        }
        let lent = cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan).count() as u32;
        let ask_back = lent.saturating_sub(wanted(epoch));
        let request = Request::reclaim(ask_back).and_lend(wanted(epoch).saturating_sub(lent));

        // The decision, with the calls of the allocator counted.
        let mut outcome = Ok(());
        let counted = measure(|| outcome = planner.plan_into(&cluster, &request, &mut workspace, &mut plan));
        outcome?;
        cluster.apply(&plan)?; // not counted: it copies the cluster

        steps += plan.actions().iter().filter(|action| action.is_change()).count();
        preempted += plan.reclaim().preempted().len();
        allocating += u32::from(counted.count_total > 0);
        calls[(epoch / DAY) as usize] += counted.count_total;
        if (epoch + 1) % ROW == 0 {
            let (day, hour, now) = (epoch / DAY + 1, (epoch % DAY + 1) / 12, wanted(epoch));
            let (running, waiting) = (plan.totals().running_after, plan.totals().waiting_after);
            write!(out, "{day:>3} {hour:>5} {now:>8} {running:>8} {waiting:>8} {steps:>6} {preempted:>10}")?;
            writeln!(out, " {allocating:>15} of {ROW}")?;
            (steps, preempted, allocating) = (0, 0, 0);
        }
    }
    for (day, calls) in calls.iter().enumerate() {
        writeln!(out, "calls of the allocator while planning, on day {}: {calls}", day + 1)?;
    }
    let again = measure(|| drop(planner.plan_into(&cluster, Request::NONE, &mut workspace, &mut plan)));
    writeln!(
        out,
        "planned once more: the plan is empty ({}), calls: {}",
        plan.is_empty(),
        again.count_total
    )?;
    Ok(out)
}
