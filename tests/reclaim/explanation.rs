//! The explanation of an answer accounts for every worker that goes.

use aryl::reclaim::{Departure, Left, Reclaimer};
use oorandom::Rand32;

use crate::POLICIES;
use crate::brute_force::candidates;
use crate::instances::{Instance, Shape};

#[test]
fn every_worker_that_goes_is_accounted_for() {
    let mut random = Rand32::new(31);
    for _ in 0..1_000 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let asked = random.rand_range(0..candidates(&cluster).len() as u32 + 1);
        for policy in POLICIES {
            let answer = Reclaimer::new(policy).solve(&cluster, asked).unwrap();
            let why = answer.explain(&cluster);
            assert!(why.servers().map(|server| server.server).eq(answer.servers().iter().copied()));
            assert!(why.victims().map(|victim| victim.job).eq(answer.preempted().iter().copied()));
            let mut departures = Vec::new();
            let mut killed = 0;
            for server in why.servers() {
                assert_eq!(server.was_idle(), server.left().next().is_none());
                let here: u64 = server.left().map(|left| left.gpus).sum();
                let gpus = u64::from(cluster.server(server.server).unwrap().gpus);
                assert_eq!(here, gpus - u64::from(cluster.free_gpus(server.server)));
                for Left { job, workers, gpus, is_preempted } in server.left() {
                    if is_preempted {
                        killed += gpus;
                        let mut frees = why.victim(job).unwrap().frees();
                        assert!(frees.any(|freed| freed == server.server));
                    } else {
                        assert!(why.victim(job).is_none());
                        departures.push(Departure { job, server: server.server, workers });
                    }
                }
            }
            departures.sort();
            assert_eq!(departures, answer.departures());
            let of = |victim: aryl::reclaim::Victim<'_>| {
                assert!(victim.frees().next().is_some() && victim.frees().is_sorted_by(|a, b| a < b));
                assert!(victim.frees().all(|freed| why.server(freed).is_some()));
                let each = u64::from(cluster.job(victim.job).unwrap().gpus_per_worker);
                (victim.collateral_gpus(), cluster.workers(victim.job) * each)
            };
            let (collateral, all) = why.victims().map(of).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert_eq!((collateral, all), (answer.collateral_gpus(), killed + collateral));
            let lines = answer.servers().len() + answer.preempted().len();
            assert_eq!(why.to_string().lines().count(), lines);
        }
    }
}
