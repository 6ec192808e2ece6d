//! `verify::reclaim` against an oracle that tries the servers on a copy of the cluster, and against wrong answers.

use crate::oracle::{Kind, Outcome, job, outcome, outcomes, random_cluster, read, server};
use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Ask, CostModel, Costs, PreemptionCost, Quantity, Reclaimer};
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::Seconds;
use aryl::verify::{self, ReclaimViolation as V, Violation};
use oorandom::Rand32;
use serde_json::{Value, json};

const KINDS: [Kind; 3] = [Kind::Inelastic, Kind::OneType, Kind::Mixed];

#[test]
fn the_best_of_all_choices_passes() {
    let mut checked = 0;
    for seed in 0..1_002 {
        let cluster = random_cluster(seed, KINDS[seed as usize % 3]);
        for asked in 0..=3 {
            let Some(best) = outcomes(&cluster, asked).into_iter().min() else { continue };
            let mut answer = best.answer();
            answer["certificate"]["bound"] = best.cost.into();
            let answer = read(&answer);
            assert_eq!(verify::reclaim(&cluster, asked, &answer), Ok(()), "seed {seed}, {asked} servers");
            checked += 1;
        }
    }
    assert!(checked > 2_500, "{checked}");
}

#[test]
fn every_choice_is_counted_right_and_called_needless_only_where_it_is() {
    let (mut minimal, mut needless) = (0, 0);
    for seed in 0..1_000 {
        let kind = KINDS[seed as usize % 3];
        let cluster = random_cluster(10_000 + seed, kind);
        let asked = 1 + (seed / 3 % 3) as u32;
        let all = outcomes(&cluster, asked);
        for outcome in &all {
            let within = |other: &Outcome, without: JobId| {
                other.preempted.iter().all(|job| *job != without && outcome.preempted.contains(job))
            };
            match verify::reclaim(&cluster, asked, &read(&outcome.answer())) {
                Ok(()) => {
                    minimal += 1;
                    // On one GPU type the check is complete: no other choice touches a proper part of the jobs and
                    // takes from the others only what leaves them anyway.
                    let alike = |other: &Outcome| {
                        let mut from_others =
                            other.departures.iter().filter(|(job, ..)| !outcome.preempted.contains(job));
                        from_others.all(|departure| outcome.departures.contains(departure))
                    };
                    for &victim in outcome.preempted.iter().filter(|_| kind != Kind::Mixed) {
                        let free = cluster.job(victim).unwrap().preemption_cost == 0;
                        let needless = all.iter().any(|other| within(other, victim) && alike(other));
                        assert!(free || !needless, "seed {seed}: {victim} is not needed");
                    }
                }
                Err(Violation::Reclaim(V::NotMinimal { job, can_leave, asked: limit })) => {
                    needless += 1;
                    assert!(limit == asked && can_leave >= u64::from(asked));
                    assert!(all.iter().any(|other| within(other, job)), "seed {seed}: {job} is needed");
                }
                Err(other) => panic!("seed {seed}: {other}"),
            }
        }
    }
    assert!(minimal > 3_000 && needless > 2_000, "{minimal} {needless}");
}

