//! One epoch, end to end.

mod support;

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::epoch::{Action, Cause, Epoch, EpochError, Plan, Request, Workspace};
use aryl::id::{JobId, ServerId};
use aryl::knapsack::Solver;
use aryl::reclaim::{Policy, Reclaimer};
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;
use support::{Shape, random_cluster};

const SHAPES: [Shape; 3] = [Shape::PLAIN, Shape { types: true, overheads: true, ..Shape::PLAIN }, Shape::ALL];

/// Random clusters with a random request that can be met.
fn cases(seed: u64, count: usize) -> impl Iterator<Item = (Cluster, Request<'static>, Plan)> {
    let mut random = Rand32::new(seed);
    let mut case = 0;
    core::iter::from_fn(move || {
        loop {
            case += 1;
            let cluster = random_cluster(&mut random, SHAPES[case % SHAPES.len()]);
            let request = Request::reclaim(random.rand_range(0..3)).and_lend(random.rand_range(0..2));
            if let Ok(plan) = Epoch::default().plan(&cluster, &request) {
                return Some((cluster, request, plan));
            }
        }
    })
    .take(count)
}

#[test]
fn plan_apply_plan_again_is_empty() {
    let mut changes = 0;
    for (mut cluster, request, plan) in cases(7, 3_000) {
        changes += usize::from(!plan.is_empty());
        let before = cluster.clone();
        cluster.apply(&plan).unwrap_or_else(|error| panic!("{error}\n{request:?}\n{plan}\n{before:#?}"));
        let again = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        assert!(again.is_empty(), "first\n{plan}\nthen\n{again}\n{before:#?}");
    }
    assert!(changes > 2_000, "only {changes} plans change anything");
}

#[test]
fn every_plan_passes_the_verifier() {
    for (mut cluster, request, plan) in cases(6, 3_000) {
        verify::cluster(&cluster).unwrap();
        let verdict = verify::plan(&cluster, &request, &plan);
        verdict.unwrap_or_else(|violation| panic!("{violation}\n{request:?}\n{plan}\n{cluster:#?}"));
        cluster.apply(&plan).unwrap();
        verify::cluster(&cluster).unwrap();
    }
}

#[test]
fn the_numbers_of_a_plan_are_those_of_the_cluster_after_it() {
    for (mut cluster, _, plan) in cases(8, 1_000) {
        cluster.apply(&plan).unwrap();
        let totals = plan.totals();
        let running = cluster.jobs().filter(|(job, _)| cluster.is_running(*job)).count();
        assert_eq!(totals.running_after as usize, running);
        assert_eq!(totals.waiting_after as usize, cluster.jobs().count() - running);
        let usable = || cluster.servers().filter(|(_, server)| server.pool.is_for_training());
        assert_eq!(totals.gpus_after, usable().map(|(_, s)| u64::from(s.gpus)).sum::<u64>());
        let busy = |(id, server): (ServerId, &Server)| u64::from(server.gpus - cluster.free_gpus(id));
        assert_eq!(totals.busy_after, usable().map(busy).sum::<u64>());
        for allocation in plan.allocations() {
            assert!(allocation.certificate.bound() >= allocation.certificate.objective());
        }
    }
}

/// The same cluster with its jobs added in another order; the new id of each old one.
fn permuted(cluster: &Cluster, random: &mut Rand32) -> (Cluster, Vec<JobId>) {
    let mut other = Cluster::new();
    for (_, gpu_type) in cluster.gpu_types() {
        other.add_gpu_type(gpu_type.clone()).unwrap();
    }
    for (_, server) in cluster.servers() {
        other.add_server(*server).unwrap();
    }
    let mut order: Vec<(u32, JobId)> = cluster.jobs().map(|(job, _)| (random.rand_u32(), job)).collect();
    order.sort_unstable();
    let mut new_ids = vec![JobId::new(0); order.len()];
    for &(_, old) in &order {
        let new = other.add_job(cluster.job(old).unwrap().clone()).unwrap();
        new_ids[old.index()] = new;
        if cluster.is_running(old) {
            let mut placements: Vec<Placement> = cluster.placements(old).to_vec();
            placements.reverse();
            other.place(new, &placements).unwrap();
        }
    }
    (other, new_ids)
}

