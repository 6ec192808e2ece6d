//! What can't be had.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::reclaim::{Ask, Reclaim, ReclaimError, Reclaimer, Shortage, Workspace};
use oorandom::Rand32;

use crate::POLICIES;
use crate::brute_force::candidates;
use crate::instances::{Instance, Shape};

#[test]
fn the_error_counts_what_can_be_had_and_names_what_blocks() {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let training = cluster.add_server(Server::training(gpu, 8)).unwrap();
    cluster.add_server(Server::inference(gpu, 8)).unwrap();
    let guarded = cluster.add_server(Server::on_loan(gpu, 8).protected()).unwrap();
    let blocked = cluster.add_server(Server::on_loan(gpu, 8)).unwrap();
    cluster.add_server(Server::on_loan(gpu, 8)).unwrap();
    let add = |cluster: &mut Cluster, server, protected: bool| {
        let job = if protected { Job::inelastic(2).protected() } else { Job::inelastic(2) };
        let id = cluster.add_job(job).unwrap();
        cluster.place(id, &[Placement::base(server, 2)]).unwrap();
        id
    };
    add(&mut cluster, training, true);
    add(&mut cluster, guarded, true);
    add(&mut cluster, blocked, false);
    let first = add(&mut cluster, blocked, true);
    let second = add(&mut cluster, blocked, true);
    let mut waiting = Job::inelastic(1);
    waiting.protected = true;
    cluster.add_job(waiting).unwrap();

    for policy in POLICIES {
        let error = Reclaimer::new(policy).solve(&cluster, 2).unwrap_err();
        let ReclaimError::NotEnoughServers { asked: 2, available: 1, gpu_type: None, shortage } = &error
        else {
            panic!("{error}")
        };
        let Shortage { on_loan, protected_servers, told_to_stay, blocked_servers, .. } = *shortage;
        assert_eq!((on_loan, protected_servers, told_to_stay, blocked_servers), (3, 1, 0, 1));
        assert_eq!(shortage.blocking, [first, second]);
        assert_eq!(
            error.to_string(),
            "2 servers are to go back, and 1 can; of 3 on loan, protected: 1, with workers of \
             protected jobs: 1 (job 3, job 4)"
        );
        assert_eq!(Reclaimer::new(policy).solve(&cluster, 1).unwrap().servers().len(), 1);
    }
}

#[test]
fn one_is_asked_for_and_two_are() {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let says = |ask: Ask| {
        let error = Reclaimer::default().solve(&cluster, ask).unwrap_err().to_string();
        error.split_once(';').unwrap().0.to_string()
    };
    assert_eq!(says(Ask::servers(1)), "1 server is to go back, and 0 can");
    assert_eq!(says(Ask::servers(2)), "2 servers are to go back, and 0 can");
    assert_eq!(says(Ask::servers_of(gpu, 1)), "1 server of GPU type 0 is to go back, and 0 can");
    assert_eq!(says(Ask::gpus(1)), "1 GPU is to go back, and 0 can");
    assert_eq!(says(Ask::gpus_of(gpu, 9)), "9 GPUs of GPU type 0 are to go back, and 0 can");
}

#[test]
fn one_more_than_can_be_had_is_refused_and_empties_the_answer() {
    let mut random = Rand32::new(11);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    for _ in 0..1_000 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let available = candidates(&cluster).len() as u32;
        let reclaimer = Reclaimer::default();
        reclaimer.solve_into(&cluster, available, &mut workspace, &mut answer).unwrap();
        assert_eq!(answer.servers(), candidates(&cluster));
        for asked in [available + 1, u32::MAX] {
            let error = reclaimer.solve_into(&cluster, asked, &mut workspace, &mut answer).unwrap_err();
            assert!(matches!(error, ReclaimError::NotEnoughServers { available: a, .. } if a == available));
            assert_eq!(answer, Reclaim::default());
            assert_eq!(workspace.steps(), 0);
        }
    }
}

#[test]
fn no_server_asked_for_is_an_empty_answer() {
    for policy in POLICIES {
        assert_eq!(Reclaimer::new(policy).solve(&Cluster::new(), 0).unwrap(), Reclaim::default());
    }
}
