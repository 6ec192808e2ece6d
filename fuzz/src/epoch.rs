//! Any small cluster and request: a plan must pass the verifier, apply, and leave nothing to plan.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Plan, Request, Workspace};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::knapsack::Solver;
use aryl::reclaim::{Ask, CostModel, Costs, Policy, PreemptionCost, Quantity, Reclaimer};
use aryl::scaling::ScalingCurve;
use aryl::units::Seconds;
use aryl::verify;

use super::bytes::Bytes;

fn read_job(bytes: &mut Bytes, submitted: u32) -> Job {
    let min = bytes.below(4) + 1;
    let flags = bytes.byte();
    let job = Job::elastic(min..=min + bytes.below(6))
        .gpus_per_worker(bytes.below(8) + 1)
        .remaining(Seconds(f64::from(bytes.byte() * 256 + bytes.byte() + 1) / 3.0))
        .submitted(Seconds(f64::from(submitted)))
        .preemption_cost(u64::from(bytes.below(4)));
    let job = if flags & 1 == 0 { job } else { job.fungible() };
    let job = if flags & 2 == 0 { job } else { job.heterogeneous() };
    let job = if flags & 4 == 0 { job } else { job.resize_overhead(Seconds(f64::from(bytes.byte()))) };
    let job = if flags & 8 == 0 { job } else { job.weight(f64::from(bytes.below(9) + 1) / 3.0) };
    let job = match flags >> 4 & 3 {
        1 => job.scaling(ScalingCurve::Amdahl { serial: 0.2 }),
        2 => job.scaling(ScalingCurve::PowerLaw { exponent: 0.6 }),
        3 => job.scaling(ScalingCurve::LossPerAddedWorker { loss: 0.2 }),
        _ => job,
    };
    if flags & 192 == 192 { job.protected() } else { job }
}

fn read_cluster(bytes: &mut Bytes) -> Cluster {
    let mut cluster = Cluster::new();
    let types = [(1, 1), (1, 3), (3, 2)].map(|(numerator, denominator)| {
        cluster.add_gpu_type(GpuType::new("GPU").speed(numerator, denominator)).expect("a good speed")
    });
    let (servers, jobs) = (bytes.below(8) + 1, bytes.below(12));
    for _ in 0..servers {
        let gpu_type = types[bytes.below(3) as usize];
        let gpus = bytes.below(12) + 1;
        let server = match bytes.below(8) {
            0 => Server::inference(gpu_type, gpus),
            1..4 => Server::training(gpu_type, gpus),
            7 => Server::on_loan(gpu_type, gpus).protected(),
            _ => Server::on_loan(gpu_type, gpus),
        };
        cluster.add_server(server).expect("a good server");
    }
    for job in 0..jobs {
        cluster.add_job(read_job(bytes, job)).expect("a good job");
    }
    // Some jobs run: what the cluster refuses is left out.
    for _ in 0..bytes.below(32) {
        let (job, server) = (JobId::new(bytes.below(jobs.max(1))), ServerId::new(bytes.below(servers)));
        let workers = bytes.below(6) + 1;
        if cluster.is_running(job) {
            let _ = cluster.scale_out(job, server, workers);
        } else {
            let other = ServerId::new(bytes.below(servers));
            let rest = bytes.below(3);
            let gang = [Placement::base(server, workers), Placement::base(other, rest.max(1))];
            let _ = cluster.place(job, if rest == 0 { &gang[..1] } else { &gang });
        }
    }
    cluster
}

