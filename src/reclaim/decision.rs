//! The answer to "which servers go back": servers, victims, and how good it is known to be.

use alloc::vec::Vec;
use core::fmt;

use crate::certificate::{Certificate, Sense};
use crate::id::{JobId, ServerId};
use crate::units::Seconds;

/// Workers of a job that leave a server while the job runs on.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Departure, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let home = cluster.add_server(Server::training(v100, 8))?;
/// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=6))?;
/// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
/// let answer = Reclaimer::default().solve(&cluster, 1)?;
/// assert_eq!(answer.departures(), [Departure { job, server: lent, workers: 4 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Departure {
    /// The job.
    pub job: JobId,
    /// The server they leave.
    pub server: ServerId,
    /// How many leave: workers of the server's own GPU type.
    pub workers: u32,
}

/// Which on-loan servers go back, which jobs that preempts, and which workers leave jobs that run on.
///
/// All lists are in ascending order of ids.
///
/// # Examples
///
/// Job 0 has 12 GPUs on two servers, job 1 has 2 GPUs on a third. One server goes back.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Policy, Reclaimer};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(v100, 8));
/// let (first, second, third) = (server()?, server()?, server()?);
/// let wide = cluster.add_job(Job::inelastic(12).preemption_cost(1))?;
/// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
/// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
/// cluster.place(dear, &[Placement::base(third, 2)])?;
///
/// let answer = Reclaimer::new(Policy::Aryl).solve(&cluster, 1)?;
/// assert_eq!(answer.servers(), [first]);
/// assert_eq!(answer.preempted(), [wide]);
/// assert!(answer.departures().is_empty());
/// // The six GPUs on the second server are lost to the job, though the server stays.
/// assert_eq!((answer.returned_gpus(), answer.collateral_gpus()), (8, 6));
/// assert_eq!(answer.collateral_damage(), 0.75);
/// assert_eq!(answer.jct_lost(), Seconds(0.0));
/// assert_eq!(answer.certificate().to_string(), "1, proven optimal");
/// assert_eq!(
///     answer.to_string(),
///     "1 server goes back, 1 job preempted, 0 departures, preemption cost 1, proven optimal"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reclaim {
    pub(crate) servers: Vec<ServerId>,
    pub(crate) preempted: Vec<JobId>,
    pub(crate) departures: Vec<Departure>,
    pub(crate) returned_gpus: u64,
    pub(crate) collateral_gpus: u64,
    pub(crate) jct_lost_milliseconds: u64,
    pub(crate) certificate: Certificate,
}

impl Default for Reclaim {
    /// Nothing goes back, and nothing is lost.
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            preempted: Vec::new(),
            departures: Vec::new(),
            returned_gpus: 0,
            collateral_gpus: 0,
            jct_lost_milliseconds: 0,
            certificate: Certificate::optimal(Sense::Minimize, 0),
        }
    }
}

impl Reclaim {
    /// The servers that go back, in ascending order of ids: exactly as many as were asked for, or as many as it takes for the
    /// GPUs that were asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// assert_eq!(Reclaimer::default().solve(&cluster, 2)?.servers(), [first, second]);
    /// // With 16 GPUs asked for it is the same two; with 8 it is one of them.
    /// assert_eq!(Reclaimer::default().solve(&cluster, Ask::gpus(8))?.servers(), [first]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn servers(&self) -> &[ServerId] {
        &self.servers
    }

    /// The jobs that are preempted whole, on every server, in ascending order of ids.
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
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // One server or two: it is the same job.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.preempted(), [wide]);
    /// assert_eq!(Reclaimer::default().solve(&cluster, 2)?.preempted(), [wide]);
    /// assert_eq!(Reclaimer::default().solve(&cluster, 3)?.preempted(), [wide, dear]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn preempted(&self) -> &[JobId] {
        &self.preempted
    }

    /// The workers that leave jobs which run on, by job and server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Departure, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// # let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let elastic = cluster.add_job(Job::elastic(2..=6))?;
    /// cluster.place(elastic, &[Placement::base(home, 2), Placement::flexible(lent, 3)])?;
    /// let rigid = cluster.add_job(Job::inelastic(4))?;
    /// cluster.place(rigid, &[Placement::base(lent, 4)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 1)?;
    /// // The elastic job runs on without three workers. The other is preempted, and is not listed here.
    /// assert_eq!(answer.departures(), [Departure { job: elastic, server: lent, workers: 3 }]);
    /// assert_eq!(answer.preempted(), [rigid]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn departures(&self) -> &[Departure] {
        &self.departures
    }

    /// The GPUs of the servers that go back.
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
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // All GPUs of the server, and not only those that were in use.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.returned_gpus(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn returned_gpus(&self) -> u64 {
        self.returned_gpus
    }

    /// The GPUs that preempted jobs hold on servers that do not go back.
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
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // The first server alone: the job is lost on the second server too, which stays.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.collateral_gpus(), 6);
    /// assert_eq!(Reclaimer::default().solve(&cluster, 2)?.collateral_gpus(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn collateral_gpus(&self) -> u64 {
        self.collateral_gpus
    }

    /// The collateral damage: GPUs that preempted jobs hold on servers that do not go back, as a share of the GPUs that
    /// do. 0 where no server goes back (Aryl, section 7).
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
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // 6 GPUs on a server that stays, for 8 on the server that goes.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.collateral_damage(), 0.75);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn collateral_damage(&self) -> f64 {
        if self.returned_gpus == 0 { 0.0 } else { self.collateral_gpus as f64 / self.returned_gpus as f64 }
    }

    /// How much later the jobs that are scaled in end, summed over them, each multiplied by its weight.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::Reclaimer;
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 2)])?;
    /// // 30 s with four workers, 60 s with two.
    /// assert_eq!(Reclaimer::default().solve(&cluster, 1)?.jct_lost(), Seconds(30.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn jct_lost(&self) -> Seconds {
        Seconds(self.jct_lost_milliseconds as f64 / 1_000.0)
    }

    /// The total preemption cost, and a lower bound on it over all choices that answer the ask.
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
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// let certificate = *Reclaimer::default().solve(&cluster, 3)?.certificate();
    /// assert_eq!((certificate.objective(), certificate.bound()), (6, 6)); // 1 for the wide job, 5 for the dear one
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Empties the answer, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.servers.clear();
        self.preempted.clear();
        self.departures.clear();
        self.returned_gpus = 0;
        self.collateral_gpus = 0;
        self.jct_lost_milliseconds = 0;
        self.certificate = Certificate::optimal(Sense::Minimize, 0);
    }
}

impl fmt::Display for Reclaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, one: &'static str, many: &'static str| {
            (count, if count == 1 { one } else { many })
        };
        let (servers, go) = counted(self.servers.len(), "server goes", "servers go");
        let (jobs, preempted) = counted(self.preempted.len(), "job", "jobs");
        let (departures, leave) = counted(self.departures.len(), "departure", "departures");
        write!(
            f,
            "{servers} {go} back, {jobs} {preempted} preempted, {departures} {leave}, preemption cost {}",
            self.certificate
        )
    }
}
