//! Any sequence of changes to a cluster: none may panic, a refused one must change nothing, and `verify::cluster` must
//! agree after each.

#![no_main]

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;
use aryl::verify;
use libfuzzer_sys::fuzz_target;

/// Bytes of the input, one after another; 0 after the last.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u32 {
        self.0.split_off_first().copied().unwrap_or(0).into()
    }

    /// Small numbers as they are; the last few are the ends of the range.
    fn count(&mut self) -> u32 {
        match self.next() {
            255 => u32::MAX,
            254 => 1 << 31,
            253 => 1 << 20,
            252 => 1_024,
            small => small,
        }
    }

    fn time(&mut self) -> Seconds {
        Seconds(match self.next() {
            255 => f64::NAN,
            254 => f64::INFINITY,
            253 => -1.0,
            252 => 9_007_199_254_740.0,
            251 => 5e-324,
            small => f64::from(small),
        })
    }

    fn job(&mut self) -> Job {
        let (min, more) = (self.count(), self.count());
        let mut job = Job::elastic(min..=min.wrapping_add(more)).gpus_per_worker(self.count());
        job = match self.next() % 4 {
            0 => job,
            1 => job.fungible(),
            2 => job.fungible().heterogeneous_at(self.time().0),
            _ => job.on([GpuTypeId::new(self.next()), GpuTypeId::new(0)]).heterogeneous(),
        };
        job = job.remaining(self.time()).weight(self.time().0);
        if self.next().is_multiple_of(8) {
            job = job.preemption_cost(u64::MAX >> (self.next() % 4)).protected();
        }
        job
    }

    fn placements(&mut self) -> Vec<Placement> {
        (0..self.next() % 8)
            .map(|_| {
                let (server, workers) = (ServerId::new(self.next()), self.count());
                match self.next() % 4 {
                    0 | 1 => Placement::base(server, workers),
                    2 => Placement::flexible(server, workers),
                    _ => Placement::base(server, workers).pinned(),
                }
            })
            .collect()
    }
}

/// Carries out one change. Whether it was made.
fn change(cluster: &mut Cluster, bytes: &mut Bytes) -> bool {
    let kind = bytes.next() % 12;
    let (job, server) = (JobId::new(bytes.next()), ServerId::new(bytes.next()));
    match kind {
        0 => cluster.add_gpu_type(GpuType::new("GPU").speed(bytes.count(), bytes.count())).is_ok(),
        1 => {
            let (gpu_type, gpus) = (GpuTypeId::new(bytes.next()), bytes.count());
            let server = match bytes.next() % 3 {
                0 => Server::training(gpu_type, gpus),
                1 => Server::on_loan(gpu_type, gpus),
                _ => Server::inference(gpu_type, gpus),
            };
            cluster.add_server(server).is_ok()
        }
        2 => cluster.add_job(bytes.job()).is_ok(),
        3 | 4 => cluster.place(job, &bytes.placements()).is_ok(),
        5 => cluster.scale_out(job, server, bytes.count()).is_ok(),
        6 => cluster.scale_in(job, server, bytes.count()).is_ok(),
        7 => cluster.stop(job).is_ok(),
        8 => cluster.remove_job(job).is_some(),
        9 => cluster.remove_server(server).is_ok(),
        10 => {
            let pool = [Pool::Training, Pool::OnLoan, Pool::Inference][bytes.next() as usize % 3];
            cluster.set_pool(server, pool).is_ok()
        }
        _ => cluster.update_job(job, bytes.job()).is_ok(),
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let mut cluster = Cluster::new();
    while !bytes.0.is_empty() {
        let before = cluster.clone();
        let changed = change(&mut cluster, &mut bytes);
        verify::cluster(&cluster).expect("the rules of the cluster");
        assert!(changed || cluster == before, "a refused change changed something");
    }
    let written = serde_json::to_vec(&cluster).expect("a cluster can be written");
    let read: Cluster = serde_json::from_slice(&written).expect("and read again");
    assert_eq!(read, cluster);
});