/// What is asked back, of about `number` servers. Where the input has ended it is just that number.
fn read_ask(bytes: &mut Bytes, number: u32, cluster: &Cluster) -> Ask<'static> {
    let quantity = |bytes: &mut Bytes| match bytes.below(2) {
        0 => Quantity::Servers(bytes.below(4)),
        _ => Quantity::Gpus(u64::from(bytes.below(40))),
    };
    let servers = |bytes: &mut Bytes| {
        let ids = (0..bytes.below(3)).map(|_| ServerId::new(bytes.below(9)));
        ids.collect::<Vec<ServerId>>()
    };
    let ask = match bytes.below(6) {
        1 => Ask::gpus(u64::from(8 * number + bytes.below(8))),
        2 => Ask::servers_of(GpuTypeId::new(bytes.below(4)), number),
        3 => {
            let amounts = (0..bytes.below(4)).map(|gpu_type| (GpuTypeId::new(gpu_type), quantity(bytes)));
            Ask::by_type(amounts.collect::<Vec<_>>())
        }
        4 => Ask::these(servers(bytes)),
        _ => Ask::servers(number),
    };
    let ask = match bytes.below(4) {
        1 if !matches!(ask.amount(), aryl::reclaim::Amount::Listed) => ask.must_return(servers(bytes)),
        2 => ask.must_stay(servers(bytes)),
        _ => ask,
    };
    let costs = match bytes.below(6) {
        1 => Costs::new(CostModel::Jobs),
        2 => Costs::new(CostModel::GpuSecondsLost).now(Seconds(f64::from(bytes.byte()))),
        3 => Costs::new(CostModel::Priority).protect_priority(bytes.below(8)),
        4 => Costs::new(CostModel::Preemptions).max_preemptions(bytes.below(8)),
        5 => Costs::from_fn(cluster, |_, _| match bytes.below(8) {
            0 => PreemptionCost::Protected,
            cost => PreemptionCost::Cost(u64::from(cost) << (8 * bytes.below(8))),
        }),
        _ => Costs::STATED,
    };
    let costs = costs.restart(u64::from(bytes.below(3)));
    ask.costs(if bytes.below(4) == 1 {
        costs.min_running_time(Seconds(f64::from(bytes.byte())))
    } else {
        costs
    })
}

/// The usual budgets, or such small ones that the knapsack is not solved to the end.
fn read_solver(bytes: &mut Bytes) -> Solver {
    let mut solver = Solver::default();
    if bytes.below(4) == 1 {
        solver.table_budget = u64::from(bytes.byte()) * 16;
        solver.state_budget = bytes.byte().into();
    }
    solver
}

/// Facts about jobs that costs are drawn from, for some of them.
fn add_facts(bytes: &mut Bytes, cluster: &mut Cluster) {
    for id in 0..bytes.below(12) {
        let id = JobId::new(id);
        let Some(job) = cluster.job(id).cloned() else { continue };
        let job = job
            .priority(bytes.below(8))
            .preemptions(bytes.below(8))
            .started(Seconds(f64::from(bytes.byte())));
        let saved = bytes.byte();
        let job = if saved & 1 == 0 { job } else { job.checkpointed(Seconds(f64::from(saved))) };
        cluster.update_job(id, job).expect("facts change nothing else");
    }
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (number, lend) = (bytes.below(4), bytes.below(3));
    let policy = match bytes.below(6) {
        0 => Policy::Aryl,
        1 => Policy::SmallestCountFirst,
        2 => Policy::Random { seed: 3 },
        3 => Policy::BestOfRules,
        4 => Policy::Exact,
        _ => Policy::Amortized,
    };
    let mut cluster = read_cluster(&mut bytes);
    add_facts(&mut bytes, &mut cluster);
    verify::cluster(&cluster).expect("the cluster is sound");
    let request = Request::reclaim(read_ask(&mut bytes, number, &cluster)).and_lend(lend);
    let epoch = Epoch::default().reclaimer(Reclaimer::new(policy)).knapsack_solver(read_solver(&mut bytes));
    // A workspace that has seen another cluster, and holds its hints, must give the same plan as a new one.
    let (mut workspace, mut warm) = (Workspace::new(), Plan::default());
    let _ = epoch.plan_into(&read_cluster(&mut bytes), Request::NONE, &mut workspace, &mut warm);
    let plan = epoch.plan(&cluster, &request);
    let is_planned = epoch.plan_into(&cluster, &request, &mut workspace, &mut warm);
    assert_eq!(plan.as_ref().err(), is_planned.as_ref().err());
    let Ok(plan) = plan else {
        assert_eq!(warm, Plan::default(), "an error leaves no plan");
        return;
    };
    assert_eq!(warm, plan, "a used workspace");
    if let Err(violation) = verify::plan(&cluster, &request, &plan) {
        panic!("{violation}\n{plan}\n{cluster:#?}");
    }
    let protected = |job: &JobId| cluster.job(*job).is_some_and(|job| job.protected);
    assert!(!plan.reclaim().preempted().iter().any(protected), "{plan}");
    cluster.apply(&plan).expect("a plan for this cluster");
    verify::cluster(&cluster).expect("the cluster is sound");
    let again = epoch.plan(&cluster, Request::NONE).expect("nothing is asked");
    assert!(again.is_empty(), "first\n{plan}\nthen\n{again}");
    epoch.plan_into(&cluster, Request::NONE, &mut workspace, &mut warm).expect("nothing is asked");
    assert_eq!(warm, again, "a used workspace");
}
