//! `Cluster::apply`: all steps or none, and every reason for none.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use aryl::cluster::{
    ApplyError, Cluster, GpuType, Job, PlaceError, Placement, Pool, ScaleInError, Server, SetPoolError,
    StepError, StopError,
};
use aryl::epoch::{Action, Cause, Plan};
use aryl::id::{JobId, ServerId};
use aryl::verify;
use serde_json::json;

const fn job(index: u32) -> JobId {
    JobId::new(index)
}

const fn server(index: u32) -> ServerId {
    ServerId::new(index)
}

/// Servers of 8 GPUs: 0 training, 1 on loan, 2 inference. Job 0: base 1 on server 0, flexible 2 on server 1. Job 1 waits.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::training(v100, 8)).unwrap();
    cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    cluster.add_server(Server::inference(v100, 8)).unwrap();
    cluster.add_job(Job::elastic(1..=4)).unwrap();
    cluster.add_job(Job::inelastic(3).gpus_per_worker(2)).unwrap();
    cluster.place(job(0), &[Placement::base(server(0), 1), Placement::flexible(server(1), 2)]).unwrap();
    cluster
}

fn plan(steps: &[Action]) -> Plan {
    let mut value = serde_json::to_value(Plan::default()).unwrap();
    value["actions"] = json!(steps);
    serde_json::from_value(value).unwrap()
}

/// Two steps that can be carried out, then `steps`, of which the first or the one `after` it can't.
fn refused(after: usize, steps: &[Action]) -> StepError {
    let mut cluster = cluster();
    let before = cluster.clone();
    let start = Action::ScaleIn { job: job(0), server: server(1), workers: 2, cause: Cause::ServerReturns };
    let mut all = vec![start, Action::Keep { job: job(0) }];
    all.extend_from_slice(steps);
    let ApplyError { step, reason } = cluster.apply(&plan(&all)).unwrap_err();
    assert_eq!(step, 2 + after);
    assert_eq!(cluster, before, "steps before the wrong one were carried out");
    reason
}

#[test]
fn a_plan_is_carried_out_whole() {
    let mut cluster = cluster();
    let steps = [
        Action::ScaleIn { job: job(0), server: server(1), workers: 2, cause: Cause::ServerReturns },
        Action::Return { server: server(1) },
        Action::Lend { server: server(2) },
        Action::Start { job: job(1), server: server(0), workers: 1 },
        Action::Start { job: job(1), server: server(2), workers: 2 },
        Action::ScaleOut { job: job(0), server: server(2), workers: 3 },
    ];
    cluster.apply(&plan(&steps)).unwrap();
    assert_eq!(cluster.server(server(1)).unwrap().pool, Pool::Inference);
    assert_eq!(cluster.server(server(2)).unwrap().pool, Pool::OnLoan);
    assert_eq!(cluster.placements(job(1)), [Placement::base(server(0), 1), Placement::base(server(2), 2)]);
    assert_eq!(
        cluster.placements(job(0)),
        [Placement::base(server(0), 1), Placement::flexible(server(2), 3)]
    );
    assert_eq!(
        (cluster.free_gpus(server(0)), cluster.free_gpus(server(1)), cluster.free_gpus(server(2))),
        (5, 8, 1)
    );
    assert_eq!(verify::cluster(&cluster), Ok(()));
    cluster.apply(&Plan::default()).unwrap();
    cluster.apply(&plan(&[Action::Preempt { job: job(1) }])).unwrap();
    assert!(!cluster.is_running(job(1)));
}

#[test]
fn every_step_that_is_refused() {
    let waiting = StopError::NotRunning { job: job(1) };
    assert_eq!(refused(0, &[Action::Preempt { job: job(1) }]), StepError::Stop(waiting));
    let unknown = StopError::UnknownJob { job: job(2) };
    assert_eq!(refused(0, &[Action::Preempt { job: job(2) }]), StepError::Stop(unknown));
    let leave = Action::ScaleIn { job: job(0), server: server(0), workers: 1, cause: Cause::Reallocated };
    let below = ScaleInError::BelowMinimum { job: job(0), left: 0, min: 1 };
    assert_eq!(refused(0, &[leave]), StepError::ScaleIn(below));
    let start = |server, workers| Action::Start { job: job(1), server, workers };
    // A gang is refused at its first step, whichever of them is wrong.
    let full = PlaceError::NotEnoughGpus { job: job(1), server: server(1), gpus: 10, free: 8 };
    assert_eq!(refused(0, &[start(server(0), 1), start(server(1), 5)]), StepError::Place(full));
    let below = PlaceError::BelowMinimum { job: job(1), workers: 2, min: 3 };
    assert_eq!(refused(0, &[start(server(0), 2)]), StepError::Place(below));
    let again = PlaceError::AlreadyPlaced { job: job(1) };
    let apart = [start(server(0), 3), Action::Keep { job: job(0) }, start(server(1), 3)];
    assert_eq!(refused(2, &apart), StepError::Place(again));
    let grow = Action::ScaleOut { job: job(0), server: server(2), workers: 1 };
    let inference = PlaceError::NotForTraining { server: server(2), pool: Pool::Inference };
    assert_eq!(refused(0, &[grow]), StepError::Place(inference));
    assert_eq!(refused(0, &[Action::Keep { job: job(1) }]), StepError::NotRunning { job: job(1) });
    assert_eq!(refused(0, &[Action::Keep { job: job(9) }]), StepError::NotRunning { job: job(9) });
}

#[test]
fn every_move_of_a_server_that_is_refused() {
    let wrong = |server, pool, expected| StepError::WrongPool { server, pool, expected };
    let give_back = |index| Action::Return { server: server(index) };
    let lend = |index| Action::Lend { server: server(index) };
    assert_eq!(refused(0, &[give_back(0)]), wrong(server(0), Pool::Training, Pool::OnLoan));
    assert_eq!(refused(0, &[give_back(2)]), wrong(server(2), Pool::Inference, Pool::OnLoan));
    assert_eq!(refused(1, &[give_back(1), give_back(1)]), wrong(server(1), Pool::Inference, Pool::OnLoan));
    assert_eq!(refused(0, &[lend(0)]), wrong(server(0), Pool::Training, Pool::Inference));
    assert_eq!(refused(0, &[lend(1)]), wrong(server(1), Pool::OnLoan, Pool::Inference));
    let unknown = SetPoolError::UnknownServer { server: server(3) };
    assert_eq!(refused(0, &[give_back(3)]), StepError::SetPool(unknown.clone()));
    assert_eq!(refused(0, &[lend(3)]), StepError::SetPool(unknown));
    let mut cluster = cluster();
    let occupied = SetPoolError::Occupied { server: server(1), job: job(0) };
    let error = cluster.apply(&plan(&[give_back(1)])).unwrap_err();
    assert_eq!(error, ApplyError { step: 0, reason: StepError::SetPool(occupied) });
    assert_eq!(
        error.to_string(),
        "step 0 of the plan can't be carried out: server 1 hosts workers of job 0, so it can't serve inference"
    );
}
