//! The answer of an epoch: what to do, in order, and how good it is known to be.

use alloc::vec::Vec;
use core::fmt;

use super::Action;
use crate::certificate::Certificate;
use crate::id::GpuTypeId;
use crate::reclaim::Reclaim;
use crate::units::Seconds;

/// How well the spare GPUs of one type were given out.
///
/// # Examples
///
/// Job B of Figure 6 in the Aryl paper, alone on 5 GPUs: its base holds 2, so there are 3 to give.
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::epoch::{Epoch, Request};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 5))?;
/// cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
/// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
/// let allocation = plan.allocations()[0];
/// assert_eq!((allocation.gpu_type, allocation.capacity, allocation.jobs), (v100, 3, 1));
/// assert_eq!(allocation.certificate.to_string(), "36000, proven optimal");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AllocationCertificate {
    /// The GPU type.
    pub gpu_type: GpuTypeId,
    /// GPUs of the type that base workers do not hold: what there was to give.
    pub capacity: u64,
    /// The elastic jobs among which it was given: running or just started on this type.
    pub jobs: u32,
    /// The reduction in job completion time that the flexible workers bring, in milliseconds, each job's multiplied by
    /// its weight; and the most that any allocation of the capacity could bring, resize overheads counted. Jobs that the
    /// reclaim or a starting gang takes workers from are resized in any case, and charged nothing for it.
    pub certificate: Certificate,
}

/// The cluster before and after a plan, in numbers.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Server};
/// use aryl::epoch::{Epoch, Request};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::training(v100, 5))?;
/// cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
/// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
/// let totals = plan.totals();
/// assert_eq!((totals.waiting_before, totals.waiting_after), (1, 0));
/// assert_eq!((totals.busy_before, totals.busy_after, totals.gpus_after), (0, 5, 5));
/// assert_eq!(totals.jct_reduction_after, Seconds(36.0)); // 60 s with 2 workers, 24 s with 5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Totals {
    /// Jobs that wait, before.
    pub waiting_before: u32,
    /// Jobs that wait, after.
    pub waiting_after: u32,
    /// Jobs that run, before.
    pub running_before: u32,
    /// Jobs that run, after.
    pub running_after: u32,
    /// GPUs that training may use, before.
    pub gpus_before: u64,
    /// GPUs that training may use, after.
    pub gpus_after: u64,
    /// GPUs that workers hold, before.
    pub busy_before: u64,
    /// GPUs that workers hold, after.
    pub busy_after: u64,
    /// How much sooner the jobs that run before end, all told, for the flexible workers they hold, in seconds.
    pub jct_reduction_before: Seconds,
    /// How much sooner the jobs that run after the plan end, all told, for the flexible workers they then hold: the sum
    /// of T(minimum) − T(workers held), not weighted, in seconds. Negative where workers slow their jobs down, and never below
    /// the lowest finite number, so that it can be written.
    pub jct_reduction_after: Seconds,
}

/// What to do with the cluster now: an ordered list of actions, and how good each decision behind it is known to be.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::epoch::{Epoch, Request};
/// use aryl::units::Seconds;
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let home = cluster.add_server(Server::training(v100, 8))?;
/// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
/// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
/// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
///
/// // The on-loan server goes back, and the job takes four GPUs at home instead.
/// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
/// assert_eq!(plan.reclaim().servers(), [lent]);
/// assert_eq!(
///     plan.to_string(),
///     "scale in job 0: 4 workers leave server 1, which returns\n\
///      return server 1\n\
///      scale out job 0: 4 workers on server 0"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    pub(crate) actions: Vec<Action>,
    pub(crate) reclaim: Reclaim,
    pub(crate) allocations: Vec<AllocationCertificate>,
    pub(crate) totals: Totals,
}

impl Plan {
    /// The steps, in the order in which they must be carried out: preempt, scale in, return, lend, start, scale out,
    /// keep. Within a kind they ascend by job and server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Action, Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
    /// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
    /// let steps = plan.actions();
    /// assert_eq!(steps[1], Action::Return { server: lent });
    /// assert_eq!(steps[2], Action::ScaleOut { job, server: home, workers: 4 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Whether the plan changes nothing: it has no step, or only [`Action::Keep`].
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Action, Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
    /// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
    /// assert!(plan.is_empty());
    /// assert_eq!(plan.actions(), [Action::Keep { job }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(steps).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.actions.iter().any(Action::is_change)
    }

    /// Which servers go back, and what that costs.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
    /// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
    /// assert_eq!(plan.reclaim().departures()[0].workers, 4);
    /// assert_eq!(plan.reclaim().certificate().objective(), 0); // nobody is preempted
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reclaim(&self) -> &Reclaim {
        &self.reclaim
    }

    /// How well the spare GPUs of each type were given out, in ascending order of types.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
    /// let plan = Epoch::default().plan(&cluster, Request::NONE)?;
    /// assert!(plan.allocations().iter().all(|allocation| allocation.certificate.is_optimal()));
    /// assert_eq!(plan.allocations()[0].capacity, 14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn allocations(&self) -> &[AllocationCertificate] {
        &self.allocations
    }

    /// The cluster before and after, in numbers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::epoch::{Epoch, Request};
    /// use aryl::units::Seconds;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let home = cluster.add_server(Server::training(v100, 8))?;
    /// let lent = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let job = cluster.add_job(Job::elastic(2..=6).remaining(Seconds(60.0)))?;
    /// cluster.place(job, &[Placement::base(home, 2), Placement::flexible(lent, 4)])?;
    /// let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
    /// assert_eq!((plan.totals().gpus_before, plan.totals().gpus_after), (16, 8));
    /// assert_eq!(plan.totals().jct_reduction_after, Seconds(40.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn clear(&mut self) {
        self.actions.clear();
        self.reclaim.clear();
        self.allocations.clear();
        self.totals = Totals::default();
    }
}

impl fmt::Display for Plan {
    /// One line for each step that changes something, in order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for action in self.actions.iter().filter(|action| action.is_change()) {
            write!(f, "{separator}{action}")?;
            separator = "\n";
        }
        Ok(())
    }
}
