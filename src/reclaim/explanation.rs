//! Why an answer is what it is: what each victim frees, and what left each server.

use core::fmt;

use super::decision::Reclaim;
use crate::cluster::{Cluster, Placement};
use crate::id::{JobId, ServerId};

/// An answer, read beside the cluster that it was made for.
///
/// Made by [`Reclaim::explain`]. It holds nothing of its own and allocates nothing: each question is answered from the
/// two when it is asked. Printed, it is a line for each server and each preempted job.
///
/// # Examples
///
/// Job 0 holds two servers, job 1 can spare the worker that it has on the second.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Left, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = |pool: fn(_, _) -> Server| cluster.add_server(pool(v100, 8));
/// let (first, second, idle) = (server(Server::on_loan)?, server(Server::on_loan)?, server(Server::on_loan)?);
/// let home = server(Server::training)?;
/// let wide = cluster.add_job(Job::inelastic(6).gpus_per_worker(2))?;
/// cluster.place(wide, &[Placement::base(first, 2), Placement::base(second, 3), Placement::base(home, 1)])?;
/// let elastic = cluster.add_job(Job::elastic(1..=2))?;
/// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 1)])?;
///
/// let answer = Reclaimer::default().solve(&cluster, 3)?;
/// let explanation = answer.explain(&cluster);
/// let victim = explanation.victim(wide).unwrap();
/// assert!(victim.frees().eq([first, second]));
/// assert_eq!(victim.collateral_gpus(), 2);
/// let left = [
///     Left { job: wide, workers: 3, gpus: 6, is_preempted: true },
///     Left { job: elastic, workers: 1, gpus: 1, is_preempted: false },
/// ];
/// assert!(explanation.server(second).unwrap().left().eq(left));
/// assert_eq!(
///     explanation.to_string(),
///     "server 0 goes back: job 0 is preempted (2 workers, 4 GPUs here)\n\
///      server 1 goes back: job 0 is preempted (3 workers, 6 GPUs here), 1 worker of job 1 leaves\n\
///      server 2 goes back: it is idle\n\
///      job 0 is preempted: that frees server 0, server 1; 2 of its GPUs are on servers that stay"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Explanation<'a> {
    answer: &'a Reclaim,
    cluster: &'a Cluster,
}

/// A job that is preempted, and what for.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::Reclaimer;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let servers = [cluster.add_server(Server::on_loan(v100, 8))?, cluster.add_server(Server::on_loan(v100, 8))?];
/// let job = cluster.add_job(Job::inelastic(16))?;
/// cluster.place(job, &servers.map(|server| Placement::base(server, 8)))?;
/// let answer = Reclaimer::default().solve(&cluster, 1)?;
/// let victim = answer.explain(&cluster).victim(job).unwrap();
/// assert_eq!(
///     victim.to_string(),
///     "job 0 is preempted: that frees server 0; 8 of its GPUs are on servers that stay"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Victim<'a> {
    /// The job.
    pub job: JobId,
    why: Explanation<'a>,
}

/// A server that goes back, and what left it.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::reclaim::Reclaimer;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::on_loan(v100, 8))?;
/// let answer = Reclaimer::default().solve(&cluster, 1)?;
/// let returned = answer.explain(&cluster).server(server).unwrap();
/// assert_eq!(returned.to_string(), "server 0 goes back: it is idle");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReturnedServer<'a> {
    /// The server.
    pub server: ServerId,
    why: Explanation<'a>,
}

/// Workers of one job that leave a server which goes back.
///
/// # Examples
///
/// ```
/// use aryl::id::JobId;
/// use aryl::reclaim::Left;
///
/// let left = Left { job: JobId::new(4), workers: 3, gpus: 6, is_preempted: false };
/// assert_eq!(left.to_string(), "3 workers of job 4 leave");
/// assert_eq!(Left { is_preempted: true, ..left }.to_string(), "job 4 is preempted (3 workers, 6 GPUs here)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The job.
    pub job: JobId,
    /// Its workers on the server, of the server's own GPU type.
    pub workers: u32,
    /// Their GPUs.
    pub gpus: u64,
    /// Whether the job is preempted; if not, it runs on without these workers.
    pub is_preempted: bool,
}

