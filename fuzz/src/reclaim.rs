//! Any small cluster and ask: every policy's answer must be one of the choices, cost what the rules say and pass the
//! verifier, no bound may lie above the optimum, and the exact policy must be the optimum in the whole order.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::k_union::Solver;
use aryl::reclaim::{
    Ask, AskError, CostCurve, CostError, CostModel, Costs, Policy, PreemptionCost, Quantity, Reclaim,
    ReclaimError, Reclaimer, Workspace,
};
use aryl::scaling::ScalingCurve;
use aryl::units::Seconds;
use aryl::verify;

use super::bytes::Bytes;

const SPEEDS: [(u32, u32); 3] = [(1, 1), (1, 3), (5, 2)];

fn read_server(bytes: &mut Bytes) -> Server {
    let (kind, size) = (bytes.byte(), bytes.byte());
    let gpu_type = GpuTypeId::new(if kind & 16 == 0 { 0 } else { kind / 32 % 3 });
    let gpus = if size & 8 == 0 { 8 } else { size / 16 + 1 };
    match kind % 16 {
        15 => Server::training(gpu_type, gpus),
        14 => Server::on_loan(gpu_type, gpus).protected(),
        13 => Server::inference(gpu_type, gpus),
        _ => Server::on_loan(gpu_type, gpus),
    }
}

fn read_job(bytes: &mut Bytes) -> Job {
    let (size, facts, flags) = (bytes.byte(), bytes.byte(), bytes.byte());
    let (min, surplus) = (size % 8 + 1, if size & 8 == 0 { 0 } else { size / 16 });
    let cost = match facts % 16 {
        15 => u64::MAX / 16,
        14 => 1 << 40,
        cost @ 8.. => u64::from(cost) - 8,
        _ => 1,
    };
    let mut job = Job::elastic(min..=min + surplus).preemption_cost(cost).gpus_per_worker(facts / 16 % 3 + 1);
    job = if flags & 1 == 0 { job } else { job.fungible() };
    job = if flags & 2 == 0 { job } else { job.heterogeneous() };
    job = if flags & 4 == 0 { job } else { job.weight(2.5) };
    job = if flags & 24 == 24 { job.protected() } else { job };
    job = match flags / 32 % 4 {
        1 => job.scaling(ScalingCurve::Amdahl { serial: 0.2 }),
        2 => job.scaling(ScalingCurve::PowerLaw { exponent: 0.6 }),
        3 => job.scaling(ScalingCurve::LossPerAddedWorker { loss: 1.0 }),
        _ => job,
    };
    let times = bytes.byte();
    job = job.remaining(Seconds(f64::from(times % 16 * 60 + 1) / 3.0)).priority(times / 16 % 4);
    job = job.started(Seconds(f64::from(times) / 3.0)).preemptions(times / 64);
    if times & 1 == 0 { job } else { job.checkpointed(Seconds(f64::from(times) * 2.0)) }
}

/// Places a job: each step names a server and some workers, base ones until the job can run. Steps that the job can't
/// take are passed over; a job that has too few workers in the end waits.
fn place(bytes: &mut Bytes, cluster: &mut Cluster, id: JobId, servers: u32) {
    let job = cluster.job(id).expect("the job just added").clone();
    let mut counts = [0_u64; 3];
    let worth = |counts: &[u64; 3]| -> u64 {
        counts
            .iter()
            .zip(SPEEDS)
            .map(|(&workers, speed)| workers * u64::from(speed.0) / u64::from(speed.1))
            .sum()
    };
    let mut free: Vec<u32> = (0..servers).map(|server| cluster.free_gpus(ServerId::new(server))).collect();
    let mut gang: Vec<Placement> = Vec::new();
    let (steps, pinned) = (bytes.below(8), bytes.one_in(8));
    for _ in 0..steps {
        let step = bytes.byte();
        let server = step % servers;
        let home = *cluster.server(ServerId::new(server)).expect("a server");
        let kind = home.gpu_type.index();
        let alone = job.is_heterogeneous() || (0..3).all(|other| other == kind || counts[other] == 0);
        if home.pool == Pool::Inference || !job.gpu_types.contains(home.gpu_type) || !alone {
            continue;
        }
        for _ in 0..step / 16 + 1 {
            let (base_is_done, is_full) =
                (worth(&counts) >= job.min_workers.into(), worth(&counts) >= job.max_workers.into());
            if is_full || free[server as usize] < job.gpus_per_worker {
                break;
            }
            let (server, role) = (ServerId::new(server), base_is_done);
            gang.push(if role { Placement::flexible(server, 1) } else { Placement::base(server, 1) });
            free[server.index()] -= job.gpus_per_worker;
            counts[kind] += 1;
        }
    }
    if worth(&counts) >= job.min_workers.into() {
        if pinned {
            gang[0] = gang[0].pinned();
        }
        cluster.place(id, &gang).expect("a gang by the rules");
    }
}

