//! The same things in another order. Ids decide ties, so not every answer survives that; what each test asks is what the
//! documentation promises:
//!
//! * How a cluster came to be does not matter, nor gaps in its ids: plans are equal, bit for bit.
//! * Ties go to the earlier submission, then to the lowest id: where no two jobs are alike, their ids do not matter.
//! * What is proven optimal is the same however things are numbered.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Role, Server};
use aryl::epoch::{Epoch, Plan, Request};
use aryl::id::{JobId, ServerId};
use aryl::loan::Demand;
use aryl::place::{self, BestFitDecreasing};
use aryl::reclaim::{Ask, Policy, Reclaimer};
use aryl::units::Seconds;
use aryl::{k_union, knapsack, verify};

use crate::SEEDS;
use crate::canonical::{self, Names};
use crate::clusters::{Case, Draw, case};
use crate::rooms::{demands, knapsack_instance, loan_input, union_instance};

/// A cluster built anew in another order, and what its servers and jobs were called.
struct Rebuilt {
    cluster: Cluster,
    /// By new id; none where a server or job was added and removed again.
    servers: Vec<Option<ServerId>>,
    jobs: Vec<Option<JobId>>,
}

impl Rebuilt {
    /// Servers and jobs in this order; jobs placed in any order, their workers one by one, some twice.
    fn new(draw: &mut Draw, old: &Cluster, servers: Vec<Option<ServerId>>, jobs: Vec<Option<JobId>>) -> Self {
        let mut cluster = Cluster::new();
        for (_, gpu_type) in old.gpu_types() {
            cluster.add_gpu_type(gpu_type.clone()).unwrap();
        }
        for server in &servers {
            let definition = server.and_then(|id| old.server(id)).copied();
            let gap = Server::training(aryl::id::GpuTypeId::new(0), 8);
            let id = cluster.add_server(definition.unwrap_or(gap)).unwrap();
            if definition.is_none() {
                cluster.remove_server(id).unwrap();
            }
        }
        for job in &jobs {
            let definition = job.and_then(|id| old.job(id)).cloned();
            let id = cluster.add_job(definition.clone().unwrap_or(Job::inelastic(1))).unwrap();
            if definition.is_none() {
                cluster.remove_job(id);
            }
        }
        let mut rebuilt = Self { cluster, servers, jobs };
        let mut running: Vec<JobId> = old.jobs().map(|(id, _)| id).filter(|&id| old.is_running(id)).collect();
        draw.shuffle(&mut running);
        for job in running {
            let mut gang: Vec<Placement> = Vec::new();
            for &Placement { server, role, workers, pinned, .. } in old.placements(job) {
                let server = rebuilt.server(server);
                let one = match role {
                    Role::Base => Placement::base(server, 1),
                    Role::Flexible => Placement::flexible(server, 1),
                };
                gang.extend((0..workers).map(|at| if pinned && at == 0 { one.pinned() } else { one }));
            }
            draw.shuffle(&mut gang);
            let job = rebuilt.job(job);
            rebuilt.cluster.place(job, &gang).unwrap();
            if draw.one_in(2) {
                rebuilt.cluster.stop(job).unwrap();
                rebuilt.cluster.place(job, &gang).unwrap();
            }
        }
        assert_eq!(verify::cluster(&rebuilt.cluster), Ok(()));
        rebuilt
    }

    /// What a server is called now.
    fn server(&self, old: ServerId) -> ServerId {
        ServerId::new(self.servers.iter().position(|&id| id == Some(old)).unwrap() as u32)
    }

    fn job(&self, old: JobId) -> JobId {
        JobId::new(self.jobs.iter().position(|&id| id == Some(old)).unwrap() as u32)
    }

    /// A plan of this cluster, but for its totals, in the names of the old one.
    fn row(&self, plan: &Plan) -> canonical::Row {
        let mut row = Vec::new();
        let job = |id: JobId| self.jobs[id.index()].unwrap().get().into();
        let server = |id: ServerId| self.servers[id.index()].unwrap().get().into();
        canonical::decisions(&mut row, plan, &Names { job: &job, server: &server });
        row
    }
}

