//! Reclaims at the edges, by every policy.

use aryl::cluster::{AddJobError, Cluster, Job, JobError, Placement, Server};
use aryl::id::{JobId, ServerId};
use aryl::reclaim::{
    Ask, AskError, CostCurve, CostError, CostModel, Costs, Policy, PreemptionCost, Reclaim, ReclaimError,
    Reclaimer, server_preemption_costs,
};
use aryl::units::Seconds;
use aryl::verify;

use crate::idle;

const POLICIES: [Policy; 6] = [
    Policy::Exact,
    Policy::Aryl,
    Policy::SmallestCountFirst,
    Policy::Random { seed: u64::MAX },
    Policy::Amortized,
    Policy::BestOfRules,
];

/// Solves by every policy, checks each answer, and compares with what is right. Two of the policies do not look at costs, so
/// they may pay more.
#[track_caller]
fn expect(cluster: &Cluster, ask: &Ask<'_>, cost: u64, collateral: u64) -> Reclaim {
    for policy in POLICIES {
        let answer = Reclaimer::new(policy).solve(cluster, ask).unwrap();
        assert_eq!(verify::reclaim(cluster, ask, &answer), Ok(()), "{policy:?}");
        if matches!(policy, Policy::SmallestCountFirst | Policy::Random { .. }) {
            assert!(answer.certificate().objective() >= cost, "{policy:?}");
            assert!(answer.certificate().bound() <= cost, "{policy:?}");
            continue;
        }
        assert_eq!(answer.certificate().objective(), cost, "{policy:?}");
        assert_eq!(answer.collateral_gpus(), collateral, "{policy:?}");
    }
    let answer = Reclaimer::default().solve(cluster, ask).unwrap();
    assert!(answer.certificate().is_optimal(), "{}", answer.certificate());
    answer
}

/// Asks for more than there is: what can be had, the servers blocked and how many jobs block them.
#[track_caller]
fn refused(cluster: &Cluster, asked: u32, available: u32, blocked: u32, blocking: usize) {
    for policy in POLICIES {
        match Reclaimer::new(policy).solve(cluster, asked).unwrap_err() {
            ReclaimError::NotEnoughServers { asked: said, available: can, gpu_type: None, shortage } => {
                assert_eq!((said, can), (asked, available));
                assert_eq!((shortage.blocked_servers, shortage.blocking.len()), (blocked, blocking));
            }
            other => panic!("{other}"),
        }
    }
}

/// `servers` on loan of 8 GPUs, and on each a job of its own that costs this much and runs `gpus` workers.
fn one_job_each(servers: u32, gpus: u32, cost: u64) -> Cluster {
    let mut cluster = idle(servers, Server::on_loan, 8);
    for server in 0..servers {
        let job = cluster.add_job(Job::inelastic(gpus).preemption_cost(cost)).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(server), gpus)]).unwrap();
    }
    cluster
}

/// A job on every server, among ten others of a hundred servers each: whatever goes back, it is preempted.
#[test]
fn a_job_on_every_server_is_paid_for_whatever_goes_back() {
    let mut cluster = idle(1_000, Server::on_loan, 8);
    let gang = |servers: std::iter::StepBy<std::ops::Range<u32>>| -> Vec<Placement> {
        servers.map(|server| Placement::base(ServerId::new(server), 1)).collect()
    };
    let everywhere = cluster.add_job(Job::inelastic(1_000).preemption_cost(7)).unwrap();
    cluster.place(everywhere, &gang((0..1_000).step_by(1))).unwrap();
    for first in 0..10 {
        let job = cluster.add_job(Job::inelastic(100)).unwrap();
        cluster.place(job, &gang((first..1_000).step_by(10))).unwrap();
    }
    for (count, cost) in [(1, 8), (100, 8), (101, 9), (500, 12), (1_000, 17)] {
        let answer = Reclaimer::default().solve(&cluster, count).unwrap();
        assert_eq!(verify::reclaim(&cluster, count, &answer), Ok(()));
        assert_eq!(answer.certificate().objective(), cost, "{count}");
    }
}

/// One job with a worker on each of `servers` servers; it needs `min` of them.
fn one_job_everywhere(servers: u32, min: u32) -> Cluster {
    let mut cluster = idle(servers, Server::on_loan, 8);
    let job = cluster.add_job(Job::elastic(min..=servers).remaining(Seconds(100.0))).unwrap();
    let at = |server| {
        let server = ServerId::new(server);
        if server.get() < min { Placement::base(server, 1) } else { Placement::flexible(server, 1) }
    };
    cluster.place(job, &(0..servers).map(at).collect::<Vec<_>>()).unwrap();
    cluster
}

