//! Zeros, ends of the range, and what stands beyond them.

use allocation_counter::measure;
use aryl::certificate::{Certificate, Sense};
use aryl::cluster::{
    AddJobError, AddServerError, Cluster, GpuType, Job, JobError, PlaceError, Placement, ScaleInError, Server,
};
use aryl::epoch::{Epoch, Request};
use aryl::knapsack::{self, ClassKind, CurveClass, Gain, Instance, Item};
use aryl::loan::{Demand, Fleet, LoanAction, LoanPolicy};
use aryl::reclaim::{Ask, CostError, Costs, PreemptionCost, Reclaim, ReclaimError, Reclaimer};
use aryl::scaling::{MeasuredTable, MeasuredTableError, ScalingCurve};
use aryl::units::Seconds;

use crate::board::{Board, V100, ids};

/// Elsewhere a job of no workers, or of workers without GPUs, was divided by.
#[test]
fn workers_of_no_size_are_refused() {
    let mut board = Board::inelastic(&["#a..."]);
    let refused = |board: &mut Board, job: Job| board.cluster.add_job(job).unwrap_err();
    assert_eq!(refused(&mut board, Job::inelastic(0)), AddJobError::Job(JobError::ZeroWorkers));
    assert_eq!(refused(&mut board, Job::elastic(0..=3)), AddJobError::Job(JobError::ZeroWorkers));
    let no_gpu = Job::inelastic(1).gpus_per_worker(0);
    assert_eq!(refused(&mut board, no_gpu), AddJobError::Job(JobError::ZeroGpusPerWorker));
    assert_eq!(board.cluster.add_server(Server::training(V100, 0)), Err(AddServerError::ZeroGpus));
    let (job, server) = (board.cluster.add_job(Job::inelastic(1)).unwrap(), ids(&[0])[0]);
    let none = PlaceError::ZeroWorkers { job, server };
    assert_eq!(board.cluster.place(job, &[Placement::base(server, 0)]), Err(none));
    let a = board.job('a');
    assert_eq!(board.cluster.scale_in(a, server, 0), Err(ScaleInError::ZeroWorkers { job: a }));
    let table = MeasuredTable::new([(0, 1.0)]).unwrap_err();
    assert_eq!(table, MeasuredTableError::ZeroWorkers);
}

/// Elsewhere a request for nothing was a division by 0, the whole cluster, or an error.
#[test]
fn nothing_asked_is_nothing_done() {
    Board::inelastic(&["a", "."]).expect(0, &[], "", &[]);
    let mut board = Board::inelastic(&["a", "."]);
    for ask in [Ask::servers(0), Ask::gpus(0), Ask::these(vec![]), Ask::by_type(vec![])] {
        assert_eq!(Reclaimer::default().solve(&board.cluster, &ask).unwrap(), Reclaim::default(), "{ask}");
    }
    let plan = Epoch::default().plan(&board.cluster, Request::reclaim(0).and_lend(0)).unwrap();
    assert!(plan.is_empty());
    board.cluster.apply(&plan).unwrap();
    let instance = Instance::new(0);
    assert_eq!(knapsack::Solver::new().solve(&instance).unwrap().value(), 0);
}

/// Elsewhere costs, weights or GPUs were added in a type that wrapped, and the dearest job became the cheapest.
#[test]
fn sums_do_not_overflow() {
    let huge =
        |letter, held| Job::inelastic(held).preemption_cost(if letter == 'a' { u64::MAX - 3 } else { 1 });
    let mut board = Board::new(&["aa", "bc"], huge);
    board.expect(1, &[1], "bc", &[]);
    board.expect(2, &[0, 1], "abc", &[]);
    assert_eq!(board.reclaim(2).certificate().objective(), u64::MAX - 1);
    // One more than fits is refused where it enters.
    let over = JobError::PreemptionCostOverflow { cost: 2, total: u64::MAX - 1 };
    let refused = board.cluster.add_job(Job::inelastic(1).preemption_cost(2)).unwrap_err();
    assert_eq!(refused, AddJobError::Job(over));
    let own = Costs::from_fn(&board.cluster, |_, _| PreemptionCost::Cost(u64::MAX / 2));
    let refused = Reclaimer::default().solve(&board.cluster, Ask::servers(1).costs(own)).unwrap_err();
    assert!(matches!(refused, ReclaimError::Costs(CostError::Overflow { .. })), "{refused}");
    let mut instance = Instance::new(u64::MAX);
    for _ in 0..3 {
        instance.push_class(ClassKind::AtMostOne, [Item::new(u32::MAX, (1 << 51) - 1)]).unwrap();
    }
    let solution = knapsack::Solver::new().solve(&instance).unwrap();
    assert_eq!((solution.value(), solution.weight()), (3 * ((1 << 51) - 1), 3 * u64::from(u32::MAX)));
}

