//! Which waiting jobs start, and who gets the GPUs that base workers do not hold.
//!
//! A job's base demand comes first, for without it the job does not run. What is left is worth more to some jobs than to
//! others: a knapsack decides. This module holds both phases as numbers; the [`epoch`](crate::epoch) carries them out.
//!
//! **Phase 1**, shortest job first: [`shortest_first`] is the order in which waiting jobs are offered GPUs. One whose gang
//! does not fit is passed over, and the next is tried. GPUs that flexible workers hold count as free here: a gang that
//! starts displaces them.
//!
//! **Phase 2**, a multiple-choice knapsack for each GPU type: its capacity is the GPUs of the type that base workers do not
//! hold. Each elastic job that runs on the type, or has just been started on it, is a class, and each number of flexible
//! workers it could hold is an item ([`flexible_items`]). At most one item of a class is taken. A job that is to hold
//! another number than it does now is charged its resize overhead, so nothing is moved for nothing. Heterogeneous jobs come
//! last: they are offered what is left of each type in turn, on-loan types first, and what mixing costs them counts.
//!
//! Values are whole milliseconds, so sums are exact and equal in any order. Where the weighted times of all elastic jobs
//! add up to 2^53 milliseconds (285,000 years) or more, the unit grows by a power of two.
//!
//! # Source
//!
//! \[Aryl\], section 5.2. The paper solves one knapsack over all GPUs; one for each type keeps a plan placeable where jobs
//! can't change their type in a run.

mod exchange;
mod flexible;
mod offer;
mod queue;
mod worth;

pub(crate) use flexible::{FlexibleAllocator, Target, TypeBound, View};
pub use offer::{FlexibleItem, flexible_items};
pub(crate) use queue::Queue;
pub use queue::shortest_first;
pub(crate) use worth::Unit;
