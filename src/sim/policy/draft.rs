//! A draft of what the cluster should become, and the steps that lead there.

use alloc::vec::Vec;

use super::View;
use crate::cluster::{Cluster, Occupancy, Placement, Pool};
use crate::epoch::{Action, Cause};
use crate::id::{JobId, ServerId};
use crate::place::Placer;
use crate::reclaim::{self, Reclaim, ReclaimError, Reclaimer};
use crate::units::Speed;

/// A number of reference workers that a job is to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The job.
    pub job: JobId,
    /// Reference workers: 0, or from the job's minimum to its maximum.
    pub reference_workers: u32,
}

/// The memory of a draft, to be used again.
#[derive(Clone, Debug, Default)]
pub struct DraftMemory {
    occupancy: Occupancy,
    pools: Vec<Pool>,
    /// The pools as the placer sees them: what is not to be used is left to inference.
    visible: Vec<Pool>,
    placer: Placer,
    touched: Vec<JobId>,
    is_touched: Vec<bool>,
    preempted: Vec<bool>,
    reclaim: reclaim::Workspace,
    answer: Reclaim,
}

impl DraftMemory {
    /// A draft that is the cluster as it is.
    ///
    /// # Complexity
    ///
    /// O(servers + jobs + workers).
    pub fn begin<'a>(&'a mut self, view: &View<'a>) -> Draft<'a> {
        let cluster = view.cluster();
        self.occupancy.clone_from(cluster.occupancy());
        self.pools.clear();
        self.pools.extend(cluster.inventory().pools());
        self.touched.clear();
        for flags in [&mut self.is_touched, &mut self.preempted] {
            flags.clear();
            flags.resize(cluster.inventory().job_slots(), false);
        }
        self.placer.rebuild(cluster.inventory(), &self.occupancy, &self.pools);
        Draft { cluster, memory: self }
    }
}

/// A draft of what the cluster should become: jobs are started, resized and stopped in it, and at last it is turned into
/// the steps that lead there. Nothing happens to the cluster itself.
///
/// Workers are placed as the room [`place`](crate::place) does it: best fit, on idle GPUs only.
///
/// # Examples
///
/// The policy of the smallest size: every job its minimum, in the order of submission, and what is idle then to the first.
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::epoch::Action;
/// use aryl::sim::policy::{DraftMemory, Policy, PolicyError, Sizes, View};
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// #[derive(Default)]
/// struct Smallest(DraftMemory);
///
/// impl Policy for Smallest {
///     fn name(&self) -> &str {
///         "smallest"
///     }
///
///     fn sizes(&self) -> Sizes {
///         Sizes::Elastic
///     }
///
///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
///         let mut draft = self.0.begin(view);
///         for job in view.running() {
///             draft.shrink(job, 0);
///         }
///         for job in view.waiting() {
///             draft.start(job);
///         }
///         for (job, definition) in view.cluster().jobs() {
///             if draft.is_running(job) {
///                 draft.grow(job, definition.max_workers);
///             }
///         }
///         draft.finish(actions);
///         Ok(())
///     }
/// }
///
/// // The first has 6 workers of 8, then 4 while the second is there: 120 = 3 · 10 + 2 · 40 + 3 · 3.33.
/// let first = TraceJob::new(Job::elastic(2..=6).remaining(Seconds(120.0)));
/// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(40.0)).submitted(Seconds(10.0)));
/// let workload = Workload { jobs: vec![first, second], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Smallest::default())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [53.334, 50.0]);
/// assert_eq!(report.scaling_operations(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Draft<'a> {
    cluster: &'a Cluster,
    memory: &'a mut DraftMemory,
}

