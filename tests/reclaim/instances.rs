//! Small random clusters with everything in them.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{GpuTypeId, ServerId};
use aryl::units::Seconds;
use oorandom::Rand32;

/// A cluster as lists, so that a test can change it before it is built.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) servers: Vec<Server>,
    pub(crate) jobs: Vec<(Job, Vec<Placement>)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Jobs with workers above their minimum.
    pub(crate) elastic: bool,
    /// T4 GPUs of speed 1 : 3 and A100 GPUs of speed 5 : 2 beside the reference, and jobs that mix them.
    pub(crate) types: bool,
    /// Protected servers and jobs, pinned workers, training servers, costs of 0 and huge ones.
    pub(crate) special: bool,
}

impl Shape {
    pub(crate) const PLAIN: Self = Self { elastic: false, types: false, special: false };
    pub(crate) const ELASTIC: Self = Self { elastic: true, ..Self::PLAIN };
    pub(crate) const ALL: Self = Self { elastic: true, types: true, special: true };
}

impl Instance {
    pub(crate) fn random(shape: Shape, random: &mut Rand32) -> Self {
        Self::random_up_to(shape, 7, random)
    }

    /// With at most so many servers.
    pub(crate) fn random_up_to(shape: Shape, most: u32, random: &mut Rand32) -> Self {
        let types = if shape.types { 3 } else { 1 };
        let server = |random: &mut Rand32| {
            let (gpu_type, gpus) = (GpuTypeId::new(random.rand_range(0..types)), 4 * random.rand_range(1..3));
            match random.rand_range(0..8) {
                0 if shape.special => Server::training(gpu_type, gpus),
                1 if shape.special => Server::on_loan(gpu_type, gpus).protected(),
                _ => Server::on_loan(gpu_type, gpus),
            }
        };
        let servers: Vec<Server> = (0..random.rand_range(2..most + 1)).map(|_| server(random)).collect();
        let mut instance = Self { servers, jobs: Vec::new() };
        let mut free: Vec<u32> = instance.servers.iter().map(|server| server.gpus).collect();
        for _ in 0..random.rand_range(0..most + 3) {
            instance.add_random_job(shape, &mut free, random);
        }
        instance
    }

    fn add_random_job(&mut self, shape: Shape, free: &mut Vec<u32>, random: &mut Rand32) {
        let min = 1 + random.rand_range(0..5);
        let surplus = if shape.elastic { random.rand_range(0..5) } else { 0 };
        let mut job = Job::elastic(min..=min + surplus).gpus_per_worker(1 + random.rand_range(0..2));
        job = job.remaining(Seconds(f64::from(60 + 60 * random.rand_range(0..3))));
        let mixes = shape.types && random.rand_range(0..3) == 0;
        if mixes {
            job = job.heterogeneous().fungible();
        } else if shape.types {
            job = job.fungible();
        }
        if shape.special {
            job = job.weight([1.0, 2.5][random.rand_range(0..2) as usize]);
            job = job.preemption_cost([0, 1, 1, 2, 7, u64::MAX / 16][random.rand_range(0..6) as usize]);
            job.protected = random.rand_range(0..12) == 0;
        }
        // Workers one by one, near each other more often than not; base ones until the minimum is reached.
        let only = random.rand_range(0..if shape.types { 3 } else { 1 });
        let mut counts = [0_u64; 3];
        let reference = |counts: &[u64; 3]| counts[0] + counts[1] / 3 + counts[2] * 5 / 2;
        let mut placements: Vec<Placement> = Vec::new();
        let mut left = free.clone();
        let mut at = random.rand_range(0..self.servers.len() as u32) as usize;
        let mut base_done = false;
        for _ in 0..60 {
            if random.rand_range(0..3) == 0 {
                at = random.rand_range(0..self.servers.len() as u32) as usize;
            }
            let gpu_type = self.servers[at].gpu_type;
            if left[at] < job.gpus_per_worker || (!mixes && gpu_type.get() != only) {
                continue;
            }
            let mut next = counts;
            next[gpu_type.index()] += 1;
            if reference(&counts) >= u64::from(job.max_workers)
                || (base_done && reference(&next) > u64::from(job.max_workers))
            {
                break;
            }
            let id = ServerId::new(at as u32);
            placements.push(if base_done { Placement::flexible(id, 1) } else { Placement::base(id, 1) });
            left[at] -= job.gpus_per_worker;
            counts = next;
            base_done = reference(&counts) >= u64::from(min);
            if base_done && random.rand_range(0..5) == 0 {
                break;
            }
        }
        if base_done {
            if shape.special && random.rand_range(0..4) == 0 {
                placements[0] = placements[0].pinned();
            }
            *free = left;
            self.jobs.push((job, placements));
        }
    }

    pub(crate) fn build(&self) -> Cluster {
        let mut cluster = Cluster::new();
        cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
        cluster.add_gpu_type(GpuType::new("A100").speed(5, 2)).unwrap();
        for &server in &self.servers {
            cluster.add_server(server).unwrap();
        }
        for (job, placements) in &self.jobs {
            let id = cluster.add_job(job.clone()).unwrap();
            cluster.place(id, placements).unwrap();
        }
        cluster
    }
}
