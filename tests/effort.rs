//! How much the solvers do, in counted work: the committed record.
//!
//! Most of a search is there to save work, not to change the answer: a worse first price or a weaker bound is right, too, and
//! only slower. So what is counted on some instances is on record, as the answers are in `tests/determinism`. The numbers are
//! the same in every build. A change that is meant is recorded by `ARYL_UPDATE=1 cargo test --test effort`; look at the
//! difference first.

#[path = "../benches/families/mod.rs"]
mod families;

use std::fmt::Write as _;
use std::path::Path;

use aryl::certificate::Certificate;
use aryl::cluster::{Cluster, GpuType, Job, Placement, Role, Server};
use aryl::id::GpuTypeId;
use aryl::id::ServerId;
use aryl::k_union::{self, Member};
use aryl::knapsack::{self, CurveClass, Gain, Solution, Solver};
use aryl::reclaim::{self, Ask, CostCurve, Costs, Policy, Quantity, Reclaimer};
use families::{ALL, Capacity};
use oorandom::Rand64;

fn certificate(certificate: impl std::borrow::Borrow<Certificate>) -> String {
    let certificate = certificate.borrow();
    format!("{}/{}", certificate.objective(), certificate.bound())
}

/// Cold, then along a path of capacities, each with the hint of the one before.
fn knapsacks(out: &mut String) {
    let sizes = [
        (3, Capacity::Units(9)),
        (20, Capacity::Percent(40)),
        (100, Capacity::Units(64)),
        (150, Capacity::Units(4_096)),
        (400, Capacity::Percent(25)),
        (1_200, Capacity::Percent(50)),
        (5_000, Capacity::Percent(10)),
    ];
    for family in ALL {
        for (classes, capacity) in sizes {
            let longest = if classes > 1_000 { 8 } else { 40 };
            let mut instance = families::table_of(family, classes, longest, capacity, 5);
            for solver in [Solver::new(), Solver::new().with_table_budget(0)] {
                let (mut workspace, mut solution) = (knapsack::Workspace::new(), Solution::default());
                write!(out, "knapsack {family:?} {classes} {capacity:?}:").unwrap();
                let units = instance.capacity();
                for percent in [100, 100, 101, 104, 90, 103] {
                    instance.set_capacity(units * percent / 100);
                    let hint = workspace.hint();
                    if solver.solve_with_hint_into(&instance, hint, &mut workspace, &mut solution).is_err() {
                        out.push_str(" none");
                        continue;
                    }
                    let work = workspace.work();
                    let proof = certificate(solution.certificate());
                    write!(out, " {:?} {proof} {} {};", solution.method(), work.items_read, work.states)
                        .unwrap();
                }
                writeln!(out, " {:?}", workspace.hint()).unwrap();
                instance.set_capacity(units);
            }
        }
    }
    let mut random = Rand64::new(3);
    for round in 0..40 {
        let mut instance = knapsack::Instance::new(0);
        for _ in 0..[5, 60, 700][round % 3] {
            let gain = match random.rand_range(0..3) {
                0 => Gain::Hyperbola { half: random.rand_range(1..60) as f64 / 2.0 },
                1 => Gain::Power { base: random.rand_range(1..9) as f64, exponent: random.rand_float() },
                _ => Gain::Power { base: random.rand_range(1..9) as f64, exponent: 1.0 },
            };
            let (total, weight) = (random.rand_range(1..90_000_000) as f64, random.rand_range(1..9) as u32);
            let curve = CurveClass::new(gain, total, weight, random.rand_range(1..90) as u32);
            let bonus = random.rand_range(0..3_000);
            instance.push_curve(if round % 2 == 0 { curve } else { curve.with_bonus(3, bonus) }).unwrap();
        }
        instance.set_capacity(instance.total_demand() * (1 + round as u64) / 43);
        let (mut workspace, mut solution) = (knapsack::Workspace::new(), Solution::default());
        Solver::new().solve_into(&instance, &mut workspace, &mut solution).unwrap();
        let (work, proof) = (workspace.work(), certificate(solution.certificate()));
        writeln!(
            out,
            "formulas {round}: {:?} {proof} {} {}",
            solution.method(),
            work.items_read,
            work.states
        )
        .unwrap();
    }
}

