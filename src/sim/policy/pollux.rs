//! Goodness of fit for all: the power mean of speedups.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use ordered_float::OrderedFloat;

use super::rounds::Rounds;
use super::{DraftMemory, Policy, PolicyError, Sizes, Target, View, marginal};
use crate::cluster::Job;
use crate::epoch::Action;
use crate::id::JobId;
use crate::units::Seconds;

/// Pollux's allocation: the sizes for which the power mean of the jobs' speedups with p = −1, their harmonic mean, is
/// largest. It decides once a minute.
///
/// The speedup of a job is its speed over that with a fair share of the GPUs. Where a decision changes its size, it is
/// multiplied by max(age − 30 · changes so far, 0) / (age + 30), in seconds, since a change costs a restart. A job grows to
/// at most twice the largest size that it has had.
///
/// What differs from the original:
///
/// * It searches the neighbourhood of the present sizes instead of running a genetic algorithm for 100 generations. For
///   fixed minimums the mean is a sum of one term for each job, so the search need not be random: it grows jobs by the
///   most valuable step for each GPU, then trades GPUs between two jobs while that pays. It takes O(sizes log jobs), against
///   seconds to minutes for the genetic algorithm.
/// * Nobody is preempted. Waiting jobs get their minimum, the smallest first, from what is idle and what others hold above
///   their minimum: with p = −1 a job without GPUs is worse than any split.
/// * Speed is that of the trace. The batch size and the statistical efficiency are not adapted.
/// * The rule of at most one job on several servers for each server is left out.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Pollux;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Eight workers for two jobs that scale alike: four each.
/// let jobs = [600.0, 1_200.0].map(|time| TraceJob::new(Job::elastic(2..=6).remaining(Seconds(time))));
/// let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Pollux::new())?;
/// assert_eq!(report.jobs[0].ended, Seconds(300.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Qiao et al., *Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning*, OSDI 2021, section 4.2.
#[derive(Clone, Debug)]
pub struct Pollux {
    rounds: Rounds,
    memory: DraftMemory,
}

impl Default for Pollux {
    fn default() -> Self {
        Self::new()
    }
}

impl Pollux {
    /// With a decision each minute.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::units::Seconds;
    ///
    /// let policy = Pollux::new();
    /// assert_eq!((policy.name(), policy.sizes()), ("Pollux", Sizes::Elastic));
    /// assert_eq!(policy.interval(), Some(Seconds(60.0)));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { rounds: Rounds::every(Seconds(60.0)), memory: DraftMemory::default() }
    }

    /// With decisions this far apart.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// use aryl::units::Seconds;
    ///
    /// assert_eq!(Pollux::new().every(Seconds(300.0)).interval(), Some(Seconds(300.0)));
    /// ```
    #[must_use]
    pub fn every(mut self, interval: Seconds) -> Self {
        self.rounds = Rounds::every(interval);
        self
    }
}

/// A job that runs or starts, with the size that the search has given it.
struct Candidate<'a> {
    id: JobId,
    job: &'a Job,
    size: u32,
    /// The size that it has now; 0 where it waits.
    held: u32,
    most: u32,
    /// The speed with a fair share.
    fair: f64,
    /// What a change of size leaves of its speedup.
    restart: f64,
}

impl Candidate<'_> {
    /// Its term of the sum to make small: one over its speedup.
    fn term(&self, size: u32) -> f64 {
        let factor = if self.held == 0 || size == self.held { 1.0 } else { self.restart };
        // A job that may not change yet has an infinite term, and the search never takes it there.
        self.fair / (marginal::speed(self.job, size) * factor)
    }

    /// The most valuable growth that `idle` GPUs allow: what it brings for each GPU, and the size.
    fn growth(&self, idle: u64) -> Option<(OrderedFloat<f64>, u32)> {
        let now = self.term(self.size);
        let room = u32::try_from(idle / u64::from(self.job.gpus_per_worker)).unwrap_or(u32::MAX);
        let sizes = self.size + 1..=self.most.min(self.size.saturating_add(room));
        let per_gpu = |size: u32| (now - self.term(size)) / marginal::gpus(self.job, size - self.size) as f64;
        let best = sizes.map(|size| (OrderedFloat(per_gpu(size)), Reverse(size))).max()?;
        (best.0.0 > 0.0).then_some((best.0, best.1.0))
    }

    /// The least harmful way to shrink: what it costs for each GPU, and the size.
    fn shrinking(&self) -> Option<(OrderedFloat<f64>, u32)> {
        let now = self.term(self.size);
        let per_gpu = |size: u32| (self.term(size) - now) / marginal::gpus(self.job, self.size - size) as f64;
        let sizes = self.job.min_workers..self.size;
        sizes.map(|size| (OrderedFloat(per_gpu(size)), Reverse(size))).min().map(|best| (best.0, best.1.0))
    }
}

