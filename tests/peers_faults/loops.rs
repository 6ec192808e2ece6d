//! Nothing moves without a gain, and what was decided stays decided.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::epoch::{Action, Epoch, Request};
use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
use aryl::reclaim::{Ask, CostModel, Costs, Policy, ReclaimError, Reclaimer};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;

use crate::board::{Board, V100};
use crate::support::{Shape, random_cluster};

/// Elsewhere two jobs of the same worth took a GPU from each other at every round.
#[test]
fn two_equal_claimants_do_not_exchange() {
    let mut board = Board::new(&["#aab."], |_, _| Job::elastic(1..=2).remaining(Seconds(5_000.0)));
    let blocker = board.cluster.add_job(Job::inelastic(1)).unwrap();
    board.cluster.place(blocker, &[Placement::base(aryl::id::ServerId::new(0), 1)]).unwrap();
    for _ in 0..3 {
        let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
        assert!(plan.is_empty(), "{plan}");
        board.cluster.apply(&plan).unwrap();
    }
}

/// Elsewhere a preempted job was started again on the server from which it had just been taken, and preempted again.
#[test]
fn a_preempted_job_does_not_return_to_what_it_left() {
    let mut board = Board::inelastic(&["aa", "bb"]);
    for _ in 0..3 {
        let plan = Epoch::default().plan(&board.cluster, Request::reclaim(1)).unwrap();
        board.cluster.apply(&plan).unwrap();
        let lent = board.cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan).count();
        assert!(Epoch::default().plan(&board.cluster, Request::NONE).unwrap().is_empty());
        if lent == 0 {
            break;
        }
    }
    assert!(board.cluster.jobs().all(|(id, _)| !board.cluster.is_running(id)));
}

/// Elsewhere a victim was put back after the choice, and the server that it stood on was still counted as free.
#[test]
fn putting_a_victim_back_breaks_no_earlier_choice() {
    let mut random = Rand32::new(61);
    let mut spared = 0;
    for _ in 0..1_000 {
        let cluster = random_cluster(&mut random, Shape { types: false, ..Shape::ALL });
        let asked = random.rand_range(1..4);
        for policy in [Policy::Exact, Policy::Aryl, Policy::SmallestCountFirst, Policy::Random { seed: 1 }] {
            let without = Reclaimer::new(policy).put_back(false).solve(&cluster, asked);
            let Ok(without) = without else { continue };
            let with = Reclaimer::new(policy).solve(&cluster, asked).unwrap();
            assert_eq!(verify::reclaim(&cluster, asked, &with), Ok(()), "{policy:?}\n{cluster:#?}");
            assert!(with.certificate().objective() <= without.certificate().objective());
            spared += usize::from(with.preempted().len() < without.preempted().len());
        }
    }
    assert!(spared > 20, "only {spared}");
}

/// A cluster that lends through a controller, and everything that moved.
struct Operation {
    cluster: Cluster,
    controller: LoanController,
    lent: Vec<u32>,
    moves: u32,
}

impl Operation {
    /// Ten inference servers and two training servers of eight GPUs, with elastic jobs enough to use them all.
    fn new() -> Self {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for at in 0..12 {
            let server = if at < 10 { Server::inference(V100, 8) } else { Server::training(V100, 8) };
            cluster.add_server(server).unwrap();
        }
        for at in 0..12 {
            let job =
                Job::elastic(2..=8).gpus_per_worker(1 + at % 3).remaining(Seconds(9_000.0 + f64::from(at)));
            cluster.add_job(job).unwrap();
        }
        Self { cluster, controller: LoanController::new(LoanPolicy::default()), lent: Vec::new(), moves: 0 }
    }

    fn on_loan(&self) -> u32 {
        self.cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan).count() as u32
    }

    fn epoch(&mut self, gpus_needed: u64) {
        let fleet = Fleet::new(10, 8).unwrap().with_lent(self.on_loan()).unwrap();
        let decision = self.controller.decide(&fleet, Demand::now(gpus_needed));
        let plan = Epoch::default().plan(&self.cluster, Request::from(&decision)).unwrap();
        let moved =
            |wanted: fn(&Action) -> bool| plan.actions().iter().filter(|&it| wanted(it)).count() as u32;
        let returned = moved(|action| matches!(action, Action::Return { .. }));
        let lent = moved(|action| matches!(action, Action::Lend { .. }));
        assert_eq!((returned, lent), (decision.ask_back(), decision.lend()));
        self.moves += returned + lent;
        self.cluster.apply(&plan).unwrap();
        assert!(Epoch::default().plan(&self.cluster, Request::NONE).unwrap().is_empty());
        self.lent.push(self.on_loan());
    }
}

