//! Asks by type, by GPUs and by name, under every measure of cost: each policy against all choices.

use std::collections::BTreeSet;

use aryl::cluster::Cluster;
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{
    Ask, AskError, CostModel, Costs, PreemptionCost, Quantity, Reclaim, ReclaimError, Reclaimer, Workspace,
};
use aryl::units::Seconds;
use aryl::verify;
use oorandom::Rand32;

use crate::POLICIES;
use crate::brute_force::{Outcome, candidates, outcome};
use crate::instances::{Instance, Shape};

/// An ask in plain lists.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    /// Of each type, or of any.
    amounts: Vec<(Option<GpuTypeId>, Quantity)>,
    must_return: Vec<ServerId>,
    must_stay: Vec<ServerId>,
}

impl Wish {
    /// What the written form of an ask says.
    pub(crate) fn read(ask: &Ask<'_>) -> (Self, Costs<'static>) {
        let ask = serde_json::to_value(ask).unwrap();
        if let Some(servers) = ask.as_u64() {
            let amounts = vec![(None, Quantity::Servers(servers as u32))];
            return (Self { amounts, must_return: Vec::new(), must_stay: Vec::new() }, Costs::STATED);
        }
        let amount = &ask["amount"];
        let read = |name: &str| serde_json::from_value::<Vec<ServerId>>(ask[name].clone()).unwrap();
        let (must_return, must_stay) = (read("must_return"), read("must_stay"));
        let quantity = |value: &serde_json::Value| serde_json::from_value::<Quantity>(value.clone()).unwrap();
        let amounts = if amount == "listed" {
            vec![(None, Quantity::Servers(must_return.len() as u32))]
        } else if let Some(list) = amount["by_type"].as_array() {
            let gpu_type = |pair: &serde_json::Value| GpuTypeId::new(pair[0].as_u64().unwrap() as u32);
            list.iter().map(|pair| (Some(gpu_type(pair)), quantity(&pair[1]))).collect()
        } else {
            vec![(None, quantity(&amount["any"]))]
        };
        let costs = serde_json::from_value(ask["costs"].clone()).unwrap();
        (Self { amounts, must_return, must_stay }, costs)
    }

    fn random(cluster: &Cluster, random: &mut Rand32) -> Self {
        let quantity = |random: &mut Rand32| match random.rand_range(0..2) {
            0 => Quantity::Servers(random.rand_range(0..4)),
            _ => Quantity::Gpus(random.rand_range(0..30).into()),
        };
        let mut amounts = Vec::new();
        if random.rand_range(0..2) == 0 {
            amounts.push((None, quantity(random)));
        } else {
            for gpu_type in 0..3 {
                if random.rand_range(0..2) == 0 {
                    amounts.push((Some(GpuTypeId::new(gpu_type)), quantity(random)));
                }
            }
        }
        let some = |random: &mut Rand32, one_in: u32| -> Vec<ServerId> {
            let ids = cluster.servers().map(|(id, _)| id);
            ids.filter(|_| random.rand_range(0..one_in) == 0).collect()
        };
        let may_go = candidates(cluster);
        let mut must_return = some(random, 6);
        must_return.retain(|server| may_go.contains(server));
        let mut must_stay = some(random, 8);
        must_stay.retain(|server| !must_return.contains(server));
        Self { amounts, must_return, must_stay }
    }

