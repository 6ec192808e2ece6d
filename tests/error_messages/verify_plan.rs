//! What the verifier says of a wrong plan.

use aryl::cluster::{ApplyError, Pool, StepError};
use aryl::epoch::{Action, Cause};
use aryl::units::Seconds;
use aryl::verify::{ClusterViolation, PlanViolation};

use crate::{Messages, gpu_type, job, server};

pub(crate) fn add(messages: &mut Messages) {
    use PlanViolation as P;
    let (job, server, step, gpu_type) = (job(2), server(3), 4, gpu_type(1));
    let (preempt, keep) = (Action::Preempt { job }, Action::Keep { job: crate::job(1) });
    let (pool, expected) = (Pool::Inference, Pool::OnLoan);
    for violation in [
        P::Order { step, before: keep, after: preempt },
        P::Preempted { job, plan: 1, reclaim: 0 },
        P::Returned { server, plan: 0, reclaim: 1 },
        P::Departure { job, server, plan: 2, reclaim: 3 },
        P::WrongCause { step, job, server, cause: Cause::Reallocated, expected: Cause::ServerReturns },
        P::WrongCause { step, job, server, cause: Cause::ServerReturns, expected: Cause::Reallocated },
        P::LentCount { lent: 3, offered: 2 },
        P::LentProtected { step, server },
        P::LentAgain { step, server },
        P::WrongPool { step, server, pool, expected },
        P::UnknownJob { step, job },
        P::UnknownServer { step, server },
        P::NotRunning { step, job },
        P::AlreadyRunning { step, job },
        P::NoWorkers { step, job, server },
        P::TooFew { step, job, server, workers: 3, held: 2 },
        P::Pinned { step, job, server },
        P::NotEmpty { step, server, job },
        P::Rule { step, rule: ClusterViolation::OverFull { server, held: 9, gpus: 8 } },
        P::Pointless { job, server },
        P::KeptAndTouched { step, job },
        P::NotKept { job },
        P::Count { what: "GPUs in use after the plan", stated: 30, expected: 32 },
        P::Time { what: "time gained", stated: Seconds(30.0), expected: Seconds(60.5) },
        P::AllocationOrder { before: gpu_type, after: crate::gpu_type(0) },
        P::AllocationType { gpu_type },
        P::AllocationSense { gpu_type },
        P::AllocationCapacity { gpu_type, capacity: 30, expected: 28 },
        P::AllocationJobs { gpu_type, jobs: 3, expected: 2 },
        P::AllocationObjective { gpu_type, objective: 30, least: 10, most: 20 },
        P::Apply(ApplyError { step, reason: StepError::NotRunning { job } }),
        P::PlacementsDiffer { job },
        P::PoolsDiffer { server, applied: pool, expected },
    ] {
        messages.add(violation);
    }
}
