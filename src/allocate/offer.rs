//! What a job can be offered on one GPU type, as a class of a knapsack.

use super::worth::Unit;
use crate::cluster::{Inventory, Job, Occupancy, Role, Tally};
use crate::id::{GpuTypeId, JobId};
use crate::scaling::ScalingCurve;
use crate::units::Speed;

/// One choice for an elastic job: some workers above its minimum, what they hold and what they bring.
///
/// # Examples
///
/// ```
/// use aryl::allocate::flexible_items;
/// use aryl::cluster::Job;
/// use aryl::units::{Seconds, Speed};
///
/// // An hour's work with 1 worker, on a type that is half as fast: a second reference worker is two workers there.
/// let job = Job::elastic(1..=2).gpus_per_worker(4).remaining(Seconds(3_600.0));
/// let item = flexible_items(&job, Speed::new(1, 2).unwrap()).next().unwrap();
/// assert_eq!((item.extra_workers, item.gpus, item.jct_reduction_milliseconds), (1, 8, 1_800_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FlexibleItem {
    /// Reference workers beyond what the base workers make up: the minimum, but for rounding on a fast type.
    pub extra_workers: u32,
    /// GPUs that these hold on the type: its weight in the knapsack.
    pub gpus: u64,
    /// How much sooner the job ends for them, times its weight: its value in the knapsack, in milliseconds.
    pub jct_reduction_milliseconds: u64,
}

/// The choices of a job on a GPU type of this speed, for 1 to maximum − minimum workers above its minimum.
///
/// The weight of `k` extra workers is the GPUs that they hold: on a type of speed 1 : 1, `k` times the GPUs a worker. The
/// value is the reduction in job completion time, T(minimum) − T(minimum + `k`), times the weight of the job. On a type
/// faster than the reference the base may make up more than the minimum; the choices then start from what it makes up.
///
/// # Examples
///
/// Job B of Figure 6 in the Aryl paper: 2 to 6 workers of 1 GPU, 20 s at 6 workers.
///
/// ```
/// use aryl::allocate::flexible_items;
/// use aryl::cluster::Job;
/// use aryl::units::{Seconds, Speed};
///
/// let job = Job::elastic(2..=6).remaining(Seconds(60.0));
/// let items: Vec<_> = flexible_items(&job, Speed::REFERENCE)
///     .map(|item| (item.gpus, item.jct_reduction_milliseconds))
///     .collect();
/// assert_eq!(items, [(1, 20_000), (2, 30_000), (3, 36_000), (4, 40_000)]);
/// ```
///
/// # Complexity
///
/// One call of the scaling curve for each choice, when it is asked for. No allocation.
///
/// # Source
///
/// Figure 6 of \[Aryl\], section 5.2.
pub fn flexible_items(job: &Job, speed: Speed) -> impl Iterator<Item = FlexibleItem> {
    let offer = Offer::at_base(job, speed);
    offer.items(job, Unit::default()).map(|(extra_workers, gpus, jct_reduction_milliseconds)| FlexibleItem {
        extra_workers,
        gpus,
        jct_reduction_milliseconds,
    })
}

/// What a job can be offered on one GPU type, beyond the workers that it has in any case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    speed: Speed,
    /// Workers on this type that it has in any case.
    present: u64,
    /// Reference workers, over all types, that it has in any case.
    reference: u64,
    /// Whether what it has in any case mixes GPU types.
    mixes: bool,
    /// Whether it mixes GPU types once it has one worker more on this type.
    would_mix: bool,
}

impl Offer {
    /// The offer to a job that holds just its base, all of it on a type of this speed.
    fn at_base(job: &Job, speed: Speed) -> Self {
        let present = job.min_workers_on(speed);
        let reference = speed.reference_workers(present);
        Self { speed, present, reference, mixes: false, would_mix: false }
    }

    /// The offer on a type to a job that keeps the workers of `tally` in any case.
    pub(super) fn beyond(tally: &Tally, gpu_type: GpuTypeId, speed: Speed) -> Self {
        let mut more = tally.clone();
        more.add(gpu_type, speed, 1);
        Self {
            speed,
            present: tally.workers(gpu_type),
            reference: tally.reference_workers(),
            mixes: tally.mixed().is_some(),
            would_mix: more.mixed().is_some(),
        }
    }

