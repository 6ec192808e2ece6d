//! What a simulation measures.

mod meter;
mod report;
mod summary;

pub(super) use meter::Meter;
pub use meter::Sample;
pub(super) use report::ratio;
pub use report::{JobOutcome, LoanTotals, Report, Usage};
pub use summary::Summary;
