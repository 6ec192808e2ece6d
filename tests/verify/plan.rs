//! `verify::plan` on plans made at random, step by step, on a copy of the cluster, and on plans made wrong.

use alloc::collections::{BTreeMap, BTreeSet};

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Role, Server};
use aryl::epoch::Cause::{Reallocated, ServerReturns};
use aryl::epoch::{Action, Cause, Plan, Request};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;
use aryl::verify::{self, ClusterViolation, PlanViolation as V, ReclaimViolation, Violation};
use oorandom::Rand32;
use serde_json::{Value, json};

use crate::oracle::{Kind, Outcome, job, outcome, outcomes, random_cluster, read, server, time};

fn read_plan(plan: &Value) -> Plan {
    serde_json::from_value(plan.clone()).unwrap()
}

/// The totals of a plan, by the methods of the cluster.
fn totals(before: &Cluster, after: &Cluster) -> Value {
    let mut totals = json!({});
    for (side, cluster) in [("before", before), ("after", after)] {
        let running: Vec<JobId> =
            cluster.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id)).collect();
        let usable = || cluster.servers().filter(|(_, server)| server.pool != Pool::Inference);
        let gpus: u64 = usable().map(|(_, server)| u64::from(server.gpus)).sum();
        let free: u64 = usable().map(|(id, _)| u64::from(cluster.free_gpus(id))).sum();
        let gain = |&id: &JobId| cluster.job(id).unwrap().remaining.0 - time(cluster, id);
        totals[format!("waiting_{side}")] = (cluster.jobs().count() - running.len()).into();
        totals[format!("running_{side}")] = running.len().into();
        totals[format!("gpus_{side}")] = gpus.into();
        totals[format!("busy_{side}")] = (gpus - free).into();
        // Added up from the last to the first, so that the order of the sum is another.
        totals[format!("jct_reduction_{side}")] = running.iter().rev().map(gain).sum::<f64>().into();
    }
    totals
}

/// A plan of these steps, with the steps that keep jobs added, and right totals.
fn plan_of(cluster: &Cluster, reclaim: &Outcome, steps: &[Action]) -> Value {
    let mut actions = steps.to_vec();
    let touched: BTreeSet<JobId> = steps.iter().filter_map(job_of).collect();
    let kept = cluster.jobs().map(|(id, _)| id).filter(|id| cluster.is_running(*id) && !touched.contains(id));
    actions.extend(kept.map(|job| Action::Keep { job }));
    let mut plan = json!({
        "actions": actions,
        "reclaim": reclaim.answer(),
        "allocations": [],
        "totals": totals(cluster, cluster),
    });
    let mut after = cluster.clone();
    after.apply(&read_plan(&plan)).unwrap();
    plan["totals"] = totals(cluster, &after);
    plan["allocations"] = allocations(&after);
    plan
}

/// The certificates of the allocation of a cluster, as if each were proven optimal and nothing had been charged.
fn allocations(cluster: &Cluster) -> Value {
    let mut list = Vec::new();
    for (gpu_type, _) in cluster.gpu_types() {
        let here = |server: ServerId| cluster.server(server).unwrap().gpu_type == gpu_type;
        let (mut capacity, mut jobs, mut objective) = (0, 0, 0.0);
        for (_, server) in cluster.servers().filter(|(id, s)| here(*id) && s.pool != Pool::Inference) {
            capacity += server.gpus;
        }
        for (id, job) in cluster.jobs() {
            let base = || cluster.placements(id).iter().filter(|p| p.role == Role::Base && here(p.server));
            capacity -= base().map(|p| p.workers * job.gpus_per_worker).sum::<u32>();
            if base().count() > 0 && job.is_elastic() && !job.is_heterogeneous() {
                let speed = cluster.speed(gpu_type).unwrap();
                let workers = |n: u64| job.running_time(speed.reference_workers(n) as u32).0;
                let base: u32 = base().map(|p| p.workers).sum();
                let sooner = workers(base.into()) - workers(cluster.workers(id));
                objective += (sooner * job.weight * 1_000.0).round();
                jobs += 1;
            }
        }
        if jobs > 0 {
            list.push(json!({
                "gpu_type": gpu_type,
                "capacity": capacity,
                "jobs": jobs,
                "certificate": {"sense": "maximize", "objective": objective as u64, "bound": objective as u64},
            }));
        }
    }
    json!(list)
}

