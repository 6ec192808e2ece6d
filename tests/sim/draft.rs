//! What the drafts of policies do.

use aryl::cluster::{GpuType, Job};
use aryl::epoch::Action;
use aryl::loan::LoanPolicy;
use aryl::sim::policy::{DraftMemory, Policy, PolicyError, View};
use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
use aryl::sim::{Setup, Simulation};
use aryl::units::Seconds;

/// Takes what is offered one server at a time.
#[derive(Default)]
struct OneByOne {
    memory: DraftMemory,
    taken: Vec<u32>,
}

impl Policy for OneByOne {
    fn name(&self) -> &str {
        "one by one"
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        let eager = LoanPolicy::default().with_band(0).with_headroom(0.0);
        Some(eager.unwrap().with_patience(1).unwrap())
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        let mut draft = self.memory.begin(view);
        for _ in 0..view.offered() {
            self.taken.push(draft.lend(1));
        }
        for job in view.waiting() {
            draft.start(job);
        }
        draft.finish(actions);
        Ok(())
    }
}

#[test]
fn servers_that_are_lent_in_the_draft_are_not_lent_again() {
    let job = TraceJob::new(Job::inelastic(2).gpus_per_worker(8).remaining(Seconds(60.0)).fungible());
    let workload = Workload { jobs: vec![job], load: InferenceLoad::constant(0.4).unwrap() };
    let setup = Setup::new(GpuType::new("V100"), 1, 4).inference(GpuType::new("T4"), 4, 8);
    let mut policy = OneByOne::default();
    // Of 32 GPUs 12.8 are busy, on two servers: the other two are offered.
    let report = Simulation::new(&setup, &workload).unwrap().run(&mut policy).unwrap();
    assert_eq!((report.loans.lent, report.jobs[0].ended), (2, Seconds(60.0)));
    assert_eq!(policy.taken, [1, 1]);
}
