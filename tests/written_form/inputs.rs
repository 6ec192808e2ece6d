//! What goes in.

use aryl::allocate::flexible_items;
use aryl::cluster::{AllowedGpuTypes, Cluster, GpuType, Job, Placement, Pool, Role, Server};
use aryl::epoch::{Epoch, Request};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::k_union;
use aryl::knapsack::{self, ClassKind, CurveClass, Gain, Instance, Item};
use aryl::loan::{Demand, Fleet, Forecast, LoanController, LoanPolicy, SeasonalNaive};
use aryl::place::Demand as PlaceDemand;
use aryl::reclaim::{Amount, Ask, CostModel, Costs, Policy, PreemptionCost, Quantity, Reclaimer};
use aryl::scaling::{MeasuredTable, ScalingCurve};
use aryl::units::{Seconds, Speed};

use crate::Record;

pub(crate) fn keep(record: &mut Record) {
    keep_nouns(record);
    keep_asks(record);
    keep_loans(record);
    keep_knapsacks(record);
    record.keep(&GpuTypeId::new(1));
    record.keep(&ServerId::new(u32::MAX));
    record.keep(&JobId::new(0));
    record.keep(&Seconds(0.1));
    record.keep(&PlaceDemand::new(JobId::new(3)).flexible(2));
    record.keep(&Epoch::default());
    flexible_items(&Job::elastic(2..=3).remaining(Seconds(60.0)), Speed::new(1, 1).unwrap())
        .for_each(|item| record.keep(&item));
}

/// Two GPU types; a training and two on-loan servers and a removed one; a job that runs on two, and one with every field.
pub(crate) fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let lent = Server::on_loan(v100, 4);
    let servers = [Server::training(v100, 8), lent, Server::inference(t4, 8).protected(), lent];
    let servers = servers.map(|server| cluster.add_server(server).unwrap());
    cluster.remove_server(servers[3]).unwrap();
    let running = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(36_000.0))).unwrap();
    let workers = [Placement::base(servers[0], 2).pinned(), Placement::flexible(servers[1], 2)];
    cluster.place(running, &workers).unwrap();
    cluster.add_job(every_field()).unwrap();
    cluster
}

fn every_field() -> Job {
    Job::elastic(1..=3)
        .gpus_per_worker(2)
        .remaining(Seconds(600.5))
        .scaling(ScalingCurve::LossPerAddedWorker { loss: 0.2 })
        .on([GpuTypeId::new(0), GpuTypeId::new(1)])
        .heterogeneous_at(0.7)
        .weight(2.5)
        .preemption_cost(7)
        .protected()
        .resize_overhead(Seconds(30.0))
        .submitted(Seconds(-5.0))
        .priority(3)
        .preemptions(2)
        .started(Seconds(10.0))
        .checkpointed(Seconds(20.0))
}

fn keep_nouns(record: &mut Record) {
    let table = MeasuredTable::new([(2, 100.0), (4, 160.0)]).unwrap();
    table.points().iter().for_each(|point| record.keep(point));
    for curve in [
        ScalingCurve::Linear,
        ScalingCurve::PowerLaw { exponent: 0.7 },
        ScalingCurve::Amdahl { serial: 0.1 },
        ScalingCurve::LossPerAddedWorker { loss: 0.2 },
        ScalingCurve::Measured(table.clone()),
    ] {
        record.keep(&curve);
    }
    record.keep(&table);
    record.keep(&GpuType::new("T4").speed(1, 3));
    for types in [AllowedGpuTypes::Reference, AllowedGpuTypes::Any, every_field().gpu_types] {
        record.keep(&types);
    }
    record.keep(&Job::inelastic(1));
    record.keep(&every_field());
    [Pool::Training, Pool::Inference, Pool::OnLoan].iter().for_each(|pool| record.keep(pool));
    [Role::Base, Role::Flexible].iter().for_each(|role| record.keep(role));
    record.keep(&Server::on_loan(GpuTypeId::new(0), 8).protected());
    record.keep(&Placement::base(ServerId::new(1), 2).pinned());
    record.keep(&Cluster::new());
    record.keep(&cluster());
}