fn job_of(action: &Action) -> Option<JobId> {
    match *action {
        Action::Preempt { job }
        | Action::ScaleIn { job, .. }
        | Action::Start { job, .. }
        | Action::ScaleOut { job, .. }
        | Action::Keep { job } => Some(job),
        _ => None,
    }
}

/// A right plan made at random: a reclaim of `asked` servers, then whatever the cluster allows.
fn random_plan(cluster: &Cluster, seed: u64, asked: u32) -> Option<(Value, u32)> {
    let mut random = Rand32::new(seed);
    let mut below = |limit: u32| random.rand_range(0..limit.max(1));
    let choices = outcomes(cluster, asked);
    let fitting = choices.into_iter().filter(|o| verify::reclaim(cluster, asked, &read(&o.answer())).is_ok());
    let fitting: Vec<Outcome> = fitting.collect();
    let reclaim = fitting.get(below(fitting.len() as u32) as usize)?;
    let returning = |server: ServerId| reclaim.servers.contains(&server);

    let mut steps: Vec<Action> = reclaim.preempted.iter().map(|&job| Action::Preempt { job }).collect();
    let mut after = cluster.clone();
    reclaim.preempted.iter().for_each(|&job| after.stop(job).unwrap());

    let mut leaving: BTreeMap<(JobId, ServerId), u32> =
        reclaim.departures.iter().map(|&(job, server, workers)| ((job, server), workers as u32)).collect();
    for (id, _) in cluster.jobs().filter(|(id, _)| after.is_running(*id)) {
        for placement in cluster.placements(id).iter().filter(|p| !returning(p.server)) {
            let mut more = leaving.clone();
            *more.entry((id, placement.server)).or_default() += 1;
            let mut trial = after.clone();
            let allowed =
                |(&(job, server), &n): (&(JobId, ServerId), &u32)| trial.scale_in(job, server, n).is_ok();
            if below(3) == 0 && more.iter().all(allowed) {
                leaving = more;
            }
        }
    }
    for (&(job, server), &workers) in &leaving {
        after.scale_in(job, server, workers).unwrap();
        let cause = if returning(server) { ServerReturns } else { Reallocated };
        steps.push(Action::ScaleIn { job, server, workers, cause });
    }
    for &server in &reclaim.servers {
        after.set_pool(server, Pool::Inference).unwrap();
        steps.push(Action::Return { server });
    }
    let mut lent = 0;
    for (id, definition) in cluster.servers() {
        if definition.pool == Pool::Inference && !definition.protected && below(2) == 0 {
            after.set_pool(id, Pool::OnLoan).unwrap();
            steps.push(Action::Lend { server: id });
            lent += 1;
        }
    }
    let servers = cluster.servers().count() as u32;
    for (id, _) in cluster.jobs().filter(|(id, _)| !cluster.is_running(*id) || reclaim.preempted.contains(id))
    {
        let mut gang = BTreeMap::new();
        for _ in 0..12 {
            let mut longer = gang.clone();
            *longer.entry(server(below(servers))).or_insert(0) += 1;
            let placements: Vec<Placement> =
                longer.iter().map(|(&host, &n)| Placement::base(host, n)).collect();
            match after.place(id, &placements) {
                Ok(()) => {
                    steps.extend(longer.iter().map(|(&server, &workers)| Action::Start {
                        job: id,
                        server,
                        workers,
                    }));
                    break;
                }
                Err(aryl::cluster::PlaceError::BelowMinimum { .. }) => gang = longer,
                Err(_) => {}
            }
        }
    }
    for (id, _) in cluster.jobs() {
        for host in (0..servers).map(server) {
            let workers = 1 + below(2);
            if below(2) == 0
                && !leaving.contains_key(&(id, host))
                && after.scale_out(id, host, workers).is_ok()
            {
                steps.push(Action::ScaleOut { job: id, server: host, workers });
            }
        }
    }
    let plan = plan_of(cluster, reclaim, &steps);
    let mut applied = cluster.clone();
    applied.apply(&read_plan(&plan)).unwrap();
    assert_eq!(applied, after);
    Some((plan, lent))
}

