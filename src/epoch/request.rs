//! What the inference side asks of an epoch.

use crate::loan::LoanDecision;
use crate::reclaim::Ask;

/// What changes hands in this epoch: what the inference side asks back, and how many servers it lends.
///
/// Wherever a request is expected, `&request` will do: nothing is copied.
///
/// # Examples
///
/// ```
/// use aryl::epoch::Request;
/// use aryl::id::ServerId;
/// use aryl::reclaim::Ask;
///
/// assert_eq!(Request::reclaim(2), Request { reclaim: Ask::servers(2), lend: 0 });
/// assert_eq!(Request::default(), Request { reclaim: Ask::NOTHING, lend: 0 });
/// let broken = ServerId::new(4);
/// let request = Request::reclaim(Ask::gpus(64).must_return(vec![broken])).and_lend(1);
/// assert_eq!(request.lend, 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Request<'a> {
    /// What to give back of what is on loan.
    pub reclaim: Ask<'a>,
    /// Inference servers to take on loan.
    pub lend: u32,
}

impl<'a> Request<'a> {
    /// Nothing changes hands.
    pub const NONE: Request<'static> = Request { reclaim: Ask::NOTHING, lend: 0 };

    /// Inference asks this back: a number of servers, or an [`Ask`].
    pub fn reclaim(ask: impl Into<Ask<'a>>) -> Self {
        Self { reclaim: ask.into(), lend: 0 }
    }

    /// Inference lends this many servers.
    #[must_use]
    pub const fn lend(servers: u32) -> Self {
        Self { reclaim: Ask::NOTHING, lend: servers }
    }

    /// The same request, with this many servers lent.
    #[must_use]
    pub fn and_lend(mut self, servers: u32) -> Self {
        self.lend = servers;
        self
    }
}

impl<'a> From<&'a Request<'_>> for Request<'a> {
    /// The same request, borrowed.
    fn from(request: &'a Request<'_>) -> Self {
        Self { reclaim: Ask::from(&request.reclaim), lend: request.lend }
    }
}

impl From<&LoanDecision> for Request<'_> {
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
        Self { reclaim: Ask::servers(decision.ask_back()), lend: decision.lend() }
    }
}
