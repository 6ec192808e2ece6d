//! Work and memory: near linear in the cluster, and none allocated when warm.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};

use crate::POLICIES;
use crate::clusters::{Mix, churned, filled};

fn steps(cluster: &Cluster, policy: Policy, count: u32) -> u64 {
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    Reclaimer::new(policy).solve_into(cluster, count, &mut workspace, &mut answer).unwrap();
    assert_eq!(answer.servers().len(), count as usize);
    workspace.steps()
}

#[test]
fn eight_times_the_cluster_takes_about_eight_times_the_work() {
    for mix in [Mix::SmallJobs, Mix::WideJobs] {
        let (small, large) = (filled(500, mix, 20, 1), filled(4_000, mix, 20, 1));
        // The exact policy has a test of its own.
        for policy in POLICIES.into_iter().filter(|&policy| policy != Policy::Exact) {
            let ratio = steps(&large, policy, 400) as f64 / steps(&small, policy, 50) as f64;
            assert!((6.0..12.0).contains(&ratio), "{policy:?}, {mix:?}: {ratio}");
        }
    }
}

#[test]
fn the_exact_policy_works_in_proportion_to_the_cluster() {
    let grows = |fill: fn(u32) -> Cluster, sizes: &[u32]| {
        let work: Vec<u64> =
            sizes.iter().map(|&servers| steps(&fill(servers), Policy::Exact, servers / 10)).collect();
        for pair in work.windows(2) {
            let ratio = pair[1] as f64 / pair[0] as f64;
            assert!((5.0..15.0).contains(&ratio), "{sizes:?}: {work:?}");
        }
    };
    grows(|servers| churned(servers, 0, 1), &[500, 5_000, 50_000]);
    grows(|servers| filled(servers, Mix::SmallJobs, 0, 1), &[500, 5_000]);
    grows(|servers| filled(servers, Mix::WideJobs, 0, 1), &[500, 5_000]);
}

#[test]
fn the_work_follows_the_cluster_and_not_the_number_of_servers_asked_for() {
    let cluster = filled(2_000, Mix::WideJobs, 20, 2);
    for policy in POLICIES {
        let (few, many) = (steps(&cluster, policy, 20), steps(&cluster, policy, 1_500));
        assert!(many < 8 * few, "{policy:?}: {few} and {many}");
    }
}

/// One job on all servers, with half its workers to spare, beside a job on each server: each server taken changes what
/// the wide job can lose.
fn one_wide_job(servers: u32) -> Cluster {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let ids: Vec<_> = (0..servers).map(|_| cluster.add_server(Server::on_loan(gpu, 8)).unwrap()).collect();
    let wide = cluster.add_job(Job::elastic(servers..=3 * servers)).unwrap();
    let placements: Vec<Placement> = (0..)
        .zip(&ids)
        .flat_map(|(at, &id)| [Placement::base(id, 1), Placement::flexible(id, 1 + at % 2)])
        .collect();
    cluster.place(wide, &placements).unwrap();
    for &id in &ids {
        let job = cluster.add_job(Job::inelastic(2)).unwrap();
        cluster.place(job, &[Placement::base(id, 2)]).unwrap();
    }
    cluster
}

#[test]
fn a_job_on_every_server_makes_nothing_quadratic() {
    let (small, large) = (one_wide_job(400), one_wide_job(3_200));
    for policy in POLICIES {
        let ratio = steps(&large, policy, 2_400) as f64 / steps(&small, policy, 300) as f64;
        assert!((4.0..13.0).contains(&ratio), "{policy:?}: {ratio}");
    }
}

#[test]
fn a_warm_workspace_allocates_nothing() {
    let cluster = filled(300, Mix::WideJobs, 20, 3);
    let wide = one_wide_job(100);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    let mut solve_all = || {
        for policy in POLICIES {
            for count in [0, 1, 7, 30, 100] {
                let reclaimer = Reclaimer::new(policy);
                reclaimer.solve_into(&cluster, count, &mut workspace, &mut answer).unwrap();
                reclaimer.solve_into(&wide, count, &mut workspace, &mut answer).unwrap();
            }
        }
    };
    solve_all();
    let warm = allocation_counter::measure(solve_all);
    assert_eq!(warm.count_total, 0);
}

#[test]
fn a_used_workspace_gives_the_answer_of_a_new_one() {
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for seed in 0..6 {
        let cluster = filled(20 + 30 * (seed as u32 % 3), Mix::SmallJobs, 30, seed);
        for policy in POLICIES {
            let reclaimer = Reclaimer::new(policy);
            reclaimer.solve_into(&cluster, 7, &mut workspace, &mut answer).unwrap();
            assert_eq!(answer, reclaimer.solve(&cluster, 7).unwrap());
        }
    }
}

#[test]
fn a_thousand_choices_are_all_tried_and_one_more_is_not() {
    let steps_of = |servers: u32| {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..servers {
            let server = cluster.add_server(Server::on_loan(gpu, 1)).unwrap();
            let job = cluster.add_job(Job::inelastic(1)).unwrap();
            cluster.place(job, &[Placement::base(server, 1)]).unwrap();
        }
        steps(&cluster, Policy::Exact, 1)
    };
    let (few, many) = (steps_of(1_000), steps_of(1_001));
    assert!(few > many + 500, "{few} steps for 1,000 choices, {many} for 1,001");
}
