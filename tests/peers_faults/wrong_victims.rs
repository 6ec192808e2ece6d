//! As many jobs as must be lose their GPUs, but not those that should.

use aryl::cluster::Job;
use aryl::reclaim::{Ask, CostModel, Costs, Policy, Reclaimer};
use aryl::units::Seconds;

use crate::board::{Board, ids};

/// Elsewhere one worker of each of two gangs was stopped, which ended both, where one gang would have done.
#[test]
fn one_gang_goes_and_not_one_worker_of_each_of_two() {
    Board::inelastic(&["ab", "a.", "b."]).expect(1, &[1], "a", &[]);
    Board::inelastic(&["abc", "a..", "b..", "c.."]).expect(2, &[1, 2], "ab", &[]);
}

/// Elsewhere, once both gangs must go, the servers were still chosen one by one, and more of the gangs died elsewhere.
#[test]
fn where_both_gangs_go_the_damage_elsewhere_is_least() {
    // Both gangs die in any case, and two of their four workers are on the servers that stay: it is three on 1 and 2.
    Board::inelastic(&["ab", "a.", "b."]).expect(2, &[0, 1], "ab", &[]);
}

/// Elsewhere a server counted as free once one of its jobs had left.
#[test]
fn a_server_is_vacated_when_every_job_has_left() {
    let board = Board::inelastic(&["aaaaaaab", "cde....."]);
    board.expect(1, &[0], "ab", &[]);
    assert_eq!(board.reclaim(1).explain(&board.cluster).server(ids(&[0])[0]).unwrap().left().count(), 2);
}

/// Elsewhere the number of victims was minimised though victims had costs.
#[test]
fn cost_is_minimised_and_not_the_number_of_jobs() {
    let cost = |letter| match letter {
        'a' => 10,
        _ => 3,
    };
    let board =
        Board::new(&["a..", "bc."], |letter, held| Job::inelastic(held).preemption_cost(cost(letter)));
    board.expect(1, &[1], "bc", &[]);
    assert_eq!(board.reclaim(1).certificate().objective(), 6);
}

/// Elsewhere a cost was weighed though the number of victims was what the operator had asked to keep low.
#[test]
fn the_number_of_jobs_is_minimised_where_that_is_asked() {
    let board = Board::new(&["a..", "bc."], |letter, held| {
        Job::inelastic(held).preemption_cost(if letter == 'a' { 10 } else { 3 })
    });
    let counted = Ask::servers(1).costs(Costs::new(CostModel::Jobs));
    let answer = Reclaimer::default().solve(&board.cluster, &counted).unwrap();
    assert_eq!((answer.servers(), answer.preempted()), (&ids(&[0])[..], &board.jobs("a")[..]));
    assert_eq!(answer.certificate().objective(), 1);
}

/// Elsewhere a job's cost was shared once among all its servers, those too that never go back, so wide jobs looked cheap.
#[test]
fn a_share_fixed_beforehand_does_not_decide() {
    // By shares server 0 costs 1/4 + 1/4 and server 4 costs 1; what is paid is two jobs there and one here.
    let board = Board::inelastic(&["ab", "ab", "ab", "ab", "c."]);
    board.expect(1, &[4], "c", &[]);
    let by_shares = Reclaimer::new(Policy::Aryl).solve(&board.cluster, 1).unwrap();
    assert_eq!(by_shares.preempted(), board.jobs("ab"), "the paper's rule does so, under its own name");
    assert!(!by_shares.certificate().is_optimal(), "and says that there may be better");
}

/// Elsewhere one level of the comparison was the wrong way round, and nobody noticed until it decided.
#[test]
fn each_level_of_the_order_decides_in_its_direction() {
    type Made = fn(char, u32) -> Job;
    type Level = (&'static str, &'static [&'static str], Made, u32, &'static str);
    let plain: Made = |_, held| Job::inelastic(held);
    // Each level against all those below it: what is chosen is worse in every later one.
    let levels: [Level; 4] = [
        (
            "a lower cost, though more time is lost and the id is higher",
            &["a.", "b.", "#b."],
            |letter, held| match letter {
                'a' => Job::inelastic(held),
                _ => Job::elastic(1..=held),
            },
            1,
            "",
        ),
        (
            "less time lost, though the id is higher",
            &["a.", "b.", "#a.", "#b."],
            |letter, held| {
                Job::elastic(1..=held).remaining(Seconds(if letter == 'a' { 7_200.0 } else { 60.0 }))
            },
            1,
            "",
        ),
        ("less collateral, though the id is higher", &["a.", "b.", "#aa", "#b."], plain, 1, "b"),
        ("the lower id", &["a.", "b.", "#a.", "#b."], plain, 0, "a"),
    ];
    for (level, drawn, job, server, preempted) in levels {
        let board = Board::new(drawn, job);
        let answer = board.reclaim(1);
        assert_eq!(answer.servers(), ids(&[server]), "{level}");
        assert_eq!(answer.preempted(), board.jobs(preempted), "{level}");
    }
}

/// Elsewhere a job was counted once for each of its pods, so one job of ten pods weighed more than nine jobs.
#[test]
fn a_job_counts_once_and_not_once_a_worker() {
    Board::inelastic(&["aaaaaaaaaa", "bcdefghij."]).expect(1, &[0], "a", &[]);
    let by_count = Board::inelastic(&["aaaaaaaaaa", "bc........"]);
    let answer = Reclaimer::new(Policy::SmallestCountFirst).solve(&by_count.cluster, 1).unwrap();
    assert_eq!(answer.preempted(), by_count.jobs("a"));
}

/// Elsewhere one victim was looked for that would do for all servers; where each needs another, none was found.
#[test]
fn every_server_may_need_a_victim_of_its_own() {
    Board::inelastic(&["aa", "b.", "cc", "d."]).expect(4, &[0, 1, 2, 3], "abcd", &[]);
}

/// Elsewhere a limit on how many small jobs are looked at hid the cheap answer among many of them.
#[test]
fn two_of_eleven_small_jobs_are_enough() {
    Board::inelastic(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]).expect(2, &[0, 1], "ab", &[]);
}
