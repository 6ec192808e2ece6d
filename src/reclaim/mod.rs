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
//!   less completion time lost to scale-in, in milliseconds, rounded job by job, each multiplied by its weight and at most
//!   2^53 − 1; fewer collateral GPUs; lower ids.
//!
//! Every answer is inclusion-minimal, unless [`Reclaimer::put_back`] is turned off: victims that turned out to be
//! superfluous are put back, dearest first. Where no job has workers to spare, no victim of an answer can be spared by any
//! other choice that preempts no further job. With surplus in play the same holds for choices among the servers that the
//! answer empties; to look at all ways of spending several surpluses is a packing problem, and is not done. Nor does the
//! promise extend to the surplus where GPUs of servers of several sizes, or servers of several types, are asked for. (For
//! a job that mixes GPU types, the servers that its surplus covers are found by a rule of thumb, so the promise does not
//! extend to it.)
//!
//! Every answer carries a lower bound on the cost of any choice, in [`Reclaim::certificate`]: where the two are equal, it
//! is proven optimal. [`Policy::Exact`] brings the bound of its search. The other policies bring a plain one: it charges a
//! server for the jobs that the loss of this server alone would preempt, each job's cost divided by the number of servers
//! that are charged for it, or by the number asked for if that is less (by the most servers that can go back, where GPUs
//! are asked for). The cheapest servers by these prices add up to no more than any choice costs, since no preempted job is
//! charged more than once in all.
//!
//! The certificate speaks of the total preemption cost alone. The objectives after it are the best of all choices where
//! these are few: always with 12 candidates or fewer, else where there are at most 1,000 choices. Beyond that the exact
//! policy looks for less collateral damage at the same cost with a second, short search, and takes the best by time lost
//! among the servers that its victims free; no policy does worse than it in the whole order where it is
//! [`BestOfRules`](Policy::BestOfRules).
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
//! [`Reclaimer`] follows a [`Policy`], [`Policy::Exact`] unless told otherwise. Jobs preempted and, in brackets, collateral
//! GPUs, summed over three clusters (seeds 0 to 2) whose jobs came and went; "proven" is how many answers of the exact
//! policy are proven optimal. No job is elastic here:
//!
//! | jobs | servers | returned | proven | gap | exact | best of rules | aryl | smallest count first | random | exact | aryl |
//! |---|---|---|---|---|---|---|---|---|---|---|---|
//! | best fit | 60 | 6 | 3 of 3 | 0 | 4 (12) | 4 (12) | 4 (54) | 6 (19) | 8 (26) | 0.088 ms | 0.009 ms |
//! | best fit | 60 | 24 | 3 of 3 | 0 | 15 (61) | 15 (61) | 15 (62) | 25 (55) | 53 (38) | 0.118 ms | 0.011 ms |
//! | best fit | 520 | 52 | 3 of 3 | 0 | 14 (9) | 14 (11) | 14 (21) | 20 (43) | 68 (84) | 0.767 ms | 0.043 ms |
//! | best fit | 520 | 208 | 3 of 3 | 0 | 93 (227) | 93 (227) | 93 (237) | 143 (255) | 335 (322) | 0.634 ms | 0.062 ms |
//! | best fit | 1500 | 150 | 3 of 3 | 0 | 34 (14) | 34 (23) | 34 (38) | 57 (157) | 190 (250) | 1.664 ms | 0.141 ms |
//! | best fit | 1500 | 600 | 3 of 3 | 0 | 256 (569) | 257 (589) | 257 (620) | 429 (759) | 934 (858) | 2.160 ms | 0.250 ms |
//! | best fit | 20000 | 2000 | 3 of 3 | 0 | 414 (20) | 416 (351) | 416 (363) | 739 (2046) | 2598 (3126) | 30.203 ms | 2.827 ms |
//! | best fit | 20000 | 8000 | 3 of 3 | 0 | 3380 (8209) | 3380 (9719) | 3380 (9758) | 5819 (10740) | 12605 (11759) | 25.006 ms | 4.828 ms |
//! | scattered | 520 | 26 | 3 of 3 | 0 | 11 (96) | 12 (144) | 12 (144) | 20 (64) | 60 (62) | 0.525 ms | 0.044 ms |
//! | scattered | 520 | 52 | 3 of 3 | 0 | 21 (96) | 24 (288) | 25 (368) | 35 (128) | 114 (135) | 0.498 ms | 0.046 ms |
//! | scattered | 520 | 208 | 3 of 3 | 0 | 118 (512) | 127 (881) | 127 (912) | 177 (569) | 435 (477) | 0.826 ms | 0.067 ms |
//! | scattered | 1500 | 75 | 3 of 3 | 0 | 30 (120) | 36 (504) | 38 (632) | 55 (152) | 161 (236) | 1.904 ms | 0.164 ms |
//! | scattered | 1500 | 150 | 3 of 3 | 0 | 59 (176) | 69 (816) | 69 (816) | 111 (336) | 331 (537) | 2.099 ms | 0.178 ms |
//! | scattered | 1500 | 600 | 3 of 3 | 0 | 342 (1344) | 380 (2737) | 380 (2752) | 551 (1413) | 1277 (1298) | 2.941 ms | 0.288 ms |
//! | scattered, small | 520 | 26 | 3 of 3 | 0 | 39 (0) | 61 (112) | 73 (544) | 61 (112) | 215 (119) | 0.379 ms | 0.091 ms |
//! | scattered, small | 520 | 52 | 3 of 3 | 0 | 94 (8) | 115 (527) | 115 (534) | 122 (185) | 419 (255) | 0.523 ms | 0.091 ms |
//! | scattered, small | 520 | 208 | 3 of 3 | 0 | 746 (289) | 746 (474) | 750 (510) | 748 (479) | 1709 (653) | 0.937 ms | 0.136 ms |
//! | scattered, small | 1500 | 75 | 3 of 3 | 0 | 114 (24) | 179 (236) | 212 (1512) | 179 (236) | 646 (383) | 2.180 ms | 0.323 ms |
//! | scattered, small | 1500 | 150 | 3 of 3 | 0 | 256 (10) | 328 (1483) | 328 (1490) | 356 (407) | 1256 (710) | 1.780 ms | 0.328 ms |
//! | scattered, small | 1500 | 600 | 3 of 3 | 0 | 2049 (570) | 2053 (1113) | 2064 (1263) | 2053 (1113) | 4845 (1947) | 3.226 ms | 0.494 ms |
//!
//! *Best fit*: each job of 1 to 64 GPUs on the fullest servers that take it, to 95 % full. *Scattered*: half of the pieces
//! anywhere, until nothing fits; *small*: jobs of 1 to 16 GPUs, most of them 1 or 2. The paper's rule is close to the optimum
//! where jobs are compact, and pays up to twice as much where they are not: a job's small share counts on servers that never
//! go back. It also does much more collateral damage. Where 20 of 100 jobs are elastic, and hold twice their minimum, the
//! bound is weaker, for many jobs can shrink in many ways:
//!
//! | jobs | servers | returned | proven | gap | exact | best of rules | aryl | smallest count first | random | exact | aryl |
//! |---|---|---|---|---|---|---|---|---|---|---|---|
//! | best fit | 520 | 52 | 2 of 3 | 1 | 1 (0) | 1 (0) | 1 (0) | 1 (0) | 7 (0) | 3.413 ms | 0.045 ms |
//! | best fit | 520 | 208 | 0 of 3 | 7 | 80 (190) | 80 (190) | 80 (190) | 146 (217) | 309 (270) | 4.345 ms | 0.068 ms |
//! | best fit | 1500 | 150 | 2 of 3 | 1 | 1 (0) | 1 (0) | 1 (0) | 5 (9) | 15 (0) | 3.200 ms | 0.163 ms |
//! | best fit | 1500 | 600 | 0 of 3 | 33 | 213 (500) | 213 (500) | 213 (500) | 414 (630) | 853 (703) | 6.544 ms | 0.275 ms |
//! | scattered | 520 | 52 | 1 of 3 | 3 | 12 (96) | 13 (160) | 13 (208) | 27 (36) | 93 (83) | 4.301 ms | 0.054 ms |
//! | scattered | 520 | 208 | 1 of 3 | 4 | 108 (583) | 112 (689) | 113 (720) | 173 (454) | 414 (383) | 4.492 ms | 0.072 ms |
//! | scattered | 1500 | 150 | 0 of 3 | 8 | 25 (327) | 25 (327) | 25 (328) | 67 (66) | 189 (118) | 6.138 ms | 0.183 ms |
//! | scattered | 1500 | 600 | 0 of 3 | 57 | 326 (2317) | 326 (2317) | 326 (2317) | 522 (1143) | 1193 (1087) | 6.764 ms | 0.333 ms |
//! | scattered, small | 520 | 52 | 3 of 3 | 0 | 78 (71) | 94 (343) | 94 (350) | 108 (128) | 401 (182) | 1.742 ms | 0.103 ms |
//! | scattered, small | 520 | 208 | 3 of 3 | 0 | 726 (358) | 727 (354) | 728 (351) | 731 (364) | 1684 (500) | 3.253 ms | 0.153 ms |
//! | scattered, small | 1500 | 150 | 3 of 3 | 0 | 211 (84) | 256 (1035) | 256 (1035) | 303 (189) | 1156 (369) | 6.039 ms | 0.328 ms |
//! | scattered, small | 1500 | 600 | 0 of 3 | 5 | 2001 (1065) | 2011 (971) | 2012 (917) | 2016 (963) | 4757 (1545) | 9.559 ms | 0.497 ms |
//!
//! Where a gap is left the answer may not be the best: an integer program finds 6 preemptions for 150 of 1,500 scattered
//! servers with elastic jobs (seed 1), in nine times the time, where this policy finds 8 (`benches/peers`).
//!
//! Times are of one core of a 2-core x86-64 machine, in warm memory. The paper reports 1 to 3 ms for its greedy at 520
//! servers, and 420,000 times that for an exhaustive search. To print all of it:
//!
//! ```text
//! cargo run --release --example policies
//! cargo run --release --example policies -- 20
//! ```
//!
//! The rules take O((servers + workers) log servers), never servers × servers asked for. The exact policy is a few passes of
//! that kind where the relaxation settles the matter, and ends with its budget where it does not
//! ([`Reclaimer::solver`]). `cargo bench --bench reclaim` measures 60 to 125,000 servers. What each number of servers would
//! cost is told by [`CostCurve`].
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
