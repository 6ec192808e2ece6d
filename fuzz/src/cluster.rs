//! Any sequence of changes to a cluster: none may panic, a refused one must change nothing, the cluster must be what a
//! shadow model says it is after each, and `verify::cluster` must agree.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::units::Seconds;
use aryl::verify;

use super::bytes::Bytes;
use super::model::Model;

/// One change to a cluster.
#[derive(Debug)]
pub enum Change {
    AddGpuType(u32, u32),
    AddServer(Server),
    AddJob(Job),
    Place(JobId, Vec<Placement>),
    ScaleOut(JobId, ServerId, u32),
    ScaleIn(JobId, ServerId, u32),
    Stop(JobId),
    RemoveJob(JobId),
    RemoveServer(ServerId),
    SetPool(ServerId, Pool),
    Protect(ServerId, bool),
    UpdateJob(JobId, Job),
}

fn read_job(bytes: &mut Bytes) -> Job {
    let (min, more) = (bytes.count(), bytes.count());
    let mut job = Job::elastic(min..=min.wrapping_add(more)).gpus_per_worker(bytes.count());
    job = match bytes.below(4) {
        0 => job,
        1 => job.fungible(),
        2 => job.fungible().heterogeneous_at(bytes.time()),
        _ => job.on([GpuTypeId::new(bytes.byte()), GpuTypeId::new(0)]).heterogeneous(),
    };
    job = job.remaining(Seconds(bytes.time())).weight(bytes.time());
    if bytes.byte().is_multiple_of(8) {
        job = job.preemption_cost(u64::MAX >> bytes.below(4)).protected();
    }
    job
}

fn read_gang(bytes: &mut Bytes) -> Vec<Placement> {
    let read = |bytes: &mut Bytes| {
        let (server, workers) = (ServerId::new(bytes.byte()), bytes.count());
        match bytes.below(4) {
            0 | 1 => Placement::base(server, workers),
            2 => Placement::flexible(server, workers),
            _ => Placement::base(server, workers).pinned(),
        }
    };
    (0..bytes.below(8)).map(|_| read(bytes)).collect()
}

impl Change {
    fn read(bytes: &mut Bytes) -> Self {
        let kind = bytes.below(12);
        let (job, server) = (JobId::new(bytes.byte()), ServerId::new(bytes.byte()));
        match kind {
            0 => Self::AddGpuType(bytes.count(), bytes.count()),
            1 => {
                let (gpu_type, gpus) = (GpuTypeId::new(bytes.byte()), bytes.count());
                Self::AddServer(match bytes.below(3) {
                    0 => Server::training(gpu_type, gpus),
                    1 => Server::on_loan(gpu_type, gpus),
                    _ => Server::inference(gpu_type, gpus),
                })
            }
            2 => Self::AddJob(read_job(bytes)),
            3 | 4 => Self::Place(job, read_gang(bytes)),
            5 => Self::ScaleOut(job, server, bytes.count()),
            6 => Self::ScaleIn(job, server, bytes.count()),
            7 => Self::Stop(job),
            8 => Self::RemoveJob(job),
            9 => Self::RemoveServer(server),
            10 => match bytes.below(5) {
                0 => Self::SetPool(server, Pool::Training),
                1 => Self::SetPool(server, Pool::OnLoan),
                2 => Self::SetPool(server, Pool::Inference),
                protected => Self::Protect(server, protected == 3),
            },
            _ => Self::UpdateJob(job, read_job(bytes)),
        }
    }

    /// Whether the cluster made the change.
    fn make(&self, cluster: &mut Cluster) -> bool {
        match self {
            Self::AddGpuType(numerator, denominator) => {
                cluster.add_gpu_type(GpuType::new("GPU").speed(*numerator, *denominator)).is_ok()
            }
            Self::AddServer(server) => cluster.add_server(*server).is_ok(),
            Self::AddJob(job) => cluster.add_job(job.clone()).is_ok(),
            Self::Place(job, gang) => cluster.place(*job, gang).is_ok(),
            Self::ScaleOut(job, server, workers) => cluster.scale_out(*job, *server, *workers).is_ok(),
            Self::ScaleIn(job, server, workers) => cluster.scale_in(*job, *server, *workers).is_ok(),
            Self::Stop(job) => cluster.stop(*job).is_ok(),
            Self::RemoveJob(job) => cluster.remove_job(*job).is_some(),
            Self::RemoveServer(server) => cluster.remove_server(*server).is_ok(),
            Self::SetPool(server, pool) => cluster.set_pool(*server, *pool).is_ok(),
            Self::Protect(server, protected) => cluster.set_server_protected(*server, *protected),
            Self::UpdateJob(job, definition) => cluster.update_job(*job, definition.clone()).is_ok(),
        }
    }
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (mut cluster, mut model) = (Cluster::new(), Model::default());
    while !bytes.is_empty() {
        let change = Change::read(&mut bytes);
        let before = cluster.clone();
        let changed = change.make(&mut cluster);
        match model.after(&change) {
            Some(after) => {
                assert!(changed, "{change:?} was refused");
                model = after;
            }
            None => {
                assert!(!changed, "{change:?} was made");
                assert!(cluster == before, "{change:?} was refused and changed something");
            }
        }
        model.assert_same(&cluster);
        verify::cluster(&cluster).expect("the rules of the cluster");
    }
    let written = serde_json::to_vec(&cluster).expect("a cluster can be written");
    let read: Cluster = serde_json::from_slice(&written).expect("and read again");
    assert_eq!(read, cluster);
    cluster.clear();
    assert_eq!(cluster, Cluster::new());
}