/// How wrong a hint is: the price of it in parts of the right one.
const WRONG: [f64; 6] = [1.0, 0.98, 0.97, 0.8, 1.02, 1.2];

/// From wrong hints, which are refused or brought nearer.
fn hints(out: &mut String) {
    let solver = Solver::new().with_table_budget(0);
    let (mut workspace, mut solution) = (knapsack::Workspace::new(), Solution::default());
    let mut from_hints = |out: &mut String, instance: &knapsack::Instance| {
        solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
        write!(out, " {} {};", workspace.work().items_read, workspace.work().states).unwrap();
        let price = workspace.hint().map_or(1.0, |hint| hint.price());
        for part in WRONG {
            let hint = knapsack::Hint::new(price * part);
            solver.solve_with_hint_into(instance, hint, &mut workspace, &mut solution).unwrap();
            write!(out, " {} {}", workspace.work().items_read, workspace.work().states).unwrap();
        }
        writeln!(out).unwrap();
    };
    // Formulas so nearly straight that most steps lie between the ends of a hint.
    let straight = |base: f64, total: f64, length: u32| {
        CurveClass::new(Gain::Power { base, exponent: 0.6 }, total, 1, length)
    };
    for (total, classes, length) in [(1e15, 3, 80_000), (1e13, 3, 80_000), (1e10, 1_500, 60)] {
        let mut instance = knapsack::Instance::new(0);
        for class in 0..classes {
            let total = total * (1.0 + f64::from(class) / 1_000_000.0);
            instance.push_curve(straight(f64::from(length) * 60.0, total, length)).unwrap();
        }
        instance.set_capacity(instance.total_demand() / 3);
        write!(out, "straight {total} {classes}:").unwrap();
        from_hints(out, &instance);
    }
    for family in ALL {
        let instance = families::table_of(family, 4_900, 2, Capacity::Percent(20), 6);
        write!(out, "hints {family:?}:").unwrap();
        from_hints(out, &instance);
    }
}

