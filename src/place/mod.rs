//! Which server each worker runs on: best-fit decreasing, with base and flexible workers apart.
//!
//! # The problem
//!
//! A job's worker needs a number of GPUs on *one* server: 4 free here and 4 free there are no room for a worker of 8.
//! And a job needs all workers of its base demand, its gang, or it does not run at all. Placed carelessly, free GPUs end
//! up as crumbs on many servers, and a wide worker waits although there are enough of them in total.
//!
//! # The rules
//!
//! 1. **Decreasing**: jobs with the widest workers (most GPUs each) go first, while large holes are left.
//! 2. **Best fit**: each worker goes to the server with the fewest free GPUs that suffice, and an empty server is begun
//!    only where no other has room. So large holes stay large. One addition keeps a job on few servers: a server that
//!    can host all workers of the gang that still need one goes before a server that fits one of them more tightly, and a
//!    server that is chosen takes as many workers of the gang as it has room for.
//! 3. **Sides**: inelastic jobs prefer training servers, elastic jobs prefer on-loan servers, which can then be given
//!    back by scaling in. A gang that fits on neither side alone is spread over both. A heterogeneous job has its base
//!    workers on training servers and its flexible workers on on-loan servers, as far as there is room.
//! 4. **Apart**: on on-loan servers, base workers prefer servers that host base workers, then empty ones, and flexible
//!    workers prefer servers that host flexible workers alone, then empty ones. Servers that host flexible workers alone
//!    can be given back without a preemption.
//! 5. **One GPU type a run**, the fastest that has room for the whole gang, unless the job may mix types and no single
//!    type has room. On a type of speed 1 : 3 a gang is three times as many workers.
//!
//! ```text
//! training     s0 [a a a a a a . .]   s1 [b b b b b b b b]    inelastic jobs a, b
//! on-loan      s2 [c c c d d . . .]                           base workers of elastic jobs c, d
//!              s3 [c c c c d d d .]                           their flexible workers
//!              s4 [. . . . . . . .]                           empty: begun last
//!
//! Give one server back: s4 costs nothing, then s3 scales c and d in. Nobody is preempted.
//! Best fit for an inelastic worker of 2 GPUs: s0. For an elastic one: s2 (base) or s4 (flexible: s3 has only 1 free).
//! ```
//!
//! # What is here
//!
//! [`BestFitDecreasing`] places waiting jobs on the idle GPUs of a [`Cluster`](crate::cluster::Cluster), for those who
//! want placement alone. A scheduling epoch uses the same machinery, and there a waiting gang may also take GPUs that
//! flexible workers hold: those of the job submitted last leave first, only on servers that the gang then uses, and only
//! as many as it needs.
//!
//! Servers are kept in buckets by free GPUs, one list for each number and group, with one bit a bucket that is not
//! empty. The best fit is the lowest bit set from a number up, so a worker is placed in constant time however large the
//! cluster is. Whether a gang fits is known before its first worker is placed, as the sum over servers of
//! ⌊free / GPUs a worker⌋, so nothing is ever undone.
//!
//! # Source
//!
//! Aryl, arXiv 2202.07896, section 5.3.

mod decreasing;
mod demand;
mod displace;
mod flexible;
mod gang;
mod index;
mod placements;
mod placer;
mod sections;
#[cfg(test)]
mod tests;

pub use decreasing::{BestFitDecreasing, Workspace};
pub use demand::{Demand, DemandError};
pub use placements::{Placements, Unplaced, UnplacedReason};
pub(crate) use placer::Placer;
