//! Errors of what a cluster holds, and of what curves are made of.

use aryl::cluster::{
    AddGpuTypeError, AddJobError, AddServerError, Cluster, GpuType, Job, JobError, Placement, Pool, Server,
    StepError, StopError, UpdateJobError,
};
use aryl::epoch::{Epoch, Request};
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::Seconds;

use crate::{Messages, gpu_type, job, server};

/// V100 and T4; server 0 of 8 V100 for training, server 1 of 8 V100 on loan, server 2 of 4 T4 for training, server 3 of 8
/// V100 for inference. Job 0 has three workers of 2 to 4 on server 0, one of them flexible; job 1 waits.
pub(crate) fn small() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for server in [
        Server::training(v100, 8),
        Server::on_loan(v100, 8),
        Server::training(t4, 4),
        Server::inference(v100, 8),
    ] {
        cluster.add_server(server).unwrap();
    }
    let running = cluster.add_job(Job::elastic(2..=4)).unwrap();
    cluster.place(running, &[Placement::base(server(0), 2), Placement::flexible(server(0), 1)]).unwrap();
    cluster.add_job(Job::elastic(2..=4)).unwrap();
    cluster
}

pub(crate) fn add(messages: &mut Messages) {
    add_types_and_servers(messages);
    add_jobs(messages);
    add_scaling(messages);
    add_places(messages);
    add_changes(messages);
    add_steps(messages);
}

fn add_types_and_servers(messages: &mut Messages) {
    let mut cluster = small();
    messages.refused(cluster.add_gpu_type(GpuType::new("K80").speed(0, 3)));
    messages.refused(cluster.add_gpu_type(GpuType::new("K80").speed(1, 1_001)));
    messages.refused(Cluster::new().add_gpu_type(GpuType::new("K80").speed(1, 2)));
    messages.add(AddGpuTypeError::Full { limit: u32::MAX });
    messages.refused(cluster.add_server(Server::training(gpu_type(7), 8)));
    messages.refused(cluster.add_server(Server::training(gpu_type(0), 0)));
    messages.refused(cluster.add_server(Server::training(gpu_type(0), 2_000)));
    messages.add(AddServerError::Full { limit: u32::MAX });
}

fn add_jobs(messages: &mut Messages) {
    let mut cluster = small();
    cluster.add_job(Job::inelastic(1).preemption_cost(u64::MAX - 2)).unwrap();
    let one = || Job::inelastic(1);
    let power = ScalingCurve::PowerLaw { exponent: 1.5 };
    for wrong in [
        Job::inelastic(0),
        Job::elastic(5..=4),
        Job::inelastic(2_000_000),
        one().gpus_per_worker(0),
        one().gpus_per_worker(2_000),
        one().on([]),
        one().on([gpu_type(7)]),
        one().remaining(Seconds(-1.0)),
        one().weight(f64::NAN),
        one().remaining(Seconds(1e10)).weight(1e4),
        one().resize_overhead(Seconds(-3.5)),
        one().submitted(Seconds(f64::INFINITY)),
        one().started(Seconds(f64::NAN)),
        one().checkpointed(Seconds(f64::NEG_INFINITY)),
        one().heterogeneous_at(1.2),
        one().scaling(power.clone()),
        one().preemption_cost(5),
    ] {
        match cluster.add_job(wrong).unwrap_err() {
            AddJobError::Job(fault) => messages.add(fault),
            other => panic!("{other}"),
        }
    }
    messages.refused(cluster.add_job(Job::elastic(5..=4)));
    messages.add(AddJobError::Full { limit: u32::MAX });
    messages.refused(cluster.update_job(job(9), one()));
    messages.refused(cluster.update_job(job(0), Job::elastic(5..=4)));
    messages.refused(cluster.update_job(job(0), Job::elastic(2..=4).gpus_per_worker(2)));
    messages.refused(cluster.update_job(job(0), Job::elastic(3..=4)));
    assert!(matches!(UpdateJobError::from(JobError::ZeroWorkers), UpdateJobError::Job(_)));
}

