//! Each rule is broken once, in a right statement of a right cluster.

use alloc::vec;

use super::*;
use crate::cluster::{GpuType, Job};

/// Three types, servers 0 (V100, training), 1 (T4, on loan), 2 (A100, training), 3 (T4, inference); job 0 on servers 0
/// and 1 (mixed), job 1 on server 1, job 2 waiting.
fn sample() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1)).unwrap();
    let first = cluster.add_server(Server::training(v100, 8)).unwrap();
    let second = cluster.add_server(Server::on_loan(t4, 16)).unwrap();
    cluster.add_server(Server::training(a100, 1)).unwrap();
    cluster.add_server(Server::inference(t4, 8)).unwrap();
    let mixed = Job::elastic(2..=4).gpus_per_worker(2).on([v100, t4]).heterogeneous();
    let mixed = cluster.add_job(mixed).unwrap();
    let plain = cluster.add_job(Job::elastic(1..=2).on([t4])).unwrap();
    cluster.add_job(Job::inelastic(1)).unwrap();
    let workers =
        [Placement::base(first, 2).pinned(), Placement::flexible(first, 1), Placement::flexible(second, 3)];
    cluster.place(mixed, &workers).unwrap();
    cluster.place(plain, &[Placement::base(second, 3), Placement::flexible(second, 2)]).unwrap();
    cluster
}