const KINDS: [Kind; 3] = [Kind::OneType, Kind::Mixed, Kind::Inelastic];

#[test]
fn right_plans_pass_and_a_step_changed_is_found() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut plans, mut changes) = (0, 0);
    for seed in 0..1_300 {
        let cluster = random_cluster(30_000 + seed, KINDS[seed as usize % 3]);
        let asked = (seed / 3 % 3) as u32;
        let Some((right, lent)) = random_plan(&cluster, seed, asked) else { continue };
        plans += 1;
        let check =
            |plan: &Value| verify::plan(&cluster, Request::reclaim(asked).and_lend(lent), &read_plan(plan));
        assert_eq!(check(&right), Ok(()), "seed {seed}: {right:#}");
        let actions = right["actions"].as_array().unwrap();
        let mut refused = |wrong: Value| {
            assert!(check(&wrong).is_err(), "seed {seed}: {wrong:#}");
            changes += 1;
        };
        for (at, action) in actions.iter().enumerate() {
            let kind = ["preempt", "scale_in", "return", "lend", "start", "scale_out", "keep"]
                .into_iter()
                .find(|kind| !action[kind].is_null())
                .unwrap();
            *seen.entry(kind).or_default() += 1;
            let mut wrong = right.clone();
            wrong["actions"].as_array_mut().unwrap().remove(at);
            refused(wrong);
            let mut wrong = right.clone();
            wrong["actions"].as_array_mut().unwrap().insert(at, action.clone());
            refused(wrong);
            if at > 0 {
                let mut wrong = right.clone();
                wrong["actions"].as_array_mut().unwrap().swap(at - 1, at);
                refused(wrong);
            }
            if let Some(workers) = action[kind]["workers"].as_u64() {
                for other in [workers - 1, workers + 1] {
                    let mut wrong = right.clone();
                    wrong["actions"][at][kind]["workers"] = other.into();
                    refused(wrong);
                }
            }
        }
        for (field, value) in right["totals"].as_object().unwrap() {
            let mut wrong = right.clone();
            wrong["totals"][field] = match value.as_u64() {
                Some(count) => (count + 1).into(),
                None => (value.as_f64().unwrap() + 0.01).into(),
            };
            refused(wrong);
        }
        assert!(
            verify::plan(&cluster, Request::reclaim(asked + 1).and_lend(lent), &read_plan(&right)).is_err()
        );
        assert!(
            verify::plan(&cluster, Request::reclaim(asked).and_lend(lent + 1), &read_plan(&right)).is_err()
        );
    }
    assert!(plans >= 1_000 && changes > 30_000, "{plans} {changes}");
    assert!(seen.len() == 7 && seen.values().all(|&count| count > 200), "{seen:?}");
}

const V100: GpuTypeId = GpuTypeId::new(0);

/// Servers of 8 V100: 0 training, 1 and 2 on loan, 3 inference, 4 inference and protected, 5 on loan; 6 is a T4 server
/// in the training pool.
///
/// Job 0: base 1 on server 0, flexible 2 on server 1, min 1, max 5. Job 1: 2 workers of 4 GPUs on server 2. Job 2: base 1
/// on server 0, pinned; flexible 1 on server 5. Job 3 waits, 2 workers of 3 GPUs. Job 4 runs on server 0.
fn sample() -> Cluster {
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::training(V100, 8)).unwrap();
    cluster.add_server(Server::on_loan(V100, 8)).unwrap();
    cluster.add_server(Server::on_loan(V100, 8)).unwrap();
    cluster.add_server(Server::inference(V100, 8)).unwrap();
    cluster.add_server(Server::inference(V100, 8).protected()).unwrap();
    cluster.add_server(Server::on_loan(V100, 8)).unwrap();
    cluster.add_server(Server::training(t4, 8)).unwrap();
    let jobs = [
        Job::elastic(1..=5).remaining(Seconds(60.0)),
        Job::inelastic(2).gpus_per_worker(4).preemption_cost(3),
        Job::elastic(1..=2),
        Job::inelastic(2).gpus_per_worker(3),
        Job::inelastic(1),
    ];
    jobs.into_iter().for_each(|job| assert!(cluster.add_job(job).is_ok()));
    cluster.place(job(0), &[Placement::base(server(0), 1), Placement::flexible(server(1), 2)]).unwrap();
    cluster.place(job(1), &[Placement::base(server(2), 2)]).unwrap();
    cluster
        .place(job(2), &[Placement::base(server(0), 1).pinned(), Placement::flexible(server(5), 1)])
        .unwrap();
    cluster.place(job(4), &[Placement::base(server(0), 1)]).unwrap();
    cluster
}