/// Elsewhere a share of nothing was 0/0, and the NaN sorted itself anywhere.
#[test]
fn no_share_of_nothing_is_nan() {
    assert!(Reclaim::default().collateral_damage().to_bits() == 0);
    assert!(Certificate::optimal(Sense::Minimize, 0).relative_gap().to_bits() == 0);
    assert!(Certificate::optimal(Sense::Maximize, 0).relative_gap().to_bits() == 0);
    let plan = Epoch::default().plan(&Cluster::new(), Request::NONE).unwrap();
    assert!(plan.allocations().iter().all(|it| !it.certificate.relative_gap().is_nan()));
    // A curve that is flat, and one that is all serial: no worker is worth anything, and none is a NaN.
    for curve in [ScalingCurve::Amdahl { serial: 1.0 }, ScalingCurve::LossPerAddedWorker { loss: 1.0 }] {
        let job = Job::elastic(1..=9).scaling(curve);
        assert!((1..=9).all(|workers| job.running_time(workers) == job.remaining));
    }
    let flat = MeasuredTable::new([(1, 0.0)]).unwrap_err();
    assert!(matches!(flat, MeasuredTableError::Throughput { .. }), "{flat}");
    for time in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let refused = Board::inelastic(&["."]).cluster.add_job(Job::inelastic(1).remaining(Seconds(time)));
        assert!(matches!(refused, Err(AddJobError::Job(JobError::Remaining { .. }))), "{time}");
    }
}

/// Elsewhere a large constant stood for "none yet" in a search for a minimum, and a cost as large was never found.
#[test]
fn the_largest_cost_is_a_cost_and_not_a_sentinel() {
    let dear = Board::new(&["a"], |_, held| Job::inelastic(held).preemption_cost(u64::MAX));
    dear.expect(1, &[0], "a", &[]);
    assert_eq!(dear.reclaim(1).certificate().objective(), u64::MAX);
    // The latest submission and the longest remaining time are taken as they are.
    let mut board = Board::inelastic(&["#."]);
    let longest = Job::inelastic(1).remaining(Seconds(9.007e12)).submitted(Seconds(f64::MAX));
    let job = board.cluster.add_job(longest).unwrap();
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    board.cluster.apply(&plan).unwrap();
    assert!(board.cluster.is_running(job));
}

/// Elsewhere the best score began at −1 or at 0, and candidates of score 0 were never chosen.
#[test]
fn candidates_worth_nothing_are_still_chosen() {
    let free_of_charge = |_, held| Job::inelastic(held).preemption_cost(0);
    Board::new(&["a", "b"], free_of_charge).expect(1, &[0], "a", &[]);
    let mut instance = Instance::new(5);
    instance.push_class(ClassKind::ExactlyOne, [Item::new(6, 0), Item::new(4, 0)]).unwrap();
    assert_eq!(knapsack::Solver::new().solve(&instance).unwrap().choice(0), Some(1));
    let mut board = Board::inelastic(&["#."]);
    let least = Job::inelastic(1).remaining(Seconds(1e-300)).weight(1e-300);
    let job = board.cluster.add_job(least).unwrap();
    let plan = Epoch::default().plan(&board.cluster, Request::NONE).unwrap();
    board.cluster.apply(&plan).unwrap();
    assert!(board.cluster.is_running(job));
}

