//! A warm reclaim allocates nothing, whatever is asked and whatever it costs.

use allocation_counter::measure;
use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::ServerId;
use aryl::reclaim::{Ask, CostModel, Costs, Policy, PreemptionCost, Quantity, Reclaim, Reclaimer, Workspace};
use aryl::units::Seconds;

/// Servers of two types and two sizes, with jobs that reach over some of them.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 2)).unwrap();
    let servers: Vec<ServerId> = (0..200)
        .map(|at| Server::on_loan(if at < 100 { v100 } else { t4 }, if at % 3 == 0 { 4 } else { 8 }))
        .map(|server| cluster.add_server(server).unwrap())
        .collect();
    for at in 0..100 {
        let job = Job::elastic(2..=3).started(Seconds(f64::from(at as u32)));
        let job = cluster.add_job(job).unwrap();
        let [a, b, c] = [at, (at + 7) % 100, (at + 13) % 100].map(|at| servers[at]);
        cluster
            .place(job, &[Placement::base(a, 1), Placement::base(b, 1), Placement::flexible(c, 1)])
            .unwrap();
    }
    for at in (100..200).step_by(2) {
        let job = cluster.add_job(Job::inelastic(1).fungible().started(Seconds(3.0))).unwrap();
        cluster.place(job, &[Placement::base(servers[at], 2)]).unwrap();
    }
    cluster
}

#[test]
fn a_warm_reclaim_allocates_nothing() {
    let cluster = cluster();
    let (v100, t4) = (aryl::id::GpuTypeId::new(0), aryl::id::GpuTypeId::new(1));
    let listed: Vec<ServerId> = (0..40).map(|at| ServerId::new(5 * at)).collect();
    let both = [(v100, Quantity::Gpus(100)), (t4, Quantity::Servers(60))];
    let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(500.0)).min_running_time(Seconds(403.0));
    let own = Costs::from_fn(&cluster, |id, _| PreemptionCost::Cost(u64::from(id.get() % 7)));
    let asks = [
        Ask::servers(90),
        Ask::gpus(700),
        Ask::by_type(&both),
        Ask::these(&listed),
        Ask::gpus(700).must_return(&listed[..20]).must_stay(&listed[20..]),
        Ask::servers(90).costs(lost),
        Ask::gpus_of(v100, 200).costs(own),
    ];
    for policy in [Policy::BestOfRules, Policy::Random { seed: 1 }] {
        let reclaimer = Reclaimer::new(policy);
        let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
        let cold = measure(|| reclaimer.solve_into(&cluster, 90, &mut workspace, &mut answer).unwrap());
        assert!(cold.count_total > 0, "the counter counts");
        // The answer of the best rule and the last one tried change places, so two rounds pass before both are warm.
        for _ in 0..2 {
            for ask in &asks {
                reclaimer.solve_into(&cluster, ask, &mut workspace, &mut answer).unwrap();
            }
        }
        for ask in &asks {
            let warm = measure(|| reclaimer.solve_into(&cluster, ask, &mut workspace, &mut answer).unwrap());
            assert_eq!(warm.count_total, 0, "{ask}, {policy:?}");
            assert!(!answer.servers().is_empty());
            let explained = measure(|| {
                let why = answer.explain(&cluster);
                let freed: usize = why.victims().map(|victim| victim.frees().count()).sum();
                let left: usize = why.servers().map(|server| server.left().count()).sum();
                assert!(freed <= left);
            });
            assert_eq!(explained.count_total, 0);
        }
    }
}

/// A cluster that came and went: jobs of every width, some elastic, some that pay for their surplus.
fn random_cluster(seed: u64, servers: u32) -> Cluster {
    let mut random = oorandom::Rand32::new(seed);
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let servers: Vec<ServerId> =
        (0..servers).map(|_| cluster.add_server(Server::on_loan(v100, 8)).unwrap()).collect();
    for _ in 0..servers.len() * 2 {
        let min = random.rand_range(1..6);
        let job =
            Job::elastic(min..=min + random.rand_range(0..3)).preemption_cost(random.rand_range(1..9).into());
        let id = cluster.add_job(job.clone()).unwrap();
        let gang: Vec<Placement> = (0..min)
            .map(|_| Placement::base(servers[random.rand_range(0..servers.len() as u32) as usize], 1))
            .collect();
        if cluster.place(id, &gang).is_ok() && job.is_elastic() {
            let _ = cluster.scale_out(id, servers[random.rand_range(0..servers.len() as u32) as usize], 1);
        }
    }
    cluster
}

/// Other clusters of the same size or smaller, by every policy, in memory that is warm from such clusters.
#[test]
pub(crate) fn warm_memory_holds_for_other_clusters() {
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    let policies = [
        Policy::Exact,
        Policy::Aryl,
        Policy::SmallestCountFirst,
        Policy::Random { seed: 3 },
        Policy::Amortized,
        Policy::BestOfRules,
    ];
    let solver = aryl::k_union::Solver::new().with_node_budget(20);
    let asks = [Ask::servers(5), Ask::servers(20), Ask::gpus(100)];
    for seed in (0..12).chain(0..4) {
        let cluster = random_cluster(seed, 60);
        for (policy, ask) in policies.iter().flat_map(|&policy| asks.iter().map(move |ask| (policy, ask))) {
            let reclaimer = Reclaimer::new(policy).solver(solver);
            reclaimer.solve_into(&cluster, ask, &mut workspace, &mut answer).unwrap();
        }
    }
    for seed in 100..108 {
        let cluster = random_cluster(seed, if seed < 102 { 60 } else { 60 - seed as u32 % 30 });
        for (policy, ask) in policies.iter().flat_map(|&policy| asks.iter().map(move |ask| (policy, ask))) {
            let reclaimer = Reclaimer::new(policy).solver(solver);
            let warm = measure(|| reclaimer.solve_into(&cluster, ask, &mut workspace, &mut answer).unwrap());
            assert_eq!(warm.count_total, 0, "seed {seed}, {ask}, {policy:?}");
            assert_eq!(answer, reclaimer.solve(&cluster, ask).unwrap());
        }
    }
}
