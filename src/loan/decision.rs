//! The answer: lend, ask back or hold, with the numbers that explain it.

use core::fmt;

use super::Fleet;
#[cfg(feature = "serde")]
use super::LoanError;

/// What to do with the servers.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, LoanAction, LoanPolicy};
///
/// // 10 servers, of which 4 are lent and 1 is headroom; 8 are needed.
/// let decision = LoanPolicy::default().decide(&Fleet::new(10, 8)?.with_lent(4)?, &[], Demand::now(64));
/// assert_eq!(decision.action(), LoanAction::AskBack(3));
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum LoanAction {
    /// Lend so many of the servers at home to training; never 0.
    Lend(u32),
    /// Ask training for so many of the lent servers; never 0.
    AskBack(u32),
    /// Move nothing.
    Hold(HoldReason),
}

/// Why nothing moves.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, HoldReason, LoanAction, LoanPolicy};
///
/// let fleet = Fleet::new(10, 8)?;
/// let action = |gpus| LoanPolicy::default().decide(&fleet, &[], Demand::now(gpus)).action();
/// assert_eq!(action(0), LoanAction::Hold(HoldReason::Patience)); // 9 are spare, for the first time
/// assert_eq!(action(56), LoanAction::Hold(HoldReason::InBand)); // 2 are
/// assert_eq!(action(80), LoanAction::Hold(HoldReason::NoneLent)); // 1 is missing
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum HoldReason {
    /// Need and headroom are at home, and no more than the band is spare.
    InBand,
    /// More than the band is spare now, but it has not been for as many decisions as the patience asks.
    Patience,
    /// Servers are missing at home, and those that can come are on their way.
    Returning,
    /// Servers are missing at home, but none is lent.
    NoneLent,
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InBand => "what is spare is within the band",
            Self::Patience => "what is spare has not been so for long enough",
            Self::Returning => "the missing servers are on their way back",
            Self::NoneLent => "servers are missing but none is lent",
        })
    }
}

/// The numbers of a decision, and what they allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Limits {
    pub(super) fleet: Fleet,
    pub(super) needed: u64,
    pub(super) recent_peak: u64,
    pub(super) headroom: u32,
    pub(super) band: u32,
}

impl Limits {
    /// Servers that need and headroom lack, beyond those at home and on their way.
    fn missing(&self) -> u64 {
        // Summed wide, since the demand may need as many servers as a `u64` counts.
        let coming = u128::from(self.fleet.home()) + u128::from(self.fleet.returning());
        let missing = (u128::from(self.needed) + u128::from(self.headroom)).saturating_sub(coming);
        u64::try_from(missing).unwrap_or(u64::MAX)
    }

    /// Servers beyond need and headroom that are at home now.
    fn spare(&self) -> u32 {
        self.beyond(self.needed, 0)
    }

    /// Servers that the rule asks back: what is missing, as far as it is lent and not on its way.
    pub(super) fn askable(&self) -> u32 {
        let still_lent = self.fleet.lent() - self.fleet.returning();
        u32::try_from(self.missing()).map_or(still_lent, |missing| missing.min(still_lent))
    }

    /// Servers that the rule lends once patience has passed: what is beyond peak, headroom and band.
    pub(super) fn lendable(&self) -> u32 {
        self.beyond(self.recent_peak, self.band)
    }

    /// Servers at home beyond so many needed, the headroom and so many more.
    fn beyond(&self, needed: u64, more: u32) -> u32 {
        let kept = needed.saturating_add(u64::from(self.headroom)).saturating_add(u64::from(more));
        // At most the servers at home, so it fits.
        u64::from(self.fleet.home()).saturating_sub(kept) as u32
    }

    /// Why nothing moves, given that nothing does.
    pub(super) fn hold_reason(&self) -> HoldReason {
        let wanted = self.needed.saturating_add(u64::from(self.headroom));
        if wanted <= u64::from(self.fleet.home()) {
            if self.spare() > self.band { HoldReason::Patience } else { HoldReason::InBand }
        } else if self.fleet.lent() > 0 {
            HoldReason::Returning
        } else {
            HoldReason::NoneLent
        }
    }
}

