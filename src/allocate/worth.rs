//! What workers are worth to a job, in whole units of time.

use crate::cluster::{Inventory, Job};
use crate::knapsack::{CurveClass, Gain};
use crate::scaling::{Scaling, ScalingCurve};
use crate::units::Seconds;

/// The unit in which completion times are counted: 2^`shift` milliseconds.
///
/// It is one millisecond, unless the weighted times of all elastic jobs add up to 2^53 milliseconds or more: then it is
/// the smallest power of two that keeps the sum below 2^53 units, so that every sum is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    shift: u32,
}

impl Unit {
    /// Below this, every integer is an `f64`, and so is every sum that stays below it.
    const LIMIT: u128 = 1 << 53;

    pub(crate) fn for_jobs(inventory: &Inventory) -> Self {
        let elastic = inventory.jobs().filter(|(_, job)| job.is_elastic());
        let whole = Self::default();
        // For each job: the longest that it can take with its base, and what it can be charged for a change.
        let (mut jobs, mut total) = (0u128, 0u128);
        for (_, job) in elastic {
            let longest = whole.time_left(job, u64::from(job.min_workers), job.is_heterogeneous());
            total += u128::from(longest) + u128::from(whole.resize_overhead(job));
            jobs += 1;
        }
        let mut shift = 0;
        // Rounding can add up to one unit to each of a job's two numbers.
        while (total >> shift) + 2 * jobs >= Self::LIMIT {
            shift += 1;
        }
        Self { shift }
    }

    /// Milliseconds in a unit.
    pub(crate) fn milliseconds(self) -> u64 {
        1 << self.shift
    }

    fn count(self, time: Seconds, weight: f64) -> u64 {
        let milliseconds = Seconds(time.0 * weight).milliseconds().unwrap_or(0);
        (milliseconds + (self.milliseconds() >> 1)) >> self.shift
    }

    /// The remaining time of a job at its base, times its weight.
    pub(crate) fn remaining(self, job: &Job) -> u64 {
        self.count(job.remaining, job.weight)
    }

    /// What a change of its number of workers costs a job, times its weight.
    pub(crate) fn resize_overhead(self, job: &Job) -> u64 {
        self.count(job.resize_overhead, job.weight)
    }

    /// The time to the end of a job with these reference workers, times its weight. Workers beyond its maximum bring
    /// nothing.
    pub(crate) fn time_left(self, job: &Job, reference_workers: u64, mixes: bool) -> u64 {
        // Not `clamp`: a job that no cluster has checked may have its minimum above its maximum.
        let workers = reference_workers.min(job.max_workers.into()).max(job.min_workers.into()) as u32;
        let efficiency = if mixes { job.mixing_efficiency.unwrap_or(1.0) } else { 1.0 };
        let total = self.remaining(job);
        // The very number that a class given by its formula has, so that a job is worth the same either way.
        if !mixes && let Some(formula) = self.formula(job, 1, u32::MAX) {
            return match workers - job.min_workers {
                0 => total,
                more => total - formula.item(more - 1).value.min(total),
            };
        }
        let speedup = job.scaling.speedup(job.min_workers, workers) * efficiency;
        // Slower than at the base: no more than the far end of the exact range.
        if speedup < 1.0 {
            let (slower, longest) = (libm::round(total as f64 / speedup), (Self::LIMIT as u64) >> self.shift);
            return if slower < longest as f64 { slower as u64 } else { longest };
        }
        let saved = libm::round(total as f64 * (1.0 - 1.0 / speedup)) as u64;
        total - saved.min(total)
    }

