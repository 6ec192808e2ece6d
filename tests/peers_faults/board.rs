//! Clusters that are drawn, and what must come out of them.

use std::collections::BTreeMap;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Departure, Reclaim, ReclaimError, Reclaimer};
use aryl::verify;

use crate::brute_force::{Outcome, optimum};

/// The type of all servers: the reference.
pub(crate) const V100: GpuTypeId = GpuTypeId::new(0);

/// A cluster of servers drawn one text each: a letter for each GPU that a job holds, a dot for a free one, and `#` in
/// front where the server belongs to training for good. Jobs have ids in the order of their letters.
pub(crate) struct Board {
    pub(crate) cluster: Cluster,
    letters: Vec<char>,
}

impl Board {
    /// Every job needs all the workers that it has, of a GPU each.
    pub(crate) fn inelastic(drawn: &[&str]) -> Self {
        Self::new(drawn, |_, workers| Job::inelastic(workers))
    }

    /// With jobs made from their letter and the GPUs that they hold. The first workers are the base, by servers.
    pub(crate) fn new(drawn: &[&str], job: impl Fn(char, u32) -> Job) -> Self {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let mut held: BTreeMap<char, Vec<(ServerId, u32)>> = BTreeMap::new();
        for text in drawn {
            let gpus = text.trim_start_matches('#');
            let make = if text.starts_with('#') { Server::training } else { Server::on_loan };
            let id = cluster.add_server(make(V100, gpus.len() as u32)).unwrap();
            for letter in gpus.chars().filter(|&letter| letter != '.') {
                match held.entry(letter).or_default() {
                    on if on.last().is_some_and(|&(last, _)| last == id) => on.last_mut().unwrap().1 += 1,
                    on => on.push((id, 1)),
                }
            }
        }
        for (&letter, on) in &held {
            let job = job(letter, on.iter().map(|&(_, gpus)| gpus).sum());
            let (each, mut base) = (job.gpus_per_worker, job.min_workers);
            let id = cluster.add_job(job).unwrap();
            let mut placements = Vec::new();
            for &(server, gpus) in on {
                assert_eq!(gpus % each, 0, "{letter} holds part of a worker");
                let (workers, here) = (gpus / each, base.min(gpus / each));
                base -= here;
                placements.extend((here > 0).then(|| Placement::base(server, here)));
                placements.extend((workers > here).then(|| Placement::flexible(server, workers - here)));
            }
            cluster.place(id, &placements).unwrap();
        }
        Self { cluster, letters: held.into_keys().collect() }
    }

    pub(crate) fn job(&self, letter: char) -> JobId {
        JobId::new(self.letters.iter().position(|&other| other == letter).unwrap() as u32)
    }

    pub(crate) fn jobs(&self, letters: &str) -> Vec<JobId> {
        letters.chars().map(|letter| self.job(letter)).collect()
    }

    /// The answer of the exact policy, found right by the verifier and by trying all choices.
    pub(crate) fn reclaim(&self, asked: u32) -> Reclaim {
        let answer = Reclaimer::default().solve(&self.cluster, asked).unwrap();
        assert_eq!(verify::reclaim(&self.cluster, asked, &answer), Ok(()));
        assert_eq!(Some(Outcome::of(&answer)), optimum(&self.cluster, asked as usize));
        assert!(answer.certificate().is_optimal());
        answer
    }

    /// Asserts what goes back, who is preempted, and which workers leave the others.
    pub(crate) fn expect(&self, asked: u32, servers: &[u32], preempted: &str, leave: &[(char, u32, u32)]) {
        let answer = self.reclaim(asked);
        let departure = |&(letter, server, workers): &(char, u32, u32)| Departure {
            job: self.job(letter),
            server: ServerId::new(server),
            workers,
        };
        assert_eq!(answer.servers(), ids(servers));
        assert_eq!(answer.preempted(), self.jobs(preempted));
        assert_eq!(answer.departures(), leave.iter().map(departure).collect::<Vec<_>>());
    }

    /// Asserts that so many can't be had: how many can, and the protected jobs that are in the way.
    pub(crate) fn expect_too_few(&self, asked: u32, possible: u32, in_the_way: &str) {
        assert_eq!(optimum(&self.cluster, asked as usize), None);
        match Reclaimer::default().solve(&self.cluster, asked) {
            Err(ReclaimError::NotEnoughServers { asked: told, available, shortage, .. }) => {
                assert_eq!((told, available), (asked, possible));
                assert_eq!(shortage.blocking, self.jobs(in_the_way));
            }
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn ids(servers: &[u32]) -> Vec<ServerId> {
    servers.iter().map(|&server| ServerId::new(server)).collect()
}
