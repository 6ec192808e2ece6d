//! The loan room from outside: the written rule against the code on all small cases, its promises on random series,
//! a day of load, a recorded trace, and the written forms.

use core::ops::RangeInclusive;

use aryl::loan::{
    Demand, Fleet, Forecast, HoldReason, LoanAction, LoanController, LoanDecision, LoanPolicy, SeasonalNaive,
};

fn policy(headroom: f64, band: u32, patience: u32) -> LoanPolicy {
    LoanPolicy::default().with_headroom(headroom).unwrap().with_band(band).with_patience(patience).unwrap()
}

fn fleet(servers: u32, gpus_per_server: u32, lent: u32, returning: u32) -> Fleet {
    let fleet = Fleet::new(servers, gpus_per_server).unwrap();
    fleet.with_lent(lent).unwrap().with_returning(returning).unwrap()
}

/// The fleet after the decision, where servers move at once.
fn carry_out(fleet: Fleet, decision: &LoanDecision) -> Fleet {
    fleet.with_lent(fleet.lent() + decision.lend() - decision.ask_back()).unwrap()
}

/// The smallest number in the range for which `holds` is true.
fn smallest(range: RangeInclusive<u64>, holds: impl Fn(u64) -> bool) -> Option<u64> {
    range.into_iter().find(|&number| holds(number))
}

/// The rule as it is written on the front page, by trying every number of servers.
fn by_trying(
    percent: u64,
    band: u64,
    patience: usize,
    limits: (Option<u32>, Option<u32>),
    fleet: &Fleet,
    demands: &[u64],
) -> (u64, u64) {
    let (servers, lent, returning) =
        (u64::from(fleet.servers()), u64::from(fleet.lent()), u64::from(fleet.returning()));
    let home = servers - lent;
    let headroom = smallest(0..=servers, |n| n * 100 >= percent * servers).unwrap();
    let needed = |gpus: u64| smallest(0..=gpus, |n| n * u64::from(fleet.gpus_per_server()) >= gpus).unwrap();

    let now = needed(*demands.last().unwrap());
    let enough = |asked: u64| home + returning + asked >= now + headroom;
    let ask_back = smallest(0..=lent - returning, enough).unwrap_or(lent - returning);
    if ask_back > 0 {
        return (0, ask_back.min(limits.1.map_or(u64::MAX, u64::from)));
    }
    if demands.len() < patience {
        return (0, 0);
    }
    let window = &demands[demands.len() - patience..];
    let spare = |lend: u64| window.iter().all(|&gpus| home - lend >= needed(gpus) + headroom + band);
    let lend = (0..=home).rev().find(|&lend| spare(lend)).unwrap_or(0);
    (lend.min(limits.0.map_or(u64::MAX, u64::from)), 0)
}

