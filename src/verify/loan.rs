//! A decision on the loan, by the written rule.

use super::Violation;
use crate::loan::{Demand, Fleet, HoldReason, LoanAction, LoanDecision, LoanPolicy};

/// What is wrong with a decision on the loan.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, LoanPolicy};
/// use aryl::verify;
///
/// let (policy, fleet) = (LoanPolicy::default(), Fleet::new(10, 8)?);
/// let decision = policy.decide(&fleet, &[], Demand::now(40));
/// let violation = verify::loan(&policy, &fleet, &[], Demand::now(48), &decision).unwrap_err();
/// assert_eq!(violation.to_string(), "servers needed: 5 in the decision, 6 counted");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoanViolation {
    /// The decision was made for another fleet.
    #[error("the decision is for a fleet of {stated}, and the fleet is of {expected}")]
    Fleet {
        /// The fleet of the decision.
        stated: Fleet,
        /// The fleet given.
        expected: Fleet,
    },
    /// One of the numbers that explain the decision is wrong.
    #[error("{what}: {stated} in the decision, {expected} counted")]
    Number {
        /// Which one.
        what: &'static str,
        /// The number in the decision.
        stated: u64,
        /// The number counted.
        expected: u64,
    },
    /// The decision is another than the rule says.
    #[error("the decision is to {stated}; the rule says to {expected}")]
    Action {
        /// The action of the decision.
        stated: LoanAction,
        /// The action that follows from the rule.
        expected: LoanAction,
    },
}

/// Checks a decision on the loan against the rule that [`loan`](crate::loan) writes out, in wide integers.
///
/// `earlier` and `demand` are those that [`LoanPolicy::decide`] was given. It proves that the decision is for this fleet;
/// that servers needed, recent peak, headroom, spare, missing and shortfall are what fleet and demands say; and that the
/// action, with its number or its reason, is the one that the rule asks for. There is one right answer, so nothing is
/// left unchecked.
///
/// # Errors
///
/// [`Violation::Loan`] with the first thing that is wrong.
///
/// # Complexity
///
/// O(patience) time, no memory.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, LoanPolicy};
/// use aryl::verify;
///
/// let policy = LoanPolicy::default();
/// let fleet = Fleet::new(104, 8)?.with_lent(61)?;
/// let demand = Demand { now: 300, forecast: 360 };
/// let decision = policy.decide(&fleet, &[], demand);
/// assert_eq!(verify::loan(&policy, &fleet, &[], demand, &decision), Ok(()));
/// assert!(verify::loan(&policy, &fleet, &[], Demand::now(800), &decision).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn loan(
    policy: &LoanPolicy,
    fleet: &Fleet,
    earlier: &[Demand],
    demand: Demand,
    decision: &LoanDecision,
) -> Result<(), Violation> {
    if decision.fleet() != fleet {
        return Err(LoanViolation::Fleet { stated: *decision.fleet(), expected: *fleet }.into());
    }
    let servers = i128::from(fleet.servers());
    let home = servers - i128::from(fleet.lent());
    let needed = |demand: Demand| {
        let gpus = u128::from(demand.now.max(demand.forecast));
        gpus.div_ceil(u128::from(fleet.gpus_per_server())) as i128
    };
    // The share is kept to the millionth, so the nearest integer is it.
    let millionths = libm::round(policy.headroom() * 1e6) as u128;
    let headroom = (millionths * u128::from(fleet.servers())).div_ceil(1_000_000) as i128;
    let seen = earlier.iter().rev().take(policy.patience() as usize - 1);
    let patient = seen.len() + 1 == policy.patience() as usize;
    let peak = seen.map(|&demand| needed(demand)).fold(needed(demand), i128::max);
    let band = i128::from(policy.band());

    let missing = (needed(demand) + headroom - home - i128::from(fleet.returning())).max(0);
    let spare = (home - needed(demand) - headroom).max(0);
    let lendable = (home - peak - headroom - band).max(0);
    for (what, stated, expected) in [
        ("servers needed", decision.needed(), needed(demand)),
        ("recent peak", decision.recent_peak(), peak),
        ("headroom", decision.headroom().into(), headroom),
        ("band", decision.band().into(), band),
        ("spare servers", decision.spare().into(), spare),
        ("missing servers", decision.missing(), missing),
        ("shortfall", decision.shortfall(), (needed(demand) - servers).max(0)),
    ] {
        // A number too large for the decision is stated as the largest it can hold.
        let expected = u64::try_from(expected).unwrap_or(u64::MAX);
        if stated != expected {
            return Err(LoanViolation::Number { what, stated, expected }.into());
        }
    }

    let limited = |servers: i128, limit: Option<u32>| servers.min(limit.unwrap_or(u32::MAX).into()) as u32;
    let still_lent = i128::from(fleet.lent() - fleet.returning());
    let expected = if missing > 0 && still_lent > 0 {
        LoanAction::AskBack(limited(missing.min(still_lent), policy.max_ask_back()))
    } else if lendable > 0 && patient {
        LoanAction::Lend(limited(lendable, policy.max_lend()))
    } else if needed(demand) + headroom <= home {
        LoanAction::Hold(if spare > band { HoldReason::Patience } else { HoldReason::InBand })
    } else {
        LoanAction::Hold(if fleet.lent() > 0 { HoldReason::Returning } else { HoldReason::NoneLent })
    };
    if decision.action() != expected {
        return Err(LoanViolation::Action { stated: decision.action(), expected }.into());
    }
    Ok(())
}