fn read_cluster(bytes: &mut Bytes) -> Cluster {
    let mut cluster = Cluster::new();
    for (numerator, denominator) in SPEEDS {
        cluster.add_gpu_type(GpuType::new("GPU").speed(numerator, denominator)).expect("a good speed");
    }
    let (servers, jobs) = (bytes.below(12) + 1, bytes.below(14));
    for _ in 0..servers {
        cluster.add_server(read_server(bytes)).expect("a good server");
    }
    for _ in 0..jobs {
        let job = cluster.add_job(read_job(bytes)).expect("a good job");
        place(bytes, &mut cluster, job, servers);
    }
    cluster
}

/// What is asked back, in plain lists.
struct Wish {
    /// Of any type, or of each of these.
    amounts: Vec<(Option<GpuTypeId>, Quantity)>,
    must_return: Vec<ServerId>,
    must_stay: Vec<ServerId>,
    is_listed: bool,
}

impl Wish {
    fn read(bytes: &mut Bytes) -> Self {
        let form = bytes.byte();
        let quantity = |bytes: &mut Bytes| match bytes.byte() {
            255 => Quantity::Gpus(u64::MAX),
            254 => Quantity::Servers(u32::MAX),
            number @ 128.. => Quantity::Gpus((number % 64).into()),
            number => Quantity::Servers(number % 16),
        };
        let named = |bytes: &mut Bytes| -> Vec<ServerId> {
            let mask = bytes.byte() | (bytes.byte() << 8);
            (0..14).filter(|at| mask >> at & 1 == 1).map(ServerId::new).collect()
        };
        let mut wish =
            Self { amounts: Vec::new(), must_return: Vec::new(), must_stay: Vec::new(), is_listed: false };
        match form % 4 {
            0 | 1 => wish.amounts.push((None, quantity(bytes))),
            2 => {
                for _ in 0..bytes.below(4) {
                    wish.amounts.push((Some(GpuTypeId::new(bytes.below(4))), quantity(bytes)));
                }
            }
            _ => wish.is_listed = true,
        }
        if wish.is_listed || form & 4 != 0 {
            wish.must_return = named(bytes);
        }
        if form & 8 != 0 {
            wish.must_stay = named(bytes);
        }
        if wish.is_listed {
            wish.amounts.push((None, Quantity::Servers(wish.must_return.len() as u32)));
        }
        wish
    }

    fn ask(&self) -> Ask<'_> {
        let ask = match self.amounts[..] {
            _ if self.is_listed => Ask::these(&self.must_return),
            [(None, Quantity::Servers(servers))] => Ask::servers(servers),
            [(None, Quantity::Gpus(gpus))] => Ask::gpus(gpus),
            _ => {
                let of_type = |&(gpu_type, quantity): &(Option<GpuTypeId>, Quantity)| {
                    (gpu_type.expect("a type of its own"), quantity)
                };
                Ask::by_type(self.amounts.iter().map(of_type).collect::<Vec<_>>())
            }
        };
        let ask = if self.is_listed { ask } else { ask.must_return(&self.must_return) };
        ask.must_stay(&self.must_stay)
    }

    /// Whether these servers, as bits, are an answer.
    fn is_met_by(&self, view: &View, choice: u32) -> bool {
        let bits = |ids: &[ServerId]| ids.iter().fold(0_u32, |bits, id| bits | 1 << id.get());
        let (must_return, must_stay) = (bits(&self.must_return), bits(&self.must_stay));
        if must_return & !choice != 0 || must_stay & choice != 0 {
            return false;
        }
        let of = |gpu_type: Option<GpuTypeId>| {
            let mut bits = 0;
            for (at, server) in view.servers.iter().enumerate() {
                bits |= u32::from(gpu_type.is_none_or(|it| it == server.gpu_type)) << at;
            }
            bits
        };
        let asked_of = self.amounts.iter().fold(0, |bits, &(gpu_type, _)| bits | of(gpu_type));
        let gpus = |bits: u32| -> u64 {
            let here = view.servers.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            here.map(|(_, server)| u64::from(server.gpus)).sum()
        };
        choice & !asked_of == 0
            && self.amounts.iter().all(|&(gpu_type, quantity)| {
                let part = choice & of(gpu_type);
                match quantity {
                    Quantity::Servers(servers) => part.count_ones() == servers,
                    Quantity::Gpus(asked) => {
                        let is_needed = |at: u32| {
                            let bit = 1 << at;
                            part & bit == 0 || must_return & bit != 0 || gpus(part & !bit) < asked
                        };
                        gpus(part) >= asked && (0..view.servers.len() as u32).all(is_needed)
                    }
                }
            })
    }
}