fn own_row(plan: &Plan) -> canonical::Row {
    let mut row = Vec::new();
    canonical::decisions(&mut row, plan, &Names::OWN);
    row
}

fn all_servers(cluster: &Cluster) -> Vec<Option<ServerId>> {
    cluster.servers().map(|(id, _)| Some(id)).collect()
}

fn all_jobs(cluster: &Cluster) -> Vec<Option<JobId>> {
    cluster.jobs().map(|(id, _)| Some(id)).collect()
}

/// Puts gaps among ids, and leaves their order.
fn with_gaps<T: Copy>(draw: &mut Draw, ids: Vec<Option<T>>) -> Vec<Option<T>> {
    let gaps = |id| std::iter::repeat_n(None, draw.below(3) as usize).chain([id]).collect::<Vec<_>>();
    ids.into_iter().flat_map(gaps).collect()
}

#[test]
fn how_a_cluster_came_to_be_does_not_matter() {
    for seed in SEEDS {
        let Case { epoch, cluster, request, .. } = case(seed);
        let mut draw = Draw::new(seed, 10);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, all_servers(&cluster), all_jobs(&cluster));
        assert_eq!(rebuilt.cluster, cluster, "seed {seed}");
        let (first, second) = (epoch.plan(&cluster, &request), epoch.plan(&rebuilt.cluster, &request));
        assert_eq!(canonical::plan(&first), canonical::plan(&second), "seed {seed}");
    }
}

#[test]
fn gaps_in_the_ids_do_not_matter() {
    for seed in SEEDS {
        let Case { epoch, cluster, request, asked } = case(seed);
        let mut draw = Draw::new(seed, 11);
        let (servers, jobs) = (all_servers(&cluster), all_jobs(&cluster));
        let (servers, jobs) = (with_gaps(&mut draw, servers), with_gaps(&mut draw, jobs));
        let rebuilt = Rebuilt::new(&mut draw, &cluster, servers, jobs);
        let other = asked.request(&rebuilt.cluster, &|id| rebuilt.server(id), |_| {});
        match (epoch.plan(&cluster, &request), epoch.plan(&rebuilt.cluster, &other)) {
            (Ok(first), Ok(second)) => {
                // A random order of servers is an order of places among those that may go back, so it survives too.
                assert_eq!(own_row(&first), rebuilt.row(&second), "seed {seed}");
                assert_eq!(first.totals(), second.totals(), "seed {seed}");
            }
            (Err(first), Err(second)) => {
                assert_eq!(std::mem::discriminant(&first), std::mem::discriminant(&second), "seed {seed}");
            }
            (first, second) => panic!("seed {seed}: {first:?} and {second:?}"),
        }
    }
}

#[test]
fn the_order_of_the_lists_of_an_ask_does_not_matter() {
    let mut lists = 0;
    for seed in SEEDS {
        let Case { epoch, cluster, request, asked } = case(seed);
        let mut draw = Draw::new(seed, 12);
        let other = asked.request(&cluster, &|id| id, |list| {
            lists += usize::from(list.len() > 1);
            // A server that is named twice is named.
            list.extend(list.first().copied());
            draw.shuffle(list);
        });
        let (first, second) = (epoch.plan(&cluster, &request), epoch.plan(&cluster, &other));
        assert_eq!(canonical::plan(&first), canonical::plan(&second), "seed {seed}");
    }
    assert!(lists > 10, "{lists}");
}

/// The same jobs, no two of them alike: other submission times, running times and costs.
fn make_distinct(draw: &mut Draw, cluster: &mut Cluster) {
    let ids: Vec<JobId> = cluster.jobs().map(|(id, _)| id).collect();
    let mut times: Vec<u32> = (0..ids.len() as u32).collect();
    draw.shuffle(&mut times);
    for (id, time) in ids.into_iter().zip(times) {
        let job = cluster.job(id).unwrap().clone();
        let job = job
            .submitted(Seconds(f64::from(time)))
            .remaining(Seconds((1_000_000 + draw.below(99_000_000)) as f64 / 977.0))
            .preemption_cost(1 + draw.below(1 << 40));
        cluster.update_job(id, job).unwrap();
    }
}