/// Values so small that many are equal, capacities of a few units for many classes, and so many classes that an enlarged
/// sample is a small part of them.
fn extremes(out: &mut String) {
    let (mut workspace, mut solution) = (knapsack::Workspace::new(), Solution::default());
    let mut solve = |out: &mut String, solver: &Solver, instance: &knapsack::Instance| {
        solver.solve_into(instance, &mut workspace, &mut solution).unwrap();
        let (work, proof) = (workspace.work(), certificate(solution.certificate()));
        write!(out, " {:?} {proof} {} {};", solution.method(), work.items_read, work.states).unwrap();
    };
    let (search, either) = (Solver::new().with_table_budget(0), Solver::new());
    let mut random = Rand64::new(8);
    for round in 0..24 {
        let mut instance = knapsack::Instance::new(0);
        let divisor = 1 + round % 3;
        for _ in 0..[30, 150, 700][round as usize / 3 % 3] {
            let items = (0..random.rand_range(1..5)).map(|_| {
                knapsack::Item::new(random.rand_range(1..30) as u32 * divisor, random.rand_range(1..20))
            });
            let items: Vec<knapsack::Item> = items.collect();
            let kind = if random.rand_range(0..3) == 0 {
                knapsack::ClassKind::ExactlyOne
            } else {
                knapsack::ClassKind::AtMostOne
            };
            instance.push_class(kind, items).unwrap();
        }
        write!(out, "small values {round}:").unwrap();
        let (least, most) = (instance.mandatory_weight(), instance.total_demand());
        for part in [1, 12, 40, 70] {
            instance.set_capacity(least + (most - least) * part / 90);
            solve(out, &search, &instance);
        }
        writeln!(out).unwrap();
    }
    // Multiples of 3, or of 2, but for one, and a capacity that asks for two of it, or one: the bound can't be reached.
    let mut hard: Vec<knapsack::Instance> = [3, 2]
        .iter()
        .map(|divisor| {
            let mut instance = knapsack::Instance::new(0);
            for class in 0..24 {
                let weight = if class == 9 { 301 } else { divisor * random.rand_range(300..1_000) as u32 };
                let value = 1_000 * u64::from(weight) - 700 * u64::from(class == 9);
                let items = [knapsack::Item::new(weight, value)];
                instance.push_class(knapsack::ClassKind::AtMostOne, items).unwrap();
            }
            let half = instance.total_demand() / 2;
            instance.set_capacity(half - half % u64::from(*divisor) + u64::from(*divisor) - 1);
            instance
        })
        .collect();
    hard.push(families::table_of(families::Family::Weak, 30, 15, Capacity::Units(10_000), 5));
    for instance in &hard {
        write!(out, "state budgets:").unwrap();
        for budget in [0, 10, 100, 1_000, 5_000, 9_000, 12_000, 15_000, 20_000, 100_000] {
            let mut hurried = search;
            hurried.state_budget = budget;
            solve(out, &hurried, instance);
        }
        writeln!(out).unwrap();
    }
    for family in ALL {
        write!(out, "few units {family:?}:").unwrap();
        for units in [5, 40, 300] {
            solve(out, &search, &families::table_of(family, 3_000, 4, Capacity::Units(units), 7));
        }
        for units in [8, 16, 24, 40, 64, 100] {
            solve(out, &either, &families::table_of(family, 300, 40, Capacity::Units(units), 7));
        }
        writeln!(out).unwrap();
    }
    for family in ALL {
        write!(out, "many classes {family:?}:").unwrap();
        solve(out, &search, &families::table_of(family, 57_600, 2, Capacity::Percent(20), 7));
        writeln!(out).unwrap();
    }
}

fn unions(out: &mut String) {
    let mut random = Rand64::new(4);
    for round in 0..144_u64 {
        let sets = [6, 14, 30, 45][round as usize % 4] + random.rand_range(0..5);
        let (tolerant, weighted) = (round / 4 % 3 > 0, round / 12 % 4 == 3);
        let elements = 1 + random.rand_range(sets / 2..2 * sets);
        let mut instance = k_union::Instance::new();
        let most = [2, 9, 1_000, 1 << 40][round as usize / 36 % 4];
        for _ in 0..elements {
            let tolerance = if tolerant { random.rand_range(0..6) } else { 0 };
            instance.add_tolerant_element(random.rand_range(1..most), tolerance).unwrap();
        }
        for _ in 0..sets {
            let own: Vec<u64> = (0..elements).filter(|_| random.rand_range(0..elements) < 3).collect();
            let members: Vec<Member> = own
                .into_iter()
                .map(|element| match random.rand_range(0..5) {
                    0 => Member::breaking(element as u32),
                    _ => Member::losing(element as u32, random.rand_range(1..5)),
                })
                .collect();
            let weight = if weighted { random.rand_range(1..9) as u32 } else { 1 };
            instance.add_weighted_set(weight, members).unwrap();
        }
        let (mut workspace, mut solution) = (k_union::Workspace::new(), k_union::Solution::default());
        write!(out, "k_union {round}:").unwrap();
        for part in [1, 3, 5, 8] {
            let need = instance.weight() * part / 10;
            for nodes in [2, 200] {
                let solver = k_union::Solver::new().with_node_budget(nodes);
                solver.solve_into(&instance, need, &mut workspace, &mut solution).unwrap();
                let proof = certificate(solution.certificate());
                write!(out, " {proof} {} {};", workspace.nodes(), workspace.steps()).unwrap();
            }
        }
        let curve = k_union::Solver::new().curve(&instance);
        let bounds: u64 =
            (0..=sets as usize).filter_map(|count| curve.certificate(count)).map(|c| c.bound()).sum();
        writeln!(out, " curve {:?} {bounds}", curve.ends()).unwrap();
    }
}