fn read_costs(bytes: &mut Bytes, cluster: &Cluster) -> Costs<'static> {
    let model = match bytes.below(8) {
        1 => CostModel::Jobs,
        2 => CostModel::GpuSecondsLost,
        3 => CostModel::Priority,
        4 => CostModel::Preemptions,
        5 => {
            let entry = |bytes: &mut Bytes| match bytes.byte() {
                0..=31 => PreemptionCost::Protected,
                byte => PreemptionCost::Cost(u64::from(byte % 8) << (byte / 8 % 4 * 8)),
            };
            let table: Vec<PreemptionCost> = cluster.jobs().map(|_| entry(bytes)).collect();
            CostModel::Table(table.into())
        }
        _ => CostModel::Stated,
    };
    let costs = Costs::new(model).now(Seconds(f64::from(bytes.byte())));
    match bytes.below(8) {
        1 => costs.restart(bytes.byte().into()),
        2 => costs.restart(bytes.wild()),
        3 => costs.min_running_time(Seconds(f64::from(bytes.byte()) / 3.0)),
        4 => costs.max_preemptions(bytes.below(4)),
        5 => costs.protect_priority(bytes.below(4)),
        _ => costs,
    }
}

/// What costs say of one job, worked out from their written form; `None` where the job is protected.
fn price(cluster: &Cluster, id: JobId, job: &Job, costs: &serde_json::Value) -> Option<u128> {
    let number = |name: &str| costs[name].as_f64();
    let now = number("now").expect("a time");
    let started = job.started.expect("a time").0;
    let is_protected = job.protected
        || number("min_running_time").is_some_and(|time| now - started < time)
        || number("max_preemptions").is_some_and(|times| f64::from(job.preemptions) >= times)
        || number("protect_priority").is_some_and(|from| f64::from(job.priority) >= from);
    let cost = match costs["model"].as_str() {
        Some("stated") => job.preemption_cost,
        Some("jobs") => 1,
        Some("gpu_seconds_lost") => {
            let since = job.checkpointed.map_or(started, |saved| started.max(saved.0));
            let gpus = cluster.workers(id) * u64::from(job.gpus_per_worker);
            (gpus as f64 * (now - since).max(0.0)).round() as u64
        }
        Some("priority") => u64::from(job.priority) + 1,
        Some("preemptions") => u64::from(job.preemptions) + 1,
        _ => costs["model"]["table"][id.index()]["cost"].as_u64()?,
    };
    let restart = costs["restart"].as_u64().expect("a cost");
    (!is_protected).then_some(u128::from(cost) + u128::from(restart))
}

/// A running job, for a quick look at thousands of choices.
struct Tenant {
    job: Job,
    id: JobId,
    cost: Option<u128>,
    /// Servers, GPU types, workers, and whether they are pinned.
    hosts: Vec<(u32, usize, u64, bool)>,
}

impl Tenant {
    /// Reference workers on the servers outside of these, whether they are of several types, and their number.
    fn left(&self, choice: u32) -> (u64, bool, u64) {
        let mut counts = [0_u64; 3];
        for &(server, kind, workers, _) in &self.hosts {
            counts[kind] += if choice >> server & 1 == 1 { 0 } else { workers };
        }
        let worth = counts.iter().zip(SPEEDS).map(|(&n, speed)| n * u64::from(speed.0) / u64::from(speed.1));
        (worth.sum(), counts.iter().filter(|&&workers| workers > 0).count() > 1, counts.iter().sum())
    }

