//! What can be wrong with the input of a loan decision.

use core::fmt;

/// Why a fleet, a demand, a policy or a forecast was refused.
///
/// Everything is checked where it enters. A decision itself can't fail: demand beyond the whole fleet is no error, but
/// an answer to ask back everything, with the [shortfall](super::LoanDecision::shortfall).
///
/// # Examples
///
/// ```
/// use aryl::loan::Fleet;
///
/// let error = Fleet::new(10, 8)?.with_lent(11).unwrap_err();
/// assert_eq!(error.to_string(), "11 servers are lent, but the fleet has 10");
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoanError {
    /// A fleet of no servers.
    #[error("the fleet has 0 servers of {gpus_per_server} GPUs; at least 1 server is required")]
    NoServers {
        /// GPUs on each server, as given.
        gpus_per_server: u32,
    },
    /// Servers without GPUs.
    #[error("the fleet has {servers} servers of 0 GPUs; at least 1 GPU a server is required")]
    NoGpus {
        /// Servers of the fleet, as given.
        servers: u32,
    },
    /// More servers lent than there are.
    #[error("{lent} servers are lent, but the fleet has {servers}")]
    LentAboveServers {
        /// Servers on loan, as given.
        lent: u32,
        /// Servers of the fleet.
        servers: u32,
    },
    /// More servers on their way back than are lent.
    #[error("{returning} servers are returning, but {lent} are lent")]
    ReturningAboveLent {
        /// Servers on their way back, as given.
        returning: u32,
        /// Servers on loan.
        lent: u32,
    },
    /// A headroom share that is no share: not a number, negative, or 1 and more.
    #[error("the headroom share is {share}; it must be from 0 to 0.999999")]
    HeadroomShare {
        /// The share, as given.
        share: f64,
    },
    /// A patience of no decisions.
    #[error("the patience is 0 decisions; at least 1 is required")]
    ZeroPatience,
    /// A limit of 0 on the servers lent at once.
    #[error("at most 0 servers are lent at once; at least 1 is required")]
    ZeroMaxLend,
    /// A limit of 0 on the servers asked back at once.
    #[error("at most 0 servers are asked back at once; at least 1 is required")]
    ZeroMaxAskBack,
    /// A load that is not a finite number from 0 upwards.
    #[error("the load is {load} of the fleet; it must be a finite number from 0 upwards")]
    Load {
        /// The load, as given: 1 is the whole fleet.
        load: f64,
    },
    /// A demand of more than 2^64 − 1 GPUs, stated in servers.
    #[error("a demand of {servers} servers of {gpus_per_server} GPUs is above 2^64 - 1 GPUs")]
    DemandOverflow {
        /// The demand in servers, as given.
        servers: u64,
        /// GPUs on each server.
        gpus_per_server: u32,
    },
    /// A season of no values.
    #[error("the period is 0 values; at least 1 is required")]
    ZeroPeriod,
    /// A stored forecast that holds more values than its period.
    #[error("{values} values are stored, but the period is {period}")]
    ValuesAbovePeriod {
        /// Values found.
        values: usize,
        /// Values of one period.
        period: u32,
    },
    /// A stored controller that remembers more demands than its policy asks for.
    #[error(
        "{earlier} earlier demands are stored, but a patience of {patience} decisions keeps fewer than {patience}"
    )]
    MemoryAbovePatience {
        /// Demands found.
        earlier: usize,
        /// Decisions that the policy looks at.
        patience: u32,
    },
    /// A stored decision whose peak is below what it needs, though the peak includes it.
    #[error("the decision needs {needed} servers, but its recent peak is {recent_peak}")]
    PeakBelowNeeded {
        /// Servers needed at the decision.
        needed: u64,
        /// The largest need of the decisions remembered.
        recent_peak: u64,
    },
    /// A stored decision that lends more than its own numbers allow.
    #[error("the decision lends {lend} servers, but its numbers allow {}", Allowed(*lendable))]
    LendsTooMuch {
        /// Servers lent, as given.
        lend: u32,
        /// Servers that its numbers allow.
        lendable: u32,
    },
    /// A stored decision that asks back more than its own numbers allow.
    #[error("the decision asks back {ask_back} servers, but its numbers allow {}", Allowed(*missing))]
    AsksTooMuch {
        /// Servers asked back, as given.
        ask_back: u32,
        /// Servers that its numbers allow.
        missing: u32,
    },
    /// A stored decision to hold, for a reason that its own numbers contradict.
    #[error("the decision holds because {reason}, but its numbers say otherwise")]
    WrongHold {
        /// The reason, as given.
        reason: super::HoldReason,
    },
}

/// How many servers may move, in a sentence.
struct Allowed(u32);

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("none"),
            servers => write!(f, "from 1 to {servers}"),
        }
    }
}
