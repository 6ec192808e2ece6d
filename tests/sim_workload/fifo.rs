//! First in, first out on servers of 8 GPUs, written for these tests alone: it shares no code with the simulation.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use aryl::sim::workload::TraceJob;

/// What FIFO does to a trace.
pub(crate) struct Outcome {
    /// Queuing and completion times, ascending.
    pub(crate) queuing: Vec<f64>,
    pub(crate) completion: Vec<f64>,
    /// The share of the GPUs that were busy from 0 to the end of the window.
    pub(crate) usage: f64,
}

/// Free GPUs of each server, and the servers with so many free.
struct Servers {
    free: Vec<usize>,
    with_free: Vec<BTreeSet<usize>>,
}

impl Servers {
    fn new(count: usize) -> Self {
        let mut with_free = vec![BTreeSet::new(); 9];
        with_free[8] = (0..count).collect();
        Self { free: vec![8; count], with_free }
    }

    fn set(&mut self, server: usize, free: usize) {
        self.with_free[self.free[server]].remove(&server);
        self.with_free[free].insert(server);
        self.free[server] = free;
    }

    /// Places a gang whole or not at all, each worker where it fits best.
    fn place(&mut self, workers: u32, gpus: usize) -> Option<Vec<usize>> {
        let mut placed = Vec::new();
        for _ in 0..workers {
            let Some(server) = (gpus..=8).find_map(|free| self.with_free[free].first().copied()) else {
                self.free(&placed, gpus);
                return None;
            };
            self.set(server, self.free[server] - gpus);
            placed.push(server);
        }
        Some(placed)
    }

    fn free(&mut self, placed: &[usize], gpus: usize) {
        for &server in placed {
            self.set(server, self.free[server] + gpus);
        }
    }
}

/// Runs every job with the workers it requests, in order of submission, on so many servers.
pub(crate) fn run(jobs: &[TraceJob], servers: usize, window: f64) -> Outcome {
    let mut pool = Servers::new(servers);
    let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); jobs.len()];
    let (mut queuing, mut completion) = (Vec::new(), Vec::new());
    let mut busy = 0.0;
    let mut now = 0.0f64;
    for (id, job) in jobs.iter().enumerate() {
        now = now.max(job.job.submitted.0);
        let gpus = job.job.gpus_per_worker as usize;
        loop {
            while let Some(&Reverse((end, ended))) = ends.peek()
                && end as f64 <= now
            {
                ends.pop();
                pool.free(&std::mem::take(&mut held[ended]), jobs[ended].job.gpus_per_worker as usize);
            }
            if let Some(placed) = pool.place(job.requested_workers, gpus) {
                held[id] = placed;
                break;
            }
            now = ends.peek().expect("a job larger than the cluster").0.0 as f64;
        }
        let time = job.job.running_time(job.requested_workers).0;
        ends.push(Reverse(((now + time).ceil() as u64, id)));
        let inside = (now + time).min(window) - now.min(window);
        busy += inside * f64::from(job.requested_workers) * gpus as f64;
        queuing.push(now - job.job.submitted.0);
        completion.push(now + time - job.job.submitted.0);
    }
    queuing.sort_by(f64::total_cmp);
    completion.sort_by(f64::total_cmp);
    Outcome { queuing, completion, usage: busy / (servers as f64 * 8.0 * window) }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn percentile(ascending: &[f64], share: f64) -> f64 {
    ascending[(share * ascending.len() as f64) as usize]
}
