//! Capacity loaning and elastic scaling for GPU clusters, as pure functions.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

pub mod certificate;
pub mod guide;
pub mod id;
pub mod knapsack;
pub mod units;