/// Shrinks until the sizes fit, grows while it pays, then trades while it pays. Returns the GPUs that stay idle.
fn search(candidates: &mut [Candidate<'_>], total: u64) {
    let used = |candidates: &[Candidate<'_>]| -> u64 {
        candidates.iter().map(|candidate| marginal::gpus(candidate.job, candidate.size)).sum()
    };
    let mut over = used(candidates).saturating_sub(total);
    let mut shrinking: BinaryHeap<_> = candidates
        .iter()
        .enumerate()
        .filter_map(|(at, candidate)| Some((Reverse(candidate.shrinking()?.0), Reverse(at))))
        .collect();
    while over > 0
        && let Some((_, Reverse(at))) = shrinking.pop()
    {
        let candidate = &mut candidates[at];
        if let Some((_, size)) = candidate.shrinking() {
            over = over.saturating_sub(marginal::gpus(candidate.job, candidate.size - size));
            candidate.size = size;
            shrinking.extend(candidate.shrinking().map(|next| (Reverse(next.0), Reverse(at))));
        }
    }
    let mut idle = total.saturating_sub(used(candidates));
    grow(candidates, &mut idle);
    trade(candidates, &mut idle);
}

/// Grows by the most valuable step for each GPU, again and again.
fn grow(candidates: &mut [Candidate<'_>], idle: &mut u64) {
    let mut growing: BinaryHeap<_> = candidates
        .iter()
        .enumerate()
        .filter_map(|(at, candidate)| Some((candidate.growth(*idle)?.0, Reverse(at))))
        .collect();
    while let Some((value, Reverse(at))) = growing.pop() {
        let Some((now, size)) = candidates[at].growth(*idle) else { continue };
        // Fewer GPUs are idle than when it was looked at.
        if now < value {
            growing.push((now, Reverse(at)));
            continue;
        }
        *idle -= marginal::gpus(candidates[at].job, size - candidates[at].size);
        candidates[at].size = size;
        growing.extend(candidates[at].growth(*idle).map(|next| (next.0, Reverse(at))));
    }
}

/// Takes GPUs from the job that misses them least for the job that gains most from them, each job at most once.
fn trade(candidates: &mut [Candidate<'_>], idle: &mut u64) {
    let mut givers: Vec<_> = (0..candidates.len())
        .filter_map(|at| candidates[at].shrinking().map(|(loss, size)| (loss, at, size)))
        .filter(|giver| giver.0.0.is_finite())
        .collect();
    givers.sort_unstable();
    let mut takers: Vec<_> = (0..candidates.len())
        .filter_map(|at| candidates[at].growth(u64::MAX).map(|(gain, _)| (Reverse(gain), at)))
        .collect();
    takers.sort_unstable();
    let mut takers = takers.into_iter().map(|taker| taker.1).peekable();
    for (_, giver, size) in givers {
        let Some(&taker) = takers.peek() else { break };
        if taker == giver {
            continue;
        }
        let freed = marginal::gpus(candidates[giver].job, candidates[giver].size - size);
        let loss = candidates[giver].term(size) - candidates[giver].term(candidates[giver].size);
        let Some((_, grown)) = candidates[taker].growth(*idle + freed) else { continue };
        let gain = candidates[taker].term(candidates[taker].size) - candidates[taker].term(grown);
        if gain > loss {
            *idle = *idle + freed - marginal::gpus(candidates[taker].job, grown - candidates[taker].size);
            candidates[giver].size = size;
            candidates[taker].size = grown;
            takers.next();
        }
    }
}

impl Policy for Pollux {
    fn name(&self) -> &str {
        "Pollux"
    }

    fn sizes(&self) -> Sizes {
        Sizes::Elastic
    }

    fn interval(&self) -> Option<Seconds> {
        Some(self.rounds.interval())
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        if !self.rounds.is_due(view.now()) {
            return Ok(());
        }
        let cluster = view.cluster();
        let mut draft = self.memory.begin(view);
        let total = draft.reference_gpus();
        let active: Vec<JobId> = cluster.jobs().map(|entry| entry.0).collect();
        let share = total as f64 / active.len().max(1) as f64;
        let candidate = |id: JobId, starts: bool| {
            let (job, record) = (cluster.job(id)?, view.record(id)?);
            let held = u32::try_from(cluster.reference_workers(id)).unwrap_or(u32::MAX).min(job.max_workers);
            // A fraction of a worker counts too, so that jobs of different sizes are alike.
            let fair = libm::round(share / f64::from(job.gpus_per_worker));
            let fair = (fair as u32).clamp(job.min_workers, job.max_workers);
            let age = view.now().0 - record.submitted.0;
            let changes = f64::from(record.changes);
            Some(Candidate {
                id,
                job,
                size: if starts { job.min_workers } else { held },
                held,
                most: job.max_workers.min(record.largest_size.max(job.min_workers).saturating_mul(2)),
                fair: marginal::speed(job, fair),
                restart: (age - 30.0 * changes).max(0.0) / (age + 30.0),
            })
        };
        let mut candidates: Vec<_> = view.running().filter_map(|id| candidate(id, false)).collect();
        let minimum = |candidate: &Candidate<'_>| marginal::gpus(candidate.job, candidate.job.min_workers);
        let mut left = total.saturating_sub(candidates.iter().map(minimum).sum());
        let mut waiting: Vec<_> = view.waiting().filter_map(|id| candidate(id, true)).collect();
        waiting.sort_by_key(minimum);
        for candidate in waiting {
            if let Some(rest) = left.checked_sub(minimum(&candidate)) {
                left = rest;
                candidates.push(candidate);
            }
        }
        search(&mut candidates, total);
        let target =
            |candidate: &Candidate<'_>| Target { job: candidate.id, reference_workers: candidate.size };
        draft.realise(&candidates.iter().map(target).collect::<Vec<_>>());
        draft.finish(actions);
        Ok(())
    }
}
