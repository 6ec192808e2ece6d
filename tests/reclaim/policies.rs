//! What each policy does, on clusters small enough to work out by hand.

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::id::{GpuTypeId, JobId, ServerId};
use aryl::reclaim::{Ask, Departure, Policy, Reclaim, Reclaimer, server_preemption_costs};
use aryl::units::Seconds;

/// On-loan servers of 8 GPUs of the reference type.
fn on_loan(servers: u32) -> Cluster {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    for _ in 0..servers {
        cluster.add_server(Server::on_loan(gpu, 8)).unwrap();
    }
    cluster
}

fn base(server: u32, workers: u32) -> Placement {
    Placement::base(ServerId::new(server), workers)
}

fn flexible(server: u32, workers: u32) -> Placement {
    Placement::flexible(ServerId::new(server), workers)
}

fn add(cluster: &mut Cluster, job: Job, placements: &[Placement]) -> JobId {
    let id = cluster.add_job(job).unwrap();
    cluster.place(id, placements).unwrap();
    id
}

fn solve(policy: Policy, cluster: &Cluster, count: u32) -> Reclaim {
    Reclaimer::new(policy).solve(cluster, count).unwrap()
}

fn servers(answer: &Reclaim) -> Vec<u32> {
    answer.servers().iter().map(|server| server.get()).collect()
}

#[test]
fn idle_then_flexible_only_then_the_cheapest() {
    let mut cluster = on_loan(4);
    let dear = add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[base(0, 1)]);
    let cheap = add(&mut cluster, Job::elastic(2..=4), &[base(1, 2), flexible(2, 2)]);
    for raw in [true, false] {
        let chosen = |count| {
            let answer = Reclaimer::new(Policy::Aryl).put_back(!raw).solve(&cluster, count).unwrap();
            (servers(&answer), answer.preempted().to_vec(), answer.certificate().objective())
        };
        assert_eq!(chosen(1), (vec![3], vec![], 0));
        assert_eq!(chosen(2), (vec![2, 3], vec![], 0));
        assert_eq!(chosen(3), (vec![1, 2, 3], vec![cheap], 1));
        assert_eq!(chosen(4), (vec![0, 1, 2, 3], vec![dear, cheap], 4));
    }
}

#[test]
fn among_flexible_only_servers_the_least_time_is_lost() {
    let mut cluster = on_loan(4);
    add(&mut cluster, Job::elastic(2..=4).remaining(Seconds(7_200.0)), &[base(0, 2), flexible(1, 2)]);
    let short =
        add(&mut cluster, Job::elastic(2..=8).remaining(Seconds(60.0)), &[base(0, 2), flexible(2, 6)]);
    let answer = solve(Policy::Aryl, &cluster, 2);
    assert_eq!(servers(&answer), [2, 3]);
    assert_eq!(answer.departures(), [Departure { job: short, server: ServerId::new(2), workers: 6 }]);
    assert_eq!(answer.jct_lost(), Seconds(45.0));
}

#[test]
fn one_surplus_is_not_spent_twice() {
    let mut cluster = on_loan(3);
    let job = add(&mut cluster, Job::elastic(4..=6), &[base(0, 2), base(1, 2), flexible(2, 2)]);
    for policy in crate::POLICIES {
        let one = solve(policy, &cluster, 1);
        assert!(one.preempted().is_empty(), "{policy:?}");
        assert_eq!(one.departures().len(), 1);
        let two = solve(policy, &cluster, 2);
        assert_eq!((two.preempted(), two.departures()), (&[job][..], &[][..]), "{policy:?}");
        assert_eq!(two.collateral_gpus(), 2);
    }
}

