//! A job is built word by word: from its workers, then what else is to be said of it.

use super::{AllowedGpuTypes, Job};
use crate::id::GpuTypeId;
use crate::scaling::ScalingCurve;
use crate::units::Seconds;

impl Job {
    /// The same job with this many GPUs for each worker, at least 1. A worker's GPUs are all on one server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, PlaceError, Placement, Server};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let small = cluster.add_server(Server::training(v100, 4))?;
    /// let job = cluster.add_job(Job::inelastic(2).gpus_per_worker(8))?;
    /// assert_eq!(
    ///     cluster.place(job, &[Placement::base(small, 2)]),
    ///     Err(PlaceError::WorkerExceedsServer { job, server: small, gpus_per_worker: 8, gpus: 4 })
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gpus_per_worker(mut self, gpus: u32) -> Self {
        self.gpus_per_worker = gpus;
        self
    }

    /// The same job with this much running time left, were it to run with its minimum number of workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Seconds;
    ///
    /// // A minute with 2 workers is half a minute with 4.
    /// let job = Job::elastic(2..=4).remaining(Seconds(60.0));
    /// assert_eq!((job.running_time(2), job.running_time(4)), (Seconds(60.0), Seconds(30.0)));
    /// ```
    #[must_use]
    pub fn remaining(mut self, time: Seconds) -> Self {
        self.remaining = time;
        self
    }

    /// The same job with this scaling curve: how many times faster it runs with more workers. Without it, twice the workers
    /// are twice the speed.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::scaling::ScalingCurve;
    /// use aryl::units::Seconds;
    ///
    /// // Each worker above the second brings half of a full one: 4 workers do the work of 3.
    /// let job = Job::elastic(2..=4).remaining(Seconds(60.0)).scaling(ScalingCurve::LossPerAddedWorker { loss: 0.5 });
    /// assert_eq!(job.running_time(4), Seconds(40.0));
    /// ```
    #[must_use]
    pub fn scaling(mut self, curve: ScalingCurve) -> Self {
        self.scaling = curve;
        self
    }