fn first(count: u32) -> Vec<ServerId> {
    (0..count).map(ServerId::new).collect()
}

#[test]
fn of_an_empty_cluster_nothing_can_go_back() {
    let mut cluster = Cluster::new();
    for _ in 0..2 {
        assert_eq!(expect(&cluster, &Ask::servers(0), 0, 0), Reclaim::default());
        assert_eq!(expect(&cluster, &Ask::gpus(0), 0, 0), Reclaim::default());
        refused(&cluster, 1, 0, 0, 0);
        refused(&cluster, u32::MAX, 0, 0, 0);
        let error = Reclaimer::default().solve(&cluster, Ask::gpus(u64::MAX)).unwrap_err();
        assert!(
            matches!(error, ReclaimError::NotEnoughGpus { asked: u64::MAX, available: 0, .. }),
            "{error}"
        );
        let server = ServerId::new(u32::MAX);
        let error = Reclaimer::default().solve(&cluster, Ask::these(&[server])).unwrap_err();
        assert_eq!(error, ReclaimError::Ask(AskError::UnknownServer { server }));
        assert!(server_preemption_costs(&cluster).is_empty());
        assert_eq!(CostCurve::of(&cluster, &Costs::STATED).unwrap().available(), 0);
        // The same with servers, none of which is on loan.
        cluster = idle(3, Server::training, 8);
    }
}

#[test]
fn of_idle_servers_the_lowest_ids_go_back_up_to_all_and_none_beyond() {
    let cluster = idle(10, Server::on_loan, 8);
    for count in [0, 1, 5, 9, 10] {
        assert_eq!(expect(&cluster, &Ask::servers(count), 0, 0).servers(), first(count));
        let gpus = 8 * u64::from(count);
        assert_eq!(expect(&cluster, &Ask::gpus(gpus), 0, 0).returned_gpus(), gpus);
    }
    refused(&cluster, 11, 10, 0, 0);
    refused(&cluster, u32::MAX, 10, 0, 0);
    let error = Reclaimer::default().solve(&cluster, Ask::gpus(81)).unwrap_err();
    assert!(matches!(error, ReclaimError::NotEnoughGpus { asked: 81, available: 80, .. }), "{error}");
}

#[test]
fn one_server_and_one_job() {
    let cluster = one_job_each(1, 8, 5);
    let answer = expect(&cluster, &Ask::servers(1), 5, 0);
    assert_eq!((answer.servers(), answer.preempted()), (&first(1)[..], &[JobId::new(0)][..]));
    refused(&cluster, 2, 1, 0, 0);
    let curve = CostCurve::of(&cluster, &Costs::STATED).unwrap();
    assert_eq!(curve.certificate(1).unwrap().objective(), 5);
    assert_eq!(server_preemption_costs(&cluster)[0].cost, 5.0);
}

#[test]
fn where_all_jobs_are_protected_the_error_names_them() {
    for servers in [1, 3, 10_000] {
        let mut cluster = idle(servers, Server::on_loan, 8);
        for server in 0..servers {
            let job = cluster.add_job(Job::inelastic(1).protected()).unwrap();
            cluster.place(job, &[Placement::base(ServerId::new(server), 1)]).unwrap();
        }
        refused(&cluster, 1, 0, servers, servers as usize);
        assert_eq!(expect(&cluster, &Ask::servers(0), 0, 0), Reclaim::default());
        // One idle server more, and that is the one.
        let last = cluster.add_server(Server::on_loan(crate::V100, 8)).unwrap();
        assert_eq!(expect(&cluster, &Ask::servers(1), 0, 0).servers(), [last]);
        refused(&cluster, 2, 1, servers, servers as usize);
    }
    // Every server is protected itself.
    let mut cluster = idle(5, Server::on_loan, 8);
    for server in first(5) {
        cluster.set_server_protected(server, true);
    }
    refused(&cluster, 1, 0, 0, 0);
}

