//! What must not change, and what may only change one way.

use aryl::cluster::Server;
use aryl::id::{GpuTypeId, JobId};
use aryl::reclaim::{Policy, Reclaimer};
use oorandom::Rand32;

use crate::POLICIES;
use crate::brute_force::{candidates, optimum};
use crate::instances::{Instance, Shape};

fn shuffle<T>(list: &mut [T], random: &mut Rand32) {
    for last in (1..list.len()).rev() {
        list.swap(last, random.rand_range(0..last as u32 + 1) as usize);
    }
}

#[test]
fn the_order_of_jobs_and_of_placements_decides_nothing() {
    let mut random = Rand32::new(21);
    for _ in 0..1_000 {
        let instance = Instance::random(Shape::ALL, &mut random);
        let asked = random.rand_range(0..candidates(&instance.build()).len() as u32 + 1);
        let mut order: Vec<usize> = (0..instance.jobs.len()).collect();
        shuffle(&mut order, &mut random);
        let mut other = instance.clone();
        other.jobs = order.iter().map(|&at| instance.jobs[at].clone()).collect();
        for (_, placements) in &mut other.jobs {
            shuffle(placements, &mut random);
        }
        for policy in POLICIES {
            let first = Reclaimer::new(policy).solve(&instance.build(), asked).unwrap();
            let second = Reclaimer::new(policy).solve(&other.build(), asked).unwrap();
            assert_eq!(first.servers(), second.servers(), "{policy:?}");
            assert_eq!(first.certificate(), second.certificate());
            let mut back: Vec<JobId> =
                second.preempted().iter().map(|job| JobId::new(order[job.index()] as u32)).collect();
            back.sort_unstable();
            assert_eq!(first.preempted(), back, "{policy:?}");
        }
    }
}

#[test]
fn an_idle_server_more_raises_neither_the_bound_nor_the_optimum() {
    let mut random = Rand32::new(22);
    for _ in 0..1_000 {
        let mut instance = Instance::random(Shape::ALL, &mut random);
        let before = instance.build();
        let asked = random.rand_range(0..candidates(&before).len() as u32 + 1);
        instance.servers.push(Server::on_loan(GpuTypeId::new(0), 8));
        let after = instance.build();
        for policy in POLICIES {
            let solve = |cluster| *Reclaimer::new(policy).solve(cluster, asked).unwrap().certificate();
            assert!(solve(&after).bound() <= solve(&before).bound());
        }
        let best = |cluster| optimum(cluster, asked as usize).unwrap().cost;
        assert!(best(&after) <= best(&before));
    }
}

#[test]
fn an_idle_server_more_never_raises_the_cost_of_the_paper_s_greedy_where_it_is_enough() {
    // With as many idle servers as are asked for, nothing is preempted or scaled in, whatever else runs.
    let mut random = Rand32::new(23);
    for _ in 0..1_000 {
        let mut instance = Instance::random(Shape::ALL, &mut random);
        let asked = 1 + random.rand_range(0..3);
        for _ in 0..asked {
            instance.servers.push(Server::on_loan(GpuTypeId::new(0), 8));
        }
        for policy in [Policy::Aryl, Policy::Amortized, Policy::BestOfRules, Policy::SmallestCountFirst] {
            let answer = Reclaimer::new(policy).solve(&instance.build(), asked).unwrap();
            assert!(answer.preempted().is_empty() && answer.departures().is_empty(), "{policy:?}");
        }
    }
}

#[test]
fn a_protected_job_lowers_neither_the_bound_nor_the_optimum() {
    let mut random = Rand32::new(24);
    let mut tried = 0;
    while tried < 1_000 {
        let mut instance = Instance::random(Shape { special: false, ..Shape::ALL }, &mut random);
        if instance.jobs.is_empty() {
            continue;
        }
        let before = instance.build();
        let at = random.rand_range(0..instance.jobs.len() as u32) as usize;
        instance.jobs[at].0.protected = true;
        let after = instance.build();
        let asked = random.rand_range(0..candidates(&after).len() as u32 + 1);
        let best = |cluster| optimum(cluster, asked as usize).unwrap().cost;
        assert!(best(&after) >= best(&before));
        // Fewer candidates make n smaller and the prices larger, so the bound grows too.
        let bound = |cluster| Reclaimer::default().solve(cluster, asked).unwrap().certificate().bound();
        assert!(bound(&after) >= bound(&before));
        tried += 1;
    }
}

#[test]
fn a_larger_request_never_lowers_the_optimum() {
    let mut random = Rand32::new(25);
    for _ in 0..1_000 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let costs: Vec<u64> =
            (0..=candidates(&cluster).len()).map(|asked| optimum(&cluster, asked).unwrap().cost).collect();
        assert!(costs.is_sorted(), "{costs:?}");
        let bound = |asked| Reclaimer::default().solve(&cluster, asked as u32).unwrap().certificate().bound();
        for (asked, &cost) in costs.iter().enumerate() {
            assert!(bound(asked) <= cost);
        }
    }
}