#[test]
fn a_wide_job_s_small_share_misleads_the_paper_s_greedy_when_few_are_asked() {
    let mut cluster = on_loan(5);
    for _ in 0..2 {
        add(&mut cluster, Job::inelastic(4), &[base(1, 1), base(2, 1), base(3, 1), base(4, 1)]);
    }
    let alone = add(&mut cluster, Job::inelastic(8), &[base(0, 8)]);
    assert_eq!(solve(Policy::Aryl, &cluster, 1).certificate().objective(), 2);
    for policy in [Policy::Amortized, Policy::SmallestCountFirst, Policy::BestOfRules] {
        let answer = solve(policy, &cluster, 1);
        assert_eq!((servers(&answer), answer.preempted()), (vec![0], &[alone][..]), "{policy:?}");
        assert!(answer.certificate().is_optimal());
    }
}

#[test]
fn the_fewest_jobs_first_looks_at_no_cost() {
    let mut cluster = on_loan(2);
    add(&mut cluster, Job::inelastic(1).preemption_cost(10), &[base(0, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[base(1, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[base(1, 1)]);
    assert_eq!(solve(Policy::SmallestCountFirst, &cluster, 1).certificate().objective(), 10);
    assert_eq!(solve(Policy::Aryl, &cluster, 1).certificate().objective(), 6);
}

#[test]
fn random_follows_its_seed_and_reaches_every_server() {
    let mut cluster = on_loan(5);
    for server in 0..5 {
        add(&mut cluster, Job::inelastic(1), &[base(server, 1)]);
    }
    let mut hits = [0; 5];
    for seed in 0..500 {
        let raw = Reclaimer::new(Policy::Random { seed }).put_back(false);
        let answer = raw.solve(&cluster, 1).unwrap();
        assert_eq!(answer, raw.solve(&cluster, 1).unwrap());
        hits[answer.servers()[0].index()] += 1;
    }
    assert!(hits.iter().all(|&count| (60..140).contains(&count)), "{hits:?}");
}

#[test]
fn a_superfluous_victim_is_put_back() {
    // The first choice is server 0, for its job is the cheapest; then the wide job goes, and empties two servers.
    let mut cluster = on_loan(3);
    add(&mut cluster, Job::inelastic(1).preemption_cost(4), &[base(0, 1)]);
    let wide = add(&mut cluster, Job::inelastic(4).preemption_cost(10), &[base(1, 2), base(2, 2)]);
    let raw = Reclaimer::new(Policy::Aryl).put_back(false).solve(&cluster, 2).unwrap();
    assert_eq!((servers(&raw), raw.certificate().objective()), (vec![0, 1], 14));
    let mended = solve(Policy::Aryl, &cluster, 2);
    assert_eq!((servers(&mended), mended.preempted()), (vec![1, 2], &[wide][..]));
    assert_eq!(mended.certificate().objective(), 10);
}

#[test]
fn pinned_workers_are_not_lost_whatever_the_surplus() {
    let mut cluster = on_loan(2);
    let job = add(&mut cluster, Job::elastic(1..=6), &[base(0, 1).pinned(), flexible(0, 1), flexible(1, 4)]);
    for policy in [Policy::Aryl, Policy::Amortized, Policy::BestOfRules] {
        let answer = solve(policy, &cluster, 1);
        assert_eq!(
            answer.departures(),
            [Departure { job, server: ServerId::new(1), workers: 4 }],
            "{policy:?}"
        );
    }
    cluster.set_server_protected(ServerId::new(1), true);
    assert_eq!(solve(Policy::Aryl, &cluster, 1).preempted(), [job]);
}

#[test]
fn slower_gpus_count_by_their_speed() {
    // At speed 1 : 3 the minimum of two workers is six; four of ten can go, in any split.
    let mut cluster = Cluster::new();
    cluster.add_gpu_type(GpuType::new("V100")).unwrap();
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for _ in 0..4 {
        cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    }
    let job = Job::elastic(2..=4).fungible();
    let placements = [base(0, 5), base(1, 1), flexible(1, 1), flexible(2, 2), flexible(3, 1)];
    let id = add(&mut cluster, job, &placements);
    let two = solve(Policy::Aryl, &cluster, 2);
    assert_eq!((servers(&two), two.preempted().len()), (vec![2, 3], 0));
    // Ten workers make up three reference workers, which take 2,400 s; seven make up two, which take 3,600 s.
    assert_eq!(two.jct_lost(), Seconds(1_200.0));
    let three = solve(Policy::Aryl, &cluster, 3);
    assert_eq!(three.preempted(), [id]);
    assert_eq!(three.certificate().bound(), 0);
}

#[test]
fn a_job_that_stops_mixing_types_loses_no_time() {
    let mut cluster = on_loan(1);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    let job = Job::elastic(2..=4).fungible().heterogeneous_at(0.5).remaining(Seconds(60.0));
    let id = add(&mut cluster, job, &[base(0, 2), flexible(1, 3)]);
    let answer = solve(Policy::Aryl, &cluster, 1);
    assert_eq!(answer.departures(), [Departure { job: id, server: ServerId::new(1), workers: 3 }]);
    // Three workers at half speed take 80 s; two that mix nothing take 60 s.
    assert_eq!(answer.jct_lost(), Seconds::ZERO);
    assert_eq!(cluster.server(ServerId::new(1)).unwrap().gpu_type, GpuTypeId::new(1));
}

#[test]
fn costs_of_nothing_and_of_all_that_fits_are_added_exactly() {
    let mut cluster = on_loan(3);
    let free = add(&mut cluster, Job::inelastic(2).preemption_cost(0), &[base(0, 1), base(1, 1)]);
    add(&mut cluster, Job::inelastic(2).preemption_cost(u64::MAX - 1), &[base(1, 1), base(2, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(1), &[base(2, 1)]);
    for policy in crate::POLICIES {
        let all = solve(policy, &cluster, 3);
        assert_eq!(all.certificate().objective(), u64::MAX);
        assert!(all.certificate().is_optimal());
    }
    let one = solve(Policy::Aryl, &cluster, 1);
    assert_eq!((servers(&one), one.preempted()), (vec![0], &[free][..]));
    assert_eq!(solve(Policy::Aryl, &cluster, 2).certificate().bound(), u64::MAX / 2);
    let costs = server_preemption_costs(&cluster);
    assert!(costs[0].cost.abs() < 1e-12 && costs[1].cost > 9e18);
}

/// The answer of the paper's greedy alone.
fn raw(cluster: &Cluster, count: u32) -> Reclaim {
    Reclaimer::new(Policy::Aryl).put_back(false).solve(cluster, count).unwrap()
}

#[test]
fn a_preempted_job_no_longer_counts_on_its_other_servers() {
    // Server 1 costs 4 + 3 at first. Without job 0, which goes with server 0, it costs 3, less than server 2.
    let mut cluster = on_loan(3);
    add(&mut cluster, Job::inelastic(2).preemption_cost(8), &[base(0, 1), base(1, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[base(1, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(5), &[base(2, 1)]);
    assert_eq!(servers(&raw(&cluster, 2)), [0, 1]);
}

#[test]
fn a_job_that_spent_its_surplus_is_charged_where_its_flexible_workers_are() {
    // Server 0 goes first. Job 0 runs on, on its flexible worker on server 1, which then costs 5 + 2 and not 5.
    let mut cluster = on_loan(3);
    add(&mut cluster, Job::elastic(1..=2).preemption_cost(2), &[base(0, 1), flexible(1, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(5), &[base(1, 1)]);
    let dear = add(&mut cluster, Job::inelastic(1).preemption_cost(6), &[base(2, 1)]);
    for policy in [Policy::Aryl, Policy::Amortized] {
        let answer = Reclaimer::new(policy).put_back(false).solve(&cluster, 2).unwrap();
        assert_eq!((servers(&answer), answer.preempted()), (vec![0, 2], &[dear][..]), "{policy:?}");
    }
}

#[test]
fn the_share_counts_servers_with_base_workers_only() {
    // Job 0 has base workers on two servers of three: its share is 5, above the 4 of server 3.
    let mut cluster = on_loan(4);
    add(&mut cluster, Job::elastic(2..=3).preemption_cost(10), &[base(0, 1), base(1, 1), flexible(2, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(100), &[base(2, 1)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(4), &[base(3, 1)]);
    assert_eq!(servers(&raw(&cluster, 1)), [3]);
    let costs: Vec<f64> = server_preemption_costs(&cluster).iter().map(|row| row.cost).collect();
    assert_eq!(costs, [5.0, 5.0, 100.0, 4.0]);
}

#[test]
fn a_tie_goes_to_the_server_that_returns_gpus_of_preempted_jobs() {
    // Server 0 goes first, and job 0 with it. Of the two servers of job 1, server 2 held a GPU of job 0 too.
    let mut cluster = on_loan(3);
    add(&mut cluster, Job::inelastic(2), &[base(0, 1), base(2, 1)]);
    add(&mut cluster, Job::inelastic(2), &[base(1, 1), base(2, 1)]);
    let answer = raw(&cluster, 2);
    assert_eq!((servers(&answer), answer.collateral_gpus()), (vec![0, 2], 1));
}

#[test]
fn for_the_last_server_all_gpus_elsewhere_are_collateral() {
    // As in Figure 5, jobs a, c, d at share 5 each; job x goes first. Server 1 would empty server 2, but nobody asks for it.
    let mut cluster = on_loan(6);
    add(&mut cluster, Job::inelastic(1), &[base(0, 1)]);
    for placements in [[base(1, 6), base(2, 6)], [base(3, 8), base(4, 2)], [base(4, 2), base(5, 8)]] {
        let workers = placements.iter().map(|placement| placement.workers).sum();
        add(&mut cluster, Job::inelastic(workers).preemption_cost(10), &placements);
    }
    assert_eq!((servers(&raw(&cluster, 2)), raw(&cluster, 2).collateral_gpus()), (vec![0, 3], 2));
    assert_eq!((servers(&raw(&cluster, 3)), raw(&cluster, 3).collateral_gpus()), (vec![0, 1, 2], 0));
}

#[test]
fn the_dearer_of_two_victims_is_put_back() {
    // Jobs 0 and 1 go for little each, then the wide job frees three servers: one too many, so one job can be spared.
    let mut cluster = on_loan(5);
    add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[base(0, 1)]);
    let dear = add(&mut cluster, Job::inelastic(1).preemption_cost(4), &[base(1, 1)]);
    let wide =
        add(&mut cluster, Job::inelastic(3).preemption_cost(15), &[base(2, 1), base(3, 1), base(4, 1)]);
    assert_eq!(raw(&cluster, 4).preempted().len(), 3);
    let mended = solve(Policy::Aryl, &cluster, 4);
    assert!(!mended.preempted().contains(&dear) && mended.preempted().contains(&wide));
    assert_eq!((servers(&mended), mended.certificate().objective()), (vec![0, 2, 3, 4], 18));
}

#[test]
fn the_bound_never_divides_by_more_servers_than_are_asked_for() {
    let mut cluster = on_loan(4);
    let placements = [base(0, 1), base(1, 1), base(2, 1), base(3, 1)];
    add(&mut cluster, Job::inelastic(4).preemption_cost(9), &placements);
    for count in 1..=4 {
        assert!(solve(Policy::Aryl, &cluster, count).certificate().is_optimal(), "{count}");
    }
}

#[test]
fn equal_victims_are_told_apart_by_where_they_run_and_not_by_their_ids() {
    // Two jobs of the same cost and size, one of which can be put back: the same one, whichever was added first.
    let cluster = |swapped: bool| {
        let mut cluster = on_loan(5);
        let mut jobs = [base(0, 1), base(1, 1)];
        if swapped {
            jobs.reverse();
        }
        for placement in jobs {
            add(&mut cluster, Job::inelastic(1).preemption_cost(3), &[placement]);
        }
        add(&mut cluster, Job::inelastic(3).preemption_cost(15), &[base(2, 1), base(3, 1), base(4, 1)]);
        cluster
    };
    let [first, second] = [false, true].map(|swapped| servers(&solve(Policy::Aryl, &cluster(swapped), 4)));
    assert_eq!(first, second);
}

/// The server that goes beside those that must, of servers 1 and 2.
fn other_than(cluster: &Cluster, must_return: &[u32]) -> u32 {
    let named: Vec<ServerId> = must_return.iter().map(|&server| ServerId::new(server)).collect();
    let ask = Ask::servers(named.len() as u32 + 1).must_return(named);
    let answer = Reclaimer::new(Policy::Aryl).put_back(false).solve(cluster, &ask).unwrap();
    let others: Vec<u32> =
        servers(&answer).into_iter().filter(|server| !must_return.contains(server)).collect();
    assert_eq!(others.len(), 1);
    others[0]
}

#[test]
fn the_time_that_a_preempted_job_would_lose_no_longer_counts_on_its_other_servers() {
    // Job 0 goes with server 0. Its flexible workers were most of what server 1 would lose; what is left loses less than
    // what is left on server 2.
    let mut cluster = on_loan(3);
    let gpu = GpuTypeId::new(0);
    let training = cluster.add_server(Server::training(gpu, 8)).unwrap().get();
    let spare = cluster.add_server(Server::on_loan(gpu, 8)).unwrap().get();
    let elastic = |least, most| Job::elastic(least..=most).remaining(Seconds(3_600.0));
    add(&mut cluster, elastic(6, 11), &[base(0, 6), flexible(1, 4), flexible(2, 1)]);
    add(&mut cluster, elastic(1, 2), &[base(training, 1), flexible(1, 1)]);
    add(&mut cluster, elastic(1, 3), &[base(training, 1), flexible(2, 2)]);
    add(&mut cluster, Job::inelastic(1).preemption_cost(9), &[base(spare, 1)]);
    assert_eq!(other_than(&cluster, &[0]), 1);
}

#[test]
fn a_job_that_was_charged_and_then_preempted_no_longer_counts_either() {
    // Job 0 loses two workers on server 0, after which it could not lose the four on server 1; then it goes with server 3.
    let mut cluster = on_loan(4);
    let gpu = GpuTypeId::new(0);
    let training = cluster.add_server(Server::training(gpu, 8)).unwrap().get();
    let elastic = |least, most| Job::elastic(least..=most).remaining(Seconds(3_600.0));
    add(&mut cluster, elastic(5, 9), &[base(0, 2), flexible(1, 4), base(3, 3)]);
    add(&mut cluster, elastic(1, 2), &[base(training, 1), flexible(1, 1)]);
    add(&mut cluster, elastic(1, 3), &[base(training, 1), flexible(2, 2)]);
    assert_eq!(other_than(&cluster, &[0, 3]), 1);
}

#[test]
fn of_equal_losses_the_fewest_workers_leave_those_of_preempted_jobs_not_counted() {
    // Two jobs go with server 0; 8 GPUs of theirs are on server 1 and 8 on server 2, in 2 workers there and in 4 here, or the
    // other way. The two that stay lose 6,000 s either way, for 3 workers or for 2.
    for (left, right, wide, expected) in [(3, 2, 1, 2), (2, 3, 1, 1), (3, 2, 2, 2), (2, 3, 2, 1)] {
        let mut cluster = Cluster::new();
        let gpu = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        for _ in 0..3 {
            cluster.add_server(Server::on_loan(gpu, 32)).unwrap();
        }
        let training = cluster.add_server(Server::training(gpu, 8)).unwrap().get();
        let (two, four) = (wide, 3 - wide);
        add(&mut cluster, Job::elastic(3..=5).gpus_per_worker(4), &[base(0, 3), flexible(two, 2)]);
        add(&mut cluster, Job::elastic(5..=9).gpus_per_worker(2), &[base(0, 5), flexible(four, 4)]);
        for (server, workers) in [(1, left), (2, right)] {
            let remaining = Seconds(6_000.0 * f64::from(workers + 1) / f64::from(workers));
            let job = Job::elastic(1..=workers + 1).remaining(remaining);
            add(&mut cluster, job, &[base(training, 1), flexible(server, workers)]);
        }
        assert_eq!(other_than(&cluster, &[0]), expected, "{left} and {right}, {wide}");
    }
}
