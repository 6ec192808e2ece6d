//! The rule: from fleet and demands to a decision.

use super::{Demand, Fleet, LoanAction, LoanDecision, LoanError, decision::Limits, millionths};

/// How much to keep back, and how slowly to lend.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | [headroom](Self::with_headroom) | 0.02 | the share of all servers that is never lent, rounded up |
/// | [band](Self::with_band) | 2 | servers beyond need and headroom that stay at home, so that noise moves nothing |
/// | [patience](Self::with_patience) | 3 | decisions for which a server must have been spare before it is lent |
/// | [most lent at once](Self::with_max_lend) | no limit | servers lent in one decision |
/// | [most asked back at once](Self::with_max_ask_back) | no limit | servers asked back in one decision |
///
/// The headroom and the interval of five minutes are the paper's (Aryl, arXiv 2202.07896, section 6). Three decisions
/// are then a quarter of an hour. A policy without hysteresis has a band of 0 and a patience of 1.
///
/// What hysteresis costs and brings, on seven days of the recorded load `azure_conv` (Azure LLM inference 2024, 2,014
/// decisions) scaled to 104 servers of 8 GPUs, with the last value as forecast. A reversal is a loan after servers were
/// asked back, or the other way round; a short interval is one in which inference needed more servers than were at home.
///
/// | band | patience | servers lent, mean | servers moved | reversals | short intervals |
/// |---|---|---|---|---|---|
/// | 0 | 1 | 39.4 | 1,605 | 244 | 3 |
/// | 1 | 3 | 38.2 | 1,227 | 146 | 2 |
/// | **2** | **3** | 37.7 | 1,080 | 94 | 2 |
/// | 2 | 6 | 36.7 | 949 | 66 | 1 |
/// | 4 | 3 | 36.8 | 910 | 56 | 2 |
///
/// The band is a number of servers. Set it to the noise of the demand between two decisions: a large fleet needs more
/// than the default.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Fleet, LoanError, LoanPolicy};
///
/// let policy = LoanPolicy::default().with_band(4).with_max_lend(10)?;
/// assert_eq!(policy.headroom_servers(&Fleet::new(50, 8)?), 1);
/// assert_eq!(policy.headroom_servers(&Fleet::new(51, 8)?), 2);
/// assert_eq!(LoanPolicy::default().with_patience(0), Err(LoanError::ZeroPatience));
/// # Ok::<(), LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "PolicyForm", into = "PolicyForm")
)]
pub struct LoanPolicy {
    headroom_millionths: u64,
    band: u32,
    patience: u32,
    max_lend: Option<u32>,
    max_ask_back: Option<u32>,
}

impl Default for LoanPolicy {
    fn default() -> Self {
        Self { headroom_millionths: 20_000, band: 2, patience: 3, max_lend: None, max_ask_back: None }
    }
}