#[test]
fn a_job_on_every_server() {
    for servers in [2, 200] {
        // It can spare nothing: any number of servers costs the job, and what it holds elsewhere is collateral damage.
        let cluster = one_job_everywhere(servers, servers);
        for count in [1, servers / 2, servers - 1, servers] {
            let answer = expect(&cluster, &Ask::servers(count), 1, u64::from(servers - count));
            assert_eq!(answer.preempted(), [JobId::new(0)]);
        }
        refused(&cluster, servers + 1, servers, 0, 0);
        // It can spare all but one worker.
        let cluster = one_job_everywhere(servers, 1);
        for count in [1, servers / 2, servers - 1] {
            let answer = expect(&cluster, &Ask::servers(count), 0, 0);
            assert_eq!(answer.departures().len(), count as usize);
            // 100 s with one worker.
            let lost = 100.0 / f64::from(servers - count) - 100.0 / f64::from(servers);
            assert!((answer.jct_lost().0 - lost).abs() < 0.001, "{} and {lost}", answer.jct_lost());
        }
        assert_eq!(expect(&cluster, &Ask::servers(servers), 1, 0).preempted(), [JobId::new(0)]);
    }
}

#[test]
fn ten_thousand_equal_ties() {
    let cluster = one_job_each(10_000, 8, 1);
    let all = Reclaimer::default().solve(&cluster, 10_000).unwrap();
    assert_eq!((all.certificate().bound(), all.preempted().len()), (10_000, 10_000));
    {
        let count = 5_000;
        let answer = expect(&cluster, &Ask::servers(count), count.into(), 0);
        assert_eq!(answer.preempted().len(), count as usize);
        for policy in [Policy::Aryl, Policy::SmallestCountFirst, Policy::Amortized] {
            // Where two servers are equal to a policy, the one with the lowest id is taken.
            let answer = Reclaimer::new(policy).solve(&cluster, count).unwrap();
            assert_eq!(answer.servers(), first(count), "{policy:?}");
        }
    }
    refused(&cluster, 10_001, 10_000, 0, 0);
}

#[test]
fn costs_of_2_to_the_64_less_1() {
    // One job has the whole of it, so no other may cost anything.
    let mut cluster = one_job_each(1, 8, u64::MAX);
    let error = cluster.add_job(Job::inelastic(1).preemption_cost(1)).unwrap_err();
    let expected = JobError::PreemptionCostOverflow { cost: 1, total: u64::MAX };
    assert_eq!(error, AddJobError::Job(expected));
    let error = cluster.add_job(Job::inelastic(1).preemption_cost(u64::MAX)).unwrap_err();
    let expected = JobError::PreemptionCostOverflow { cost: u64::MAX, total: u64::MAX };
    assert_eq!(error, AddJobError::Job(expected));
    let second = cluster.add_server(Server::on_loan(crate::V100, 8)).unwrap();
    let free = cluster.add_job(Job::inelastic(8).preemption_cost(0)).unwrap();
    cluster.place(free, &[Placement::base(second, 8)]).unwrap();
    assert_eq!(expect(&cluster, &Ask::servers(1), 0, 0).servers(), [second]);
    expect(&cluster, &Ask::servers(2), u64::MAX, 0);
    // Measured so, many jobs have the whole of it, which can't be added up.
    let cluster = one_job_each(100, 8, 1);
    let whole = Costs::from_fn(&cluster, |_, _| PreemptionCost::Cost(u64::MAX));
    let error = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(whole)).unwrap_err();
    let overflow = CostError::Overflow { job: JobId::new(1), cost: u64::MAX, total: u64::MAX };
    assert_eq!(error, ReclaimError::Costs(overflow));
    let restart = Costs::new(CostModel::Jobs).restart(u64::MAX);
    let error = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(restart)).unwrap_err();
    let overflow = CostError::Overflow { job: JobId::new(0), cost: 1, total: u64::MAX };
    assert_eq!(error, ReclaimError::Costs(overflow));
    // A hundredth each can.
    let each = u64::MAX / 100;
    let part = Costs::from_fn(&cluster, |_, _| PreemptionCost::Cost(each));
    for count in [1, 50, 100] {
        expect(&cluster, &Ask::servers(count).costs(part.clone()), each * u64::from(count), 0);
    }
    let curve = CostCurve::of(&cluster, &part).unwrap();
    assert_eq!(curve.certificate(99).unwrap().objective(), 99 * each);
}

