//! Twenty faults that were reported against other schedulers, each reduced to a small cluster with its right answer.

use std::collections::BTreeMap;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{JobId, ServerId};
use aryl::reclaim::{Policy, Reclaim, Reclaimer};

use crate::POLICIES;
use crate::brute_force::{Outcome, candidates, optimum, outcome};

/// What the paper's greedy answers otherwise than it should. The exact solver must mend these.
const EXACT_MUST_MEND: &[&str] = &["elastic 2..4, k=2 exactly at min"];

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    servers: u32,
    k: u32,
    jobs: BTreeMap<String, CaseJob>,
    expect: Option<Expected>,
}

#[derive(serde::Deserialize)]
struct CaseJob {
    workers: BTreeMap<u32, u32>,
    gpus_per_worker: u32,
    min_workers: u32,
    protected: bool,
    cost: u64,
}

#[derive(serde::Deserialize)]
struct Expected {
    servers: Vec<u32>,
    preempted: Vec<String>,
    scaled_in: BTreeMap<String, BTreeMap<u32, u32>>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../data/reclaim_cases.json")).unwrap()
}

impl Case {
    /// The first workers of a job, in the order of servers, are its base.
    fn cluster(&self) -> Cluster {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..self.servers {
            cluster.add_server(Server::on_loan(gpu, 64)).unwrap();
        }
        for job in self.jobs.values() {
            let mut definition = Job::elastic(job.min_workers..=job.workers.values().sum())
                .gpus_per_worker(job.gpus_per_worker)
                .preemption_cost(job.cost);
            definition.protected = job.protected;
            let id = cluster.add_job(definition).unwrap();
            let mut base_missing = job.min_workers;
            let mut placements = Vec::new();
            for (&server, &workers) in &job.workers {
                let (server, base) = (ServerId::new(server - 1), workers.min(base_missing));
                base_missing -= base;
                if base > 0 {
                    placements.push(Placement::base(server, base));
                }
                if workers > base {
                    placements.push(Placement::flexible(server, workers - base));
                }
            }
            cluster.place(id, &placements).unwrap();
        }
        cluster
    }

    fn is_met_by(&self, answer: &Reclaim) -> bool {
        let Some(expected) = &self.expect else { return false };
        let id = |name: &String| JobId::new(self.jobs.keys().position(|other| other == name).unwrap() as u32);
        let leaving: Vec<(JobId, ServerId, u32)> = expected
            .scaled_in
            .iter()
            .flat_map(|(name, from)| from.iter().map(move |(&server, &workers)| (name, server, workers)))
            .map(|(name, server, workers)| (id(name), ServerId::new(server - 1), workers))
            .collect();
        let departures = answer.departures().iter().map(|left| (left.job, left.server, left.workers));
        answer.servers().iter().map(|server| server.get() + 1).eq(expected.servers.iter().copied())
            && answer.preempted().iter().copied().eq(expected.preempted.iter().map(id))
            && departures.eq(leaving)
    }
}

#[test]
fn the_greedy_answers_all_cases_but_those_listed() {
    let mut wrong = Vec::new();
    for case in cases() {
        match Reclaimer::new(Policy::Aryl).solve(&case.cluster(), case.k) {
            Ok(answer) if !case.is_met_by(&answer) => wrong.push(case.name),
            Ok(_) => {}
            Err(error) => assert!(case.expect.is_none(), "{}: {error}", case.name),
        }
    }
    assert_eq!(wrong, EXACT_MUST_MEND);
}

#[test]
fn brute_force_agrees_with_the_file() {
    for case in cases() {
        match optimum(&case.cluster(), case.k as usize) {
            Some(best) => {
                let expected = case.expect.as_ref().unwrap();
                let servers: Vec<u32> = best.servers.iter().map(|server| server.get() + 1).collect();
                assert_eq!(servers, expected.servers, "{}", case.name);
                assert_eq!(best.preempted.len(), expected.preempted.len(), "{}", case.name);
            }
            None => assert!(case.expect.is_none(), "{}", case.name),
        }
    }
}

#[test]
fn every_policy_keeps_the_rules_on_every_case() {
    for case in cases() {
        let cluster = case.cluster();
        for policy in POLICIES {
            match Reclaimer::new(policy).solve(&cluster, case.k) {
                Ok(answer) => {
                    assert_eq!(answer.servers().len(), case.k as usize, "{}", case.name);
                    assert_eq!(Outcome::of(&answer), outcome(&cluster, answer.servers()), "{}", case.name);
                }
                Err(_) => assert!(candidates(&cluster).len() < case.k as usize, "{}", case.name),
            }
        }
    }
}
