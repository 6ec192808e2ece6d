//! Capacity loaning and elastic scaling for GPU clusters, as pure functions.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

pub mod certificate;
pub mod cluster;
pub mod epoch;
pub mod id;
pub mod knapsack;
pub mod loan;
pub mod place;
pub mod reclaim;
pub mod scaling;
pub mod units;
pub mod verify;