impl Reclaim {
    /// Explains this answer, given the cluster that it was made for, before it is carried out.
    ///
    /// With another cluster the explanation is of no use: it tells what that cluster holds of the servers and jobs named.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 2)?;
    /// assert_eq!(
    ///     answer.explain(&cluster).to_string(),
    ///     "server 0 goes back: job 0 is preempted (4 workers, 4 GPUs here)\n\
    ///      server 2 goes back: it is idle\n\
    ///      job 0 is preempted: that frees server 0; 4 of its GPUs are on servers that stay"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Constant: each part is worked out when it is asked for.
    #[must_use]
    pub const fn explain<'a>(&'a self, cluster: &'a Cluster) -> Explanation<'a> {
        Explanation { answer: self, cluster }
    }
}

impl<'a> Explanation<'a> {
    /// The preempted jobs, in ascending order of ids.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 3)?;
    /// // The elastic job runs on, so it is no victim.
    /// assert!(answer.explain(&cluster).victims().map(|victim| victim.job).eq([wide]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn victims(self) -> impl Iterator<Item = Victim<'a>> {
        self.answer.preempted.iter().map(move |&job| Victim { job, why: self })
    }

    /// The servers that go back, in ascending order of ids.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 2)?;
    /// let explanation = answer.explain(&cluster);
    /// assert!(explanation.servers().map(|server| (server.server, server.was_idle())).eq([(first, false), (idle, true)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn servers(self) -> impl Iterator<Item = ReturnedServer<'a>> {
        self.answer.servers.iter().map(move |&server| ReturnedServer { server, why: self })
    }

    /// A preempted job; `None` where it is not preempted.
    ///
    /// # Complexity
    ///
    /// O(log victims).
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 3)?;
    /// let explanation = answer.explain(&cluster);
    /// assert!(explanation.victim(wide).unwrap().frees().eq([first, second]));
    /// assert!(explanation.victim(elastic).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn victim(self, job: JobId) -> Option<Victim<'a>> {
        self.is_preempted(job).then_some(Victim { job, why: self })
    }

    /// A server that goes back; `None` where it stays.
    ///
    /// # Complexity
    ///
    /// O(log servers) for the servers that go back.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 2)?;
    /// let explanation = answer.explain(&cluster);
    /// assert_eq!(explanation.server(first).unwrap().left().count(), 1);
    /// assert!(explanation.server(second).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn server(self, server: ServerId) -> Option<ReturnedServer<'a>> {
        self.goes_back(server).then_some(ReturnedServer { server, why: self })
    }

    fn is_preempted(self, job: JobId) -> bool {
        self.answer.preempted.binary_search(&job).is_ok()
    }

    fn goes_back(self, server: ServerId) -> bool {
        self.answer.servers.binary_search(&server).is_ok()
    }
}

impl<'a> Victim<'a> {
    /// The servers that go back on which it has workers, in ascending order of ids: at least one.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let frees = |count| -> Result<Vec<_>, aryl::reclaim::ReclaimError> {
    ///     let answer = Reclaimer::default().solve(&cluster, count)?;
    ///     Ok(answer.explain(&cluster).victims().flat_map(|victim| victim.frees()).collect())
    /// };
    /// assert_eq!(frees(2)?, [first]);
    /// assert_eq!(frees(3)?, [first, second]); // the same job
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p log s) for p placements of the job and s servers that go back.
    pub fn frees(self) -> impl Iterator<Item = ServerId> {
        // The placements ascend by server, so a server with both kinds of workers is listed twice in a row.
        self.placements()
            .chunk_by(|a, b| a.server == b.server)
            .map(|here| here[0].server)
            .filter(move |&server| self.why.goes_back(server))
    }

    /// The GPUs of its workers on servers that do not go back.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let collateral = |count| -> Result<u64, aryl::reclaim::ReclaimError> {
    ///     let answer = Reclaimer::default().solve(&cluster, count)?;
    ///     Ok(answer.explain(&cluster).victims().map(|victim| victim.collateral_gpus()).sum())
    /// };
    /// assert_eq!((collateral(2)?, collateral(3)?), (4, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(p log s) for p placements of the job and s servers that go back.
    #[must_use]
    pub fn collateral_gpus(self) -> u64 {
        let staying = self.placements().iter().filter(|placement| !self.why.goes_back(placement.server));
        let workers: u64 = staying.map(|placement| u64::from(placement.workers)).sum();
        workers * self.why.cluster.job(self.job).map_or(0, |job| u64::from(job.gpus_per_worker))
    }

    fn placements(self) -> &'a [Placement] {
        self.why.cluster.placements(self.job)
    }
}

