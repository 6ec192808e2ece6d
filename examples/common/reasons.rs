//! Why each step of a plan is taken, and why each job that waits does.
//!
//! All of it follows from three things: the cluster before, the cluster after, and the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use aryl::allocate::shortest_first;
use aryl::cluster::{Cluster, Job, Role};
use aryl::epoch::{Action, Cause, Plan};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;

use super::document::Names;
use super::text::{count, grouped, seconds};
use super::workforce::{Workforce, span};

/// What a reason is drawn from.
#[derive(Clone, Copy)]
pub(crate) struct Story<'a> {
    pub(crate) names: &'a Names,
    pub(crate) before: &'a Cluster,
    pub(crate) after: &'a Cluster,
    pub(crate) plan: &'a Plan,
}

/// Some steps of a plan that belong together, in words.
pub(crate) struct Explained {
    /// How many steps of the plan these are.
    pub(crate) steps: usize,
    pub(crate) what: String,
    pub(crate) why: String,
}

/// The story, and what is looked up in it time and again.
pub(crate) struct Reasons<'a> {
    story: Story<'a>,
    /// The place of each job in the queue as the plan saw it, from 1: of those that waited and those that it preempts.
    places: BTreeMap<JobId, usize>,
    /// The steps that concern a server, in order.
    at_server: BTreeMap<ServerId, Vec<Action>>,
    /// The steps that concern a job, in order.
    of_job: BTreeMap<JobId, Vec<Action>>,
}

impl<'a> Reasons<'a> {
    pub(crate) fn new(story: Story<'a>) -> Self {
        let mut cluster = story.before.clone();
        for &job in story.plan.reclaim().preempted() {
            // A preempted job runs, so it can be stopped.
            let _ = cluster.stop(job);
        }
        let places = shortest_first(&cluster).into_iter().zip(1..).collect();
        let mut reasons = Self { story, places, at_server: BTreeMap::new(), of_job: BTreeMap::new() };
        for action in story.plan.actions() {
            if let Some(server) = server_of(action) {
                reasons.at_server.entry(server).or_default().push(*action);
            }
            if let Some(job) = job_of(action) {
                reasons.of_job.entry(job).or_default().push(*action);
            }
        }
        reasons
    }

    /// The steps of the plan in order, the steps of one kind for one job together.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Explained> {
        self.story.plan.actions().chunk_by(belong_together).map(|group| self.explain(group))
    }

    /// The jobs that wait after the plan, each with the reason.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (JobId, String)> {
        let after = self.story.after;
        let waits = after.jobs().filter(|&(id, _)| !after.is_running(id));
        waits.map(|(id, job)| (id, self.why_it_waits(job)))
    }
}

/// Whether two steps, one after the other, are told as one: they are of one kind, for one job.
fn belong_together(a: &Action, b: &Action) -> bool {
    let same_job = job_of(a).is_some() && job_of(a) == job_of(b);
    let both_kept = matches!((a, b), (Action::Keep { .. }, Action::Keep { .. }));
    discriminant(a) == discriminant(b) && (same_job || both_kept)
}

fn job_of(action: &Action) -> Option<JobId> {
    match *action {
        Action::Preempt { job }
        | Action::ScaleIn { job, .. }
        | Action::Start { job, .. }
        | Action::ScaleOut { job, .. }
        | Action::Keep { job } => Some(job),
        _ => None,
    }
}

fn server_of(action: &Action) -> Option<ServerId> {
    match *action {
        Action::ScaleIn { server, .. }
        | Action::Return { server }
        | Action::Lend { server }
        | Action::Start { server, .. }
        | Action::ScaleOut { server, .. } => Some(server),
        _ => None,
    }
}

