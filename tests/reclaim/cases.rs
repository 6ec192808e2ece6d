//! A corpus of small clusters, each with its right answer and the fault that it guards against: `cases.json`.
//!
//! A cluster is drawn, one text for each server and one letter for each GPU: the job that holds it, or `.` where it is
//! free. So the number of GPUs is the length of the text. Jobs have ids in alphabetical order, servers in the order of
//! the list. A job needs all of its workers, has one GPU each and is on GPU type 0 (speed 1 : 1; type 1 has 1 : 3), unless
//! the case says otherwise. Its first workers, in the order of servers, are its base.
//!
//! The answers were found by trying all choices, in another language; brute force here must agree.

use std::collections::{BTreeMap, BTreeSet};

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Ask, Policy, Quantity, Reclaim, ReclaimError, Reclaimer};
use aryl::units::Seconds;
use aryl::verify;
use serde::Deserialize;

use crate::POLICIES;
use crate::asks::{Wish, restated};
use crate::brute_force::outcome;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    guards_against: String,
    servers: Vec<String>,
    #[serde(default)]
    gpu_type_of: Vec<u32>,
    #[serde(default)]
    pools: BTreeMap<u32, Pool>,
    #[serde(default)]
    protected_servers: Vec<u32>,
    #[serde(default)]
    jobs: BTreeMap<char, CaseJob>,
    ask: Ask<'static>,
    /// One of these two.
    answer: Option<Answer>,
    too_few: Option<TooFew>,
    /// The rules of thumb whose answer is not right in every part, though it keeps the rules.
    #[serde(default)]
    missed_by: Vec<Policy>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CaseJob {
    /// Its minimum, in reference workers; all that it holds unless it is said.
    min: Option<u32>,
    gpus_per_worker: Option<u32>,
    cost: Option<u64>,
    protected: bool,
    /// The servers where its base workers can't be lost.
    pinned: Vec<u32>,
    /// Whether it may mix GPU types in one run.
    mixes: bool,
    remaining: Option<f64>,
    weight: Option<f64>,
    priority: u32,
    preemptions: u32,
    started: Option<f64>,
    checkpointed: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    servers: Vec<ServerId>,
    preempted: String,
    #[serde(default)]
    leave: BTreeMap<char, BTreeMap<u32, u32>>,
    cost: u64,
    jct_lost_milliseconds: u64,
    collateral_gpus: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TooFew {
    available: Quantity,
    blocking: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("cases.json")).unwrap()
}

impl Case {
    fn letters(&self) -> BTreeSet<char> {
        self.servers.iter().flat_map(|server| server.chars()).filter(|&letter| letter != '.').collect()
    }

    fn job(&self, letter: char) -> JobId {
        JobId::new(self.letters().iter().position(|&other| other == letter).unwrap() as u32)
    }

    fn cluster(&self) -> Cluster {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
        let type_of = |at: usize| self.gpu_type_of.get(at).copied().unwrap_or(0);
        for (at, drawn) in self.servers.iter().enumerate() {
            let pool = self.pools.get(&(at as u32)).copied().unwrap_or(Pool::OnLoan);
            let mut server = Server::on_loan(GpuTypeId::new(type_of(at)), drawn.len() as u32);
            server.pool = pool;
            server.protected = self.protected_servers.contains(&(at as u32));
            cluster.add_server(server).unwrap();
        }
        for letter in self.letters() {
            let case = self.jobs.get(&letter).cloned().unwrap_or_default();
            let gpus = case.gpus_per_worker.unwrap_or(1);
            let on = |drawn: &String| drawn.chars().filter(|&it| it == letter).count() as u32 / gpus;
            let workers: Vec<u32> = self.servers.iter().map(on).collect();
            let mut of_type = [0; 2];
            workers.iter().enumerate().for_each(|(at, workers)| of_type[type_of(at) as usize] += workers);
            let all = of_type[0] + of_type[1] / 3;
            let min = case.min.unwrap_or(all);
            // A rest that makes up no whole reference worker is held too.
            let most = of_type[0] + of_type[1].div_ceil(3);
            let mut job = Job::elastic(min..=most).gpus_per_worker(gpus).fungible();
            job.preemption_cost = case.cost.unwrap_or(1);
            job.protected = case.protected;
            job.mixing_efficiency = case.mixes.then_some(Job::MIXING_EFFICIENCY);
            job.remaining = case.remaining.map_or(job.remaining, Seconds);
            job.weight = case.weight.unwrap_or(1.0);
            (job.priority, job.preemptions) = (case.priority, case.preemptions);
            (job.started, job.checkpointed) = (case.started.map(Seconds), case.checkpointed.map(Seconds));
            let id = cluster.add_job(job).unwrap();

            let (mut placements, mut base) = (Vec::new(), [0; 2]);
            for (at, &workers) in workers.iter().enumerate() {
                let (mut based, gpu_type) = (0, type_of(at) as usize);
                while based < workers && base[0] + base[1] / 3 < min {
                    based += 1;
                    base[gpu_type] += 1;
                }
                let server = ServerId::new(at as u32);
                if based > 0 {
                    let base = Placement::base(server, based);
                    placements.push(if case.pinned.contains(&(at as u32)) { base.pinned() } else { base });
                }
                if workers > based {
                    placements.push(Placement::flexible(server, workers - based));
                }
            }
            cluster.place(id, &placements).unwrap();
        }
        cluster
    }

