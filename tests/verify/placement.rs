//! `verify::placement` on what best-fit decreasing answers, and on answers made wrong.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::GpuTypeId;
use aryl::place::{BestFitDecreasing, Demand, Placements, UnplacedReason};
use aryl::verify::{self, ClusterViolation as C, PlacementViolation as V, Violation};
use oorandom::Rand32;
use serde_json::{Value, json};

use crate::oracle::{Kind, job, random_cluster, server};

fn read(answer: &Value) -> Placements {
    serde_json::from_value(answer.clone()).unwrap()
}

#[test]
fn best_fit_decreasing_passes_and_a_change_is_found() {
    let (mut placed, mut left_out, mut changes) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut random = Rand32::new(seed);
        let mut cluster =
            random_cluster(40_000 + seed, [Kind::OneType, Kind::Mixed, Kind::Inelastic][seed as usize % 3]);
        let mut demands = Vec::new();
        for id in cluster.jobs().map(|(id, _)| id).collect::<Vec<_>>() {
            if !cluster.is_running(id) || random.rand_range(0..2) == 0 {
                let _ = cluster.stop(id);
                let definition = cluster.job(id).unwrap();
                let flexible = random.rand_range(0..definition.max_workers - definition.min_workers + 1);
                demands.push(Demand::new(id).flexible(flexible));
            }
        }
        let answer = BestFitDecreasing.solve(&cluster, &demands).unwrap();
        assert_eq!(verify::placement(&cluster, &demands, &answer), Ok(()), "seed {seed}");
        placed += answer.placed().len();
        left_out += answer.unplaced().len();

        let right = serde_json::to_value(&answer).unwrap();
        let mut refused = |wrong: &Value| {
            let verdict = verify::placement(&cluster, &demands, &read(wrong));
            changes += 1;
            verdict.expect_err("a change must be found")
        };
        for at in 0..answer.placed().len() {
            let mut wrong = right.clone();
            let lost = wrong["placed"].as_array_mut().unwrap().remove(at);
            assert!(matches!(
                refused(&wrong),
                Violation::Placement(V::Answers { placed: 0, unplaced: 0, .. })
            ));
            // A gang whose place is free again was not left out for want of room; nor, perhaps, was another before it.
            let reason = json!({"not_enough_room": {"workers": 1, "slots": 0}});
            wrong["unplaced"].as_array_mut().unwrap().push(json!({"job": lost["job"], "reason": reason}));
            assert!(matches!(refused(&wrong), Violation::Placement(V::Room { .. } | V::Reason { .. })));
            let mut wrong = right.clone();
            wrong["placed"][at]["workers"][0]["pinned"] = true.into();
            assert!(matches!(refused(&wrong), Violation::Placement(V::Pinned { .. })));
        }
        for at in 0..answer.unplaced().len() {
            let mut wrong = right.clone();
            wrong["unplaced"].as_array_mut().unwrap().remove(at);
            refused(&wrong);
            let mut wrong = right.clone();
            wrong["unplaced"][at]["reason"] = json!({"not_enough_room": {"workers": 99, "slots": 0}});
            assert!(matches!(refused(&wrong), Violation::Placement(V::Reason { .. })));
        }
    }
    assert!(placed > 2_000 && left_out > 2_000 && changes > 9_000, "{placed} {left_out} {changes}");
}

/// Servers 0 (V100, 4 free of 8), 1 (V100, on loan, 4), 2 (T4, inference, 8). Job 0 runs on server 0. Waiting: job 1,
/// 2 to 4 workers of 2 GPUs; job 2, one worker of 8 GPUs; job 3, a T4 job; job 4, one worker of 16 GPUs; job 5, 9 workers.
fn sample() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::training(v100, 8)).unwrap();
    cluster.add_server(Server::on_loan(v100, 4)).unwrap();
    cluster.add_server(Server::inference(t4, 8)).unwrap();
    let jobs = [
        Job::inelastic(4),
        Job::elastic(2..=4).gpus_per_worker(2),
        Job::inelastic(1).gpus_per_worker(8),
        Job::inelastic(1).on([t4]),
        Job::inelastic(1).gpus_per_worker(16).fungible(),
        Job::inelastic(9).fungible().heterogeneous(),
    ];
    jobs.into_iter().for_each(|job| assert!(cluster.add_job(job).is_ok()));
    cluster.place(job(0), &[Placement::base(server(0), 4)]).unwrap();
    cluster
}