#[test]
fn a_number_or_an_entry_changed_is_found() {
    let mut changes = 0;
    for seed in 0..1_000 {
        let cluster = random_cluster(20_000 + seed, KINDS[seed as usize % 3]);
        let mut random = Rand32::new(seed);
        let Some(best) = outcomes(&cluster, 2).into_iter().min() else { continue };
        let right = best.answer();
        let mut refused = |wrong: Value| {
            assert_ne!(wrong, right);
            assert!(verify::reclaim(&cluster, 2, &read(&wrong)).is_err(), "seed {seed}: {wrong}");
            changes += 1;
        };
        for field in ["returned_gpus", "collateral_gpus", "jct_lost_milliseconds"] {
            let mut wrong = right.clone();
            wrong[field] = (right[field].as_u64().unwrap() + 1).into();
            refused(wrong);
        }
        let mut wrong = right.clone();
        wrong["certificate"]["objective"] = (best.cost + 1).into();
        refused(wrong);
        for list in ["servers", "preempted", "departures"] {
            let entries = right[list].as_array().unwrap();
            if !entries.is_empty() {
                let at = random.rand_range(0..entries.len() as u32) as usize;
                let mut wrong = right.clone();
                wrong[list].as_array_mut().unwrap().remove(at);
                refused(wrong);
                let mut wrong = right.clone();
                wrong[list].as_array_mut().unwrap().insert(at, entries[at].clone());
                refused(wrong);
            }
            if entries.len() > 1 {
                let mut wrong = right.clone();
                wrong[list].as_array_mut().unwrap().swap(0, 1);
                refused(wrong);
            }
        }
        for at in 0..best.departures.len() {
            for workers in [best.departures[at].2 + 1, best.departures[at].2 - 1] {
                let mut wrong = right.clone();
                wrong["departures"][at]["workers"] = workers.into();
                refused(wrong);
            }
        }
        for (id, _) in cluster.jobs().filter(|(id, _)| !best.preempted.contains(id)) {
            let mut preempted = best.preempted.clone();
            preempted.push(id);
            preempted.sort_unstable();
            let mut wrong = right.clone();
            wrong["preempted"] = json!(preempted);
            refused(wrong);
        }
    }
    assert!(changes > 8_000, "{changes}");
}

/// Servers of 8 V100: 0 to 4 on loan, 5 training, 6 on loan and protected, 7 inference.
///
/// Job 0 (4 GPUs a worker, min 2): base on 0 and 1. Job 1 (min 1, max 4): base on 2, two flexible on 3. Job 2
/// (protected): on 4. Job 3 (min 1, pinned on 2, flexible on 3). Job 4 waits.
fn sample() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..5 {
        cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    }
    cluster.add_server(Server::training(v100, 8)).unwrap();
    cluster.add_server(Server::on_loan(v100, 8).protected()).unwrap();
    cluster.add_server(Server::inference(v100, 8)).unwrap();
    let wide = cluster.add_job(Job::inelastic(2).gpus_per_worker(4).preemption_cost(7)).unwrap();
    cluster.place(wide, &[Placement::base(server(0), 1), Placement::base(server(1), 1)]).unwrap();
    let elastic = Job::elastic(1..=4).remaining(Seconds(60.0)).weight(2.0);
    let elastic = cluster.add_job(elastic).unwrap();
    cluster.place(elastic, &[Placement::base(server(2), 1), Placement::flexible(server(3), 2)]).unwrap();
    let protected = cluster.add_job(Job::inelastic(1).protected()).unwrap();
    cluster.place(protected, &[Placement::base(server(4), 1)]).unwrap();
    let pinned = cluster.add_job(Job::elastic(1..=2)).unwrap();
    cluster
        .place(pinned, &[Placement::base(server(2), 1).pinned(), Placement::flexible(server(3), 1)])
        .unwrap();
    cluster.add_job(Job::inelastic(1)).unwrap();
    cluster
}