/// A decision on the loan, and the numbers that explain it.
///
/// It is printed in plain words. All numbers are whole servers.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, HoldReason, LoanAction, LoanPolicy};
///
/// let policy = LoanPolicy::default().with_patience(1)?;
/// let fleet = Fleet::new(104, 8)?.with_lent(40)?;
///
/// let decision = policy.decide(&fleet, &[], Demand::now(400));
/// assert_eq!(decision.action(), LoanAction::Lend(9));
/// assert_eq!(decision.spare(), 11);
/// assert_eq!(decision.to_string(), "lend 9 servers: 50 needed and 3 headroom, band of 2, 64 of 104 at home");
///
/// // A demand beyond the whole fleet: everything comes back, and 6 servers' worth is short all the same.
/// let decision = policy.decide(&fleet, &[], Demand::now(880));
/// assert_eq!(decision.action(), LoanAction::AskBack(40));
/// assert_eq!(decision.shortfall(), 6);
/// assert_eq!(
///     decision.to_string(),
///     "ask back 40 servers: 110 needed and 3 headroom, 64 of 104 at home; the need is 6 servers above the fleet"
/// );
///
/// // 12 are on their way already, and no more are needed.
/// let decision = policy.decide(&fleet.with_returning(12)?, &[], Demand::now(584));
/// assert_eq!(decision.action(), LoanAction::Hold(HoldReason::Returning));
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "DecisionForm", into = "DecisionForm")
)]
pub struct LoanDecision {
    action: LoanAction,
    limits: Limits,
}

impl LoanDecision {
    pub(super) const fn new(action: LoanAction, limits: Limits) -> Self {
        Self { action, limits }
    }

