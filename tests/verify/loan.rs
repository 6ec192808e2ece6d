//! `verify::loan` on random decisions, and on decisions made for something else.

use aryl::loan::{Demand, Fleet, HoldReason, LoanAction, LoanPolicy};
use aryl::verify::{self, LoanViolation as V};
use oorandom::Rand32;

#[test]
fn every_decision_is_the_one_of_the_rule() {
    let mut random = Rand32::new(3);
    let mut seen = [0u32; 6];
    for _ in 0..20_000 {
        let mut below = |limit: u32| random.rand_range(0..limit);
        let servers = 1 + below(30);
        let lent = below(servers + 1);
        let fleet = Fleet::new(servers, 1 + below(4)).unwrap().with_lent(lent).unwrap();
        let fleet = fleet.with_returning(below(lent + 1)).unwrap();
        let mut policy = LoanPolicy::default()
            .with_headroom(f64::from(below(30)) / 100.0)
            .unwrap()
            .with_band(below(4))
            .with_patience(1 + below(4))
            .unwrap();
        if below(3) == 0 {
            policy = policy.with_max_lend(1 + below(4)).unwrap().with_max_ask_back(1 + below(4)).unwrap();
        }
        let mut demand = || Demand { now: u64::from(below(40)), forecast: u64::from(below(40)) };
        let earlier: Vec<Demand> = (0..demand().now % 6).map(|_| demand()).collect();
        let demand = demand();
        let decision = policy.decide(&fleet, &earlier, demand);
        assert_eq!(
            verify::loan(&policy, &fleet, &earlier, demand, &decision),
            Ok(()),
            "{policy:?} {fleet:?}"
        );
        seen[match decision.action() {
            LoanAction::Lend(_) => 0,
            LoanAction::AskBack(_) => 1,
            LoanAction::Hold(HoldReason::InBand) => 2,
            LoanAction::Hold(HoldReason::Patience) => 3,
            LoanAction::Hold(HoldReason::Returning) => 4,
            LoanAction::Hold(HoldReason::NoneLent) => 5,
        }] += 1;
        // A decision made for a demand of one server more says so.
        let more = Demand::now(demand.peak() + u64::from(fleet.gpus_per_server()));
        let other = policy.decide(&fleet, &earlier, more);
        let needed = decision.needed();
        let wrong = V::Number { what: "servers needed", stated: needed + 1, expected: needed };
        assert_eq!(verify::loan(&policy, &fleet, &earlier, demand, &other), Err(wrong.into()));
    }
    assert!(seen.iter().all(|&count| count > 200), "{seen:?}");
}

#[test]
fn the_ends_of_the_range() {
    let fleet = Fleet::new(u32::MAX, 1).unwrap().with_lent(u32::MAX).unwrap();
    let policy = LoanPolicy::default().with_band(u32::MAX).with_patience(1).unwrap();
    for fleet in [fleet, fleet.with_lent(0).unwrap(), fleet.with_returning(u32::MAX).unwrap()] {
        for demand in [0, 1, u64::from(u32::MAX), 1 << 40, u64::MAX - (1 << 40)].map(Demand::now) {
            let decision = policy.decide(&fleet, &[], demand);
            assert_eq!(verify::loan(&policy, &fleet, &[], demand, &decision), Ok(()));
        }
    }
}

#[test]
fn decisions_made_for_something_else() {
    let fleet = Fleet::new(100, 8).unwrap().with_lent(20).unwrap();
    let policy = LoanPolicy::default().with_patience(2).unwrap();
    let (earlier, demand) = ([Demand::now(80)], Demand::now(160));
    let lends = policy.decide(&fleet, &earlier, demand);
    // 100 servers less 20 lent, 20 needed, 2 headroom and 2 band.
    assert_eq!(lends.action(), LoanAction::Lend(56));
    let check = |policy: &LoanPolicy, fleet: &Fleet, earlier: &[Demand]| {
        verify::loan(policy, fleet, earlier, demand, &lends).map_err(|violation| violation.to_string())
    };
    assert_eq!(check(&policy, &fleet, &earlier), Ok(()));
    let other = fleet.with_lent(21).unwrap();
    let violation = V::Fleet { stated: fleet, expected: other };
    assert_eq!(check(&policy, &other, &earlier), Err(violation.to_string()));
    let number = |what, stated, expected| Err(V::Number { what, stated, expected }.to_string());
    assert_eq!(check(&policy.with_band(3), &fleet, &earlier), number("band", 2, 3));
    let headroom = policy.with_headroom(0.05).unwrap();
    assert_eq!(check(&headroom, &fleet, &earlier), number("headroom", 2, 5));
    assert_eq!(check(&policy, &fleet, &[Demand::now(240)]), number("recent peak", 20, 30));
    let action = |expected| Err(V::Action { stated: LoanAction::Lend(56), expected }.to_string());
    let limited = policy.with_max_lend(5).unwrap();
    assert_eq!(check(&limited, &fleet, &earlier), action(LoanAction::Lend(5)));
    // Without the earlier demand there was nothing to be patient about.
    assert_eq!(check(&policy, &fleet, &[]), action(LoanAction::Hold(HoldReason::Patience)));
}
