//! A hundred clusters: small and middle ones, with jobs and servers of every kind, and something asked of each.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Ask, CostModel, Costs, Policy, PreemptionCost, Quantity, Reclaimer};
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::Seconds;

/// A decision to make.
pub(crate) struct Case {
    pub(crate) epoch: Epoch,
    pub(crate) cluster: Cluster,
    pub(crate) request: Request<'static>,
    /// What the request is made of.
    pub(crate) asked: Asked,
}

/// A request, in parts that can be put together for the same cluster under other ids.
pub(crate) struct Asked {
    what: What,
    must_return: Vec<ServerId>,
    must_stay: Vec<ServerId>,
    costs: Option<Measure>,
    lend: u32,
}

enum What {
    Servers(u32),
    Gpus(u64),
    ByType(Vec<(GpuTypeId, Quantity)>),
    These,
}

/// Costs that protect no job.
#[derive(Clone, Copy)]
enum Measure {
    GpuSecondsLost,
    Priority,
    Preemptions,
    Own,
}

impl Asked {
    /// The request to a cluster in which servers have other ids, with its lists in the order that `arrange` gives them.
    pub(crate) fn request(
        &self,
        cluster: &Cluster,
        server: &dyn Fn(ServerId) -> ServerId,
        mut arrange: impl FnMut(&mut Vec<ServerId>),
    ) -> Request<'static> {
        let [must_return, must_stay] = [&self.must_return, &self.must_stay].map(|list| {
            let mut list: Vec<ServerId> = list.iter().map(|&id| server(id)).collect();
            arrange(&mut list);
            list
        });
        let ask = match &self.what {
            What::Servers(count) => Ask::servers(*count).must_return(must_return),
            What::Gpus(gpus) => Ask::gpus(*gpus).must_return(must_return),
            What::ByType(amounts) => Ask::by_type(amounts.clone()).must_return(must_return),
            What::These => Ask::these(must_return),
        };
        let ask = ask.must_stay(must_stay);
        let ask = match self.costs {
            Some(measure) => ask.costs(measure.costs(cluster)),
            None => ask,
        };
        Request::reclaim(ask).and_lend(self.lend)
    }
}

impl Measure {
    fn costs(self, cluster: &Cluster) -> Costs<'static> {
        match self {
            Self::GpuSecondsLost => Costs::new(CostModel::GpuSecondsLost).now(Seconds(400_000.0)).restart(7),
            Self::Priority => Costs::new(CostModel::Priority),
            Self::Preemptions => Costs::new(CostModel::Preemptions),
            Self::Own => Costs::from_fn(cluster, |_, job| {
                PreemptionCost::Cost(u64::from(7 * job.priority + job.max_workers))
            }),
        }
    }
}

/// Numbers drawn from a seed.
pub(crate) struct Draw(oorandom::Rand64);

impl Draw {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(oorandom::Rand64::new(u128::from(seed) << 8 | u128::from(stream)))
    }

    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0.rand_range(0..limit)
    }

    pub(crate) fn small(&mut self, limit: u32) -> u32 {
        self.below(limit.into()) as u32
    }

    pub(crate) fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}

/// The case of a seed. Every tenth is of middle size; in every fourth nearly all jobs are alike, so that ties abound.
pub(crate) fn case(seed: u64) -> Case {
    let mut draw = Draw::new(seed, 0);
    let (servers, jobs) = match seed % 10 {
        9 => (120, 150),
        8 => (40, 60),
        _ => (1 + draw.small(12), draw.small(18)),
    };
    let cluster = cluster(&mut draw, servers, jobs, seed % 4 == 3);
    let asked = asked(&mut draw, &cluster, seed);
    let request = asked.request(&cluster, &|id| id, |_| {});
    let policies =
        [Policy::Exact, Policy::Aryl, Policy::BestOfRules, Policy::SmallestCountFirst, Policy::Amortized];
    let policy = match seed % 8 {
        1 => draw.of(&policies),
        5 => Policy::Random { seed },
        _ => Policy::Exact,
    };
    Case { epoch: Epoch::default().reclaimer(Reclaimer::new(policy)), cluster, request, asked }
}

fn cluster(draw: &mut Draw, servers: u32, jobs: u32, alike: bool) -> Cluster {
    let mut cluster = Cluster::new();
    let mut types = vec![cluster.add_gpu_type(GpuType::new("V100")).unwrap()];
    if draw.below(3) > 0 {
        types.push(cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap());
        types.push(cluster.add_gpu_type(GpuType::new("A100").speed(3, 2)).unwrap());
    }
    for _ in 0..servers {
        let gpu_type = draw.of(&types);
        let gpus = if alike { 8 } else { draw.of(&[8, 8, 8, 4, 3, 16]) };
        let server = match draw.below(8) {
            0..3 => Server::training(gpu_type, gpus),
            3..7 => Server::on_loan(gpu_type, gpus),
            _ => Server::inference(gpu_type, gpus),
        };
        let server = if draw.one_in(12) { server.protected() } else { server };
        cluster.add_server(server).unwrap();
    }
    for _ in 0..jobs {
        let definition = job(draw, &types, alike);
        let job = cluster.add_job(definition).unwrap();
        if draw.below(5) < 3 {
            run_somewhere(draw, &mut cluster, job);
        }
    }
    cluster
}