    fn ask(&self) -> Ask<'_> {
        let ask = match self.amounts[..] {
            [(None, Quantity::Servers(servers))] => Ask::servers(servers),
            [(None, Quantity::Gpus(gpus))] => Ask::gpus(gpus),
            _ => {
                let by_type = self.amounts.iter().map(|&(gpu_type, quantity)| (gpu_type.unwrap(), quantity));
                Ask::by_type(by_type.collect::<Vec<_>>())
            }
        };
        ask.must_return(&self.must_return).must_stay(&self.must_stay)
    }

    /// All sets of servers that answer it.
    pub(crate) fn choices(&self, cluster: &Cluster) -> Vec<Vec<ServerId>> {
        let of = |server: ServerId| cluster.server(server).unwrap();
        let asked_as = |server: ServerId| {
            let is_of = |(gpu_type, _): &&(Option<GpuTypeId>, Quantity)| {
                gpu_type.is_none_or(|it| it == of(server).gpu_type)
            };
            self.amounts.iter().find(is_of)
        };
        let mut may_go = candidates(cluster);
        may_go.retain(|server| !self.must_stay.contains(server) && asked_as(*server).is_some());
        let gpus = |servers: &[ServerId], gpu_type: Option<GpuTypeId>| -> u64 {
            let of_type =
                servers.iter().map(|&id| of(id)).filter(|it| gpu_type.is_none_or(|t| t == it.gpu_type));
            of_type.map(|server| u64::from(server.gpus)).sum()
        };
        let mut choices = Vec::new();
        for mask in 0..1_u32 << may_go.len() {
            let chosen: Vec<ServerId> =
                (0..may_go.len()).filter(|at| mask >> at & 1 == 1).map(|at| may_go[at]).collect();
            let meets = |&(gpu_type, quantity): &(Option<GpuTypeId>, Quantity)| match quantity {
                Quantity::Servers(asked) => {
                    let of_type = |&&id: &&ServerId| gpu_type.is_none_or(|it| it == of(id).gpu_type);
                    chosen.iter().filter(of_type).count() == asked as usize
                }
                Quantity::Gpus(asked) => {
                    let is_needed = |&server: &ServerId| {
                        let rest: Vec<ServerId> = chosen.iter().copied().filter(|&it| it != server).collect();
                        self.must_return.contains(&server)
                            || gpu_type.is_some_and(|it| it != of(server).gpu_type)
                            || gpus(&rest, gpu_type) < asked
                    };
                    gpus(&chosen, gpu_type) >= asked && chosen.iter().all(is_needed)
                }
            };
            if self.must_return.iter().all(|server| chosen.contains(server)) && self.amounts.iter().all(meets)
            {
                choices.push(chosen);
            }
        }
        choices
    }
}

/// Facts that the measures of cost ask for.
fn with_facts(mut cluster: Cluster, random: &mut Rand32) -> Cluster {
    let ids: Vec<JobId> = cluster.jobs().map(|(id, _)| id).collect();
    for id in ids {
        let mut job = cluster.job(id).unwrap().clone();
        job = job.priority(random.rand_range(0..4)).preemptions(random.rand_range(0..4));
        job = job.started(Seconds(f64::from(random.rand_range(0..1_200)) / 3.0));
        if random.rand_range(0..2) == 0 {
            job = job.checkpointed(Seconds(f64::from(random.rand_range(0..1_200)) / 3.0));
        }
        cluster.update_job(id, job).unwrap();
    }
    cluster
}

fn random_costs(cluster: &Cluster, random: &mut Rand32) -> Costs<'static> {
    let mut costs = match random.rand_range(0..7) {
        0 => Costs::STATED,
        1 => Costs::new(CostModel::Jobs),
        2 => Costs::new(CostModel::GpuSecondsLost),
        3 => Costs::new(CostModel::Priority),
        4 => Costs::new(CostModel::Preemptions),
        5 => Costs::default().restart(3),
        _ => Costs::from_fn(cluster, |id, job| match (id.get() + job.min_workers) % 5 {
            0 => PreemptionCost::Protected,
            cost => PreemptionCost::Cost(u64::from(cost) - 1),
        }),
    };
    costs = costs.now(Seconds(300.0));
    match random.rand_range(0..6) {
        0 => costs.min_running_time(Seconds(60.0)),
        1 => costs.max_preemptions(3),
        2 => costs.protect_priority(3),
        3 => costs.restart(10),
        _ => costs,
    }
}

