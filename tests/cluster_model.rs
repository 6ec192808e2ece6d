//! Random changes, right and wrong, to a cluster and to a naive model of it.
//!
//! The model keeps one map of who runs where, and counts everything anew for each question. After each change the two
//! must say the same, `verify::cluster` must agree, and a refused change must leave the cluster as it was.
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

extern crate alloc;

use alloc::collections::BTreeMap;

use aryl::cluster::{AllowedGpuTypes, Cluster, GpuType, Job, Placement, Pool, Role, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;

const SEQUENCES: u64 = 1_200;
const STEPS: u32 = 40;

/// Workers, and whether they are pinned.
type Held = (u64, bool);

#[derive(Clone, Default)]
struct Model {
    speeds: Vec<(u64, u64)>,
    servers: Vec<Option<Server>>,
    jobs: Vec<Option<Job>>,
    held: BTreeMap<(JobId, ServerId, Role), Held>,
}

impl Model {
    fn server(&self, server: ServerId) -> Option<&Server> {
        self.servers.get(server.index())?.as_ref()
    }

    fn job(&self, job: JobId) -> Option<&Job> {
        self.jobs.get(job.index())?.as_ref()
    }

    fn runs(&self, job: JobId) -> bool {
        self.held.keys().any(|key| key.0 == job)
    }

    fn hosts(&self, server: ServerId) -> bool {
        self.held.keys().any(|key| key.1 == server)
    }

    fn free(&self, server: ServerId) -> u64 {
        let held: u64 = self
            .held
            .iter()
            .filter(|(key, _)| key.1 == server)
            .map(|(key, held)| self.gpus(key.0, held.0))
            .sum();
        self.server(server).map_or(0, |server| u64::from(server.gpus) - held)
    }

    fn gpus(&self, job: JobId, workers: u64) -> u64 {
        workers * self.job(job).map_or(0, |job| u64::from(job.gpus_per_worker))
    }

    /// The workers of a job, one entry each: the type that each runs on.
    fn types(&self, job: JobId, base_only: bool) -> Vec<GpuTypeId> {
        let mut types = Vec::new();
        for (&(owner, server, role), &(workers, _)) in &self.held {
            if owner == job && (role == Role::Base || !base_only) {
                let gpu_type = self.server(server).expect("a host").gpu_type;
                types.extend(core::iter::repeat_n(gpu_type, workers as usize));
            }
        }
        types
    }

    fn reference(&self, types: &[GpuTypeId]) -> u64 {
        let of_type = |kind: usize| types.iter().filter(|gpu_type| gpu_type.index() == kind).count() as u64;
        self.speeds.iter().enumerate().map(|(kind, speed)| of_type(kind) * speed.0 / speed.1).sum()
    }

    /// Whether every one of these workers could leave, and this many reference workers would be there still.
    fn any_could_leave(&self, types: &[GpuTypeId], wanted: u32) -> bool {
        (0..types.len()).all(|leaver| {
            let mut others = types.to_vec();
            others.remove(leaver);
            self.reference(&others) >= u64::from(wanted)
        })
    }

    fn may_host(&self, job: JobId, placement: &Placement) -> bool {
        let (Some(job_definition), Some(server)) = (self.job(job), self.server(placement.server)) else {
            return false;
        };
        let allowed = match &job_definition.gpu_types {
            AllowedGpuTypes::Any => true,
            AllowedGpuTypes::Reference => server.gpu_type.index() == 0,
            AllowedGpuTypes::Only(types) => types.contains(&server.gpu_type),
        };
        placement.workers > 0
            && !(placement.pinned && placement.role == Role::Flexible)
            && server.pool != Pool::Inference
            && allowed
            && self.gpus(job, placement.workers.into()) <= self.free(placement.server)
    }

    fn is_a_run(&self, job: JobId) -> bool {
        let Some(definition) = self.job(job) else { return false };
        let (base, all) = (self.types(job, true), self.types(job, false));
        let one_type = all.iter().all(|gpu_type| *gpu_type == all[0]);
        (one_type || definition.mixing_efficiency.is_some())
            && self.reference(&base) >= u64::from(definition.min_workers)
            && !self.any_could_leave(&base, definition.min_workers)
            && !self.any_could_leave(&all, definition.max_workers)
    }

    fn put(&mut self, job: JobId, placement: &Placement) {
        let held = self.held.entry((job, placement.server, placement.role)).or_default();
        held.0 += u64::from(placement.workers);
        held.1 |= placement.pinned;
    }

    fn take_one(&mut self, job: JobId, server: ServerId, role: Role) {
        let held = self.held.get_mut(&(job, server, role)).expect("a worker");
        held.0 -= 1;
        if held.0 == 0 {
            self.held.remove(&(job, server, role));
        }
    }

    /// The model after a change, or `None` where the change must be refused.
    fn place(&self, job: JobId, placements: &[Placement]) -> Option<Self> {
        let mut after = self.clone();
        if after.job(job).is_none() || after.runs(job) {
            return None;
        }
        for placement in placements {
            after.may_host(job, placement).then_some(())?;
            after.put(job, placement);
        }
        after.is_a_run(job).then_some(after)
    }

    fn scale_out(&self, job: JobId, server: ServerId, workers: u32) -> Option<Self> {
        let mut after = self.clone();
        let placement = Placement::flexible(server, workers);
        (after.runs(job) && after.may_host(job, &placement)).then_some(())?;
        after.put(job, &placement);
        after.is_a_run(job).then_some(after)
    }

    fn scale_in(&self, job: JobId, server: ServerId, workers: u32) -> Option<Self> {
        let mut after = self.clone();
        let min = after.job(job)?.min_workers;
        let held = |model: &Self, role| model.held.get(&(job, server, role)).copied().unwrap_or_default();
        let enough = held(&after, Role::Base).0 + held(&after, Role::Flexible).0 >= u64::from(workers);
        (workers > 0 && enough).then_some(())?;
        for _ in 0..workers {
            if held(&after, Role::Flexible).0 > 0 {
                after.take_one(job, server, Role::Flexible);
            } else if held(&after, Role::Base).1 {
                return None;
            } else {
                after.take_one(job, server, Role::Base);
            }
        }
        (after.reference(&after.types(job, false)) >= u64::from(min)).then_some(())?;
        while after.reference(&after.types(job, true)) < u64::from(min) {
            let mine = || after.held.keys().filter(|key| key.0 == job);
            let flexible = || mine().filter(|key| key.2 == Role::Flexible).map(|key| key.1);
            let beside = flexible().find(|&host| mine().any(|key| key.1 == host && key.2 == Role::Base));
            let host = beside.or_else(|| flexible().next())?;
            after.take_one(job, host, Role::Flexible);
            after.put(job, &Placement::base(host, 1));
        }
        Some(after)
    }

    fn stop(&self, job: JobId) -> Option<Self> {
        let mut after = self.clone();
        after.runs(job).then_some(())?;
        after.held.retain(|key, _| key.0 != job);
        Some(after)
    }

    fn remove_job(&self, job: JobId) -> Option<Self> {
        let mut after = self.clone();
        after.job(job)?;
        after.held.retain(|key, _| key.0 != job);
        after.jobs[job.index()] = None;
        Some(after)
    }

    fn remove_server(&self, server: ServerId) -> Option<Self> {
        let mut after = self.clone();
        (after.server(server).is_some() && !after.hosts(server)).then_some(())?;
        after.servers[server.index()] = None;
        Some(after)
    }

    fn set_pool(&self, server: ServerId, pool: Pool) -> Option<Self> {
        let mut after = self.clone();
        (pool != Pool::Inference || !after.hosts(server)).then_some(())?;
        after.servers.get_mut(server.index())?.as_mut()?.pool = pool;
        Some(after)
    }

    fn costs_fit(&self) -> bool {
        self.jobs.iter().flatten().map(|job| u128::from(job.preemption_cost)).sum::<u128>() <= u64::MAX.into()
    }

    fn is_in_order(job: &Job) -> bool {
        (1..=job.max_workers).contains(&job.min_workers) && job.remaining.0 > 0.0 && job.weight.is_finite()
    }

    fn add_job(&self, job: &Job) -> Option<Self> {
        let mut after = self.clone();
        after.jobs.push(Some(job.clone()));
        (Self::is_in_order(job) && after.costs_fit()).then_some(after)
    }

    fn update_job(&self, id: JobId, job: &Job) -> Option<Self> {
        let mut after = self.clone();
        let old = after.job(id)?.gpus_per_worker;
        after.jobs[id.index()] = Some(job.clone());
        (Self::is_in_order(job) && after.costs_fit()).then_some(())?;
        if after.runs(id) {
            let hosts: Vec<ServerId> = after.held.keys().filter(|key| key.0 == id).map(|key| key.1).collect();
            // Who is there already needs no room: ask with the smallest of workers whether the type is allowed.
            let mut roomy = after.clone();
            roomy.held.clear();
            let allowed = |&host: &ServerId| roomy.may_host(id, &Placement::base(host, 1));
            (old == job.gpus_per_worker && hosts.iter().all(allowed) && after.is_a_run(id)).then_some(())?;
        }
        Some(after)
    }
}

/// Whether the cluster says what the model says, about every id there is and one beyond.
fn assert_same(cluster: &Cluster, model: &Model) {
    assert_eq!(verify::cluster(cluster), Ok(()));
    for server in (0..=model.servers.len() as u32).map(ServerId::new) {
        assert_eq!(cluster.server(server), model.server(server));
        assert_eq!(u64::from(cluster.free_gpus(server)), model.free(server));
        let tenants = cluster.tenants(server).iter().map(|t| (t.job, t.role, u64::from(t.workers)));
        let mine = model.held.iter().filter(|(key, _)| key.1 == server);
        assert!(tenants.eq(mine.map(|(key, held)| (key.0, key.2, held.0))), "{server}");
    }
    for job in (0..=model.jobs.len() as u32).map(JobId::new) {
        assert_eq!(cluster.job(job), model.job(job));
        let placements = cluster.placements(job);
        let said = placements.iter().map(|p| (p.server, p.role, (u64::from(p.workers), p.pinned)));
        let mine = model.held.iter().filter(|(key, _)| key.0 == job);
        assert!(said.eq(mine.map(|(key, held)| (key.1, key.2, *held))), "{job}");
        assert_eq!(cluster.is_running(job), model.runs(job));
        let types = model.types(job, false);
        assert_eq!(cluster.workers(job), types.len() as u64);
        assert_eq!(cluster.reference_workers(job), model.reference(&types));
    }
    assert!(cluster.servers().map(|(id, _)| id.index()).eq(indices(&model.servers)));
    assert!(cluster.jobs().map(|(id, _)| id.index()).eq(indices(&model.jobs)));
}

fn indices<T>(slots: &[Option<T>]) -> impl Iterator<Item = usize> + '_ {
    slots.iter().enumerate().filter(|(_, slot)| slot.is_some()).map(|(index, _)| index)
}