    /// What to do.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, HoldReason, LoanAction, LoanPolicy};
    ///
    /// let (policy, fleet) = (LoanPolicy::default().with_patience(1)?, Fleet::new(10, 8)?);
    /// let action = |servers: u64| policy.decide(&fleet, &[], Demand::now(8 * servers)).action();
    /// // Of 10 servers 1 is headroom and 2 are the band.
    /// assert_eq!(action(6), LoanAction::Lend(1));
    /// assert_eq!(action(7), LoanAction::Hold(HoldReason::InBand));
    /// assert_eq!(action(10), LoanAction::Hold(HoldReason::NoneLent));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn action(&self) -> LoanAction {
        self.action
    }

    /// Servers to lend, 0 where the action is another.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_patience(1)?;
    /// let decision = policy.decide(&Fleet::new(10, 8)?, &[], Demand::now(40));
    /// // 10 at home, less 5 needed, 1 headroom and 2 the band.
    /// assert_eq!((decision.lend(), decision.ask_back()), (2, 0));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn lend(&self) -> u32 {
        if let LoanAction::Lend(servers) = self.action { servers } else { 0 }
    }

    /// Servers to ask back, 0 where the action is another.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(10, 8)?.with_lent(4)?;
    /// let decision = LoanPolicy::default().decide(&fleet, &[], Demand::now(56));
    /// // 7 needed and 1 headroom, less 6 at home. The band is for lending alone.
    /// assert_eq!((decision.lend(), decision.ask_back()), (0, 2));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn ask_back(&self) -> u32 {
        if let LoanAction::AskBack(servers) = self.action { servers } else { 0 }
    }

    /// Whether nothing moves.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(10, 8)?.with_lent(4)?;
    /// let is_hold = |gpus| LoanPolicy::default().decide(&fleet, &[], Demand::now(gpus)).is_hold();
    /// assert!(is_hold(40)); // 5 servers and 1 headroom: just what is at home
    /// assert!(!is_hold(41)); // 1 GPU more fills a sixth server
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn is_hold(&self) -> bool {
        matches!(self.action, LoanAction::Hold(_))
    }

    /// The fleet that the decision was made for.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(10, 8)?.with_lent(4)?;
    /// let decision = LoanPolicy::default().decide(&fleet, &[], Demand::now(56));
    /// assert_eq!(decision.fleet().home(), 6); // before the decision is carried out
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn fleet(&self) -> &Fleet {
        &self.limits.fleet
    }

    /// Servers that the demand fills: the larger of now and forecast, rounded up.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let demand = Demand { now: 30, forecast: 41 };
    /// let decision = LoanPolicy::default().decide(&Fleet::new(10, 8)?, &[], demand);
    /// assert_eq!(decision.needed(), 6); // ⌈41 / 8⌉
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn needed(&self) -> u64 {
        self.limits.needed
    }

    /// The largest [`needed`](Self::needed) of the decisions looked at, this one included.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_patience(3)?;
    /// let earlier = [72, 48, 40].map(Demand::now);
    /// let decision = policy.decide(&Fleet::new(10, 8)?, &earlier, Demand::now(32));
    /// // A patience of 3 looks at 48, 40 and 32 GPUs. The 72 are too long ago.
    /// assert_eq!((decision.needed(), decision.recent_peak()), (4, 6));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn recent_peak(&self) -> u64 {
        self.limits.recent_peak
    }

    /// Servers that are never lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let decision = LoanPolicy::default().decide(&Fleet::new(104, 8)?, &[], Demand::now(0));
    /// assert_eq!(decision.headroom(), 3); // 2 % of 104, rounded up
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn headroom(&self) -> u32 {
        self.limits.headroom
    }

    /// The dead band of the policy: servers beyond need and headroom that stay at home.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let decision = LoanPolicy::default().with_band(4).decide(&Fleet::new(104, 8)?, &[], Demand::now(0));
    /// assert_eq!(decision.band(), 4);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn band(&self) -> u32 {
        self.limits.band
    }

    /// Servers at home beyond need and headroom, before the decision and before band and patience.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let decision = LoanPolicy::default().with_patience(1)?.decide(&Fleet::new(10, 8)?, &[], Demand::now(40));
    /// // 10 at home, less 5 needed and 1 headroom; 2 of these 4 stay as the band.
    /// assert_eq!((decision.spare(), decision.lend()), (4, 2));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn spare(&self) -> u32 {
        self.limits.spare()
    }

    /// Servers that need and headroom lack, before the decision: beyond those at home and those on their way.
    ///
    /// It can be more than [`ask_back`](Self::ask_back) where a limit cuts that short or too few are lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(10, 8)?.with_lent(4)?;
    /// let decision = LoanPolicy::default().decide(&fleet, &[], Demand::now(88));
    /// // 11 needed and 1 headroom, with 6 at home. Only 4 are lent.
    /// assert_eq!((decision.missing(), decision.ask_back()), (6, 4));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.limits.missing()
    }

    /// Servers that the demand needs beyond the whole fleet; 0 in ordinary times. No loan decision can mend it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(10, 8)?;
    /// let shortfall = |gpus| LoanPolicy::default().decide(&fleet, &[], Demand::now(gpus)).shortfall();
    /// assert_eq!((shortfall(80), shortfall(81)), (0, 1)); // 1 GPU more fills an eleventh server
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn shortfall(&self) -> u64 {
        self.limits.needed.saturating_sub(self.limits.fleet.servers() as u64)
    }
}

/// A count of servers in words: "1 server", "2 servers".
struct Servers(u64);

impl fmt::Display for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} server{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl fmt::Display for LoanAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Lend(servers) => write!(f, "lend {}", Servers(servers.into())),
            Self::AskBack(servers) => write!(f, "ask back {}", Servers(servers.into())),
            Self::Hold(reason) => write!(f, "hold, {reason}"),
        }
    }
}

