//! Checked changes to a cluster between decisions: place, scale, stop, remove, move between pools.

use super::error::{PlaceError, RemoveServerError, ScaleInError, SetPoolError, StopError, UpdateJobError};
use super::{Cluster, Job, Placement, Pool, Role, Server};
use crate::id::{JobId, ServerId};

impl Cluster {
    /// Starts a waiting job: places its whole base demand, and flexible workers if any are given.
    ///
    /// On an error the cluster is unchanged.
    ///
    /// # Errors
    ///
    /// [`PlaceError`] where an id is unknown, the job runs already, a server can't host it, or the base workers are not
    /// just its minimum.
    ///
    /// # Complexity
    ///
    /// O(p log p + p · t) for p placements on servers with t tenants.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, PlaceError, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(3).gpus_per_worker(4))?;
    /// // A gang is placed whole or not at all.
    /// assert_eq!(
    ///     cluster.place(job, &[Placement::base(server, 2)]),
    ///     Err(PlaceError::BelowMinimum { job, workers: 2, min: 3 })
    /// );
    /// assert_eq!(
    ///     cluster.place(job, &[Placement::base(server, 3)]),
    ///     Err(PlaceError::NotEnoughGpus { job, server, gpus: 12, free: 8 })
    /// );
    /// assert!(!cluster.is_running(job));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place(&mut self, job: JobId, placements: &[Placement]) -> Result<(), PlaceError> {
        let definition = self.inventory.job(job).ok_or(PlaceError::UnknownJob { job })?;
        if self.occupancy.is_running(job) {
            return Err(PlaceError::AlreadyPlaced { job });
        }
        let gpus_per_worker = definition.gpus_per_worker;
        for &placement in placements {
            let fits = self.check_host(job, definition, placement);
            if let Err(error) = fits {
                self.occupancy.release(job, gpus_per_worker);
                return Err(error);
            }
            self.occupancy.append(job, placement, gpus_per_worker);
        }
        self.occupancy.settle(job);
        let checked = self.check_running(job, definition);
        if checked.is_err() {
            self.occupancy.release(job, gpus_per_worker);
        }
        checked
    }

    /// Adds flexible workers to a running job.
    ///
    /// # Errors
    ///
    /// [`PlaceError`] where an id is unknown, the job waits, the server can't host the workers, or the job would exceed
    /// its maximum. Then the cluster is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=4))?;
    /// cluster.place(job, &[Placement::base(server, 2)])?;
    /// cluster.scale_out(job, server, 2)?;
    /// assert_eq!((cluster.workers(job), cluster.free_gpus(server)), (4, 4));
    /// assert!(cluster.scale_out(job, server, 1).is_err()); // above its maximum
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p + t) for p placements of the job and t tenants of the server.
    pub fn scale_out(&mut self, job: JobId, server: ServerId, workers: u32) -> Result<(), PlaceError> {
        let definition = self.inventory.job(job).ok_or(PlaceError::UnknownJob { job })?;
        if !self.occupancy.is_running(job) {
            return Err(PlaceError::NotRunning { job });
        }
        let placement = Placement::flexible(server, workers);
        self.check_host(job, definition, placement)?;
        let gpus_per_worker = definition.gpus_per_worker;
        self.occupancy.attach(job, placement, gpus_per_worker);
        let checked = self.check_running(job, definition);
        if checked.is_err() {
            self.occupancy.detach(job, server, Role::Flexible, workers, gpus_per_worker);
        }
        checked
    }

    /// Takes workers of a running job from a server: flexible workers first, then base workers.
    ///
    /// Where base workers leave, flexible workers of the job take their place: on servers that host base workers of the
    /// job first, then on the servers with the lowest ids. (Workers of a job are interchangeable, but for pinned ones.)
    ///
    /// # Errors
    ///
    /// [`ScaleInError`] where an id is unknown, the job has fewer workers there, the workers are pinned, or less than
    /// its minimum would be left. Then the cluster is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, ScaleInError, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let first = cluster.add_server(Server::training(v100, 8))?;
    /// let second = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=4))?;
    /// cluster.place(job, &[Placement::base(first, 2), Placement::flexible(second, 2)])?;
    ///
    /// // The base leaves the first server, and the workers on the second become the base.
    /// cluster.scale_in(job, first, 2)?;
    /// assert_eq!(cluster.placements(job), [Placement::base(second, 2)]);
    /// assert_eq!(cluster.scale_in(job, second, 1), Err(ScaleInError::BelowMinimum { job, left: 1, min: 2 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p + t) for p placements of the job and t tenants of the server, where only flexible workers leave; else O(p · (p + t)),
    /// for servers with t tenants.
    pub fn scale_in(&mut self, job: JobId, server: ServerId, workers: u32) -> Result<(), ScaleInError> {
        let definition = self.inventory.job(job).ok_or(ScaleInError::UnknownJob { job })?;
        let home = self.inventory.server(server).ok_or(ScaleInError::UnknownServer { server })?;
        let flexible = self.occupancy.workers(job, server, Role::Flexible);
        let base = self.occupancy.workers(job, server, Role::Base);
        let held = u64::from(flexible) + u64::from(base);
        if workers == 0 {
            return Err(ScaleInError::ZeroWorkers { job });
        }
        if u64::from(workers) > held {
            return Err(ScaleInError::TooFew { job, server, workers, held });
        }
        let gpus = definition.gpus_per_worker;
        // Where only flexible workers leave, the base is left whole.
        let from_base = workers.saturating_sub(flexible);
        if from_base == 0 {
            self.occupancy.detach(job, server, Role::Flexible, workers, gpus);
            return Ok(());
        }
        let pinned = |p: &Placement| p.server == server && p.pinned;
        if self.occupancy.placements(job).iter().any(pinned) {
            return Err(ScaleInError::Pinned { job, server });
        }
        let mut left = self.inventory.tally(self.occupancy.placements(job));
        left.remove(home.gpu_type, workers);
        let (left, min) = (left.reference_workers(), definition.min_workers);
        if left < u64::from(min) {
            return Err(ScaleInError::BelowMinimum { job, left, min });
        }
        self.occupancy.detach(job, server, Role::Flexible, flexible, gpus);
        self.occupancy.detach(job, server, Role::Base, from_base, gpus);
        self.inventory.fill_base(&mut self.occupancy, job, definition);
        Ok(())
    }

    /// Takes all workers from a running job, which then waits again: what a preemption does.
    ///
    /// # Errors
    ///
    /// [`StopError`] where the job is unknown or waits already.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(3))?;
    /// cluster.place(job, &[Placement::base(server, 3)])?;
    /// cluster.stop(job)?;
    /// assert!(!cluster.is_running(job));
    /// assert_eq!(cluster.free_gpus(server), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p · t) for p placements of the job on servers with t tenants.
    pub fn stop(&mut self, job: JobId) -> Result<(), StopError> {
        let definition = self.inventory.job(job).ok_or(StopError::UnknownJob { job })?;
        if !self.occupancy.is_running(job) {
            return Err(StopError::NotRunning { job });
        }
        self.occupancy.release(job, definition.gpus_per_worker);
        Ok(())
    }

    /// Removes a job, waiting or running, and frees its GPUs. `None` where the cluster does not hold it.
    ///
    /// Its id is not used again until [`clear`](Self::clear).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(3))?;
    /// cluster.place(job, &[Placement::base(server, 3)])?;
    /// assert_eq!(cluster.remove_job(job), Some(Job::inelastic(3)));
    /// assert_eq!(cluster.remove_job(job), None);
    /// assert_eq!(cluster.free_gpus(server), 8);
    /// assert_eq!(cluster.add_job(Job::inelastic(1))?.index(), 1); // id 0 is not used again
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p · t) for p placements of the job on servers with t tenants.
    pub fn remove_job(&mut self, job: JobId) -> Option<Job> {
        let definition = self.inventory.jobs.get_mut(job.index())?.take()?;
        self.occupancy.release(job, definition.gpus_per_worker);
        self.total_preemption_cost -= definition.preemption_cost;
        Some(definition)
    }

    /// Removes a server that hosts no worker.
    ///
    /// Its id is not used again until [`clear`](Self::clear).
    ///
    /// # Errors
    ///
    /// [`RemoveServerError`] where the server is unknown or hosts workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, RemoveServerError, Server};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(3))?;
    /// cluster.place(job, &[Placement::base(server, 3)])?;
    /// assert_eq!(cluster.remove_server(server), Err(RemoveServerError::Occupied { server, job }));
    /// cluster.stop(job)?;
    /// assert_eq!(cluster.remove_server(server)?.gpus, 8);
    /// assert!(cluster.server(server).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn remove_server(&mut self, server: ServerId) -> Result<Server, RemoveServerError> {
        if let Some(tenant) = self.occupancy.tenants(server).first() {
            return Err(RemoveServerError::Occupied { server, job: tenant.job });
        }
        let slot = self.inventory.servers.get_mut(server.index());
        let removed = slot.and_then(Option::take).ok_or(RemoveServerError::UnknownServer { server })?;
        self.occupancy.retire_server(server);
        Ok(removed)
    }

    /// Moves a server to another pool: lends it, or gives it back.
    ///
    /// # Errors
    ///
    /// [`SetPoolError`] where the server is unknown, or is to serve inference while it hosts training workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Pool, Server, SetPoolError};
    /// use aryl::id::ServerId;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::inference(v100, 8))?;
    /// cluster.set_pool(server, Pool::OnLoan)?;
    /// assert_eq!(cluster.server(server).unwrap().pool, Pool::OnLoan);
    /// let unknown = ServerId::new(7);
    /// assert_eq!(
    ///     cluster.set_pool(unknown, Pool::Training),
    ///     Err(SetPoolError::UnknownServer { server: unknown })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn set_pool(&mut self, server: ServerId, pool: Pool) -> Result<(), SetPoolError> {
        let tenant = self.occupancy.tenants(server).first().copied();
        let slot = self.inventory.servers.get_mut(server.index()).and_then(Option::as_mut);
        let definition = slot.ok_or(SetPoolError::UnknownServer { server })?;
        match tenant {
            Some(tenant) if !pool.is_for_training() => {
                Err(SetPoolError::Occupied { server, job: tenant.job })
            }
            _ => {
                definition.pool = pool;
                Ok(())
            }
        }
    }

    /// Marks a server as one that stays in its pool, or takes the mark away. `false` where the cluster does not hold
    /// the server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::id::ServerId;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// assert!(cluster.set_server_protected(server, true));
    /// assert!(cluster.server(server).unwrap().protected);
    /// assert!(!cluster.set_server_protected(ServerId::new(7), true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_server_protected(&mut self, server: ServerId, protected: bool) -> bool {
        match self.inventory.servers.get_mut(server.index()).and_then(Option::as_mut) {
            Some(definition) => {
                definition.protected = protected;
                true
            }
            None => false,
        }
    }

    /// Replaces the definition of a job, waiting or running, and gives back the old one.
    ///
    /// Use it between decisions to bring the remaining time up to date.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let job = cluster.add_job(Job::inelastic(1).remaining(Seconds(600.0)))?;
    /// let later = cluster.job(job).unwrap().clone().remaining(Seconds(300.0));
    /// cluster.update_job(job, later)?;
    /// assert_eq!(cluster.job(job).unwrap().remaining, Seconds(300.0));
    ///
    /// // A definition that is wrong in itself is refused, and the old one stays.
    /// assert!(cluster.update_job(job, Job::inelastic(0)).is_err());
    /// assert_eq!(cluster.job(job).unwrap().min_workers, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`UpdateJobError`] where the job is unknown, the new definition is wrong in itself, or it does not allow where
    /// the job runs now (for one, its GPUs a worker differ). Then the cluster is unchanged.
    ///
    /// # Complexity
    ///
    /// O(p + GPU types that the job lists) for p placements of the job.
    pub fn update_job(&mut self, job: JobId, definition: Job) -> Result<Job, UpdateJobError> {
        let old = self.inventory.job(job).ok_or(UpdateJobError::UnknownJob { job })?;
        let other_costs = self.total_preemption_cost - old.preemption_cost;
        self.check_job(&definition, other_costs)?;
        if self.occupancy.is_running(job) {
            let (old, new) = (old.gpus_per_worker, definition.gpus_per_worker);
            if old != new {
                return Err(UpdateJobError::GpusPerWorker { job, old, new });
            }
            for placement in self.occupancy.placements(job) {
                self.check_type(job, &definition, placement.server)?;
            }
            self.check_running(job, &definition)?;
        }
        self.total_preemption_cost = other_costs + definition.preemption_cost;
        let slot = self.inventory.jobs[job.index()].replace(definition);
        slot.ok_or(UpdateJobError::UnknownJob { job })
    }

    /// Whether a server may host these workers, now.
    fn check_host(&self, job: JobId, definition: &Job, placement: Placement) -> Result<(), PlaceError> {
        let Placement { server, role, workers, pinned } = placement;
        let home = self.inventory.server(server).ok_or(PlaceError::UnknownServer { server })?;
        if workers == 0 {
            return Err(PlaceError::ZeroWorkers { job, server });
        }
        if pinned && role == Role::Flexible {
            return Err(PlaceError::PinnedFlexible { job, server });
        }
        if !home.pool.is_for_training() {
            return Err(PlaceError::NotForTraining { server, pool: home.pool });
        }
        self.check_type(job, definition, server)?;
        let gpus_per_worker = definition.gpus_per_worker;
        if gpus_per_worker > home.gpus {
            return Err(PlaceError::WorkerExceedsServer { job, server, gpus_per_worker, gpus: home.gpus });
        }
        let (gpus, free) = (u64::from(workers) * u64::from(gpus_per_worker), self.occupancy.free(server));
        if gpus > u64::from(free) {
            return Err(PlaceError::NotEnoughGpus { job, server, gpus, free });
        }
        Ok(())
    }

    fn check_type(&self, job: JobId, definition: &Job, server: ServerId) -> Result<(), PlaceError> {
        let gpu_type =
            self.inventory.server(server).map(|s| s.gpu_type).ok_or(PlaceError::UnknownServer { server })?;
        if definition.gpu_types.contains(gpu_type) {
            Ok(())
        } else {
            Err(PlaceError::GpuTypeNotAllowed { job, server, gpu_type })
        }
    }

    /// Whether the workers that a job has now are a run of it: its whole base, no more than its maximum, one GPU type
    /// unless it may mix them.
    fn check_running(&self, job: JobId, definition: &Job) -> Result<(), PlaceError> {
        let placements = self.occupancy.placements(job);
        let all = self.inventory.tally(placements);
        if let (Some((first, second)), false) = (all.mixed(), definition.is_heterogeneous()) {
            return Err(PlaceError::MixedGpuTypes { job, first, second });
        }
        let base = self.inventory.tally(placements.iter().filter(|p| p.role == Role::Base));
        let (min, max) = (definition.min_workers, definition.max_workers);
        let workers = base.reference_workers();
        if workers < u64::from(min) {
            return Err(PlaceError::BelowMinimum { job, workers, min });
        }
        if !base.is_just(min) {
            return Err(PlaceError::BaseAboveMinimum {
                job,
                workers: self.workers_of_role(job, Role::Base),
                min,
            });
        }
        if all.exceeds(max) {
            return Err(PlaceError::AboveMaximum { job, workers: self.workers(job), max });
        }
        Ok(())
    }

    fn workers_of_role(&self, job: JobId, role: Role) -> u64 {
        self.occupancy.placements(job).iter().filter(|p| p.role == role).map(|p| u64::from(p.workers)).sum()
    }
}