/// Names in a row, each once: `a, b and c`. Of very many, the first few and how many others.
fn listed(mut names: Vec<String>) -> String {
    const MOST: usize = 24;
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if names.len() > MOST {
        let others = names.split_off(MOST - 1).len();
        names.push(format!("{} others", grouped(others as u64)));
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn cost_of_resize(job: &Job) -> Option<String> {
    let has_cost = job.resize_overhead.0 > 0.0;
    has_cost.then(|| format!("the change of size itself costs it {}", seconds(job.resize_overhead)))
}

impl Reasons<'_> {
    fn explain(&self, group: &[Action]) -> Explained {
        let (what, why) = match group[0] {
            Action::Preempt { job } => {
                (format!("preempt {}", self.story.names.job(job)), self.why_preempted(job))
            }
            Action::ScaleIn { job, .. } => {
                let what = format!("scale in {}: {}", self.story.names.job(job), self.moves(group, "leave"));
                (what, self.why_scaled_in(job, group))
            }
            Action::Return { server } => {
                (format!("return {}", self.story.names.server(server)), self.why_returned(server))
            }
            Action::Lend { server } => {
                let gpus = self.story.before.server(server).map_or(0, |server| server.gpus);
                let why = format!("inference lends it: {} for training", count(u64::from(gpus), "more GPU"));
                (format!("lend {}", self.story.names.server(server)), why)
            }
            Action::Start { job, .. } => {
                let what = format!("start {}: {}", self.story.names.job(job), self.moves(group, "on"));
                (what, self.why_started(job))
            }
            Action::ScaleOut { job, .. } => {
                let what = format!("scale out {}: {}", self.story.names.job(job), self.moves(group, "on"));
                (what, self.why_scaled_out(job))
            }
            Action::Keep { .. } => {
                let kept = group.iter().filter_map(|action| match *action {
                    Action::Keep { job } => Some(self.story.names.job(job)),
                    _ => None,
                });
                (
                    format!("keep {}", listed(kept.collect())),
                    "they run on as they are; no change would gain anything".to_string(),
                )
            }
            // The enum may grow; its own text serves until this example knows the new kind.
            ref other => (other.to_string(), String::new()),
        };
        Explained { steps: group.len(), what, why }
    }

    /// The workers that come or go and their servers: `3 workers on loan-1, 2 on loan-2`.
    fn moves(&self, group: &[Action], word: &str) -> String {
        let parts = group.iter().filter_map(|action| match *action {
            Action::ScaleIn { server, workers, .. }
            | Action::Start { server, workers, .. }
            | Action::ScaleOut { server, workers, .. } => Some((server, workers)),
            _ => None,
        });
        let text = |(at, (server, workers)): (usize, (ServerId, u32))| {
            let workers = u64::from(workers);
            let number = if at == 0 { count(workers, "worker") } else { grouped(workers) };
            format!("{number} {word} {}", self.story.names.server(server))
        };
        let parts: Vec<String> = parts.enumerate().map(text).collect();
        parts.join(", ")
    }

    fn returns(&self, server: ServerId) -> bool {
        self.story.plan.reclaim().servers().binary_search(&server).is_ok()
    }

    fn server_list(&self, servers: impl Iterator<Item = ServerId>) -> String {
        listed(servers.map(|server| self.story.names.server(server).to_string()).collect())
    }

    fn why_preempted(&self, job: JobId) -> String {
        let Some(definition) = self.story.before.job(job) else { return String::new() };
        let Some(victim) = self.story.plan.reclaim().explain(self.story.before).victim(job) else {
            return String::new();
        };
        let placements = self.story.before.placements(job);
        let lost = || placements.iter().filter(|placement| self.returns(placement.server));
        let pinned = self.server_list(lost().filter(|placement| placement.pinned).map(|p| p.server));
        if !pinned.is_empty() {
            return format!("workers that it can't lose, as it says itself, leave with {pinned}");
        }
        let servers = self.server_list(victim.frees());
        let leaving: u64 = lost().map(|placement| u64::from(placement.workers)).sum();
        let kept = placements.iter().filter(|placement| !self.returns(placement.server));
        let kept = Workforce::from_placements(self.story.before, kept);
        let held = count(Workforce::of(self.story.before, job).workers(), "worker");
        if kept.workers() == 0 {
            return format!("all of its {held} leave with {servers}");
        }
        format!(
            "{leaving} of its {held} leave with {servers}; the others would do the work of {}, below its minimum of {}",
            kept.reference_workers(self.story.before),
            definition.min_workers
        )
    }

    fn why_scaled_in(&self, job: JobId, group: &[Action]) -> String {
        let Some(definition) = self.story.before.job(job) else { return String::new() };
        let of = |wanted: Cause| {
            group.iter().filter_map(move |action| match *action {
                Action::ScaleIn { server, workers, cause, .. } if cause == wanted => Some((server, workers)),
                _ => None,
            })
        };
        let (returned, reallocated) = (of(Cause::ServerReturns).count(), of(Cause::Reallocated).count());
        let (held, left) = (Workforce::of(self.story.before, job), self.without_leaving(job));
        let mut why = Vec::new();
        if returned > 0 {
            let (work, min) = (left.reference_workers(self.story.before), definition.min_workers);
            let returning = match (group.len(), reallocated) {
                (1, _) => "their server returns",
                (_, 0) => "their servers return",
                _ => "some of their servers return",
            };
            why.push(returning.to_string());
            why.push(format!("what is left does the work of {work}, and the minimum is {min}"));
        }
        if reallocated > 0 {
            why.push(self.who_gets(of(Cause::Reallocated).map(|(server, _)| server)));
        }
        if of(Cause::ServerReturns).any(|(server, workers)| workers > self.flexible_on(server, job)) {
            why.push("flexible workers elsewhere take over as base".to_string());
        }
        why.push(self.change_of_end(definition, &held, &left));
        if !self.has_step(job, |step| matches!(step, Action::ScaleOut { .. })) {
            why.extend(cost_of_resize(definition));
        }
        why.join("; ")
    }

    fn flexible_on(&self, server: ServerId, job: JobId) -> u32 {
        let tenants = self.story.before.tenants(server).iter();
        tenants.filter(|t| t.job == job && t.role == Role::Flexible).map(|t| t.workers).sum()
    }

    /// Who gets the GPUs on these servers: jobs that start there and would not fit without, and jobs that grow there.
    fn who_gets(&self, servers: impl Iterator<Item = ServerId>) -> String {
        let (before, names) = (self.story.before, self.story.names);
        let (mut starters, mut growers) = (Vec::new(), Vec::new());
        for server in servers {
            let mut idle = before.free_gpus(server);
            for action in self.at_server.get(&server).into_iter().flatten() {
                match *action {
                    Action::Start { job, workers, .. } => {
                        let gpus = workers * before.job(job).map_or(0, |job| job.gpus_per_worker);
                        if gpus > idle {
                            starters.push(names.job(job));
                        }
                        idle = idle.saturating_sub(gpus);
                    }
                    Action::ScaleOut { job, .. } => growers.push(names.job(job)),
                    _ => {}
                }
            }
        }
        match (starters.is_empty(), growers.is_empty()) {
            (true, true) => "their GPUs are worth more to other jobs".to_string(),
            (true, false) => format!("their GPUs are worth more to {}", listed(growers)),
            (false, true) => format!("they make room for {}, which starts", listed(starters)),
            (false, false) => format!(
                "they make room for {}, which starts, and their GPUs are worth more to {}",
                listed(starters),
                listed(growers)
            ),
        }
    }

    fn has_step(&self, job: JobId, is_wanted: impl Fn(&Action) -> bool) -> bool {
        self.of_job.get(&job).is_some_and(|steps| steps.iter().any(is_wanted))
    }

    /// The workers that a job held before the plan, without those that leave.
    fn without_leaving(&self, job: JobId) -> Workforce {
        let mut left = Workforce::of(self.story.before, job);
        for action in self.of_job.get(&job).into_iter().flatten() {
            if let Action::ScaleIn { server, workers, .. } = *action {
                left.remove(self.story.before, server, workers);
            }
        }
        left
    }

    fn change_of_end(&self, job: &Job, from: &Workforce, to: &Workforce) -> String {
        let (from, to) = (from.time_to_end(self.story.before, job), to.time_to_end(self.story.before, job));
        let later = to.0 - from.0;
        if later.abs() < 0.5 {
            return format!("it ends no later ({})", span(to));
        }
        let word = if later > 0.0 { "later" } else { "sooner" };
        format!("it ends {} {word} ({} instead of {})", seconds(Seconds(later.abs())), span(to), span(from))
    }

    fn why_returned(&self, server: ServerId) -> String {
        let tenants = self.story.before.tenants(server);
        if tenants.is_empty() {
            return "it is idle, so nobody is disturbed".to_string();
        }
        if tenants.iter().all(|tenant| tenant.role == Role::Flexible) {
            return "it hosts flexible workers only, so nobody is preempted for it".to_string();
        }
        let Some(server) = self.story.plan.reclaim().explain(self.story.before).server(server) else {
            return String::new();
        };
        let stopped: Vec<JobId> =
            server.left().filter(|left| left.is_preempted).map(|left| left.job).collect();
        if stopped.is_empty() {
            return "its jobs run on without the workers that it hosts".to_string();
        }
        let others = if server.left().all(|left| left.is_preempted) { "" } else { " and the others left" };
        let stopped = listed(stopped.iter().map(|&job| self.story.names.job(job)).collect());
        format!("it is empty once {stopped} has stopped{others}")
    }

    fn why_started(&self, job: JobId) -> String {
        let Some(definition) = self.story.before.job(job) else { return String::new() };
        let place = self.places.get(&job).copied().unwrap_or(0);
        let mut why = format!(
            "number {place} of {} in the queue, shortest first: {} with all the workers it can use",
            self.places.len(),
            span(definition.running_time(definition.max_workers))
        );
        if self.story.before.is_running(job) {
            why.push_str("; it was preempted above, and fits elsewhere");
        }
        if let Some(base) = self.story.after.placements(job).iter().find(|p| p.role == Role::Base)
            && let Some(server) = self.story.after.server(base.server)
            && let (Some(speed), Some(gpu_type)) =
                (self.story.after.speed(server.gpu_type), self.story.after.gpu_type(server.gpu_type))
            && speed.workers_for(1) > 1
        {
            let workers = count(speed.workers_for(definition.min_workers), "worker");
            why.push_str(&format!(
                "; on {}, at speed {speed}, {workers} do the work of {}",
                gpu_type.name, definition.min_workers
            ));
        }
        why
    }

    fn why_scaled_out(&self, job: JobId) -> String {
        let Some(definition) = self.story.before.job(job) else { return String::new() };
        let (before, after) = (self.story.before, self.story.after);
        // What it holds just before this step: its base where it has just started, else what the steps above left it.
        let has_started = self.has_step(job, |step| matches!(step, Action::Start { .. }));
        let from = if has_started {
            let base = after.placements(job).iter().filter(|p| p.role == Role::Base);
            Workforce::from_placements(after, base)
        } else {
            self.without_leaving(job)
        };
        let to = Workforce::of(after, job);
        let sooner = from.time_to_end(before, definition).0 - to.time_to_end(before, definition).0;
        let more = to.workers().saturating_sub(from.workers());
        let gpus = more * u64::from(definition.gpus_per_worker);
        if sooner < 0.5 || gpus == 0 {
            return "they replace workers that left above".to_string();
        }
        let for_each = seconds(Seconds(sooner / gpus as f64));
        let mut why = vec![format!(
            "{}: {} more, {for_each} for each",
            self.change_of_end(definition, &from, &to),
            count(gpus, "GPU")
        )];
        if !has_started {
            why.extend(cost_of_resize(definition));
        }
        why.join("; ")
    }

    /// Counts the workers that would find a server if all flexible workers were put aside, as they would be for a gang.
    fn why_it_waits(&self, job: &Job) -> String {
        let gpus = u64::from(job.gpus_per_worker);
        let types = self.story.after.gpu_types().filter(|&(gpu_type, _)| job.gpu_types.contains(gpu_type));
        let (mut fits, mut mixed) = (Vec::new(), 0);
        let mut is_short = true;
        for (gpu_type, definition) in types {
            let Some(speed) = self.story.after.speed(gpu_type) else { continue };
            let (wanted, slots) = (job.min_workers_on(speed), self.slots(gpu_type, job.gpus_per_worker));
            mixed += speed.reference_workers(slots);
            is_short &= slots < wanted;
            fits.push(format!("places for {} of {} on {}", grouped(slots), grouped(wanted), definition.name));
        }
        if job.is_heterogeneous() {
            is_short &= mixed < u64::from(job.min_workers);
        }
        let asks = format!(
            "asks for {}, in {} of {gpus} each",
            count(gpus * u64::from(job.min_workers), "GPU"),
            count(u64::from(job.min_workers), "worker"),
        );
        if !is_short {
            return format!("{asks}; there was no room for it when its turn came");
        }
        if job.is_heterogeneous() {
            return format!("{asks}; over all its GPU types the work of {} finds a place", grouped(mixed));
        }
        format!("{asks}; with flexible workers put aside there are {}", fits.join(" and "))
    }

    /// Workers of so many GPUs that servers of a type could host beside the base workers that they host.
    fn slots(&self, gpu_type: GpuTypeId, gpus_per_worker: u32) -> u64 {
        let servers = self.story.after.servers();
        let servers =
            servers.filter(|(_, server)| server.gpu_type == gpu_type && server.pool.is_for_training());
        let slots = |id| {
            let flexible = self.story.after.tenants(id).iter().filter(|tenant| tenant.role == Role::Flexible);
            let gpus = flexible
                .map(|t| t.workers * self.story.after.job(t.job).map_or(0, |job| job.gpus_per_worker));
            u64::from((self.story.after.free_gpus(id) + gpus.sum::<u32>()) / gpus_per_worker)
        };
        servers.map(|(id, _)| slots(id)).sum()
    }
}
