//! Gangs stay whole, and an elastic job gives up its surplus once.

use aryl::cluster::{Job, JobError, PlaceError, Placement, ScaleInError, StepError, UpdateJobError};
use aryl::epoch::{Action, Epoch, Request};
use aryl::reclaim::{Policy, Reclaimer};
use aryl::units::Seconds;
use oorandom::Rand32;

use crate::board::{Board, ids};
use crate::support::{Shape, random_cluster};

const POLICIES: [Policy; 5] =
    [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Amortized, Policy::Random { seed: 5 }];

/// Elsewhere a gang lost the workers that were in the way and kept the others, which held GPUs and did nothing.
#[test]
fn a_gang_is_never_evicted_in_part() {
    let mut board = Board::inelastic(&["aa", "aa", "#aa"]);
    let a = board.job('a');
    board.expect(1, &[0], "a", &[]);
    let plan = Epoch::default().plan(&board.cluster, Request::reclaim(1)).unwrap();
    assert_eq!(plan.actions()[0], Action::Preempt { job: a });
    board.cluster.apply(&plan).unwrap();
    assert_eq!((board.cluster.workers(a), board.cluster.is_running(a)), (0, false));
    // On any cluster, a job holds its whole base after a plan, or nothing.
    let mut random = Rand32::new(51);
    for _ in 0..1_000 {
        let mut cluster = random_cluster(&mut random, Shape::ALL);
        let Ok(plan) = Epoch::default().plan(&cluster, Request::reclaim(1)) else { continue };
        cluster.apply(&plan).unwrap();
        for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.workers(id) > 0) {
            assert!(cluster.reference_workers(id) >= u64::from(job.min_workers), "{id}\n{plan}");
        }
    }
}

/// Elsewhere a gang was kept though one worker less than it needs was left to it.
#[test]
fn a_job_is_never_left_one_below_its_minimum() {
    // Six workers, two of them on the server that goes: what is left is one above the minimum, just it, one below it.
    for (min, preempted, leave) in [(3, "", 2), (4, "", 2), (5, "a", 0)] {
        let board = Board::new(&["aa..", "#aaaa"], |_, held| Job::elastic(min..=held));
        let leave: Vec<_> = (leave > 0).then_some(('a', 0, leave)).into_iter().collect();
        board.expect(1, &[0], preempted, &leave);
    }
    // Nor by hand.
    let mut board = Board::new(&["aa..", "#aaaa"], |_, held| Job::elastic(5..=held));
    let (a, lent) = (board.job('a'), ids(&[0])[0]);
    assert_eq!(
        board.cluster.scale_in(a, lent, 2),
        Err(ScaleInError::BelowMinimum { job: a, left: 4, min: 5 })
    );
    assert_eq!(board.cluster.workers(a), 6);
}

/// Elsewhere a rule that keeps min workers made a job of one worker untouchable, and the demand waited for ever.
#[test]
fn a_job_of_one_worker_can_be_preempted() {
    let board = Board::inelastic(&["a"]);
    board.expect(1, &[0], "a", &[]);
    for policy in POLICIES {
        let answer = Reclaimer::new(policy).solve(&board.cluster, 1).unwrap();
        assert_eq!(answer.preempted(), board.jobs("a"), "{policy:?}");
    }
}

/// Elsewhere the surplus of a job was looked up server by server, so two servers each spent the whole of it.
#[test]
fn one_surplus_is_not_spent_on_two_servers() {
    let surplus_of_one = |_, held| Job::elastic(held - 1..=held);
    let board = Board::new(&["a.", "a.", "#a."], surplus_of_one);
    board.expect(1, &[0], "", &[('a', 0, 1)]);
    board.expect(2, &[0, 1], "a", &[]);
    for policy in POLICIES {
        let answer = Reclaimer::new(policy).solve(&board.cluster, 2).unwrap();
        assert_eq!(answer.preempted(), board.jobs("a"), "{policy:?}");
        assert_eq!(answer.certificate().objective(), 1, "{policy:?}");
    }
}