fn renamed(action: Action, ids: &[JobId]) -> Action {
    let new = |job: JobId| ids[job.index()];
    match action {
        Action::Preempt { job } => Action::Preempt { job: new(job) },
        Action::ScaleIn { job, server, workers, cause } => {
            Action::ScaleIn { job: new(job), server, workers, cause }
        }
        Action::Start { job, server, workers } => Action::Start { job: new(job), server, workers },
        Action::ScaleOut { job, server, workers } => Action::ScaleOut { job: new(job), server, workers },
        Action::Keep { job } => Action::Keep { job: new(job) },
        other => other,
    }
}

#[test]
fn the_order_of_the_input_changes_no_plan_but_for_ids() {
    let mut random = Rand32::new(99);
    for (cluster, request, plan) in cases(9, 1_500) {
        let (other, ids) = permuted(&cluster, &mut random);
        let other_plan = Epoch::default().plan(&other, &request).unwrap();
        let key = |action: &Action| action.to_string();
        let mut expected: Vec<Action> = plan.actions().iter().map(|&a| renamed(a, &ids)).collect();
        let mut found = other_plan.actions().to_vec();
        expected.sort_by_key(key);
        found.sort_by_key(key);
        assert_eq!(found, expected, "{request:?}\n{cluster:#?}");
    }
}

#[test]
fn workers_leave_in_the_order_of_submission() {
    // Two jobs of little worth give a GPU each, on different servers, to two jobs that gain more. Of two servers with as
    // much room the one that changed last is chosen first, so it matters which of the two shrinks first.
    let plan = |swapped: bool| {
        let (mut cluster, servers) = cluster(&[(false, 2), (false, 2), (false, 2)]);
        let short = |submitted| {
            Job::elastic(1..=2).remaining(Seconds(10.0 + submitted)).submitted(Seconds(submitted))
        };
        let long =
            |submitted| Job::elastic(1..=2).remaining(Seconds(9e3 + submitted)).submitted(Seconds(submitted));
        let mut jobs = [0, 1].map(|at| (short(f64::from(at)), servers[at as usize]));
        if swapped {
            jobs.swap(0, 1);
        }
        for (job, server) in jobs {
            let job = cluster.add_job(job).unwrap();
            cluster.place(job, &[Placement::base(server, 1), Placement::flexible(server, 1)]).unwrap();
        }
        let grown = [2.0, 3.0].map(|submitted| cluster.add_job(long(submitted)).unwrap());
        for job in grown {
            cluster.place(job, &[Placement::base(servers[2], 1)]).unwrap();
        }
        let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        cluster.apply(&plan).unwrap();
        grown.map(|job| cluster.placements(job).to_vec())
    };
    let places = plan(false);
    assert!(places.iter().all(|placements| placements.len() == 2));
    assert_eq!(places, plan(true));
}

#[test]
fn a_used_workspace_changes_nothing() {
    let (mut workspace, mut plan) = (Workspace::default(), Plan::default());
    for (cluster, request, fresh) in cases(10, 500) {
        Epoch::default().plan_into(&cluster, &request, &mut workspace, &mut plan).unwrap();
        assert_eq!(plan, fresh);
    }
}

/// One V100 type; servers given as (on loan, GPUs).
fn cluster(servers: &[(bool, u32)]) -> (Cluster, Vec<ServerId>) {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let server = |&(lent, gpus): &(bool, u32)| {
        if lent { Server::on_loan(v100, gpus) } else { Server::training(v100, gpus) }
    };
    let ids = servers.iter().map(|s| cluster.add_server(server(s)).unwrap()).collect();
    (cluster, ids)
}

#[test]
fn an_empty_cluster_has_an_empty_plan() {
    let plan = Epoch::default().plan(&Cluster::new(), Request::NONE).unwrap();
    assert!(plan.is_empty());
    assert_eq!(plan, Plan::default());
    assert!(Epoch::default().plan(&Cluster::new(), Request::reclaim(1)).is_err());
}