/// Random input, about three quarters of it right.
struct Draw(Rand32);

impl Draw {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.rand_range(0..limit.max(1))
    }

    fn one_in(&mut self, chances: u32) -> bool {
        self.below(chances) == 0
    }

    fn gpu_type(&mut self) -> GpuTypeId {
        GpuTypeId::new(self.below(5).saturating_sub(2))
    }

    /// Mostly an id that was given out, perhaps of a thing that was removed.
    fn id<T>(&mut self, slots: &[Option<T>]) -> u32 {
        let beyond = u32::from(self.one_in(8));
        self.below(slots.len() as u32 + beyond)
    }

    fn server(&mut self) -> Server {
        let (kind, gpus) = (self.gpu_type(), 1 + self.below(12));
        match self.below(4) {
            0 => Server::inference(kind, gpus),
            1 => Server::on_loan(kind, gpus),
            _ => Server::training(kind, gpus),
        }
    }

    fn job(&mut self) -> Job {
        let min = if self.one_in(20) { 0 } else { 1 + self.below(4) };
        let max = if self.one_in(20) { 1 } else { min + self.below(6) };
        let mut job = Job::elastic(min..=max).gpus_per_worker(1 + self.below(3)).submitted(Seconds(-1.5));
        job = match self.below(4) {
            0 => job,
            1 => job.on([self.gpu_type()]),
            2 => job.on([self.gpu_type(), self.gpu_type()]),
            _ => job.fungible(),
        };
        if self.one_in(3) {
            job = job.heterogeneous();
        }
        match self.below(20) {
            0 => job.weight(f64::INFINITY),
            1 => job.remaining(Seconds(-0.0)),
            2 => job.preemption_cost(u64::MAX / 2),
            3 => job.preemption_cost(u64::MAX).remaining(Seconds(0.001)),
            _ => job.preemption_cost(self.below(5).into()),
        }
    }

    /// A gang for a job: spread over servers that mostly could host it, the size mostly right.
    fn gang(&mut self, model: &Model, id: JobId) -> Vec<Placement> {
        let mut placements = Vec::new();
        let mut after = model.clone();
        let usable =
            |model: &Model, placement: &Placement| model.may_host(id, placement) || placement.workers == 0;
        for _ in 0..24 {
            let server = ServerId::new(self.id(&model.servers));
            let role = if after.is_a_run(id) { Role::Flexible } else { Role::Base };
            if role == Role::Flexible && self.one_in(4) {
                break;
            }
            let mut placement =
                if role == Role::Base { Placement::base(server, 1) } else { Placement::flexible(server, 1) };
            placement.pinned = self.one_in(if role == Role::Base { 6 } else { 60 });
            if self.one_in(60) {
                placement.workers = [0, 3, u32::MAX][self.below(3) as usize];
            }
            let mixes = after.types(id, false).first().is_some_and(|&first| {
                model.server(server).is_some_and(|home| home.gpu_type != first)
                    && model.job(id).is_some_and(|job| !job.is_heterogeneous())
            });
            if self.one_in(60) || (usable(&after, &placement) && !mixes) {
                placements.push(placement);
                if after.may_host(id, &placement) {
                    after.put(id, &placement);
                }
            }
        }
        placements
    }
}

