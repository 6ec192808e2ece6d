//! What comes out.

use aryl::certificate::{Certificate, Sense, Status};
use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::epoch::{Action, Cause, Epoch, Request};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::knapsack::{self, Method};
use aryl::loan::{Demand, Fleet, HoldReason, LoanAction, LoanPolicy};
use aryl::place::{BestFitDecreasing, Demand as PlaceDemand, UnplacedReason};
use aryl::reclaim::{
    AskError, CostCurve, CostError, Costs, ReclaimError, Reclaimer, server_preemption_costs,
};
use aryl::units::Seconds;

use crate::Record;
use crate::inputs::{cluster, instance};

pub(crate) fn keep(record: &mut Record) {
    keep_certificates(record);
    keep_reclaims(record);
    keep_errors(record);
    keep_plans(record);
    keep_placements(record);
    keep_loans(record);
}

fn keep_certificates(record: &mut Record) {
    [Status::Optimal, Status::Feasible].iter().for_each(|status| record.keep(status));
    [Sense::Minimize, Sense::Maximize].iter().for_each(|sense| record.keep(sense));
    record.keep(&Certificate::new(Sense::Minimize, 12, 10).unwrap());
    record.keep(&Certificate::optimal(Sense::Maximize, u64::MAX));
    let methods = [Method::Core, Method::Dense, Method::Greedy, Method::BruteForce, Method::IntegerProgram];
    methods.iter().for_each(|method| record.keep(method));
    record.keep(&knapsack::brute_force(&instance()).unwrap());
}

/// Three on-loan servers of which two must go: a gang is preempted, an elastic job scaled in.
fn lent() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let [home, first, second, third] = [
        Server::training(v100, 2),
        Server::on_loan(v100, 4),
        Server::on_loan(v100, 4),
        Server::on_loan(v100, 4),
    ]
    .map(|server| cluster.add_server(server).unwrap());
    for (job, workers) in [
        (Job::inelastic(3), vec![Placement::base(first, 2), Placement::base(third, 1)]),
        (Job::elastic(1..=3), vec![Placement::base(home, 1), Placement::flexible(second, 2)]),
        (Job::inelastic(1).protected(), vec![Placement::base(third, 1)]),
    ] {
        let id = cluster.add_job(job).unwrap();
        cluster.place(id, &workers).unwrap();
    }
    cluster
}

fn keep_reclaims(record: &mut Record) {
    let cluster = lent();
    let answer = Reclaimer::default().solve(&cluster, 2).unwrap();
    answer.departures().iter().for_each(|departure| record.keep(departure));
    record.keep(&answer);
    let refused = Reclaimer::default().solve(&cluster, 3).unwrap_err();
    if let ReclaimError::NotEnoughServers { shortage, .. } = &refused {
        record.keep(shortage);
    }
    record.keep(&refused);
    server_preemption_costs(&cluster).iter().for_each(|cost| record.keep(cost));
    record.keep_written(&CostCurve::of(&cluster, &Costs::STATED).unwrap());
}

fn keep_errors(record: &mut Record) {
    let (job, server, gpu_type) = (JobId::new(2), ServerId::new(3), GpuTypeId::new(1));
    let asks = [
        AskError::UnknownServer { server },
        AskError::UnknownGpuType { gpu_type },
        AskError::GpuTypeTwice { gpu_type },
        AskError::MustReturnAndStay { server },
        AskError::NotOnLoan { server, pool: Pool::Training },
        AskError::ProtectedServer { server },
        AskError::ProtectedJob { server, job },
        AskError::OtherGpuType { server, gpu_type },
        AskError::TooManyMustReturn { must_return: 3, asked: 2, gpu_type: Some(gpu_type) },
    ];
    asks.iter().for_each(|error| record.keep(error));
    let costs = [
        CostError::NoNow,
        CostError::MinRunningTime { time: Seconds(-1.0) },
        CostError::NotStarted { job },
        CostError::NotInTable { job, entries: 2 },
        CostError::Overflow { job, cost: u64::MAX, total: 1 },
    ];
    costs.iter().for_each(|error| record.keep(error));
    // A time that is not finite is written as null in JSON, which has no word for it, and is not read.
    record.keep_written(&CostError::Now { time: Seconds(f64::INFINITY) });
    record.keep(&ReclaimError::Ask(asks[0].clone()));
    record.keep(&ReclaimError::Costs(costs[0].clone()));
    let gpus = Reclaimer::default().solve(&lent(), aryl::reclaim::Ask::gpus(13)).unwrap_err();
    record.keep(&gpus);
}

fn keep_plans(record: &mut Record) {
    let (job, server, workers) = (JobId::new(2), ServerId::new(3), 4);
    for cause in [Cause::ServerReturns, Cause::Reallocated] {
        record.keep(&cause);
        record.keep(&Action::ScaleIn { job, server, workers, cause });
    }
    for action in [
        Action::Preempt { job },
        Action::Return { server },
        Action::Lend { server },
        Action::Start { job, server, workers },
        Action::ScaleOut { job, server, workers },
        Action::Keep { job },
    ] {
        record.keep(&action);
    }
    let plan = Epoch::default().plan(&lent(), Request::reclaim(2)).unwrap();
    plan.allocations().iter().for_each(|allocation| record.keep(allocation));
    record.keep(plan.totals());
    record.keep(&plan);
    record.keep(&Epoch::default().plan(&cluster(), Request::NONE).unwrap());
}

fn keep_placements(record: &mut Record) {
    let mut cluster = cluster();
    let wide = cluster.add_job(Job::inelastic(1).gpus_per_worker(16)).unwrap();
    let many = cluster.add_job(Job::inelastic(40)).unwrap();
    let fits = cluster.add_job(Job::inelastic(2)).unwrap();
    let placed = BestFitDecreasing.solve(&cluster, &[wide, many, fits].map(PlaceDemand::new)).unwrap();
    record.keep(&placed);
    placed.unplaced().iter().for_each(|unplaced| {
        record.keep(unplaced);
        record.keep(&unplaced.reason);
    });
    record.keep(&UnplacedReason::NoServer);
}

fn keep_loans(record: &mut Record) {
    let fleet = Fleet::new(104, 8).unwrap().with_lent(30).unwrap();
    let reasons = [HoldReason::InBand, HoldReason::Patience, HoldReason::Returning, HoldReason::NoneLent];
    reasons.iter().for_each(|reason| record.keep(reason));
    for action in [LoanAction::Lend(3), LoanAction::AskBack(1), LoanAction::Hold(reasons[0])] {
        record.keep(&action);
    }
    for gpus in [832, 560, 0] {
        record.keep(&LoanPolicy::default().decide(&fleet, &[Demand::now(0); 2], Demand::now(gpus)));
    }
}
