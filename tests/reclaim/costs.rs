//! Measures of cost: right values, and what can't be priced.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::JobId;
use aryl::reclaim::{Ask, CostError, CostModel, Costs, PreemptionCost, ReclaimError, Reclaimer};
use aryl::units::Seconds;

/// One server for each job, which holds two workers of two GPUs there.
fn cluster(jobs: &[Job]) -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for job in jobs {
        let server = cluster.add_server(Server::on_loan(v100, 8)).unwrap();
        let id = cluster.add_job(job.clone()).unwrap();
        cluster.place(id, &[Placement::base(server, 2)]).unwrap();
    }
    cluster
}

fn job() -> Job {
    Job::inelastic(2).gpus_per_worker(2)
}

/// What it costs to preempt one job, or why that can't be said; `None` where it is protected.
fn price(job: Job, costs: Costs<'_>) -> Result<Option<u64>, CostError> {
    match Reclaimer::default().solve(&cluster(&[job]), Ask::servers(1).costs(costs)) {
        Ok(answer) => Ok(Some(answer.certificate().objective())),
        Err(ReclaimError::NotEnoughServers { available: 0, .. }) => Ok(None),
        Err(ReclaimError::Costs(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_work_lost_is_counted_from_the_later_of_start_and_checkpoint() {
    let lost = |job: Job, now: f64| price(job, Costs::new(CostModel::GpuSecondsLost).now(Seconds(now)));
    let started = |time: f64| job().started(Seconds(time));
    assert_eq!(lost(started(100.0), 250.0), Ok(Some(600)));
    assert_eq!(lost(started(100.0).checkpointed(Seconds(200.0)), 250.0), Ok(Some(200)));
    // It runs from an older checkpoint: what was done before this run is safe.
    assert_eq!(lost(started(100.0).checkpointed(Seconds(50.0)), 250.0), Ok(Some(600)));
    // Rounded once, for all GPUs together: 4 × 0.1 s and 4 × 0.2 s.
    assert_eq!(lost(started(0.0), 0.1), Ok(Some(0)));
    assert_eq!(lost(started(0.0), 0.2), Ok(Some(1)));
    // Two clocks that differ by a little.
    assert_eq!(lost(started(100.0), 99.5), Ok(Some(0)));
    assert_eq!(lost(started(0.0), 1e300), Ok(Some(u64::MAX)));
    assert_eq!(lost(started(-1e308), 1.7e308), Ok(Some(u64::MAX)));
}

#[test]
fn each_measure_has_its_number() {
    let it = || job().preemption_cost(7).priority(4).preemptions(2);
    let of = |model| price(it(), Costs::new(model));
    assert_eq!(of(CostModel::Stated), Ok(Some(7)));
    assert_eq!(of(CostModel::Jobs), Ok(Some(1)));
    assert_eq!(of(CostModel::Priority), Ok(Some(5)));
    assert_eq!(of(CostModel::Preemptions), Ok(Some(3)));
    assert_eq!(of(CostModel::Table(vec![PreemptionCost::Cost(9)].into())), Ok(Some(9)));
    assert_eq!(of(CostModel::Table(vec![PreemptionCost::Protected].into())), Ok(None));
    assert_eq!(price(it(), Costs::STATED.restart(100)), Ok(Some(107)));
    // Stated costs do not depend on the time, so nobody looks at it.
    assert_eq!(price(it(), Costs::STATED.now(Seconds(f64::NAN))), Ok(Some(7)));
    assert_eq!(price(it().priority(u32::MAX), CostModel::Priority.into()), Ok(Some(1 << 32)));
    assert_eq!(price(it().protected(), CostModel::Jobs.into()), Ok(None));
}

#[test]
fn rules_that_protect_are_met_at_the_edge() {
    let young = |now| {
        price(job().started(Seconds(10.0)), Costs::STATED.min_running_time(Seconds(60.0)).now(Seconds(now)))
    };
    assert_eq!((young(69.5), young(70.0)), (Ok(None), Ok(Some(1))));
    let at_once = Costs::STATED.min_running_time(Seconds(0.0)).now(Seconds(10.0));
    assert_eq!(price(job().started(Seconds(10.0)), at_once), Ok(Some(1)));
    let spent = |times| price(job().preemptions(times), Costs::STATED.max_preemptions(3));
    assert_eq!((spent(2), spent(3), spent(4)), (Ok(Some(1)), Ok(None), Ok(None)));
    let important = |priority| price(job().priority(priority), Costs::STATED.protect_priority(3));
    assert_eq!((important(2), important(3)), (Ok(Some(1)), Ok(None)));
    let never = price(
        job().started(Seconds(0.0)),
        Costs::STATED.min_running_time(Seconds(f64::INFINITY)).now(Seconds(1e9)),
    );
    assert_eq!(never, Ok(None));
}

#[test]
fn what_can_not_be_priced_names_the_offender() {
    let first = JobId::new(0);
    let lost = || Costs::new(CostModel::GpuSecondsLost);
    assert_eq!(price(job().started(Seconds(1.0)), lost()), Err(CostError::NoNow));
    assert_eq!(price(job(), Costs::STATED.min_running_time(Seconds(1.0))), Err(CostError::NoNow));
    assert_eq!(price(job(), lost().now(Seconds(1.0))), Err(CostError::NotStarted { job: first }));
    let infinite = Seconds(f64::INFINITY);
    assert_eq!(price(job(), lost().now(infinite)), Err(CostError::Now { time: infinite }));
    assert_eq!(price(job(), Costs::STATED.restart(1).now(infinite)), Err(CostError::Now { time: infinite }));
    for bad in [-1.0, f64::NAN] {
        let costs = Costs::STATED.min_running_time(Seconds(bad)).now(Seconds(5.0));
        assert!(matches!(price(job(), costs), Err(CostError::MinRunningTime { .. })));
    }
    let none = CostModel::Table(vec![].into());
    assert_eq!(price(job(), none.into()), Err(CostError::NotInTable { job: first, entries: 0 }));
    let huge = Costs::from_fn(&cluster(&[job()]), |_, _| PreemptionCost::Cost(u64::MAX));
    let overflow = CostError::Overflow { job: first, cost: u64::MAX, total: 1 };
    assert_eq!(price(job(), huge.restart(1)), Err(overflow.clone()));
    assert_eq!(
        overflow.to_string(),
        "the preemption cost 18446744073709551615 of job 0 and the 1 beside it exceed 2^64 - 1"
    );

    let two = cluster(&[job(), job()]);
    let half = Costs::from_fn(&two, |_, _| PreemptionCost::Cost(1 << 63));
    let error = Reclaimer::default().solve(&two, Ask::servers(1).costs(half)).unwrap_err();
    let overflow = CostError::Overflow { job: JobId::new(1), cost: 1 << 63, total: 1 << 63 };
    assert_eq!(error, ReclaimError::Costs(overflow));
    // A protected job costs nothing, since it is never preempted.
    let one = Costs::from_fn(&two, |id, _| match id.index() {
        0 => PreemptionCost::Protected,
        _ => PreemptionCost::Cost(u64::MAX),
    });
    let answer = Reclaimer::default().solve(&two, Ask::servers(1).costs(one)).unwrap();
    assert_eq!((answer.preempted(), answer.certificate().objective()), (&[JobId::new(1)][..], u64::MAX));
}

#[test]
fn a_waiting_job_needs_no_facts_and_a_removed_one_no_entry() {
    let mut cluster = cluster(&[job().started(Seconds(0.0)), job().started(Seconds(50.0))]);
    cluster.add_job(job()).unwrap();
    let lost = || Costs::new(CostModel::GpuSecondsLost).now(Seconds(60.0));
    let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(lost())).unwrap();
    assert_eq!((answer.preempted(), answer.certificate().objective()), (&[JobId::new(1)][..], 40));
    cluster.remove_job(JobId::new(0)).unwrap();
    let mut asked = Vec::new();
    let own = Costs::from_fn(&cluster, |id, _| {
        asked.push(id);
        PreemptionCost::Cost(3)
    });
    assert_eq!(asked, [JobId::new(1)]);
    let answer = Reclaimer::default().solve(&cluster, Ask::servers(2).costs(own)).unwrap();
    assert_eq!(answer.certificate().objective(), 3);
}