/// Elsewhere an elastic job of two to four workers was stopped, though two servers could go before it had to.
#[test]
fn a_surplus_is_spent_to_the_last_worker() {
    let two_to_four = |_, held| Job::elastic(2..=held);
    let board = Board::new(&["a.", "a.", "a.", "a."], two_to_four);
    board.expect(1, &[0], "", &[('a', 0, 1)]);
    board.expect(2, &[0, 1], "", &[('a', 0, 1), ('a', 1, 1)]);
    board.expect(3, &[0, 1, 2], "a", &[]);
}

/// Elsewhere the newest or a random worker was stopped, and the server that had to be emptied was not.
#[test]
fn the_workers_that_leave_are_those_on_the_server_that_goes() {
    let board = Board::new(&["pee", "ee."], |letter, held| match letter {
        'e' => Job::elastic(2..=held),
        _ => Job::inelastic(held).protected(),
    });
    board.expect(1, &[1], "", &[('e', 1, 2)]);
    let plan = Epoch::default().plan(&board.cluster, Request::reclaim(1)).unwrap();
    let [job, server] = [board.job('e').get(), 1];
    assert_eq!(
        plan.to_string(),
        format!("scale in job {job}: 2 workers leave server {server}, which returns\nreturn server {server}")
    );
}

/// Elsewhere a job that grew was charged its old size and its new size together, so it never found room for the growth.
#[test]
fn a_resize_counts_the_difference_and_not_both_sizes() {
    // Four of eight GPUs are held; four more are free, and twelve would be needed if both sizes counted.
    let mut board = Board::new(&["#aaaa...."], |_, _| Job::elastic(2..=8).remaining(Seconds(9_000.0)));
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    assert_eq!(plan.to_string(), "scale out job 0: 4 workers on server 0");
    board.cluster.apply(&plan).unwrap();
    assert_eq!(board.cluster.free_gpus(ids(&[0])[0]), 0);
    assert_eq!(plan.totals().busy_after, 8);
}

/// Elsewhere a running job could be given fewer workers than its minimum, by a scale-in, an edit or a plan.
#[test]
fn a_size_below_the_minimum_is_refused() {
    let mut board = Board::new(&["#aaa."], |_, _| Job::elastic(3..=4));
    let (a, home) = (board.job('a'), ids(&[0])[0]);
    let before = board.cluster.clone();
    let below = ScaleInError::BelowMinimum { job: a, left: 2, min: 3 };
    assert_eq!(board.cluster.scale_in(a, home, 1), Err(below));
    let larger = Job::elastic(4..=4);
    assert_eq!(
        board.cluster.update_job(a, larger),
        Err(UpdateJobError::Running(PlaceError::BelowMinimum { job: a, workers: 3, min: 4 }))
    );
    let gang = board.cluster.add_job(Job::inelastic(2)).unwrap();
    assert_eq!(
        board.cluster.place(gang, &[Placement::base(home, 1)]),
        Err(PlaceError::BelowMinimum { job: gang, workers: 1, min: 2 })
    );
    board.cluster.remove_job(gang).unwrap();
    // A plan that was right when it was made, and is carried out too late.
    let mut late = Board::new(&["a...", "#aa.."], |_, _| Job::elastic(2..=3));
    let plan = Epoch::default().plan(&late.cluster, Request::reclaim(1)).unwrap();
    late.cluster.update_job(late.job('a'), Job::elastic(3..=3)).unwrap_err();
    late.cluster.scale_in(late.job('a'), home, 1).unwrap();
    assert!(matches!(late.cluster.apply(&plan).unwrap_err().reason, StepError::ScaleIn(_)));
    assert_eq!(late.cluster.workers(late.job('a')), 2);
    assert_eq!(board.cluster.placements(a), before.placements(a));
    assert_eq!(
        board.cluster.add_job(Job::elastic(5..=4)).unwrap_err().to_string(),
        JobError::MinAboveMax { min: 5, max: 4 }.to_string()
    );
}
