//! When jobs arrive.

use alloc::vec::Vec;

use super::kinds::check_time;
use super::random::{Stream, shuffled, stream};
use super::{RecordedJob, SpecError};
use crate::units::Seconds;

/// A day.
pub(super) const DAY: Seconds = Seconds(86_400.0);

/// How arrivals follow the day: a Poisson process whose rate rises to a peak in working hours.
///
/// With h hours since the peak, the rate is in proportion to 1 + swing · cos(2π · h / 24).
///
/// # Examples
///
/// Nearly all by day:
///
/// ```
/// # use aryl::{sim::workload::*, units::Seconds};
/// let arrivals = Arrivals { swing: 1.0, peak_hour: 12.0 };
/// let spec = TraceSpec { jobs: 2_000, arrivals, surge: None, ..TraceSpec::paper(Scenario::Basic) };
/// let by_day = |job: &&RecordedJob| (6.0..18.0).contains(&(job.submitted.0 % 86_400.0 / 3_600.0));
/// let jobs = spec.record(1)?;
/// // The cosine over the half of the day around its peak: 1/2 + 1/π, which is 82 %.
/// let share = jobs.iter().filter(by_day).count() as f64 / 2_000.0;
/// assert!((share - 0.82).abs() < 0.03);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Arrivals {
    /// How far the rate swings about its mean, as a share of it: from 0, a steady rate, to 1.
    pub swing: f64,
    /// The hour of the day with the greatest rate, from 0 to 24.
    pub peak_hour: f64,
}

impl Arrivals {
    /// Arrivals that swing by 40 % about their mean, with most at 15 h.
    ///
    /// The Aryl paper publishes the number of jobs only, about 140 an hour; the swing is ours.
    pub const PAPER: Self = Self { swing: 0.4, peak_hour: 15.0 };

    pub(super) fn check(&self) -> Result<(), SpecError> {
        if !(0.0..=1.0).contains(&self.swing) {
            return Err(SpecError::Share { what: "swing of the arrivals", share: self.swing });
        }
        if !(0.0..=24.0).contains(&self.peak_hour) {
            return Err(SpecError::Hour { what: "hour of most arrivals", hour: self.peak_hour });
        }
        Ok(())
    }

    /// Times for so many jobs, in whole seconds and ascending. Given their number, the arrivals of a Poisson process are
    /// independent draws from its rate; drawn by rejection.
    pub(super) fn draw(&self, jobs: usize, span: Seconds, seed: u64) -> Vec<Seconds> {
        let mut random = stream(seed, Stream::Arrivals);
        let mut times: Vec<Seconds> = (0..jobs)
            .map(|_| {
                loop {
                    let time = span.0 * random.rand_float();
                    let phase = (time - self.peak_hour * 3_600.0) / DAY.0;
                    let rate = 1.0 + self.swing * libm::cos(core::f64::consts::TAU * phase);
                    // The rate is 1 on average at least over a day; and where the span is shorter than that, some time
                    // in it has a rate above 0, so that the loop ends.
                    if random.rand_float() * (1.0 + self.swing) <= rate {
                        break Seconds(libm::floor(time));
                    }
                }
            })
            .collect();
        times.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        times
    }
}

/// Large jobs that are submitted within a short time of each other, such as a sweep before a deadline.
///
/// It moves jobs that the trace has anyway: drawn evenly among the large ones, until they make up the wanted load.
///
/// # Examples
///
/// Two hours that bring more than a twentieth of the load of 15 days:
///
/// ```
/// # use aryl::{sim::workload::*, units::Seconds};
/// let surge = Surge { min_gpus: 8, min_running_time: Seconds(3_600.0), ..Surge::PAPER };
/// let spec = TraceSpec { jobs: 2_000, surge: Some(surge), ..TraceSpec::paper(Scenario::Basic) };
/// let jobs = spec.record(1)?;
/// let within = |job: &&RecordedJob| (0.0..7_200.0).contains(&(job.submitted.0 - surge.start.0));
/// let load: f64 = jobs.iter().filter(within).map(RecordedJob::gpu_seconds).sum();
/// let share = load / jobs.iter().map(RecordedJob::gpu_seconds).sum::<f64>();
/// assert!(share > 0.0545 && share < 0.2); // the last of its jobs may exceed what is wanted
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Surge {
    /// When it begins.
    pub start: Seconds,
    /// How long it lasts: its jobs arrive evenly in that time.
    pub width: Seconds,
    /// The share of the load of the whole trace that arrives in it.
    pub load: f64,
    /// Only jobs of at least so many GPUs are part of it.
    pub min_gpus: u32,
    /// Only jobs that run for at least this long are part of it.
    pub min_running_time: Seconds,
}

impl Surge {
    /// The surge that makes FIFO queue for as long as the Aryl paper reports: in two hours of the eighth day, jobs of at
    /// least 32 GPUs and 11 hours arrive that make up 5.45 % of the load of the trace.
    ///
    /// It is ours. Without it a cluster that is used at 72 % has next to no queue: 3,000 s of queuing on average, with a
    /// median below a minute (Table 5), are only possible where few jobs wait for very long.
    pub const PAPER: Self = Self {
        start: Seconds(640_800.0),
        width: Seconds(7_200.0),
        load: 0.0545,
        min_gpus: 32,
        min_running_time: Seconds(40_000.0),
    };

