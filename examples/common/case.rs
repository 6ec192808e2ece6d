// What the pictures of the guide to reclaim cases are turned into, and what they cost.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::ServerId;
use aryl::reclaim::{Ask, Policy, Reclaimer};

/// Servers and jobs from a picture: a letter for each GPU that a job holds. Jobs named in `elastic` have that minimum; all
/// others need every worker.
pub(crate) fn drawn(picture: &[&str], elastic: &[(char, u32)]) -> Cluster {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let on_loan = |server: &&str| cluster.add_server(Server::on_loan(gpu, server.len() as u32)).unwrap();
    let servers: Vec<ServerId> = picture.iter().map(on_loan).collect();
    for job in 'a'..='z' {
        let on = |server: &&str| server.chars().filter(|&letter| letter == job).count() as u32;
        let workers: Vec<u32> = picture.iter().map(on).collect();
        let all = workers.iter().sum();
        if all == 0 {
            continue;
        }
        let min = elastic.iter().find(|(elastic, _)| *elastic == job).map_or(all, |&(_, min)| min);
        let id = cluster.add_job(Job::elastic(min..=all)).unwrap();
        // The first workers are the base.
        let (mut placements, mut base_left) = (Vec::new(), min);
        for (&server, &workers) in servers.iter().zip(&workers) {
            let base = workers.min(base_left);
            base_left -= base;
            let parts = [
                (base, Placement::base(server, base)),
                (workers - base, Placement::flexible(server, workers - base)),
            ];
            placements.extend(
                parts.into_iter().filter(|&(workers, _)| workers > 0).map(|(_, placement)| placement),
            );
        }
        cluster.place(id, &placements).unwrap();
    }
    cluster
}

/// What the policy pays.
pub(crate) fn cost(cluster: &Cluster, policy: Policy, servers: u32) -> u64 {
    let answer = Reclaimer::new(policy).solve(cluster, servers).unwrap();
    answer.certificate().objective()
}

/// The least that any choice costs, by trying them all.
pub(crate) fn least(cluster: &Cluster, servers: u32) -> u64 {
    let all: Vec<ServerId> = cluster.servers().map(|(id, _)| id).collect();
    let sets = (0_u32..1 << all.len()).filter(|set| set.count_ones() == servers);
    let costs = sets.map(|set| {
        let these: Vec<ServerId> = all.iter().copied().filter(|id| set >> id.index() & 1 == 1).collect();
        let answer = Reclaimer::default().solve(cluster, Ask::these(&these)).unwrap();
        answer.certificate().objective()
    });
    costs.min().unwrap()
}