#[test]
fn the_ids_of_jobs_do_not_matter_where_no_two_are_alike() {
    let (mut compared, mut left_out) = (0, 0);
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 13);
        let Case { mut cluster, .. } = case(seed);
        make_distinct(&mut draw, &mut cluster);
        let mut jobs = all_jobs(&cluster);
        draw.shuffle(&mut jobs);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, all_servers(&cluster), jobs);
        let can_return = match Reclaimer::default().solve(&cluster, u32::MAX) {
            Err(aryl::reclaim::ReclaimError::NotEnoughServers { available, .. }) => available,
            other => panic!("{other:?}"),
        };
        let request = Request::reclaim(draw.small(can_return + 1));
        let first = Epoch::default().plan(&cluster, &request).unwrap();
        let second = Epoch::default().plan(&rebuilt.cluster, &request).unwrap();
        // Among choices of the same cost no order is promised, and none where the budget ended the search: but where the
        // choice is proven, and no two choices of victims cost the same, there is one.
        if first.reclaim().certificate().is_optimal() && second.reclaim().certificate().is_optimal() {
            assert_eq!(own_row(&first), rebuilt.row(&second), "seed {seed}");
            compared += 1;
        } else {
            left_out += 1;
        }
    }
    assert!(compared >= 90, "{compared} compared, {left_out} left out");
}

/// Two bounds and two objectives for one problem: neither objective can be below the other's bound.
fn assert_agree(first: &aryl::certificate::Certificate, second: &aryl::certificate::Certificate, seed: u64) {
    let (low, high) = match first.sense() {
        aryl::certificate::Sense::Minimize => {
            ([first.bound(), second.bound()], [first.objective(), second.objective()])
        }
        aryl::certificate::Sense::Maximize => {
            ([first.objective(), second.objective()], [first.bound(), second.bound()])
        }
    };
    assert!(low.iter().max() <= high.iter().min(), "seed {seed}: {first} and {second}");
}

#[test]
fn what_a_reclaim_costs_does_not_depend_on_ids() {
    let mut proven = 0;
    for seed in SEEDS {
        let Case { cluster, asked, .. } = case(seed);
        let mut draw = Draw::new(seed, 14);
        let (mut servers, mut jobs) = (all_servers(&cluster), all_jobs(&cluster));
        draw.shuffle(&mut servers);
        draw.shuffle(&mut jobs);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, servers, jobs);
        let first = asked.request(&cluster, &|id| id, |_| {});
        let second = asked.request(&rebuilt.cluster, &|id| rebuilt.server(id), |_| {});
        for policy in [Policy::Exact, Policy::BestOfRules, Policy::Random { seed }] {
            let reclaimer = Reclaimer::new(policy);
            let answers = (
                reclaimer.solve(&cluster, &first.reclaim),
                reclaimer.solve(&rebuilt.cluster, &second.reclaim),
            );
            let (Ok(first), Ok(second)) = answers else {
                assert!(answers.0.is_err() && answers.1.is_err(), "seed {seed}");
                continue;
            };
            assert_agree(first.certificate(), second.certificate(), seed);
            proven += u32::from(first.certificate().is_optimal());
        }
    }
    assert!(proven > 150, "{proven}");
}

