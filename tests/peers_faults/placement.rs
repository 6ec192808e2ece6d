//! GPUs count where a worker can use them.

use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Epoch, Request};
use aryl::place::{BestFitDecreasing, Demand, UnplacedReason};
use aryl::reclaim::{Ask, Reclaimer};
use aryl::units::Seconds;

use crate::board::{Board, V100, ids};

/// Elsewhere free GPUs were added up over servers, so 4 and 4 were taken for room for a worker of 8.
#[test]
fn four_and_four_are_no_room_for_eight() {
    let mut board = Board::inelastic(&["#aaaa....", "#bbbb...."]);
    let wide = board.cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    assert!(plan.is_empty());
    assert_eq!(plan.totals().waiting_after, 1);
    let placed = BestFitDecreasing.solve(&board.cluster, &[Demand::new(wide)]).unwrap();
    assert_eq!(placed.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 1, slots: 0 });
    // Nor is it room for a flexible worker.
    let mut board = Board::new(&["#aaaaaaaa", "#bbbb....", "#cccc...."], |letter, held| match letter {
        'a' => Job::elastic(1..=2).gpus_per_worker(8).remaining(Seconds(1e6)),
        _ => Job::inelastic(held),
    });
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    assert!(plan.is_empty(), "{plan}");
    board.cluster.apply(&plan).unwrap();
    assert_eq!(board.cluster.workers(board.job('a')), 1);
}

/// Elsewhere the small worker was placed first on the first server with room, and the large one then found none.
#[test]
fn ascending_first_fit_does_not_decide() {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let [two, one] = [2, 1].map(|gpus| cluster.add_server(Server::training(V100, gpus)).unwrap());
    let small = cluster.add_job(Job::inelastic(1).remaining(Seconds(1.0))).unwrap();
    let large = cluster.add_job(Job::inelastic(1).gpus_per_worker(2)).unwrap();
    let placed = BestFitDecreasing.solve(&cluster, &[small, large].map(Demand::new)).unwrap();
    assert_eq!([placed.get(small)[0].server, placed.get(large)[0].server], [one, two]);
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert_eq!([small, large].map(|job| cluster.placements(job)[0].server), [one, two]);
}

/// Elsewhere a gang was tried at the size of its first worker, so a large leader with small workers was misplaced. Here
/// all workers of a job are alike; a leader of another size is a job of its own, and each is tried at its own size.
#[test]
fn a_leader_and_workers_of_other_sizes_each_count_at_their_own() {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let [first, second] = [5, 4].map(|gpus| cluster.add_server(Server::training(V100, gpus)).unwrap());
    let workers = cluster.add_job(Job::inelastic(5)).unwrap();
    let leader = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let placed = BestFitDecreasing.solve(&cluster, &[workers, leader].map(Demand::new)).unwrap();
    assert!(placed.unplaced().is_empty());
    assert_eq!(placed.get(leader)[0].server, second);
    assert!(placed.get(workers).iter().all(|at| at.server == first));
    // One GPU less, and the reason names the job that has no place, with its own numbers.
    let one_more = cluster.add_job(Job::inelastic(6)).unwrap();
    let placed = BestFitDecreasing.solve(&cluster, &[one_more, leader].map(Demand::new)).unwrap();
    assert_eq!(placed.unplaced()[0].job, one_more);
    assert_eq!(placed.unplaced()[0].reason, UnplacedReason::NotEnoughRoom { workers: 6, slots: 5 });
}

/// Elsewhere victims were picked until the sum of their GPUs was enough, and the GPUs lay on several servers.
#[test]
fn what_victims_free_forms_a_place_that_can_be_used() {
    // Flexible workers hold 4 + 4 GPUs; a worker of 8 can't use them, so nobody leaves. One of 4 can.
    let board = |wide: u32| {
        let mut board = Board::new(&["#abbbb...", "#bacccc..", "#dddddddd"], |letter, held| match letter {
            'b' | 'c' => Job::elastic(1..=held).submitted(Seconds(f64::from(u32::from(letter)))),
            _ => Job::inelastic(held),
        });
        let job = board.cluster.add_job(Job::inelastic(1).gpus_per_worker(wide)).unwrap();
        let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
        board.cluster.apply(&plan).unwrap();
        (plan, board.cluster.is_running(job))
    };
    let (plan, runs) = board(8);
    assert!(!runs && plan.is_empty(), "{plan}");
    let (plan, runs) = board(5);
    assert!(runs, "{plan}");
    let left = plan.actions().iter().filter(|it| matches!(it, aryl::epoch::Action::ScaleIn { .. })).count();
    assert_eq!(left, 1, "workers leave one server only\n{plan}");
}

/// Elsewhere GPUs that were asked back came from several servers, none of which was empty.
#[test]
fn gpus_asked_back_come_in_whole_servers() {
    let board = Board::inelastic(&["aaaa....", "bbbb....", "c......."]);
    let answer = Reclaimer::default().solve(&board.cluster, Ask::gpus(9)).unwrap();
    assert_eq!(answer.servers(), ids(&[0, 1]));
    assert_eq!(answer.returned_gpus(), 16);
    let answer = Reclaimer::default().solve(&board.cluster, Ask::gpus(8)).unwrap();
    assert_eq!(answer.servers().len(), 1);
}
