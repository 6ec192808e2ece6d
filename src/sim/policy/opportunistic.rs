//! Fungible jobs on what inference leaves idle, at their own risk.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, View};
use crate::cluster::{AllowedGpuTypes, Cluster, Job, Pool};
use crate::epoch::{Action, Request};
use crate::id::JobId;
use crate::loan::LoanPolicy;
use crate::reclaim::{self, Reclaimer};
use crate::units::Speed;

/// Two queues: jobs that may run on any GPU type wait for the idle servers of the inference cluster, all others for the
/// training cluster. Each queue is first in, first out.
///
/// It is the Aryl paper's baseline of the same name (section 7): there is no loan to negotiate, and inference takes its
/// servers back whenever it wants. So every idle server is used at once, with no headroom, band or patience, and those that go
/// back are random. Jobs run with the workers that they request. What differs: the unit is a server here too, and a job
/// that could not run on the servers idle now, were they empty, may also start on the training cluster.
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
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// With this seed for the servers that inference takes back.
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

/// The servers that inference leaves idle: all of one kind.
#[derive(Clone, Copy)]
struct Idle {
    servers: u64,
    gpus: u32,
    speed: Speed,
}

impl Idle {
    /// Once what is asked for has changed hands.
    fn of(cluster: &Cluster, request: Request) -> Self {
        let mut idle = Self { servers: request.lend.into(), gpus: 0, speed: Speed::REFERENCE };
        for (_, server) in cluster.servers().filter(|(_, server)| server.pool != Pool::Training) {
            idle.servers += u64::from(server.pool == Pool::OnLoan);
            idle.gpus = server.gpus;
            idle.speed = cluster.speed(server.gpu_type).unwrap_or(Speed::REFERENCE);
        }
        idle.servers = idle.servers.saturating_sub(request.reclaim.into());
        idle
    }

    /// Whether they would hold the job, were they empty.
    fn hold(&self, job: &Job) -> bool {
        self.servers * u64::from(self.gpus / job.gpus_per_worker) >= job.min_workers_on(self.speed)
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
        let idle = Idle::of(cluster, view.request());
        let mut draft = self.memory.begin(view);
        draft.reclaim(&self.reclaimer, view.request().reclaim)?;
        draft.lend(view.request().lend);
        let is_fungible =
            |id: &JobId| cluster.job(*id).is_some_and(|job| job.gpu_types == AllowedGpuTypes::Any);
        draft.only(Pool::OnLoan);
        for job in view.waiting().filter(is_fungible) {
            if !draft.start(job) {
                if cluster.job(job).is_some_and(|job| idle.hold(job)) {
                    break;
                }
            }
        }
        draft.only(Pool::Training);
        for id in view.waiting() {
            let Some(job) = cluster.job(id) else { continue };
            let waits_for_loan = is_fungible(&id) && idle.hold(job);
            if !waits_for_loan && !draft.is_running(id) && !draft.start(id) {
                break;
            }
        }
        draft.finish(actions);
        Ok(())
    }
}