/// Carries out a change on the cluster, and expects of it what the model expects.
fn step(draw: &mut Draw, cluster: &mut Cluster, model: &mut Model) -> bool {
    let job = JobId::new(draw.id(&model.jobs));
    let server = ServerId::new(draw.id(&model.servers));
    let before = cluster.clone();
    let (done, expected) = match draw.below(16) {
        0..=4 => {
            let gang = draw.gang(model, job);
            (cluster.place(job, &gang).is_ok(), model.place(job, &gang))
        }
        5..=6 => {
            let workers = draw.below(4);
            (cluster.scale_out(job, server, workers).is_ok(), model.scale_out(job, server, workers))
        }
        7..=9 => {
            let hosts = cluster.placements(job);
            let host = hosts.get(draw.below(hosts.len() as u32 + 1) as usize).map_or(server, |p| p.server);
            let workers = draw.below(4);
            (cluster.scale_in(job, host, workers).is_ok(), model.scale_in(job, host, workers))
        }
        10 => (cluster.stop(job).is_ok(), model.stop(job)),
        11 if draw.one_in(2) => (cluster.remove_job(job).is_some(), model.remove_job(job)),
        11 => (cluster.remove_server(server).is_ok(), model.remove_server(server)),
        12 => {
            let pool = [Pool::Training, Pool::Inference, Pool::OnLoan][draw.below(3) as usize];
            (cluster.set_pool(server, pool).is_ok(), model.set_pool(server, pool))
        }
        13 => {
            let mut definition = draw.job();
            if let Some(old) = cluster.job(job).filter(|_| !draw.one_in(4)) {
                definition = old.clone().remaining(Seconds(60.0));
                definition.max_workers += draw.below(3);
                definition.min_workers -= u32::from(draw.one_in(4));
            }
            (cluster.update_job(job, definition.clone()).is_ok(), model.update_job(job, &definition))
        }
        14 => {
            let definition = draw.job();
            (cluster.add_job(definition.clone()).is_ok(), model.add_job(&definition))
        }
        _ => {
            let definition = draw.server();
            let mut after = model.clone();
            after.servers.push(Some(definition));
            (cluster.add_server(definition).is_ok(), Some(after))
        }
    };
    assert_eq!(done, expected.is_some());
    match expected {
        Some(after) => *model = after,
        None => assert_eq!(*cluster, before, "a refused change changed something"),
    }
    done
}