#[test]
fn a_preempted_job_starts_again_where_it_fits() {
    let (mut cluster, servers) = cluster(&[(false, 8), (true, 8)]);
    let job = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    cluster.place(job, &[Placement::base(servers[1], 1)]).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::reclaim(1)).unwrap();
    let (home, lent) = (servers[0], servers[1]);
    assert_eq!(
        plan.actions(),
        [
            Action::Preempt { job },
            Action::Return { server: lent },
            Action::Start { job, server: home, workers: 1 }
        ]
    );
}

#[test]
fn a_gang_displaces_flexible_workers_and_never_base_workers() {
    let (mut cluster, servers) = cluster(&[(false, 4)]);
    let home = servers[0];
    let elastic = cluster.add_job(Job::elastic(1..=4)).unwrap();
    cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(home, 3)]).unwrap();
    let gang = cluster.add_job(Job::inelastic(3)).unwrap();
    let too_large = cluster.add_job(Job::inelastic(4)).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(
        plan.actions(),
        [
            Action::ScaleIn { job: elastic, server: home, workers: 3, cause: Cause::Reallocated },
            Action::Start { job: gang, server: home, workers: 3 }
        ]
    );
    cluster.apply(&plan).unwrap();
    assert!(!cluster.is_running(too_large));
}

#[test]
fn a_resize_is_made_only_for_a_strict_gain() {
    let (mut cluster, servers) = cluster(&[(false, 4)]);
    let home = servers[0];
    let running = Job::elastic(1..=3).remaining(Seconds(100.0)).resize_overhead(Seconds(30.0));
    let a = cluster.add_job(running.clone()).unwrap();
    cluster.place(a, &[Placement::base(home, 1), Placement::flexible(home, 1)]).unwrap();
    // A second flexible worker would save 100/2 − 100/3 = 16.7 s, less than the 30 s that the change costs.
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
    // Without the overhead it is worth it.
    cluster.update_job(a, running.resize_overhead(Seconds::ZERO)).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(plan.actions(), [Action::ScaleOut { job: a, server: home, workers: 1 }]);
}

#[test]
fn servers_are_lent_and_used_in_the_same_epoch_but_never_those_that_came_back() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let protected = cluster.add_server(Server::inference(v100, 8).protected()).unwrap();
    let inference = cluster.add_server(Server::inference(v100, 8)).unwrap();
    let lent = cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    let job = cluster.add_job(Job::inelastic(8)).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::reclaim(1).and_lend(1)).unwrap();
    assert_eq!(
        plan.actions(),
        [
            Action::Return { server: lent },
            Action::Lend { server: inference },
            Action::Start { job, server: inference, workers: 8 }
        ]
    );
    assert_eq!(
        Epoch::default().plan(&cluster, Request::reclaim(1).and_lend(2)),
        Err(EpochError::NotEnoughToLend { asked: 2, available: 1 })
    );
    cluster.apply(&plan).unwrap();
    assert_eq!(cluster.server(protected).unwrap().pool, Pool::Inference);
}

#[test]
fn room_for_eight_is_not_four_and_four() {
    let (mut cluster, servers) = cluster(&[(false, 8), (false, 8)]);
    for &server in &servers {
        let half = cluster.add_job(Job::inelastic(4)).unwrap();
        cluster.place(half, &[Placement::base(server, 4)]).unwrap();
    }
    let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    // It is passed over, and what it can't use is offered to the longer job behind it.
    let behind = cluster.add_job(Job::inelastic(8).remaining(Seconds(9_999.0))).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert!(!cluster.is_running(wide) && cluster.is_running(behind));
}

#[test]
fn what_one_job_cannot_place_is_offered_to_another_in_the_same_epoch() {
    // 3 + 3 GPUs are free. The job with workers of 4 is worth more for 4 of 6 GPUs, but finds no server.
    let (mut cluster, servers) = cluster(&[(false, 8), (false, 8)]);
    let large = cluster.add_job(Job::elastic(1..=2).gpus_per_worker(4).remaining(Seconds(1e6))).unwrap();
    let small = cluster.add_job(Job::elastic(1..=9).remaining(Seconds(100.0))).unwrap();
    let full = cluster.add_job(Job::inelastic(1).gpus_per_worker(5)).unwrap();
    cluster.place(large, &[Placement::base(servers[0], 1)]).unwrap();
    cluster.place(small, &[Placement::base(servers[0], 1)]).unwrap();
    cluster.place(full, &[Placement::base(servers[1], 1)]).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert_eq!((cluster.workers(large), cluster.workers(small)), (1, 7));
    let certificate = plan.allocations()[0].certificate;
    assert!(!certificate.is_optimal());
}