/// With one GPU type, workers of one GPU and servers named, nothing is left for the ids of servers to decide but where
/// workers run: who starts, and how large each job becomes, stays the same.
#[test]
fn who_runs_and_how_large_does_not_depend_on_the_ids_of_servers() {
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 15);
        let mut cluster = Cluster::new();
        let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..1 + draw.below(12) {
            let gpus = 1 + draw.small(8);
            let server =
                if draw.one_in(2) { Server::training(v100, gpus) } else { Server::on_loan(v100, gpus) };
            cluster.add_server(server).unwrap();
        }
        for _ in 0..draw.below(20) {
            let min = 1 + draw.small(4);
            let job =
                Job::elastic(min..=min + draw.small(5)).remaining(Seconds((1 + draw.below(9_999)) as f64));
            cluster.add_job(job.preemption_cost(draw.below(3))).unwrap();
        }
        let plan = Epoch::default().plan(&cluster, Request::NONE).unwrap();
        cluster.apply(&plan).unwrap();
        for _ in 0..draw.below(8) {
            let job = Job::elastic(1..=4).remaining(Seconds((1 + draw.below(9_999)) as f64));
            cluster.add_job(job).unwrap();
        }
        let lent: Vec<ServerId> =
            cluster.servers().filter(|(_, server)| server.pool == Pool::OnLoan).map(|(id, _)| id).collect();
        let lent = lent[..draw.below(lent.len() as u64 + 1) as usize].to_vec();
        let mut servers = all_servers(&cluster);
        draw.shuffle(&mut servers);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, servers, all_jobs(&cluster));
        let other: Vec<ServerId> = lent.iter().map(|&id| rebuilt.server(id)).collect();
        let first = Epoch::default().plan(&cluster, Request::reclaim(Ask::these(lent))).unwrap();
        let second = Epoch::default().plan(&rebuilt.cluster, Request::reclaim(Ask::these(other))).unwrap();
        assert_eq!(first.totals(), second.totals(), "seed {seed}");
        assert_eq!(first.allocations(), second.allocations(), "seed {seed}");
        assert_eq!(first.reclaim().preempted(), second.reclaim().preempted(), "seed {seed}");
    }
}

#[test]
fn the_order_of_demands_does_not_matter_nor_do_ids_where_no_two_jobs_are_alike() {
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 16);
        let (mut cluster, mut asked) = demands(seed);
        make_distinct(&mut draw, &mut cluster);
        let first = BestFitDecreasing.solve(&cluster, &asked).unwrap();
        draw.shuffle(&mut asked);
        assert_eq!(BestFitDecreasing.solve(&cluster, &asked).unwrap(), first, "seed {seed}");

        let mut jobs = all_jobs(&cluster);
        draw.shuffle(&mut jobs);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, all_servers(&cluster), jobs);
        let renamed =
            |demand: &place::Demand| place::Demand::new(rebuilt.job(demand.job)).flexible(demand.flexible);
        let other: Vec<place::Demand> = asked.iter().map(renamed).collect();
        let second = BestFitDecreasing.solve(&rebuilt.cluster, &other).unwrap();
        let job = |id: JobId| rebuilt.jobs[id.index()].unwrap().get().into();
        let names = Names { job: &job, ..Names::OWN };
        assert_eq!(
            canonical::placements(&second, &names),
            canonical::placements(&first, &Names::OWN),
            "seed {seed}"
        );

        // A single gang is placed wherever it fits, so the ids of servers decide where, and never whether.
        let mut servers = all_servers(&cluster);
        draw.shuffle(&mut servers);
        let rebuilt = Rebuilt::new(&mut draw, &cluster, servers, all_jobs(&cluster));
        for &demand in asked.iter().take(4) {
            let alone = |cluster| BestFitDecreasing.solve(cluster, &[demand]).unwrap();
            let (first, second) = (alone(&cluster), alone(&rebuilt.cluster));
            assert_eq!(first.unplaced(), second.unplaced(), "seed {seed}");
        }
    }
}

