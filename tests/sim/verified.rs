//! Every decision is checked by another.

use aryl::cluster::{Cluster, Placement, Pool};
use aryl::epoch::Action;
use aryl::loan::LoanPolicy;
use aryl::sim::Simulation;
use aryl::sim::policy::{Aryl, JobRecord, Policy, PolicyError, Sizes, View, Worth};
use aryl::units::Seconds;
use aryl::verify;

use crate::instances::{instance, policies};

/// A policy under watch.
struct Watched<P: ?Sized> {
    decisions: u32,
    inner: Box<P>,
}

fn carry_out(cluster: &mut Cluster, actions: &[Action]) {
    let mut started = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        match *action {
            Action::Preempt { job } => cluster.stop(job).unwrap(),
            Action::ScaleIn { job, server, workers, .. } => cluster.scale_in(job, server, workers).unwrap(),
            Action::Return { server } => {
                assert_eq!(cluster.server(server).unwrap().pool, Pool::OnLoan);
                cluster.set_pool(server, Pool::Inference).unwrap();
            }
            Action::Lend { server } => {
                assert_eq!(cluster.server(server).unwrap().pool, Pool::Inference);
                cluster.set_pool(server, Pool::OnLoan).unwrap();
            }
            Action::Start { job, .. } if started.last() == Some(&job) => {}
            Action::Start { job, .. } => {
                started.push(job);
                let gang: Vec<Placement> = actions[at..]
                    .iter()
                    .filter_map(|action| match *action {
                        Action::Start { job: other, server, workers } if other == job => {
                            Some(Placement::base(server, workers))
                        }
                        _ => None,
                    })
                    .collect();
                cluster.place(job, &gang).unwrap();
            }
            Action::ScaleOut { job, server, workers } => cluster.scale_out(job, server, workers).unwrap(),
            _ => {}
        }
    }
}

impl<P: Policy + ?Sized> Policy for Watched<P> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn sizes(&self) -> Sizes {
        self.inner.sizes()
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.inner.loan_policy()
    }

    fn suspends(&self) -> bool {
        self.inner.suspends()
    }

    fn interval(&self) -> Option<Seconds> {
        self.inner.interval()
    }

    fn worth(&self, remaining: Seconds, record: &JobRecord) -> Option<Worth> {
        self.inner.worth(remaining, record)
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.decisions += 1;
        assert_eq!(verify::cluster(view.cluster()), Ok(()));
        for (id, _) in view.cluster().jobs() {
            let number = view.trace_index(id).unwrap();
            assert_eq!(view.job_id(number), Some(id));
            assert!(view.remaining(id).unwrap().0 > 0.0);
        }
        assert_eq!(view.waiting().count() + view.running().count(), view.cluster().jobs().count());
        self.inner.decide(view, actions)?;
        let mut after = view.cluster().clone();
        carry_out(&mut after, actions);
        assert_eq!(verify::cluster(&after), Ok(()));
        Ok(())
    }
}

#[test]
fn every_decision_keeps_the_rules_of_the_cluster() {
    for seed in 100..125 {
        let (setup, workload) = instance(seed);
        for inner in policies() {
            let mut policy = Watched { decisions: 0, inner };
            let report = Simulation::new(&setup, &workload).unwrap().run(&mut policy).unwrap();
            assert_eq!(report.decisions, u64::from(policy.decisions));
        }
    }
}

/// The scheduler of the crate, each plan checked.
struct Verified(Aryl);

impl Policy for Verified {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn sizes(&self) -> Sizes {
        self.0.sizes()
    }

    fn loan_policy(&self) -> Option<LoanPolicy> {
        self.0.loan_policy()
    }

    fn worth(&self, remaining: Seconds, record: &JobRecord) -> Option<Worth> {
        self.0.worth(remaining, record)
    }

    fn decide(&mut self, view: &View<'_>, actions: &mut Vec<Action>) -> Result<(), PolicyError> {
        self.0.decide(view, actions)?;
        assert_eq!(verify::plan(view.cluster(), view.request(), self.0.plan()), Ok(()));
        assert_eq!(self.0.plan().actions(), actions);
        Ok(())
    }
}

#[test]
fn every_plan_of_aryl_passes_its_verifier() {
    let mut lent = 0;
    for seed in 200..260 {
        let (setup, workload) = instance(seed);
        for policy in [Aryl::new(), Aryl::as_published(), Aryl::loaning_only(), Aryl::scaling_only()] {
            let report = Simulation::new(&setup, &workload).unwrap().run(&mut Verified(policy)).unwrap();
            lent += report.loans.lent;
        }
    }
    assert!(lent > 50);
}