#[test]
fn all_sums_hold_at_the_largest_times_and_weights() {
    let (mut cluster, _) = cluster(&[(false, 8), (true, 8)]);
    for _ in 0..6 {
        let job = Job::elastic(1..=4).remaining(Seconds(9e12)).heterogeneous_at(1e-12);
        cluster.add_job(job.preemption_cost(u64::MAX / 8)).unwrap();
    }
    for _ in 0..3 {
        cluster.add_job(Job::elastic(1..=4).remaining(Seconds(9e-4)).weight(1e16)).unwrap();
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
}

#[test]
fn equal_jobs_do_not_exchange_workers() {
    // Ten equal jobs with a worker each, and five flexible workers among them. Then a sixth becomes possible.
    let (mut cluster, servers) = cluster(&[(false, 8), (false, 8)]);
    let jobs: Vec<JobId> =
        (0..10).map(|_| cluster.add_job(Job::elastic(1..=2).remaining(Seconds(5_000.0))).unwrap()).collect();
    for (at, &job) in jobs.iter().enumerate() {
        let base = Placement::base(servers[at / 5], 1);
        // Those that hold two are spread, so that no rule of ids can hit on them.
        let gang = [base, Placement::flexible(servers[at / 5], 1)];
        cluster.place(job, if at % 2 == 1 { &gang } else { &gang[..1] }).unwrap();
    }
    let blocker = cluster.add_job(Job::inelastic(1)).unwrap();
    cluster.place(blocker, &[Placement::base(servers[0], 1)]).unwrap();
    assert_eq!(cluster.free_gpus(servers[0]) + cluster.free_gpus(servers[1]), 0);
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
    cluster.remove_job(blocker);
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    let changes: Vec<&Action> = plan.actions().iter().filter(|action| action.is_change()).collect();
    assert!(matches!(changes[..], [Action::ScaleOut { workers: 1, .. }]), "{plan}");
}

#[test]
fn a_bound_counts_the_resize_overhead() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let server = cluster.add_server(Server::training(v100, 4)).unwrap();
    let job = Job::elastic(1..=4).remaining(Seconds(40.0)).resize_overhead(Seconds(10.0));
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(server, 1)]).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    // 40 s with 1 worker, 10 s with 4, and 10 s for the change.
    let certificate = plan.allocations()[0].certificate;
    assert_eq!((certificate.objective(), certificate.bound()), (20_000, 20_000));
}

#[test]
fn heterogeneous_jobs_grow_on_types_with_servers_on_loan_first() {
    let mut cluster = Cluster::new();
    let [v100, t4] = ["V100", "T4"].map(|name| cluster.add_gpu_type(GpuType::new(name)).unwrap());
    let home = cluster.add_server(Server::training(v100, 2)).unwrap();
    let lent = cluster.add_server(Server::on_loan(t4, 2)).unwrap();
    let job = Job::elastic(1..=2).remaining(Seconds(40.0)).fungible().heterogeneous_at(1.0);
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(home, 1)]).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(plan.actions(), [Action::ScaleOut { job, server: lent, workers: 1 }]);
}

#[test]
fn the_flat_end_of_a_measured_curve_gets_no_gpus_and_what_is_held_there_stays() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let server = cluster.add_server(Server::training(v100, 8)).unwrap();
    let table = MeasuredTable::new([(1, 1.0), (3, 3.0)]).unwrap();
    let curve = ScalingCurve::Measured(table);
    let job = Job::elastic(1..=1 << 20).remaining(Seconds(60.0)).scaling(curve);
    let job = cluster.add_job(job.resize_overhead(Seconds(1.0))).unwrap();
    assert_eq!(Epoch::default().plan(&cluster, Request::NONE).unwrap().totals().busy_after, 3);
    // Two workers more than are of use leave only where the change costs nothing.
    cluster.place(job, &[Placement::base(server, 1), Placement::flexible(server, 4)]).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
}

