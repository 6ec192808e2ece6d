//! Which on-loan servers go back.
//!
//! An inference cluster lends whole servers to training while its load is low, and asks some of them back when the load
//! returns. It says how many; training chooses which. The choice matters, since the jobs on a server must leave it: a
//! job that can spare the workers is *scaled in* and runs on, any other is *preempted*, stopped on all its servers at
//! once. The aim is to preempt as little as can be.
//!
//! # The problem in a picture
//!
//! Figure 5 of the paper: six servers of 8 GPUs, four jobs that can spare nothing, and the GPUs that each job holds.
//!
//! ```text
//! server 1   server 2   server 3   server 4   server 5   server 6
//! aaaaaa..   aaaaaa..   bbbbbbbb   cccccccc   ccdd....   dddddddd
//! ```
//!
//! Two servers are to go back. Servers 1 and 2 cost one preemption, of job a. Servers 3 and 4 cost two. Server 5 looks
//! cheap, for few of its GPUs are in use, but taking it kills two jobs and 16 GPUs' worth of work elsewhere. The paper's
//! measure sees that. The *server preemption cost* shares the cost of a job among the servers that host it, one share a
//! server however many GPUs are there ([`server_preemption_costs`] gives this table):
//!
//! | server | running jobs | sum of GPU fractions | server preemption cost |
//! |---|---|---|---|
//! | 1 | 1 | 6/12 = 0.5 | 1/2 = 0.5 |
//! | 2 | 1 | 6/12 = 0.5 | 1/2 = 0.5 |
//! | 3 | 1 | 8/8 = 1 | 1 |
//! | 4 | 1 | 8/10 = 0.8 | 1/2 = 0.5 |
//! | 5 | 2 | 2/10 + 2/10 = 0.4 | 1/2 + 1/2 = 1 |
//! | 6 | 1 | 8/10 = 0.8 | 1/2 = 0.5 |
//!
//! The greedy takes server 1: of the cheapest it does least damage to servers that would not be emptied. Job a is
//! preempted, which empties server 2 too. An empty server costs nothing, so it is next.
//!
//! More such pictures, among them some where the greedy pays too much, are in the [guide](crate::guide::reclaim_cases).
//!
//! # What is kept, and what is paid
//!
//! - **Candidates** are on-loan servers that are not protected and host no worker of a protected job. Exactly as many go
//!   back as are asked for. Where there are too few, [`ReclaimError`] says so before any search: how many can be had, and
//!   which protected jobs stand in the way.
//! - **A job survives** where the workers that are left to it, over all its servers, make up at least its minimum in
//!   reference workers, and no pinned worker is lost. Workers are interchangeable, so base workers may be among those
//!   that leave. The surplus of a job is one budget for the whole choice: two servers can't both spend it.
//! - **A job that does not survive** is preempted whole. What it held on servers that stay is *collateral damage*.
//! - **Better is**, in this order: a lower total preemption cost (by default the sum of
//!   [`Job::preemption_cost`](crate::cluster::Job::preemption_cost), which is the number of jobs unless they say otherwise);
//!   less completion
//!   time lost to scale-in, in milliseconds, rounded job by job, each multiplied by its weight; fewer collateral GPUs;
//!   lower ids.
//!
//! Every answer is inclusion-minimal, unless [`Reclaimer::put_back`] is turned off: victims that turned out to be
//! superfluous are put back, dearest first. Where no job has workers to spare, no victim of an answer can be spared by any
//! other choice that preempts no further job. With surplus in play the same holds for choices among the servers that the answer empties; to look at all ways of spending
//! several surpluses is a packing problem, and is not done. Nor does the promise extend to the surplus where GPUs of servers
//! of several sizes, or servers of several types, are asked for. (For a job that mixes GPU types, the servers that its
//! surplus covers are found by a rule of thumb, so the promise does not extend to it.)
//!
//! Every answer carries a lower bound on the cost of any choice, in [`Reclaim::certificate`]: where the two are equal, it
//! is proven optimal. The bound charges a server for the jobs that the loss of this server alone would preempt, each job's
//! cost divided by the number of servers that are charged for it, or by the number asked for if that is less (by the most
//! servers that can go back, where GPUs are asked for). The
//! cheapest servers by these prices add up to no more than any choice costs, since no preempted job is charged more than
//! once in all. It knows nothing of surplus beyond single servers, so it is weak where most jobs are elastic.
//!
//! # What can be asked, and what it costs
//!
//! An [`Ask`] is a number of servers, or of GPUs, of any type or of some; it can name servers that must go back and others
//! that must not. [`Costs`] say what a preemption costs: what the job states, 1 a job, the work lost since the last
//! checkpoint, by priority, by the number of earlier preemptions, or a function of the caller's; and they can protect jobs
//! that have only just started, that were preempted often enough, or that are too important. Costs are whole numbers, worked
//! out before the search.
//!
//! The answer explains itself: [`Reclaim::explain`] tells which servers each preemption frees, and what left each server.
//!
//! # Policies
//!
//! [`Reclaimer`] follows a [`Policy`]. Jobs preempted, summed over ten clusters filled under churn (seeds 0 to 9), after
//! superfluous victims were put back; in brackets, before:
//!
//! | servers, returned | jobs | elastic | bound | `BestOfRules` | `Amortized` | `Aryl` | `SmallestCountFirst` | `Random` |
//! |---|---|---|---|---|---|---|---|---|
//! | 60, 2 | small | 0 % | 10 | 11 (11) | 11 (11) | 18 (19) | 15 (18) | 70 (74) |
//! | 60, 2 | small | 20 % | 8 | 9 (9) | 9 (9) | 14 (17) | 12 (17) | 50 (71) |
//! | 60, 6 | small | 0 % | 35 | 45 (48) | 48 (48) | 47 (49) | 48 (52) | 166 (188) |
//! | 60, 6 | wide | 0 % | 11 | 11 (11) | 12 (12) | 11 (14) | 19 (26) | 34 (88) |
//! | 1500, 15 | small | 0 % | 44 | 113 (116) | 140 (140) | 148 (148) | 113 (116) | 423 (454) |
//! | 1500, 15 | wide | 0 % | 20 | 27 (28) | 29 (29) | 31 (33) | 38 (47) | 99 (208) |
//! | 1500, 150 | small | 0 % | 641 | 1088 (1090) | 1090 (1090) | 1088 (1090) | 1181 (1181) | 4095 (4486) |
//! | 1500, 150 | small | 20 % | 486 | 871 (911) | 911 (911) | 871 (952) | 1028 (1123) | 3751 (4353) |
//! | 1500, 150 | wide | 0 % | 165 | 230 (239) | 238 (241) | 231 (239) | 389 (395) | 1103 (1855) |
//! | 1500, 150 | wide | 20 % | 3 | 81 (96) | 89 (96) | 83 (123) | 227 (388) | 629 (1658) |
//!
//! Small jobs have 1 to 16 GPUs, most of them 1 or 2; wide jobs have 1 to 64. Of the elastic jobs each holds twice its
//! minimum. The paper's rule is close to the best rule where many servers are asked for, and can be misled where few are:
//! a job's small share counts on servers that never go back. No rule is always the best, so [`Policy::BestOfRules`]
//! tries three. To print the table:
//!
//! ```text
//! cargo run --release --example policies
//! ```
//!
//! All of them take time that grows with the cluster, never with servers × servers asked for: O((servers + workers)
//! log servers). `cargo bench --bench reclaim` measures 60 to 125,000 servers.
//!
//! # Examples
//!
//! An elastic job shrinks instead of being preempted, and names the workers that leave:
//!
//! ```
//! use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
//! use aryl::reclaim::{Departure, Policy, Reclaimer};
//!
//! let mut cluster = Cluster::new();
//! let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
//! let first = cluster.add_server(Server::on_loan(gpu, 8))?;
//! let second = cluster.add_server(Server::on_loan(gpu, 8))?;
//! let elastic = cluster.add_job(Job::elastic(2..=8))?;
//! cluster.place(elastic, &[Placement::base(first, 2), Placement::flexible(second, 4)])?;
//!
//! let answer = Reclaimer::new(Policy::Aryl).solve(&cluster, 1)?;
//! assert!(answer.preempted().is_empty());
//! // The second server hosts flexible workers only, so it goes first: two workers of six are left.
//! assert_eq!(answer.departures(), [Departure { job: elastic, server: second, workers: 4 }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sources
//!
//! Aryl: sections 4 (the measure and the greedy), 5.3 (groups of flexible workers that can go first) and 7 (Random, SCF,
//! collateral damage) of *Aryl: An Elastic Cluster Scheduler for Deep Learning*, arXiv 2202.07896. To choose k sets with
//! the cheapest union, which is this problem where no job has a surplus, is hard in general, even to come near to:
//! Chlamtáč, Dinitz, Makarychev, *Minimizing the Union*, SODA 2017.

mod ask;
#[cfg(feature = "serde")]
mod ask_form;
mod bound;
mod cost;
mod cost_table;
mod costs;
mod curve;
mod decision;
mod demand;
mod enumeration;
mod error;
mod exact;
mod explanation;
mod graph;
mod greedy;

mod jct;
mod ledger;
mod outcome;
mod policy;
mod put_back;
mod reclaimer;

pub use ask::{Amount, Ask, Quantity};
pub use cost::{ServerPreemptionCost, server_preemption_costs};
pub use costs::{CostError, CostModel, Costs, PreemptionCost};
pub use curve::CostCurve;
pub use decision::{Departure, Reclaim};
pub use error::{AskError, ReclaimError, Shortage};
pub use explanation::{Explanation, Left, ReturnedServer, Victim};
pub use policy::Policy;
pub use reclaimer::{Reclaimer, Workspace};
