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
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::epoch::{Epoch, Request};
    /// use aryl::reclaim::Ask;
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::on_loan(v100, 8))?;
    /// cluster.add_server(Server::on_loan(v100, 8))?;
    /// let plan = |request| Epoch::default().plan(&cluster, request).map(|plan| plan.to_string());
    /// assert_eq!(plan(Request::reclaim(1))?, "return server 0");
    /// assert_eq!(plan(Request::reclaim(Ask::gpus(9)))?, "return server 0\nreturn server 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reclaim(ask: impl Into<Ask<'a>>) -> Self {
        Self { reclaim: ask.into(), lend: 0 }
    }

    /// Inference lends this many servers: those with the lowest ids that are in its pool and not protected.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Server};
    /// use aryl::epoch::{Epoch, Request};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::inference(v100, 8).protected())?;
    /// cluster.add_server(Server::inference(v100, 8))?;
    /// cluster.add_job(Job::inelastic(8))?;
    /// let plan = Epoch::default().plan(&cluster, Request::lend(1))?;
    /// assert_eq!(plan.to_string(), "lend server 1\nstart job 0: 8 workers on server 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn lend(servers: u32) -> Self {
        Self { reclaim: Ask::NOTHING, lend: servers }
    }

    /// The same request, with this many servers lent. A server that returns is not among them.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::epoch::{Epoch, Request};
    ///
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// cluster.add_server(Server::on_loan(v100, 8))?;
    /// cluster.add_server(Server::inference(v100, 8))?;
    /// let plan = |lend| Epoch::default().plan(&cluster, Request::reclaim(1).and_lend(lend));
    /// assert_eq!(plan(1)?.to_string(), "return server 0\nlend server 1");
    /// assert!(plan(2).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
