//! One epoch as a single integer program: who starts, who holds how many workers, and where.

mod choices;
mod program;
mod value;

use alloc::vec::Vec;

pub use value::epoch_value;

use super::backend::{self, Backend};
use super::error::IlpError;
use crate::certificate::{Certificate, Sense};
use crate::cluster::Cluster;
use crate::id::JobId;
use crate::units::Seconds;
use program::Program;
use value::Value;

/// The best that an epoch can do: the cluster after it, and the proof.
///
/// # Examples
///
/// Six GPUs, and three jobs of three: two of them start.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::ilp::{self, EpochOptimum, Microlp};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 6))?;
/// for _ in 0..3 {
///     cluster.add_job(Job::inelastic(3).remaining(Seconds(600.0)))?;
/// }
/// let optimum: EpochOptimum = ilp::epoch(&cluster, Seconds(300.0), &Microlp::default())?;
/// assert_eq!(optimum.started().len(), 2);
/// assert_eq!(optimum.certificate().objective(), 600_000); // two waits of 300 s
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EpochOptimum {
    after: Cluster,
    started: Vec<JobId>,
    certificate: Certificate,
}

impl EpochOptimum {
    /// The cluster after the epoch: who runs where.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// # use aryl::ilp::{self, Microlp};
    /// # use aryl::units::Seconds;
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::training(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(600.0)))?;
    ///
    /// let optimum = ilp::epoch(&cluster, Seconds(300.0), &Microlp::default())?;
    /// assert_eq!((cluster.workers(job), optimum.after().workers(job)), (0, 6));
    /// assert_eq!(optimum.after().free_gpus(server), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after(&self) -> &Cluster {
        &self.after
    }

    /// The jobs that waited and run now, in ascending order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// # use aryl::ilp::{self, Microlp};
    /// # use aryl::units::Seconds;
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// let wide = cluster.add_job(Job::inelastic(8).remaining(Seconds(100.0)))?;
    /// let half = Job::inelastic(4).remaining(Seconds(110.0));
    /// let narrow = [cluster.add_job(half.clone())?, cluster.add_job(half)?];
    ///
    /// // Two waits are spared, or one.
    /// let optimum = ilp::epoch(&cluster, Seconds(300.0), &Microlp::default())?;
    /// assert_eq!(optimum.started(), narrow);
    /// assert!(!optimum.started().contains(&wide));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn started(&self) -> &[JobId] {
        &self.started
    }

    /// What the epoch brings, in milliseconds, and what no epoch can exceed. 0 where it is negative.
    ///
    /// # Examples
    ///
    /// The plan of the two phases as a share of the optimum:
    ///
    /// ```
    /// # use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// # use aryl::epoch::{Epoch, Request};
    /// # use aryl::ilp::{self, Microlp};
    /// # use aryl::units::Seconds;
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::training(v100, 8))?;
    /// cluster.add_job(Job::inelastic(8).remaining(Seconds(100.0)))?;
    /// for _ in 0..4 {
    ///     cluster.add_job(Job::inelastic(2).remaining(Seconds(110.0)))?;
    /// }
    /// let wait = Seconds(300.0);
    /// let optimum = ilp::epoch(&cluster, wait, &Microlp::default())?.certificate();
    /// let mut planned = cluster.clone();
    /// planned.apply(&Epoch::default().plan(&cluster, Request::NONE)?)?;
    /// let value = ilp::epoch_value(&cluster, &planned, wait)?;
    /// assert!(optimum.is_optimal());
    /// assert_eq!((value, optimum.objective()), (300_000, 1_200_000)); // a quarter
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }
}