/// The same cluster, with each running job stating what the costs say of it, worked out here once more.
pub(crate) fn restated(cluster: &Cluster, costs: &Costs<'_>) -> Cluster {
    let costs = serde_json::to_value(costs).unwrap();
    let number = |name: &str| costs[name].as_f64();
    let now = number("now").unwrap_or(0.0);
    let mut stated = cluster.clone();
    for (id, job) in cluster.jobs().filter(|&(id, _)| cluster.is_running(id)) {
        let mut job = job.clone();
        let started = job.started.map_or(0.0, |time| time.0);
        let mut protected = job.protected;
        let cost = match &costs["model"] {
            model if model == "stated" => job.preemption_cost,
            model if model == "jobs" => 1,
            model if model == "gpu_seconds_lost" => {
                let since = job.checkpointed.map_or(started, |saved| started.max(saved.0));
                let gpus = cluster.workers(id) * u64::from(job.gpus_per_worker);
                (gpus as f64 * (now - since).max(0.0)).round() as u64
            }
            model if model == "priority" => u64::from(job.priority) + 1,
            model if model == "preemptions" => u64::from(job.preemptions) + 1,
            model => {
                let entry = &model["table"][id.index()];
                protected |= entry == "protected";
                entry["cost"].as_u64().unwrap_or(0)
            }
        };
        protected |= number("min_running_time").is_some_and(|time| now - started < time);
        protected |= number("max_preemptions").is_some_and(|times| f64::from(job.preemptions) >= times);
        protected |= number("protect_priority").is_some_and(|from| f64::from(job.priority) >= from);
        job.preemption_cost = cost + costs["restart"].as_u64().unwrap();
        job.protected = protected;
        stated.update_job(id, job).unwrap();
    }
    stated
}

#[test]
fn every_policy_answers_every_ask_with_one_of_its_choices_and_a_bound_below_the_best() {
    let mut random = Rand32::new(21);
    let (mut workspace, mut answer) = (Workspace::new(), Reclaim::default());
    let (mut answered, mut refused, mut beyond) = (0, 0, 0);
    for round in 0..3_000 {
        let shape = Shape { special: round % 3 > 0, elastic: round % 2 == 0, types: true };
        let cluster = with_facts(Instance::random(shape, &mut random).build(), &mut random);
        let costs = random_costs(&cluster, &mut random);
        let stated = restated(&cluster, &costs);
        let wish = Wish::random(&stated, &mut random);
        let ask = wish.ask().costs(costs);
        let choices = wish.choices(&stated);
        let best = choices.iter().map(|servers| outcome(&stated, servers)).min_by(|a, b| a.order(b));
        for policy in POLICIES {
            let reclaimer = Reclaimer::new(policy);
            match reclaimer.solve_into(&cluster, &ask, &mut workspace, &mut answer) {
                Ok(()) => {
                    let best = best.as_ref().unwrap_or_else(|| panic!("{ask}: {answer:?}"));
                    assert!(choices.iter().any(|choice| choice == answer.servers()), "{ask}: {answer:?}");
                    assert_eq!(Outcome::of(&answer), outcome(&stated, answer.servers()), "{ask}, {policy:?}");
                    assert!(outcome(&stated, answer.servers()).order(best).is_ge());
                    let bound = answer.certificate().bound();
                    assert!(bound <= best.cost, "{ask}, {policy:?}: {answer} but {best:?}");
                    let verdict = verify::reclaim(&cluster, &ask, &answer);
                    assert_eq!(verdict, Ok(()), "{ask}, {policy:?}: {answer:?}\n{cluster:#?}");
                    assert_eq!(reclaimer.solve(&stated, wish.ask()).as_ref(), Ok(&answer));
                    let raw = reclaimer.put_back(false).solve(&cluster, &ask).unwrap();
                    assert!(choices.iter().any(|choice| choice == raw.servers()), "{ask}: {raw:?}");
                    assert_eq!(Outcome::of(&raw), outcome(&stated, raw.servers()));
                    answered += 1;
                    beyond += u64::from(bound > 0);
                }
                Err(error) => {
                    assert!(choices.is_empty(), "{ask}: {error}");
                    assert_eq!(answer, Reclaim::default());
                    refused += 1;
                }
            }
        }
    }
    assert!(answered > 6_000 && refused > 3_000 && beyond > 1_000, "{answered} {refused} {beyond}");
}

