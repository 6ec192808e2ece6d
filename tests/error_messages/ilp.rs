//! Errors of the integer programs.

use aryl::cluster::{Cluster, GpuType, Server};
use aryl::ilp::{self, Assignment, Backend, BackendError, IlpError, Microlp, Model, WrongAnswer};
use aryl::knapsack::{ClassKind, Instance, Item};
use aryl::units::Seconds;

use crate::cluster::small;
use crate::{Messages, job, server};

/// A backend that answers so, whatever it is asked.
struct Says(Result<Assignment, BackendError>);

impl Backend for Says {
    fn solve(&self, _: &Model) -> Result<Assignment, BackendError> {
        self.0.clone()
    }
}

pub(crate) fn add(messages: &mut Messages) {
    let limit = BackendError::LimitReached { limit: 500, unit: "nodes" };
    let failed = BackendError::Failed { message: "no licence".into() };
    for fault in [BackendError::Infeasible, limit, failed] {
        messages.add(fault);
    }
    let mut heavy = Instance::new(10);
    heavy.push_class(ClassKind::ExactlyOne, [Item::new(11, 1)]).unwrap();
    messages.refused(ilp::knapsack(&heavy, &Microlp::default()));
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    cluster.add_server(Server::on_loan(v100, 8)).unwrap();
    messages.refused(ilp::reclaim(&cluster, 2, &Microlp::default()));
    messages.refused(ilp::epoch(&small(), Seconds(-1.0), &Microlp::default()));
    messages.add(IlpError::TooLarge { variables: 2_000_000, limit: ilp::VARIABLE_LIMIT });

    let mut instance = Instance::new(10);
    instance.push_class(ClassKind::AtMostOne, [Item::new(4, 3), Item::new(9, 5)]).unwrap();
    let mut wrong = |values: Vec<f64>, bound: f64| {
        let answer = Says(Ok(Assignment::new(values, bound)));
        match ilp::knapsack(&instance, &answer).unwrap_err() {
            IlpError::WrongAnswer(fault) => messages.add(fault),
            other => panic!("{other}"),
        }
    };
    wrong(vec![1.0], 5.0);
    wrong(vec![0.5, 0.0], 5.0);
    wrong(vec![1.0, 0.0], f64::NAN);
    wrong(vec![1.0, 1.0], 5.0);
    messages.refused(ilp::knapsack(&instance, &Says(Ok(Assignment::new(vec![1.0], 5.0)))));
    messages.refused(ilp::knapsack(&instance, &Says(Err(BackendError::Infeasible))));
    messages.add(WrongAnswer::OverCapacity { weight: 13, capacity: 10 });
    messages.add(WrongAnswer::Servers { servers: 3, asked: 2 });
    messages.add(WrongAnswer::JobChoices { job: job(1), choices: 2 });
    messages.add(WrongAnswer::Placement { job: job(1), server: Some(server(4)) });
    messages.add(WrongAnswer::Placement { job: job(1), server: None });
}
