//! What the verifiers say of a wrong cluster, knapsack, union, loan, placement or reclaim. A right solver brings none of
//! it about, so these are values.

use aryl::cluster::{Pool, Role};
use aryl::loan::{Fleet, HoldReason, LoanAction};
use aryl::place::UnplacedReason;
use aryl::units::Seconds;
use aryl::verify::{
    ClusterViolation, KnapsackViolation, LoanViolation, PlacementViolation, PlanViolation, ReclaimViolation,
    UnionViolation, Violation,
};

use crate::{Messages, gpu_type, job, server};

pub(crate) fn add(messages: &mut Messages) {
    add_cluster(messages);
    add_mathematics(messages);
    add_loan_and_placement(messages);
    add_reclaim(messages);
    let wraps: [Violation; 7] = [
        ClusterViolation::OverFull { server: server(3), held: 9, gpus: 8 }.into(),
        ReclaimViolation::Count { servers: 3, asked: 2 }.into(),
        KnapsackViolation::Sense.into(),
        UnionViolation::Sense.into(),
        LoanViolation::Number { what: "servers needed", stated: 4, expected: 5 }.into(),
        PlacementViolation::NoWorkers { job: job(1) }.into(),
        PlanViolation::NotKept { job: job(1) }.into(),
    ];
    wraps.into_iter().for_each(|violation| messages.add(violation));
}

fn add_cluster(messages: &mut Messages) {
    use ClusterViolation as V;
    let (job, server, role, gpu_type) = (job(2), server(3), Role::Base, gpu_type(1));
    for violation in [
        V::TenantOrder { server, job, role },
        V::PlacementOrder { job, server, role },
        V::NoWorkers { job, server, role },
        V::Directions { job, server, role, placed: 3, hosted: 2 },
        V::UnknownServer { job, server },
        V::UnknownJob { server, job },
        V::FreeGpus { server, free: 3, expected: 2 },
        V::OverFull { server, held: 9, gpus: 8 },
        V::NotForTraining { server, pool: Pool::Inference, job },
        V::GpuTypeNotAllowed { job, server, gpu_type },
        V::MixedGpuTypes { job, first: crate::gpu_type(0), second: gpu_type },
        V::WorkerExceedsServer { job, server, gpus_per_worker: 16, gpus: 8 },
        V::BaseBelowMinimum { job, workers: 1, min: 2 },
        V::BaseAboveMinimum { job, workers: 3, min: 2 },
        V::AboveMaximum { job, workers: 5, max: 4 },
        V::PinnedFlexible { job, server },
    ] {
        messages.add(violation);
    }
}

fn add_mathematics(messages: &mut Messages) {
    use KnapsackViolation as K;
    use UnionViolation as U;
    for violation in [
        K::Classes { choices: 3, classes: 4 },
        K::NoSuchItem { class: 2, item: 5, items: 4 },
        K::NothingChosen { class: 2, items: 4 },
        K::Weight { stated: 7, expected: 8 },
        K::OverCapacity { weight: 11, capacity: 10 },
        K::Value { stated: 70, expected: 80 },
        K::Sense,
        K::Objective { stated: 70, expected: 80 },
        K::Bound { bound: 70, objective: 80 },
        K::BoundTooLow { bound: 80, class: 2, value: 90 },
    ] {
        messages.add(violation);
    }
    for violation in [
        U::NoSuchSet { set: 5, sets: 4 },
        U::Order { before: 3, after: 2 },
        U::TooLight { weight: 3, needed: 4 },
        U::Superfluous { set: 2, weight: 4, needed: 4 },
        U::Cost { stated: 7, expected: 8 },
        U::Sense,
        U::Bound { bound: 9, cost: 8 },
    ] {
        messages.add(violation);
    }
}

fn add_loan_and_placement(messages: &mut Messages) {
    let fleet = Fleet::new(104, 8).unwrap().with_lent(30).unwrap();
    let (stated, expected) = (fleet, fleet.with_returning(4).unwrap());
    messages.add(LoanViolation::Fleet { stated, expected });
    messages.add(LoanViolation::Number { what: "servers needed", stated: 4, expected: 5 });
    let (lend, ask, hold) =
        (LoanAction::Lend(3), LoanAction::AskBack(1), LoanAction::Hold(HoldReason::Patience));
    messages.add(LoanViolation::Action { stated: lend, expected: ask });
    messages.add(LoanViolation::Action { stated: hold, expected: lend });

    use PlacementViolation as P;
    let (job, server) = (job(2), server(3));
    for violation in [
        P::Order { before: job, after: crate::job(1) },
        P::Answers { job, demands: 1, placed: 0, unplaced: 2 },
        P::UnknownJob { job },
        P::AlreadyRunning { job },
        P::NoWorkers { job },
        P::Pinned { job, server },
        P::Rule(ClusterViolation::OverFull { server, held: 9, gpus: 8 }),
        P::TooManyFlexible { job, workers: 5, asked: 2 },
        P::Room { job, room: 4, min: 3 },
        P::Reason {
            job,
            stated: UnplacedReason::NoServer,
            expected: UnplacedReason::NotEnoughRoom { workers: 3, slots: 2 },
        },
    ] {
        messages.add(violation);
    }
}

fn add_reclaim(messages: &mut Messages) {
    use ReclaimViolation as R;
    let (job, server, gpu_type) = (job(2), server(3), gpu_type(1));
    for violation in [
        R::Count { servers: 3, asked: 2 },
        R::CountOfType { gpu_type, servers: 3, asked: 2 },
        R::TooFewGpus { gpus: 24, asked: 30 },
        R::NeedlessServer { server, gpus: 24, asked: 20 },
        R::OtherGpuType { server, gpu_type },
        R::MustReturn { server },
        R::MustStay { server },
        R::NoCost { job },
        R::ServerOrder { before: server, after: crate::server(2) },
        R::UnknownServer { server },
        R::NotOnLoan { server, pool: Pool::Training },
        R::ProtectedServer { server },
        R::ProtectedJob { server, job },
        R::PreemptedOrder { before: job, after: crate::job(1) },
        R::BelowMinimum { job, left: 1, min: 2 },
        R::LosesPinned { job, server },
        R::NeedlessPreemption { job, left: 2, min: 2 },
        R::NotRunning { job },
        R::DepartureOrder { job, server },
        R::Departure { job, server, stated: 2, expected: 3 },
        R::ReturnedGpus { stated: 16, expected: 24 },
        R::CollateralGpus { stated: 3, expected: 4 },
        R::JctLost { stated: Seconds(30.0), expected: Seconds(60.5) },
        R::Sense,
        R::Objective { stated: 2, expected: 3 },
        R::Bound { bound: 4, objective: 3 },
        R::BoundTooHigh { bound: 4, cost: 3 },
        R::NotMinimal { job, can_leave: 4, asked: 3 },
        R::NotMinimalForAsk { job },
    ] {
        messages.add(violation);
    }
}