/// Servers on loan, half of them full, with jobs over one to eight of them, some of which have workers to spare.
///
/// Servers are of these sizes and GPU types, in turn; where there are three types, some jobs have two GPUs a worker and some
/// workers are pinned.
fn cluster(random: &mut Rand64, servers: u64, sizes: &[u32], elastic: bool, kinds: &[usize]) -> Cluster {
    let (mixed, varied) = (kinds.len() > 1, kinds.contains(&2));
    let mut cluster = Cluster::new();
    let types = [
        cluster.add_gpu_type(GpuType::new("V100")).unwrap(),
        cluster.add_gpu_type(GpuType::new("V100-32GB")).unwrap(),
        cluster.add_gpu_type(GpuType::new("T4").speed(2, 3)).unwrap(),
    ];
    for at in 0..servers {
        let gpus = sizes[at as usize % sizes.len()];
        cluster.add_server(Server::on_loan(types[kinds[at as usize % kinds.len()]], gpus)).unwrap();
    }
    for _ in 0..2 * servers {
        let (start, wide) =
            (random.rand_range(0..servers), 1 + [0, 0, 1, 2, 3, 7][random.rand_range(0..6) as usize]);
        let each = 1 + random.rand_range(0..4) as u32;
        let hosts: Vec<ServerId> = (start..start + wide)
            .map(|at| ServerId::new((at % servers) as u32))
            .filter(|&server| cluster.free_gpus(server) >= each)
            .collect();
        let total = each * hosts.len() as u32;
        if total == 0 {
            continue;
        }
        let least = if elastic { 1 + random.rand_range(0..u64::from(total)) as u32 } else { total };
        let job = Job::elastic(least..=total).preemption_cost(1 + random.rand_range(0..3));
        let job = if mixed { job.fungible().heterogeneous() } else { job };
        let is_double = varied && each == 2;
        let job = if is_double { job.gpus_per_worker(2) } else { job };
        let job = cluster.add_job(job).unwrap();
        let placements: Vec<Placement> = hosts.iter().map(|&server| Placement::base(server, each)).collect();
        // Where it can't be placed, as a base of more than its minimum, the surplus is made flexible.
        let mut left = least;
        let split: Vec<Placement> = placements
            .iter()
            .flat_map(|placement| {
                let base = placement.workers.min(left);
                left -= base;
                [
                    Placement::base(placement.server, base),
                    Placement::flexible(placement.server, placement.workers - base),
                ]
            })
            .filter(|placement| placement.workers > 0)
            .collect();
        let split: Vec<Placement> = split
            .into_iter()
            .map(|mut placement| {
                placement.workers = if is_double { placement.workers.div_ceil(2) } else { placement.workers };
                placement.pinned = varied && total % 4 == 3 && placement.role == Role::Base;
                placement
            })
            .collect();
        // Of workers on slower GPUs it takes more, so some jobs of three types can't run like this.
        assert!(cluster.place(job, &split).is_ok() || varied);
    }
    cluster
}

fn reclaims(out: &mut String) {
    let mut random = Rand64::new(6);
    for round in 0..60 {
        let (elastic, mixed) = (round % 2 == 1, round % 5 == 4);
        let servers = [8, 16, 40, 60][round % 4];
        let cluster = cluster(&mut random, servers, &[8], elastic, if mixed { &[1, 0, 0] } else { &[0] });
        write!(out, "reclaim {round}:").unwrap();
        let (mut workspace, mut decision) = (reclaim::Workspace::default(), reclaim::Reclaim::default());
        for policy in [
            Policy::Exact,
            Policy::BestOfRules,
            Policy::Amortized,
            Policy::Aryl,
            Policy::SmallestCountFirst,
            Policy::Random { seed: 3 },
        ] {
            for part in [1, 4, 7] {
                let reclaimer = Reclaimer::new(policy);
                let count = (servers * part / 10) as u32;
                reclaimer.solve_into(&cluster, count, &mut workspace, &mut decision).unwrap();
                let proof = certificate(decision.certificate());
                write!(out, " {proof} {} {};", decision.collateral_gpus(), workspace.steps()).unwrap();
            }
        }
        let curve = CostCurve::of(&cluster, &Costs::default()).unwrap();
        let proofs: u64 =
            (0..=curve.available()).filter_map(|n| curve.certificate(n)).map(|c| c.bound()).sum();
        writeln!(out, " curve {proofs}").unwrap();
    }
}

