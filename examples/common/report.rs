//! The whole answer as text: servers, jobs, steps, certificates, totals.

use aryl::certificate::Certificate;
use aryl::cluster::{AllowedGpuTypes, Cluster, Job};
use aryl::id::JobId;
use aryl::units::Seconds;

use super::picture;
use super::reasons::{Reasons, Story};
use super::text::{count, grouped, paragraph, percent, seconds, table};
use super::workforce::{Workforce, span};

/// A table of jobs with more rows than this shows only the jobs that change.
const ROWS: usize = 48;

/// Appends the whole answer.
pub(crate) fn write(out: &mut String, story: Story<'_>) {
    heading(out, "Servers before and after");
    picture::servers(out, story.names, story.before, story.after);
    let legend = "A capital letter is a GPU of one of the job's base workers, a small letter one of its flexible \
                  workers, . is idle, - serves inference.";
    paragraph(out, "  ", legend);
    heading(out, "Jobs");
    jobs(out, story);
    heading(out, "Plan, in the order to carry it out");
    let reasons = Reasons::new(story);
    steps(out, &reasons);
    waiting(out, &reasons, story);
    heading(out, "How good the plan is");
    certificates(out, story);
    heading(out, "Totals");
    totals(out, story);
}

fn heading(out: &mut String, text: &str) {
    out.push('\n');
    out.push_str(text);
    out.push('\n');
}

fn jobs(out: &mut String, story: Story<'_>) {
    let Story { names, before, after, .. } = story;
    let mut shown: Vec<(JobId, &Job)> = before.jobs().collect();
    let all = shown.len();
    if all > ROWS {
        shown.retain(|&(id, _)| before.placements(id) != after.placements(id));
        shown.truncate(ROWS);
    }
    let headings = ["", "name", "asks for", "may run on", "workers", "ends in"];
    let mut rows = vec![headings.map(str::to_string).to_vec()];
    for &(id, job) in &shown {
        let row = [
            names.mark(id).to_string(),
            names.job_name(id).to_string(),
            asks_for(job),
            may_run_on(before, job),
            from_to(holds(before, id), holds(after, id)),
            from_to(ends_in(before, id, job), ends_in(after, id, job)),
        ];
        rows.push(row.to_vec());
    }
    table(out, &rows);
    let notes = shown.iter().filter_map(|&(id, job)| Some(format!("{} {}", names.mark(id), notes(job)?)));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        paragraph(out, "  ", &format!("{}.", notes.join("; ")));
    }
    if all > shown.len() {
        let others = count((all - shown.len()) as u64, "job");
        paragraph(out, "  ", &format!("(Not shown: {others}, those that do not change first.)"));
    }
}

fn asks_for(job: &Job) -> String {
    let workers = match (job.min_workers, job.max_workers) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    format!("{workers} x {} GPU{}", job.gpus_per_worker, if job.gpus_per_worker == 1 { "" } else { "s" })
}

fn may_run_on(cluster: &Cluster, job: &Job) -> String {
    let types = match &job.gpu_types {
        AllowedGpuTypes::Any => "any".to_string(),
        some => {
            let allowed = cluster.gpu_types().filter(|(id, _)| some.contains(*id));
            let allowed: Vec<&str> = allowed.map(|(_, gpu_type)| gpu_type.name.as_str()).collect();
            allowed.join(" or ")
        }
    };
    if job.is_heterogeneous() { format!("{types}, mixed") } else { types }
}

fn holds(cluster: &Cluster, job: JobId) -> String {
    if !cluster.is_running(job) {
        return "waits".to_string();
    }
    Workforce::of(cluster, job).describe(cluster)
}

fn ends_in(cluster: &Cluster, id: JobId, job: &Job) -> String {
    if !cluster.is_running(id) {
        return String::new();
    }
    span(Workforce::of(cluster, id).time_to_end(cluster, job))
}

fn from_to(before: String, after: String) -> String {
    match (before.is_empty(), after.is_empty()) {
        _ if before == after => before,
        (true, _) => after,
        (_, true) => String::new(),
        _ => format!("{before} -> {after}"),
    }
}

/// What else there is to know about a job, as the rest of a sentence.
fn notes(job: &Job) -> Option<String> {
    let mut notes = Vec::new();
    if job.protected {
        notes.push("must not be preempted".to_string());
    }
    if job.preemption_cost != 1 {
        notes.push(format!("costs {} to preempt, not 1", grouped(job.preemption_cost)));
    }
    if job.resize_overhead.0 > 0.0 {
        notes.push(format!("loses {} when its number of workers changes", seconds(job.resize_overhead)));
    }
    if (job.weight - 1.0).abs() > 0.0 {
        notes.push(format!("has weight {}", job.weight));
    }
    if notes.is_empty() { None } else { Some(notes.join(" and ")) }
}