impl LoanPolicy {
    /// The same policy with this share of all servers as headroom: servers that inference keeps idle at home, for a
    /// rise between two decisions.
    ///
    /// The share is kept to the nearest millionth, and the servers are then rounded up in integers. So 2 % of 50
    /// servers is 1, and of 51 is 2, on every machine. A share below half a millionth is no headroom.
    ///
    /// # Errors
    ///
    /// [`LoanError::HeadroomShare`] where the share is not a number, negative, or rounds to 1 or more.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Fleet, LoanError, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_headroom(0.05)?;
    /// assert_eq!(policy.headroom_servers(&Fleet::new(104, 8)?), 6); // 5.2, rounded up
    /// assert_eq!(policy.with_headroom(1.0), Err(LoanError::HeadroomShare { share: 1.0 }));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub fn with_headroom(self, share: f64) -> Result<Self, LoanError> {
        match millionths::from_share(share) {
            Some(headroom_millionths) if headroom_millionths < millionths::ONE => {
                Ok(Self { headroom_millionths, ..self })
            }
            _ => Err(LoanError::HeadroomShare { share }),
        }
    }

    /// The same policy with a dead band of so many servers, 0 included.
    ///
    /// After a loan, this many servers beyond need and headroom are still at home. Demand has to rise by more than
    /// the band before one is asked back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let lent = |band| -> Result<u32, aryl::loan::LoanError> {
    ///     let policy = LoanPolicy::default().with_patience(1)?.with_band(band);
    ///     Ok(policy.decide(&Fleet::new(10, 8)?, &[], Demand::now(40)).lend())
    /// };
    /// // 5 needed and 1 headroom: 4 are spare.
    /// assert_eq!((lent(0)?, lent(3)?, lent(4)?), (4, 1, 0));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn with_band(self, servers: u32) -> Self {
        Self { band: servers, ..self }
    }

    /// The same policy with a patience of so many decisions: a server is lent when it has been spare at this decision
    /// and at the `decisions − 1` before it.
    ///
    /// # Errors
    ///
    /// [`LoanError::ZeroPatience`] where it is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanError, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_band(0).with_patience(2)?;
    /// let (fleet, idle) = (Fleet::new(10, 8)?, Demand::now(0));
    /// assert_eq!(policy.decide(&fleet, &[], idle).lend(), 0); // spare for the first time, as far as is known
    /// assert_eq!(policy.decide(&fleet, &[idle], idle).lend(), 9);
    /// assert_eq!(policy.with_patience(0), Err(LoanError::ZeroPatience));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn with_patience(self, decisions: u32) -> Result<Self, LoanError> {
        if decisions == 0 {
            return Err(LoanError::ZeroPatience);
        }
        Ok(Self { patience: decisions, ..self })
    }

    /// The same policy with at most so many servers lent in one decision.
    ///
    /// # Errors
    ///
    /// [`LoanError::ZeroMaxLend`] where it is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanError, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_band(0).with_patience(1)?.with_max_lend(4)?;
    /// assert_eq!(policy.decide(&Fleet::new(10, 8)?, &[], Demand::now(0)).lend(), 4); // of 9 that are spare
    /// assert_eq!(policy.with_max_lend(0), Err(LoanError::ZeroMaxLend));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn with_max_lend(self, servers: u32) -> Result<Self, LoanError> {
        if servers == 0 {
            return Err(LoanError::ZeroMaxLend);
        }
        Ok(Self { max_lend: Some(servers), ..self })
    }

    /// The same policy with at most so many servers asked back in one decision.
    ///
    /// It spares training, at inference's cost: a steep rise is then answered over several decisions.
    ///
    /// # Errors
    ///
    /// [`LoanError::ZeroMaxAskBack`] where it is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanError, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_max_ask_back(2)?;
    /// let fleet = Fleet::new(10, 8)?.with_lent(9)?;
    /// let decision = policy.decide(&fleet, &[], Demand::now(40));
    /// // 5 needed and 1 headroom, with 1 at home.
    /// assert_eq!((decision.missing(), decision.ask_back()), (5, 2));
    /// assert_eq!(policy.with_max_ask_back(0), Err(LoanError::ZeroMaxAskBack));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn with_max_ask_back(self, servers: u32) -> Result<Self, LoanError> {
        if servers == 0 {
            return Err(LoanError::ZeroMaxAskBack);
        }
        Ok(Self { max_ask_back: Some(servers), ..self })
    }

    /// The share of all servers that is headroom, to the millionth.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::LoanPolicy;
    ///
    /// assert_eq!(LoanPolicy::default().headroom(), 0.02);
    /// assert_eq!(LoanPolicy::default().with_headroom(1.0 / 3.0)?.headroom(), 0.333333);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn headroom(&self) -> f64 {
        millionths::to_share(self.headroom_millionths)
    }

    /// The headroom of this fleet in servers, rounded up.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Fleet, LoanPolicy};
    ///
    /// let servers = |servers| Fleet::new(servers, 8).map(|fleet| LoanPolicy::default().headroom_servers(&fleet));
    /// assert_eq!((servers(50)?, servers(51)?), (1, 2)); // 2 %: 1 and 1.02
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn headroom_servers(&self, fleet: &Fleet) -> u32 {
        // The share is below one, so the product stays far below 2^64 and the quotient is at most `servers`.
        (self.headroom_millionths * fleet.servers() as u64).div_ceil(millionths::ONE) as u32
    }

    /// The dead band, in servers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::LoanPolicy;
    ///
    /// assert_eq!((LoanPolicy::default().band(), LoanPolicy::default().with_band(0).band()), (2, 0));
    /// ```
    #[must_use]
    pub const fn band(&self) -> u32 {
        self.band
    }

    /// Decisions for which a server must have been spare, at least 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::LoanPolicy;
    ///
    /// // At a decision each five minutes, a server has been spare for a quarter of an hour.
    /// assert_eq!(LoanPolicy::default().patience(), 3);
    /// ```
    #[must_use]
    pub const fn patience(&self) -> u32 {
        self.patience
    }

    /// The most servers lent in one decision, or `None` for no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::LoanPolicy;
    ///
    /// assert_eq!(LoanPolicy::default().max_lend(), None);
    /// assert_eq!(LoanPolicy::default().with_max_lend(4)?.max_lend(), Some(4));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn max_lend(&self) -> Option<u32> {
        self.max_lend
    }

    /// The most servers asked back in one decision, or `None` for no limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::LoanPolicy;
    ///
    /// assert_eq!(LoanPolicy::default().max_ask_back(), None);
    /// assert_eq!(LoanPolicy::default().with_max_ask_back(2)?.max_ask_back(), Some(2));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn max_ask_back(&self) -> Option<u32> {
        self.max_ask_back
    }

    /// Decides how many servers to lend or to ask back: a pure function of the policy and its arguments.
    ///
    /// `demand` is the demand at this decision; `earlier` holds those of the decisions before, the latest last. Only the
    /// last `patience − 1` of them are looked at, and fewer than that never lend. [`LoanController`] keeps them for you.
    /// The rule is written out in the [room's front page](super#the-rule).
    ///
    /// The fleet may have changed between two decisions: earlier demands are compared with the fleet as it is now.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanAction, LoanPolicy};
    ///
    /// let policy = LoanPolicy::default().with_band(0).with_patience(2)?;
    /// let fleet = Fleet::new(50, 8)?;
    ///
    /// // 20 servers are needed and 1 is headroom, but one decision ago 30 were needed.
    /// let decision = policy.decide(&fleet, &[Demand::now(240)], Demand::now(160));
    /// assert_eq!(decision.action(), LoanAction::Lend(19));
    /// assert_eq!((decision.needed(), decision.recent_peak(), decision.headroom()), (20, 30, 1));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(`patience`) time, no memory.
    ///
    /// [`LoanController`]: super::LoanController
    #[must_use]
    pub fn decide(&self, fleet: &Fleet, earlier: &[Demand], demand: Demand) -> LoanDecision {
        let remembered = self.patience as usize - 1;
        let recent = &earlier[earlier.len().saturating_sub(remembered)..];
        let recent_peak = recent.iter().map(Demand::peak).fold(demand.peak(), u64::max);
        let limits = Limits {
            fleet: *fleet,
            needed: fleet.servers_for(demand.peak()),
            recent_peak: fleet.servers_for(recent_peak),
            headroom: self.headroom_servers(fleet),
            band: self.band,
        };

        let missing = limits.askable();
        let lendable = if recent.len() == remembered { limits.lendable() } else { 0 };
        let action = if missing > 0 {
            LoanAction::AskBack(missing.min(self.max_ask_back.unwrap_or(u32::MAX)))
        } else if lendable > 0 {
            LoanAction::Lend(lendable.min(self.max_lend.unwrap_or(u32::MAX)))
        } else {
            LoanAction::Hold(limits.hold_reason())
        };
        LoanDecision::new(action, limits)
    }
}

