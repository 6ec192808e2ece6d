//! Growing into what is idle.

use alloc::vec::Vec;

use super::{DraftMemory, Policy, PolicyError, Sizes, View};
use crate::cluster::Job;
use crate::epoch::Action;
use crate::id::JobId;

/// Gandiva's growth and shrinking: jobs start first in, first out with the workers that they request. Only while nothing
/// waits and GPUs are idle do elastic jobs grow, one worker at a time and each in turn. When a job waits, those that
/// grew last shrink first, to what they requested, until it fits.
///
/// What differs from the original: time slicing, packing of two jobs on a GPU and migration are not modelled.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{GpuType, Job};
/// use aryl::sim::policy::Gandiva;
/// use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
/// use aryl::sim::{Setup, Simulation};
/// use aryl::units::Seconds;
///
/// // Alone, the first job grows from 4 to 8 workers. After 10 s another arrives, and it shrinks again.
/// let first = TraceJob::new(Job::elastic(4..=8).remaining(Seconds(60.0)));
/// let second = TraceJob::new(Job::inelastic(4).remaining(Seconds(60.0)).submitted(Seconds(10.0)));
/// let workload = Workload { jobs: vec![first, second], load: InferenceLoad::constant(0.5)? };
/// let setup = Setup::new(GpuType::new("V100"), 1, 8);
/// let report = Simulation::new(&setup, &workload)?.run(&mut Gandiva::new())?;
/// assert_eq!(report.jobs.iter().map(|job| job.ended.0).collect::<Vec<_>>(), [50.0, 70.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Xiao et al., *Gandiva: Introspective Cluster Scheduling for Deep Learning*, OSDI 2018, section 3; as the Aryl paper
/// models it in section 7.
#[derive(Clone, Debug, Default)]
pub struct Gandiva {
    /// The jobs that grew, by their place in the workload, the latest last.
    grown: Vec<usize>,
    memory: DraftMemory,
}

impl Gandiva {
    /// No job has grown yet.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::sim::policy::*;
    /// let policy = Gandiva::new();
    /// assert_eq!((policy.name(), policy.sizes()), ("Gandiva", Sizes::RequestedOrMore));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Policy for Gandiva {
    fn name(&self) -> &str {
        "Gandiva"
    }

    fn sizes(&self) -> Sizes {
        Sizes::RequestedOrMore
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let Self { grown, memory } = self;
        let mut draft = memory.begin(view);
        let mut all_run = true;
        'queue: for job in view.waiting() {
            while !draft.start(job) {
                let Some(last) = grown.pop() else {
                    all_run = false;
                    break 'queue;
                };
                // A job that has ended has no id.
                if let Some(last) = view.job_id(last) {
                    // To its minimum, which is what it requested.
                    draft.shrink(last, 0);
                }
            }
        }
        if all_run {
            let cluster = view.cluster();
            let is_growing = |id: &JobId| cluster.job(*id).is_some_and(Job::is_elastic);
            let mut growing: Vec<JobId> = cluster.jobs().map(|entry| entry.0).filter(is_growing).collect();
            while !growing.is_empty() && draft.idle_gpus() > 0 {
                growing.retain(|&job| {
                    let before = draft.reference_workers(job);
                    let grows = draft.grow(job, before + 1) > before;
                    if grows && let Some(number) = view.trace_index(job) {
                        // The latest to grow is the first to shrink.
                        grown.retain(|&other| other != number);
                        grown.push(number);
                    }
                    grows
                });
            }
        }
        draft.finish(actions);
        Ok(())
    }
}