fn job(draw: &mut Draw, types: &[GpuTypeId], alike: bool) -> Job {
    if alike && !draw.one_in(8) {
        let job = Job::elastic(1..=1 + draw.small(4)).remaining(Seconds(3_600.0));
        return if draw.one_in(2) { job.fungible().started(Seconds(0.0)) } else { job.started(Seconds(0.0)) };
    }
    let min = 1 + draw.small(3);
    let max = if draw.one_in(3) { min } else { min + draw.small(6) };
    let mut job = Job::elastic(min..=max)
        .gpus_per_worker(draw.of(&[1, 1, 2, 4, 8, 3]))
        .remaining(Seconds((1 + draw.below(200_000)) as f64 / 7.0))
        .submitted(Seconds(draw.below(1_000_000) as f64))
        .started(Seconds(draw.below(900_000) as f64 / 3.0))
        .preemption_cost(draw.below(4))
        .priority(draw.small(4))
        .preemptions(draw.small(3));
    job = match draw.below(3) {
        0 => job.fungible(),
        1 => job.on([draw.of(types)]),
        _ => job,
    };
    job = match draw.below(8) {
        0 => job.scaling(ScalingCurve::PowerLaw { exponent: 0.7 }),
        1 => job.scaling(ScalingCurve::Amdahl { serial: 0.2 }),
        2 => job.scaling(ScalingCurve::LossPerAddedWorker { loss: 0.2 }),
        3 => {
            let table = MeasuredTable::new([(1, 10.0), (2, 19.0), (4, 35.5), (7, 34.0)]).unwrap();
            job.scaling(ScalingCurve::Measured(table))
        }
        _ => job,
    };
    if draw.one_in(4) {
        job = job.weight(draw.of(&[0.5, 1.5, 3.0, 0.1]));
    }
    if draw.one_in(4) {
        job = job.fungible().heterogeneous_at(draw.of(&[1.0, 0.7, 0.3]));
    }
    if draw.one_in(3) {
        job = job.resize_overhead(Seconds(draw.below(2_000) as f64));
    }
    if draw.one_in(3) {
        job = job.checkpointed(Seconds(draw.below(950_000) as f64 / 3.0));
    }
    if draw.one_in(12) { job.protected() } else { job }
}

/// Tries to run a job: its base on one GPU type, each worker on a server drawn at random, then some flexible workers.
fn run_somewhere(draw: &mut Draw, cluster: &mut Cluster, job: JobId) {
    let definition = cluster.job(job).unwrap().clone();
    let servers: Vec<(ServerId, Server)> = cluster.servers().map(|(id, server)| (id, *server)).collect();
    let home = draw.of(&servers).1.gpu_type;
    let mut free: Vec<u32> = servers.iter().map(|&(id, _)| cluster.free_gpus(id)).collect();
    let mut gang = Vec::new();
    for _ in 0..definition.min_workers_on(cluster.speed(home).unwrap()) {
        let pick = draw.below(free.len() as u64) as usize;
        let fits = |at: &usize| {
            let server = servers[*at].1;
            server.gpu_type == home
                && server.pool != Pool::Inference
                && free[*at] >= definition.gpus_per_worker
        };
        let Some(at) = (0..free.len()).map(|step| (pick + step) % free.len()).find(fits) else { return };
        free[at] -= definition.gpus_per_worker;
        let placement = Placement::base(servers[at].0, 1);
        gang.push(if draw.one_in(30) { placement.pinned() } else { placement });
    }
    if cluster.place(job, &gang).is_err() {
        return;
    }
    for _ in 0..draw.below(8) {
        let (server, workers) = (draw.of(&servers).0, 1 + draw.small(3));
        let _ = cluster.scale_out(job, server, workers);
    }
}

/// Servers that can go back, whatever preemptions cost.
fn candidates(cluster: &Cluster) -> Vec<ServerId> {
    let is_free = |id| !cluster.tenants(id).iter().any(|tenant| cluster.job(tenant.job).unwrap().protected);
    let lent = cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan && !server.protected);
    lent.map(|(id, _)| id).filter(|&id| is_free(id)).collect()
}

fn asked(draw: &mut Draw, cluster: &Cluster, seed: u64) -> Asked {
    let mut servers = candidates(cluster);
    draw.shuffle(&mut servers);
    let count = draw.below(servers.len() as u64 + 1) as u32;
    let (taken, rest) = servers.split_at(count as usize);
    let home = cluster.servers().filter(|(_, server)| server.pool == Pool::Inference && !server.protected);
    let home = home.count() as u32;
    let lend = if draw.one_in(3) { draw.small(home + 1) } else { 0 };
    let mut asked = Asked {
        what: What::Servers(count),
        must_return: Vec::new(),
        must_stay: Vec::new(),
        costs: None,
        lend,
    };
    match seed % 7 {
        0 => {
            asked.what =
                What::Gpus(taken.iter().map(|&id| u64::from(cluster.server(id).unwrap().gpus)).sum());
        }
        1 => {
            let count = |gpu_type| {
                let of_type = |id: &&ServerId| cluster.server(**id).unwrap().gpu_type == gpu_type;
                Quantity::Servers(taken.iter().filter(of_type).count() as u32)
            };
            asked.what = What::ByType(cluster.gpu_types().map(|(id, _)| (id, count(id))).collect());
        }
        2 => (asked.what, asked.must_return) = (What::These, taken.to_vec()),
        3 => {
            asked.what = What::Servers(count.div_ceil(2));
            asked.must_return = taken[..count as usize / 3].to_vec();
            asked.must_stay = rest[..rest.len() / 3].to_vec();
        }
        4 => {
            let measures = [Measure::GpuSecondsLost, Measure::Priority, Measure::Preemptions, Measure::Own];
            asked.costs = Some(draw.of(&measures));
        }
        // More than there are.
        5 if seed.is_multiple_of(3) => asked.what = What::Servers(servers.len() as u32 + 1),
        _ => {}
    }
    asked
}
