//! What can't be had is said, and does not take with it what can.

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, EpochError, Plan, Request, Workspace};
use aryl::reclaim::{Ask, Policy, Quantity, Reclaim, ReclaimError, Reclaimer};

use crate::board::{Board, ids};

fn protect(letters: &'static str) -> impl Fn(char, u32) -> Job {
    move |letter, held| {
        let job = Job::inelastic(held);
        if letters.contains(letter) { job.protected() } else { job }
    }
}

/// Elsewhere the search stopped at the first job that may not be touched, though others behind it may.
#[test]
fn a_protected_job_in_front_does_not_end_the_search() {
    Board::new(&["a", "b"], protect("a")).expect(1, &[1], "b", &[]);
    let board = Board::new(&["a..", "bc.", "d..", "e.."], protect("ad"));
    board.expect(1, &[3], "e", &[]);
    board.expect(2, &[1, 3], "bce", &[]);
}

/// Elsewhere a job that could never fit stood at the head of the queue, and nobody behind it was looked at.
#[test]
fn one_infeasible_demand_does_not_block_the_others() {
    let mut board = Board::inelastic(&["#....", "#...."]);
    let short = |workers, gpus| Job::inelastic(workers).gpus_per_worker(gpus);
    let add = |cluster: &mut Cluster, job: Job| cluster.add_job(job).unwrap();
    let never = add(&mut board.cluster, short(1, 16).remaining(aryl::units::Seconds(1.0)));
    let too_many = add(&mut board.cluster, short(9, 1).remaining(aryl::units::Seconds(2.0)));
    let fits = add(&mut board.cluster, short(2, 4));
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    board.cluster.apply(&plan).unwrap();
    let running = [never, too_many, fits].map(|job| board.cluster.is_running(job));
    assert_eq!(running, [false, false, true]);
}

/// Elsewhere one type that ran out made a request for two types fail without a word about which.
#[test]
fn a_type_that_runs_out_is_named() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4")).unwrap();
    cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    let ask = Ask::by_type(vec![(v100, Quantity::Servers(1)), (t4, Quantity::Servers(2))]);
    match Reclaimer::default().solve(&cluster, &ask) {
        Err(ReclaimError::NotEnoughServers { asked: 2, available: 1, gpu_type, .. }) => {
            assert_eq!(gpu_type, Some(t4));
        }
        other => panic!("{other:?}"),
    }
}

/// Elsewhere a reclaim was only tried where some GPU was idle, so on a full cluster it never began.
#[test]
fn a_reclaim_starts_where_no_gpu_is_idle() {
    let board = Board::inelastic(&["aa", "aa", "bb", "#cc"]);
    board.expect(1, &[2], "b", &[]);
    board.expect(2, &[0, 1], "a", &[]);
    let plan = Epoch::default().plan(&board.cluster, Request::reclaim(1)).unwrap();
    assert_eq!(plan.to_string(), "preempt job 1\nreturn server 2");
}

/// Elsewhere fewer servers than asked for came back and the answer looked like any other.
#[test]
fn a_number_that_can_not_be_had_is_never_lowered_silently() {
    let board = Board::new(&["a", "b"], protect("a"));
    board.expect_too_few(2, 1, "a");
    Board::inelastic(&["a", "."]).expect_too_few(3, 2, "");
    for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Random { seed: 1 }] {
        let refused = Reclaimer::new(policy).solve(&board.cluster, 2).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "2 servers are to go back, and 1 can; of 2 on loan, protected: 0, with workers of protected jobs: 1 (job 0)"
        );
    }
    let lend = Epoch::default().plan(&board.cluster, Request::lend(1));
    assert_eq!(lend, Err(EpochError::NotEnoughToLend { asked: 1, available: 0 }));
}

/// Elsewhere a refused request left half of its evictions in the plan. An answer is whole, or empty with a reason.
#[test]
fn a_refused_request_leaves_an_empty_answer() {
    let board = Board::new(&["a", "b", "c"], protect("a"));
    let (mut workspace, mut answer) = (aryl::reclaim::Workspace::new(), board.reclaim(2));
    assert_eq!(answer.servers(), ids(&[1, 2]));
    let solved = Reclaimer::default().solve_into(&board.cluster, 3, &mut workspace, &mut answer);
    assert!(solved.is_err());
    assert_eq!(answer, Reclaim::default());

    let (mut workspace, mut plan) = (Workspace::new(), Plan::default());
    Epoch::default().plan_into(&board.cluster, Request::reclaim(2), &mut workspace, &mut plan).unwrap();
    assert!(!plan.is_empty());
    let refused = Epoch::default().plan_into(&board.cluster, Request::reclaim(3), &mut workspace, &mut plan);
    assert!(refused.is_err());
    assert_eq!(plan, Plan::default());
}