/// The true optimum of one epoch: phase 1, phase 2 and placing at once, as one integer program.
///
/// It is a yardstick for small clusters, some servers and ten or twenty jobs. No server changes hands in it: carry out a
/// reclaim or a loan first. As in [`crate::epoch`], no running job is preempted, base workers of running jobs stay where
/// they are, gangs start whole, and a job runs on one GPU type unless it is heterogeneous. Flexible workers may move.
///
/// # What it is worth
///
/// In milliseconds, summed over the jobs, with weight g(j) and T(j, n) the time to the end with n workers:
///
/// | job | is worth |
/// |---|---|
/// | runs with n workers, as before | g · (T(minimum) − T(n)) |
/// | runs with n workers, not as before | g · (T(minimum) − T(n) − resize overhead) |
/// | waited, and starts with n workers | g · (wait + T(minimum) − T(n)) |
/// | waits | 0 |
///
/// The first two rows are what the allocator counts. The third asks what a start is worth, which the paper leaves open:
/// there, base demand always comes first. Here a job that does not start now waits for at least `wait` longer, which is
/// what the caller takes it to be: the time to the next epoch, or to the next end of a job. With a `wait` above all
/// reductions together, as many jobs start as can, weight by weight, before any flexible worker counts.
///
/// # The program
///
/// A *choice* of a job is a number of workers n(t) on each GPU type t: as many as whole reference workers need, from its
/// minimum to its maximum, on one type or, for a heterogeneous job, on any mixture; or what it holds now. u(j, o) from {0, 1}
/// says whether choice o is made, at worth v(j, o). A whole number f(j, s) counts the workers on server s beyond the base
/// b(j, t) of a running job. Let G(s) be the GPUs of s that no base worker holds, and a(j) the GPUs a worker.
///
/// ```text
/// maximize    Σ v(j, o) · u(j, o)
/// subject to  Σ u(j, o) = 1                                       for each running job j, over its choices
///             Σ u(j, o) ≤ 1                                       for each waiting job j
///             Σ f(j, s) − Σ (n(j, o, t) − b(j, t)) · u(j, o) = 0  for each job j and type t, over servers s of type t
///             Σ a(j) · f(j, s) ≤ G(s)                             for each server s
/// ```
///
/// **Size.** For J jobs, S servers, T types and at most O choices a job: J · (O + S) variables, J · (1 + T) + S rows, and
/// J · (O · (1 + T) + 2 · S) factors. O is the width of the job, T times that where it waits, and to the power of T where it
/// is heterogeneous.
///
/// How far the two phases are from it is told in [the module](super#where-the-split-loses).
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::ilp::{self, Microlp};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let server = cluster.add_server(Server::training(v100, 8))?;
/// let elastic = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
/// let rigid = cluster.add_job(Job::inelastic(3).remaining(Seconds(30.0)))?;
///
/// let optimum = ilp::epoch(&cluster, Seconds(300.0), &Microlp::default())?;
/// assert_eq!(optimum.started(), [elastic, rigid]);
/// assert_eq!(optimum.after().workers(elastic), 5);
/// // Two starts, and the elastic job ends after 24 s in place of 60 s.
/// assert_eq!(optimum.certificate().to_string(), "636000, proven optimal");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`IlpError::Wait`] where the wait times the weight of a job is negative or 2^53 milliseconds or more;
/// [`IlpError::TooLarge`], [`IlpError::Backend`] and [`IlpError::WrongAnswer`] as [`knapsack`](super::knapsack()).
///
/// # Complexity
///
/// Linear in the size of the program to build; exponential at worst to solve.
///
/// # Determinism
///
/// As the backend. Of equally good answers it returns any.
pub fn epoch(
    cluster: &Cluster,
    wait: Seconds,
    backend: &(impl Backend + ?Sized),
) -> Result<EpochOptimum, IlpError> {
    let value = Value::new(cluster, wait);
    let program = Program::new(cluster, &value)?;
    let built = program.build(cluster);
    let answer = backend::solve(&built.model, backend)?;
    let after = program.after(cluster, &built, &answer.values)?;
    let unit = value.milliseconds();
    let whole = u64::try_from(value.between(cluster, &after)?.max(0)).unwrap_or(u64::MAX);
    let bound = answer.bound + program.constant as f64;
    let certificate = backend::certificate(Sense::Maximize, whole, bound);
    let (objective, bound) =
        (certificate.objective().saturating_mul(unit), certificate.bound().saturating_mul(unit));
    let started = cluster.jobs().map(|(id, _)| id);
    let started = started.filter(|&id| !cluster.is_running(id) && after.is_running(id)).collect();
    Ok(EpochOptimum {
        after,
        started,
        certificate: Certificate::new(Sense::Maximize, objective, bound)
            .unwrap_or(Certificate::optimal(Sense::Maximize, objective)),
    })
}