fn keep_asks(record: &mut Record) {
    let (servers, gpus) = (Quantity::Servers(2), Quantity::Gpus(64));
    [servers, gpus].iter().for_each(|quantity| record.keep(quantity));
    let by_type = vec![(GpuTypeId::new(0), servers), (GpuTypeId::new(1), gpus)];
    let amounts = [Amount::Any(servers), Amount::ByType(by_type.clone().into()), Amount::Listed];
    amounts.iter().for_each(|amount: &Amount<'static>| record.keep(amount));
    let costs = [PreemptionCost::Cost(5), PreemptionCost::Protected];
    costs.iter().for_each(|cost| record.keep(cost));
    let models: [CostModel<'static>; 6] = [
        CostModel::Stated,
        CostModel::Jobs,
        CostModel::GpuSecondsLost,
        CostModel::Priority,
        CostModel::Preemptions,
        CostModel::Table(costs.to_vec().into()),
    ];
    models.iter().for_each(|model| record.keep(model));
    let full: Costs<'static> = Costs::new(CostModel::GpuSecondsLost)
        .restart(3)
        .now(Seconds(1_000.0))
        .min_running_time(Seconds(600.0))
        .max_preemptions(2)
        .protect_priority(5);
    record.keep(&Costs::STATED);
    record.keep(&full);
    let asks: [Ask<'static>; 5] = [
        Ask::servers(3),
        Ask::gpus(64),
        Ask::by_type(by_type),
        Ask::these(vec![ServerId::new(4)]),
        Ask::servers(3).must_return(vec![ServerId::new(1)]).must_stay(vec![ServerId::new(2)]).costs(full),
    ];
    asks.iter().for_each(|ask| record.keep(ask));
    record.keep(&Request::NONE);
    record.keep(&Request::reclaim(3).and_lend(1));
    for policy in [
        Policy::Exact,
        Policy::Aryl,
        Policy::SmallestCountFirst,
        Policy::Random { seed: 7 },
        Policy::Amortized,
        Policy::BestOfRules,
    ] {
        record.keep(&policy);
    }
    record.keep(&Reclaimer::default());
    record.keep(&Reclaimer::new(Policy::Aryl).put_back(false));
    record.keep(&k_union::Solver::new().with_node_budget(9).with_step_budget(8));
}

fn keep_loans(record: &mut Record) {
    let fleet = Fleet::new(104, 8).unwrap().with_lent(30).unwrap().with_returning(4).unwrap();
    record.keep(&fleet);
    record.keep(&Demand { now: 300, forecast: 320 });
    let policy = LoanPolicy::default();
    let policy = policy.with_headroom(0.05).unwrap().with_band(4).with_patience(3).unwrap();
    record.keep(&LoanPolicy::default());
    record.keep(&policy.with_max_lend(10).unwrap().with_max_ask_back(20).unwrap());
    let mut controller = LoanController::new(policy);
    let _ = controller.decide(&fleet, Demand::now(300));
    record.keep(&controller);
    let mut naive = SeasonalNaive::new(3).unwrap();
    (0..5).for_each(|value| naive.observe(value));
    assert!(record.keep_alike(&naive).values().eq(naive.values()));
    [Forecast::Seasonal(5), Forecast::Naive(6)].iter().for_each(|forecast| record.keep(forecast));
}

/// A class of each kind: a table, a mandatory table, and a formula.
pub(crate) fn instance() -> Instance {
    let mut instance = Instance::new(10);
    instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50), Item::new(3, 60)]).unwrap();
    instance.push_class(ClassKind::ExactlyOne, [Item::new(1, 5)]).unwrap();
    instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4)).unwrap();
    instance
}

fn keep_knapsacks(record: &mut Record) {
    record.keep(&Item::new(2, 50));
    [ClassKind::AtMostOne, ClassKind::ExactlyOne].iter().for_each(|kind| record.keep(kind));
    let gains = [Gain::Hyperbola { half: 2.0 }, Gain::Power { base: 2.0, exponent: 0.5 }];
    for gain in gains {
        record.keep(&gain);
        record.keep(&CurveClass::new(gain, 60.0, 1, 4).with_bonus(2, 9));
    }
    record.keep(&instance());
    record.keep(&knapsack::Solver::new());
    record.keep(&knapsack::Solver::new().with_table_budget(5));
}