    fn time(&self, (workers, is_mixed, _): (u64, bool, u64)) -> f64 {
        let efficiency = if is_mixed { self.job.mixing_efficiency.expect("it mixes") } else { 1.0 };
        self.job.running_time(workers as u32).0 / efficiency
    }
}

struct View {
    servers: Vec<Server>,
    tenants: Vec<Tenant>,
    /// The servers that may go back at all.
    may_go: u32,
}

/// What makes one choice better than another, in this order: cost, time lost, collateral GPUs, servers.
type Order = (u128, u64, u64, Vec<ServerId>);

impl View {
    fn of(cluster: &Cluster, costs: &Costs<'_>) -> Self {
        let costs = serde_json::to_value(costs).expect("costs can be written");
        let servers: Vec<Server> = cluster.servers().map(|(_, server)| *server).collect();
        let mut view = Self { servers, tenants: Vec::new(), may_go: 0 };
        for (at, server) in view.servers.iter().enumerate() {
            view.may_go |= u32::from(server.pool == Pool::OnLoan && !server.protected) << at;
        }
        for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.is_running(id)) {
            let host = |p: &Placement| {
                let kind = view.servers[p.server.index()].gpu_type.index();
                (p.server.get(), kind, u64::from(p.workers), p.pinned)
            };
            let hosts: Vec<_> = cluster.placements(id).iter().map(host).collect();
            let cost = price(cluster, id, job, &costs);
            if cost.is_none() {
                view.may_go &= !hosts.iter().fold(0, |bits, host| bits | 1 << host.0);
            }
            view.tenants.push(Tenant { job: job.clone(), id, cost, hosts });
        }
        view
    }

    fn total_cost(&self) -> u128 {
        self.tenants.iter().filter_map(|tenant| tenant.cost).sum()
    }

    /// What happens where these servers go back, with the jobs that are preempted.
    fn outcome(&self, choice: u32) -> (Order, Vec<JobId>) {
        let (mut cost, mut lost, mut collateral, mut preempted) = (0, 0_u64, 0, Vec::new());
        for tenant in &self.tenants {
            let goes = |host: &&(u32, usize, u64, bool)| choice >> host.0 & 1 == 1;
            if tenant.hosts.iter().find(goes).is_none() {
                continue;
            }
            let after = tenant.left(choice);
            if after.0 < tenant.job.min_workers.into() || tenant.hosts.iter().filter(goes).any(|host| host.3)
            {
                cost += tenant.cost.expect("no protected job is touched");
                collateral += after.2 * u64::from(tenant.job.gpus_per_worker);
                preempted.push(tenant.id);
            } else {
                let time = tenant.time(after) - tenant.time(tenant.left(0));
                lost += (tenant.job.weight * time * 1_000.0).round().max(0.0) as u64;
            }
        }
        let servers = (0..self.servers.len() as u32).filter(|at| choice >> at & 1 == 1).map(ServerId::new);
        ((cost, lost, collateral, servers.collect()), preempted)
    }

    fn choices(&self, wish: &Wish) -> Vec<u32> {
        let all = 0..1_u32 << self.servers.len();
        all.filter(|choice| choice & !self.may_go == 0 && wish.is_met_by(self, *choice)).collect()
    }
}

/// Whether an error about the ask or the costs is right, so that it says nothing about the choices.
fn explains_itself(error: &ReclaimError, cluster: &Cluster, view: &View, wish: &Wish) -> bool {
    match error {
        ReclaimError::Ask(AskError::UnknownServer { server }) => {
            cluster.server(*server).is_none()
                && (wish.must_return.contains(server) || wish.must_stay.contains(server))
        }
        ReclaimError::Ask(AskError::UnknownGpuType { gpu_type }) => {
            cluster.gpu_type(*gpu_type).is_none() && wish.amounts.iter().any(|it| it.0 == Some(*gpu_type))
        }
        ReclaimError::Ask(AskError::GpuTypeTwice { gpu_type }) => {
            wish.amounts.iter().filter(|it| it.0 == Some(*gpu_type)).count() > 1
        }
        ReclaimError::Costs(CostError::Overflow { .. }) => view.total_cost() > u64::MAX.into(),
        _ => false,
    }
}