#[test]
fn what_is_said_to_be_available_can_be_had_and_no_more() {
    let mut random = Rand32::new(22);
    let mut seen = 0;
    for _ in 0..2_000 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let mut wish = Wish::random(&cluster, &mut random);
        wish.must_return.clear();
        let reclaimer = Reclaimer::default();
        let (gpu_type, available, shortage) = match reclaimer.solve(&cluster, wish.ask()) {
            Err(ReclaimError::NotEnoughServers { available, gpu_type, shortage, .. }) => {
                (gpu_type, Quantity::Servers(available), shortage)
            }
            Err(ReclaimError::NotEnoughGpus { available, gpu_type, shortage, .. }) => {
                (gpu_type, Quantity::Gpus(available), shortage)
            }
            Err(other) => panic!("{other}"),
            Ok(_) => continue,
        };
        seen += 1;
        // Ask for what is said to be available, then for one more.
        let one_more = match available {
            Quantity::Servers(servers) => Quantity::Servers(servers + 1),
            Quantity::Gpus(gpus) => Quantity::Gpus(gpus + 1),
        };
        wish.amounts = vec![(gpu_type, available)];
        assert!(reclaimer.solve(&cluster, wish.ask()).is_ok(), "{wish:?}");
        wish.amounts = vec![(gpu_type, one_more)];
        assert!(reclaimer.solve(&cluster, wish.ask()).is_err(), "{wish:?}");
        // Each server on loan is in one place.
        let of_type = |id: &ServerId| {
            gpu_type.is_none_or(|it| cluster.server(*id).unwrap().gpu_type == it)
                && !wish.must_stay.contains(id)
        };
        let can_go = candidates(&cluster).iter().filter(|id| of_type(id)).count() as u32;
        let others = shortage.protected_servers + shortage.told_to_stay + shortage.blocked_servers;
        assert_eq!(shortage.on_loan, can_go + others, "{wish:?}");
        let hosts = |job: JobId| cluster.placements(job).iter().map(|p| p.server).collect::<BTreeSet<_>>();
        for &job in &shortage.blocking {
            assert!(cluster.job(job).unwrap().protected);
            assert!(hosts(job).iter().any(of_type));
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn the_order_of_a_list_and_a_name_given_twice_change_nothing() {
    let mut random = Rand32::new(23);
    for _ in 0..500 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let wish = Wish::random(&cluster, &mut random);
        let mut other = wish.clone();
        other.amounts.reverse();
        other.must_return.reverse();
        other.must_stay.reverse();
        other.must_return.extend(wish.must_return.first());
        other.must_stay.extend(wish.must_stay.first());
        for policy in POLICIES {
            let answer = Reclaimer::new(policy).solve(&cluster, wish.ask());
            let again = Reclaimer::new(policy).solve(&cluster, other.ask());
            match (answer, again) {
                (Ok(answer), Ok(again)) => assert_eq!(answer, again),
                (answer, again) => assert!(answer.is_err() && again.is_err()),
            }
        }
    }
}

#[test]
fn these_servers_and_no_others() {
    let mut random = Rand32::new(24);
    for _ in 0..1_000 {
        let cluster = Instance::random(Shape::ALL, &mut random).build();
        let mut these = candidates(&cluster);
        these.retain(|_| random.rand_range(0..2) == 0);
        for policy in POLICIES {
            let answer = Reclaimer::new(policy).solve(&cluster, Ask::these(&these)).unwrap();
            assert_eq!(Outcome::of(&answer), outcome(&cluster, &these));
            assert!(answer.certificate().is_optimal());
            assert_eq!(verify::reclaim(&cluster, Ask::these(&these), &answer), Ok(()));
        }
    }
}

#[test]
fn a_plain_number_is_an_ask_and_equal_sizes_make_gpus_a_number() {
    let mut random = Rand32::new(25);
    for _ in 0..500 {
        let mut instance = Instance::random(Shape { types: false, ..Shape::ALL }, &mut random);
        for server in &mut instance.servers {
            server.gpus = 8;
        }
        let cluster = instance.build();
        for servers in 0..4 {
            for policy in POLICIES {
                let solve = |ask: Ask<'_>| Reclaimer::new(policy).solve(&cluster, &ask).ok();
                let number = Reclaimer::new(policy).solve(&cluster, servers).ok();
                assert_eq!(number, solve(Ask::servers(servers)));
                assert_eq!(number, solve(Ask::servers_of(GpuTypeId::new(0), servers)));
                for spare in 0..8 {
                    let gpus = (8 * u64::from(servers)).saturating_sub(spare);
                    let expected = if servers == 0 { solve(Ask::NOTHING) } else { number.clone() };
                    assert_eq!(expected, solve(Ask::gpus(gpus)), "{gpus}");
                }
            }
        }
    }
}

#[test]
fn an_ask_that_makes_no_sense_names_the_offender() {
    use aryl::cluster::{GpuType, Job, Placement, Pool, Server};
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    let mut add = |server| cluster.add_server(server).unwrap();
    let training = add(Server::training(v100, 8));
    let guarded = add(Server::on_loan(v100, 8).protected());
    let [first, second, third] = [0; 3].map(|_| add(Server::on_loan(v100, 8)));
    let other = add(Server::on_loan(t4, 8));
    let job = cluster.add_job(Job::inelastic(1).protected()).unwrap();
    cluster.place(job, &[Placement::base(third, 1)]).unwrap();
    let unknown = ServerId::new(17);
    let no_type = GpuTypeId::new(5);

    let error = |ask: Ask<'_>| match Reclaimer::default().solve(&cluster, &ask) {
        Err(ReclaimError::Ask(error)) => error,
        other => panic!("{ask}: {other:?}"),
    };
    let must = |server: ServerId| error(Ask::servers(2).must_return(&[server]));
    assert_eq!(must(unknown), AskError::UnknownServer { server: unknown });
    assert_eq!(error(Ask::servers(1).must_stay(&[unknown])), AskError::UnknownServer { server: unknown });
    assert_eq!(must(training), AskError::NotOnLoan { server: training, pool: Pool::Training });
    assert_eq!(must(guarded), AskError::ProtectedServer { server: guarded });
    assert_eq!(must(third), AskError::ProtectedJob { server: third, job });
    let both = error(Ask::servers(2).must_return(&[first, second]).must_stay(&[second]));
    assert_eq!(both, AskError::MustReturnAndStay { server: second });
    assert_eq!(error(Ask::gpus_of(no_type, 1)), AskError::UnknownGpuType { gpu_type: no_type });
    let twice = [(t4, Quantity::Servers(1)), (t4, Quantity::Gpus(1))];
    assert_eq!(error(Ask::by_type(&twice)), AskError::GpuTypeTwice { gpu_type: t4 });
    let of_another = error(Ask::servers_of(v100, 1).must_return(&[other]));
    assert_eq!(of_another, AskError::OtherGpuType { server: other, gpu_type: t4 });
    let too_many = error(Ask::servers(1).must_return(&[first, other]));
    assert_eq!(too_many, AskError::TooManyMustReturn { must_return: 2, asked: 1, gpu_type: None });
    assert_eq!(too_many.to_string(), "2 servers must go back, and 1 is asked for");
    let too_many = error(Ask::servers_of(v100, 1).must_return(&[first, second]));
    assert_eq!(too_many.to_string(), "2 servers of GPU type 0 must go back, and 1 is asked for");
}