impl fmt::Display for LoanDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { fleet, needed, recent_peak, headroom, band } = self.limits;
        write!(f, "{}: {needed} needed", self.action)?;
        let looks_back = matches!(self.action, LoanAction::Lend(_) | LoanAction::Hold(HoldReason::Patience));
        if looks_back && recent_peak > needed {
            write!(f, " (lately {recent_peak})")?;
        }
        write!(f, " and {headroom} headroom, ")?;
        if looks_back || matches!(self.action, LoanAction::Hold(HoldReason::InBand)) {
            write!(f, "band of {band}, ")?;
        }
        write!(f, "{} of {} at home", fleet.home(), fleet.servers())?;
        if fleet.returning() > 0 {
            write!(f, ", {} returning", fleet.returning())?;
        }
        if self.shortfall() > 0 {
            write!(f, "; the need is {} above the fleet", Servers(self.shortfall()))?;
        }
        Ok(())
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionForm {
    action: LoanAction,
    fleet: Fleet,
    needed: u64,
    recent_peak: u64,
    headroom: u32,
    band: u32,
}

#[cfg(feature = "serde")]
impl From<LoanDecision> for DecisionForm {
    fn from(LoanDecision { action, limits }: LoanDecision) -> Self {
        let Limits { fleet, needed, recent_peak, headroom, band } = limits;
        Self { action, fleet, needed, recent_peak, headroom, band }
    }
}

/// A decision read from outside must follow from its own numbers.
#[cfg(feature = "serde")]
impl TryFrom<DecisionForm> for LoanDecision {
    type Error = LoanError;

    fn try_from(form: DecisionForm) -> Result<Self, LoanError> {
        let DecisionForm { action, fleet, needed, recent_peak, headroom, band } = form;
        let limits = Limits { fleet, needed, recent_peak, headroom, band };
        if recent_peak < needed {
            return Err(LoanError::PeakBelowNeeded { needed, recent_peak });
        }
        let (lendable, missing) = (limits.lendable(), limits.askable());
        match action {
            LoanAction::Lend(lend) if lend == 0 || lend > lendable => {
                Err(LoanError::LendsTooMuch { lend, lendable })
            }
            LoanAction::AskBack(ask_back) if ask_back == 0 || ask_back > missing => {
                Err(LoanError::AsksTooMuch { ask_back, missing })
            }
            LoanAction::Hold(reason) if missing > 0 || reason != limits.hold_reason() => {
                Err(LoanError::WrongHold { reason })
            }
            _ => Ok(Self::new(action, limits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loan::{Demand, LoanPolicy};
    use alloc::string::ToString;

    fn words(fleet: Fleet, earlier: u64, now: u64) -> alloc::string::String {
        let policy = LoanPolicy::default().with_band(1).with_patience(2).unwrap();
        policy.decide(&fleet, &[Demand::now(earlier)], Demand::now(now)).to_string()
    }

    #[test]
    fn every_answer_reads_as_a_sentence() {
        let fleet = Fleet::new(10, 1).unwrap();
        let lent = fleet.with_lent(5).unwrap();
        let returning = lent.with_returning(5).unwrap();
        let cases = [
            (
                words(fleet, 7, 3),
                "lend 1 server: 3 needed (lately 7) and 1 headroom, band of 1, 10 of 10 at home",
            ),
            (words(lent, 1, 5), "ask back 1 server: 5 needed and 1 headroom, 5 of 10 at home"),
            (
                words(lent, 1, 3),
                "hold, what is spare is within the band: 3 needed and 1 headroom, band of 1, 5 of 10 at home",
            ),
            (
                words(lent, 4, 1),
                "hold, what is spare has not been so for long enough: 1 needed (lately 4) and 1 headroom, \
                 band of 1, 5 of 10 at home",
            ),
            (
                words(returning, 4, 8),
                "hold, the missing servers are on their way back: 8 needed and 1 headroom, 5 of 10 at home, 5 returning",
            ),
            (
                words(fleet, 0, 11),
                "hold, servers are missing but none is lent: 11 needed and 1 headroom, 10 of 10 at home; \
                 the need is 1 server above the fleet",
            ),
        ];
        for (got, want) in cases {
            assert_eq!(got, want);
        }
    }
}