/// The written form: what is left out has its default.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PolicyForm {
    headroom: f64,
    band: u32,
    patience: u32,
    max_lend: Option<u32>,
    max_ask_back: Option<u32>,
}

#[cfg(feature = "serde")]
impl Default for PolicyForm {
    fn default() -> Self {
        LoanPolicy::default().into()
    }
}

#[cfg(feature = "serde")]
impl From<LoanPolicy> for PolicyForm {
    fn from(policy: LoanPolicy) -> Self {
        let LoanPolicy { band, patience, max_lend, max_ask_back, .. } = policy;
        Self { headroom: policy.headroom(), band, patience, max_lend, max_ask_back }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<PolicyForm> for LoanPolicy {
    type Error = LoanError;

    fn try_from(form: PolicyForm) -> Result<Self, LoanError> {
        let policy = Self::default().with_headroom(form.headroom)?.with_band(form.band);
        let mut policy = policy.with_patience(form.patience)?;
        if let Some(servers) = form.max_lend {
            policy = policy.with_max_lend(servers)?;
        }
        if let Some(servers) = form.max_ask_back {
            policy = policy.with_max_ask_back(servers)?;
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loan::HoldReason;

    #[test]
    fn what_is_no_policy_is_refused() {
        let policy = LoanPolicy::default();
        for share in [f64::NAN, f64::INFINITY, -0.01, -1e-300, 1.0, 0.999_999_9, 2.0] {
            assert!(matches!(policy.with_headroom(share), Err(LoanError::HeadroomShare { .. })), "{share}");
        }
        let largest = policy.with_headroom(0.999_999).unwrap();
        assert_eq!(largest.headroom().total_cmp(&0.999_999), core::cmp::Ordering::Equal);
        assert_eq!(policy.with_patience(0), Err(LoanError::ZeroPatience));
        assert_eq!(policy.with_max_lend(0), Err(LoanError::ZeroMaxLend));
        assert_eq!(policy.with_max_ask_back(0), Err(LoanError::ZeroMaxAskBack));
    }

    #[test]
    fn headroom_rounds_up_in_integers() {
        let servers = |share, servers| {
            LoanPolicy::default()
                .with_headroom(share)
                .unwrap()
                .headroom_servers(&Fleet::new(servers, 1).unwrap())
        };
        for percent in 0..100u32 {
            // Both ways of writing the share in floating point; they differ in the last bit for some of them.
            for share in [f64::from(percent) / 100.0, f64::from(percent) * 0.01] {
                for fleet in [1, 49, 50, 51, 100, 104, 520] {
                    assert_eq!(servers(share, fleet), (percent * fleet).div_ceil(100), "{share} of {fleet}");
                }
            }
        }
        assert_eq!(servers(0.02, 104), 3);
        assert_eq!(servers(0.999_999, u32::MAX), 4_294_963_001);
        assert_eq!(servers(0.000_001, 1), 1);
        assert_eq!(servers(0.000_000_4, u32::MAX), 0);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let fleet = Fleet::new(u32::MAX, 1).unwrap().with_lent(u32::MAX).unwrap();
        let policy = LoanPolicy::default().with_band(u32::MAX).with_patience(1).unwrap();
        let decision = policy.decide(&fleet, &[], Demand::now(u64::MAX));
        assert_eq!(decision.action(), LoanAction::AskBack(u32::MAX));
        assert_eq!(decision.shortfall(), u64::MAX - u64::from(u32::MAX));
        assert_eq!(decision.missing(), u64::MAX);

        let home = fleet.with_lent(0).unwrap();
        let decision = policy.decide(&home, &[], Demand::now(0));
        assert_eq!(decision.action(), LoanAction::Hold(HoldReason::InBand));
        let patient = policy.with_patience(u32::MAX).unwrap().with_band(0);
        let decision = patient.decide(&home, &[Demand::now(1)], Demand::now(0));
        assert_eq!(decision.action(), LoanAction::Hold(HoldReason::Patience));
    }
}