fn start(draw: &mut Draw, cluster: &mut Cluster) -> Model {
    let mut model = Model { speeds: vec![(1, 1), (1, 3), (3, 2)], ..Model::default() };
    for &(numerator, denominator) in &model.speeds {
        cluster.add_gpu_type(GpuType::new("").speed(numerator as u32, denominator as u32)).unwrap();
    }
    for _ in 0..6 {
        let server = draw.server();
        cluster.add_server(server).unwrap();
        model.servers.push(Some(server));
    }
    for _ in 0..6 {
        let job = draw.job();
        let after = model.add_job(&job);
        assert_eq!(cluster.add_job(job).is_ok(), after.is_some());
        model = after.unwrap_or(model);
    }
    model
}

/// The same cluster, built in another order: jobs from last to first, placements shuffled and split.
fn rebuilt(draw: &mut Draw, model: &Model) -> Cluster {
    let mut cluster = Cluster::new();
    for &(numerator, denominator) in &model.speeds {
        cluster.add_gpu_type(GpuType::new("").speed(numerator as u32, denominator as u32)).unwrap();
    }
    for server in &model.servers {
        let id = cluster.add_server(server.unwrap_or(Server::training(GpuTypeId::new(0), 1))).unwrap();
        if server.is_none() {
            cluster.remove_server(id).unwrap();
        }
    }
    for job in &model.jobs {
        let id = cluster.add_job(job.clone().unwrap_or(Job::inelastic(1).preemption_cost(0))).unwrap();
        if job.is_none() {
            cluster.remove_job(id).unwrap();
        }
    }
    for job in (0..model.jobs.len() as u32).rev().map(JobId::new).filter(|&job| model.runs(job)) {
        let mut gang = Vec::new();
        for (&(_, server, role), &(workers, pinned)) in model.held.iter().filter(|(key, _)| key.0 == job) {
            for worker in 0..workers {
                let one = if role == Role::Base {
                    Placement::base(server, 1)
                } else {
                    Placement::flexible(server, 1)
                };
                gang.push(if pinned && worker == 0 { one.pinned() } else { one });
            }
        }
        for end in (1..gang.len()).rev() {
            gang.swap(end, draw.below(end as u32 + 1) as usize);
        }
        cluster.place(job, &gang).unwrap();
    }
    cluster
}