#[test]
fn memory_follows_the_jobs_and_not_the_workers_that_they_could_use() {
    // 300 jobs that could each use a million workers: by formula, by table, and on a type that has no formula.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(5, 2)).unwrap();
    for index in 0..3_000 {
        cluster.add_server(Server::training(if index % 2 == 0 { v100 } else { a100 }, 1_024)).unwrap();
    }
    for index in 0..300 {
        let job = Job::elastic(2..=1 << 20).remaining(Seconds(1e6 + f64::from(index)));
        let job = match index % 3 {
            0 => job,
            1 => job.on([a100]),
            _ => job.resize_overhead(Seconds(10.0)),
        };
        cluster.add_job(job).unwrap();
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    let certificate = |at: usize| plan.allocations()[at].certificate;
    assert!(certificate(0).is_optimal());
    // The tables of the A100 jobs are cut off, and the bound says so: what is left out brings next to nothing.
    assert!(!certificate(1).is_optimal() && certificate(1).relative_gap() < 1e-3, "{}", certificate(1));
    cluster.apply(&plan).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
}

#[test]
fn jobs_that_start_are_packed_best_fit_decreasing() {
    // Shortest first, the two narrow jobs share a server and a wide one takes the other: 2 and 3 GPUs are left. Packed in
    // decreasing order, each wide job shares a server with a narrow one, so that the second wide job starts too.
    let (mut cluster, _) = cluster(&[(false, 8), (false, 8)]);
    let job = |gpus: u32, time: f64| Job::inelastic(1).gpus_per_worker(gpus).remaining(Seconds(time));
    let jobs = [job(3, 1.0), job(3, 2.0), job(5, 3.0), job(5, 4.0)].map(|job| cluster.add_job(job).unwrap());
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert!(jobs.iter().all(|&job| cluster.is_running(job)), "{plan}");
}

#[test]
fn a_change_that_can_be_placed_only_in_part_is_made_only_if_the_part_pays() {
    // Two more workers would save 80 s and cost 70 s, but only one finds a server, and saves 60 s.
    let (mut cluster, servers) = cluster(&[(false, 8), (false, 8)]);
    let elastic = Job::elastic(1..=3).gpus_per_worker(4).remaining(Seconds(120.0));
    let job = cluster.add_job(elastic.clone().resize_overhead(Seconds(70.0))).unwrap();
    cluster.place(job, &[Placement::base(servers[0], 1)]).unwrap();
    for (gpus, server) in [(1, servers[0]), (3, servers[1])] {
        let blocker = cluster.add_job(Job::inelastic(1).gpus_per_worker(gpus)).unwrap();
        cluster.place(blocker, &[Placement::base(server, 1)]).unwrap();
    }
    assert_eq!((cluster.free_gpus(servers[0]), cluster.free_gpus(servers[1])), (3, 5));
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
    // At a cost of 50 s the part pays.
    cluster.update_job(job, elastic.clone().resize_overhead(Seconds(50.0))).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(plan.actions()[0], Action::ScaleOut { job, server: servers[1], workers: 1 });
    // At 60 s the part is worth just what it costs.
    cluster.update_job(job, elastic.resize_overhead(Seconds(60.0))).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
}

/// A job whose whole server is full but for `free` GPUs.
fn fill_up(cluster: &mut Cluster, server: ServerId, free: u32) {
    let gpus = cluster.free_gpus(server) - free;
    let job = Job::inelastic(1).gpus_per_worker(gpus).fungible();
    let job = cluster.add_job(job).unwrap();
    cluster.place(job, &[Placement::base(server, 1)]).unwrap();
}

#[test]
fn a_job_that_starts_is_offered_what_others_cannot_place_again_and_again_without_a_charge() {
    // All of it on the second GPU type, while an elastic job runs on the first.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4")).unwrap();
    let other = cluster.add_server(Server::training(v100, 8)).unwrap();
    let servers = [(); 3].map(|()| cluster.add_server(Server::training(t4, 8)).unwrap());
    let first = cluster.add_job(Job::elastic(1..=2)).unwrap();
    cluster.place(first, &[Placement::base(other, 1)]).unwrap();
    let elastic =
        |max, gpus, time| Job::elastic(1..=max).on([t4]).gpus_per_worker(gpus).remaining(Seconds(time));
    let wide = cluster.add_job(elastic(2, 4, 1e6)).unwrap();
    let pair = cluster.add_job(elastic(4, 2, 1e4)).unwrap();
    cluster.place(wide, &[Placement::base(servers[0], 1)]).unwrap();
    cluster.place(pair, &[Placement::base(servers[1], 1)]).unwrap();
    // It starts on the last server, so 3 and 3 GPUs stay free.
    let starts = cluster.add_job(elastic(9, 1, 100.0).resize_overhead(Seconds(1e6))).unwrap();
    for (server, free) in servers.into_iter().zip([3, 3, 1]) {
        fill_up(&mut cluster, server, free);
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    // Of 6 GPUs the wide worker should have 4, but finds no server; so the pairs get one on each, and what is left goes to
    // the job that starts. In any later epoch its overhead would forbid it.
    assert_eq!([wide, pair, starts].map(|job| cluster.workers(job)), [1, 3, 3]);
    assert_eq!(cluster.workers(first), 2);
}

#[test]
fn a_job_that_is_offered_gpus_and_declines_is_charged_as_before() {
    // 3 + 3 GPUs are free. The wide worker finds no server; the small job takes what it can use. The last would gain 50 s by
    // one of the GPUs that stay idle, and pay 60 s for it.
    let (mut cluster, servers) = cluster(&[(false, 8), (false, 8)]);
    let wide = cluster.add_job(Job::elastic(1..=2).gpus_per_worker(4).remaining(Seconds(1e6))).unwrap();
    let small = cluster.add_job(Job::elastic(1..=5).remaining(Seconds(1e3))).unwrap();
    let last = Job::elastic(1..=2).remaining(Seconds(100.0)).resize_overhead(Seconds(60.0));
    let last = cluster.add_job(last).unwrap();
    cluster.place(wide, &[Placement::base(servers[0], 1)]).unwrap();
    cluster.place(small, &[Placement::base(servers[1], 1)]).unwrap();
    cluster.place(last, &[Placement::base(servers[1], 1)]).unwrap();
    for server in servers {
        fill_up(&mut cluster, server, 3);
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert_eq!([wide, small, last].map(|job| cluster.workers(job)), [1, 5, 1]);
}

#[test]
fn tables_of_measured_curves_are_as_long_as_the_number_of_jobs_allows() {
    let measured = |workers: u32| {
        let table = MeasuredTable::new([(1, 1.0), (workers, f64::from(workers))]).unwrap();
        Job::elastic(1..=workers).scaling(ScalingCurve::Measured(table))
    };
    // Few jobs have room for all their choices, so the answer is proven.
    let (mut few, _) = cluster(&[(false, 1_000)]);
    let jobs = [(); 3].map(|()| few.add_job(measured(200)).unwrap());
    let plan = Epoch::default().plan(&few, Request::NONE).unwrap();
    assert!(plan.allocations()[0].certificate.is_optimal());
    few.apply(&plan).unwrap();
    assert_eq!(jobs.map(|job| few.workers(job)), [200; 3]);

    // Of 4,096 jobs each has 256 choices. The one that can use more gets more all the same, from what is left.
    let (mut many, _) = cluster(&[(false, 1_024); 9]);
    let long = many.add_job(measured(300)).unwrap();
    for _ in 1..4_096 {
        many.add_job(measured(2)).unwrap();
    }
    let plan = Epoch::default().plan(&many, Request::NONE).unwrap();
    many.apply(&plan).unwrap();
    assert_eq!(many.workers(long), 300);
    assert!(many.jobs().all(|(id, job)| many.workers(id) == u64::from(job.max_workers)));
}

#[test]
fn the_knapsack_solver_is_the_one_that_was_set() {
    let mut random = Rand32::new(8);
    let mut weak = Solver::new().with_table_budget(0);
    weak.state_budget = 0;
    let reclaimer = Reclaimer::new(Policy::Aryl);
    let epoch = Epoch::default().reclaimer(reclaimer).knapsack_solver(weak);
    assert_eq!(epoch.reclaimer(Reclaimer::default()), Epoch::default().knapsack_solver(weak));
    assert_ne!(epoch, Epoch::default().reclaimer(reclaimer));
    let mut unproven = 0;
    for _ in 0..100 {
        let (mut cluster, servers) = cluster(&[(false, 64)]);
        for _ in 0..8 {
            let gpus = random.rand_range(3..9);
            let job = Job::elastic(1..=2)
                .gpus_per_worker(gpus)
                .remaining(Seconds(f64::from(50 * gpus + random.rand_range(0..60))));
            let job = cluster.add_job(job).unwrap();
            if cluster.place(job, &[Placement::base(servers[0], 1)]).is_err() {
                cluster.remove_job(job);
            }
        }
        let [proven, plan] = [Epoch::default(), epoch].map(|e| e.plan(&cluster, Request::NONE).unwrap());
        assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
        let [best, found] = [&proven, &plan].map(|plan| plan.allocations()[0].certificate);
        assert!(
            best.is_optimal() && found.objective() <= best.objective() && best.objective() <= found.bound()
        );
        unproven += u32::from(!found.is_optimal());
        // Proven or not: no GPUs stay idle that a job could use.
        cluster.apply(&plan).unwrap();
        let idle = cluster.free_gpus(servers[0]);
        assert!(cluster.jobs().all(|(id, job)| cluster.workers(id) == 2 || job.gpus_per_worker > idle));
    }
    assert!(unproven > 0);
}

#[test]
fn of_the_workers_that_make_room_no_more_come_back_than_there_is_room_for() {
    // 5 GPUs are wanted. By submission 2 workers of 1 GPU leave, then one of 2, then one of 3: 2 GPUs too many. So the one of
    // 2 comes back, and the others can't.
    let (mut cluster, servers) = cluster(&[(false, 6), (true, 7)]);
    let mut jobs = Vec::new();
    for (gpus, flexible, submitted, time) in [(1, 2, 30.0, 100.0), (2, 1, 20.0, 1e6), (3, 1, 10.0, 100.0)] {
        let job =
            Job::elastic(1..=3).gpus_per_worker(gpus).submitted(Seconds(submitted)).remaining(Seconds(time));
        let job = cluster.add_job(job).unwrap();
        cluster
            .place(job, &[Placement::base(servers[0], 1), Placement::flexible(servers[1], flexible)])
            .unwrap();
        jobs.push(job);
    }
    let gang = cluster.add_job(Job::inelastic(1).gpus_per_worker(5)).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    cluster.apply(&plan).unwrap();
    let workers: Vec<u64> = jobs.iter().map(|&job| cluster.workers(job)).collect();
    assert_eq!((workers, cluster.workers(gang)), (vec![1, 2, 1], 1));
}

#[test]
fn a_job_that_a_gang_takes_workers_from_is_charged_no_resize_overhead() {
    // 3 GPUs and one flexible worker on the first server, 5 GPUs on the second, one on the third. Shortest first, all
    // four gangs start, the last in place of the flexible worker. In decreasing order one of them would not.
    for overhead in [90.0, 600.0] {
        let (mut cluster, servers) = cluster(&[(false, 5), (false, 6), (false, 2)]);
        for &server in &servers[..2] {
            let blocker = cluster.add_job(Job::inelastic(1)).unwrap();
            cluster.place(blocker, &[Placement::base(server, 1)]).unwrap();
        }
        let elastic = Job::elastic(1..=2).remaining(Seconds(1_000.0)).resize_overhead(Seconds(overhead));
        let elastic = cluster.add_job(elastic).unwrap();
        let gang = [Placement::base(servers[2], 1), Placement::flexible(servers[0], 1)];
        cluster.place(elastic, &gang).unwrap();
        let gangs = [2, 2, 3, 2].map(|gpus| Job::inelastic(1).gpus_per_worker(gpus));
        let gangs = gangs.map(|job| cluster.add_job(job).unwrap());
        let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        // It is resized whatever phase 2 decides. So it grows again, though that saves 500 s and a resize can cost more.
        let mut starts = [0, 1, 1, 0].iter().zip(gangs);
        assert!(starts.all(|(&at, job)| plan.actions().contains(&Action::Start {
            job,
            server: servers[at],
            workers: 1
        })));
        assert!(plan.actions().contains(&Action::ScaleOut { job: elastic, server: servers[2], workers: 1 }));
        let certificate = plan.allocations()[0].certificate;
        assert_eq!((certificate.objective(), certificate.bound()), (500_000, 500_000), "{overhead}");
        assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    }
}

#[test]
fn flexible_workers_that_made_room_come_back_without_a_charge_though_the_gangs_can_not_be_packed_better() {
    // The wide gang, which may mix types, needs the GPUs of two flexible workers. Packed before the narrow job it would
    // leave that without room, so the first placement stands, and with it who was displaced: no resize is charged to them.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(3, 2)).unwrap();
    let servers = [Server::training(v100, 8), Server::training(v100, 8), Server::training(a100, 4)]
        .map(|server| cluster.add_server(server).unwrap());
    let job = |workers: u32, gpus: u32, time: f64| {
        Job::inelastic(workers).gpus_per_worker(gpus).remaining(Seconds(time))
    };
    cluster.add_job(job(3, 4, 4_697.0)).unwrap();
    cluster.add_job(job(3, 4, 2_550.0).fungible().heterogeneous()).unwrap();
    let rigid = cluster.add_job(job(1, 2, 2_613.0)).unwrap();
    cluster.place(rigid, &[Placement::base(servers[1], 1)]).unwrap();
    let elastic = Job::elastic(2..=4).remaining(Seconds(580.0)).resize_overhead(Seconds(18.0));
    let elastic = cluster.add_job(elastic).unwrap();
    let held = [Placement::flexible(servers[0], 2), Placement::base(servers[1], 2)];
    cluster.place(elastic, &held).unwrap();
    cluster.add_job(job(1, 2, 364.0)).unwrap();

    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    let moved = Action::ScaleIn { job: elastic, server: servers[0], workers: 2, cause: Cause::Reallocated };
    assert!(plan.actions().contains(&moved), "{plan}");
    // Two of four workers save half of 580 s.
    assert_eq!(plan.allocations()[0].certificate.objective(), 290_000);
}

/// A job may run at a size at which its curve is so slow that its time to the end is infinite. The totals stay finite, so
/// that JSON, which has no infinity, can hold the plan.
#[test]
fn totals_are_finite_however_slow_a_job_is() {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let home = cluster.add_server(Server::training(v100, 8)).unwrap();
    let table = MeasuredTable::new([(1, 1e300), (2, 1e-5), (3, 1e300)]).unwrap();
    for _ in 0..2 {
        let curve = ScalingCurve::Measured(table.clone());
        let job = cluster.add_job(Job::elastic(1..=3).remaining(Seconds(9e12)).scaling(curve)).unwrap();
        cluster.place(job, &[Placement::base(home, 1), Placement::flexible(home, 1)]).unwrap();
        assert_eq!(cluster.time_to_end(job), Some(Seconds(f64::INFINITY)));
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    let totals = plan.totals();
    assert_eq!((totals.jct_reduction_before, totals.jct_reduction_after), (Seconds(f64::MIN), Seconds(0.0)));
    assert_eq!(verify::plan(&cluster, Request::NONE, &plan), Ok(()));
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
    }
}

#[test]
fn the_widest_workers_on_a_slow_type_are_counted_as_far_as_there_are_gpus() {
    // A reference worker is 5 workers of 1,024 GPUs, and the job could use 2^20 of them: more than 2^32 GPUs.
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let slow = cluster.add_gpu_type(GpuType::new("T4").speed(1, 5)).unwrap();
    for _ in 0..14 {
        cluster.add_server(Server::training(slow, 1_024)).unwrap();
    }
    let job = cluster.add_job(Job::elastic(1..=1 << 20).gpus_per_worker(1_024).on([slow])).unwrap();
    let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
    cluster.apply(&plan).unwrap();
    assert_eq!(cluster.workers(job), 10);
    assert!(plan.allocations()[0].certificate.is_optimal());
}