fn add_scaling(messages: &mut Messages) {
    messages.refused(ScalingCurve::PowerLaw { exponent: 1.5 }.check());
    messages.refused(ScalingCurve::Amdahl { serial: -0.1 }.check());
    messages.refused(ScalingCurve::LossPerAddedWorker { loss: f64::NAN }.check());
    messages.refused(MeasuredTable::new([]));
    messages.refused(MeasuredTable::new([(0, 1.0)]));
    messages.refused(MeasuredTable::new([(2, 1.0), (2, 1.5)]));
    messages.refused(MeasuredTable::new([(2, 1.0), (4, f64::INFINITY)]));
}

fn add_places(messages: &mut Messages) {
    let mut cluster = small();
    let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(16)).unwrap();
    let fungible = cluster.add_job(Job::elastic(2..=3).fungible()).unwrap();
    let full = cluster.add_job(Job::inelastic(7)).unwrap();
    let base = |at, workers| [Placement::base(server(at), workers)];
    messages.refused(cluster.place(job(9), &base(0, 2)));
    messages.refused(cluster.place(job(1), &base(9, 2)));
    messages.refused(cluster.place(job(0), &base(0, 2)));
    messages.refused(cluster.place(job(1), &base(0, 0)));
    messages.refused(cluster.place(job(1), &[Placement::flexible(server(0), 1).pinned()]));
    messages.refused(cluster.place(job(1), &base(3, 2)));
    messages.refused(cluster.place(job(1), &base(2, 2)));
    messages
        .refused(cluster.place(fungible, &[Placement::base(server(0), 1), Placement::base(server(2), 3)]));
    messages.refused(cluster.place(wide, &base(0, 1)));
    messages.refused(cluster.place(full, &base(0, 7)));
    messages.refused(cluster.place(job(1), &base(0, 1)));
    messages.refused(cluster.place(job(1), &base(0, 3)));
    messages
        .refused(cluster.place(job(1), &[Placement::base(server(0), 2), Placement::flexible(server(1), 3)]));
    messages.refused(cluster.scale_out(job(1), server(0), 1));
}

fn add_changes(messages: &mut Messages) {
    let mut cluster = small();
    let pinned = cluster.add_job(Job::inelastic(1)).unwrap();
    cluster.place(pinned, &[Placement::base(server(1), 1).pinned()]).unwrap();
    messages.refused(cluster.scale_in(job(9), server(0), 1));
    messages.refused(cluster.scale_in(job(0), server(9), 1));
    messages.refused(cluster.scale_in(job(0), server(0), 0));
    messages.refused(cluster.scale_in(job(0), server(0), 4));
    messages.refused(cluster.scale_in(pinned, server(1), 1));
    messages.refused(cluster.scale_in(job(0), server(0), 2));
    messages.refused(cluster.stop(job(9)));
    messages.refused(cluster.stop(job(1)));
    messages.refused(cluster.remove_server(server(9)));
    messages.refused(cluster.remove_server(server(0)));
    messages.refused(cluster.set_pool(server(9), Pool::Training));
    messages.refused(cluster.set_pool(server(1), Pool::Inference));
}

/// Plans that were right for another cluster, and steps that no plan of this crate has.
fn add_steps(messages: &mut Messages) {
    let start = Epoch::default().plan(&small(), Request::NONE).unwrap();
    let mut changed = small();
    changed.remove_job(job(0)).unwrap();
    let refused = changed.apply(&start).unwrap_err();
    messages.add_struct(refused.clone());
    messages.add(refused.reason);

    let mut lent = small();
    let back = Epoch::default().plan(&lent, Request::reclaim(1)).unwrap();
    lent.set_pool(server(1), Pool::Training).unwrap();
    messages.add(lent.apply(&back).unwrap_err().reason);

    let mut cluster = small();
    messages.add(StepError::Stop(StopError::NotRunning { job: job(1) }));
    messages.add(StepError::ScaleIn(cluster.scale_in(job(0), server(0), 2).unwrap_err()));
    messages.add(StepError::Place(cluster.place(job(1), &[Placement::base(server(3), 2)]).unwrap_err()));
    messages.add(StepError::SetPool(cluster.set_pool(server(0), Pool::Inference).unwrap_err()));
    messages.add(StepError::NotRunning { job: job(1) });
}
