//! Fungible jobs on what inference leaves idle, at their own risk.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, View};
use crate::cluster::{AllowedGpuTypes, Pool};
use crate::epoch::Action;
use crate::id::JobId;
use crate::loan::LoanPolicy;
use crate::reclaim::{self, Reclaimer};

/// First in, first out, and jobs that may run on any GPU type may start on idle servers of the inference cluster too, below
/// inference priority.
///
/// It is the Aryl paper's baseline of the same name (section 7): there is no loan to negotiate, and inference takes its
/// servers back whenever it wants. So every idle server is used at once, with no headroom, band or patience, and those
/// that go back are random. Jobs run with the workers that they request.
///
/// What differs: the unit is a server here too. And a job that waits for idle servers keeps its place in the queue of the
/// training cluster, and starts where there is room first. Were it bound to the idle servers, its queue would grow without
/// end wherever they are too few for all such jobs.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Opportunistic;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // A fungible job of 2 V100 takes 6 of the 8 T4 that are idle, and so leaves the V100 to the job behind it.
/// let fungible = TraceJob::new(Job::inelastic(2).fungible().remaining(Seconds(60.0)));
/// let other = TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)));
/// let workload = Workload { jobs: vec![fungible, other], load: InferenceLoad::constant(0.4)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("T4").speed(1, 3), 3, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Opportunistic::new())?;
/// assert_eq!(report.jct().max, Seconds(60.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Opportunistic {
    reclaimer: Reclaimer,
    loan_policy: LoanPolicy,
    memory: DraftMemory,
}

impl Default for Opportunistic {
    fn default() -> Self {
        Self::new()
    }
}

impl Opportunistic {
    /// With seed 0 for the servers that inference takes back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let loans = Opportunistic::new().loan_policy().unwrap();
    /// assert_eq!((loans.band(), loans.patience(), loans.headroom()), (0, 1, 0.0)); // whatever is idle, at once
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// With this seed for the servers that inference takes back.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::{cluster::{GpuType, Job}, sim::{policy::*, workload::*, *}, units::Seconds};
    /// // Four inference servers. One is needed until 1,000 s and two from then on: one of three goes back.
    /// let jobs = [0; 3].map(|_| TraceJob::new(Job::inelastic(8).fungible().remaining(Seconds(2_000.0))));
    /// let stopped = |seed| -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    /// #     let setup = Setup::new(GpuType::new("V100"), 1, 8).inference(GpuType::new("V100"), 4, 8);
    /// #     let load = InferenceLoad::new([(Seconds(0.0), 0.25), (Seconds(1_000.0), 0.5)])?;
    /// #     let workload = Workload { jobs: jobs.to_vec(), load };
    ///     let report = Simulation::new(&setup, &workload)?.run(&mut Opportunistic::seeded(seed))?;
    ///     Ok(report.jobs.iter().map(|job| job.preemptions).collect())
    /// };
    /// assert_eq!(stopped(1)?.iter().sum::<u32>(), 1);
    /// assert_eq!(stopped(1)?, stopped(1)?);
    /// let all: Vec<Vec<u32>> = (0..10).map(stopped).collect::<Result<_, _>>()?;
    /// assert!(all.iter().any(|stopped| *stopped != all[0])); // another seed, another victim
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let eager = LoanPolicy::default().with_band(0);
        // Neither is ever refused.
        let eager = eager.with_headroom(0.0).unwrap_or(eager);
        let eager = eager.with_patience(1).unwrap_or(eager);
        Self {
            // Inference knows nothing of jobs: nobody is spared.
            reclaimer: Reclaimer::new(reclaim::Policy::Random { seed }).put_back(false),
            loan_policy: eager,
            memory: DraftMemory::default(),
        }
    }
}

impl Policy for Opportunistic {
    fn name(&self) -> &str {
        "Opportunistic"
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        Some(self.loan_policy)
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let cluster = view.cluster();
        let mut draft = self.memory.begin(view);
        draft.reclaim(&self.reclaimer, view.asked_back())?;
        draft.lend(view.offered());
        let is_fungible =
            |id: &JobId| cluster.job(*id).is_some_and(|job| job.gpu_types == AllowedGpuTypes::Any);
        draft.only(Pool::OnLoan);
        for job in view.waiting().filter(is_fungible) {
            if !draft.start(job) {
                break;
            }
        }
        draft.only(Pool::Training);
        for job in view.waiting() {
            if !draft.is_running(job) && !draft.start(job) {
                break;
            }
        }
        draft.finish(actions);
        Ok(())
    }
}