#[test]
fn asks_survive_being_written_down_and_a_number_is_one() {
    let mut random = Rand32::new(26);
    for _ in 0..300 {
        let cluster = with_facts(Instance::random(Shape::ALL, &mut random).build(), &mut random);
        let wish = Wish::random(&cluster, &mut random);
        let ask = wish.ask().costs(random_costs(&cluster, &mut random));
        let text = serde_json::to_string(&ask).unwrap();
        assert_eq!(serde_json::from_str::<Ask<'_>>(&text).unwrap(), ask);
    }
    assert_eq!(serde_json::to_string(&Ask::servers(3)).unwrap(), "3");
    assert_eq!(serde_json::from_str::<Ask<'_>>("3").unwrap(), Ask::servers(3));
    let text = r#"{"amount": {"any": {"gpus": 64}}, "must_return": [2], "costs": {"model": "jobs"}}"#;
    let ask = Ask::gpus(64).must_return(vec![ServerId::new(2)]).costs(CostModel::Jobs);
    assert_eq!(serde_json::from_str::<Ask<'_>>(text).unwrap(), ask);
    let refused = |text: &str| serde_json::from_str::<Ask<'_>>(text).unwrap_err().to_string();
    assert!(refused("-1").contains("-1 is not a number of servers"));
    assert!(refused("4294967296").contains("4294967296 servers are more than there can be"));
    assert!(refused("\"two\"").contains("a number of servers, or a map with an amount"));
    assert!(refused("{\"amounts\": 3}").contains("unknown field `amounts`"));
}