#[test]
fn priorities_and_preemptions_of_2_to_the_32_less_1() {
    let mut cluster = idle(2, Server::on_loan, 8);
    let high = cluster.add_job(Job::inelastic(8).priority(u32::MAX).preemptions(u32::MAX)).unwrap();
    cluster.place(high, &[Placement::base(ServerId::new(0), 8)]).unwrap();
    let low = cluster.add_job(Job::inelastic(8)).unwrap();
    cluster.place(low, &[Placement::base(ServerId::new(1), 8)]).unwrap();
    for model in [CostModel::Priority, CostModel::Preemptions] {
        let ask = |count| Ask::servers(count).costs(model.clone());
        assert_eq!(expect(&cluster, &ask(1), 1, 0).preempted(), [low]);
        expect(&cluster, &ask(2), (1 << 32) + 1, 0);
    }
    for costs in [Costs::STATED.max_preemptions(u32::MAX), Costs::STATED.protect_priority(u32::MAX)] {
        let error = Reclaimer::default().solve(&cluster, Ask::servers(2).costs(costs)).unwrap_err();
        assert!(matches!(error, ReclaimError::NotEnoughServers { available: 1, .. }), "{error}");
    }
}

#[test]
fn times_at_1e300_and_below_all_normal_numbers() {
    let mut cluster = idle(2, Server::on_loan, 8);
    for (server, started) in [(0, -1e300), (1, 0.0)] {
        let job = Job::inelastic(8).started(Seconds(started)).preemption_cost(0);
        let job = cluster.add_job(job).unwrap();
        cluster.place(job, &[Placement::base(ServerId::new(server), 8)]).unwrap();
    }
    let lost = |now| Costs::new(CostModel::GpuSecondsLost).now(Seconds(now));
    // The first has lost more than can be counted, which is taken for the largest number; the second nothing yet.
    for now in [0.0, f64::from_bits(1), 1e-300] {
        assert_eq!(expect(&cluster, &Ask::servers(1).costs(lost(now)), 0, 0).preempted(), [JobId::new(1)]);
        expect(&cluster, &Ask::servers(2).costs(lost(now)), u64::MAX, 0);
    }
    expect(&cluster, &Ask::servers(1).costs(lost(-f64::MAX)), 0, 0);
    // Both have.
    let error = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(lost(f64::MAX))).unwrap_err();
    let overflow = CostError::Overflow { job: JobId::new(1), cost: u64::MAX, total: u64::MAX };
    assert_eq!(error, ReclaimError::Costs(overflow));
    // A minimum running time that no job has had, or that all have had.
    let young = |time| Costs::STATED.now(Seconds(1e200)).min_running_time(Seconds(time));
    let ask = Ask::servers(1).costs(young(f64::INFINITY));
    let error = Reclaimer::default().solve(&cluster, ask).unwrap_err();
    assert!(matches!(error, ReclaimError::NotEnoughServers { available: 0, .. }), "{error}");
    expect(&cluster, &Ask::servers(2).costs(young(1e-300)), 0, 0);
    let ask = Ask::servers(2).costs(young(1e250));
    let error = Reclaimer::default().solve(&cluster, ask).unwrap_err();
    assert!(matches!(error, ReclaimError::NotEnoughServers { available: 1, .. }), "{error}");
}

/// Scaled in: what is lost of a remaining time at the ends of what can be counted.
#[test]
fn remaining_times_and_weights_at_the_ends() {
    let cases =
        [(1e-300, 1.0, 0.0), (f64::MIN_POSITIVE, 1e300, 0.0), (1e-300, 1e303, 500.0), (9e12, 1.0, 4.5e12)];
    for (remaining, weight, lost) in cases {
        let mut cluster = idle(2, Server::on_loan, 8);
        let job = Job::elastic(1..=2).remaining(Seconds(remaining)).weight(weight);
        let job = cluster.add_job(job).unwrap();
        let [first, second] = [0, 1].map(ServerId::new);
        cluster.place(job, &[Placement::base(first, 1), Placement::flexible(second, 1)]).unwrap();
        let answer = expect(&cluster, &Ask::servers(1), 0, 0);
        assert_eq!(answer.jct_lost(), Seconds(lost), "{remaining} at {weight}");
        assert_eq!(answer.departures().len(), 1);
    }
}

#[test]
fn the_verifier_refuses_answers_to_another_problem() {
    let cluster = one_job_each(3, 8, 1);
    let answer = Reclaimer::default().solve(&cluster, 1).unwrap();
    assert!(verify::reclaim(&cluster, u32::MAX, &answer).is_err());
    assert!(verify::reclaim(&cluster, Ask::gpus(u64::MAX), &answer).is_err());
    assert!(verify::reclaim(&Cluster::new(), 1, &answer).is_err());
}
