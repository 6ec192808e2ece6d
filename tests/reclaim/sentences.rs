//! Asks, answers and errors as sentences, and the small questions one can ask them.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{GpuTypeId, ServerId};
use aryl::k_union::Solver;
use aryl::reclaim::{Ask, CostCurve, Costs, Policy, Quantity, Reclaim, Reclaimer};

fn servers(ids: &[u32]) -> Vec<ServerId> {
    ids.iter().map(|&id| ServerId::new(id)).collect()
}

fn amounts(list: &[(u32, Quantity)]) -> Vec<(GpuTypeId, Quantity)> {
    list.iter().map(|&(gpu_type, quantity)| (GpuTypeId::new(gpu_type), quantity)).collect()
}

#[test]
fn an_ask_reads_as_the_object_of_a_sentence() {
    let by_type = |list: &[(u32, Quantity)]| Ask::by_type(amounts(list));
    for (ask, says) in [
        (Ask::servers(0), "0 servers"),
        (Ask::servers(1), "1 server"),
        (Ask::servers(2), "2 servers"),
        (Ask::gpus(1), "servers with 1 GPU"),
        (Ask::gpus(2), "servers with 2 GPUs"),
        (by_type(&[]), "nothing"),
        (by_type(&[(0, Quantity::Servers(1))]), "1 server of GPU type 0"),
        (
            by_type(&[(0, Quantity::Servers(1)), (2, Quantity::Gpus(8)), (1, Quantity::Servers(3))]),
            "1 server of GPU type 0, servers with 8 GPUs of GPU type 2 and 3 servers of GPU type 1",
        ),
        (Ask::these(servers(&[])), "nothing"),
        (Ask::these(servers(&[4])), "server 4"),
        (Ask::these(servers(&[4, 7])).must_stay(servers(&[5])), "server 4 and server 7, without server 5"),
        (
            Ask::servers(4).must_return(servers(&[1, 2, 3])).must_stay(servers(&[5, 6])),
            "4 servers, server 1, server 2 and server 3 among them, without server 5 and server 6",
        ),
    ] {
        assert_eq!(ask.to_string(), says);
    }
}

#[test]
fn an_ask_is_for_nothing_where_no_server_need_go() {
    for ask in [Ask::NOTHING, Ask::gpus(0), Ask::these(servers(&[])), Ask::by_type(amounts(&[]))] {
        assert!(ask.is_nothing() && ask.clone().must_stay(servers(&[1])).is_nothing(), "{ask}");
        assert!(!ask.clone().must_return(servers(&[1])).is_nothing(), "{ask}");
    }
    let by_type = |second| Ask::by_type(amounts(&[(0, Quantity::Gpus(0)), (1, second)]));
    assert!(by_type(Quantity::Servers(0)).is_nothing());
    for ask in [Ask::servers(1), Ask::gpus(1), by_type(Quantity::Servers(1)), by_type(Quantity::Gpus(1))] {
        assert!(!ask.is_nothing(), "{ask}");
    }
}

/// Two servers on loan of four GPUs, a job of two workers over both, and one of three GPUs on the second.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let [first, second] = [(); 2].map(|()| cluster.add_server(Server::on_loan(v100, 4)).unwrap());
    let wide = cluster.add_job(Job::inelastic(2)).unwrap();
    cluster.place(wide, &[Placement::base(first, 1), Placement::base(second, 1)]).unwrap();
    let narrow = cluster.add_job(Job::inelastic(1).gpus_per_worker(3).preemption_cost(5)).unwrap();
    cluster.place(narrow, &[Placement::base(second, 1)]).unwrap();
    cluster
}