    /// GPUs that one more reference worker holds, where that is the same for each: where the job has just its minimum in
    /// any case, on a type of speed 1 : n.
    pub(super) fn gpus_per_reference_worker(&self, job: &Job) -> Option<u32> {
        // Without a mix all that it has is on this type, so its minimum in workers is its minimum in reference workers.
        let is_base = self.present == job.min_workers_on(self.speed) && !self.would_mix;
        let is_even = self.speed.numerator() == 1 && is_base;
        // At most 1,024 GPUs, and 1,000 workers for a reference worker.
        is_even.then(|| job.gpus_per_worker * self.speed.denominator())
    }

    /// The most reference workers that the job can use beyond what it has.
    pub(super) fn most(&self, job: &Job) -> u32 {
        u64::from(job.max_workers).saturating_sub(self.reference) as u32
    }

    /// The most reference workers that can bring anything: at most those, and fewer where the curve of the job ends flat.
    pub(super) fn last_useful(&self, job: &Job) -> u32 {
        let ScalingCurve::Measured(table) = &job.scaling else { return self.most(job) };
        let end = table.points().last().map_or(0, |point| u64::from(point.workers));
        // At most `most`, which fits.
        end.saturating_sub(self.reference).min(u64::from(self.most(job))) as u32
    }

    /// What choices above `last` could bring beyond that one: no more than this.
    pub(super) fn value_beyond(&self, job: &Job, unit: Unit, last: u32, most: u32) -> u64 {
        let time = |more: u32| unit.time_left(job, self.reference + u64::from(more), self.would_mix);
        // A measured curve can have its best size anywhere.
        let shortest = if matches!(job.scaling, ScalingCurve::Measured(_)) { 0 } else { time(most) };
        time(last).saturating_sub(shortest)
    }

    /// Workers to add on this type, so that they make up `reference` more reference workers.
    pub(super) fn workers(&self, reference: u32) -> u64 {
        if reference == 0 {
            return 0;
        }
        let wanted = self.speed.reference_workers(self.present) + u64::from(reference);
        // Both are at most 2^20, the most reference workers of a job, plus what one worker of a fast type makes up.
        self.speed.workers_for(wanted as u32) - self.present
    }

    /// The most reference workers that this many workers on this type bring.
    pub(super) fn reference_for(&self, workers: u64, job: &Job) -> u32 {
        let brought =
            self.speed.reference_workers(self.present + workers) - self.speed.reference_workers(self.present);
        brought.min(u64::from(self.most(job))) as u32
    }

    /// Each choice as (reference workers, GPUs, value), in ascending order. The value is how much sooner the job ends, 0
    /// where it would not.
    pub(super) fn items(self, job: &Job, unit: Unit) -> impl Iterator<Item = (u32, u64, u64)> {
        let gpus = u64::from(job.gpus_per_worker);
        let before = unit.time_left(job, self.reference, self.mixes);
        (1..=self.most(job)).map(move |more| {
            let after = unit.time_left(job, self.reference + u64::from(more), self.would_mix);
            (more, self.workers(more) * gpus, before.saturating_sub(after))
        })
    }
}