impl<'a> ReturnedServer<'a> {
    /// The jobs that had workers on it, with these workers, in ascending order of ids; none where it was idle.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Left, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 3)?;
    /// let explanation = answer.explain(&cluster);
    /// let left: Vec<Left> = explanation.server(second).unwrap().left().collect();
    /// assert_eq!(left[0], Left { job: wide, workers: 4, gpus: 4, is_preempted: true });
    /// assert_eq!(left[1], Left { job: elastic, workers: 2, gpus: 2, is_preempted: false });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(t log v) for t tenants of the server and v victims.
    pub fn left(self) -> impl Iterator<Item = Left> {
        let Explanation { cluster, .. } = self.why;
        // The tenants ascend by job, so a job with both kinds of workers is listed twice in a row.
        cluster.tenants(self.server).chunk_by(|a, b| a.job == b.job).map(move |here| {
            let (job, workers) = (here[0].job, here.iter().map(|tenant| tenant.workers).sum());
            let each = cluster.job(job).map_or(0, |job| u64::from(job.gpus_per_worker));
            Left { job, workers, gpus: each * u64::from(workers), is_preempted: self.why.is_preempted(job) }
        })
    }

    /// Whether it hosted nobody.
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
    /// # let (first, second, idle) = (server()?, server()?, server()?);
    /// // One job has 4 GPUs on each of two servers; another can spare the 2 that it has on the second.
    /// # let home = cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8))?;
    /// cluster.place(wide, &[Placement::base(first, 4), Placement::base(second, 4)])?;
    /// let elastic = cluster.add_job(Job::elastic(1..=3))?;
    /// cluster.place(elastic, &[Placement::base(home, 1), Placement::flexible(second, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, 2)?;
    /// let explanation = answer.explain(&cluster);
    /// assert!(explanation.server(idle).unwrap().was_idle());
    /// assert!(!explanation.server(first).unwrap().was_idle());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn was_idle(self) -> bool {
        self.why.cluster.tenants(self.server).is_empty()
    }
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        for server in self.servers() {
            write!(f, "{gap}{server}")?;
            gap = "\n";
        }
        for victim in self.victims() {
            write!(f, "{gap}{victim}")?;
            gap = "\n";
        }
        Ok(())
    }
}

impl fmt::Display for Victim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is preempted: that frees ", self.job)?;
        for (at, server) in self.frees().enumerate() {
            write!(f, "{}{server}", if at == 0 { "" } else { ", " })?;
        }
        match self.collateral_gpus() {
            0 => Ok(()),
            1 => f.write_str("; 1 of its GPUs is on a server that stays"),
            gpus => write!(f, "; {gpus} of its GPUs are on servers that stay"),
        }
    }
}

impl fmt::Display for ReturnedServer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} goes back: ", self.server)?;
        if self.was_idle() {
            return f.write_str("it is idle");
        }
        for (at, left) in self.left().enumerate() {
            write!(f, "{}{left}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, workers, gpus, is_preempted } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let s = plural(u64::from(*workers));
        if *is_preempted {
            write!(f, "{job} is preempted ({workers} worker{s}, {gpus} GPU{} here)", plural(*gpus))
        } else {
            write!(f, "{workers} worker{s} of {job} {}", if *workers == 1 { "leaves" } else { "leave" })
        }
    }
}