#[test]
fn the_cluster_does_what_the_model_does() {
    let (mut done, mut refused, mut running) = (0, 0, 0);
    let mut cluster = Cluster::new();
    for seed in 0..SEQUENCES {
        let mut draw = Draw(Rand32::new(seed));
        // The same memory is used again, so what an earlier sequence left behind would be seen.
        cluster.clear();
        assert_eq!(cluster, Cluster::new());
        let mut model = start(&mut draw, &mut cluster);
        for _ in 0..STEPS {
            if step(&mut draw, &mut cluster, &mut model) {
                done += 1;
            } else {
                refused += 1;
            }
            assert_same(&cluster, &model);
            running += cluster.jobs().filter(|(job, _)| cluster.is_running(*job)).count();
        }
        assert_eq!(rebuilt(&mut draw, &model), cluster);
        #[cfg(feature = "serde")]
        {
            let text = serde_json::to_string(&cluster).unwrap();
            assert_eq!(serde_json::from_str::<Cluster>(&text).unwrap(), cluster);
        }
    }
    // The sequences are worth something only if both kinds of change are common, and jobs do run.
    assert!(done > 15_000 && refused > 10_000 && running > 60_000, "{done} {refused} {running}");
}

#[test]
fn the_order_in_which_placements_are_given_does_not_matter() {
    let start = || {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..200 {
            cluster.add_server(Server::training(gpu, 8)).unwrap();
        }
        let job = cluster.add_job(Job::elastic(400..=1_600)).unwrap();
        (cluster, job)
    };
    // One worker at a time: two of the base on each server, one of them pinned on every third, and up to six flexible.
    let mut placements = Vec::new();
    for server in (0..200).map(ServerId::new) {
        let first = Placement::base(server, 1);
        placements.push(if server.index() % 3 == 0 { first.pinned() } else { first });
        placements.push(Placement::base(server, 1));
        placements.extend((0..server.index() % 7).map(|_| Placement::flexible(server, 1)));
    }
    let (mut ascending, job) = start();
    ascending.place(job, &placements).unwrap();
    assert_eq!(verify::cluster(&ascending), Ok(()));
    let merged = ascending.placements(job).len();
    assert_eq!(merged, 200 + (0..200).filter(|server| server % 7 > 0).count());

    let mut random = Rand32::new(1);
    for round in 0..20 {
        placements.reverse();
        if round > 0 {
            for at in (1..placements.len()).rev() {
                placements.swap(at, random.rand_range(0..at as u32 + 1) as usize);
            }
        }
        let (mut cluster, job) = start();
        cluster.place(job, &placements).unwrap();
        assert_eq!(cluster, ascending, "round {round}");
        // The last one does not fit, and all the others are taken back.
        let (mut cluster, job) = start();
        placements.push(Placement::base(ServerId::new(0), 7));
        assert!(cluster.place(job, &placements).is_err());
        assert_eq!(cluster, start().0, "round {round}");
        placements.pop();
    }
}