#[test]
fn an_answer_says_what_goes() {
    assert_eq!(Reclaim::default().collateral_damage().to_bits(), 0_f64.to_bits());
    let nothing = Reclaim::default().to_string();
    assert!(nothing.starts_with("0 servers go back, 0 jobs preempted, 0 departures"), "{nothing}");
    let one = Reclaimer::default().solve(&cluster(), 1).unwrap();
    // One GPU of the job is on the server that stays, and four go back.
    assert_eq!(one.collateral_damage().to_bits(), 0.25_f64.to_bits());
    assert!(one.to_string().starts_with("1 server goes back, 1 job preempted, 0 departures"), "{one}");
    let why = one.explain(&cluster()).to_string();
    assert_eq!(
        why,
        "server 0 goes back: job 0 is preempted (1 worker, 1 GPU here)\n\
         job 0 is preempted: that frees server 0; 1 of its GPUs is on a server that stays"
    );
    let both = Reclaimer::default().solve(&cluster(), 2).unwrap();
    assert!(both.to_string().starts_with("2 servers go back, 2 jobs preempted, 0 departures"), "{both}");
    let why = both.explain(&cluster()).to_string();
    assert_eq!(
        why.lines().nth(1),
        Some(
            "server 1 goes back: job 0 is preempted (1 worker, 1 GPU here), job 1 is preempted (1 worker, 3 GPUs here)"
        )
    );
}

#[test]
fn one_worker_leaves_and_two_leave() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let home = cluster.add_server(Server::training(v100, 4)).unwrap();
    let [first, second] = [(); 2].map(|()| cluster.add_server(Server::on_loan(v100, 4)).unwrap());
    let job = cluster.add_job(Job::elastic(1..=4)).unwrap();
    let placements =
        [Placement::base(home, 1), Placement::flexible(first, 1), Placement::flexible(second, 2)];
    cluster.place(job, &placements).unwrap();
    let answer = Reclaimer::default().solve(&cluster, 2).unwrap();
    assert_eq!(
        answer.explain(&cluster).to_string(),
        "server 1 goes back: 1 worker of job 0 leaves\nserver 2 goes back: 2 workers of job 0 leave"
    );
}

#[test]
fn a_shortage_names_eight_jobs_and_counts_the_rest() {
    for (jobs, ends) in [
        (1, " 1 (job 0)"),
        (8, " 1 (job 0, job 1, job 2, job 3, job 4, job 5, job 6, job 7)"),
        (9, " 1 (job 0, job 1, job 2, job 3, job 4, job 5, job 6, job 7 and 1 more)"),
        (11, " 1 (job 0, job 1, job 2, job 3, job 4, job 5, job 6, job 7 and 3 more)"),
    ] {
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let server = cluster.add_server(Server::on_loan(v100, 16)).unwrap();
        for _ in 0..jobs {
            let job = cluster.add_job(Job::inelastic(1).protected()).unwrap();
            cluster.place(job, &[Placement::base(server, 1)]).unwrap();
        }
        let says = Reclaimer::default().solve(&cluster, 1).unwrap_err().to_string();
        assert!(says.ends_with(&format!("with workers of protected jobs:{ends}")), "{says}");
        assert!(!says.contains("told to stay"), "{says}");
    }
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let server = cluster.add_server(Server::on_loan(v100, 16)).unwrap();
    let says = Reclaimer::default().solve(&cluster, Ask::servers(1).must_stay(vec![server])).unwrap_err();
    let ends = "told to stay: 1, with workers of protected jobs: 0";
    assert!(says.to_string().ends_with(ends), "{says}");
}

#[test]
fn a_reclaimer_says_what_it_was_told() {
    for policy in crate::POLICIES {
        assert_eq!(Reclaimer::new(policy).policy(), policy);
    }
    let solver = Solver::new().with_node_budget(7);
    assert_ne!(Reclaimer::new(Policy::Exact).solver(solver), Reclaimer::new(Policy::Exact));
    assert_eq!(Reclaimer::new(Policy::Aryl).solver(solver).policy(), Policy::Aryl);
}

#[test]
fn the_curve_holds_every_server_that_can_go() {
    let curve = CostCurve::of(&cluster(), &Costs::STATED).unwrap();
    assert_eq!(curve.available(), 2);
    let costs: Vec<u64> = (0..=2).map(|count| curve.certificate(count).unwrap().objective()).collect();
    assert_eq!(costs, [0, 1, 6]);
    assert_eq!(curve.servers(1), Some(&servers(&[0])[..]));
    assert!(curve.servers(3).is_none() && curve.certificate(3).is_none());
    // Where none can go there is nothing to count, and that is no error.
    let none = CostCurve::of(&Cluster::new(), &Costs::STATED).unwrap();
    assert_eq!((none.available(), none.certificate(0).unwrap().objective()), (0, 0));
}