/// Asks by GPUs, by type and with servers that must go back or stay, where servers are of several sizes.
fn asks(out: &mut String) {
    let mut random = Rand64::new(7);
    for round in 0..36 {
        let (elastic, mixed) = (round % 2 == 1, round % 3 > 0);
        let servers = [9, 14, 24, 45][round % 4];
        let sizes = [&[8][..], &[4, 8, 6], &[5, 4]][round / 4 % 3];
        let cluster = cluster(&mut random, servers, sizes, elastic, if mixed { &[1, 0, 2] } else { &[0] });
        let types = [GpuTypeId::new(0), GpuTypeId::new(1)];
        let listed = |from: u64, step: usize| -> Vec<ServerId> {
            (from..servers).step_by(step).map(|id| ServerId::new(id as u32)).collect()
        };
        let (gpus, few) = (servers * 2, (servers / 5) as u32);
        let mut kinds = vec![
            Ask::gpus(gpus),
            Ask::gpus(gpus).must_return(listed(1, 7)).must_stay(listed(4, 7)),
            Ask::servers(2 * few).must_return(listed(1, 9)),
            Ask::servers(servers as u32 - 1),
            Ask::these(listed(0, 5)),
        ];
        if mixed {
            let both = |second| vec![(types[1], Quantity::Servers(1)), (types[0], second)];
            kinds.extend([
                Ask::by_type(both(Quantity::Servers(few))),
                Ask::by_type(both(Quantity::Gpus(servers))).must_return(listed(0, 50)),
                Ask::by_type(vec![(types[0], Quantity::Gpus(servers)), (types[1], Quantity::Gpus(9))]),
            ]);
        }
        write!(out, "asks {round}:").unwrap();
        let hurried = k_union::Solver::new().with_node_budget(1).with_step_budget(0);
        let (mut workspace, mut decision) = (reclaim::Workspace::default(), reclaim::Reclaim::default());
        for ask in &kinds {
            for reclaimer in [
                Reclaimer::new(Policy::Exact),
                Reclaimer::new(Policy::Exact).solver(hurried),
                Reclaimer::new(Policy::BestOfRules),
                Reclaimer::new(Policy::Amortized).put_back(false),
            ] {
                reclaimer.solve_into(&cluster, ask, &mut workspace, &mut decision).unwrap();
                let proof = certificate(decision.certificate());
                let ids: u64 = decision.servers().iter().map(|id| u64::from(id.get())).sum();
                write!(out, " {proof} {} {ids} {};", decision.collateral_gpus(), workspace.steps()).unwrap();
            }
        }
        writeln!(out).unwrap();
    }
}

#[test]
fn the_work_is_that_on_record() {
    let mut now = String::new();
    knapsacks(&mut now);
    hints(&mut now);
    extremes(&mut now);
    unions(&mut now);
    reclaims(&mut now);
    asks(&mut now);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/effort.txt");
    if std::env::var_os("ARYL_UPDATE").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let record = std::fs::read_to_string(&path).unwrap_or_default();
    for (now, then) in now.lines().zip(record.lines()) {
        assert_eq!(now, then, "the work differs: see the head of tests/effort.rs");
    }
    assert_eq!(now.lines().count(), record.lines().count());
}
