//! More jobs lose their GPUs than need to.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Action, Epoch, Request};
use aryl::reclaim::{Ask, Policy, Quantity, Reclaimer};
use aryl::verify;
use oorandom::Rand32;

use crate::board::{Board, V100};
use crate::brute_force::{candidates, outcome, subsets};
use crate::support::{Shape, random_cluster};

/// Elsewhere victims were picked before the free servers were looked at, so jobs died beside idle machines.
#[test]
fn free_servers_are_counted_before_any_victim() {
    Board::inelastic(&["a.", "b.", "..", "c.", ".."]).expect(3, &[0, 2, 4], "a", &[]);
}

/// Elsewhere the amount to free was the whole amount asked for, though what lay free was already enough.
#[test]
fn free_servers_that_are_enough_cost_no_victim() {
    Board::inelastic(&["aa", "..", "b.", ".."]).expect(2, &[1, 3], "", &[]);
}

/// Elsewhere a demand had to be met by free capacity alone or by vacated capacity alone, never by the two together.
#[test]
fn free_and_vacated_servers_are_combined() {
    let board = Board::inelastic(&["aa", "..", "bb"]);
    board.expect(2, &[0, 1], "a", &[]);
    // A gang of five starts on four free GPUs and one that a flexible worker leaves.
    let mut board = Board::new(&["#a..", "#a.."], |_, held| Job::elastic(1..=held));
    let gang = board.cluster.add_job(Job::inelastic(5)).unwrap();
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    board.cluster.apply(&plan).unwrap();
    assert_eq!((board.cluster.workers(gang), board.cluster.workers(board.job('a'))), (5, 1));
}

/// Elsewhere an elastic job in the way of one GPU was cut back to its minimum.
#[test]
fn one_worker_in_the_way_costs_one_worker_and_not_the_whole_surplus() {
    let elastic = |_, _| Job::elastic(1..=11);
    Board::new(&["aaaaaaaaaa", "a........."], elastic).expect(1, &[1], "", &[('a', 1, 1)]);
    // The same where a gang that starts needs one of the GPUs: ten flexible workers, one leaves.
    let mut board = Board::new(&["#aaaaaaaaaaa"], elastic);
    let gang = board.cluster.add_job(Job::inelastic(1)).unwrap();
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    assert_eq!(
        plan.to_string(),
        "scale in job 0: 1 worker leaves server 0\nstart job 1: 1 worker on server 0"
    );
    board.cluster.apply(&plan).unwrap();
    assert!(board.cluster.is_running(gang));
}

/// Elsewhere candidate sets were prefixes of a sorted list whose length doubled, so four servers went where three do.
#[test]
fn no_prefix_overshoots_what_is_asked() {
    let board = Board::inelastic(&["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    for asked in 0..=9 {
        let servers: Vec<u32> = (0..asked).collect();
        board.expect(asked, &servers, &"abcdefghi"[..asked as usize], &[]);
    }
}

/// Elsewhere a gang on two servers that are vacated together was charged to each of them.
#[test]
fn a_victim_on_two_servers_that_go_is_counted_once() {
    // Servers 0 and 1 together: a, b, c. Any other two: four jobs or more.
    Board::inelastic(&["ab", "bc", "de", "ffg"]).expect(2, &[0, 1], "abc", &[]);
}

/// Elsewhere each demand looked for victims of its own, though the victim of one had already freed room for the other.
#[test]
fn two_demands_are_planned_together() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4")).unwrap();
    let mut server = |gpu_type| cluster.add_server(Server::on_loan(gpu_type, 2)).unwrap();
    let [first, second, third, fourth] = [server(v100), server(v100), server(t4), server(t4)];
    let mut run = |job: Job, on: &[Placement]| {
        let id = cluster.add_job(job).unwrap();
        cluster.place(id, on).unwrap();
        id
    };
    run(Job::inelastic(1), &[Placement::base(first, 1)]);
    let mixed = Job::inelastic(2).fungible().heterogeneous();
    let wide = run(mixed, &[Placement::base(second, 1), Placement::base(fourth, 1)]);
    run(Job::inelastic(1).on([t4]), &[Placement::base(third, 1)]);
    let both = Ask::by_type(vec![(v100, Quantity::Servers(1)), (t4, Quantity::Servers(1))]);
    let answer = Reclaimer::default().solve(&cluster, &both).unwrap();
    // Apart, the lowest ids would preempt two jobs; the gang on both types makes room for both demands.
    assert_eq!(answer.servers(), [second, fourth]);
    assert_eq!(answer.preempted(), [wide]);
    assert_eq!(verify::reclaim(&cluster, &both, &answer), Ok(()));
}

