//! What the inference side asks of an epoch.

use crate::loan::LoanDecision;

/// How many servers change hands in this epoch: what the inference side asks back, or lends.
///
/// # Examples
///
/// ```
/// use aryl::epoch::Request;
///
/// assert_eq!(Request::reclaim(2), Request { reclaim: 2, lend: 0 });
/// assert_eq!(Request::default(), Request { reclaim: 0, lend: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Request {
    /// On-loan servers to give back.
    pub reclaim: u32,
    /// Inference servers to take on loan.
    pub lend: u32,
}

impl Request {
    /// Nothing changes hands.
    pub const NONE: Self = Self { reclaim: 0, lend: 0 };

    /// Inference asks this many servers back.
    #[must_use]
    pub const fn reclaim(servers: u32) -> Self {
        Self { reclaim: servers, lend: 0 }
    }

    /// Inference lends this many servers.
    #[must_use]
    pub const fn lend(servers: u32) -> Self {
        Self { reclaim: 0, lend: servers }
    }
}

impl From<&LoanDecision> for Request {
    /// What a decision of the loan room asks of the epoch.
    ///
    /// ```
    /// use aryl::epoch::Request;
    /// use aryl::loan::{Demand, Fleet, LoanPolicy};
    ///
    /// let fleet = Fleet::new(100, 8)?.with_lent(60)?;
    /// let decision = LoanPolicy::default().decide(&fleet, &[], Demand::now(400));
    /// // 50 servers are needed and 2 are headroom, but 40 are at home.
    /// assert_eq!(Request::from(&decision), Request::reclaim(12));
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    fn from(decision: &LoanDecision) -> Self {
        Self { reclaim: decision.ask_back(), lend: decision.lend() }
    }
}