#[test]
fn the_decision_is_the_written_rule_on_a_grid() {
    let mut cases = 0u32;
    let mut actions = [0u32; 6];
    for (servers, gpus) in [(1, 1), (2, 2), (5, 1), (7, 3)] {
        for lent in 0..=servers {
            for returning in 0..=lent {
                let fleet = fleet(servers, gpus, lent, returning);
                let top = fleet.gpus() + u64::from(gpus) + 1;
                for (percent, band, patience) in [(0, 0, 1), (2, 1, 2), (20, 0, 3), (50, 2, 2), (99, 1, 1)] {
                    for limits in [(None, None), (Some(1), Some(2))] {
                        let mut policy = policy(percent as f64 / 100.0, band, patience);
                        if let (Some(lend), Some(ask_back)) = limits {
                            policy = policy.with_max_lend(lend).unwrap().with_max_ask_back(ask_back).unwrap();
                        }
                        for before in (0..=top).step_by(2) {
                            for now in 0..=top {
                                let demands = [0, before, now];
                                let want = by_trying(
                                    percent,
                                    band.into(),
                                    patience as usize,
                                    limits,
                                    &fleet,
                                    &demands,
                                );
                                let earlier = [Demand::now(0), Demand { now: 0, forecast: before }];
                                let got = policy.decide(&fleet, &earlier, Demand { now, forecast: now / 2 });
                                assert_eq!(
                                    (u64::from(got.lend()), u64::from(got.ask_back())),
                                    want,
                                    "{policy:?} {fleet:?} {demands:?}: {got}"
                                );
                                actions[match got.action() {
                                    LoanAction::Lend(_) => 0,
                                    LoanAction::AskBack(_) => 1,
                                    LoanAction::Hold(HoldReason::InBand) => 2,
                                    LoanAction::Hold(HoldReason::Patience) => 3,
                                    LoanAction::Hold(HoldReason::Returning) => 4,
                                    LoanAction::Hold(_) => 5,
                                }] += 1;
                                cases += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(cases > 50_000, "{cases}");
    assert!(actions.iter().all(|&count| count > 500), "each kind of answer must occur: {actions:?}");
}

#[test]
fn an_uneven_history_is_the_written_rule_too() {
    let mut random = oorandom::Rand64::new(1);
    for _ in 0..20_000 {
        let mut below = |limit: u64| random.rand_range(0..limit);
        let servers = below(30) + 1;
        let lent = below(servers + 1);
        let fleet = fleet(servers as u32, below(8) as u32 + 1, lent as u32, below(lent + 1) as u32);
        let (percent, band, patience) = (below(40), below(4), below(5) + 1);
        let demands: Vec<u64> = (0..=below(7)).map(|_| below(fleet.gpus() + 5)).collect();
        let (now, earlier) = demands.split_last().unwrap();
        let earlier: Vec<Demand> = earlier.iter().map(|&gpus| Demand::now(gpus)).collect();
        let got = policy(percent as f64 * 0.01, band as u32, patience as u32).decide(
            &fleet,
            &earlier,
            Demand::now(*now),
        );
        let want = by_trying(percent, band, patience as usize, (None, None), &fleet, &demands);
        assert_eq!((u64::from(got.lend()), u64::from(got.ask_back())), want, "{fleet:?} {demands:?}: {got}");
    }
}

#[test]
fn lending_keeps_need_and_headroom_and_a_second_look_holds() {
    let mut random = oorandom::Rand64::new(2);
    for round in 0..2_000u64 {
        let mut below = |limit: u64| random.rand_range(0..limit);
        let policy = policy(below(30) as f64 / 100.0, below(4) as u32, below(4) as u32 + 1);
        let mut controller = LoanController::new(policy);
        let mut fleet = Fleet::new(below(200) as u32 + 1, below(8) as u32 + 1).unwrap();
        for _ in 0..20 {
            let demand = Demand { now: below(fleet.gpus() + 20), forecast: below(fleet.gpus() + 20) };
            let earlier = controller.earlier().to_vec();
            let decision = controller.decide(&fleet, demand);
            assert_eq!(decision, policy.decide(&fleet, &earlier, demand), "the controller adds memory only");
            let after = carry_out(fleet, &decision);
            let kept = (decision.needed() + u64::from(decision.headroom())).min(fleet.servers().into());
            assert!(u64::from(after.home()) >= kept, "round {round}: {decision}");
            let again = policy.decide(&after, &earlier, demand);
            assert!(again.is_hold(), "round {round}: {decision}, then {again}");
            fleet = after;
        }
    }
}

#[test]
fn more_demand_never_lends_more() {
    let mut random = oorandom::Rand64::new(3);
    for _ in 0..5_000 {
        let mut below = |limit: u64| random.rand_range(0..limit);
        let servers = below(60) as u32 + 1;
        let lent = below(u64::from(servers) + 1) as u32;
        let fleet = fleet(servers, 4, lent, below(u64::from(lent) + 1) as u32);
        let mut policy = policy(below(30) as f64 / 100.0, below(4) as u32, 3);
        if below(2) == 0 {
            let (lend, ask_back) = (below(9) as u32 + 1, below(9) as u32 + 1);
            policy = policy.with_max_lend(lend).unwrap().with_max_ask_back(ask_back).unwrap();
        }
        let mut low = [Demand::default(); 3];
        for demand in &mut low {
            *demand = Demand { now: below(fleet.gpus() + 9), forecast: below(fleet.gpus() + 9) };
        }
        let mut high = low;
        for demand in &mut high {
            *demand = Demand { now: demand.now + below(20), forecast: demand.forecast + below(20) };
        }
        let [low, high] = [low, high].map(|demands| policy.decide(&fleet, &demands[..2], demands[2]));
        assert!(high.lend() <= low.lend(), "{low} / {high}");
        assert!(high.ask_back() >= low.ask_back(), "{low} / {high}");
    }
}

#[test]
fn steady_demand_moves_servers_once() {
    for gpus in 0..=900 {
        let mut controller = LoanController::new(LoanPolicy::default());
        for lent in [0, 50, 104] {
            controller.clear();
            let mut fleet = fleet(104, 8, lent, 0);
            let mut moves = Vec::new();
            for step in 0..50 {
                let decision = controller.decide(&fleet, Demand::now(gpus));
                fleet = carry_out(fleet, &decision);
                if !decision.is_hold() {
                    moves.push((step, decision.action()));
                }
            }
            assert!(moves.len() <= 1, "{gpus} GPUs, {lent} lent: {moves:?}");
            for (step, action) in moves {
                assert_eq!(step, if matches!(action, LoanAction::AskBack(_)) { 0 } else { 2 });
            }
        }
    }
}

#[test]
fn noise_within_the_band_never_asks_back_what_was_lent() {
    let mut random = oorandom::Rand64::new(4);
    for _ in 0..1_000 {
        let band = random.rand_range(0..5);
        let mut controller = LoanController::new(policy(0.02, band as u32, random.rand_range(1..5) as u32));
        let mut fleet = Fleet::new(100, 8).unwrap();
        let low = random.rand_range(0..90);
        for _ in 0..100 {
            // From the first GPU of server `low + 1` to the last of server `low + 1 + band`.
            let gpus = random.rand_range(low * 8 + 1..(low + band + 1) * 8 + 1);
            let decision = controller.decide(&fleet, Demand::now(gpus));
            assert_eq!(decision.ask_back(), 0, "band {band}: {decision}");
            fleet = carry_out(fleet, &decision);
        }
        // At most one band of servers is idle beyond the largest need that the noise can have.
        let largest_need = low + 1 + band;
        assert!(u64::from(fleet.home()) <= (largest_need + 2 + band).min(100));
    }
}

#[test]
fn a_step_up_is_answered_at_once_and_a_step_down_after_patience() {
    let mut controller = LoanController::new(policy(0.02, 2, 4));
    let mut fleet = fleet(100, 8, 60, 0);
    let mut answers = Vec::new();
    for gpus in [300, 500, 500, 300, 300, 300, 300, 300] {
        let decision = controller.decide(&fleet, Demand::now(gpus));
        fleet = carry_out(fleet, &decision);
        answers.push(i64::from(decision.lend()) - i64::from(decision.ask_back()));
    }
    // 38 servers and 2 headroom are at home; 63 and 2 are needed; then 38, 2 and a band of 2.
    assert_eq!(answers, [0, -25, 0, 0, 0, 0, 23, 0]);
}

#[test]
fn servers_on_their_way_are_not_asked_for_twice_nor_lent() {
    let policy = policy(0.0, 0, 1);
    let asked = policy.decide(&fleet(10, 1, 6, 0), &[], Demand::now(7));
    assert_eq!(asked.action(), LoanAction::AskBack(3));
    let waiting = policy.decide(&fleet(10, 1, 6, 3), &[], Demand::now(7));
    assert_eq!(waiting.action(), LoanAction::Hold(HoldReason::Returning));
    let more = policy.decide(&fleet(10, 1, 6, 3), &[], Demand::now(9));
    assert_eq!(more.action(), LoanAction::AskBack(2));
    let fallen = policy.decide(&fleet(10, 1, 6, 3), &[], Demand::now(3));
    assert_eq!(fallen.action(), LoanAction::Lend(1), "of the 4 at home; the 3 returning are not spare yet");
}

#[test]
fn limits_spread_a_move_over_decisions() {
    let policy = policy(0.0, 0, 1).with_max_lend(4).unwrap().with_max_ask_back(3).unwrap();
    let mut controller = LoanController::new(policy);
    let mut fleet = Fleet::new(20, 1).unwrap();
    let mut lent = Vec::new();
    for gpus in [10, 10, 10, 10, 18, 18, 18, 18] {
        let decision = controller.decide(&fleet, Demand::now(gpus));
        fleet = carry_out(fleet, &decision);
        lent.push(fleet.lent());
    }
    assert_eq!(lent, [4, 8, 10, 10, 7, 4, 2, 2]);
}

/// What a series of demands did to a fleet of 104 servers of 8 GPUs.
#[derive(Clone, Copy, Debug, Default)]
struct Replay {
    lent: u64,
    moves: u32,
    moved: u64,
    reversals: u32,
    short: u32,
    steps: u64,
}

/// Replays GPUs in use, one value a decision; the forecast is seasonal naive over `period` values.
fn replay(policy: LoanPolicy, demands: &[u64], period: Option<u32>) -> Replay {
    let mut controller = LoanController::new(policy);
    let mut fleet = Fleet::new(104, 8).unwrap();
    let mut season = SeasonalNaive::new(period.unwrap_or(1)).unwrap();
    let mut result = Replay::default();
    let mut last = None;
    for &now in demands {
        // Demand has moved since the last decision: is there enough at home until this one is carried out?
        result.short += u32::from(fleet.servers_for(now) > u64::from(fleet.home()));
        season.observe(now);
        let demand = Demand { now, forecast: season.forecast(1).map_or(now, Forecast::value) };
        let decision = controller.decide(&fleet, demand);
        fleet = carry_out(fleet, &decision);
        if !decision.is_hold() {
            let lends = decision.lend() > 0;
            result.reversals += u32::from(last.is_some_and(|before| before != lends));
            last = Some(lends);
            result.moves += 1;
            result.moved += u64::from(decision.lend() + decision.ask_back());
        }
        result.lent += u64::from(fleet.lent());
        result.steps += 1;
    }
    result
}

#[test]
fn a_day_of_load_turns_a_few_times_only() {
    let mut random = oorandom::Rand64::new(5);
    // Five days of five minutes: from 20 % to 80 % of 832 GPUs and back each day, and noise of up to 6 GPUs.
    let demands: Vec<u64> = (0..5 * 288)
        .map(|step| {
            let angle = f64::from(step) / 288.0 * core::f64::consts::TAU;
            let noise = (random.rand_float() - 0.5) * 12.0;
            (832.0 * (0.5 - 0.3 * angle.cos()) + noise) as u64
        })
        .collect();
    let none = replay(policy(0.02, 0, 1), &demands, None);
    let ours = replay(LoanPolicy::default(), &demands, None);
    println!("no hysteresis {none:?}\nby default    {ours:?}");
    // A day has two turns at least; the noise adds few. Without hysteresis it turns at every other decision.
    assert!(ours.reversals >= 9 && ours.reversals <= 5 * 8, "{ours:?}");
    assert!(none.reversals > 10 * ours.reversals, "{none:?} / {ours:?}");
    // And the calm costs little: the band, and a quarter of an hour on the way down.
    assert!(ours.lent * 100 > none.lent * 93, "{none:?} / {ours:?}");
}

#[test]
fn replay_of_a_recorded_load() {
    let Ok(folder) = std::env::var("ARYL_TRACES") else {
        println!("skipped: ARYL_TRACES is not set, so there is no recorded load to replay");
        return;
    };
    let path = std::path::Path::new(&folder).join("infer_load_normalised.csv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fleet = Fleet::new(104, 8).unwrap();
    let demands: Vec<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("azure_conv,"))
        .map(|line| line.split_once(',').expect("three columns").1.parse().expect("a load"))
        .map(|load: f64| Demand::from_load(load, 0.0, &fleet).unwrap().now)
        .collect();
    assert!(demands.len() > 1_000, "{} values of azure_conv", demands.len());

    println!("band patience season | mean lent  moves  moved  reversals  short  (of {})", demands.len());
    let mut results = Vec::new();
    for (band, patience) in [(0, 1), (1, 3), (2, 3), (2, 6), (4, 3)] {
        for period in [None, Some(288)] {
            let result = replay(policy(0.02, band, patience), &demands, period);
            let mean = result.lent as f64 / result.steps as f64;
            println!(
                "{band:4} {patience:8} {:>6} | {mean:9.2} {:6} {:6} {:10} {:6}",
                period.map_or("none".into(), |period| period.to_string()),
                result.moves,
                result.moved,
                result.reversals,
                result.short
            );
            results.push(result);
        }
    }
    let (none, ours) = (results[0], results[4]);
    assert_eq!(ours.lent, replay(LoanPolicy::default(), &demands, None).lent, "the fifth row is the default");
    assert!(ours.reversals * 2 < none.reversals, "{none:?} / {ours:?}");
    assert!(ours.lent * 100 > none.lent * 95, "{none:?} / {ours:?}");
    assert!(ours.short <= none.short, "{none:?} / {ours:?}");
}

#[test]
fn a_season_is_repeated_however_far_ahead_and_equal_where_period_and_values_are() {
    let season = |period: u32, values: &[u64]| {
        let mut season = SeasonalNaive::new(period).unwrap();
        values.iter().for_each(|&value| season.observe(value));
        season
    };
    let load = season(3, &[10, 30, 20]);
    assert_eq!(load.period(), 3);
    // 2^32 - 1 is a multiple of 3, so that far ahead it is as it is now.
    assert_eq!(load.forecast(u32::MAX), Some(Forecast::Seasonal(20)));
    assert_eq!(load, season(3, &[7, 10, 30, 20]));
    assert_ne!(load, season(4, &[10, 30, 20]));
    assert_ne!(load, season(3, &[10, 30, 21]));
}

#[test]
fn a_decision_says_what_was_needed_lately_only_where_it_counts() {
    let policy = policy(0.0, 0, 3);
    assert_eq!(LoanController::new(policy).policy(), &policy);
    let text = |lent: u32, earlier: u64, now: u64| {
        let earlier = [earlier; 2].map(Demand::now);
        policy.decide(&fleet(10, 8, lent, 0), &earlier, Demand::now(now)).to_string()
    };
    let (higher, equal, back) = (text(0, 40, 24), text(0, 24, 24), text(8, 80, 48));
    assert!(higher.starts_with("lend") && higher.contains("3 needed (lately 5)"), "{higher}");
    assert!(equal.starts_with("lend") && !equal.contains("lately"), "{equal}");
    assert!(back.starts_with("ask back") && back.contains("6 needed and"), "{back}");
}

#[cfg(feature = "serde")]
mod written {
    use super::*;
    use serde_json::{from_str, to_string};

    #[test]
    fn what_is_written_reads_back_equal_and_goes_on_alike() {
        let mut random = oorandom::Rand64::new(6);
        for _ in 0..1_000 {
            let mut below = |limit: u64| random.rand_range(0..limit);
            let mut policy = policy(below(1_000_000) as f64 / 1e6, below(4) as u32, below(4) as u32 + 1);
            if below(2) == 0 {
                policy = policy.with_max_lend(below(9) as u32 + 1).unwrap();
            }
            let mut controller = LoanController::new(policy);
            let mut season = SeasonalNaive::new(below(5) as u32 + 1).unwrap();
            let lent = below(31) as u32;
            let fleet = fleet(30, 8, lent, below(u64::from(lent) + 1) as u32);
            for _ in 0..below(9) {
                season.observe(below(u64::MAX));
                let demand = Demand { now: below(300), forecast: below(300) };
                let decision = controller.decide(&fleet, demand);
                assert_eq!(from_str::<LoanDecision>(&to_string(&decision).unwrap()).unwrap(), decision);
                assert_eq!(from_str::<Demand>(&to_string(&demand).unwrap()).unwrap(), demand);
            }
            assert_eq!(from_str::<Fleet>(&to_string(&fleet).unwrap()).unwrap(), fleet);
            assert_eq!(from_str::<LoanPolicy>(&to_string(&policy).unwrap()).unwrap(), policy);
            let mut copy: LoanController = from_str(&to_string(&controller).unwrap()).unwrap();
            assert_eq!(copy, controller);
            let mut later: SeasonalNaive = from_str(&to_string(&season).unwrap()).unwrap();
            assert_eq!(later, season);
            for value in 0..9 {
                let demand = Demand::now(value * 20);
                assert_eq!(copy.decide(&fleet, demand), controller.decide(&fleet, demand));
                later.observe(value);
                season.observe(value);
                assert_eq!(later.forecast(value as u32), season.forecast(value as u32));
            }
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        assert_eq!(from_str::<LoanPolicy>("{}").unwrap(), LoanPolicy::default());
        assert_eq!(
            from_str::<LoanPolicy>(r#"{"headroom":0.05,"max_lend":3}"#).unwrap(),
            LoanPolicy::default().with_headroom(0.05).unwrap().with_max_lend(3).unwrap()
        );
        assert_eq!(
            from_str::<Fleet>(r#"{"servers":5,"gpus_per_server":8}"#).unwrap(),
            Fleet::new(5, 8).unwrap()
        );
    }

    fn refusal<T: serde::de::DeserializeOwned>(text: &str) -> String {
        from_str::<T>(text).err().unwrap_or_else(|| panic!("accepted {text}")).to_string()
    }

    #[test]
    fn bad_input_is_refused_with_its_numbers() {
        let has = |message: String, part: &str| assert!(message.contains(part), "{message:?} lacks {part:?}");
        has(refusal::<Fleet>(r#"{"servers":0,"gpus_per_server":8}"#), "0 servers of 8 GPUs");
        has(
            refusal::<Fleet>(r#"{"servers":5,"gpus_per_server":8,"lent":6}"#),
            "6 servers are lent, but the fleet has 5",
        );
        has(
            refusal::<Fleet>(r#"{"servers":5,"gpus_per_server":8,"lent":2,"returning":3}"#),
            "3 servers are returning",
        );
        has(refusal::<LoanPolicy>(r#"{"headroom":1.0}"#), "headroom share is 1;");
        has(refusal::<LoanPolicy>(r#"{"headroom":-0.1}"#), "headroom share is -0.1;");
        has(refusal::<LoanPolicy>(r#"{"patience":0}"#), "patience is 0");
        has(refusal::<LoanPolicy>(r#"{"max_lend":0}"#), "lent at once");
        has(refusal::<LoanPolicy>(r#"{"max_ask_back":0}"#), "asked back at once");
        has(refusal::<LoanPolicy>(r#"{"patence":3}"#), "unknown field");
        has(refusal::<Demand>(r#"{"now":1,"forecast":-1}"#), "-1");
        has(
            refusal::<LoanController>(r#"{"policy":{"patience":1},"earlier":[{"now":1,"forecast":1}]}"#),
            "1 earlier demands are stored",
        );
        has(refusal::<SeasonalNaive>(r#"{"period":0}"#), "period is 0");
        has(
            refusal::<SeasonalNaive>(r#"{"period":1,"values":[1,2]}"#),
            "2 values are stored, but the period is 1",
        );
    }

    #[test]
    fn a_decision_that_its_numbers_do_not_allow_is_refused() {
        let written = |action: &str, lent: u32, needed: u64, peak: u64| {
            format!(
                r#"{{"action":{action},"fleet":{{"servers":10,"gpus_per_server":1,"lent":{lent}}},
                "needed":{needed},"recent_peak":{peak},"headroom":1,"band":1}}"#
            )
        };
        for (action, lent, needed, peak) in [
            (r#"{"lend":4}"#, 0, 3, 4),
            (r#"{"lend":1}"#, 0, 3, 4),
            (r#"{"ask_back":5}"#, 5, 20, 20),
            (r#"{"hold":"patience"}"#, 0, 3, 8),
            (r#"{"hold":"in_band"}"#, 0, 8, 8),
            (r#"{"hold":"none_lent"}"#, 0, 10, 10),
        ] {
            from_str::<LoanDecision>(&written(action, lent, needed, peak)).unwrap();
        }
        for (action, lent, needed, peak, part) in [
            (r#"{"lend":5}"#, 0, 3, 4, "lends 5 servers, but its numbers allow from 1 to 4"),
            (r#"{"lend":0}"#, 0, 3, 4, "lends 0"),
            (r#"{"ask_back":6}"#, 5, 20, 20, "asks back 6 servers, but its numbers allow from 1 to 5"),
            (r#"{"ask_back":1}"#, 5, 4, 4, "asks back 1 servers, but its numbers allow none"),
            (r#"{"hold":"in_band"}"#, 0, 3, 8, "within the band, but"),
            (r#"{"hold":"in_band"}"#, 5, 5, 8, "within the band, but"),
            (r#"{"hold":"returning"}"#, 0, 10, 10, "on their way back, but"),
            (r#"{"hold":"returning"}"#, 5, 9, 9, "on their way back, but"),
            (r#"{"lend":1}"#, 0, 5, 4, "needs 5 servers, but its recent peak is 4"),
        ] {
            let message = refusal::<LoanDecision>(&written(action, lent, needed, peak));
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }
}