/// Elsewhere a demand that did not change had servers lent and asked back at every round.
#[test]
fn a_steady_demand_moves_servers_once() {
    let mut operation = Operation::new();
    (0..20).for_each(|_| operation.epoch(32));
    let settled = operation.on_loan();
    assert!(settled > 0);
    assert_eq!(operation.moves, settled, "{:?}", operation.lent);
}

/// Elsewhere a server went to training and stayed there when the load of inference was back.
#[test]
fn loaned_servers_are_returned_when_the_load_is_back() {
    let mut operation = Operation::new();
    (0..6).for_each(|_| operation.epoch(8));
    let lent = operation.on_loan();
    assert!(lent >= 5, "{lent}");
    operation.epoch(80);
    assert_eq!(operation.on_loan(), 0, "all ten servers are needed at home, so all are there at once");
    assert_eq!(operation.moves, 2 * lent);
}

/// Elsewhere a server that had just come back was the first candidate for the next loan of the same round.
#[test]
fn a_server_is_not_lent_again_in_the_epoch_in_which_it_came_back() {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let home = cluster.add_server(Server::inference(V100, 8)).unwrap();
    let lent = cluster.add_server(Server::on_loan(V100, 8)).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::reclaim(1).and_lend(1)).unwrap();
    assert_eq!(plan.actions(), [Action::Return { server: lent }, Action::Lend { server: home }]);
    // Two can't be lent, since the one that comes back is not counted.
    let two = Epoch::default().plan(&cluster, Request::reclaim(1).and_lend(2)).unwrap_err();
    assert_eq!(two.to_string(), "2 servers are to be lent, and 1 can be");
}

/// Elsewhere a second run on an unchanged cluster found something to do, again and again. Here it does not, and nobody
/// pays for the same loan more often than the cap allows, however long it goes on.
#[test]
fn plan_apply_plan_again_is_empty_and_no_job_is_preempted_beyond_its_cap() {
    const CAP: u32 = 2;
    let mut random = Rand32::new(63);
    let mut preempted_in_all = 0;
    for _ in 0..60 {
        let mut cluster = random_cluster(&mut random, Shape { protection: false, ..Shape::ALL });
        for _ in 0..10 {
            let capped = Costs::new(CostModel::Preemptions).max_preemptions(CAP);
            let request = Request::reclaim(Ask::servers(1).costs(capped));
            let home = cluster.servers().any(|(_, server)| server.pool == Pool::Inference);
            let request = request.and_lend(u32::from(home));
            let plan = match Epoch::default().plan(&cluster, &request) {
                Ok(plan) => plan,
                Err(error) => {
                    let aryl::epoch::EpochError::Reclaim(ReclaimError::NotEnoughServers { .. }) = error
                    else {
                        panic!("{error}")
                    };
                    Epoch::default().plan(&cluster, Request::lend(u32::from(home))).unwrap()
                }
            };
            for &id in plan.reclaim().preempted() {
                let job = cluster.job(id).unwrap().clone();
                let times = job.preemptions + 1;
                assert!(times <= CAP, "{id} is preempted for the {times}th time");
                cluster.update_job(id, job.preemptions(times)).unwrap();
                preempted_in_all += 1;
            }
            cluster.apply(&plan).unwrap();
            let again = Epoch::default().plan(&cluster, Request::NONE).unwrap();
            assert!(again.is_empty(), "{again}");
        }
    }
    assert!(preempted_in_all > 50, "only {preempted_in_all}");
}

/// Elsewhere a job was moved or resized for a gain of nothing, and paid for the restart.
#[test]
fn a_change_needs_a_strict_gain() {
    let growth_saves_twenty = Job::elastic(2..=3).remaining(Seconds(60.0));
    for (overhead, changes) in [(19.0, true), (20.0, false), (21.0, false)] {
        let board =
            Board::new(&["#aa."], |_, _| growth_saves_twenty.clone().resize_overhead(Seconds(overhead)));
        let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
        assert_eq!(!plan.is_empty(), changes, "{overhead} s");
    }
}
