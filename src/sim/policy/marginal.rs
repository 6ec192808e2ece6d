//! One worker at a time to the job that gains most: what several policies share.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use ordered_float::OrderedFloat;

use super::{Draft, Target, View};
use crate::cluster::Job;
use crate::id::JobId;
use crate::scaling::Scaling;

/// The speed of a job with so many workers, as a multiple of that with its minimum.
pub(super) fn speed(job: &Job, reference_workers: u32) -> f64 {
    job.scaling.speedup(job.min_workers, reference_workers)
}

/// The GPUs of the reference type that so many workers take.
pub(super) fn gpus(job: &Job, reference_workers: u32) -> u64 {
    u64::from(job.gpus_per_worker) * u64::from(reference_workers)
}

/// Gives the jobs of `order` their minimum, in order and as far as there are GPUs; those that run come first where they
/// are to be kept. Then one worker at a time goes to the job that gains most for each GPU, until there is no GPU or no
/// gain.
///
/// GPUs are counted, so a worker may find no place on a server. What such workers leave is then given out once more among
/// the jobs that run.
///
/// `gain(job, id, n)` is what the job gains with n + 1 workers instead of n, for each GPU of the worker. Ties go by `order`.
///
/// O((jobs + GPUs) log jobs).
pub(super) fn share(
    view: &View<'_>,
    draft: &mut Draft<'_>,
    order: &[JobId],
    keeps_running: bool,
    gain: impl Fn(&Job, JobId, u32) -> f64,
) {
    let cluster = view.cluster();
    let total = draft.reference_gpus();
    let mut left = total;
    let mut sizes: Vec<u32> = order.iter().map(|_| 0).collect();
    for runs in [true, false] {
        for (size, &id) in sizes.iter_mut().zip(order) {
            let Some(job) = cluster.job(id) else { continue };
            let is_first = keeps_running && cluster.is_running(id);
            if is_first != runs {
                continue;
            }
            let base = gpus(job, job.min_workers);
            if base <= left {
                *size = job.min_workers;
                left -= base;
            }
        }
    }
    for _ in 0..2 {
        fill(view, order, &mut sizes, left, &gain);
        let targets =
            order.iter().zip(&sizes).map(|(&job, &reference_workers)| Target { job, reference_workers });
        draft.realise(&targets.collect::<Vec<_>>());
        // Once more, with the jobs that found a place.
        left = total;
        for (size, &id) in sizes.iter_mut().zip(order) {
            let Some(job) = cluster.job(id) else { continue };
            *size = if draft.is_running(id) { job.min_workers } else { 0 };
            left = left.saturating_sub(gpus(job, *size));
        }
    }
}

/// Gives what is left to the jobs that have a size, one worker at a time.
fn fill(
    view: &View<'_>,
    order: &[JobId],
    sizes: &mut [u32],
    mut left: u64,
    gain: &impl Fn(&Job, JobId, u32) -> f64,
) {
    let cluster = view.cluster();
    let next = |at: usize, size: u32| {
        let job = cluster.job(order[at]).filter(|job| size > 0 && size < job.max_workers)?;
        let gain = gain(job, order[at], size);
        (gain > 0.0).then_some((OrderedFloat(gain), Reverse(at)))
    };
    let mut heap: BinaryHeap<_> = sizes.iter().enumerate().filter_map(|(at, &size)| next(at, size)).collect();
    while let Some((_, Reverse(at))) = heap.pop() {
        let worker = cluster.job(order[at]).map_or(u64::MAX, |job| gpus(job, 1));
        if worker > left {
            continue;
        }
        left -= worker;
        sizes[at] += 1;
        heap.extend(next(at, sizes[at]));
    }
}

/// The jobs that wait, by the estimated time that they need yet, then in order of submission.
pub(super) fn waiting_shortest_first(view: &View<'_>, order: &mut Vec<JobId>) {
    let first = order.len();
    order.extend(view.waiting());
    order[first..].sort_by_cached_key(|&id| OrderedFloat(view.remaining(id).map_or(0.0, |time| time.0)));
}

/// All jobs, in the same order.
pub(super) fn active_shortest_first(view: &View<'_>, order: &mut Vec<JobId>) {
    let first = order.len();
    order.extend(view.cluster().jobs().map(|entry| entry.0));
    order[first..].sort_by_cached_key(|&id| OrderedFloat(view.remaining(id).map_or(0.0, |time| time.0)));
}
