//! Clusters of on-loan servers, filled with jobs under churn, by seed. Shared by the tests and the benches.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::units::Seconds;
use oorandom::Rand32;

/// GPUs of each server.
const GPUS: u32 = 8;

/// How large the jobs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// Mostly jobs of 1 to 4 GPUs, up to 16.
    SmallJobs,
    /// Jobs of 1 to 64 GPUs.
    WideJobs,
}

impl Mix {
    /// GPUs of a job, with the number of times in a hundred that a job has them.
    fn sizes(self) -> &'static [(u32, u32)] {
        match self {
            Self::SmallJobs => &[(1, 45), (2, 25), (4, 17), (8, 9), (16, 4)],
            Self::WideJobs => &[(1, 20), (2, 15), (4, 15), (8, 20), (16, 15), (32, 10), (64, 5)],
        }
    }

    fn draw(self, random: &mut Rand32) -> u32 {
        let mut at = random.rand_range(0..100);
        for &(gpus, times) in self.sizes() {
            if at < times {
                return gpus;
            }
            at -= times;
        }
        1
    }
}

/// Fills servers with jobs until nothing fits, then three times lets a third of the jobs end and fills again: jobs end
/// up beside strangers and in pieces, as on a real cluster. `elastic` of a hundred jobs hold twice their minimum.
pub(crate) fn filled(servers: u32, mix: Mix, elastic: u32, seed: u64) -> Cluster {
    let mut random = Rand32::new(seed);
    let mut room = Room::new(servers);
    let mut gangs: Vec<Gang> = Vec::new();
    for round in 0..4 {
        if round > 0 {
            for _ in 0..gangs.len() / 3 {
                let at = random.rand_range(0..gangs.len() as u32) as usize;
                for &server in &gangs.swap_remove(at).workers {
                    room.give_back(server, 1);
                }
            }
        }
        let mut misses = 0;
        while misses < 3 {
            match room.place(mix.draw(&mut random), &mut random) {
                Some(workers) => gangs.push(Gang { workers, elastic: random.rand_range(0..100) < elastic }),
                None => misses += 1,
            }
        }
    }
    build(servers, &gangs, &mut random)
}

/// Fills servers by best fit with jobs of 1 to 64 GPUs, each doubling as likely as any other, to 95 % of their GPUs, then ten times lets a fifth of the jobs end
/// and fills again. `elastic` of a hundred jobs hold twice their minimum.
pub(crate) fn churned(servers: u32, elastic: u32, seed: u64) -> Cluster {
    let mut random = Rand32::new(seed);
    let mut room = Room::new(servers);
    let mut gangs: Vec<Gang> = Vec::new();
    let (all, mut used) = (servers * GPUS, 0);
    for round in 0..11 {
        if round > 0 {
            for _ in 0..gangs.len() / 5 {
                let gone = gangs.swap_remove(random.rand_range(0..gangs.len() as u32) as usize);
                used -= gone.workers.len() as u32;
                gone.workers.iter().for_each(|&server| room.give_back(server, 1));
            }
        }
        while used < all / 20 * 19 {
            // What does not fit waits for ever: the next job comes.
            let Some(workers) = room.place_best_fit(any_size(&mut random)) else { continue };
            used += workers.len() as u32;
            gangs.push(Gang { workers, elastic: random.rand_range(0..100) < elastic });
        }
    }
    build(servers, &gangs, &mut random)
}

/// From 1 to 64.
fn any_size(random: &mut Rand32) -> u32 {
    let least = 1 << random.rand_range(0..6);
    least + random.rand_range(0..least + 1)
}

struct Gang {
    /// The server of each worker.
    workers: Vec<u32>,
    elastic: bool,
}

/// Servers by free GPUs, so that a worker finds its server in constant time.
struct Room {
    free: Vec<u32>,
    buckets: Vec<Vec<u32>>,
    place: Vec<u32>,
}

impl Room {
    fn new(servers: u32) -> Self {
        let mut buckets = vec![Vec::new(); GPUS as usize + 1];
        buckets[GPUS as usize] = (0..servers).collect();
        Self { free: vec![GPUS; servers as usize], buckets, place: (0..servers).collect() }
    }

