//! Other workloads from one: days drawn with replacement.

use alloc::vec::Vec;

use super::arrivals::DAY;
use super::random::{Stream, stream};
use super::{InferenceLoad, SpecError, TraceJob, Workload};
use crate::units::Seconds;

impl Workload {
    /// The most days of a resampled workload.
    pub const MAX_DAYS: u32 = 3_660;

    /// A workload of so many days, each drawn from the days of this one with replacement: the bootstrap, which shows how
    /// much a result hangs on the trace.
    ///
    /// A day goes from one multiple of 86,400 s to the next. Its jobs and its inference load go together, and keep their
    /// time of day. The days of a workload are those from its first submission to its last; without jobs, those of its
    /// load. The first day of the answer begins at 0.
    ///
    /// # Errors
    ///
    /// [`SpecError::Days`] where no day or more than [`MAX_DAYS`](Self::MAX_DAYS) are asked for, or this workload has more
    /// than that; [`SpecError::RecordedTime`] where a time of submission is not finite.
    ///
    /// # Complexity
    ///
    /// O(days · log(jobs + points)), and the length of the answer.
    ///
    /// # Determinism
    ///
    /// The same workload, days and seed give the same answer on every machine.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::sim::workload::{Scenario, TraceSpec};
    /// use aryl::units::Seconds;
    ///
    /// let workload = TraceSpec { jobs: 3_000, surge: None, ..TraceSpec::paper(Scenario::Basic) }.generate(1)?;
    /// let week = workload.bootstrap(7, 42)?;
    /// assert!(week.jobs.iter().all(|job| job.job.submitted < Seconds(7.0 * 86_400.0)));
    /// assert_eq!(week.load.points().len(), 7 * 288);
    /// assert_ne!(week, workload.bootstrap(7, 43)?);
    /// # Ok::<(), aryl::sim::workload::SpecError>(())
    /// ```
    pub fn bootstrap(&self, days: u32, seed: u64) -> Result<Self, SpecError> {
        let limit = Self::MAX_DAYS;
        let in_range = |days: f64| days >= 1.0 && days <= f64::from(limit);
        if !in_range(f64::from(days)) {
            return Err(SpecError::Days { days: f64::from(days), limit });
        }
        let (first, last) = self.first_and_last_day()?;
        let there = last - first + 1.0;
        if !in_range(there) {
            return Err(SpecError::Days { days: there, limit });
        }

        let mut random = stream(seed, Stream::Days);
        let (mut jobs, mut points) = (Vec::new(), Vec::new());
        for day in 0..days {
            let drawn = first + random.rand_range(0..there as u64) as f64;
            let (from, to) = (drawn * DAY.0, (drawn + 1.0) * DAY.0);
            let shift = f64::from(day) * DAY.0 - from;
            jobs.extend(self.jobs_between(from, to).iter().map(|job| {
                let mut job = job.clone();
                job.job.submitted = Seconds(job.job.submitted.0 + shift);
                job
            }));
            points.push((Seconds(from + shift), self.load.at(Seconds(from))));
            let all = self.load.points();
            let start = all.partition_point(|point| point.0.0 <= from);
            let inside = all.iter().skip(start).take_while(|point| point.0.0 < to);
            points.extend(inside.map(|&(time, share)| (Seconds(time.0 + shift), share)));
        }
        // Far from 0, two times that differ by next to nothing can be one once they are shifted.
        points.dedup_by(|later, earlier| later.0 <= earlier.0);
        Ok(Self { jobs, load: InferenceLoad::new(points)? })
    }

    fn first_and_last_day(&self) -> Result<(f64, f64), SpecError> {
        if let Some((job, at)) =
            self.jobs.iter().enumerate().find(|(_, job)| !job.job.submitted.0.is_finite())
        {
            let time = at.job.submitted;
            return Err(SpecError::RecordedTime { job, what: "time of submission", time });
        }
        let ends = match (self.jobs.first(), self.jobs.last()) {
            (Some(first), Some(last)) => (first.job.submitted.0, last.job.submitted.0),
            _ => {
                let points = self.load.points();
                let time = |point: Option<&(Seconds, f64)>| point.map_or(0.0, |point| point.0.0);
                (time(points.first()), time(points.last()))
            }
        };
        Ok((libm::floor(ends.0 / DAY.0), libm::floor(ends.1 / DAY.0)))
    }

    fn jobs_between(&self, from: f64, to: f64) -> &[TraceJob] {
        let before = |time: f64| self.jobs.partition_point(|job| job.job.submitted.0 < time);
        self.jobs.get(before(from)..before(to)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Job;

    fn workload(days: u32) -> Workload {
        let jobs = (0..days * 4)
            .map(|n| {
                TraceJob::new(Job::inelastic(n + 1).submitted(Seconds(f64::from(n) * DAY.0 / 4.0 + 7.0)))
            })
            .collect();
        let load = (0..days).map(|day| (Seconds(f64::from(day) * DAY.0 + 3_600.0), f64::from(day) / 100.0));
        Workload { jobs, load: InferenceLoad::new(load).unwrap() }
    }

    #[test]
    fn days_keep_their_jobs_and_their_load() {
        let source = workload(10);
        for seed in 0..50 {
            let drawn = source.bootstrap(20, seed).unwrap();
            assert_eq!(drawn.jobs.len(), 80);
            assert!(drawn.jobs.is_sorted_by(|a, b| a.job.submitted <= b.job.submitted));
            for (at, job) in drawn.jobs.iter().enumerate() {
                let from = (job.job.min_workers - 1) / 4;
                let day = at as u32 / 4;
                assert_eq!(from, (drawn.jobs[day as usize * 4].job.min_workers - 1) / 4);
                assert_eq!(
                    job.job.submitted.0 % DAY.0,
                    source.jobs[job.job.min_workers as usize - 1].job.submitted.0 % DAY.0
                );
                let noon = |day: u32| Seconds(f64::from(day) * DAY.0 + DAY.0 / 2.0);
                assert_eq!(drawn.load.at(noon(day)), source.load.at(noon(from)));
            }
        }
    }

    #[test]
    fn one_day_is_drawn_again_and_again() {
        let source = workload(1);
        let drawn = source.bootstrap(2, 9).unwrap();
        assert_eq!(drawn.jobs[..4], source.jobs[..]);
        assert_eq!(drawn.jobs.len(), 8);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        assert!(matches!(workload(1).bootstrap(0, 1), Err(SpecError::Days { .. })));
        assert!(matches!(workload(1).bootstrap(4_000, 1), Err(SpecError::Days { .. })));
        let mut far = workload(2);
        far.jobs[7].job.submitted = Seconds(1e12);
        assert!(matches!(far.bootstrap(1, 1), Err(SpecError::Days { .. })));
        far.jobs[7].job.submitted = Seconds(f64::NAN);
        assert!(matches!(far.bootstrap(1, 1), Err(SpecError::RecordedTime { job: 7, .. })));
        let empty = Workload { jobs: Vec::new(), load: InferenceLoad::constant(0.5).unwrap() };
        assert_eq!(empty.bootstrap(3, 1).unwrap().jobs, []);
    }
}