    /// The choices of a job beyond its minimum, up to `most` reference workers more of so many GPUs each, as a class given
    /// by a formula; `None` where its scaling curve is a table, or brings nothing.
    ///
    /// With b workers at the minimum and k more, T(b) − T(b + k) is, for a remaining time of T(b) = 1:
    ///
    /// | curve | time saved |
    /// |---|---|
    /// | linear | k / (b + k) |
    /// | power law | 1 − (b / (b + k))^exponent |
    /// | Amdahl, serial share s | (1 − s) / (s · b + 1 − s) · k / (b + k) |
    /// | loss l for each added worker | k / (b / (1 − l) + k) |
    pub(super) fn formula(self, job: &Job, gpus: u32, most: u32) -> Option<CurveClass> {
        let (total, base) = (self.remaining(job) as f64, f64::from(job.min_workers));
        let (gain, total) = match job.scaling {
            ScalingCurve::Linear => (Gain::Hyperbola { half: base }, total),
            ScalingCurve::PowerLaw { exponent } => (Gain::Power { base, exponent }, total),
            ScalingCurve::Amdahl { serial } if serial < 1.0 => {
                let share = (1.0 - serial) / (serial * base + 1.0 - serial);
                (Gain::Hyperbola { half: base }, total * share)
            }
            ScalingCurve::LossPerAddedWorker { loss } if loss < 1.0 => {
                (Gain::Hyperbola { half: base / (1.0 - loss) }, total)
            }
            _ => return None,
        };
        let length = most.min(job.max_workers.saturating_sub(job.min_workers));
        Some(CurveClass::new(gain, total, gpus, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, GpuType};

    #[test]
    fn the_unit_keeps_sums_exact() {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let huge = || Job::elastic(1..=2).remaining(Seconds(9e12));
        cluster.add_job(huge()).unwrap();
        assert_eq!(Unit::for_jobs(cluster.inventory()).milliseconds(), 1);
        for _ in 0..3 {
            cluster.add_job(huge()).unwrap();
        }
        let unit = Unit::for_jobs(cluster.inventory());
        assert_eq!(unit.milliseconds(), 4);
        let total: u64 = cluster.jobs().map(|(_, job)| unit.remaining(job)).sum();
        assert!(total < 1 << 53);
    }

    #[test]
    fn the_unit_leaves_room_for_the_rounding_of_each_job() {
        // Three jobs, so up to 6 units of rounding.
        let unit = |milliseconds: u64| {
            let mut cluster = Cluster::new();
            cluster.add_gpu_type(GpuType::new("V100")).unwrap();
            let long = 9_006_000_000_000_000;
            for part in [long, milliseconds - long - 1, 1] {
                let job = Job::elastic(1..=2).remaining(Seconds(part as f64 / 1_000.0));
                assert_eq!(Unit::default().remaining(&job), part);
                cluster.add_job(job).unwrap();
            }
            Unit::for_jobs(cluster.inventory()).milliseconds()
        };
        assert_eq!([7, 6, 1].map(|short| unit((1 << 53) - short)), [1, 2, 2]);
    }

    #[test]
    fn a_job_that_mixing_slows_down_stays_in_the_exact_range_in_any_unit() {
        let job = Job::elastic(1..=2).remaining(Seconds(8e12)).heterogeneous_at(1e-3);
        for shift in [0, 1, 5] {
            assert_eq!(Unit { shift }.time_left(&job, 1, true), (1 << 53) >> shift);
        }
    }

    #[test]
    fn a_curve_has_a_formula_unless_it_is_a_table_or_flat() {
        let has_formula = |scaling: ScalingCurve| {
            Unit::default().formula(&Job::elastic(1..=9).scaling(scaling), 1, 8).is_some()
        };
        let table = crate::scaling::MeasuredTable::new([(1, 1.0), (9, 9.0)]).unwrap();
        let curves = [
            ScalingCurve::Linear,
            ScalingCurve::PowerLaw { exponent: 0.6 },
            ScalingCurve::Amdahl { serial: 0.9 },
            ScalingCurve::LossPerAddedWorker { loss: 0.9 },
            ScalingCurve::Amdahl { serial: 1.0 },
            ScalingCurve::LossPerAddedWorker { loss: 1.0 },
            ScalingCurve::Measured(table),
        ];
        assert_eq!(curves.map(has_formula), [true, true, true, true, false, false, false]);
    }

    #[test]
    fn the_formula_is_the_scaling_curve() {
        let unit = Unit::default();
        for curve in [
            ScalingCurve::Linear,
            ScalingCurve::PowerLaw { exponent: 0.6 },
            ScalingCurve::Amdahl { serial: 0.1 },
            ScalingCurve::LossPerAddedWorker { loss: 0.2 },
        ] {
            for base in [1, 2, 7] {
                let job =
                    Job::elastic(base..=base + 40).remaining(Seconds(987_654.321)).scaling(curve.clone());
                for workers in base..=base + 40 {
                    let exact = job.running_time(workers).0 * 1_000.0;
                    let counted = unit.time_left(&job, u64::from(workers), false);
                    assert!((counted as f64 - exact).abs() <= 1.0, "{curve:?} {base} {workers}");
                }
            }
        }
        for flat in [ScalingCurve::Amdahl { serial: 1.0 }, ScalingCurve::LossPerAddedWorker { loss: 1.0 }] {
            let job = Job::elastic(1..=9).scaling(flat);
            assert_eq!(unit.time_left(&job, 9, false), unit.time_left(&job, 1, false));
        }
    }

    #[test]
    fn a_coarse_unit_counts_overheads_and_rounds_to_the_nearest() {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        cluster.add_job(Job::elastic(1..=2).remaining(Seconds(9e12)).resize_overhead(Seconds(9e12))).unwrap();
        assert_eq!(Unit::for_jobs(cluster.inventory()).milliseconds(), 2);
        let counted = [5, 6, 9, 10].map(|time| {
            Unit { shift: 2 }.remaining(&Job::elastic(1..=2).remaining(Seconds(f64::from(time) / 1_000.0)))
        });
        assert_eq!(counted, [1, 2, 2, 3]);
    }

    #[test]
    fn time_left_falls_with_workers_and_rises_with_mixing() {
        let job = Job::elastic(2..=6).remaining(Seconds(60.0)).heterogeneous_at(0.5);
        let unit = Unit::default();
        let times: [u64; 5] = core::array::from_fn(|more| unit.time_left(&job, 2 + more as u64, false));
        assert_eq!(times, [60_000, 40_000, 30_000, 24_000, 20_000]);
        assert_eq!(unit.time_left(&job, 9, false), 20_000);
        assert_eq!(unit.time_left(&job, 4, true), 60_000);
        assert_eq!(unit.time_left(&job, 2, true), 120_000);
    }
}