    fn shift(&mut self, server: u32, free: u32) {
        let bucket = &mut self.buckets[self.free[server as usize] as usize];
        let at = self.place[server as usize] as usize;
        bucket.swap_remove(at);
        if let Some(&moved) = bucket.get(at) {
            self.place[moved as usize] = at as u32;
        }
        self.free[server as usize] = free;
        self.place[server as usize] = self.buckets[free as usize].len() as u32;
        self.buckets[free as usize].push(server);
    }

    fn give_back(&mut self, server: u32, gpus: u32) {
        self.shift(server, self.free[server as usize] + gpus);
    }

    /// The servers of the workers of 1 GPU of a new job. Piece by piece, as many as fit go to one server: half of the
    /// time to the fullest that takes them all, else to any that has room, drawn at random.
    fn place(&mut self, gpus: u32, random: &mut Rand32) -> Option<Vec<u32>> {
        let mut workers = Vec::new();
        while (workers.len() as u32) < gpus {
            let wanted = (gpus - workers.len() as u32).min(GPUS);
            let best_fit = (wanted..=GPUS).find(|&free| !self.buckets[free as usize].is_empty());
            let server = match best_fit {
                Some(free) if random.rand_range(0..2) == 0 => {
                    let bucket = &self.buckets[free as usize];
                    Some(bucket[random.rand_range(0..bucket.len() as u32) as usize])
                }
                _ => self.any(random),
            };
            let Some(server) = server else {
                workers.iter().for_each(|&server| self.give_back(server, 1));
                return None;
            };
            let free = self.free[server as usize];
            let taken = wanted.min(free);
            self.shift(server, free - taken);
            workers.extend((0..taken).map(|_| server));
        }
        Some(workers)
    }

    /// The same, each piece on the fullest server that takes it whole, else on the server with most room.
    fn place_best_fit(&mut self, gpus: u32) -> Option<Vec<u32>> {
        let mut workers = Vec::new();
        while (workers.len() as u32) < gpus {
            let wanted = (gpus - workers.len() as u32).min(GPUS);
            let has_room = |&free: &u32| !self.buckets[free as usize].is_empty();
            let Some(free) = (wanted..=GPUS).find(has_room).or_else(|| (1..wanted).rev().find(has_room))
            else {
                workers.iter().for_each(|&server| self.give_back(server, 1));
                return None;
            };
            let server = self.buckets[free as usize][0];
            let taken = wanted.min(free);
            self.shift(server, free - taken);
            workers.extend((0..taken).map(|_| server));
        }
        Some(workers)
    }

    /// A server that is not full.
    fn any(&self, random: &mut Rand32) -> Option<u32> {
        let with_room: usize = self.buckets[1..].iter().map(Vec::len).sum();
        if with_room == 0 {
            return None;
        }
        let mut at = random.rand_range(0..with_room as u32) as usize;
        for bucket in &self.buckets[1..] {
            match bucket.get(at) {
                Some(&server) => return Some(server),
                None => at -= bucket.len(),
            }
        }
        None
    }
}

fn build(servers: u32, gangs: &[Gang], random: &mut Rand32) -> Cluster {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let ids: Vec<_> = (0..servers).map(|_| cluster.add_server(Server::on_loan(gpu, GPUS)).unwrap()).collect();
    for gang in gangs {
        let count = gang.workers.len() as u32;
        let min = if gang.elastic { count.div_ceil(2) } else { count };
        let remaining = Seconds(f64::from(600 + random.rand_range(0..36_000)));
        let job = cluster.add_job(Job::elastic(min..=count).remaining(remaining)).unwrap();
        let place = |(at, &server): (usize, &u32)| match at {
            at if (at as u32) < min => Placement::base(ids[server as usize], 1),
            _ => Placement::flexible(ids[server as usize], 1),
        };
        let placements: Vec<Placement> = gang.workers.iter().enumerate().map(place).collect();
        cluster.place(job, &placements).unwrap();
    }
    cluster
}