const fn preempt(index: u32) -> Action {
    Action::Preempt { job: job(index) }
}

const fn leave(job: u32, server: u32, workers: u32, cause: Cause) -> Action {
    Action::ScaleIn { job: JobId::new(job), server: ServerId::new(server), workers, cause }
}

const fn give_back(index: u32) -> Action {
    Action::Return { server: server(index) }
}

const fn lend(index: u32) -> Action {
    Action::Lend { server: server(index) }
}

const fn start(job: u32, server: u32, workers: u32) -> Action {
    Action::Start { job: JobId::new(job), server: ServerId::new(server), workers }
}

const fn grow(job: u32, server: u32, workers: u32) -> Action {
    Action::ScaleOut { job: JobId::new(job), server: ServerId::new(server), workers }
}

const fn keep(index: u32) -> Action {
    Action::Keep { job: job(index) }
}

/// Servers 1 and 2 return, 3 is lent; job 1 is preempted; job 0 leaves server 1, job 2 leaves server 5; job 3 starts on
/// servers 0 and 5; job 0 grows on 3; job 4 is kept.
const STEPS: [Action; 10] = [
    preempt(1),
    leave(0, 1, 2, ServerReturns),
    leave(2, 5, 1, Reallocated),
    give_back(1),
    give_back(2),
    lend(3),
    start(3, 0, 1),
    start(3, 5, 1),
    grow(0, 3, 4),
    keep(4),
];

/// What is said of the plan of `STEPS` after a change.
fn said(change: impl FnOnce(&mut Value)) -> Result<(), Violation> {
    let cluster = sample();
    let reclaim = outcome(&cluster, &[server(1), server(2)]).unwrap();
    let mut plan = plan_of(&cluster, &reclaim, &STEPS[..9]);
    assert_eq!(read_plan(&plan).actions(), STEPS);
    assert_eq!(verify::plan(&cluster, Request::reclaim(2).and_lend(1), &read_plan(&plan)), Ok(()));
    change(&mut plan);
    verify::plan(&cluster, Request::reclaim(2).and_lend(1), &read_plan(&plan))
}

fn broken(change: impl FnOnce(&mut Value)) -> Violation {
    said(change).unwrap_err()
}

/// What is said of it after a change to its steps.
fn with_steps(change: impl FnOnce(&mut Vec<Action>)) -> V {
    let mut steps = STEPS.to_vec();
    change(&mut steps);
    match broken(|plan| plan["actions"] = json!(steps)) {
        Violation::Plan(violation) => violation,
        other => panic!("{other}"),
    }
}

#[test]
fn a_plan_whose_reclaim_is_wrong() {
    let wrong = broken(|plan| plan["reclaim"]["returned_gpus"] = 15.into());
    let expected = ReclaimViolation::ReturnedGpus { stated: 15, expected: 16 };
    assert_eq!(wrong, Violation::Reclaim(expected));
}

#[test]
fn steps_out_of_order() {
    let order = |step: usize, before, after| V::Order { step, before, after };
    assert_eq!(with_steps(|s| s.swap(0, 1)), order(1, STEPS[1], STEPS[0]));
    assert_eq!(with_steps(|s| s.swap(1, 2)), order(2, STEPS[2], STEPS[1]));
    assert_eq!(with_steps(|s| s.swap(3, 4)), order(4, STEPS[4], STEPS[3]));
    assert_eq!(with_steps(|s| s.swap(6, 7)), order(7, STEPS[7], STEPS[6]));
    assert_eq!(with_steps(|s| s.insert(9, STEPS[9])), order(10, STEPS[9], STEPS[9]));
    // Each kind stands before the next.
    for at in 1..STEPS.len() {
        assert!(matches!(with_steps(|s| s.swap(at - 1, at)), V::Order { .. }));
    }
}

