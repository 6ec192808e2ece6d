//! What a job can be given: numbers of workers by GPU type, and what each is worth.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::value::Value;
use crate::cluster::{Cluster, Job, Role, Tally};
use crate::id::{GpuTypeId, JobId};
use crate::ilp::backend;
use crate::ilp::error::IlpError;
use crate::units::Speed;

/// A GPU type of the cluster.
pub(super) type Type = (GpuTypeId, Speed);

/// One thing that a job can be given.
pub(super) struct Choice {
    /// Workers by type, in the order of the types; in all, base workers among them.
    pub(super) workers: Vec<u64>,
    /// What it is worth, in units of time.
    pub(super) worth: i64,
}

/// All that a job can be given. A waiting job can be given nothing too, which is no choice here.
pub(super) struct Choices {
    pub(super) job: JobId,
    pub(super) gpus_per_worker: u32,
    /// Workers that stay where they are: the base of a running job.
    pub(super) is_running: bool,
    pub(super) list: Vec<Choice>,
}

impl Choices {
    /// The choices of a job, or `None` where there is nothing to decide: a running job that is not elastic and holds no
    /// flexible worker. (One that mixes types may hold some: they make up no whole reference worker.)
    pub(super) fn of(
        cluster: &Cluster,
        value: &Value,
        types: &[Type],
        id: JobId,
        job: &Job,
    ) -> Result<Option<Self>, IlpError> {
        let is_running = cluster.is_running(id);
        let placements = cluster.placements(id);
        let holds_base_alone = placements.iter().all(|placement| placement.role == Role::Base);
        if is_running && !job.is_elastic() && holds_base_alone {
            return Ok(None);
        }
        let inventory = cluster.inventory();
        let base = inventory.tally(placements.iter().filter(|placement| placement.role == Role::Base));
        let held = inventory.tally(placements);
        let counts = |tally: &Tally| -> Vec<u64> {
            types.iter().map(|&(gpu_type, _)| tally.workers(gpu_type)).collect()
        };
        let least = counts(&base);
        // A running job that does not mix types stays on the one it has.
        let stays = |at: usize| !is_running || job.is_heterogeneous() || least[at] > 0;
        let allowed: Vec<usize> =
            (0..types.len()).filter(|&at| job.gpu_types.contains(types[at].0) && stays(at)).collect();
        backend::check_size(most(job, allowed.len() as u64))?;
        let mut all: BTreeSet<Vec<u64>> = BTreeSet::new();
        if is_running {
            all.insert(counts(&held));
            all.insert(least.clone());
        }
        if job.is_heterogeneous() {
            mixtures(job, types, &allowed, &least, &mut all);
        } else {
            for at in allowed {
                for reference in job.min_workers..=job.max_workers {
                    let mut workers = vec![0; types.len()];
                    workers[at] = types[at].1.workers_for(reference).max(least[at]);
                    all.insert(workers);
                }
            }
        }
        let overhead = value.overhead(job);
        let wait = value.wait(id, job)?;
        let held = counts(&held);
        let list = all
            .into_iter()
            .filter_map(|workers| {
                let tally = tally(types, &workers);
                let is_kept = is_running && workers == held;
                // What a job holds now is a choice in any case.
                let fits = tally.reference_workers() >= u64::from(job.min_workers)
                    && (!tally.exceeds(job.max_workers) || workers == least);
                if !(is_kept || fits) {
                    return None;
                }
                let change = match (is_running, is_kept) {
                    (false, _) => wait,
                    (true, true) => 0,
                    (true, false) => -overhead,
                };
                Some(Choice { worth: value.reduction(job, &tally) + change, workers })
            })
            .collect();
        Ok(Some(Self { job: id, gpus_per_worker: job.gpus_per_worker, is_running, list }))
    }
}

/// A number that the choices of a job do not exceed, however they are placed: known before one is written down.
fn most(job: &Job, types: u64) -> u64 {
    let widest = u64::from(job.max_workers);
    if !job.is_heterogeneous() {
        return (widest - u64::from(job.min_workers) + 1) * types;
    }
    // Reference workers on each type, no more than `widest` in all: "widest + types over types" of combinatorics.
    (1..=types)
        .try_fold(1_u64, |ways, number| Some(ways.checked_mul(widest + number)? / number))
        .unwrap_or(u64::MAX)
}

/// Adds the mixtures of the allowed types in which each holds as many workers as whole reference workers need, and no
/// fewer than `least`.
fn mixtures(job: &Job, types: &[Type], allowed: &[usize], least: &[u64], all: &mut BTreeSet<Vec<u64>>) {
    let mut open = BTreeSet::from([least.to_vec()]);
    for &at in allowed {
        let mut next = BTreeSet::new();
        for workers in open {
            for reference in 0..=job.max_workers {
                let mut more = workers.clone();
                more[at] = types[at].1.workers_for(reference).max(least[at]);
                if tally(types, &more).exceeds(job.max_workers) {
                    break;
                }
                next.insert(more);
            }
        }
        open = next;
    }
    all.extend(open);
}

fn tally(types: &[Type], workers: &[u64]) -> Tally {
    let mut tally = Tally::default();
    for (&(gpu_type, speed), &workers) in types.iter().zip(workers) {
        // At most 2^20 reference workers and 1,000 workers for each, so it fits.
        tally.add(gpu_type, speed, workers as u32);
    }
    tally
}