fn demands() -> [Demand; 5] {
    let flexible = |index| u32::from(index == 1);
    [1, 2, 3, 4, 5].map(|index| Demand::new(job(index)).flexible(flexible(index)))
}

/// What is said of the right answer after a change.
fn broken(change: impl FnOnce(&mut Value)) -> V {
    let cluster = sample();
    let mut answer = json!({
        "placed": [{"job": 1, "workers": [
            {"server": 0, "role": "base", "workers": 1},
            {"server": 1, "role": "base", "workers": 1},
            {"server": 1, "role": "flexible", "workers": 1},
        ]}],
        "unplaced": [
            {"job": 2, "reason": {"not_enough_room": {"workers": 1, "slots": 0}}},
            {"job": 3, "reason": "no_server"},
            {"job": 4, "reason": {"worker_exceeds_servers": {"gpus_per_worker": 16, "largest_server": 8}}},
            {"job": 5, "reason": {"not_enough_room": {"workers": 9, "slots": 8}}},
        ],
    });
    assert_eq!(verify::placement(&cluster, &demands(), &read(&answer)), Ok(()));
    change(&mut answer);
    match verify::placement(&cluster, &demands(), &read(&answer)) {
        Err(Violation::Placement(violation)) => violation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_that_do_not_match_the_demands() {
    let answers =
        |index, demands, placed, unplaced| V::Answers { job: job(index), demands, placed, unplaced };
    let missing = broken(|answer| {
        answer["unplaced"].as_array_mut().unwrap().remove(0);
    });
    assert_eq!(missing, answers(2, 1, 0, 0));
    let both = broken(|answer| {
        answer["unplaced"].as_array_mut().unwrap().insert(0, json!({"job": 1, "reason": "no_server"}));
    });
    assert_eq!(both, answers(1, 1, 1, 1));
    let twice = broken(|answer| {
        let again = answer["unplaced"][3].clone();
        answer["unplaced"].as_array_mut().unwrap().push(again);
    });
    assert_eq!(twice, V::Order { before: job(5), after: job(5) });
    let twice = broken(|answer| {
        let again = answer["placed"][0].clone();
        answer["placed"].as_array_mut().unwrap().push(again);
    });
    assert_eq!(twice, V::Order { before: job(1), after: job(1) });
    let other = broken(|answer| answer["unplaced"][3]["job"] = 6.into());
    assert_eq!(other, answers(5, 1, 0, 0));

    // Demands that no answer is right for.
    let cluster = sample();
    let empty = json!({"placed": [], "unplaced": [{"job": 9, "reason": "no_server"}]});
    let check = |demands: &[Demand], answer: &Value| verify::placement(&cluster, demands, &read(answer));
    assert_eq!(check(&[Demand::new(job(9))], &empty), Err(V::UnknownJob { job: job(9) }.into()));
    assert_eq!(check(&[Demand::new(job(9)); 2], &empty), Err(answers(9, 2, 0, 1).into()));
    let running = json!({"placed": [], "unplaced": [{"job": 0, "reason": "no_server"}]});
    assert_eq!(check(&[Demand::new(job(0))], &running), Err(V::AlreadyRunning { job: job(0) }.into()));
}

#[test]
fn gangs_placed_wrongly() {
    let workers = |list: Value| broken(|answer| answer["placed"][0]["workers"] = list);
    let at =
        |server: u32, role: &str, workers: u32| json!({"server": server, "role": role, "workers": workers});
    let rule = |rule| V::Rule(rule);
    assert_eq!(workers(json!([])), V::NoWorkers { job: job(1) });
    let pinned = json!({"server": 0, "role": "base", "workers": 2, "pinned": true});
    assert_eq!(workers(json!([pinned])), V::Pinned { job: job(1), server: server(0) });
    let unknown = C::UnknownServer { job: job(1), server: server(7) };
    assert_eq!(workers(json!([at(7, "base", 2)])), rule(unknown));
    let full = C::OverFull { server: server(0), held: 10, gpus: 8 };
    assert_eq!(workers(json!([at(0, "base", 3)])), rule(full));
    assert_eq!(workers(json!([at(0, "base", 2), at(0, "flexible", 1)])), rule(full));
    let inference = C::NotForTraining { server: server(2), pool: Pool::Inference, job: job(1) };
    assert_eq!(workers(json!([at(2, "base", 2)])), rule(inference));
    let order = C::PlacementOrder { job: job(1), server: server(0), role: aryl::cluster::Role::Base };
    assert_eq!(workers(json!([at(1, "base", 1), at(0, "base", 1)])), rule(order));
    let below = C::BaseBelowMinimum { job: job(1), workers: 1, min: 2 };
    assert_eq!(workers(json!([at(1, "base", 1)])), rule(below));
    let above = C::BaseAboveMinimum { job: job(1), workers: 3, min: 2 };
    assert_eq!(workers(json!([at(0, "base", 2), at(1, "base", 1)])), rule(above));
    let flexible = V::TooManyFlexible { job: job(1), workers: 4, asked: 3 };
    assert_eq!(workers(json!([at(0, "base", 2), at(1, "flexible", 2)])), flexible);
}

#[test]
fn gangs_left_out_wrongly() {
    let room = |index, room, min| V::Room { job: job(index), room, min };
    let nobody = |answer: &mut Value| {
        answer["placed"] = json!([]);
        let reason = json!({"not_enough_room": {"workers": 2, "slots": 0}});
        answer["unplaced"].as_array_mut().unwrap().insert(0, json!({"job": 1, "reason": reason}));
    };
    // Two workers of 2 GPUs on server 0 and two on server 1.
    assert_eq!(broken(nobody), room(1, 4, 2));
    let wrong = |at: usize, reason: Value| match broken(|answer| answer["unplaced"][at]["reason"] = reason) {
        V::Reason { job, stated, expected } => {
            assert_ne!(stated, expected);
            (job, expected)
        }
        other => panic!("{other}"),
    };
    let enough = |workers: u32, slots: u64| json!({"not_enough_room": {"workers": workers, "slots": slots}});
    let few = UnplacedReason::NotEnoughRoom { workers: 1, slots: 0 };
    assert_eq!(wrong(0, json!("no_server")), (job(2), few));
    assert_eq!(wrong(1, enough(1, 0)), (job(3), UnplacedReason::NoServer));
    let exceeds = UnplacedReason::WorkerExceedsServers { gpus_per_worker: 16, largest_server: 8 };
    assert_eq!(wrong(2, enough(1, 0)), (job(4), exceeds));
    let other = json!({"worker_exceeds_servers": {"gpus_per_worker": 16, "largest_server": 4}});
    assert_eq!(wrong(2, other), (job(4), exceeds));
    // 4 GPUs are left when all gangs are placed, and 8 were free: a number from 4 to 8 is right.
    let left = UnplacedReason::NotEnoughRoom { workers: 9, slots: 4 };
    for (workers, slots) in [(9, 3), (9, 9), (8, 8)] {
        assert_eq!(wrong(3, enough(workers, slots)), (job(5), left));
    }
    let cluster = sample();
    assert_eq!(cluster.job(job(5)).unwrap().min_workers, 9);
    assert_eq!(cluster.server(server(2)).unwrap().gpu_type, GpuTypeId::new(1));
}
