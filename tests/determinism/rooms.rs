//! Inputs for the rooms that work alone, and their answers as rows.

use aryl::cluster::Cluster;
use aryl::knapsack::{ClassKind, CurveClass, Gain, Item};
use aryl::loan::{Demand, Fleet, LoanController, LoanDecision, LoanPolicy, SeasonalNaive};
use aryl::{k_union, knapsack, place};

use crate::canonical::{self, Row};
use crate::clusters::{Draw, case};

pub(crate) fn knapsack_instance(seed: u64) -> knapsack::Instance {
    let mut draw = Draw::new(seed, 1);
    let classes = if seed % 10 == 9 { 2_500 } else { 1 + draw.below(60) };
    let mandatory = seed.is_multiple_of(3);
    let most = draw.of(&[20, 1_000, 1 << 30]);
    let mut instance = knapsack::Instance::new(0);
    for _ in 0..classes {
        if draw.one_in(3) {
            let gain = if draw.one_in(2) {
                Gain::Hyperbola { half: (1 + draw.below(9)) as f64 }
            } else {
                Gain::Power { base: (1 + draw.below(9)) as f64, exponent: draw.of(&[0.5, 0.7, 1.0]) }
            };
            let curve = CurveClass::new(gain, draw.below(most) as f64, 1 + draw.small(8), draw.small(20));
            instance.push_curve(curve.with_bonus(draw.small(20), draw.below(9))).unwrap();
            continue;
        }
        let kind = if mandatory && draw.one_in(2) { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        let items = (0..1 + draw.below(8)).map(|_| Item::new(draw.small(40), draw.below(most)));
        instance.push_class(kind, items.collect::<Vec<_>>()).unwrap();
    }
    let spare = instance.total_demand() - instance.mandatory_weight().min(instance.total_demand());
    instance.set_capacity(instance.mandatory_weight() + spare * draw.below(70) / 100);
    instance
}

pub(crate) fn union_instance(seed: u64) -> (k_union::Instance, u64) {
    let mut draw = Draw::new(seed, 2);
    let elements = if seed % 10 == 9 { 150 } else { 1 + draw.small(14) };
    let sets = if seed % 10 == 9 { 200 } else { 1 + draw.small(20) };
    let most = draw.of(&[2, 5, 1 << 20]);
    let (tolerant, weighted) = (seed % 3 == 1, seed % 5 == 2);
    let mut instance = k_union::Instance::new();
    for _ in 0..elements {
        let tolerance = if tolerant && draw.one_in(2) { draw.below(6) } else { 0 };
        instance.add_tolerant_element(draw.below(most), tolerance).unwrap();
    }
    for _ in 0..sets {
        let chosen: Vec<u32> = (0..elements).filter(|_| draw.below(u64::from(elements)) < 3).collect();
        let member = |element| match draw.below(3) {
            0 => k_union::Member::breaking(element),
            _ => k_union::Member::losing(element, 1 + draw.below(3)),
        };
        let members: Vec<_> = chosen.into_iter().map(member).collect();
        instance.add_weighted_set(if weighted { 1 + draw.small(8) } else { 1 }, members).unwrap();
    }
    let need = draw.below(instance.weight() + 1);
    (instance, need)
}

/// A solver whose budget ends in a few of these instances, so that the answer at the end of a budget is looked at too.
pub(crate) fn union_solver(seed: u64) -> k_union::Solver {
    k_union::Solver::new().with_node_budget(if seed.is_multiple_of(4) { 3 } else { 200 })
}

/// All jobs that wait, with as many flexible workers as come up, in an order that comes up.
pub(crate) fn demands(seed: u64) -> (Cluster, Vec<place::Demand>) {
    let mut draw = Draw::new(seed, 3);
    let cluster = case(seed).cluster;
    let waiting = cluster.jobs().filter(|&(id, _)| !cluster.is_running(id));
    let mut demands: Vec<_> = waiting
        .map(|(id, job)| place::Demand::new(id).flexible(draw.small(job.max_workers - job.min_workers + 1)))
        .collect();
    draw.shuffle(&mut demands);
    (cluster, demands)
}

/// A policy and the demands of forty decisions, each with the forecast of a season.
pub(crate) fn loan_input(seed: u64) -> (Fleet, LoanPolicy, Vec<Demand>) {
    let mut draw = Draw::new(seed, 4);
    let fleet = Fleet::new(1 + draw.small(200), 1 + draw.small(16)).unwrap();
    let mut policy = LoanPolicy::default()
        .with_headroom(draw.below(300) as f64 / 1_000.0)
        .unwrap()
        .with_band(draw.small(6))
        .with_patience(1 + draw.small(5))
        .unwrap();
    if draw.one_in(3) {
        policy = policy.with_max_lend(1 + draw.small(9)).unwrap();
    }
    if draw.one_in(3) {
        policy = policy.with_max_ask_back(1 + draw.small(9)).unwrap();
    }
    let mut season = SeasonalNaive::new(1 + draw.small(12)).unwrap();
    let demands = (0..40).map(|_| {
        let load = draw.below(1_100) as f64 / 1_000.0;
        let now = Demand::from_load(load, load, &fleet).unwrap().now;
        season.observe(now);
        Demand { now, forecast: season.forecast(1).unwrap().value() }
    });
    let demands = demands.collect();
    (fleet, policy, demands)
}

/// What the controller decides, where each decision is carried out at once.
pub(crate) fn loan_decisions(seed: u64) -> Vec<LoanDecision> {
    let (mut fleet, policy, demands) = loan_input(seed);
    let mut controller = LoanController::new(policy);
    let decide = |demand: Demand| {
        let decision = controller.decide(&fleet, demand);
        fleet = fleet.with_lent(fleet.lent() + decision.lend() - decision.ask_back()).unwrap();
        decision
    };
    demands.into_iter().map(decide).collect()
}

pub(crate) fn plan_row(seed: u64) -> Row {
    let case = case(seed);
    canonical::plan(&case.epoch.plan(&case.cluster, &case.request))
}

pub(crate) fn knapsack_row(seed: u64) -> Row {
    let instance = knapsack_instance(seed);
    let exact = knapsack::Solver::default().solve(&instance).unwrap();
    // Never by the table alone, so that the search is looked at too.
    let core = knapsack::Solver::default().with_table_budget(0).solve(&instance).unwrap();
    let mut row =
        [exact, core, knapsack::greedy(&instance).unwrap()].map(|each| canonical::knapsack(&each)).concat();
    if let Ok(dense) = knapsack::dense(&instance, 1 << 20) {
        row.extend(canonical::knapsack(&dense));
    }
    row
}

pub(crate) fn union_row(seed: u64) -> Row {
    let ((instance, need), solver) = (union_instance(seed), union_solver(seed));
    let mut row = canonical::union(&solver.solve(&instance, need).unwrap());
    row.extend(canonical::curve(&solver.curve(&instance)));
    row
}

pub(crate) fn place_row(seed: u64) -> Row {
    let (cluster, demands) = demands(seed);
    canonical::placements(
        &place::BestFitDecreasing.solve(&cluster, &demands).unwrap(),
        &canonical::Names::OWN,
    )
}

pub(crate) fn loan_row(seed: u64) -> Row {
    loan_decisions(seed).iter().flat_map(canonical::loan).collect()
}
