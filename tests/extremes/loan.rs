//! Loans at the edges.

use aryl::loan::{
    Demand, Fleet, Forecast, HoldReason, LoanAction, LoanController, LoanDecision, LoanError, LoanPolicy,
    SeasonalNaive,
};
use aryl::verify;

use crate::bytes;

/// No headroom, no band, no patience: the plain difference.
fn plain() -> LoanPolicy {
    LoanPolicy::default().with_headroom(0.0).unwrap().with_band(0).with_patience(1).unwrap()
}

#[track_caller]
fn decide(policy: LoanPolicy, fleet: Fleet, demand: Demand) -> LoanDecision {
    let decision = policy.decide(&fleet, &[], demand);
    assert_eq!(verify::loan(&policy, &fleet, &[], demand, &decision), Ok(()));
    decision
}

#[test]
fn a_fleet_of_one_server_of_one_gpu() {
    let home = Fleet::new(1, 1).unwrap();
    assert_eq!(decide(plain(), home, Demand::now(0)).action(), LoanAction::Lend(1));
    assert_eq!(decide(plain(), home, Demand::now(1)).action(), LoanAction::Hold(HoldReason::InBand));
    let lent = home.with_lent(1).unwrap();
    assert_eq!(decide(plain(), lent, Demand::now(0)).action(), LoanAction::Hold(HoldReason::InBand));
    assert_eq!(decide(plain(), lent, Demand::now(1)).action(), LoanAction::AskBack(1));
    let short = decide(plain(), home, Demand::now(2));
    assert_eq!((short.action(), short.shortfall()), (LoanAction::Hold(HoldReason::NoneLent), 1));
}

#[test]
fn the_largest_fleet_and_the_largest_demand() {
    let most = u32::MAX;
    let home = Fleet::new(most, most).unwrap();
    assert_eq!(decide(plain(), home, Demand::now(0)).action(), LoanAction::Lend(most));
    let gone = home.with_lent(most).unwrap();
    let back = decide(plain(), gone, Demand::now(u64::MAX));
    // 2^64 - 1 GPUs are (2^32 - 1) · (2^32 + 1): two servers more than the fleet has.
    assert_eq!(
        (back.action(), back.needed(), back.shortfall()),
        (LoanAction::AskBack(most), (1 << 32) + 1, 2)
    );
    let returning = decide(plain(), gone.with_returning(most).unwrap(), Demand::now(u64::MAX));
    assert_eq!(returning.action(), LoanAction::Hold(HoldReason::Returning));
    let limited = plain().with_max_ask_back(1).unwrap().with_max_lend(1).unwrap();
    assert_eq!(decide(limited, gone, Demand::now(u64::MAX)).action(), LoanAction::AskBack(1));
    assert_eq!(decide(limited, home, Demand::now(0)).action(), LoanAction::Lend(1));
    let band = plain().with_band(most);
    assert_eq!(decide(band, home, Demand::now(0)).action(), LoanAction::Hold(HoldReason::InBand));
    assert_eq!(decide(plain().with_band(most - 1), home, Demand::now(0)).action(), LoanAction::Lend(1));
    let one_gpu = Fleet::new(most, 1).unwrap();
    assert_eq!(decide(plain(), one_gpu, Demand::now(u64::MAX)).missing(), u64::MAX - u64::from(most));
}

#[test]
fn shares_at_1e_minus_300_and_1e300() {
    let fleet = Fleet::new(100, 8).unwrap();
    for load in [0.0, f64::from_bits(1), 1e-300, 4e-7] {
        assert_eq!(Demand::from_load(load, load, &fleet), Ok(Demand::now(0)), "{load}");
        assert_eq!(plain().with_headroom(load).unwrap().headroom_servers(&fleet), 0, "{load}");
    }
    for load in [-1e-300, 1e300, f64::MAX, f64::INFINITY] {
        assert_eq!(Demand::from_load(load, 0.0, &fleet), Err(LoanError::Load { load }));
        assert_eq!(Demand::from_load(0.0, load, &fleet), Err(LoanError::Load { load }));
        assert_eq!(plain().with_headroom(load), Err(LoanError::HeadroomShare { share: load }));
    }
    // A millionth more than the fleet.
    assert_eq!(Demand::from_load(1.000_001, 1.0, &fleet), Ok(Demand { now: 801, forecast: 800 }));
}

#[test]
fn a_patience_and_a_period_of_2_to_the_32_less_1_take_no_memory() {
    let fleet = Fleet::new(10, 8).unwrap();
    let policy = plain().with_patience(u32::MAX).unwrap();
    let used = bytes(|| {
        let mut controller = LoanController::new(policy);
        let mut season = SeasonalNaive::new(u32::MAX).unwrap();
        for at in 0..100 {
            let decision = controller.decide(&fleet, Demand::now(0));
            assert_eq!(decision.action(), LoanAction::Hold(HoldReason::Patience));
            season.observe(at);
        }
        assert_eq!(season.forecast(u32::MAX), Some(Forecast::Naive(99)));
        assert_eq!((season.values().len(), controller.earlier().len()), (100, 100));
    });
    assert!(used < 16_384, "{used} bytes");
    let mut short = SeasonalNaive::new(1).unwrap();
    assert_eq!(short.forecast(1), None);
    short.observe(u64::MAX);
    for ahead in [0, 1, u32::MAX] {
        assert_eq!(short.forecast(ahead), Some(Forecast::Seasonal(u64::MAX)));
    }
}