/// The workers that a job keeps in any case when its flexible workers are lifted: its base.
pub(super) fn base_tally(inventory: &Inventory, occupancy: &Occupancy, job: JobId) -> Tally {
    inventory.tally(occupancy.placements(job).iter().filter(|p| p.role == Role::Base))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::scaling::MeasuredTable;
    use crate::units::Seconds;

    #[test]
    fn figure_6_of_the_paper() {
        // Job A: 2 to 3 workers of 2 GPUs, 100 s at 3 workers.
        let a = Job::elastic(2..=3).gpus_per_worker(2).remaining(Seconds(150.0));
        let items: Vec<_> = flexible_items(&a, Speed::REFERENCE).collect();
        assert_eq!(items, [FlexibleItem { extra_workers: 1, gpus: 2, jct_reduction_milliseconds: 50_000 }]);
    }

    #[test]
    fn weights_on_a_slow_type_count_its_own_workers() {
        let job = Job::elastic(2..=4).gpus_per_worker(2).remaining(Seconds(60.0));
        let t4 = Speed::new(1, 3).unwrap();
        let weights: Vec<_> = flexible_items(&job, t4).map(|item| item.gpus).collect();
        assert_eq!(weights, [6, 12]);
        // On a type of speed 3 : 2, the base of 2 workers makes up 3 reference workers, so one more is the maximum.
        let fast = Speed::new(3, 2).unwrap();
        let items: Vec<_> = flexible_items(&job, fast).collect();
        assert_eq!(items, [FlexibleItem { extra_workers: 1, gpus: 2, jct_reduction_milliseconds: 10_000 }]);
    }

    #[test]
    fn a_job_that_no_cluster_has_checked_has_no_choices_beyond_its_maximum() {
        let capped = |max_workers| Job { max_workers, ..Job::inelastic(5) };
        for job in [capped(3), capped(0), Job::inelastic(u32::MAX)] {
            for speed in [Speed::REFERENCE, Speed::new(1, 1_000).unwrap(), Speed::new(1_000, 1).unwrap()] {
                assert_eq!(flexible_items(&job, speed).count(), 0, "{job:?} at {speed}");
            }
        }
    }

    #[test]
    fn the_flat_end_of_a_measured_curve_is_no_choice() {
        let table = |end: u32| MeasuredTable::new([(1, 1.0), (end, f64::from(end))]).unwrap();
        let last = |min, end| {
            let job = Job::elastic(min..=1_000_000).scaling(ScalingCurve::Measured(table(end)));
            let offer = Offer::at_base(&job, Speed::REFERENCE);
            let items: Vec<_> =
                offer.items(&job, Unit::default()).take(offer.last_useful(&job) as usize + 1).collect();
            assert_eq!(items.last().unwrap().2, items.iter().map(|item| item.2).max().unwrap());
            offer.last_useful(&job)
        };
        assert_eq!(
            [last(2, 8), last(2, 3), last(2, 2), last(9, 8), last(1, 2_000_000)],
            [6, 1, 0, 0, 999_999]
        );
        let linear = Job::elastic(2..=1_000);
        assert_eq!(Offer::at_base(&linear, Speed::REFERENCE).last_useful(&linear), 998);
    }

    #[test]
    fn reference_workers_hold_equally_many_gpus_beyond_just_the_base_on_a_slow_type() {
        let (v100, t4) = (GpuTypeId::new(0), GpuTypeId::new(1));
        let job = Job::elastic(2..=8).gpus_per_worker(4).fungible().heterogeneous();
        let gpus = |speed: Speed, on_t4: u32, on_v100: u32| {
            let mut tally = Tally::default();
            tally.add(t4, speed, on_t4);
            tally.add(v100, Speed::REFERENCE, on_v100);
            Offer::beyond(&tally, t4, speed).gpus_per_reference_worker(&job)
        };
        let third = Speed::new(1, 3).unwrap();
        assert_eq!([gpus(Speed::REFERENCE, 2, 0), gpus(third, 6, 0)], [Some(4), Some(12)]);
        // A worker of T4 more than the base needs is a third of the next reference worker.
        assert_eq!([5, 7, 9].map(|workers| gpus(third, workers, 0)), [None; 3]);
        // Workers of another type slow it down; and at 3 : 2 the next reference worker holds 4 GPUs or 0 more.
        assert_eq!([gpus(third, 6, 1), gpus(third, 0, 2), gpus(Speed::new(3, 2).unwrap(), 2, 0)], [None; 3]);
    }

    #[test]
    fn mixing_is_charged_when_the_first_worker_of_another_type_comes() {
        let (v100, t4) = (GpuTypeId::new(0), GpuTypeId::new(1));
        let third = Speed::new(1, 3).unwrap();
        let job = Job::elastic(2..=8).remaining(Seconds(60.0)).fungible().heterogeneous_at(0.5);
        let mut tally = Tally::default();
        tally.add(v100, Speed::REFERENCE, 2);
        let offer = Offer::beyond(&tally, t4, third);
        // 3 reference workers at half speed are slower than 2, and 4 are as fast; 6 take two thirds of the 60 s.
        let values: Vec<_> = offer.items(&job, Unit::default()).map(|item| item.2).collect();
        assert_eq!(values, [0, 0, 12_000, 20_000, 25_714, 30_000]);
        assert_eq!((offer.workers(4), offer.reference_for(13, &job)), (12, 4));
    }
}
