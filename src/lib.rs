//! Capacity loaning and elastic scaling for GPU clusters, as pure functions.
//!
//! Companies run one GPU cluster for training and one for inference. Inference load swings with the day, while training
//! jobs queue. The Aryl scheduler \[Aryl\] lends idle inference servers to training, takes them back with the fewest
//! preempted jobs, and gives spare GPUs to elastic jobs so that completion times fall most. This crate is those decisions
//! as a library, for the authors of schedulers: it reads a snapshot of a cluster, and returns what to do, in order, with
//! a bound on how good the best answer could be.
//!
//! It is pure: no runtime, no thread, no clock, no I/O, no `unsafe`, no `std`. The same input gives the same answer, bit
//! for bit, on every machine.
//!
//! # One epoch
//!
//! ```
//! use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
//! use aryl::epoch::{Epoch, Request};
//! use aryl::units::Seconds;
//!
//! let mut cluster = Cluster::new();
//! let v100 = cluster.add_gpu_type(GpuType::new("V100"))?; // the reference, speed 1
//! let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
//! cluster.add_server(Server::training(v100, 8))?;
//! let mut lend = || cluster.add_server(Server::on_loan(t4, 8));
//! let lent = [lend()?, lend()?];
//!
//! // A job with 2 to 4 workers of 1 GPU that runs on the lent T4: six of them do the work of
//! // two V100.
//! let elastic = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(36_000.0)).fungible())?;
//! cluster.place(elastic, &[Placement::base(lent[0], 6), Placement::flexible(lent[1], 6)])?;
//! let waiting = cluster.add_job(Job::inelastic(2).gpus_per_worker(4).remaining(Seconds(600.0)))?;
//!
//! // The inference side asks for one server. The workers of a job are interchangeable, so either
//! // costs the same: the one with the lower id goes, and the workers on the other become the base.
//! let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
//! assert_eq!(
//!     plan.to_string(),
//!     "scale in job 0: 6 workers leave server 1, which returns\n\
//!      return server 1\n\
//!      start job 1: 2 workers on server 0"
//! );
//! assert!(plan.reclaim().preempted().is_empty());
//! assert!(plan.reclaim().certificate().is_optimal());
//!
//! cluster.apply(&plan)?;
//! assert!(cluster.is_running(waiting));
//! assert!(Epoch::default().plan(&cluster, Request::NONE)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Words
//!
//! A job's **base** workers are its minimum number: without them it does not run. Workers above it are **flexible**. A
//! **worker** has a fixed number of GPUs on one server. Inference **lends** a server, which is then **on loan** and hosts
//! training workers; it **asks back** a number of servers; the **reclaim** chooses which, and those **return**. A job that
//! loses workers and runs on is **scaled in**; one that can't is **preempted**. JCT is the job completion time. An
//! **epoch** is one decision.
//!
//! # Map
//!
//! | module | what it decides or holds |
//! |---|---|
//! | [`epoch`] | one decision, end to end: reclaim, allocate, place, and an ordered [`Plan`](epoch::Plan) |
//! | [`loan`] | how many servers to lend or to ask back, with hysteresis, from the inference demand |
//! | [`reclaim`] | which on-loan servers go back, at the least preemption cost |
//! | [`allocate`] | which jobs start, and who gets the GPUs that are left |
//! | [`place`] | which server each worker runs on: best-fit decreasing, gangs whole or not at all |
//! | [`k_union`] | the cheapest union of k sets, which is what a reclaim chooses. Mathematics only |
//! | [`knapsack`] | the multiple-choice knapsack. Mathematics only: it knows no GPU |
//! | [`cluster`] | the nouns: GPU types, servers, jobs, who runs where |
//! | [`scaling`] | how the speed of a job grows with its workers |
//! | `sim` | with the feature of that name: a trace of jobs replayed under this or another policy |
//! | [`verify`] | independent checks of every answer, which share no code with the solvers |
//! | [`certificate`], [`units`], [`id`] | objective and bound; seconds and speeds; dense ids |
//! | `ilp` (feature) | the same problems as integer programs: reference answers, and an epoch as a whole |
//! | [`guide`] | longer pages: tutorial, ideas, embedding, performance, trust, comparison and more |
//!
//! Each module works alone too: the knapsack on plain weights and values, the reclaim on a cluster.
//!
//! # Where to start
//!
//! | you | start with |
//! |---|---|
//! | write a scheduler, and want a plan for your own cluster today | [`guide::tutorial`], then [`guide::embedding`] |
//! | want to know what it does, and have not read the paper | [`guide::ideas`], seven pictures |
//! | have read the paper, and look for its parts | [`guide::paper_to_code`], and the guide `replay` for its evaluation |
//! | need one solver | [`reclaim`], [`k_union`] or [`knapsack`]; [`guide::choosing_a_solver`], [`guide::performance`] |
//! | decide whether it may decide on your cluster | [`guide::trust`], [`guide::determinism`], [`guide::comparison`] |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `serde` | yes | clusters, requests, plans and the answers of each room serialize; what comes in is checked as at the door |
//! | `ilp` | no | `ilp`: the same problems as integer programs, for a reference answer. Needs `std` |
//! | `simd` | no | wide vectors in the scans of the knapsack, where the processor has them. The same answers |
//! | `sim` | no | a discrete-event simulation: replays a trace of jobs under a policy, eleven of which are in it |
//!
//! # What holds everywhere
//!
//! * **Exact where exactness is claimed.** Every answer carries a [`Certificate`](certificate::Certificate): objective and
//!   bound. It says optimal only where the two are equal.
//! * **Deterministic.** What decides ties is written down ([`guide::determinism`]). No clock limits a search: effort is counted.
//! * **Total.** Input is checked once, where it enters, and refused with a typed error that names the offender. After
//!   that nothing panics, hangs or overflows.
//! * **Warm calls allocate nothing.** Each solver has a form that works in memory the caller keeps.
//!
//! # Source
//!
//! \[Aryl\]: *Aryl: An Elastic Cluster Scheduler for Deep Learning*, [arXiv 2202.07896](https://arxiv.org/abs/2202.07896);
//! published as *Lyra: Elastic Scheduling for Deep Learning Clusters*, `EuroSys` 2023,
//! [doi 10.1145/3552326.3587445](https://doi.org/10.1145/3552326.3587445). Where this crate settles what the paper leaves
//! open, or does better, the page of the module says so.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_cmp))]

extern crate alloc;

pub mod allocate;
pub mod certificate;
pub mod cluster;
pub mod epoch;
pub mod guide;
mod heap;
pub mod id;
#[cfg(feature = "ilp")]
pub mod ilp;
pub mod k_union;
pub mod knapsack;
pub mod loan;
pub mod place;
pub mod reclaim;
pub mod scaling;
#[cfg(feature = "sim")]
#[cfg_attr(docsrs, doc(cfg(feature = "sim")))]
pub mod sim;
pub mod units;
pub mod verify;

/// The code of the README, so that it is tested as it stands.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
