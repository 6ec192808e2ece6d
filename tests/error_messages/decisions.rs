//! Errors of loans, reclaims, placing and epochs.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::loan::{Demand, Fleet, HoldReason, LoanError, LoanPolicy, SeasonalNaive};
use aryl::place::{BestFitDecreasing, Demand as PlaceDemand};
use aryl::reclaim::{Ask, CostModel, Costs, PreemptionCost, Quantity, ReclaimError, Reclaimer};
use aryl::units::Seconds;

use crate::cluster::small;
use crate::{Messages, gpu_type, job, server};

pub(crate) fn add(messages: &mut Messages) {
    add_loans(messages);
    add_reclaims(messages);
    add_asks(messages);
    add_costs(messages);
    let mut cluster = small();
    let twice = [PlaceDemand::new(job(1)), PlaceDemand::new(job(1))];
    messages.refused(BestFitDecreasing.solve(&cluster, &[PlaceDemand::new(job(9))]));
    messages.refused(BestFitDecreasing.solve(&cluster, &[PlaceDemand::new(job(0))]));
    messages.refused(BestFitDecreasing.solve(&cluster, &twice));
    messages.refused(BestFitDecreasing.solve(&cluster, &[PlaceDemand::new(job(1)).flexible(3)]));
    messages.refused(Epoch::default().plan(&cluster, Request::reclaim(2)));
    messages.refused(Epoch::default().plan(&cluster, Request::lend(3)));
    cluster.clear();
}

fn add_loans(messages: &mut Messages) {
    let fleet = Fleet::new(104, 8).unwrap().with_lent(30).unwrap();
    let policy = LoanPolicy::default();
    messages.refused(Fleet::new(0, 8));
    messages.refused(Fleet::new(104, 0));
    messages.refused(fleet.with_lent(105));
    messages.refused(fleet.with_returning(31));
    messages.refused(policy.with_headroom(1.5));
    messages.refused(policy.with_patience(0));
    messages.refused(policy.with_max_lend(0));
    messages.refused(policy.with_max_ask_back(0));
    messages.refused(Demand::from_load(f64::NAN, 0.5, &fleet));
    messages.refused(Demand::from_servers(u64::MAX / 2, 0, &fleet));
    messages.refused(SeasonalNaive::new(0));
    // What a decision or a controller that was written down by hand can hold.
    messages.add(LoanError::ValuesAbovePeriod { values: 25, period: 24 });
    messages.add(LoanError::MemoryAbovePatience { earlier: 3, patience: 3 });
    messages.add(LoanError::PeakBelowNeeded { needed: 20, recent_peak: 19 });
    messages.add(LoanError::LendsTooMuch { lend: 9, lendable: 8 });
    messages.add(LoanError::AsksTooMuch { ask_back: 9, missing: 8 });
    for reason in [HoldReason::InBand, HoldReason::Patience, HoldReason::Returning, HoldReason::NoneLent] {
        messages.add(LoanError::WrongHold { reason });
    }
}

/// On loan: server 0 of 8 V100, where protected job 0 runs; server 1 of 8 V100, protected; server 2 of 4 T4 with job 1;
/// server 3 of 8 V100, idle. Server 4 is for training.
fn lent() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for server in [
        Server::on_loan(v100, 8),
        Server::on_loan(v100, 8).protected(),
        Server::on_loan(t4, 4),
        Server::on_loan(v100, 8),
        Server::training(v100, 8),
    ] {
        cluster.add_server(server).unwrap();
    }
    let jobs = [(Job::inelastic(2).protected(), 0, 2), (Job::inelastic(1).fungible(), 2, 3)];
    for (definition, at, workers) in jobs {
        let id = cluster.add_job(definition).unwrap();
        cluster.place(id, &[Placement::base(server(at), workers)]).unwrap();
    }
    cluster
}

fn add_reclaims(messages: &mut Messages) {
    let cluster = lent();
    let mut refused = |ask: Ask<'_>| messages.refused(Reclaimer::default().solve(&cluster, ask));
    refused(Ask::servers(3));
    refused(Ask::servers_of(gpu_type(0), 3).must_stay(vec![server(3)]));
    refused(Ask::gpus(13));
    refused(Ask::gpus_of(gpu_type(1), 9));
    refused(Ask::servers(1).must_return(vec![server(9)]));
    refused(Ask::servers(1).costs(Costs::new(CostModel::GpuSecondsLost)));
    // Ten protected jobs on ten servers: eight are named.
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..10 {
        let at = cluster.add_server(Server::on_loan(v100, 8)).unwrap();
        let id = cluster.add_job(Job::inelastic(1).protected()).unwrap();
        cluster.place(id, &[Placement::base(at, 1)]).unwrap();
    }
    messages.refused(Reclaimer::default().solve(&cluster, 1));
}

fn add_asks(messages: &mut Messages) {
    let cluster = lent();
    let mut refused = |ask: Ask<'_>| match Reclaimer::default().solve(&cluster, ask).unwrap_err() {
        ReclaimError::Ask(fault) => messages.add(fault),
        other => panic!("{other}"),
    };
    let must = |at| Ask::servers(1).must_return(vec![server(at)]);
    let one = Quantity::Servers(1);
    refused(must(9));
    refused(Ask::servers_of(gpu_type(7), 1));
    refused(Ask::by_type(vec![(gpu_type(0), one), (gpu_type(0), one)]));
    refused(must(3).must_stay(vec![server(3)]));
    refused(must(4));
    refused(must(1));
    refused(must(0));
    refused(Ask::servers_of(gpu_type(0), 1).must_return(vec![server(2)]));
    refused(Ask::servers(1).must_return(vec![server(2), server(3)]));
    refused(Ask::servers_of(gpu_type(1), 0).must_return(vec![server(2)]));
}

fn add_costs(messages: &mut Messages) {
    let cluster = lent();
    let mut refused = |costs: Costs<'_>| match Reclaimer::default()
        .solve(&cluster, Ask::servers(1).costs(costs))
        .unwrap_err()
    {
        ReclaimError::Costs(fault) => messages.add(fault),
        other => panic!("{other}"),
    };
    let lost = || Costs::new(CostModel::GpuSecondsLost);
    refused(lost());
    refused(lost().now(Seconds(f64::NAN)));
    refused(lost().now(Seconds(5.0)).min_running_time(Seconds(-1.0)));
    refused(lost().now(Seconds(5.0)));
    refused(Costs::new(CostModel::Table(vec![PreemptionCost::Cost(1)].into())));
    refused(Costs::new(CostModel::Table(vec![PreemptionCost::Cost(u64::MAX); 2].into())).restart(5));
}
