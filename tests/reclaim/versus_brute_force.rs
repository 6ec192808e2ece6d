//! Every policy against all choices, on small random clusters.

use aryl::cluster::Cluster;
use aryl::id::ServerId;
use aryl::reclaim::{Policy, Reclaim, Reclaimer, Workspace};
use oorandom::Rand32;

use crate::POLICIES;
use crate::brute_force::{Outcome, candidates, optimum, outcome, subsets};
use crate::instances::{Instance, Shape};

/// Solves random clusters with every policy, warm, and gives each answer to `check`.
fn for_each_answer(
    shape: Shape,
    seed: u64,
    count: u32,
    mut check: impl FnMut(&Cluster, u32, Policy, &Reclaim),
) {
    let mut random = Rand32::new(seed);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for _ in 0..count {
        let cluster = Instance::random(shape, &mut random).build();
        let available = candidates(&cluster).len() as u32;
        let asked = random.rand_range(0..available + 1);
        for policy in POLICIES {
            Reclaimer::new(policy).solve_into(&cluster, asked, &mut workspace, &mut answer).unwrap();
            check(&cluster, asked, policy, &answer);
        }
    }
}

#[test]
fn answers_keep_the_rules_and_lie_above_the_optimum_which_lies_above_the_bound() {
    for (shape, seed) in [(Shape::PLAIN, 1), (Shape::ELASTIC, 2), (Shape::ALL, 3)] {
        let mut best = None;
        for_each_answer(shape, seed, 700, |cluster, asked, policy, answer| {
            if policy == POLICIES[0] {
                best = optimum(cluster, asked as usize);
            }
            let best = best.as_ref().unwrap();
            assert_eq!(Outcome::of(answer), outcome(cluster, answer.servers()), "{policy:?}");
            assert_eq!(answer.servers().len(), asked as usize);
            let may_go = candidates(cluster);
            assert!(answer.servers().iter().all(|server| may_go.contains(server)));
            assert!(answer.servers().is_sorted_by(|a, b| a < b));
            assert!(outcome(cluster, answer.servers()).order(best).is_ge());
            assert!(answer.certificate().bound() <= best.cost, "{policy:?}: {answer} but {best:?}");
        });
    }
}

#[test]
fn no_victim_can_be_put_back_where_no_job_has_a_surplus() {
    for_each_answer(Shape::PLAIN, 4, 1_000, |cluster, asked, policy, answer| {
        assert_all_needed(cluster, asked, policy, answer, &candidates(cluster));
    });
}

#[test]
fn no_victim_can_be_put_back_on_the_servers_that_the_answer_empties() {
    for_each_answer(Shape { types: false, ..Shape::ALL }, 5, 1_000, |cluster, asked, policy, answer| {
        let emptied = |server: &ServerId| {
            answer.servers().contains(server)
                || cluster.tenants(*server).iter().all(|tenant| answer.preempted().contains(&tenant.job))
        };
        let servers: Vec<ServerId> = candidates(cluster).into_iter().filter(emptied).collect();
        assert_all_needed(cluster, asked, policy, answer, &servers);
    });
}

/// No choice among these servers preempts some of the answer's victims only, and not all.
fn assert_all_needed(cluster: &Cluster, asked: u32, policy: Policy, answer: &Reclaim, servers: &[ServerId]) {
    for choice in subsets(servers, asked as usize) {
        let preempted = outcome(cluster, &choice).preempted;
        let fewer = preempted.len() < answer.preempted().len();
        // A victim that costs nothing may be worth it: what the exact policy returns is the best in all objectives.
        let spares =
            policy != Policy::Exact && fewer && preempted.iter().all(|job| answer.preempted().contains(job));
        assert!(!spares, "{policy:?}: {choice:?} preempts {preempted:?} only, not {answer:?}");
    }
}

#[test]
fn without_putting_back_the_answer_is_still_right_and_never_better() {
    let mut random = Rand32::new(6);
    for _ in 0..1_000 {
        let cluster = Instance::random(Shape::PLAIN, &mut random).build();
        let asked = random.rand_range(0..candidates(&cluster).len() as u32 + 1);
        for policy in POLICIES {
            let raw = Reclaimer::new(policy).put_back(false).solve(&cluster, asked).unwrap();
            assert_eq!(Outcome::of(&raw), outcome(&cluster, raw.servers()));
            let mended = Reclaimer::new(policy).solve(&cluster, asked).unwrap();
            assert!(mended.certificate().objective() <= raw.certificate().objective());
        }
    }
}

#[test]
fn the_best_of_the_rules_is_none_worse_than_each() {
    let mut costs = Vec::new();
    for_each_answer(Shape::ALL, 7, 1_000, |_, _, policy, answer| match policy {
        Policy::BestOfRules => {
            let best = costs.iter().min_by(|a: &&Outcome, b| a.order(b)).unwrap();
            assert_eq!(best, &Outcome::of(answer));
            costs.clear();
        }
        Policy::Random { .. } | Policy::Exact => {}
        _ => costs.push(Outcome::of(answer)),
    });
}
