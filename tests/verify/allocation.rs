//! Which resize overheads the certificates of an allocation must count.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Action, Epoch, Plan, Request};
use aryl::id::ServerId;
use aryl::units::Seconds;
use aryl::verify::{self, PlanViolation, Violation};

/// One V100 type, with a training server and an on-loan server of so many GPUs.
fn cluster(training: u32, on_loan: u32) -> (Cluster, ServerId, ServerId) {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let home = cluster.add_server(Server::training(v100, training)).unwrap();
    let lent = cluster.add_server(Server::on_loan(v100, on_loan)).unwrap();
    (cluster, home, lent)
}

/// Whether the verifier takes the plan of the epoch, its allocation said to bring so many milliseconds.
fn takes(cluster: &Cluster, request: Request<'_>, objective: u64) -> bool {
    let plan = Epoch::default().plan(cluster, &request).unwrap();
    let mut said = serde_json::to_value(plan).unwrap();
    let certificate = &mut said["allocations"][0]["certificate"];
    (certificate["objective"], certificate["bound"]) = (objective.into(), objective.into());
    let said: Plan = serde_json::from_value(said).unwrap();
    match verify::plan(cluster, &request, &said) {
        Ok(()) => true,
        Err(Violation::Plan(PlanViolation::AllocationObjective { objective: found, .. })) => {
            assert_eq!(found, objective);
            false
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_job_that_is_resized_of_its_own_accord_is_charged() {
    let (mut cluster, home, _) = cluster(2, 2);
    let job = Job::elastic(1..=4).remaining(Seconds(40.0)).resize_overhead(Seconds(10.0));
    let job = cluster.add_job(job.weight(2.0)).unwrap();
    cluster.place(job, &[Placement::base(home, 1)]).unwrap();
    // 40 s with one worker, 10 s with four, and 10 s for the change: all twice.
    let taken = [30_000, 39_990, 40_000, 40_010, 60_000].map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, false, true, false, false]);
}

#[test]
fn a_job_that_starts_or_keeps_its_size_is_not_charged() {
    let (mut cluster, home, lent) = cluster(2, 2);
    let job = Job::elastic(1..=2).remaining(Seconds(40.0)).resize_overhead(Seconds(10.0));
    let runs = cluster.add_job(job.clone()).unwrap();
    cluster.place(runs, &[Placement::base(home, 1), Placement::flexible(lent, 1)]).unwrap();
    cluster.add_job(job).unwrap();
    let taken = [20_000, 30_000, 40_000].map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, false, true]);
}

#[test]
fn a_job_that_a_reclaim_resizes_is_not_charged() {
    let (mut cluster, home, lent) = cluster(3, 4);
    let job = Job::elastic(2..=6).remaining(Seconds(3_600.0)).resize_overhead(Seconds(600.0));
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)]).unwrap();
    // One of the four workers that leave comes back at home, and saves 1,200 s.
    let taken = [600_000, 1_200_000].map(|said| takes(&cluster, Request::reclaim(1), said));
    assert_eq!(taken, [false, true]);
}

#[test]
fn a_job_that_a_gang_may_have_taken_workers_from_may_be_charged() {
    let (mut cluster, home, lent) = cluster(3, 1);
    let job = Job::elastic(1..=4).remaining(Seconds(120.0)).resize_overhead(Seconds(10.0));
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(lent, 1), Placement::flexible(home, 3)]).unwrap();
    cluster.add_job(Job::inelastic(1)).unwrap();
    // Three workers are left, which save 80 s.
    let taken = [69_990, 70_000, 80_000, 80_010].map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, true, true, false]);
}

#[test]
fn a_gang_beside_the_base_workers_takes_nothing_from_a_job() {
    let (mut cluster, home, _) = cluster(2, 3);
    let job = Job::elastic(1..=4).remaining(Seconds(40.0)).resize_overhead(Seconds(10.0));
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(home, 1)]).unwrap();
    cluster.add_job(Job::inelastic(1)).unwrap();
    let plan = Epoch::default().plan(&cluster, &Request::NONE).unwrap();
    let starts_beside = |action: &Action| matches!(action, Action::Start { server, .. } if *server == home);
    assert!(plan.actions().iter().any(starts_beside));
    // 40 s with one worker, 10 s with four, and 10 s for the change.
    let taken = [19_990, 20_000, 20_010, 30_000].map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, true, false, false]);
}

#[test]
fn an_objective_may_be_off_by_three_milliseconds_a_job() {
    let (mut cluster, home, _) = cluster(2, 2);
    let job = cluster.add_job(Job::elastic(1..=4).remaining(Seconds(40.0))).unwrap();
    cluster.place(job, &[Placement::base(home, 1)]).unwrap();
    let taken = [29_996, 29_997, 30_003, 30_004].map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, true, true, false]);
}

#[test]
fn of_millennia_an_objective_may_be_off_by_a_part_in_a_thousand_million() {
    let (mut cluster, home, _) = cluster(3, 3);
    let overhead = Seconds(2e10);
    let job = Job::elastic(1..=4).remaining(Seconds(8e10)).resize_overhead(overhead);
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(home, 1)]).unwrap();
    // 6e13 ms are saved, and 2e13 ms are the overhead: together 8e4 ms may be off.
    let (right, off) = (40_000_000_000_000, 80_000);
    let said = [right - off - 100, right - off + 100, right + off - 100, right + off + 100];
    let taken = said.map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, true, true, false]);

    // The same where the overhead may be charged or not, for a gang takes one of three flexible workers.
    let (mut cluster, home, lent) = self::cluster(3, 1);
    let job = Job::elastic(1..=4).remaining(Seconds(9e10)).resize_overhead(overhead);
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(lent, 1), Placement::flexible(home, 3)]).unwrap();
    cluster.add_job(Job::inelastic(1)).unwrap();
    let (least, most) = (40_000_000_000_000, 60_000_000_000_000);
    let said = [least - off - 100, least - off + 100, most + off - 100, most + off + 100];
    let taken = said.map(|said| takes(&cluster, Request::NONE, said));
    assert_eq!(taken, [false, true, true, false]);
}
