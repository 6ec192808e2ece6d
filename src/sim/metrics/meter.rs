//! Counting GPUs over time, exactly.

use crate::cluster::Pool;
use crate::units::Seconds;

/// The state of the clusters at one time.
///
/// # Examples
///
/// ```
/// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
/// let jobs = [TraceJob::new(Job::inelastic(8).remaining(Seconds(500.0)))];
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let report = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
/// // Every 300 s, before what is decided then.
/// let busy: Vec<u64> = report.series.iter().map(|sample| sample.training_busy).collect();
/// assert_eq!(busy, [0, 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Sample {
    /// When.
    pub time: Seconds,
    /// GPUs of training servers that workers hold.
    pub training_busy: u64,
    /// Servers on loan.
    pub on_loan_servers: u32,
    /// GPUs of on-loan servers.
    pub on_loan_gpus: u64,
    /// GPUs of on-loan servers that workers hold.
    pub on_loan_busy: u64,
    /// GPUs that inference needs.
    pub inference_busy: u64,
    /// Jobs that wait.
    pub waiting: u32,
    /// Jobs that run.
    pub running: u32,
    /// Jobs that have ended.
    pub ended: u32,
}

/// GPUs, each times the milliseconds for which it was in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sim) struct Integral {
    pub(in crate::sim) milliseconds: u128,
    pub(in crate::sim) training_busy: u128,
    pub(in crate::sim) on_loan_gpus: u128,
    pub(in crate::sim) on_loan_busy: u128,
    pub(in crate::sim) inference_busy: u128,
    /// GPUs that inference needed and had lent.
    pub(in crate::sim) inference_short: u128,
}

/// Events counted over the whole simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sim) struct Counters {
    pub(in crate::sim) decisions: u64,
    pub(in crate::sim) lent: u64,
    pub(in crate::sim) returned: u64,
    pub(in crate::sim) returned_idle: u64,
    pub(in crate::sim) returned_by_scale_in: u64,
    pub(in crate::sim) returned_gpus: u64,
    pub(in crate::sim) reclaims: u64,
    pub(in crate::sim) collateral_gpus: u64,
}

/// What is counted as time goes by.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Meter {
    training_busy: u64,
    lent_servers: u32,
    on_loan_gpus: u64,
    on_loan_busy: u64,
    pub(in crate::sim) inference_busy: u64,
    inference_gpus: u64,
    /// GPUs that the jobs in the cluster request.
    pub(in crate::sim) requested_gpus: u64,
    window_end: u64,
    /// Up to the end of the window.
    pub(in crate::sim) window: Integral,
    /// Over the whole time: GPUs requested times milliseconds.
    pub(in crate::sim) contention: u128,
    pub(in crate::sim) counters: Counters,
}

impl Meter {
    pub(in crate::sim) fn new(inference_gpus: u64, window_end: u64) -> Self {
        Self { inference_gpus, window_end, ..Self::default() }
    }

    pub(in crate::sim) fn advance(&mut self, from: u64, to: u64) {
        self.contention += u128::from(self.requested_gpus) * u128::from(to - from);
        let elapsed = u128::from(to.min(self.window_end).saturating_sub(from));
        if elapsed == 0 {
            return;
        }
        let window = &mut self.window;
        window.milliseconds += elapsed;
        window.training_busy += elapsed * u128::from(self.training_busy);
        window.on_loan_gpus += elapsed * u128::from(self.on_loan_gpus);
        window.on_loan_busy += elapsed * u128::from(self.on_loan_busy);
        window.inference_busy += elapsed * u128::from(self.inference_busy);
        let home = self.inference_gpus - self.on_loan_gpus;
        window.inference_short += elapsed * u128::from(self.inference_busy.saturating_sub(home));
    }

    pub(in crate::sim) fn take(&mut self, pool: Pool, gpus: u64) {
        *self.busy(pool) += gpus;
    }

    pub(in crate::sim) fn release(&mut self, pool: Pool, gpus: u64) {
        *self.busy(pool) -= gpus;
    }

    fn busy(&mut self, pool: Pool) -> &mut u64 {
        match pool {
            Pool::Training => &mut self.training_busy,
            Pool::OnLoan | Pool::Inference => &mut self.on_loan_busy,
        }
    }

    pub(in crate::sim) fn lend(&mut self, gpus: u32) {
        self.lent_servers += 1;
        self.on_loan_gpus += u64::from(gpus);
        self.counters.lent += 1;
    }

    pub(in crate::sim) fn give_back(&mut self, gpus: u32) {
        self.lent_servers -= 1;
        self.on_loan_gpus -= u64::from(gpus);
        self.counters.returned += 1;
        self.counters.returned_gpus += u64::from(gpus);
    }

    pub(in crate::sim) fn lent_servers(&self) -> u32 {
        self.lent_servers
    }

    pub(in crate::sim) fn sample(&self, time: Seconds, waiting: u32, running: u32, ended: u32) -> Sample {
        Sample {
            time,
            training_busy: self.training_busy,
            on_loan_servers: self.lent_servers,
            on_loan_gpus: self.on_loan_gpus,
            on_loan_busy: self.on_loan_busy,
            inference_busy: self.inference_busy,
            waiting,
            running,
            ended,
        }
    }
}
