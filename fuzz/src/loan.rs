//! Any series of demands, with servers that take their time to come back: the controller must not panic, must keep need
//! and headroom at home when it lends, and must say the same as the policy alone.

use aryl::loan::{Demand, Fleet, LoanAction, LoanController, LoanDecision, LoanPolicy, SeasonalNaive};
use aryl::verify;

use super::bytes::Bytes;

fn read_policy(bytes: &mut Bytes) -> LoanPolicy {
    let policy = LoanPolicy::default().with_headroom((u64::from(bytes.byte()) % 100) as f64 / 100.0);
    let policy = policy.expect("below 1").with_band(bytes.byte());
    let mut policy = policy.with_patience(bytes.byte() % 16 + 1).expect("at least 1");
    let (max_lend, max_ask_back) = (bytes.byte(), bytes.byte());
    if max_lend > 0 {
        policy = policy.with_max_lend(max_lend).expect("at least 1");
    }
    if max_ask_back > 0 {
        policy = policy.with_max_ask_back(max_ask_back).expect("at least 1");
    }
    policy
}

fn read_demand(bytes: &mut Bytes, fleet: &Fleet) -> Demand {
    let scale = u64::from(bytes.byte()) % 4;
    let (now, forecast) = (u64::from(bytes.byte()), u64::from(bytes.byte()));
    match scale {
        // GPUs as they are; shares of the fleet in 1/200, so that 28 % above it can be had; the ends of the range.
        0 => Demand { now, forecast },
        1 => Demand { now: fleet.gpus() * now / 200, forecast: fleet.gpus() * forecast / 200 },
        2 => Demand::from_load(now as f64 / 200.0, forecast as f64 / 200.0, fleet).expect("a finite load"),
        _ => Demand { now: u64::MAX - now, forecast: u64::MAX >> (forecast % 64) },
    }
}

fn wide(number: impl Into<u128>) -> u128 {
    number.into()
}

/// The promises of one decision, in plain sums of `u128`.
fn check(policy: &LoanPolicy, fleet: &Fleet, recent: &[Demand], decision: &LoanDecision) {
    let needed = |demand: &Demand| wide(demand.peak()).div_ceil(wide(fleet.gpus_per_server()));
    let headroom = wide(policy.headroom_servers(fleet));
    let (home, returning) = (wide(fleet.home()), wide(fleet.returning()));
    let now = needed(recent.last().expect("this decision's demand")) + headroom;
    match decision.action() {
        LoanAction::Lend(servers) => {
            assert!(servers > 0 && recent.len() == policy.patience() as usize);
            assert!(policy.max_lend().is_none_or(|limit| servers <= limit));
            for demand in recent {
                let kept = needed(demand) + headroom + wide(policy.band());
                assert!(home - wide(servers) >= kept, "{decision}");
            }
        }
        LoanAction::AskBack(servers) => {
            let still_lent = wide(fleet.lent() - fleet.returning());
            let wanted = (now - home - returning).min(still_lent);
            assert_eq!(wide(servers), policy.max_ask_back().map_or(wanted, |limit| wanted.min(wide(limit))));
            assert!(servers > 0);
        }
        LoanAction::Hold(_) => {
            assert!(home + returning >= now || fleet.lent() == fleet.returning(), "{decision}");
        }
    }
    assert_eq!(wide(decision.shortfall()), (now - headroom).saturating_sub(wide(fleet.servers())));
    assert!(!decision.to_string().is_empty());
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let servers = (u64::from(bytes.byte()) + 256 * u64::from(bytes.byte())) as u32 + 1;
    let mut fleet = Fleet::new(servers, bytes.byte() + 1).expect("at least 1 of each");
    let policy = read_policy(&mut bytes);
    let mut controller = LoanController::new(policy);
    let mut season = SeasonalNaive::new(policy.patience()).expect("at least 1");
    let mut demands = Vec::new();

    while !bytes.is_empty() {
        let demand = read_demand(&mut bytes, &fleet);
        let decision = controller.decide(&fleet, demand);
        assert_eq!(decision, policy.decide(&fleet, &demands, demand));
        verify::loan(&policy, &fleet, &demands, demand, &decision).expect("a sound decision");
        demands.push(demand);
        let recent = &demands[demands.len().saturating_sub(policy.patience() as usize)..];
        check(&policy, &fleet, recent, &decision);

        season.observe(demand.peak());
        let value = season.forecast(policy.patience()).expect("something was observed").value();
        assert_eq!(value, demand.peak(), "a whole season ahead is the last value");

        // What is asked back is on its way; some of it comes home before the next decision.
        let returning = fleet.returning() + decision.ask_back();
        let share = u64::from(bytes.byte()) % 8;
        let came = if share == 7 { returning } else { (u64::from(returning) * share / 7) as u32 };
        let lent = fleet.lent() + decision.lend() - came;
        fleet = Fleet::new(servers, fleet.gpus_per_server())
            .and_then(|fleet| fleet.with_lent(lent)?.with_returning(returning - came))
            .expect("no more returning than lent");
    }
}