/// Elsewhere a server that lost GPUs hosted more than it had left, and what was free became a huge unsigned number.
#[cfg(feature = "serde")]
#[test]
fn a_server_that_shrank_below_its_use_is_refused() {
    let board = Board::inelastic(&["aaaaaaaa"]);
    let written = serde_json::to_string(&board.cluster).unwrap();
    let shrunk = written.replace(r#""gpus":8"#, r#""gpus":6"#);
    assert_ne!(written, shrunk);
    let refused = serde_json::from_str::<Cluster>(&shrunk).unwrap_err().to_string();
    assert!(refused.contains("asks for 8 GPUs on server 0, which has 6 free"), "{refused}");
}

/// Elsewhere a count of 2^31 in a request was turned into a list of as many entries.
#[test]
fn memory_follows_the_length_of_the_input_and_not_its_numbers() {
    // Three jobs that could use a million workers each, and a server for eight.
    let bytes = |most: u32| {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let home = cluster.add_server(Server::on_loan(V100, 1_024)).unwrap();
        let measured = MeasuredTable::new([(1, 1.0), (2, 1.7), (u32::MAX, 9.0)]).unwrap();
        for curve in
            [ScalingCurve::Linear, ScalingCurve::Measured(measured), ScalingCurve::Amdahl { serial: 0.1 }]
        {
            let job = cluster.add_job(Job::elastic(1..=most).scaling(curve)).unwrap();
            cluster.place(job, &[Placement::base(home, 1)]).unwrap();
        }
        measure(|| drop(Epoch::default().plan(&cluster, Request::NONE).unwrap())).bytes_max
    };
    let (few, many) = (bytes(1_022), bytes(Job::MAX_WORKERS));
    assert!(many < few + 4_096, "{few} and {many} bytes");
    let too_many = JobError::TooManyWorkers { workers: 1 << 31, limit: Job::MAX_WORKERS };
    let mut board = Board::inelastic(&["#."]);
    let refused = board.cluster.add_job(Job::inelastic(1 << 31)).unwrap_err();
    assert_eq!(refused, AddJobError::Job(too_many));

    let asked = measure(|| {
        let board = Board::inelastic(&["a", "b"]);
        Reclaimer::default().solve(&board.cluster, u32::MAX).unwrap_err();
        Reclaimer::default().solve(&board.cluster, Ask::gpus(u64::MAX)).unwrap_err();
        Epoch::default().plan(&board.cluster, Request::lend(u32::MAX)).unwrap_err();
    });
    assert!(asked.bytes_max < 100_000, "{}", asked.bytes_max);

    let lent = measure(|| {
        let fleet = Fleet::new(u32::MAX, 1 << 31).unwrap();
        let policy = LoanPolicy::default().with_patience(1).unwrap();
        let decision = policy.decide(&fleet, &[], Demand::now(0));
        assert!(matches!(decision.action(), LoanAction::Lend(servers) if servers > 1 << 31));
    });
    assert_eq!(lent.bytes_max, 0);
}

/// Elsewhere a count in a formula was unrolled into a list. Here a class of a million items, which is as long as one
/// may be, is five numbers; and the answer is known: alike concave classes share the capacity alike.
#[test]
fn formulas_for_billions_of_items_are_never_unrolled() {
    const LONGEST: u32 = 1 << 20;
    for (classes, capacity) in
        [(1, 1 << 40), (1, 1 << 20), (1, 1_000), (3, 3 << 18), (300, 300 << 18), (3_000, 3_000 << 10)]
    {
        let curve = CurveClass::new(
            Gain::Hyperbola { half: 2.0 },
            (8_000_000_000_000_000 / classes) as f64,
            1,
            LONGEST,
        );
        let used = measure(|| {
            let mut instance = Instance::new(capacity);
            for _ in 0..classes {
                instance.push_curve(curve).unwrap();
            }
            assert_eq!(instance.item_count(), classes * u64::from(LONGEST));
            let solution = knapsack::Solver::new().solve(&instance).unwrap();
            let each = u32::try_from(capacity / classes).unwrap_or(u32::MAX).min(LONGEST);
            // The last units of many are worth less than what rounding takes.
            let best = classes * curve.item(each - 1).value;
            assert!(solution.certificate().is_optimal(), "{classes}, {capacity}");
            assert!((best..=best + classes).contains(&solution.value()), "{classes}, {capacity}");
            assert!(solution.weight() <= capacity);
        });
        assert!(used.bytes_max < 40_000_000, "{classes}, {capacity}: {} bytes", used.bytes_max);
    }
}
