//! The crate's problems as integer programs: the reference answer.
//!
//! A general solver of integer programs knows nothing of schedulers. It is slow, and it is independent: what it says is the
//! yardstick for the solvers of this crate, in its own tests and for those who want to check or compare. The feature `ilp`
//! turns this module on; it is the one part of the crate that needs the standard library, and no system library.
//!
//! | function | the problem | beside it stands |
//! |---|---|---|
//! | [`ilp::knapsack`](knapsack()) | the multiple-choice knapsack | [`knapsack::Solver`](crate::knapsack::Solver), exact |
//! | [`ilp::reclaim`](reclaim()) | which on-loan servers go back | [`reclaim::Reclaimer`](crate::reclaim::Reclaimer), with a bound |
//! | [`ilp::epoch`](epoch()) | who starts, who holds how many workers, and where, at once | [`epoch::Epoch`](crate::epoch::Epoch), in phases |
//!
//! Each page writes out its objective and constraints as formulas, and the size of the model.
//!
//! # Answers
//!
//! A solver's floating-point numbers are never passed on. Its values are rounded to whole numbers, the answer is counted
//! again from these choices in integers, and a choice that breaks a rule is an error ([`WrongAnswer`]). Only the bound is
//! taken at the solver's word, moved to the safe side of its tolerances: a [`Certificate`](crate::certificate::Certificate)
//! says optimal where that leaves no room for one unit more. With [`Microlp`] that is so up to objectives of some
//! 5 · 10^8, which is six days in milliseconds; above it, the gap is about 2 · 10^-9 of the objective.
//!
//! # Backends
//!
//! | backend | what it is |
//! |---|---|
//! | [`Microlp`] | microlp, in pure Rust; the default. Deterministic; stops at a counted number of nodes |
//! | [`GoodLp`] | the default solver of the crate `good_lp`: CBC where some package turns on its feature `coin_cbc`, else microlp |
//! | your own [`Backend`] | `HiGHS`, SCIP, a commercial code: read the [`Model`], return an [`Assignment`] |
//!
//! `benches/peers` in the repository is a package with backends for `HiGHS` and CBC, through `good_lp`. It prints times and
//! values of all of them side by side, and is left out of this crate so that no C++ enters its graph.
//!
//! What microlp handles, in one run on a two-core x86-64 machine (AMD EPYC), seed 1, beside this crate's own solvers:
//! knapsacks of 30 classes in 50 to 120 times the time, but for one hard family; of 100 classes in 60 to 7,000 times for most
//! families, and for others without a proof after 20,000 nodes; reclaims of 20 of 200 servers in 50 to 500 times the time of
//! the rules. One node of a knapsack of 1,000 classes or of a reclaim of 1,500 servers takes it milliseconds: give those to
//! `HiGHS`. Of 200 random epochs of up to 24 servers and 48 jobs, all but two were solved within 20,000 nodes, at any wait. The
//! tables are in the README of `benches/peers`.
//!
//! # Where the split loses
//!
//! The paper decides in phases: base demand first, shortest job first; then a knapsack over what is left; then servers.
//! [`epoch()`] decides all three at once. The value of the plan of [`Epoch::default`](crate::epoch::Epoch), as a share of
//! the optimum, on random clusters: 1,000 of up to 5 servers of 3 to 8 GPUs and up to 10 jobs, some of them running; then 200
//! of up to 24 servers and 48 jobs. A column is what a start is worth, a wait spared: see [`epoch()`]. Clusters in which nothing
//! can be had are left out, and two whose optimum was not found within 20,000 nodes.
//!
//! | up to 5 servers, one GPU type | wait 0 s | wait 300 s | wait 3,600 s | wait 10^7 s |
//! |---|---|---|---|---|
//! | 1 (the optimum) | 259 | 338 | 424 | 556 |
//! | 0.99 to 1 | 2 | 1 | 3 | 57 |
//! | 0.95 to 0.99 | 8 | 18 | 20 | 0 |
//! | 0.9 to 0.95 | 18 | 17 | 22 | 3 |
//! | 0.8 to 0.9 | 37 | 36 | 46 | 9 |
//! | 0.6 to 0.8 | 75 | 77 | 52 | 19 |
//! | 0.3 to 0.6 | 55 | 59 | 78 | 25 |
//! | below 0.3 | 145 | 131 | 32 | 8 |
//! | mean | 0.667 | 0.733 | 0.863 | 0.960 |
//! | worst (seed) | 0.000 (8) | 0.008 (54) | 0.093 (54) | 0.200 (373) |
//!
//! | up to 5 servers, three GPU types, resize overheads | wait 0 s | wait 300 s | wait 3,600 s | wait 10^7 s |
//! |---|---|---|---|---|
//! | 1 (the optimum) | 301 | 426 | 473 | 546 |
//! | 0.99 to 1 | 0 | 2 | 2 | 49 |
//! | 0.95 to 0.99 | 11 | 15 | 11 | 0 |
//! | 0.9 to 0.95 | 8 | 19 | 21 | 1 |
//! | 0.8 to 0.9 | 25 | 26 | 32 | 6 |
//! | 0.6 to 0.8 | 40 | 40 | 50 | 22 |
//! | 0.3 to 0.6 | 38 | 43 | 45 | 26 |
//! | below 0.3 | 95 | 85 | 22 | 6 |
//! | mean | 0.749 | 0.819 | 0.903 | 0.961 |
//! | worst (seed) | −0.465 (829) | −0.376 (829) | −0.051 (706) | 0.167 (611) |
//!
//! | the same, up to 24 servers | wait 0 s | wait 300 s | wait 3,600 s | wait 10^7 s |
//! |---|---|---|---|---|
//! | 1 (the optimum) | 25 | 30 | 37 | 56 |
//! | 0.99 to 1 | 0 | 0 | 3 | 28 |
//! | 0.95 to 0.99 | 5 | 5 | 8 | 3 |
//! | 0.9 to 0.95 | 7 | 9 | 11 | 10 |
//! | 0.8 to 0.9 | 8 | 8 | 19 | 27 |
//! | 0.6 to 0.8 | 20 | 24 | 39 | 43 |
//! | 0.3 to 0.6 | 51 | 54 | 60 | 12 |
//! | below 0.3 | 60 | 52 | 5 | 1 |
//! | mean | 0.486 | 0.533 | 0.731 | 0.869 |
//! | worst (seed) | −0.087 (115) | −0.014 (12) | 0.150 (141) | 0.286 (141) |
//!
//! To print the tables:
//!
//! ```text
//! cargo run --release --features ilp --example compare_epochs
//! ```
//!
//! Much of this is a difference of aims, not a fault. The clusters are random and crowded, not taken from a trace. The flexible
//! workers are counted as if they stayed to the end of their job, though the next epoch decides anew. And to start the
//! shortest job first serves the epochs that follow, which no column counts. What remains is what a joint decision could
//! gain. The five ways to lose, each at its purest, with a wait of 300 s:
//!
//! **Base demand comes first, whatever it displaces.** A gang of 6 starts for the 300 s that it is spared, and six flexible
//! workers leave that would have saved 27,000 s. Share: 0.011. The paper's order is right
//! where waiting is what hurts; a `wait` above 27,000 s says so, and then the split is optimal.
//!
//! ```
//! use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
//! use aryl::epoch::{Epoch, Request};
//! use aryl::ilp::{self, Microlp};
//! use aryl::units::Seconds;
//!
//! /// What the two phases bring, and the optimum, in seconds.
//! fn compare(cluster: &Cluster, wait: f64) -> Result<(i128, i128), Box<dyn std::error::Error>> {
//!     let mut planned = cluster.clone();
//!     planned.apply(&Epoch::default().plan(cluster, Request::NONE)?)?;
//!     let optimum = ilp::epoch(cluster, Seconds(wait), &Microlp::default())?;
//!     let value = |after| ilp::epoch_value(cluster, after, Seconds(wait));
//!     Ok((value(&planned)? / 1_000, value(optimum.after())? / 1_000))
//! }
//!
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
//! let server = cluster.add_server(Server::training(v100, 8))?;
//! let elastic = cluster.add_job(Job::elastic(2..=8).remaining(Seconds(36_000.0)))?;
//! cluster.place(elastic, &[Placement::base(server, 2), Placement::flexible(server, 6)])?;
//! cluster.add_job(Job::inelastic(6).remaining(Seconds(600.0)))?;
//! assert_eq!(compare(&cluster, 300.0)?, (300, 27_000));
//! assert_eq!(compare(&cluster, 28_000.0)?, (28_000, 28_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **The shortest job is not the smallest.** One job of 8 workers and 100 s starts; eight jobs of 1 worker and 110 s wait.
//! Share: 0.125, and as bad as the widest job is wide. A long `wait` makes it no better.
//!
//! ```
//! # use aryl::cluster::{Cluster, GpuType, Job, Server};
//! # use aryl::epoch::{Epoch, Request};
//! # use aryl::ilp::{self, Microlp};
//! # use aryl::units::Seconds;
//! # fn compare(cluster: &Cluster, wait: f64) -> Result<(i128, i128), Box<dyn std::error::Error>> {
//! #     let mut planned = cluster.clone();
//! #     planned.apply(&Epoch::default().plan(cluster, Request::NONE)?)?;
//! #     let optimum = ilp::epoch(cluster, Seconds(wait), &Microlp::default())?;
//! #     let value = |after| ilp::epoch_value(cluster, after, Seconds(wait));
//! #     Ok((value(&planned)? / 1_000, value(optimum.after())? / 1_000))
//! # }
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
//! cluster.add_server(Server::training(v100, 8))?;
//! cluster.add_job(Job::inelastic(8).remaining(Seconds(100.0)))?;
//! for _ in 0..8 {
//!     cluster.add_job(Job::inelastic(1).remaining(Seconds(110.0)))?;
//! }
//! assert_eq!(compare(&cluster, 300.0)?, (300, 2_400));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Gangs are placed before it is known who will grow.** Two workers of 1 GPU start beside the worker of 4 GPUs on the large
//! server. They would have fitted the small one, and now a second worker of 4 GPUs fits nowhere. Share: 0.077.
//!
//! ```
//! # use aryl::cluster::{Cluster, GpuType, Job, Server};
//! # use aryl::epoch::{Epoch, Request};
//! # use aryl::ilp::{self, Microlp};
//! # use aryl::units::Seconds;
//! # fn compare(cluster: &Cluster, wait: f64) -> Result<(i128, i128), Box<dyn std::error::Error>> {
//! #     let mut planned = cluster.clone();
//! #     planned.apply(&Epoch::default().plan(cluster, Request::NONE)?)?;
//! #     let optimum = ilp::epoch(cluster, Seconds(wait), &Microlp::default())?;
//! #     let value = |after| ilp::epoch_value(cluster, after, Seconds(wait));
//! #     Ok((value(&planned)? / 1_000, value(optimum.after())? / 1_000))
//! # }
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
//! cluster.add_server(Server::training(v100, 3))?;
//! cluster.add_server(Server::training(v100, 8))?;
//! cluster.add_job(Job::inelastic(2).remaining(Seconds(600.0)))?;
//! cluster.add_job(Job::elastic(1..=2).gpus_per_worker(4).remaining(Seconds(14_400.0)))?;
//! assert_eq!(compare(&cluster, 300.0)?, (600, 7_800));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **A job that could run anywhere starts where another could have grown.** A fungible job takes the two V100 that are free;
//! the idle T4 would have served it as well, and the elastic job can use V100 alone. Share: 0.143.
//!
//! ```
//! # use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
//! # use aryl::epoch::{Epoch, Request};
//! # use aryl::ilp::{self, Microlp};
//! # use aryl::units::Seconds;
//! # fn compare(cluster: &Cluster, wait: f64) -> Result<(i128, i128), Box<dyn std::error::Error>> {
//! #     let mut planned = cluster.clone();
//! #     planned.apply(&Epoch::default().plan(cluster, Request::NONE)?)?;
//! #     let optimum = ilp::epoch(cluster, Seconds(wait), &Microlp::default())?;
//! #     let value = |after| ilp::epoch_value(cluster, after, Seconds(wait));
//! #     Ok((value(&planned)? / 1_000, value(optimum.after())? / 1_000))
//! # }
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
//! let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
//! let home = cluster.add_server(Server::training(v100, 4))?;
//! cluster.add_server(Server::on_loan(t4, 8))?;
//! let elastic = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(3_600.0)))?;
//! cluster.place(elastic, &[Placement::base(home, 2)])?;
//! cluster.add_job(Job::inelastic(2).remaining(Seconds(600.0)).fungible())?;
//! assert_eq!(compare(&cluster, 300.0)?, (300, 2_100));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Who shrinks for a start pays for it.** Two flexible workers leave for a gang of 2, and their job pays its resize
//! overhead of 1,000 s: more than the start is worth. Share: −2.333.
//!
//! ```
//! # use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
//! # use aryl::epoch::{Epoch, Request};
//! # use aryl::ilp::{self, Microlp};
//! # use aryl::units::Seconds;
//! # fn compare(cluster: &Cluster, wait: f64) -> Result<(i128, i128), Box<dyn std::error::Error>> {
//! #     let mut planned = cluster.clone();
//! #     planned.apply(&Epoch::default().plan(cluster, Request::NONE)?)?;
//! #     let optimum = ilp::epoch(cluster, Seconds(wait), &Microlp::default())?;
//! #     let value = |after| ilp::epoch_value(cluster, after, Seconds(wait));
//! #     Ok((value(&planned)? / 1_000, value(optimum.after())? / 1_000))
//! # }
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
//! let server = cluster.add_server(Server::training(v100, 4))?;
//! let elastic = Job::elastic(2..=4).remaining(Seconds(600.0)).resize_overhead(Seconds(1_000.0));
//! let elastic = cluster.add_job(elastic)?;
//! cluster.place(elastic, &[Placement::base(server, 2), Placement::flexible(server, 2)])?;
//! cluster.add_job(Job::inelastic(2).remaining(Seconds(600.0)))?;
//! assert_eq!(compare(&cluster, 300.0)?, (-700, 300));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod epoch;
mod error;
mod good_lp;
mod knapsack;
mod microlp;
mod model;
mod reclaim;

pub use backend::{Assignment, Backend, BackendError, VARIABLE_LIMIT};
pub use epoch::{EpochOptimum, epoch, epoch_value};
pub use error::{IlpError, WrongAnswer};
pub use good_lp::GoodLp;
pub use knapsack::knapsack;
pub use microlp::Microlp;
pub use model::{Model, Relation, Row, Variable};
pub use reclaim::reclaim;
