//! A loan decision allocates nothing; what remembers allocates until it remembers as much as it may.

use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy, SeasonalNaive};

use crate::allocations;

#[test]
fn a_controller_that_remembers_all_it_may_does_not_allocate() {
    let fleet = Fleet::new(50, 8).unwrap().with_lent(20).unwrap();
    let policy = LoanPolicy::default().with_patience(6).unwrap();
    let mut controller = LoanController::new(policy);
    let mut season = SeasonalNaive::new(7).unwrap();
    let mut step = |at: u64| {
        season.observe(at * 37 % 400);
        let demand = Demand { now: at * 37 % 400, forecast: season.forecast(3).unwrap().value() };
        let _ = controller.decide(&fleet, demand);
        let _ = policy.decide(&fleet, controller.earlier(), demand);
    };
    assert!(allocations(|| (0..8).for_each(&mut step)) > 0);
    assert_eq!(allocations(|| (8..100).for_each(&mut step)), 0);
}