#[test]
fn a_plan_that_does_not_carry_out_its_reclaim() {
    let preempted = |job, plan, reclaim| V::Preempted { job, plan, reclaim };
    assert_eq!(with_steps(|s| _ = s.remove(0)), preempted(job(1), 0, 1));
    assert_eq!(with_steps(|s| s.insert(1, preempt(4))), preempted(job(4), 1, 0));
    let returned = |server, plan, reclaim| V::Returned { server, plan, reclaim };
    assert_eq!(with_steps(|s| _ = s.remove(3)), returned(server(1), 0, 1));
    assert_eq!(with_steps(|s| s.insert(5, give_back(5))), returned(server(5), 1, 0));
    let departure = |plan| V::Departure { job: job(0), server: server(1), plan, reclaim: 2 };
    assert_eq!(with_steps(|s| _ = s.remove(1)), departure(0));
    assert_eq!(with_steps(|s| s[1] = leave(0, 1, 1, ServerReturns)), departure(1));
    assert_eq!(
        with_steps(|s| s[1] = leave(0, 1, 2, Reallocated)),
        V::WrongCause {
            step: 1,
            job: job(0),
            server: server(1),
            cause: Reallocated,
            expected: ServerReturns
        }
    );
    assert_eq!(
        with_steps(|s| s[2] = leave(2, 5, 1, ServerReturns)),
        V::WrongCause {
            step: 2,
            job: job(2),
            server: server(5),
            cause: ServerReturns,
            expected: Reallocated
        }
    );
}

#[test]
fn servers_lent_wrongly() {
    assert_eq!(with_steps(|s| _ = s.remove(5)), V::LentCount { lent: 0, offered: 1 });
    assert_eq!(with_steps(|s| s[5] = lend(4)), V::LentProtected { step: 5, server: server(4) });
    assert_eq!(with_steps(|s| s[5] = lend(2)), V::LentAgain { step: 5, server: server(2) });
    assert_eq!(with_steps(|s| s[5] = lend(7)), V::UnknownServer { step: 5, server: server(7) });
    let wrong_pool = |server, pool| V::WrongPool { step: 5, server, pool, expected: Pool::Inference };
    assert_eq!(with_steps(|s| s[5] = lend(0)), wrong_pool(server(0), Pool::Training));
    assert_eq!(with_steps(|s| s[5] = lend(5)), wrong_pool(server(5), Pool::OnLoan));
}

#[test]
fn jobs_with_the_wrong_steps() {
    let touched = |step, index| V::KeptAndTouched { step, job: job(index) };
    assert_eq!(with_steps(|s| s.insert(9, keep(0))), touched(9, 0));
    assert_eq!(with_steps(|s| s.insert(9, keep(1))), touched(9, 1));
    assert_eq!(with_steps(|s| s.insert(9, keep(3))), touched(9, 3));
    assert_eq!(with_steps(|s| _ = s.remove(9)), V::NotKept { job: job(4) });
    assert_eq!(with_steps(|s| s[9] = keep(9)), V::NotKept { job: job(4) });
    assert_eq!(with_steps(|s| s.push(keep(9))), V::NotRunning { step: 10, job: job(9) });
    assert_eq!(with_steps(|s| s.insert(9, grow(2, 5, 1))), V::Pointless { job: job(2), server: server(5) });
}