impl Draft<'_> {
    /// Starts a waiting job with its minimum number of workers, if they find a place.
    ///
    /// # Complexity
    ///
    /// O(GPU types) where they do not.
    pub fn start(&mut self, job: JobId) -> bool {
        let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
        let starts = placer.start_on_idle(self.cluster.inventory(), occupancy, job);
        if starts {
            self.touch(job);
        }
        starts
    }

    /// Whether a job runs in the draft.
    #[must_use]
    pub fn is_running(&self, job: JobId) -> bool {
        self.memory.occupancy.is_running(job)
    }

    /// The whole reference workers that a job has in the draft; 0 while it waits.
    #[must_use]
    pub fn reference_workers(&self, job: JobId) -> u32 {
        let placements = self.memory.occupancy.placements(job);
        let whole = self.cluster.inventory().tally(placements).reference_workers();
        u32::try_from(whole).unwrap_or(u32::MAX)
    }

    /// Grows a running job towards so many reference workers, and at most to its maximum, as far as workers find a place.
    /// Returns how many it has then.
    pub fn grow(&mut self, job: JobId, reference_workers: u32) -> u32 {
        let Some(definition) = self.cluster.job(job) else { return 0 };
        let wanted = reference_workers.min(definition.max_workers);
        let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
        let before = occupancy.placements(job).iter().map(|p| p.workers).sum::<u32>();
        placer.grow_to(self.cluster.inventory(), occupancy, job, wanted);
        self.trim(job);
        let after = self.memory.occupancy.placements(job).iter().map(|p| p.workers).sum::<u32>();
        if before != after {
            self.touch(job);
        }
        self.reference_workers(job)
    }

    /// Gives back the workers that make up no whole reference worker.
    fn trim(&mut self, job: JobId) {
        let inventory = self.cluster.inventory();
        for gpu_type in inventory.gpu_type_ids() {
            let speed = inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE);
            if speed.numerator() == 1 && speed.denominator() == 1 {
                continue;
            }
            let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
            let held = inventory.tally(occupancy.placements(job)).workers(gpu_type);
            let needed = speed.workers_for(u32::try_from(speed.reference_workers(held)).unwrap_or(u32::MAX));
            let surplus = u32::try_from(held.saturating_sub(needed)).unwrap_or(0);
            if surplus > 0 && held > 0 {
                placer.shrink(inventory, occupancy, job, gpu_type, surplus);
            }
        }
    }

    /// Shrinks a running job to so many reference workers, and at least to its minimum. Workers leave so that whole
    /// servers come free, those on the GPU types with the highest ids first.
    pub fn shrink(&mut self, job: JobId, reference_workers: u32) {
        let inventory = self.cluster.inventory();
        let Some(definition) = inventory.job(job) else { return };
        let wanted = u64::from(reference_workers.max(definition.min_workers));
        for gpu_type in inventory.gpu_type_ids().collect::<Vec<_>>().into_iter().rev() {
            let DraftMemory { placer, occupancy, .. } = &mut *self.memory;
            let tally = inventory.tally(occupancy.placements(job));
            let surplus = tally.reference_workers().saturating_sub(wanted);
            let speed = inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE);
            let held = tally.workers(gpu_type);
            if surplus == 0 || held == 0 {
                continue;
            }
            let kept = speed.reference_workers(held).saturating_sub(surplus);
            let kept_workers = speed.workers_for(u32::try_from(kept).unwrap_or(u32::MAX));
            let leave = u32::try_from(held.saturating_sub(kept_workers)).unwrap_or(u32::MAX);
            if placer.shrink(inventory, occupancy, job, gpu_type, leave) > 0 {
                self.touch(job);
            }
        }
    }

    /// Stops a running job.
    pub fn preempt(&mut self, job: JobId) {
        let inventory = self.cluster.inventory();
        let Some(definition) = inventory.job(job).filter(|_| self.is_running(job)) else { return };
        self.touch(job);
        let DraftMemory { placer, occupancy, preempted, .. } = &mut *self.memory;
        // One that was started in this draft was never stopped.
        preempted[job.index()] = self.cluster.is_running(job);
        let servers: Vec<ServerId> = occupancy.placements(job).iter().map(|p| p.server).collect();
        occupancy.release(job, definition.gpus_per_worker);
        for server in servers {
            placer.refresh(inventory, occupancy, server);
        }
    }

    /// Takes so many inference servers on loan, those with the lowest ids. Returns how many there were to take.
    pub fn lend(&mut self, servers: u32) -> u32 {
        let pools = &mut self.memory.pools;
        let mut lent = 0;
        for (id, server) in self.cluster.servers() {
            // A server that goes back in this draft is not lent again, nor one that is lent in it already.
            let is_home = server.pool == Pool::Inference && pools[id.index()] == Pool::Inference;
            if lent < servers && is_home && !server.protected {
                pools[id.index()] = Pool::OnLoan;
                lent += 1;
            }
        }
        self.everywhere();
        lent
    }

    /// Gives so many on-loan servers back, stopping and shrinking the jobs that the rule chooses. To be called before any
    /// other change.
    ///
    /// # Errors
    ///
    /// [`ReclaimError`] where there are too few that can go back.
    pub fn reclaim(&mut self, reclaimer: &Reclaimer, servers: u32) -> Result<(), ReclaimError> {
        if servers == 0 {
            return Ok(());
        }
        let mut answer = core::mem::take(&mut self.memory.answer);
        reclaimer.solve_into(self.cluster, servers, &mut self.memory.reclaim, &mut answer)?;
        for &job in answer.preempted() {
            self.preempt(job);
        }
        for departure in answer.departures() {
            let inventory = self.cluster.inventory();
            let Some(job) = inventory.job(departure.job) else { continue };
            let occupancy = &mut self.memory.occupancy;
            occupancy.depart(departure.job, |server| server == departure.server, job.gpus_per_worker);
            inventory.fill_base(occupancy, departure.job, job);
            self.touch(departure.job);
        }
        for &server in answer.servers() {
            self.memory.pools[server.index()] = Pool::Inference;
        }
        self.memory.answer = answer;
        self.everywhere();
        Ok(())
    }

    /// From now on only the servers of this pool are used.
    ///
    /// # Complexity
    ///
    /// O(servers + workers).
    pub fn only(&mut self, pool: Pool) {
        let DraftMemory { placer, occupancy, pools, visible, .. } = &mut *self.memory;
        visible.clear();
        visible.extend(pools.iter().map(|&own| if own == pool { own } else { Pool::Inference }));
        placer.rebuild(self.cluster.inventory(), occupancy, visible);
    }

    /// From now on all servers that training may use are used, as at the beginning.
    ///
    /// # Complexity
    ///
    /// O(servers + workers).
    pub fn everywhere(&mut self) {
        let DraftMemory { placer, occupancy, pools, .. } = &mut *self.memory;
        placer.rebuild(self.cluster.inventory(), occupancy, pools);
    }

    /// The GPUs that training may use, held or idle, in GPUs of the reference type: those of each type times its speed,
    /// rounded down.
    #[must_use]
    pub fn reference_gpus(&self) -> u64 {
        let inventory = self.cluster.inventory();
        let of_type = |gpu_type| {
            let gpus = self.cluster.servers().filter(|&(id, server)| {
                server.gpu_type == gpu_type && self.memory.pools[id.index()].is_for_training()
            });
            let gpus: u64 = gpus.map(|(_, server)| u64::from(server.gpus)).sum();
            inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE).reference_workers(gpus)
        };
        inventory.gpu_type_ids().map(of_type).sum()
    }

    /// The idle GPUs of the servers in use, of whatever type.
    #[must_use]
    pub fn idle_gpus(&self) -> u64 {
        self.cluster.inventory().gpu_type_ids().map(|gpu_type| self.memory.placer.idle_gpus(gpu_type)).sum()
    }

    /// Makes the draft have these sizes, as far as workers find a place: stops the jobs that are to have none, shrinks,
    /// then starts and at last grows, in the order given. Jobs that are not named stay as they are.
    pub fn realise(&mut self, targets: &[Target]) {
        for target in targets.iter().filter(|target| target.reference_workers == 0) {
            self.preempt(target.job);
        }
        for &Target { job, reference_workers } in targets {
            if reference_workers > 0 && self.is_running(job) {
                self.shrink(job, reference_workers);
            }
        }
        for &Target { job, reference_workers } in targets {
            if reference_workers > 0 && !self.is_running(job) {
                self.start(job);
            }
        }
        for &Target { job, reference_workers } in targets {
            if self.is_running(job) && self.reference_workers(job) < reference_workers {
                self.grow(job, reference_workers);
            }
        }
    }

    /// Writes down the steps that lead from the cluster to the draft, in the order in which to carry them out: what frees
    /// GPUs comes before what takes them.
    pub fn finish(self, actions: &mut Vec<Action>) {
        let Self { cluster, memory } = self;
        let first = actions.len();
        for (server, definition) in cluster.servers() {
            match (definition.pool, memory.pools[server.index()]) {
                (Pool::OnLoan, Pool::Inference) => actions.push(Action::Return { server }),
                (Pool::Inference, Pool::OnLoan) => actions.push(Action::Lend { server }),
                _ => {}
            }
        }
        for &job in &memory.touched {
            let (mut before, after) = (cluster.placements(job), memory.occupancy.placements(job));
            if memory.preempted[job.index()] {
                actions.push(Action::Preempt { job });
                before = &[];
            }
            let starts = before.is_empty();
            for server in servers(before) {
                let (had, has) = (workers_on(before, server), workers_on(after, server));
                if had > has {
                    let returns = !memory.pools[server.index()].is_for_training();
                    let cause = if returns { Cause::ServerReturns } else { Cause::Reallocated };
                    actions.push(Action::ScaleIn { job, server, workers: had - has, cause });
                }
            }
            if starts {
                actions.extend(after.iter().map(|&Placement { server, role, workers, .. }| match role {
                    crate::cluster::Role::Base => Action::Start { job, server, workers },
                    crate::cluster::Role::Flexible => Action::ScaleOut { job, server, workers },
                }));
                continue;
            }
            for server in servers(after) {
                let (had, has) = (workers_on(before, server), workers_on(after, server));
                if has > had {
                    actions.push(Action::ScaleOut { job, server, workers: has - had });
                }
            }
        }
        actions[first..].sort_unstable_by_key(Action::order);
    }

    fn touch(&mut self, job: JobId) {
        if !core::mem::replace(&mut self.memory.is_touched[job.index()], true) {
            self.memory.touched.push(job);
        }
    }
}

/// The servers of some placements, each once.
fn servers(placements: &[Placement]) -> impl Iterator<Item = ServerId> {
    placements.chunk_by(|a, b| a.server == b.server).map(|group| group[0].server)
}

/// The workers on a server, of either role.
fn workers_on(placements: &[Placement], server: ServerId) -> u32 {
    let first = placements.partition_point(|p| p.server < server);
    placements[first..].iter().take_while(|p| p.server == server).map(|p| p.workers).sum()
}
