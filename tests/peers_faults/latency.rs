//! Effort by counted work, never by a clock.

use allocation_counter::measure;
use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{self, Epoch, Plan, Request};
use aryl::reclaim::{Policy, Reclaim, ReclaimError, Reclaimer, Workspace};

use crate::board::V100;

const POLICIES: [Policy; 4] = [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::BestOfRules];

/// On-loan servers of eight GPUs in a ring: each gang reaches over two neighbours, and a small job is on each.
fn ring(servers: u32, protected: bool) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let ids: Vec<_> = (0..servers).map(|_| cluster.add_server(Server::on_loan(V100, 8)).unwrap()).collect();
    for (at, &server) in ids.iter().enumerate() {
        let next = ids[(at + 1) % ids.len()];
        let gang = cluster.add_job(Job::inelastic(4)).unwrap();
        cluster.place(gang, &[Placement::base(server, 2), Placement::base(next, 2)]).unwrap();
        let small = if protected && at % 2 == 0 { Job::inelastic(1).protected() } else { Job::inelastic(1) };
        let small = cluster.add_job(small).unwrap();
        cluster.place(small, &[Placement::base(server, 1)]).unwrap();
    }
    cluster
}

/// Elsewhere every victim was compared with every other, so ten thousand jobs took an hour.
#[test]
fn work_is_not_quadratic_in_the_victims() {
    let work = |cluster: &Cluster, policy, asked| {
        let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
        Reclaimer::new(policy).solve_into(cluster, asked, &mut workspace, &mut answer).unwrap();
        assert_eq!(answer.servers().len(), asked as usize);
        assert!(answer.preempted().len() >= asked as usize);
        workspace.steps() as f64
    };
    let (small, large) = (ring(200, false), ring(3_200, false));
    for policy in POLICIES {
        // Sixteen times the cluster and the victims: 256 times the work where it is quadratic.
        let ratio = work(&large, policy, 1_600) / work(&small, policy, 100);
        assert!(ratio < 40.0, "{policy:?}: {ratio}");
    }
}

/// Elsewhere "it can't be done" came last, when every combination had been tried. Here it comes before any search, with
/// what can be had and who is in the way.
#[test]
fn infeasible_is_an_answer_without_a_search() {
    let cluster = ring(2_000, true);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for policy in POLICIES {
        for asked in [1_001, 2_000, u32::MAX] {
            let refused = Reclaimer::new(policy).solve_into(&cluster, asked, &mut workspace, &mut answer);
            match refused {
                Err(ReclaimError::NotEnoughServers { available, shortage, .. }) => {
                    assert_eq!((available, shortage.blocked_servers), (1_000, 1_000));
                    assert_eq!(shortage.blocking.len(), 1_000);
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(workspace.steps(), 0, "{policy:?}");
        }
        Reclaimer::new(policy).solve_into(&cluster, 10, &mut workspace, &mut answer).unwrap();
        assert!(workspace.steps() > 0, "the counter counts");
    }
}

/// Elsewhere each cycle built its lists anew, tens of gigabytes on a large cluster.
#[test]
fn a_cycle_allocates_little_and_a_warm_one_nothing() {
    let cluster = ring(1_000, false);
    let (mut workspace, mut plan) = (epoch::Workspace::new(), Plan::default());
    let request = Request::reclaim(100);
    let mut cycle = || Epoch::default().plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap();
    let cold = measure(&mut cycle);
    // 1,000 servers and 3,000 placements: some hundred bytes for each.
    assert!(cold.bytes_max < 4_000_000, "{} bytes", cold.bytes_max);
    (0..3).for_each(|_| cycle());
    assert_eq!(measure(&mut cycle).count_total, 0);
}

/// Elsewhere why a victim was chosen could only be told by running the search again.
#[test]
fn an_explanation_needs_no_search_and_no_memory() {
    let cluster = ring(100, true);
    let answer = Reclaimer::default().solve(&cluster, 20).unwrap();
    let told = measure(|| {
        let why = answer.explain(&cluster);
        assert_eq!(why.servers().count(), 20);
        assert!(why.victims().all(|victim| victim.frees().count() > 0));
    });
    assert_eq!(told.count_total, 0);
}