/// Elsewhere evictions were carried out on servers that the plan then did not use.
#[test]
fn every_victim_stood_on_a_server_that_goes() {
    let mut random = Rand32::new(41);
    let mut victims = 0;
    for _ in 0..1_000 {
        let cluster = random_cluster(&mut random, Shape::ALL);
        let asked = random.rand_range(0..4);
        let Ok(plan) = Epoch::default().plan(&cluster, Request::reclaim(asked)) else { continue };
        let goes = |at: &Placement| plan.reclaim().servers().contains(&at.server);
        for action in plan.actions() {
            if let &Action::Preempt { job } = action {
                assert!(cluster.placements(job).iter().any(goes), "{job} is preempted for nothing\n{plan}");
                victims += 1;
            }
        }
        for left in plan.reclaim().departures() {
            assert!(plan.reclaim().servers().contains(&left.server), "{left:?}\n{plan}");
        }
    }
    assert!(victims > 100, "only {victims}");
}

/// Elsewhere a greedy pass left victims in the plan that a later victim had made superfluous.
#[test]
fn victims_that_turned_out_not_to_be_needed_are_spared() {
    // By its small shares the wide job a goes first and frees nothing; then b frees server 3, which is all that was asked.
    let board = Board::inelastic(&["acd", "ace", "ade", "b.."]);
    for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Amortized] {
        let answer = Reclaimer::new(policy).solve(&board.cluster, 1).unwrap();
        assert_eq!(answer.preempted(), board.jobs("b"), "{policy:?}");
    }
    // On any cluster without surplus: no other choice of as many servers has victims that are only some of these.
    let mut random = Rand32::new(42);
    let mut tried = 0;
    for _ in 0..1_000 {
        let cluster = inelastic_cluster(&mut random);
        let asked = random.rand_range(1..4);
        let choices: Vec<_> = subsets(&candidates(&cluster), asked as usize)
            .iter()
            .map(|servers| outcome(&cluster, servers).preempted)
            .collect();
        for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Random { seed: 3 }] {
            let Ok(answer) = Reclaimer::new(policy).solve(&cluster, asked) else { continue };
            let chosen = answer.preempted();
            for other in choices.iter().filter(|other| other.len() < chosen.len()) {
                assert!(!other.iter().all(|job| chosen.contains(job)), "{policy:?}: {answer}\n{cluster:#?}");
            }
            tried += 1;
        }
    }
    assert!(tried > 2_000, "only {tried}");
}

/// Up to seven servers of four GPUs with jobs of one to six workers that can spare none.
fn inelastic_cluster(random: &mut Rand32) -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let servers: Vec<_> =
        (0..random.rand_range(3..8)).map(|_| cluster.add_server(Server::on_loan(V100, 4)).unwrap()).collect();
    for _ in 0..random.rand_range(2..9) {
        let workers = random.rand_range(1..7);
        let mut gang = Vec::new();
        for _ in 0..workers {
            let at = servers[random.rand_range(0..servers.len() as u32) as usize];
            gang.push(Placement::base(at, 1));
        }
        let job = cluster.add_job(Job::inelastic(workers)).unwrap();
        if cluster.place(job, &gang).is_err() {
            cluster.remove_job(job).unwrap();
        }
    }
    cluster
}
