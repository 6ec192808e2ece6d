//! The exact policy against all choices, in the whole ordered objective.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::k_union::Solver;
use aryl::reclaim::{Ask, Policy, Quantity, Reclaim, Reclaimer, Workspace};
use aryl::verify;
use oorandom::Rand32;

use crate::brute_force::{Outcome, candidates, optimum};
use crate::instances::{Instance, Shape};

#[test]
fn it_is_the_best_in_every_objective() {
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for (shape, seed) in [(Shape::PLAIN, 31), (Shape::ELASTIC, 32), (Shape::ALL, 33)] {
        let mut random = Rand32::new(seed);
        for round in 0..700 {
            let cluster = Instance::random_up_to(shape, 12, &mut random).build();
            let available = candidates(&cluster).len() as u32;
            let asked = random.rand_range(0..available + 1);
            Reclaimer::default().solve_into(&cluster, asked, &mut workspace, &mut answer).unwrap();
            let best = optimum(&cluster, asked as usize).unwrap();
            assert_eq!(Outcome::of(&answer), best, "{shape:?}, round {round}: {asked} of {available}");
            assert!(answer.certificate().is_optimal());
            assert_eq!(verify::reclaim(&cluster, asked, &answer), Ok(()));
        }
    }
}

#[test]
fn without_branching_the_bound_holds() {
    let mut random = Rand32::new(34);
    let quick = Reclaimer::new(Policy::Exact).solver(Solver::new().with_node_budget(1));
    for round in 0..1_500 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let asked = random.rand_range(0..candidates(&cluster).len() as u32 + 1);
        let answer = quick.solve(&cluster, asked).unwrap();
        let best = optimum(&cluster, asked as usize).unwrap();
        assert!(answer.certificate().bound() <= best.cost, "round {round}");
        assert!(Outcome::of(&answer).order(&best).is_ge());
        assert_eq!(verify::reclaim(&cluster, asked, &answer), Ok(()));
    }
}

#[test]
fn where_each_job_runs_on_one_type_the_bounds_of_the_types_add_up() {
    // Of each type five pairs of servers with a job over each, and a server with a dear job: three servers of a type take two
    // jobs.
    let mut cluster = Cluster::new();
    let types = ["V100", "T4"].map(|name| cluster.add_gpu_type(GpuType::new(name)).unwrap());
    for gpu_type in types {
        for _ in 0..5 {
            let pair = [(); 2].map(|()| cluster.add_server(Server::on_loan(gpu_type, 8)).unwrap());
            let job = cluster.add_job(Job::inelastic(2).fungible()).unwrap();
            cluster.place(job, &pair.map(|server| Placement::base(server, 1))).unwrap();
        }
        let alone = cluster.add_server(Server::on_loan(gpu_type, 8)).unwrap();
        let dear = cluster.add_job(Job::inelastic(1).fungible().preemption_cost(5)).unwrap();
        cluster.place(dear, &[Placement::base(alone, 1)]).unwrap();
    }
    let ask = Ask::by_type(types.map(|gpu_type| (gpu_type, Quantity::Servers(3))).to_vec());
    let answer = Reclaimer::new(Policy::Exact).solve(&cluster, &ask).unwrap();
    assert_eq!((answer.certificate().objective(), answer.certificate().bound()), (4, 4));
}
