//! What a policy may know of the past of a job.

use crate::units::Seconds;

/// The past of a job, as a policy may know it.
///
/// # Examples
///
/// A policy that leaves alone what has cost much already:
///
/// ```
/// # use aryl::{cluster::*, epoch::Action, sim::{policy::*, workload::*, Setup, Simulation}, units::Seconds};
/// #[derive(Default)]
/// struct Mine {
///     memory: DraftMemory,
///     seen: Vec<bool>,
/// }
/// impl Policy for Mine {
/// #     fn name(&self) -> &str { "mine" }
///     fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
///         for job in view.running() {
///             let Some(record) = view.record(job) else { continue };
///             self.seen.push(record.at_stake > Seconds(20.0) || record.preemptions > 2);
///         }
/// #     let mut draft = self.memory.begin(view);
/// #     view.waiting().for_each(|job| { draft.start(job); });
/// #     draft.finish(actions);
/// #     Ok(())
///     }
/// }
/// // One server of 8 GPUs. Both jobs want all of it, for 60 s; the second arrives at 30 s.
/// let job = |at: f64| TraceJob::new(Job::inelastic(8).remaining(Seconds(60.0)).submitted(Seconds(at)));
/// let jobs = [job(0.0), job(30.0)];
/// # let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// # let workload = Workload { jobs: jobs.to_vec(), load: InferenceLoad::constant(0.5)? };
/// let mut policy = Mine::default();
/// Simulation::new(&setup, &workload)?.run(&mut policy)?;
/// assert_eq!(policy.seen, [true]); // at 30 s the first would lose 30 s of work
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JobRecord {
    /// When it was submitted.
    pub submitted: Seconds,
    /// When it first started, if it has.
    pub first_start: Option<Seconds>,
    /// How long it has waited, in all.
    pub waited: Seconds,
    /// The GPUs that it has held, each times the seconds for which it did.
    pub attained_gpu_seconds: f64,
    /// The work that a preemption for a reclaim would throw away now, in seconds at its minimum.
    pub at_stake: Seconds,
    /// How often it was stopped.
    pub preemptions: u32,
    /// How often it was stopped, or its workers changed while it ran.
    pub changes: u32,
    /// The most reference workers that it has had.
    pub largest_size: u32,
}
