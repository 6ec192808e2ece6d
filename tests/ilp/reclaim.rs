//! The integer program of a reclaim equals brute force, and lies between the greedy and its bound.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::ilp::{self, IlpError, Microlp};
use aryl::reclaim::{Policy, Reclaim, Reclaimer};
use aryl::verify::{self, ReclaimViolation, Violation};
use oorandom::Rand32;

use crate::brute_force::{Outcome, candidates, optimum, outcome};
use crate::clusters::{Mix, churned, filled};
use crate::instances::{Instance, Shape};

const POLICIES: [Policy; 5] =
    [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Amortized, Policy::BestOfRules];

/// The integer program against the policies and their bounds.
fn check(cluster: &Cluster, asked: u32, reference: &Reclaim) {
    // Where costs span 60 binary digits, an answer is best to 10^-9 of the largest and says so: then it need not be minimal.
    let verified = verify::reclaim(cluster, asked, reference);
    let is_minor = matches!(verified, Err(Violation::Reclaim(ReclaimViolation::NotMinimal { .. })));
    assert!(verified.is_ok() || (is_minor && !reference.certificate().is_optimal()), "{verified:?}");
    let cost = reference.certificate().objective();
    let exact = *Reclaimer::default().solve(cluster, asked).unwrap().certificate();
    assert!(exact.is_optimal(), "{exact}");
    assert!((exact.objective() as f64 - cost as f64).abs() <= 1e-6 * cost as f64, "{exact}, not {cost}");
    for policy in POLICIES {
        let greedy = *Reclaimer::new(policy).solve(cluster, asked).unwrap().certificate();
        assert!(greedy.objective() >= reference.certificate().bound(), "{policy:?}: {greedy}");
        assert!(cost as f64 <= greedy.objective() as f64 * (1.0 + 1e-6), "{policy:?}: {greedy}, not {cost}");
        assert!(greedy.bound() <= cost, "{policy:?}: {greedy}, but {cost}");
    }
}

#[test]
fn equals_brute_force() {
    for (shape, seed) in [(Shape::PLAIN, 1), (Shape::ELASTIC, 2), (Shape::ALL, 3)] {
        let mut random = Rand32::new(seed);
        let mut optimal = 0;
        for case in 0..400 {
            let cluster = Instance::random(shape, &mut random).build();
            let asked = random.rand_range(0..candidates(&cluster).len() as u32 + 1);
            let reference = ilp::reclaim(&cluster, asked, &Microlp::default()).unwrap();
            let best = optimum(&cluster, asked as usize).unwrap();
            let certificate = *reference.certificate();
            assert_eq!(Outcome::of(&reference), outcome(&cluster, reference.servers()));
            assert!(certificate.bound() <= best.cost, "case {case}: {certificate}, but {}", best.cost);
            let (ours, theirs) = (certificate.objective() as f64, best.cost as f64);
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "case {case}: {ours} but {theirs}");
            if certificate.is_optimal() {
                assert_eq!(certificate.objective(), best.cost, "case {case}");
                optimal += 1;
            }
            check(&cluster, asked, &reference);
        }
        assert!(optimal > 300, "{shape:?}: {optimal}");
    }
}

#[test]
fn lies_between_the_greedy_and_its_bound_on_larger_clusters() {
    for seed in 0..12 {
        let (servers, mix) = [(24, Mix::SmallJobs), (30, Mix::WideJobs)][seed as usize % 2];
        let cluster = if seed % 3 == 0 { churned(servers, 20, seed) } else { filled(servers, mix, 20, seed) };
        let asked = 2 + seed as u32 % 5;
        let reference = ilp::reclaim(&cluster, asked, &Microlp::default()).unwrap();
        assert!(reference.certificate().is_optimal());
        check(&cluster, asked, &reference);
    }
}

#[test]
fn too_many_servers_are_refused_and_none_is_no_question() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    cluster.add_server(Server::on_loan(v100, 8).protected()).unwrap();
    let hosting = cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    let job = cluster.add_job(Job::inelastic(1).protected()).unwrap();
    cluster.place(job, &[Placement::base(hosting, 1)]).unwrap();
    let solve = |servers| ilp::reclaim(&cluster, servers, &Microlp::default());
    assert_eq!(solve(2), Err(IlpError::NotEnoughServers { asked: 2, available: 1 }));
    assert_eq!(solve(0), Ok(Reclaim::default()));
    assert_eq!(solve(1).unwrap().certificate().objective(), 0);
}

#[test]
fn reference_workers_are_counted_type_by_type() {
    // Four T4 make up one reference worker and a third that counts for nothing; the job needs 2 of its 3.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let fast = cluster.add_server(Server::on_loan(v100, 2)).unwrap();
    let slow = cluster.add_server(Server::on_loan(t4, 2)).unwrap();
    let other = cluster.add_server(Server::on_loan(t4, 2)).unwrap();
    let job = cluster.add_job(Job::elastic(2..=3).fungible().heterogeneous()).unwrap();
    let placed = [Placement::base(fast, 2), Placement::flexible(slow, 2), Placement::flexible(other, 1)];
    cluster.place(job, &placed).unwrap();
    let preempted = |servers| {
        let answer = ilp::reclaim(&cluster, servers, &Microlp::default()).unwrap();
        verify::reclaim(&cluster, servers, &answer).unwrap();
        answer.preempted().len()
    };
    assert_eq!([preempted(1), preempted(2), preempted(3)], [0, 0, 1]);
}