#[test]
fn steps_that_can_not_be_carried_out() {
    let unknown = V::UnknownJob { step: 8, job: job(7) };
    assert_eq!(with_steps(|s| s.insert(8, start(7, 3, 1))), unknown);
    assert_eq!(with_steps(|s| s[7] = start(3, 9, 1)), V::UnknownServer { step: 7, server: server(9) });
    assert_eq!(with_steps(|s| s[8] = grow(0, 9, 1)), V::UnknownServer { step: 8, server: server(9) });
    assert_eq!(
        with_steps(|s| s.splice(8.., [start(4, 3, 1)]).for_each(drop)),
        V::AlreadyRunning { step: 8, job: job(4) }
    );
    assert_eq!(with_steps(|s| s.insert(9, grow(1, 3, 1))), V::NotRunning { step: 9, job: job(1) });
    assert_eq!(
        with_steps(|s| s.insert(3, leave(3, 5, 1, Reallocated))),
        V::NotRunning { step: 3, job: job(3) }
    );
    assert_eq!(
        with_steps(|s| s.insert(3, leave(9, 5, 1, Reallocated))),
        V::UnknownJob { step: 3, job: job(9) }
    );
    let none = |step, index, at| V::NoWorkers { step, job: job(index), server: server(at) };
    assert_eq!(with_steps(|s| s[2] = leave(2, 5, 0, Reallocated)), none(2, 2, 5));
    assert_eq!(with_steps(|s| s[7] = start(3, 5, 0)), none(7, 3, 5));
    assert_eq!(with_steps(|s| s[8] = grow(0, 3, 0)), none(8, 0, 3));
    let too_few = V::TooFew { step: 2, job: job(2), server: server(5), workers: 2, held: 1 };
    assert_eq!(with_steps(|s| s[2] = leave(2, 5, 2, Reallocated)), too_few);
    let pinned = V::Pinned { step: 2, job: job(2), server: server(0) };
    assert_eq!(with_steps(|s| s[2] = leave(2, 0, 1, Reallocated)), pinned);
    let whole = V::NotRunning { step: 3, job: job(4) };
    assert_eq!(with_steps(|s| (_ = s.pop(), s.insert(3, leave(4, 0, 1, Reallocated))).1), whole);
}

#[test]
fn steps_that_break_a_rule_of_the_cluster() {
    let rule = |change: fn(&mut Vec<Action>)| match with_steps(change) {
        V::Rule { step, rule } => (step, rule),
        other => panic!("{other}"),
    };
    use ClusterViolation as C;
    // 2 workers of 3 GPUs beside 3 workers of 1 GPU.
    let full = C::OverFull { server: server(0), held: 9, gpus: 8 };
    assert_eq!(rule(|s| s.splice(6..8, [start(3, 0, 2)]).for_each(drop)), (6, full));
    let full = C::OverFull { server: server(3), held: 9, gpus: 8 };
    assert_eq!(rule(|s| s[8] = grow(0, 3, 9)), (8, full));
    let full = C::OverFull { server: server(3), held: u64::from(u32::MAX), gpus: 8 };
    assert_eq!(rule(|s| s[8] = grow(0, 3, u32::MAX)), (8, full));
    // Server 2 serves inference again, server 4 did so all the time.
    let inference = |at| C::NotForTraining { server: server(at), pool: Pool::Inference, job: job(0) };
    assert_eq!(rule(|s| s[8] = grow(0, 2, 1)), (8, inference(2)));
    assert_eq!(rule(|s| s[8] = grow(0, 4, 1)), (8, inference(4)));
    let below = |workers| C::BaseBelowMinimum { job: job(3), workers, min: 2 };
    assert_eq!(rule(|s| _ = s.remove(7)), (6, below(1)));
    let above = C::BaseAboveMinimum { job: job(3), workers: 3, min: 2 };
    assert_eq!(rule(|s| s[7] = start(3, 5, 2)), (7, above));
    let above = C::AboveMaximum { job: job(0), workers: 6, max: 5 };
    assert_eq!(rule(|s| s[8] = grow(0, 3, 5)), (8, above));
    let other_type = C::GpuTypeNotAllowed { job: job(0), server: server(6), gpu_type: GpuTypeId::new(1) };
    assert_eq!(rule(|s| s.insert(9, grow(0, 6, 1))), (9, other_type));
}

#[test]
fn a_job_may_not_fall_below_its_minimum_between_steps() {
    let mut cluster = sample();
    cluster.scale_out(job(0), server(5), 1).unwrap();
    // Down by two, of which the second takes the base: the plan would be whole again only after it grows.
    let steps = [
        leave(0, 0, 1, Reallocated),
        leave(0, 1, 2, Reallocated),
        leave(0, 5, 1, Reallocated),
        grow(0, 2, 1),
    ];
    let mut plan = plan_of(&cluster, &outcome(&cluster, &[]).unwrap(), &[]);
    let keeps = [1, 2, 4].map(keep);
    plan["actions"] = json!(steps.iter().chain(&keeps).collect::<Vec<_>>());
    let gone = V::NotRunning { step: 2, job: job(0) };
    assert_eq!(verify::plan(&cluster, Request::NONE, &read_plan(&plan)), Err(gone.into()));
}

