//! Replaying a trace of jobs under a policy: a discrete-event simulation.
//!
//! A scheduler is judged by what becomes of jobs: how long they queue, when they end, how often they are stopped. This
//! module replays a workload on two clusters, one for training and one for inference, and reports that. So a policy can be
//! judged on one's own trace before it is adopted, and the policies of the field beside each other.
//!
//! ```text
//! Workload: jobs, inference load ──┐            ┌─ Event, as it happens
//!                                  ├─ Simulation┤
//! Setup: servers, intervals ───────┘   │    ▲   └─ Report, at the end
//!                            View, at  ▼    │  steps to carry out
//!                          each epoch  Policy
//! ```
//!
//! | part | what it is |
//! |---|---|
//! | [`Setup`] | the servers of both clusters, intervals, overheads |
//! | [`Workload`](workload::Workload) | the jobs that arrive and the load of the inference cluster |
//! | [`Policy`](policy::Policy) | decides who runs. [`policy`] has eleven, and the trait for your own |
//! | [`Simulation`] | the replay |
//! | [`Event`] | what happens, for metrics of your own and for a progress bar |
//! | [`Report`](metrics::Report) | queuing and completion times, usage, preemptions, loans, time series |
//!
//! It is pure like the rest of the crate: no clock, no thread, no I/O. The same input gives the same report, bit for bit.
//!
//! # Examples
//!
//! A training cluster of two servers, and an inference cluster of ten that is busy by day. Six jobs arrive at night:
//!
//! ```
//! use aryl::cluster::{GpuType, Job};
//! use aryl::sim::policy::{Aryl, Fifo};
//! use aryl::sim::workload::{InferenceLoad, TraceJob, Workload};
//! use aryl::sim::{Setup, Simulation};
//! use aryl::units::Seconds;
//!
//! let setup = Setup::new(GpuType::new("V100"), 2, 8).inference(GpuType::new("T4").speed(1, 3), 10, 8);
//! let jobs = (0..6).map(|number| {
//!     let job = Job::elastic(4..=8).remaining(Seconds(7_200.0)).submitted(Seconds(60.0 * f64::from(number)));
//!     TraceJob::new(job.fungible())
//! });
//! let load = InferenceLoad::new([(Seconds(0.0), 0.1), (Seconds(28_800.0), 0.9)])?;
//! let workload = Workload { jobs: jobs.collect(), load };
//!
//! let fifo = Simulation::new(&setup, &workload)?.run(&mut Fifo::new())?;
//! let aryl = Simulation::new(&setup, &workload)?.run(&mut Aryl::new())?;
//! // Two of six jobs wait: until 7,200 s for others to end, or until 600 s for the first loan.
//! assert_eq!(fifo.queuing().mean, Seconds(2_320.0));
//! assert_eq!(aryl.queuing().mean, Seconds(110.0));
//! assert!(aryl.jct().mean < fifo.jct().mean);
//! assert_eq!(aryl.preemptions(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is modelled
//!
//! * **Time** runs in whole milliseconds. An epoch takes place at set intervals and, unless that is turned off, whenever a job
//!   arrives or ends. All that happens in one millisecond is one event.
//! * **Progress.** A job has done its work when the integral of its speed over time is its running time. The speed is that
//!   of its [scaling curve](crate::scaling) for the whole reference workers that it holds, times its mixing efficiency
//!   while it mixes GPU types. Work is counted in integers, so what is done and what is asked can be compared exactly. A
//!   job ends at the end of the millisecond in which it has done its work.
//! * **Loans.** Every five minutes the inference side looks at its load and at a [forecast](Forecast), and lends servers or
//!   asks some back by the rule of [`loan`](crate::loan). Which go back is up to the policy. They go back at once.
//! * **Preemption.** A job that is stopped because its server goes back loses all its progress, or what came after its last
//!   checkpoint. When it starts again it loses another 63 s. A job that a policy stops in favour of others keeps its
//!   progress under the policies that write a checkpoint first ([`Policy::suspends`](policy::Policy::suspends)).
//! * **Scaling** costs nothing by default, or a set time in which the job makes no progress.
//! * **Estimates.** A policy is told the remaining time of a job times the factor of its estimate. The job runs for its
//!   actual time.
//!
//! Not modelled: the network, failures, the time to move a server, several tenants, and servers that are shared by training
//! and inference at once.
//!
//! # Cost
//!
//! An event takes O(log jobs), and a decision what the policy takes on the jobs that are in the cluster at the time. Jobs
//! that have ended cost nothing. Fifteen days of the Philly trace, 19,865 jobs on 200 servers, are 44,000 decisions.
//!
//! # Source
//!
//! The model of the two clusters, the preemption overhead and the metrics are those of section 7 of *Aryl: An Elastic
//! Cluster Scheduler for Deep Learning*, arXiv 2202.07896.

mod carry_out;
mod check;
mod engine;
mod error;
mod event;
mod job;
mod lender;
pub mod metrics;
pub mod policy;
mod progress;
mod setup;
mod simulation;
pub mod workload;

pub use error::{SetupError, SimulationError};
pub use event::Event;
pub use policy::PolicyError;
pub use setup::{Forecast, Setup};
pub use simulation::Simulation;