    /// The same job, allowed on these GPU types and no others.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job};
    ///
    /// # let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1))?;
    /// let job = Job::inelastic(4).on([a100]);
    /// // The reference type is allowed only where it is named, though the workers are counted in it.
    /// assert!(job.gpu_types.contains(a100) && !job.gpu_types.contains(v100));
    /// assert_eq!(job.min_workers_on(cluster.speed(a100).unwrap()), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on(mut self, gpu_types: impl IntoIterator<Item = GpuTypeId>) -> Self {
        self.gpu_types = AllowedGpuTypes::Only(gpu_types.into_iter().collect());
        self
    }

    /// The same job, allowed on any GPU type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::id::GpuTypeId;
    ///
    /// let lent = GpuTypeId::new(1);
    /// assert!(!Job::inelastic(1).gpu_types.contains(lent)); // by default the reference type alone
    /// assert!(Job::inelastic(1).fungible().gpu_types.contains(lent));
    /// ```
    #[must_use]
    pub fn fungible(mut self) -> Self {
        self.gpu_types = AllowedGpuTypes::Any;
        self
    }

    /// The same job, allowed to mix GPU types in one run, at the default [`Self::MIXING_EFFICIENCY`] of the ideal speed.
    ///
    /// It mixes the types it allows: combine it with [`fungible`](Self::fungible) or [`on`](Self::on).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    ///
    /// let job = Job::elastic(2..=6).fungible().heterogeneous();
    /// assert_eq!(job.mixing_efficiency, Some(0.7));
    /// assert!(job.is_heterogeneous());
    /// ```
    #[must_use]
    pub fn heterogeneous(self) -> Self {
        self.heterogeneous_at(Self::MIXING_EFFICIENCY)
    }

    /// The same job, allowed to mix GPU types in one run, at this share of the ideal speed.
    ///
    /// The share is above 0 and at most 1. It counts only while workers are of more than one type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// # let (first, second) = (Server::training(v100, 1), Server::on_loan(t4, 8));
    /// # let (first, second) = (cluster.add_server(first)?, cluster.add_server(second)?);
    /// let job = Job::inelastic(2).remaining(Seconds(60.0)).fungible().heterogeneous_at(0.8);
    /// let job = cluster.add_job(job)?;
    /// // One V100, and three T4 that do the work of another: 60 s / 0.8.
    /// cluster.place(job, &[Placement::base(first, 1), Placement::base(second, 3)])?;
    /// assert_eq!(cluster.time_to_end(job), Some(Seconds(75.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn heterogeneous_at(mut self, efficiency: f64) -> Self {
        self.mixing_efficiency = Some(efficiency);
        self
    }

    /// The same job with this weight: what a second of its completion time counts beside a second of another job's.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::allocate::flexible_items;
    /// use aryl::cluster::Job;
    /// use aryl::units::{Seconds, Speed};
    ///
    /// // What a third worker is worth to it, in milliseconds of completion time: 60 s becomes 40 s.
    /// let third = |job: &Job| flexible_items(job, Speed::REFERENCE).next().map(|item| item.jct_reduction_milliseconds);
    /// let job = Job::elastic(2..=4).remaining(Seconds(60.0));
    /// assert_eq!(third(&job), Some(20_000));
    /// assert_eq!(third(&job.weight(3.0)), Some(60_000));
    /// ```
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// The same job with this cost of a preemption, in a unit that is the same for all jobs. A reclaim keeps the sum low.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::Reclaimer;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second) = (server()?, server()?);
    /// let dear = cluster.add_job(Job::inelastic(1).preemption_cost(3))?;
    /// cluster.place(dear, &[Placement::base(first, 1)])?;
    /// let cheap = [cluster.add_job(Job::inelastic(1))?, cluster.add_job(Job::inelastic(1))?];
    /// cluster.place(cheap[0], &[Placement::base(second, 1)])?;
    /// cluster.place(cheap[1], &[Placement::base(second, 1)])?;
    /// // Two jobs at 1 each cost less than one at 3.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.preempted(), cheap);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preemption_cost(mut self, cost: u64) -> Self {
        self.preemption_cost = cost;
        self
    }

    /// The same job, marked as one that must not be preempted: no server that hosts one of its workers is reclaimed.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{ReclaimError, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(1).protected())?;
    /// cluster.place(job, &[Placement::base(server, 1)])?;
    /// let refused = Reclaimer::default().solve(&cluster, 1).unwrap_err();
    /// assert!(matches!(refused, ReclaimError::NotEnoughServers { asked: 1, available: 0, .. }));
    /// assert!(refused.to_string().starts_with("1 server is to go back, and 0 can"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn protected(mut self) -> Self {
        self.protected = true;
        self
    }

    /// The same job, losing this much time each time that its number of workers changes. It is resized only for a gain above
    /// that.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// // Two GPUs are free. With them the job would end after 30 s, not 60 s.
    /// let steps = |overhead| {
    ///     let mut cluster = Cluster::new();
    ///     let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    ///     let server = cluster.add_server(Server::training(v100, 4))?;
    ///     let job = Job::elastic(2..=4).remaining(Seconds(60.0)).resize_overhead(overhead);
    ///     let job = cluster.add_job(job)?;
    ///     cluster.place(job, &[Placement::base(server, 2)])?;
    ///     let plan = Epoch::default().plan(&cluster, Request::NONE)?;
    ///     Ok::<_, Box<dyn std::error::Error>>(plan.actions().iter().filter(|action| action.is_change()).count())
    /// };
    /// assert_eq!(steps(Seconds(29.0))?, 1); // scaled out
    /// assert_eq!(steps(Seconds(30.0))?, 0); // nothing would be gained
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn resize_overhead(mut self, time: Seconds) -> Self {
        self.resize_overhead = time;
        self
    }

    /// The same job, submitted at this time, in seconds on the caller's own time line. Of jobs that are equally short, the one
    /// submitted first is offered GPUs first.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::allocate::shortest_first;
    /// use aryl::cluster::{Cluster, GpuType, Job};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let late = cluster.add_job(Job::inelastic(1).submitted(Seconds(20.0)))?;
    /// let early = cluster.add_job(Job::inelastic(1).submitted(Seconds(10.0)))?;
    /// assert_eq!(shortest_first(&cluster), [early, late]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn submitted(mut self, time: Seconds) -> Self {
        self.submitted = time;
        self
    }

    /// The same job with this priority: a higher number is more important. It counts where
    /// [`CostModel::Priority`](crate::reclaim::CostModel::Priority) or
    /// [`Costs::protect_priority`](crate::reclaim::Costs::protect_priority) says so, and nowhere else.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(1).priority(4))?;
    /// cluster.place(job, &[Placement::base(server, 1)])?;
    /// let cost = |model| Reclaimer::default().solve(&cluster, Ask::servers(1).costs(model)).map(|r| r.certificate().objective());
    /// assert_eq!(cost(CostModel::Stated)?, 1);
    /// assert_eq!(cost(CostModel::Priority)?, 5); // 1 + its priority
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn priority(mut self, priority: u32) -> Self {
        self.priority = priority;
        self
    }

    /// The same job, preempted this often so far. The caller counts; a reclaim can take it into account, by
    /// [`CostModel::Preemptions`](crate::reclaim::CostModel::Preemptions) or
    /// [`Costs::max_preemptions`](crate::reclaim::Costs::max_preemptions).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let servers = [server()?, server()?];
    /// let often = cluster.add_job(Job::inelastic(1).preemptions(2))?;
    /// let never = cluster.add_job(Job::inelastic(1))?;
    /// cluster.place(often, &[Placement::base(servers[0], 1)])?;
    /// cluster.place(never, &[Placement::base(servers[1], 1)])?;
    /// let fair = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(CostModel::Preemptions))?;
    /// assert_eq!(fair.preempted(), [never]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preemptions(mut self, times: u32) -> Self {
        self.preemptions = times;
        self
    }

    /// The same job, whose present run began at this time.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::Job;
    /// use aryl::units::Seconds;
    ///
    /// // Started a second time, from what it had saved before.
    /// let job = Job::inelastic(8).preemptions(1).checkpointed(Seconds(500.0)).started(Seconds(900.0));
    /// assert_eq!((job.started, job.checkpointed), (Some(Seconds(900.0)), Some(Seconds(500.0))));
    /// ```
    #[must_use]
    pub fn started(mut self, time: Seconds) -> Self {
        self.started = Some(time);
        self
    }

    /// The same job, whose work was last saved at this time.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Costs, Reclaimer};
    /// use aryl::units::Seconds;
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::inelastic(8).started(Seconds(0.0)).checkpointed(Seconds(900.0)))?;
    /// cluster.place(job, &[Placement::base(server, 8)])?;
    /// // At 1,000 s, the work of 8 GPUs in the last 100 s would be lost.
    /// let lost = Costs::new(CostModel::GpuSecondsLost).now(Seconds(1_000.0));
    /// let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).costs(lost))?;
    /// assert_eq!(answer.certificate().objective(), 800);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn checkpointed(mut self, time: Seconds) -> Self {
        self.checkpointed = Some(time);
        self
    }
}
