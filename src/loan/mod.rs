//! How many inference servers to lend to training, or to ask back.
//!
//! An inference cluster is sized for its busiest hour. At other times whole servers stand idle, and training can
//! use them. This room answers one question, once an interval (the Aryl paper uses five minutes): given the demand of
//! the inference side, how many servers may be lent, or how many must come back? *Which* servers come back is another
//! question: the room `reclaim` answers it.
//!
//! The parts:
//!
//! | type | what it is |
//! |---|---|
//! | [`Fleet`] | the inference servers: how many there are, how many are lent, how many are on their way back |
//! | [`Demand`] | GPUs that inference needs now, and by the next decision |
//! | [`LoanPolicy`] | headroom, band, patience and limits; [`decide`](LoanPolicy::decide) is the rule as a pure function |
//! | [`LoanDecision`] | lend, ask back or hold, with the numbers that explain it |
//! | [`LoanController`] | the policy and the few demands that it has to remember |
//! | [`SeasonalNaive`] | a forecast: the value one period ago |
//!
//! # The rule
//!
//! All counts are in whole servers.
//!
//! ```text
//! needed   = ⌈max(demand now, forecast) / GPUs a server⌉
//! headroom = ⌈headroom share · servers⌉
//! home     = servers − lent
//! peak     = the largest `needed` of the last `patience` decisions, this one included
//!
//! 1. home + returning < needed + headroom     ask back the difference, or all that is still lent
//! 2. home > peak + headroom + band            lend the difference, if `patience` decisions have been seen
//! 3. otherwise                                hold
//! ```
//!
//! So servers are asked back at the first decision that needs them, and lent only after they have been spare for a
//! while. Between the two limits lies a band in which nothing moves:
//!
//! ```text
//! servers at home   0 ─────────── needed + headroom ─────────── peak + headroom + band ─────────── all
//!                      ask back                      hold                                lend
//! ```
//!
//! A move goes to the nearest edge of the band and no further. Three promises follow. Each holds for any demand, and
//! each is tested on all small cases:
//!
//! * **Lending never takes what is needed.** After a loan at least `needed + headroom` servers are at home.
//! * **No thrash.** Carry a decision out and decide again on the same demands: the answer is to hold, unless a limit on
//!   the servers moved at once cut the first move short. A demand that varies by no more than the band never
//!   causes servers to be asked back after they were lent.
//! * **Monotone.** More demand, now or at any decision still remembered, never lends more and never asks back fewer.
//!
//! # Examples
//!
//! A fleet of 104 servers with 8 GPUs each, in the evening: 300 GPUs are busy and 280 are forecast.
//!
//! ```
//! use aryl::loan::{Demand, Fleet, LoanAction, LoanController, LoanPolicy};
//!
//! let policy = LoanPolicy::default().with_headroom(0.02)?.with_band(2).with_patience(3)?;
//! let mut controller = LoanController::new(policy);
//! let mut fleet = Fleet::new(104, 8)?;
//!
//! // Two decisions pass before the servers count as spare.
//! let demand = Demand { now: 300, forecast: 280 };
//! assert!(controller.decide(&fleet, demand).is_hold());
//! assert!(controller.decide(&fleet, demand).is_hold());
//!
//! // 38 servers are needed, 3 are headroom, 2 are the band; the other 61 are lent.
//! let decision = controller.decide(&fleet, demand);
//! assert_eq!(decision.action(), LoanAction::Lend(61));
//! fleet = fleet.with_lent(61)?;
//!
//! // Demand rises by 60 GPUs: 45 servers and the headroom of 3 need 5 more than the 43 at home. They come back at once.
//! let decision = controller.decide(&fleet, Demand { now: 300, forecast: 360 });
//! assert_eq!(decision.action(), LoanAction::AskBack(5));
//! assert_eq!(decision.to_string(), "ask back 5 servers: 45 needed and 3 headroom, 43 of 104 at home");
//! # Ok::<(), aryl::loan::LoanError>(())
//! ```
//!
//! # Several kinds of server
//!
//! A fleet is of one kind: all its servers have the same number of GPUs and can do the same work. Where inference runs
//! on several kinds, use a fleet and a controller for each.
//!
//! # Source
//!
//! Aryl, arXiv 2202.07896, sections 4 and 6: the inference side alone decides how many servers move, looks every five
//! minutes, forecasts its load five minutes ahead, and keeps 2 % of its capacity that is never lent. The band and the
//! patience are this crate's: the paper names no hysteresis, and without one the noise of the demand moves servers
//! back and forth.

mod controller;
mod decision;
mod error;
mod fleet;
mod forecast;
mod millionths;
mod policy;

pub use controller::LoanController;
pub use decision::{HoldReason, LoanAction, LoanDecision};
pub use error::LoanError;
pub use fleet::{Demand, Fleet};
pub use forecast::{Forecast, SeasonalNaive};
pub use policy::LoanPolicy;