#[test]
fn totals_that_are_wrong() {
    let count = |what, expected| Violation::Plan(V::Count { what, stated: 77, expected });
    for (field, what, expected) in [
        ("waiting_before", "waiting jobs before", 1),
        ("waiting_after", "waiting jobs after", 1),
        ("running_before", "running jobs before", 4),
        ("running_after", "running jobs after", 4),
        ("gpus_before", "GPUs before", 40),
        ("gpus_after", "GPUs after", 32),
        ("busy_before", "busy GPUs before", 14),
        ("busy_after", "busy GPUs after", 13),
    ] {
        assert_eq!(broken(|plan| plan["totals"][field] = 77.into()), count(what, expected));
    }
    // Job 0: 60 s less 20 s on 3 workers, then less 12 s on 5. Job 2: 3,600 s less 1,800 s, then nothing.
    for (field, what, expected) in [
        ("jct_reduction_before", "reduction in job completion time before", 1_840.0),
        ("jct_reduction_after", "reduction in job completion time after", 48.0),
    ] {
        let time = |stated: f64| V::Time { what, stated: Seconds(stated), expected: Seconds(expected) };
        for stated in [0.0, -expected, expected + 1e-4] {
            let wrong = broken(|plan| plan["totals"][field] = stated.into());
            assert_eq!(wrong, time(stated).into());
        }
        // A rounding error of a long sum is none.
        assert_eq!(said(|plan| plan["totals"][field] = (expected + 1e-8).into()), Ok(()));
    }
}

#[test]
fn certificates_of_the_allocation_that_are_wrong() {
    // After the plan, servers 0, 3 and 5 have 24 V100, of which base workers hold 9; jobs 0 and 2 are elastic, and job 0
    // ends 48 s sooner for its four flexible workers.
    let right = |gpu_type: u32, capacity: u64, jobs: u32, objective: u64| {
        json!({
            "gpu_type": gpu_type,
            "capacity": capacity,
            "jobs": jobs,
            "certificate": {"sense": "maximize", "objective": objective, "bound": objective + 7},
        })
    };
    let list = |list: Value| said(|plan| plan["allocations"] = list);
    let wrong = |wrong: Value| list(wrong).unwrap_err();
    let v100 = || right(0, 15, 2, 48_000);
    assert_eq!(list(json!([v100()])), Ok(()));
    let order = V::AllocationOrder { before: GpuTypeId::new(1), after: V100 };
    assert_eq!(wrong(json!([right(1, 8, 0, 0), v100()])), order.into());
    let order = V::AllocationOrder { before: V100, after: V100 };
    assert_eq!(wrong(json!([v100(), v100()])), order.into());
    let unknown = V::AllocationType { gpu_type: GpuTypeId::new(2) };
    assert_eq!(wrong(json!([v100(), right(2, 0, 0, 0)])), unknown.into());
    let mut minimized = json!([v100()]);
    minimized[0]["certificate"] = json!({"sense": "minimize", "objective": 48_000, "bound": 0});
    assert_eq!(wrong(minimized), V::AllocationSense { gpu_type: V100 }.into());
    let capacity = V::AllocationCapacity { gpu_type: V100, capacity: 16, expected: 15 };
    assert_eq!(wrong(json!([right(0, 16, 2, 48_000)])), capacity.into());
    let jobs = V::AllocationJobs { gpu_type: V100, jobs: 3, expected: 2 };
    assert_eq!(wrong(json!([right(0, 15, 3, 48_000)])), jobs.into());
    let none = V::AllocationJobs { gpu_type: GpuTypeId::new(1), jobs: 0, expected: 0 };
    assert_eq!(wrong(json!([v100(), right(1, 8, 0, 0)])), none.into());
    let missing = V::AllocationJobs { gpu_type: V100, jobs: 0, expected: 2 };
    assert_eq!(wrong(json!([])), missing.into());
    for objective in [47_990, 48_010] {
        let found = wrong(json!([right(0, 15, 2, objective)]));
        let Violation::Plan(V::AllocationObjective { gpu_type: V100, objective: said, .. }) = found else {
            panic!("{found}");
        };
        assert_eq!(said, objective);
    }
}