/// What the check says of a statement that was changed.
fn broken(change: impl Fn(&mut Statement<'_>)) -> ClusterViolation {
    let cluster = sample();
    let mut statement = Statement::of(&cluster);
    assert_eq!(statement.check(), Ok(()));
    change(&mut statement);
    statement.check().unwrap_err()
}

const fn job(index: u32) -> JobId {
    JobId::new(index)
}

const fn server(index: u32) -> ServerId {
    ServerId::new(index)
}

#[test]
fn the_public_check_reads_the_cluster_itself() {
    let mut cluster = sample();
    assert_eq!(super::cluster(&cluster), Ok(()));
    // Beyond its maximum, behind the back of the rules.
    cluster.occupancy_mut().attach(job(1), Placement::flexible(server(1), 2), 1);
    let expected = ClusterViolation::AboveMaximum { job: job(1), workers: 7, max: 2 };
    assert_eq!(super::cluster(&cluster), Err(Violation::Cluster(expected)));
}

#[test]
fn lists_that_are_out_of_order_or_double() {
    let swapped = broken(|s| s.hosts[1].tenants.swap(0, 1));
    assert_eq!(
        swapped,
        ClusterViolation::TenantOrder { server: server(1), job: job(0), role: Role::Flexible }
    );
    let double = broken(|s| {
        let again = s.hosts[0].tenants[1];
        s.hosts[0].tenants.push(again);
    });
    assert_eq!(
        double,
        ClusterViolation::TenantOrder { server: server(0), job: job(0), role: Role::Flexible }
    );
    let swapped = broken(|s| s.gangs[0].2.swap(0, 1));
    assert_eq!(
        swapped,
        ClusterViolation::PlacementOrder { job: job(0), server: server(0), role: Role::Base }
    );
    let double = broken(|s| {
        let again = s.gangs[1].2[0];
        s.gangs[1].2.insert(1, again);
    });
    assert_eq!(double, ClusterViolation::PlacementOrder { job: job(1), server: server(1), role: Role::Base });
}

#[test]
fn entries_without_workers() {
    let none = |server, role| ClusterViolation::NoWorkers { job: job(0), server, role };
    assert_eq!(broken(|s| s.hosts[0].tenants[0].workers = 0), none(server(0), Role::Base));
    assert_eq!(broken(|s| s.gangs[0].2[2].workers = 0), none(server(1), Role::Flexible));
}

#[test]
fn two_directions_that_disagree() {
    let fewer = broken(|s| {
        s.hosts[1].tenants[2].workers = 1;
        s.hosts[1].free += 1;
    });
    let expected = |job, server, placed, hosted| ClusterViolation::Directions {
        job,
        server,
        role: Role::Flexible,
        placed,
        hosted,
    };
    assert_eq!(fewer, expected(job(1), server(1), 2, 1));
    let not_placed = broken(|s| {
        s.gangs[0].2.remove(2);
    });
    assert_eq!(not_placed, expected(job(0), server(1), 0, 3));
    let not_hosted = broken(|s| {
        s.hosts[0].tenants.remove(1);
        s.hosts[0].free += 2;
    });
    assert_eq!(not_hosted, expected(job(0), server(0), 1, 0));
    // The role counts too.
    let role = broken(|s| s.hosts[1].tenants[0].role = Role::Base);
    assert!(matches!(role, ClusterViolation::Directions { placed: 0, hosted: 3, role: Role::Base, .. }));
}

#[test]
fn things_that_the_cluster_does_not_hold() {
    let unknown = broken(|s| s.gangs[1].2[1].server = server(9));
    assert_eq!(unknown, ClusterViolation::UnknownServer { job: job(1), server: server(9) });
    let unknown = broken(|s| s.hosts[1].tenants[2].job = job(9));
    assert_eq!(unknown, ClusterViolation::UnknownJob { server: server(1), job: job(9) });
}

#[test]
fn gpus_that_do_not_add_up() {
    let free = broken(|s| s.hosts[0].free = 3);
    assert_eq!(free, ClusterViolation::FreeGpus { server: server(0), free: 3, expected: 2 });
    let full = broken(|s| s.hosts[0].server.gpus = 5);
    assert_eq!(full, ClusterViolation::OverFull { server: server(0), held: 6, gpus: 5 });
    // A count that would overflow 32 bits.
    let full = broken(|s| s.hosts[0].tenants[0].workers = u32::MAX);
    let held = 2 * u64::from(u32::MAX) + 2;
    assert_eq!(full, ClusterViolation::OverFull { server: server(0), held, gpus: 8 });
    let pool = broken(|s| s.hosts[1].server.pool = Pool::Inference);
    let expected = ClusterViolation::NotForTraining { server: server(1), pool: Pool::Inference, job: job(0) };
    assert_eq!(pool, expected);
}

/// A run of job 1 of the sample, or of job 0, that breaks a rule.
fn gang(id: JobId, placements: &[Placement], change: impl Fn(Job) -> Job) -> ClusterViolation {
    let cluster = sample();
    let definition = change(cluster.job(id).unwrap().clone());
    check_gang(&cluster, id, &definition, placements).unwrap_err()
}

#[test]
fn runs_on_the_wrong_servers() {
    let as_is = |job: Job| job;
    assert_eq!(
        gang(job(1), &[Placement::base(server(0), 1)], as_is),
        ClusterViolation::GpuTypeNotAllowed { job: job(1), server: server(0), gpu_type: GpuTypeId::new(0) }
    );
    assert_eq!(
        gang(job(0), &[Placement::base(server(0), 1), Placement::base(server(1), 3)], |mut job| {
            job.mixing_efficiency = None;
            job
        }),
        ClusterViolation::MixedGpuTypes { job: job(0), first: GpuTypeId::new(0), second: GpuTypeId::new(1) }
    );
    assert_eq!(
        gang(job(0), &[Placement::base(server(2), 1)], Job::fungible),
        ClusterViolation::WorkerExceedsServer { job: job(0), server: server(2), gpus_per_worker: 2, gpus: 1 }
    );
    let mut pinned = Placement::flexible(server(1), 1);
    pinned.pinned = true;
    assert_eq!(
        gang(job(1), &[Placement::base(server(1), 3), pinned], as_is),
        ClusterViolation::PinnedFlexible { job: job(1), server: server(1) }
    );
}

#[test]
fn runs_of_the_wrong_size() {
    let as_is = |job: Job| job;
    let below = |workers| ClusterViolation::BaseBelowMinimum { job: job(1), workers, min: 1 };
    assert_eq!(gang(job(1), &[Placement::base(server(1), 2)], as_is), below(0));
    // Flexible workers do not make up for base workers.
    assert_eq!(gang(job(1), &[Placement::flexible(server(1), 3)], as_is), below(0));
    assert_eq!(
        gang(job(1), &[Placement::base(server(1), 4)], as_is),
        ClusterViolation::BaseAboveMinimum { job: job(1), workers: 4, min: 1 }
    );
    assert_eq!(
        gang(job(1), &[Placement::base(server(1), 3), Placement::flexible(server(1), 4)], as_is),
        ClusterViolation::AboveMaximum { job: job(1), workers: 7, max: 2 }
    );
    // Mixed: 1 V100 and 3 T4 are the base of 2; one T4 more is one too many only where no worker is needed.
    let mixed = |t4| vec![Placement::base(server(0), 1), Placement::base(server(1), t4)];
    let cluster = sample();
    let check = |t4| check_gang(&cluster, job(0), cluster.job(job(0)).unwrap(), &mixed(t4));
    assert_eq!(check(3), Ok(()));
    assert_eq!(check(2), Err(ClusterViolation::BaseBelowMinimum { job: job(0), workers: 1, min: 2 }));
    assert_eq!(check(7), Err(ClusterViolation::BaseAboveMinimum { job: job(0), workers: 8, min: 2 }));
}