#[test]
fn the_value_of_a_knapsack_does_not_depend_on_the_order_of_classes_and_items() {
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 17);
        let instance = knapsack_instance(seed);
        let mut classes: Vec<usize> = (0..instance.class_count()).collect();
        draw.shuffle(&mut classes);
        let mut other = knapsack::Instance::new(instance.capacity());
        let mut items: Vec<Vec<u32>> = Vec::new();
        for &class in &classes {
            if let Some(curve) = instance.curve(class) {
                other.push_curve(*curve).unwrap();
                items.push((0..curve.length()).collect());
                continue;
            }
            let mut order: Vec<u32> = (0..instance.class_length(class) as u32).collect();
            draw.shuffle(&mut order);
            let listed = order.iter().map(|&item| instance.item(class, item).unwrap());
            other.push_class(instance.class_kind(class), listed.collect::<Vec<_>>()).unwrap();
            items.push(order);
        }
        let solver = knapsack::Solver::default();
        let (first, second) = (solver.solve(&instance).unwrap(), solver.solve(&other).unwrap());
        assert!(first.certificate().is_optimal() && second.certificate().is_optimal(), "seed {seed}");
        assert_eq!(first.certificate(), second.certificate(), "seed {seed}");
        // And what was chosen there is a choice of that value here.
        let mut value = 0;
        for (at, &class) in classes.iter().enumerate() {
            let chosen = second.choice(at).map(|item| items[at][item as usize]);
            value += chosen.map_or(0, |item| instance.item(class, item).unwrap().value);
        }
        assert_eq!(value, first.value(), "seed {seed}");
    }
}

#[test]
fn the_cost_of_a_union_does_not_depend_on_the_order_of_sets_and_elements() {
    let mut proven = 0;
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 18);
        let (instance, need) = union_instance(seed);
        let mut elements: Vec<u32> = (0..instance.elements() as u32).collect();
        let mut sets: Vec<u32> = (0..instance.sets() as u32).collect();
        draw.shuffle(&mut elements);
        draw.shuffle(&mut sets);
        let mut other = k_union::Instance::new();
        for &element in &elements {
            let (cost, tolerance) = (instance.cost(element).unwrap(), instance.tolerance(element).unwrap());
            other.add_tolerant_element(cost, tolerance).unwrap();
        }
        let place = |element| elements.iter().position(|&old| old == element).unwrap() as u32;
        for &set in &sets {
            let mut members: Vec<(u32, Option<u64>)> =
                instance.set(set).map(|(element, loss)| (place(element), loss)).collect();
            members.sort_unstable();
            let member = |(element, loss): (u32, Option<u64>)| match loss {
                Some(loss) => k_union::Member::losing(element, loss),
                None => k_union::Member::breaking(element),
            };
            let weight = instance.set_weight(set).unwrap() as u32;
            other.add_weighted_set(weight, members.into_iter().map(member)).unwrap();
        }
        let solver = k_union::Solver::new();
        let (first, second) = (solver.solve(&instance, need).unwrap(), solver.solve(&other, need).unwrap());
        assert_agree(first.certificate(), second.certificate(), seed);
        proven += u32::from(first.certificate().is_optimal() && second.certificate().is_optimal());
        let chosen: Vec<u32> = second.sets().iter().map(|&set| sets[set as usize]).collect();
        assert_eq!(instance.cost_of(&chosen), Some(second.cost()), "seed {seed}");
        // At the ends of the curve the relaxation has its optimum, whatever the order.
        let (curve, turned) = (solver.curve(&instance), solver.curve(&other));
        for count in 0..=instance.sets() {
            assert_agree(&curve.certificate(count).unwrap(), &turned.certificate(count).unwrap(), seed);
        }
    }
    assert!(proven >= 95, "{proven}");
}

/// A loan looks at the largest of the last demands: not at their order.
#[test]
fn the_order_of_earlier_demands_does_not_matter() {
    for seed in SEEDS {
        let mut draw = Draw::new(seed, 19);
        let (fleet, policy, demands) = loan_input(seed);
        let remembered = policy.patience() as usize - 1;
        for (at, &demand) in demands.iter().enumerate() {
            let earlier: &[Demand] = &demands[at.saturating_sub(remembered)..at];
            let mut other = earlier.to_vec();
            draw.shuffle(&mut other);
            assert_eq!(
                policy.decide(&fleet, earlier, demand),
                policy.decide(&fleet, &other, demand),
                "seed {seed}"
            );
        }
    }
}