/// Holds one answer against the rules.
fn check(cluster: &Cluster, view: &View, choices: &[u32], best: &Order, policy: Policy, answer: &Reclaim) {
    let choice = answer.servers().iter().fold(0_u32, |bits, server| bits | 1 << server.get());
    assert!(choices.contains(&choice), "{policy:?}: {answer:?} is none of the choices");
    let (order, preempted) = view.outcome(choice);
    let certificate = answer.certificate();
    let lost = answer.jct_lost().milliseconds().expect("a time");
    let stated =
        (u128::from(certificate.objective()), lost, answer.collateral_gpus(), answer.servers().to_vec());
    assert_eq!(stated, order, "{policy:?}: {answer:?}");
    assert_eq!(answer.preempted(), preempted, "{policy:?}: {answer:?}");
    assert!(u128::from(certificate.bound()) <= best.0, "{policy:?}: {answer:?} but {best:?}");
    assert!(order >= *best);
    if policy == Policy::Exact {
        assert_eq!(&order, best, "the exact policy is not the best");
        assert!(certificate.is_optimal(), "{answer:?}");
    }
    let explanation = answer.explain(cluster);
    let collateral: u64 = explanation.victims().map(|victim| victim.collateral_gpus()).sum();
    assert_eq!(collateral, answer.collateral_gpus());
    assert!(explanation.victims().all(|victim| victim.frees().next().is_some()));
    let lines = explanation.to_string().lines().count();
    assert_eq!(lines, answer.preempted().len() + answer.servers().len());
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut wish = Wish::read(&mut bytes);
    let seed = bytes.byte().into();
    let cluster = read_cluster(&mut bytes);
    let costs = read_costs(&mut bytes, &cluster);
    let view = View::of(&cluster, &costs);
    if bytes.one_in(2) {
        // A name given twice is a name.
        wish.must_stay.extend_from_within(..wish.must_stay.len().min(1));
    }
    let choices = view.choices(&wish);
    let best = choices.iter().map(|&choice| view.outcome(choice).0).min();
    let ask = wish.ask().costs(costs.clone());
    let policies = [
        Policy::Exact,
        Policy::Aryl,
        Policy::SmallestCountFirst,
        Policy::Amortized,
        Policy::BestOfRules,
        Policy::Random { seed },
    ];
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    let budget = Solver::new().with_node_budget(bytes.below(4).into()).with_step_budget(0);
    for policy in policies {
        for reclaimer in [
            Reclaimer::new(policy),
            Reclaimer::new(policy).put_back(false),
            Reclaimer::new(policy).solver(budget),
        ] {
            match reclaimer.solve_into(&cluster, &ask, &mut workspace, &mut answer) {
                Ok(()) => {
                    let best =
                        best.as_ref().unwrap_or_else(|| panic!("{ask}: {answer:?}, but nothing will do"));
                    check(&cluster, &view, &choices, best, policy, &answer);
                    if reclaimer != Reclaimer::new(policy).put_back(false) {
                        verify::reclaim(&cluster, &ask, &answer).expect("a sound answer");
                    }
                }
                Err(error) => {
                    let is_right = choices.is_empty() || explains_itself(&error, &cluster, &view, &wish);
                    assert!(is_right, "{ask}: {error}");
                    assert_eq!(answer, Reclaim::default());
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    if let Ok(curve) = CostCurve::of(&cluster, &costs) {
        for count in 0..=curve.available() {
            let servers = curve.servers(count).expect("a choice");
            let choice = servers.iter().fold(0_u32, |bits, server| bits | 1 << server.get());
            let certificate = curve.certificate(count).expect("one for each");
            let ((cost, ..), _) = view.outcome(choice);
            assert_eq!(u128::from(certificate.objective()), cost, "{count}");
            let of_size = (0..1_u32 << view.servers.len())
                .filter(|it| it & !view.may_go == 0 && it.count_ones() as usize == count);
            let least = of_size.map(|it| view.outcome(it).0.0).min().expect("a choice");
            assert!(u128::from(certificate.bound()) <= least, "{count}");
        }
    }
}
