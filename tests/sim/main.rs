//! The simulation: nothing is lost, nothing is used twice, and small traces come out as computed by hand.
#![cfg(feature = "sim")]

mod by_hand;
mod conservation;
mod draft;
mod instances;
mod refused;
mod replay;
mod verified;