    /// Whether an outcome is the right one in every part.
    fn is_met_by(&self, outcome: &Result<Reclaim, ReclaimError>) -> bool {
        let ids = |letters: &str| letters.chars().map(|letter| self.job(letter)).collect::<Vec<JobId>>();
        match (&self.answer, &self.too_few, outcome) {
            (Some(right), None, Ok(answer)) => {
                let departures = right.leave.iter().flat_map(|(&letter, from)| {
                    let job = self.job(letter);
                    from.iter().map(move |(&server, &workers)| (job, ServerId::new(server), workers))
                });
                let found = answer.departures().iter().map(|left| (left.job, left.server, left.workers));
                answer.servers() == right.servers
                    && answer.preempted() == ids(&right.preempted)
                    && found.eq(departures)
                    && answer.certificate().objective() == right.cost
                    && answer.jct_lost().milliseconds() == Some(right.jct_lost_milliseconds)
                    && answer.collateral_gpus() == right.collateral_gpus
            }
            (None, Some(right), Err(ReclaimError::NotEnoughServers { available, shortage, .. })) => {
                Quantity::Servers(*available) == right.available && shortage.blocking == ids(&right.blocking)
            }
            (None, Some(right), Err(ReclaimError::NotEnoughGpus { available, shortage, .. })) => {
                Quantity::Gpus(*available) == right.available && shortage.blocking == ids(&right.blocking)
            }
            _ => false,
        }
    }
}

#[test]
fn there_are_more_than_fifty_cases_each_with_its_own_name_and_reason() {
    let cases = cases();
    let names: BTreeSet<&String> = cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.len() > 50, "{}", cases.len());
    assert!(cases.iter().all(|case| case.guards_against.len() > 10));
}

#[test]
fn all_choices_tried_here_say_the_same() {
    for case in cases() {
        let (wish, costs) = Wish::read(&case.ask);
        let cluster = restated(&case.cluster(), &costs);
        let outcomes = wish.choices(&cluster).into_iter().map(|servers| outcome(&cluster, &servers));
        let best = outcomes.min_by(|a, b| a.order(b));
        let (right, name) = (case.answer.as_ref(), &case.name);
        assert_eq!(best.is_some(), right.is_some(), "{name}");
        let Some((best, right)) = best.zip(right) else { continue };
        assert_eq!(best.servers, right.servers, "{name}");
        let numbers = (best.cost, best.jct_lost, best.collateral);
        assert_eq!(numbers, (right.cost, right.jct_lost_milliseconds, right.collateral_gpus), "{name}");
    }
}

#[test]
fn every_policy_keeps_the_rules_on_every_case_and_bounds_the_right_cost() {
    for case in cases() {
        let cluster = case.cluster();
        for policy in POLICIES {
            for reclaimer in [Reclaimer::new(policy), Reclaimer::new(policy).put_back(false)] {
                let outcome = reclaimer.solve(&cluster, &case.ask);
                match (&case.answer, &outcome) {
                    (Some(right), Ok(answer)) => {
                        let (name, certificate) = (&case.name, answer.certificate());
                        assert!(certificate.objective() >= right.cost, "{name}, {policy:?}: {answer}");
                        assert!(certificate.bound() <= right.cost, "{name}, {policy:?}: {answer}");
                        if reclaimer == Reclaimer::new(policy) {
                            assert_eq!(
                                verify::reclaim(&cluster, &case.ask, answer),
                                Ok(()),
                                "{name}, {policy:?}"
                            );
                        }
                    }
                    (None, Err(_)) => assert!(case.is_met_by(&outcome), "{}: {outcome:?}", case.name),
                    _ => panic!("{}, {policy:?}: {outcome:?}", case.name),
                }
            }
        }
    }
}

/// Each rule misses the cases that are said to be missed by it, and no others. A policy that claims to be exact is missing
/// from those lists, so it must answer every case right in every part.
#[test]
fn every_policy_answers_right_but_where_it_is_known_to_miss() {
    for case in cases() {
        let cluster = case.cluster();
        for policy in POLICIES.into_iter().filter(|policy| !matches!(policy, Policy::Random { .. })) {
            let outcome = Reclaimer::new(policy).solve(&cluster, &case.ask);
            let misses = case.missed_by.contains(&policy);
            assert_eq!(case.is_met_by(&outcome), !misses, "{}, {policy:?}: {outcome:?}", case.name);
        }
    }
}
