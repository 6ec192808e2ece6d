//! The policy with its memory.

use alloc::vec::Vec;

use super::{Demand, Fleet, LoanDecision, LoanPolicy};

/// A policy that remembers the demands of its last decisions.
///
/// It is [`LoanPolicy::decide`] with a window of `patience − 1` earlier demands kept for it. It holds nothing else: no
/// fleet, no clock. Call it once an interval, and carry the decision out or not; the next call is told the fleet as
/// it then is.
///
/// A new controller lends nothing until it has seen `patience` demands. It asks back from the first.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
///
/// let mut controller = LoanController::new(LoanPolicy::default());
/// let mut fleet = Fleet::new(50, 8)?;
/// let mut moves = 0;
/// for demand in [200, 204, 196, 208, 200, 192, 206] {
///     let decision = controller.decide(&fleet, Demand::now(demand));
///     moves += u32::from(!decision.is_hold());
///     fleet = fleet.with_lent(fleet.lent() + decision.lend() - decision.ask_back())?;
/// }
/// // Lent once, at the third decision: 26 servers needed, 1 headroom, 2 the band. The noise moves nothing.
/// assert_eq!((fleet.lent(), moves), (21, 1));
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "ControllerForm", into = "ControllerForm")
)]
pub struct LoanController {
    policy: LoanPolicy,
    earlier: Vec<Demand>,
}

impl LoanController {
    /// A controller of this policy that has seen nothing yet.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
    ///
    /// let mut controller = LoanController::new(LoanPolicy::default());
    /// // All 50 servers are idle. It lends none at the first decision, for it has seen nothing before.
    /// assert!(controller.decide(&Fleet::new(50, 8)?, Demand::now(0)).is_hold());
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn new(policy: LoanPolicy) -> Self {
        Self { policy, earlier: Vec::new() }
    }

    /// Decides, and remembers the demand for the decisions to come.
    ///
    /// # Complexity
    ///
    /// O(`patience`) time. Memory is 16 bytes for each demand remembered: the lesser of the calls so far and
    /// `patience − 1`. Nothing is allocated once that many are kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanAction, LoanController, LoanPolicy};
    ///
    /// let mut controller = LoanController::new(LoanPolicy::default().with_band(0).with_patience(2)?);
    /// let fleet = Fleet::new(50, 8)?;
    /// let mut action = |gpus| controller.decide(&fleet, Demand::now(gpus)).action();
    /// assert!(matches!(action(160), LoanAction::Hold(_)));
    /// // 20 servers are needed and 1 is headroom, for the second time.
    /// assert_eq!(action(160), LoanAction::Lend(29));
    /// // 10 are needed now, but 20 were one decision ago.
    /// assert_eq!(action(80), LoanAction::Lend(29));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use = "the servers move only if the decision is carried out"]
    pub fn decide(&mut self, fleet: &Fleet, demand: Demand) -> LoanDecision {
        let decision = self.policy.decide(fleet, &self.earlier, demand);
        let remembered = self.policy.patience() as usize - 1;
        if remembered > 0 {
            if self.earlier.len() == remembered {
                self.earlier.remove(0);
            }
            self.earlier.push(demand);
        }
        decision
    }

    /// The policy.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{LoanController, LoanPolicy};
    ///
    /// let controller = LoanController::new(LoanPolicy::default().with_band(4));
    /// assert_eq!(controller.policy().band(), 4);
    /// ```
    #[must_use]
    pub const fn policy(&self) -> &LoanPolicy {
        &self.policy
    }

    /// The demands remembered, the latest last: at most `patience − 1`.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
    ///
    /// let mut controller = LoanController::new(LoanPolicy::default().with_patience(3)?);
    /// for gpus in [30, 20, 10] {
    ///     let _ = controller.decide(&Fleet::new(10, 8)?, Demand::now(gpus));
    /// }
    /// // With the next demand these two are the three that a patience of 3 looks at.
    /// assert_eq!(controller.earlier(), [Demand::now(20), Demand::now(10)]);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub fn earlier(&self) -> &[Demand] {
        &self.earlier
    }

    /// Changes the policy and keeps the demands that the new one still looks at.
    ///
    /// With a longer patience, lending waits until that many demands have been seen.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
    ///
    /// let mut controller = LoanController::new(LoanPolicy::default().with_patience(4)?);
    /// for gpus in [30, 20, 10] {
    ///     assert!(controller.decide(&Fleet::new(10, 8)?, Demand::now(gpus)).is_hold());
    /// }
    /// controller.set_policy(LoanPolicy::default().with_patience(2)?);
    /// assert_eq!(controller.earlier(), [Demand::now(10)]);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(`patience`).
    pub fn set_policy(&mut self, policy: LoanPolicy) {
        let remembered = policy.patience() as usize - 1;
        self.earlier.drain(..self.earlier.len().saturating_sub(remembered));
        self.policy = policy;
    }

    /// Forgets all demands, as after a time without decisions.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanController, LoanPolicy};
    ///
    /// let mut controller = LoanController::new(LoanPolicy::default().with_patience(2)?);
    /// let fleet = Fleet::new(10, 8)?;
    /// let _ = controller.decide(&fleet, Demand::now(0));
    /// controller.clear();
    /// // Its patience begins again.
    /// assert!(controller.decide(&fleet, Demand::now(0)).is_hold());
    /// assert!(!controller.decide(&fleet, Demand::now(0)).is_hold());
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    pub fn clear(&mut self) {
        self.earlier.clear();
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ControllerForm {
    #[serde(default)]
    policy: LoanPolicy,
    #[serde(default)]
    earlier: Vec<Demand>,
}

#[cfg(feature = "serde")]
impl From<LoanController> for ControllerForm {
    fn from(LoanController { policy, earlier }: LoanController) -> Self {
        Self { policy, earlier }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<ControllerForm> for LoanController {
    type Error = super::LoanError;

    fn try_from(ControllerForm { policy, earlier }: ControllerForm) -> Result<Self, Self::Error> {
        let patience = policy.patience();
        if earlier.len() >= patience as usize {
            return Err(super::LoanError::MemoryAbovePatience { earlier: earlier.len(), patience });
        }
        Ok(Self { policy, earlier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loan::LoanAction;

    #[test]
    fn memory_is_the_last_demands_and_no_more() {
        for patience in 1..6 {
            let mut controller = LoanController::new(LoanPolicy::default().with_patience(patience).unwrap());
            let fleet = Fleet::new(10, 1).unwrap();
            for gpus in 0..20u64 {
                let _ = controller.decide(&fleet, Demand::now(gpus));
                let kept = (gpus + 1).min(u64::from(patience) - 1);
                assert!(controller.earlier().iter().copied().eq((gpus + 1 - kept..=gpus).map(Demand::now)));
            }
        }
    }

    #[test]
    fn a_change_of_policy_keeps_what_it_still_needs() {
        let mut controller = LoanController::new(LoanPolicy::default().with_patience(5).unwrap());
        let fleet = Fleet::new(10, 1).unwrap();
        for gpus in [9, 8, 2, 1] {
            assert!(controller.decide(&fleet, Demand::now(gpus)).is_hold());
        }
        controller.set_policy(LoanPolicy::default().with_patience(3).unwrap());
        assert_eq!(controller.earlier(), [Demand::now(2), Demand::now(1)]);
        assert_eq!(controller.clone().decide(&fleet, Demand::now(1)).action(), LoanAction::Lend(5));
        controller.clear();
        assert!(controller.decide(&fleet, Demand::now(1)).is_hold());
    }
}