/// What is said of a right answer for these servers after a change.
fn broken(servers: &[u32], change: impl FnOnce(&mut Value)) -> V {
    let cluster = sample();
    let servers: Vec<ServerId> = servers.iter().map(|&index| server(index)).collect();
    let mut answer = outcome(&cluster, &servers).unwrap().answer();
    assert_eq!(verify::reclaim(&cluster, servers.len() as u32, &read(&answer)), Ok(()));
    change(&mut answer);
    match verify::reclaim(&cluster, servers.len() as u32, &read(&answer)) {
        Err(Violation::Reclaim(violation)) => violation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn servers_that_can_not_go_back() {
    let servers = |list: &'static [u32]| move |answer: &mut Value| answer["servers"] = json!(list);
    assert_eq!(broken(&[3], servers(&[])), V::Count { servers: 0, asked: 1 });
    assert_eq!(broken(&[3], servers(&[0, 3])), V::Count { servers: 2, asked: 1 });
    assert_eq!(broken(&[0, 1], servers(&[1, 0])), V::ServerOrder { before: server(1), after: server(0) });
    assert_eq!(broken(&[0, 1], servers(&[1, 1])), V::ServerOrder { before: server(1), after: server(1) });
    assert_eq!(broken(&[3], servers(&[8])), V::UnknownServer { server: server(8) });
    assert_eq!(broken(&[3], servers(&[5])), V::NotOnLoan { server: server(5), pool: Pool::Training });
    assert_eq!(broken(&[3], servers(&[7])), V::NotOnLoan { server: server(7), pool: Pool::Inference });
    assert_eq!(broken(&[3], servers(&[6])), V::ProtectedServer { server: server(6) });
    assert_eq!(broken(&[3], servers(&[4])), V::ProtectedJob { server: server(4), job: job(2) });
}

#[test]
fn jobs_that_are_preempted_wrongly() {
    let preempted = |list: &'static [u32]| move |answer: &mut Value| answer["preempted"] = json!(list);
    assert_eq!(broken(&[0], preempted(&[])), V::BelowMinimum { job: job(0), left: 1, min: 2 });
    assert_eq!(broken(&[0, 1], preempted(&[])), V::BelowMinimum { job: job(0), left: 0, min: 2 });
    assert_eq!(broken(&[2], preempted(&[])), V::LosesPinned { job: job(3), server: server(2) });
    assert_eq!(broken(&[3], preempted(&[1])), V::NeedlessPreemption { job: job(1), left: 1, min: 1 });
    assert_eq!(broken(&[3], preempted(&[0])), V::NeedlessPreemption { job: job(0), left: 2, min: 2 });
    assert_eq!(broken(&[3], preempted(&[4])), V::NotRunning { job: job(4) });
    assert_eq!(broken(&[3], preempted(&[5])), V::NotRunning { job: job(5) });
    assert_eq!(broken(&[0], preempted(&[1, 0])), V::PreemptedOrder { before: job(1), after: job(0) });
    assert_eq!(broken(&[0], preempted(&[0, 0])), V::PreemptedOrder { before: job(0), after: job(0) });
}

#[test]
fn departures_that_are_wrong() {
    let departure = |job: JobId, stated, expected| V::Departure { job, server: server(3), stated, expected };
    let missing = broken(&[3], |answer| {
        answer["departures"].as_array_mut().unwrap().remove(0);
    });
    assert_eq!(missing, departure(job(1), 0, 2));
    assert_eq!(broken(&[3], |answer| answer["departures"][0]["workers"] = 1.into()), departure(job(1), 1, 2));
    assert_eq!(broken(&[3], |answer| answer["departures"][1]["workers"] = 0.into()), departure(job(3), 0, 1));
    // Workers of a job that is preempted do not depart, nor do workers on a server that stays.
    let from = |job: u32, server: u32| json!({"job": job, "server": server, "workers": 1});
    let extra = broken(&[0], |answer| answer["departures"] = json!([from(0, 0)]));
    assert_eq!(extra, V::Departure { job: job(0), server: server(0), stated: 1, expected: 0 });
    let extra = broken(&[3], |answer| answer["departures"].as_array_mut().unwrap().insert(0, from(1, 2)));
    assert_eq!(extra, V::Departure { job: job(1), server: server(2), stated: 1, expected: 0 });
    let none = broken(&[3], |answer| {
        answer["departures"].as_array_mut().unwrap().push(from(4, 3));
        answer["departures"][2]["workers"] = 0.into();
    });
    assert_eq!(none, departure(job(4), 0, 0));
    let swapped = broken(&[3], |answer| answer["departures"].as_array_mut().unwrap().swap(0, 1));
    assert_eq!(swapped, V::DepartureOrder { job: job(1), server: server(3) });
}

#[test]
fn numbers_that_are_wrong() {
    let set = |field: &'static str, number: u64| move |answer: &mut Value| answer[field] = number.into();
    assert_eq!(broken(&[0], set("returned_gpus", 4)), V::ReturnedGpus { stated: 4, expected: 8 });
    assert_eq!(broken(&[0], set("collateral_gpus", 8)), V::CollateralGpus { stated: 8, expected: 4 });
    assert_eq!(broken(&[0, 1], set("collateral_gpus", 8)), V::CollateralGpus { stated: 8, expected: 0 });
    // Job 1 runs 60 s on its base instead of 20 s on three workers, at weight 2; job 3 3,600 s instead of 1,800 s.
    let expected = V::JctLost { stated: Seconds(1.0), expected: Seconds(1_880.0) };
    assert_eq!(broken(&[3], set("jct_lost_milliseconds", 1_000)), expected);
    let certificate = |sense: &'static str, objective: u64, bound: u64| {
        let value = json!({"sense": sense, "objective": objective, "bound": bound});
        move |answer: &mut Value| answer["certificate"] = value
    };
    assert_eq!(broken(&[0], certificate("maximize", 7, 7)), V::Sense);
    assert_eq!(broken(&[0], certificate("minimize", 8, 0)), V::Objective { stated: 8, expected: 7 });
    // Server 3 can be had for nothing, and server 2 costs job 3.
    assert_eq!(broken(&[0, 1], certificate("minimize", 7, 3)), V::BoundTooHigh { bound: 3, cost: 2 });
}

#[test]
fn a_needless_preemption_is_named() {
    let mut cluster = sample();
    let wide = outcome(&cluster, &[server(0)]).unwrap();
    assert_eq!(verify::reclaim(&cluster, 1, &read(&wide.answer())), Ok(()));
    // With server 8 idle, job 0 can be put back.
    cluster.add_server(Server::on_loan(GpuTypeId::new(0), 8)).unwrap();
    let violation = V::NotMinimal { job: job(0), can_leave: 1, asked: 1 };
    assert_eq!(verify::reclaim(&cluster, 1, &read(&wide.answer())), Err(violation.into()));
    // One idle server is not enough for two; but job 1 then loses only server 3, and keeps its minimum.
    let two = outcome(&cluster, &[server(0), server(1)]).unwrap();
    assert_eq!(verify::reclaim(&cluster, 2, &read(&two.answer())), Ok(()));
    let elastic = outcome(&cluster, &[server(2), server(3)]).unwrap();
    let violation = V::NotMinimal { job: job(1), can_leave: 2, asked: 2 };
    assert_eq!(elastic.preempted, [job(1), job(3)]);
    assert_eq!(verify::reclaim(&cluster, 2, &read(&elastic.answer())), Err(violation.into()));
}

#[test]
fn a_job_that_is_put_back_gives_up_the_servers_with_the_fewest_workers() {
    for largest in 0..3 {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..4 {
            cluster.add_server(Server::on_loan(v100, 8)).unwrap();
        }
        // Of four workers, two must stay: those together, so that the two other servers can leave with the idle one.
        let id = cluster.add_job(Job::elastic(2..=4)).unwrap();
        let mut gang = vec![Placement::base(server(largest), 2)];
        gang.extend(
            (0..3).filter(|&other| other != largest).map(|other| Placement::flexible(server(other), 1)),
        );
        cluster.place(id, &gang).unwrap();
        let all = outcome(&cluster, &[server(0), server(1), server(2)]).unwrap();
        let violation = V::NotMinimal { job: id, can_leave: 3, asked: 3 };
        assert_eq!(verify::reclaim(&cluster, 3, &read(&all.answer())), Err(violation.into()));
        let four = outcome(&cluster, &[server(0), server(1), server(2), server(3)]).unwrap();
        assert_eq!(verify::reclaim(&cluster, 4, &read(&four.answer())), Ok(()));
    }
}

/// What is said of the right answer for these servers, measured by this ask.
fn said(servers: &[u32], ask: Ask<'_>) -> Result<(), V> {
    let cluster = sample();
    let servers: Vec<ServerId> = servers.iter().map(|&index| server(index)).collect();
    let answer = outcome(&cluster, &servers).unwrap().answer();
    match verify::reclaim(&cluster, &ask, &read(&answer)) {
        Ok(()) => Ok(()),
        Err(Violation::Reclaim(violation)) => Err(violation),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn servers_that_are_not_what_was_asked() {
    let v100 = GpuTypeId::new(0);
    assert_eq!(said(&[3], Ask::gpus(8)), Ok(()));
    assert_eq!(said(&[3], Ask::gpus(1)), Ok(()));
    assert_eq!(said(&[3], Ask::gpus(9)), Err(V::TooFewGpus { gpus: 8, asked: 9 }));
    let needless = V::NeedlessServer { server: server(1), gpus: 8, asked: 8 };
    assert_eq!(said(&[1, 3], Ask::gpus(8)), Err(needless));
    // Server 1 must go, and server 3 is not needed beside it.
    let needless = V::NeedlessServer { server: server(3), gpus: 8, asked: 8 };
    assert_eq!(said(&[1, 3], Ask::gpus(8).must_return(&[server(1)])), Err(needless));
    assert_eq!(said(&[1, 3], Ask::gpus(8).must_return(&[server(1), server(3)])), Ok(()));
    assert_eq!(said(&[3], Ask::servers_of(v100, 1)), Ok(()));
    let number = V::CountOfType { gpu_type: v100, servers: 1, asked: 2 };
    assert_eq!(said(&[3], Ask::servers_of(v100, 2)), Err(number));
    let other = V::OtherGpuType { server: server(3), gpu_type: v100 };
    assert_eq!(said(&[3], Ask::gpus_of(GpuTypeId::new(1), 8)), Err(other));
    let both = [(v100, Quantity::Gpus(8)), (GpuTypeId::new(1), Quantity::Gpus(1))];
    assert_eq!(said(&[3], Ask::by_type(&both)), Err(V::TooFewGpus { gpus: 0, asked: 1 }));
    let must = Ask::servers(1).must_return(vec![server(0)]);
    assert_eq!(said(&[3], must), Err(V::MustReturn { server: server(0) }));
    let stay = Ask::servers(1).must_stay(vec![server(3)]);
    assert_eq!(said(&[3], stay), Err(V::MustStay { server: server(3) }));
    assert_eq!(said(&[0, 3], Ask::these(&[server(0), server(3)])), Ok(()));
    assert_eq!(said(&[0], Ask::these(&[server(0), server(3)])), Err(V::Count { servers: 1, asked: 2 }));
    assert_eq!(said(&[1], Ask::these(&[server(0)])), Err(V::MustReturn { server: server(0) }));
}

#[test]
fn costs_that_are_not_those_of_the_ask() {
    let table = |costs: [PreemptionCost; 4]| Ask::servers(1).costs(CostModel::Table(costs.to_vec().into()));
    let [one, seven, protected] =
        [PreemptionCost::Cost(1), PreemptionCost::Cost(7), PreemptionCost::Protected];
    assert_eq!(said(&[0], table([seven, one, one, one])), Ok(()));
    assert_eq!(said(&[0], table([one; 4])), Err(V::Objective { stated: 7, expected: 1 }));
    assert_eq!(
        said(&[0], Ask::servers(1).costs(CostModel::Jobs)),
        Err(V::Objective { stated: 7, expected: 1 })
    );
    let not_allowed = V::ProtectedJob { server: server(0), job: job(0) };
    assert_eq!(said(&[0], table([protected, one, one, one])), Err(not_allowed));
    let with_restart = Ask::servers(1).costs(Costs::STATED.restart(3));
    assert_eq!(said(&[0], with_restart), Err(V::Objective { stated: 7, expected: 10 }));
    let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(5.0));
    assert_eq!(said(&[0], Ask::servers(1).costs(lost)), Err(V::NoCost { job: job(0) }));
    assert_eq!(said(&[0], table([PreemptionCost::Cost(u64::MAX); 4])), Err(V::NoCost { job: job(1) }));
    let short = Ask::servers(1).costs(CostModel::Table(vec![one; 2].into()));
    assert_eq!(said(&[0], short), Err(V::NoCost { job: job(2) }));
}

#[test]
fn a_needless_preemption_is_named_for_every_ask() {
    let mut cluster = sample();
    let wide = read(&outcome(&cluster, &[server(0)]).unwrap().answer());
    cluster.add_server(Server::on_loan(GpuTypeId::new(0), 8)).unwrap();
    let idle = server(8);
    let needless = Err(V::NotMinimalForAsk { job: job(0) }.into());
    assert_eq!(verify::reclaim(&cluster, Ask::gpus(8), &wide), needless);
    assert_eq!(verify::reclaim(&cluster, Ask::servers_of(GpuTypeId::new(0), 1), &wide), needless);
    // It is needed where the idle server must stay, or where its own server must go.
    assert_eq!(verify::reclaim(&cluster, Ask::gpus(8).must_stay(&[idle]), &wide), Ok(()));
    assert_eq!(verify::reclaim(&cluster, Ask::servers(1).must_stay(&[idle]), &wide), Ok(()));
    assert_eq!(verify::reclaim(&cluster, Ask::servers(1).must_return(&[server(0)]), &wide), Ok(()));
    assert_eq!(verify::reclaim(&cluster, Ask::these(&[server(0)]), &wide), Ok(()));
}

/// A measured curve so slow at one size that a job would lose more time than is counted for any.
#[test]
fn time_lost_beyond_what_is_counted_is_the_most_that_is() {
    for slow in [1e-300, 1e-3] {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let home = cluster.add_server(Server::training(v100, 8)).unwrap();
        let lent = cluster.add_server(Server::on_loan(v100, 8)).unwrap();
        let table = MeasuredTable::new([(1, 10.0), (2, slow), (3, 20.0)]).unwrap();
        let job = Job::elastic(1..=3).remaining(Seconds(9e12)).scaling(ScalingCurve::Measured(table));
        let job = cluster.add_job(job).unwrap();
        let flexible = [home, lent].map(|server| Placement::flexible(server, 1));
        cluster.place(job, &[Placement::base(home, 1), flexible[0], flexible[1]]).unwrap();
        let answer = Reclaimer::default().solve(&cluster, 1).unwrap();
        assert_eq!(answer.jct_lost(), Seconds(((1_u64 << 53) - 1) as f64 / 1_000.0));
        assert_eq!(verify::reclaim(&cluster, 1, &answer), Ok(()));
    }
}

#[test]
fn a_job_that_could_spare_the_server_that_must_go_back_is_preempted_in_vain() {
    // Four servers of 8 GPUs. The job has two workers on server 0, one each on 1 and 2, and needs two; server 3 is idle.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..4 {
        cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    }
    let id = cluster.add_job(Job::elastic(2..=4)).unwrap();
    let placements =
        [Placement::base(server(1), 1), Placement::base(server(2), 1), Placement::flexible(server(0), 2)];
    cluster.place(id, &placements).unwrap();
    let answer = read(&outcome(&cluster, &[server(0), server(1)]).unwrap().answer());
    assert_eq!(answer.preempted(), [id]);
    let check = |ask: Ask<'static>| verify::reclaim(&cluster, ask.must_return(vec![server(0)]), &answer);
    let in_vain = V::NotMinimal { job: id, can_leave: 2, asked: 2 };
    assert_eq!(check(Ask::servers(2)), Err(in_vain.into()));
    assert_eq!(check(Ask::gpus(16)), Err(V::NotMinimalForAsk { job: id }.into()));
}

#[test]
fn a_job_that_has_run_for_just_the_minimum_is_not_protected() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    let id = cluster.add_job(Job::inelastic(1).started(Seconds(100.0))).unwrap();
    cluster.place(id, &[Placement::base(server(0), 1)]).unwrap();
    let answer = read(&outcome(&cluster, &[server(0)]).unwrap().answer());
    let check = |now| {
        let costs = Costs::STATED.min_running_time(Seconds(60.0)).now(Seconds(now));
        verify::reclaim(&cluster, Ask::servers(1).costs(costs), &answer)
    };
    assert_eq!(check(160.0), Ok(()));
    assert_eq!(check(159.0), Err(V::ProtectedJob { server: server(0), job: id }.into()));
}
