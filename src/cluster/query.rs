//! What can be read of a cluster: what it holds, who runs where, and what the running jobs make of it.

use super::{Cluster, GpuType, Job, Placement, Server, Tenant};
use crate::id::{GpuTypeId, JobId, ServerId};
use crate::units::{Seconds, Speed};

impl Cluster {
    /// The GPU types, in ascending order of ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let names: Vec<_> = cluster.gpu_types().map(|(id, gpu_type)| format!("{id}: {}", gpu_type.name)).collect();
    /// assert_eq!(names, ["GPU type 0: V100", "GPU type 1: T4"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn gpu_types(&self) -> impl Iterator<Item = (GpuTypeId, &GpuType)> {
        (0..).zip(&self.inventory.gpu_types).map(|(index, gpu_type)| (GpuTypeId::new(index), gpu_type))
    }

    /// The servers, in ascending order of ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Pool, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// cluster.add_server(Server::on_loan(v100, 4))?;
    /// let lent = cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan);
    /// assert_eq!(lent.map(|(_, server)| server.gpus).sum::<u32>(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn servers(&self) -> impl Iterator<Item = (ServerId, &Server)> {
        self.inventory.servers()
    }

    /// The jobs, waiting and running, in ascending order of ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let job = cluster.add_job(Job::elastic(1..=2))?;
    /// cluster.add_job(Job::inelastic(1))?;
    /// let elastic: Vec<_> = cluster.jobs().filter(|(_, job)| job.is_elastic()).map(|(id, _)| id).collect();
    /// assert_eq!(elastic, [job]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, &Job)> {
        self.inventory.jobs()
    }

    /// A GPU type, or `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType};
    /// use aryl::id::GpuTypeId;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// assert_eq!(cluster.gpu_type(v100).unwrap().name, "V100");
    /// assert_eq!(cluster.gpu_type(GpuTypeId::new(1)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gpu_type(&self, gpu_type: GpuTypeId) -> Option<&GpuType> {
        self.inventory.gpu_types.get(gpu_type.index())
    }

    /// The speed of a GPU type relative to the reference, in lowest terms, or `None` where the cluster does not hold
    /// it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType};
    /// use aryl::units::Speed;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(2, 6))?;
    /// assert_eq!(cluster.speed(v100), Some(Speed::REFERENCE));
    /// assert_eq!(cluster.speed(t4).unwrap().to_string(), "1:3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn speed(&self, gpu_type: GpuTypeId) -> Option<Speed> {
        self.inventory.speed(gpu_type)
    }

    /// A server, or `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// assert_eq!(cluster.server(server).map(|server| server.gpus), Some(8));
    /// cluster.remove_server(server)?;
    /// assert_eq!(cluster.server(server), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn server(&self, server: ServerId) -> Option<&Server> {
        self.inventory.server(server)
    }

    /// A job, or `None` where the cluster does not hold it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// assert_eq!(cluster.job(job).unwrap().running_time(6), Seconds(20.0));
    /// cluster.remove_job(job);
    /// assert_eq!(cluster.job(job), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn job(&self, job: JobId) -> Option<&Job> {
        self.inventory.job(job)
    }

    /// The GPUs of a server that no worker holds; 0 where the cluster does not hold the server.
    ///
    /// GPUs of a server in the inference pool count as free too, though no training job may use them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(2))?;
    /// cluster.place(job, &[Placement::base(server, 3)])?;
    /// assert_eq!(cluster.free_gpus(server), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn free_gpus(&self, server: ServerId) -> u32 {
        self.occupancy.free(server)
    }

    /// Who runs on a server, in ascending order of jobs and, within a job, base before flexible.
    ///
    /// # Complexity
    ///
    /// O(1), and O(1) for each step of a walk through the slice.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(job, &[Placement::base(server, 1), Placement::flexible(server, 2)])?;
    /// let held: Vec<_> = cluster.tenants(server).iter().map(|tenant| (tenant.job, tenant.role, tenant.workers)).collect();
    /// assert_eq!(held, [(job, Role::Base, 1), (job, Role::Flexible, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tenants(&self, server: ServerId) -> &[Tenant] {
        self.occupancy.tenants(server)
    }

    /// Where a job runs, in ascending order of servers and, on one server, base before flexible. Empty while it waits.
    ///
    /// # Complexity
    ///
    /// O(1), and O(1) for each step of a walk through the slice.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(1..=3))?;
    /// assert!(cluster.placements(job).is_empty());
    /// cluster.place(job, &[Placement::flexible(server, 2), Placement::base(server, 1)])?;
    /// assert_eq!(cluster.placements(job), [Placement::base(server, 1), Placement::flexible(server, 2)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn placements(&self, job: JobId) -> &[Placement] {
        self.occupancy.placements(job)
    }

    /// Whether a job has workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(2))?;
    /// assert!(!cluster.is_running(job));
    /// // One worker of two is no run, and is refused: there is nothing between waiting and running.
    /// assert!(cluster.place(job, &[Placement::base(server, 1)]).is_err());
    /// assert!(!cluster.is_running(job));
    /// cluster.place(job, &[Placement::base(server, 2)])?;
    /// assert!(cluster.is_running(job));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_running(&self, job: JobId) -> bool {
        self.occupancy.is_running(job)
    }

    /// The workers of a job, of whatever GPU type they are; 0 while it waits.
    ///
    /// # Complexity
    ///
    /// O(p) for p placements of the job.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let (first, second) = (Server::training(v100, 8), Server::training(v100, 8));
    /// # let (first, second) = (cluster.add_server(first)?, cluster.add_server(second)?);
    /// let job = cluster.add_job(Job::elastic(2..=4))?;
    /// assert_eq!(cluster.workers(job), 0);
    /// cluster.place(job, &[Placement::base(first, 2), Placement::flexible(second, 1)])?;
    /// assert_eq!(cluster.workers(job), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn workers(&self, job: JobId) -> u64 {
        self.placements(job).iter().map(|placement| u64::from(placement.workers)).sum()
    }

    /// The whole reference workers that a job's workers make up; 0 while it waits.
    ///
    /// It is the sum, over the GPU types that the job runs on, of ⌊workers · speed⌋.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let server = cluster.add_server(Server::on_loan(t4, 8))?;
    /// let job = cluster.add_job(Job::inelastic(2).fungible())?;
    /// cluster.place(job, &[Placement::base(server, 6)])?;
    /// assert_eq!(cluster.workers(job), 6);
    /// assert_eq!(cluster.reference_workers(job), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p) for p placements of the job, times its GPU types.
    #[must_use]
    pub fn reference_workers(&self, job: JobId) -> u64 {
        self.inventory.tally(self.placements(job)).reference_workers()
    }

    /// The time to the end of a job with the workers that it has now; `None` while it waits.
    ///
    /// It is the job's [running time](Job::running_time) with the reference workers that its workers make up, divided by
    /// its mixing efficiency where they are of more than one GPU type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(60.0)))?;
    /// assert_eq!(cluster.time_to_end(job), None);
    /// cluster.place(job, &[Placement::base(server, 2), Placement::flexible(server, 1)])?;
    /// assert_eq!(cluster.time_to_end(job), Some(Seconds(40.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p) for p placements of the job, times its GPU types, and one call of its scaling curve.
    #[must_use]
    pub fn time_to_end(&self, job: JobId) -> Option<Seconds> {
        let (definition, placements) = (self.job(job)?, self.placements(job));
        (!placements.is_empty()).then(|| self.inventory.tally(placements).time_to_end(definition))
    }
}