    pub(super) fn check(&self) -> Result<(), SpecError> {
        if !(0.0..=1.0).contains(&self.load) {
            return Err(SpecError::Share { what: "load of the surge", share: self.load });
        }
        if self.start.0 < 0.0 {
            return Err(SpecError::Time {
                what: "start of the surge",
                time: self.start,
                limit: Seconds(1e9),
            });
        }
        check_time("end of the surge", Seconds(self.start.0 + self.width.0))?;
        check_time("width of the surge", self.width)
    }

    /// Moves its jobs, and brings all in order again.
    pub(super) fn gather(&self, jobs: &mut [RecordedJob], seed: u64) {
        let mut random = stream(seed, Stream::Surge);
        let mut wanted = self.load * jobs.iter().map(RecordedJob::gpu_seconds).sum::<f64>();
        for at in shuffled(jobs.len(), &mut random) {
            let Some(job) = jobs.get_mut(at) else { continue };
            let is_large = job.gpus >= self.min_gpus && job.running_time >= self.min_running_time;
            if is_large && wanted > 0.0 {
                job.submitted = Seconds(libm::floor(self.start.0 + self.width.0 * random.rand_float()));
                wanted -= job.gpu_seconds();
            }
        }
        jobs.sort_by(|a, b| a.submitted.0.total_cmp(&b.submitted.0));
    }
}

/// A number of GPUs for each of so many jobs, with the shares of a mix met closely among any jobs that follow on each
/// other.
///
/// The numbers are read off the mix at the points of a Weyl sequence, the multiples of the golden ratio less their whole
/// parts, which fills the range from 0 to 1 as evenly as can be.
pub(super) fn draw_gpus(mix: &[(u32, f64)], jobs: usize, seed: u64) -> Vec<u32> {
    const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;
    let start = stream(seed, Stream::Gpus).rand_float();
    let last = mix.last().map_or(1, |&(size, _)| size);
    (0..jobs)
        .map(|job| {
            let point = start + job as f64 * GOLDEN_RATIO;
            let mut left = point - libm::floor(point);
            let mut sizes = mix.iter();
            let found = sizes.find(|&&(_, share)| {
                left -= share;
                left < 0.0
            });
            found.map_or(last, |&(size, _)| size)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_met_among_any_neighbours() {
        for seed in 0..20 {
            let gpus = draw_gpus(&[(1, 0.5), (2, 0.3), (64, 0.2)], 10_000, seed);
            for part in gpus.chunks(200).chain([&gpus[..]]) {
                let count = |size| part.iter().filter(|&&gpus| gpus == size).count() as f64;
                for (size, share) in [(1, 0.5), (2, 0.3), (64, 0.2)] {
                    assert!((count(size) - share * part.len() as f64).abs() <= 5.0);
                }
            }
        }
        assert_eq!(draw_gpus(&[(4, 1.0)], 3, 1), [4, 4, 4]);
        assert_eq!(draw_gpus(&[(1, 0.5), (2, 0.5)], 1, 1).len(), 1);
    }

    #[test]
    fn most_jobs_arrive_around_the_peak() {
        let arrivals = Arrivals { swing: 1.0, peak_hour: 12.0 };
        let times = arrivals.draw(20_000, Seconds(4.0 * DAY.0), 2);
        assert!(times.is_sorted_by(|a, b| a <= b));
        let hour = |time: &Seconds| time.0 % DAY.0 / 3_600.0;
        let day = times.iter().filter(|time| (6.0..18.0).contains(&hour(time))).count();
        // Half and the integral of the cosine over the half day, 1 / π.
        assert!((day as f64 / 20_000.0 - (0.5 + core::f64::consts::FRAC_1_PI)).abs() < 0.01, "{day}");
    }

    #[test]
    fn a_surge_moves_large_jobs_only() {
        let mut jobs: Vec<RecordedJob> = (0..1_000)
            .map(|n| RecordedJob {
                submitted: Seconds(f64::from(n)),
                running_time: Seconds(1_000.0),
                gpus: if n % 2 == 0 { 1 } else { 8 },
            })
            .collect();
        let before = jobs.clone();
        let surge = Surge {
            start: Seconds(5_000.0),
            width: Seconds(10.0),
            load: 0.1,
            min_gpus: 8,
            min_running_time: Seconds(1.0),
        };
        surge.gather(&mut jobs, 3);
        let moved: Vec<_> = jobs.iter().filter(|job| job.submitted >= surge.start).collect();
        assert!(moved.iter().all(|job| job.gpus == 8));
        // A tenth of 4,500,000 GPU seconds in jobs of 8,000.
        assert_eq!(moved.len(), 57);
        assert_eq!(jobs.len(), before.len());
        assert!(jobs.is_sorted_by(|a, b| a.submitted <= b.submitted));
    }
}