fn steps(out: &mut String, reasons: &Reasons<'_>) {
    let mut number = 1;
    for step in reasons.steps() {
        let last = number + step.steps - 1;
        let label = if last == number { number.to_string() } else { format!("{number}-{last}") };
        paragraph(out, &format!("  {label:>5}  "), &step.what);
        if !step.why.is_empty() {
            paragraph(out, "           ", &step.why);
        }
        number = last + 1;
    }
    if number == 1 {
        out.push_str("  Nothing to do.\n");
    }
}

fn waiting(out: &mut String, reasons: &Reasons<'_>, story: Story<'_>) {
    let all = story.after.jobs().filter(|&(id, _)| !story.after.is_running(id)).count();
    if all == 0 {
        return;
    }
    heading(out, "Jobs that wait");
    for (job, why) in reasons.waiting().take(ROWS) {
        paragraph(out, "  ", &format!("{}: {why}", story.names.job(job)));
    }
    if all > ROWS {
        paragraph(out, "  ", &format!("... and {}", count((all - ROWS) as u64, "other job")));
    }
}

fn certificates(out: &mut String, story: Story<'_>) {
    let (plan, cluster) = (story.plan, story.before);
    let reclaim = plan.reclaim();
    let servers = reclaim.servers().len() as u64;
    if servers > 0 {
        let certificate = reclaim.certificate();
        let text = format!(
            "{} go back; that preempts {} at a cost of {}, and {}. Collateral damage: {} of preempted jobs on servers \
             that stay, {} of those that go back. Time lost to scaling in: {}.",
            count(servers, "server"),
            count(reclaim.preempted().len() as u64, "job"),
            grouped(certificate.objective()),
            match certificate.is_optimal() {
                true => "no other choice of servers costs less: proven optimal".to_string(),
                false => format!("any other choice costs at least {}", grouped(certificate.bound())),
            },
            count(reclaim.collateral_gpus(), "GPU"),
            percent(reclaim.collateral_gpus(), reclaim.returned_gpus()),
            seconds(reclaim.jct_lost()),
        );
        paragraph(out, "  reclaim   ", &text);
    }
    for allocation in plan.allocations() {
        let name = cluster.gpu_type(allocation.gpu_type).map_or("?", |gpu_type| gpu_type.name.as_str());
        let text = format!(
            "{} could share {} beyond base demands. Their flexible workers bring the ends forward by {}, \
             all told, and {}.",
            count(u64::from(allocation.jobs), "elastic job"),
            count(allocation.capacity, "GPU"),
            from_milliseconds(allocation.certificate.objective()),
            knapsack_bound(&allocation.certificate),
        );
        paragraph(out, &format!("  {name:8}  "), &text);
    }
    if servers == 0 && plan.allocations().is_empty() {
        out.push_str("  No server was asked back, and no elastic job runs: there was nothing to optimise.\n");
    }
}

fn knapsack_bound(certificate: &Certificate) -> String {
    if certificate.is_optimal() {
        return "no other split brings more: proven optimal".to_string();
    }
    let gap = percent(certificate.gap(), certificate.bound());
    format!("no split brings more than {}: a gap of {gap}", from_milliseconds(certificate.bound()))
}

fn from_milliseconds(milliseconds: u64) -> String {
    seconds(Seconds(milliseconds as f64 / 1_000.0))
}

fn totals(out: &mut String, story: Story<'_>) {
    let totals = story.plan.totals();
    let row = |name: &str, before: String, after: String| vec![name.to_string(), before, after];
    let jobs = |number: u32| grouped(u64::from(number));
    let busy = |busy: u64, gpus: u64| format!("{} ({})", grouped(busy), percent(busy, gpus));
    let rows = [
        row("", "before".to_string(), "after".to_string()),
        row("jobs that run", jobs(totals.running_before), jobs(totals.running_after)),
        row("jobs that wait", jobs(totals.waiting_before), jobs(totals.waiting_after)),
        row("GPUs for training", grouped(totals.gpus_before), grouped(totals.gpus_after)),
        row(
            "GPUs busy",
            busy(totals.busy_before, totals.gpus_before),
            busy(totals.busy_after, totals.gpus_after),
        ),
        row(
            "completion sooner by flexible workers",
            seconds(totals.jct_reduction_before),
            seconds(totals.jct_reduction_after),
        ),
    ];
    table(out, &rows);
}
