//! Cheapest unions at the edges.

use aryl::k_union::{Instance, InstanceError, Member, SolveError, Solver, Workspace, brute_force};
use aryl::verify;

/// Solves, checks the answer, and compares with what is right.
#[track_caller]
fn expect(instance: &Instance, need: u64, cost: u64) -> Vec<u32> {
    let answer = Solver::default().solve(instance, need).unwrap();
    assert_eq!(verify::k_union(instance, need, &answer), Ok(()));
    assert_eq!(answer.cost(), cost, "need {need}");
    assert!(answer.certificate().is_optimal(), "need {need}: {}", answer.certificate());
    if instance.sets() < 12 {
        assert_eq!(brute_force(instance, need).unwrap().cost(), cost, "need {need}");
    }
    answer.sets().to_vec()
}

#[track_caller]
fn refused(instance: &Instance, asked: u64, available: u64) {
    let error = SolveError::NotEnoughSets { asked, available };
    assert_eq!(Solver::default().solve(instance, asked), Err(error));
    assert_eq!(brute_force(instance, asked), Err(error));
}

#[test]
fn without_sets_none_can_be_had() {
    let mut instance = Instance::new();
    for _ in 0..2 {
        assert!(expect(&instance, 0, 0).is_empty());
        for asked in [1, 1 << 63, u64::MAX] {
            refused(&instance, asked, 0);
        }
        assert_eq!(Solver::default().curve(&instance).certificate(0).unwrap().objective(), 0);
        assert_eq!(Solver::default().curve(&instance).certificate(1), None);
        // The same with an element that no set holds.
        instance.add_element(u64::MAX / 2).unwrap();
    }
}

#[test]
fn all_sets_and_one_more() {
    let mut instance = Instance::new();
    for cost in 1..=50 {
        let element = instance.add_element(cost).unwrap();
        instance.add_set([element]).unwrap();
    }
    assert_eq!(expect(&instance, 50, 1_275), (0..50).collect::<Vec<u32>>());
    refused(&instance, 51, 50);
    assert_eq!(expect(&instance, 49, 1_225), (0..49).collect::<Vec<u32>>());
    // Empty sets cost nothing, and come first.
    for _ in 0..3 {
        instance.add_set([]).unwrap();
    }
    assert_eq!(expect(&instance, 3, 0), [50, 51, 52]);
    expect(&instance, 53, 1_275);
    refused(&instance, 54, 53);
}

#[test]
fn costs_up_to_2_to_the_64_less_1() {
    let mut instance = Instance::new();
    let dear = instance.add_element(u64::MAX).unwrap();
    let free = instance.add_element(0).unwrap();
    instance.add_set([dear]).unwrap();
    instance.add_set([free]).unwrap();
    instance.add_set([dear, free]).unwrap();
    assert_eq!(expect(&instance, 1, 0), [1]);
    expect(&instance, 2, u64::MAX);
    expect(&instance, 3, u64::MAX);
    let error = InstanceError::CostSumTooLarge { element: 2, cost: 1 };
    assert_eq!(instance.add_element(1), Err(error));
    assert_eq!(instance.add_element(0), Ok(2));

    // Two halves: together just what can be counted.
    let mut instance = Instance::new();
    for cost in [1 << 63, (1 << 63) - 1] {
        let element = instance.add_element(cost).unwrap();
        instance.add_set([element]).unwrap();
    }
    assert_eq!(expect(&instance, 1, (1 << 63) - 1), [1]);
    expect(&instance, 2, u64::MAX);
}

#[test]
fn losses_and_tolerances_up_to_2_to_the_64_less_1() {
    let mut instance = Instance::new();
    let job = instance.add_tolerant_element(7, u64::MAX - 1).unwrap();
    for _ in 0..3 {
        instance.add_set_of([Member::losing(job, u64::MAX - 1)]).unwrap();
    }
    // One loss is just tolerated. Two are not, though their sum is above what a `u64` counts.
    expect(&instance, 1, 0);
    expect(&instance, 2, 7);
    expect(&instance, 3, 7);
    // A tolerance of 2^64 - 1 tolerates any loss but one that breaks.
    let mut instance = Instance::new();
    let job = instance.add_tolerant_element(7, u64::MAX).unwrap();
    instance.add_set_of([Member::losing(job, u64::MAX - 1)]).unwrap();
    instance.add_set_of([Member::breaking(job)]).unwrap();
    assert_eq!(expect(&instance, 1, 0), [0]);
    expect(&instance, 2, 7);
}

#[test]
fn weights_up_to_2_to_the_32_less_1() {
    let mut instance = Instance::new();
    let [a, b] = [9, 4].map(|cost| instance.add_element(cost).unwrap());
    instance.add_weighted_set(u32::MAX - 1, [Member::breaking(a)]).unwrap();
    instance.add_weighted_set(1, [Member::breaking(b)]).unwrap();
    assert_eq!(expect(&instance, 1, 4), [1]);
    assert_eq!(expect(&instance, 2, 9), [0]);
    assert_eq!(expect(&instance, u64::from(u32::MAX) - 1, 9), [0]);
    assert_eq!(expect(&instance, u32::MAX.into(), 13), [0, 1]);
    refused(&instance, 1 << 32, u32::MAX.into());
    let error = InstanceError::WeightSumTooLarge { set: 2, weight: 1, limit: u32::MAX.into() };
    assert_eq!(instance.add_weighted_set(1, []), Err(error));
    let error = InstanceError::WeightSumTooLarge { set: 2, weight: u32::MAX, limit: u32::MAX.into() };
    assert_eq!(instance.add_weighted_set(u32::MAX, []), Err(error));
    assert_eq!(instance.add_weighted_set(0, []), Err(InstanceError::ZeroWeight { set: 2 }));
}

#[test]
fn ten_thousand_equal_sets() {
    let mut instance = Instance::new();
    for _ in 0..10_000 {
        let element = instance.add_element(3).unwrap();
        instance.add_set([element]).unwrap();
    }
    for need in [1, 5_000, 9_999, 10_000] {
        expect(&instance, need, 3 * need);
    }
    refused_large(&instance, 10_001);
    let curve = Solver::default().curve(&instance);
    for count in [0, 1, 5_000, 10_000] {
        let certificate = curve.certificate(count).unwrap();
        assert_eq!((certificate.objective(), certificate.bound()), (3 * count as u64, 3 * count as u64));
    }
}

fn refused_large(instance: &Instance, asked: u64) {
    let error = SolveError::NotEnoughSets { asked, available: instance.weight() };
    assert_eq!(Solver::default().solve(instance, asked), Err(error));
}

#[test]
fn an_element_in_every_one_of_ten_thousand_sets() {
    let mut instance = Instance::new();
    let everywhere = instance.add_element(7).unwrap();
    let elsewhere: Vec<u32> = (0..100).map(|_| instance.add_element(1).unwrap()).collect();
    for set in 0..10_000 {
        // Each of the others is in a hundred sets.
        instance.add_set([everywhere, elsewhere[set % 100]]).unwrap();
    }
    // The relaxation pays a share of the one that is everywhere, so the answer is right and, but for all, not proven.
    for (need, cost) in [(1, 8), (100, 8), (101, 9), (200, 9), (5_000, 57)] {
        let answer = Solver::default().solve(&instance, need).unwrap();
        assert_eq!(verify::k_union(&instance, need, &answer), Ok(()));
        assert_eq!(answer.cost(), cost, "{need}");
    }
    expect(&instance, 10_000, 107);
    // One that tolerates the loss of nine sets, of which the relaxation knows nothing.
    let mut instance = Instance::new();
    let everywhere = instance.add_tolerant_element(7, 9).unwrap();
    for _ in 0..10_000 {
        instance.add_set_of([Member::losing(everywhere, 1)]).unwrap();
    }
    for (need, cost) in [(1, 0), (9, 0), (10, 7), (10_000, 7)] {
        let answer = Solver::default().solve(&instance, need).unwrap();
        assert_eq!(verify::k_union(&instance, need, &answer), Ok(()));
        assert_eq!(answer.cost(), cost, "{need}");
    }
}

/// A case that no bound settles: every two sets of sixty share an element. The effort is what the budget allows.
#[test]
fn the_budget_ends_what_does_not_end() {
    let mut instance = Instance::new();
    let sets = 60_usize;
    let mut members = vec![Vec::new(); sets];
    for (first, second) in (0..sets).flat_map(|first| (first + 1..sets).map(move |second| (first, second))) {
        let element = instance.add_element(1).unwrap();
        members[first].push(element);
        members[second].push(element);
    }
    for members in members {
        instance.add_set(members).unwrap();
    }
    let solver = Solver::new().with_node_budget(30).with_step_budget(0);
    let (mut workspace, mut answer) = (Workspace::new(), aryl::k_union::Solution::default());
    solver.solve_into(&instance, 30, &mut workspace, &mut answer).unwrap();
    // Any thirty sets touch all pairs but those among the other thirty.
    assert_eq!(answer.cost(), 1_770 - 435);
    assert_eq!(verify::k_union(&instance, 30, &answer), Ok(()));
    assert!(workspace.nodes() <= 30, "{}", workspace.nodes());
}

#[test]
fn the_verifier_refuses_answers_to_another_problem() {
    let mut instance = Instance::new();
    let element = instance.add_element(u64::MAX).unwrap();
    instance.add_set([element]).unwrap();
    instance.add_set([]).unwrap();
    let answer = Solver::default().solve(&instance, 1).unwrap();
    assert!(verify::k_union(&instance, u64::MAX, &answer).is_err());
    assert!(verify::k_union(&instance, 2, &answer).is_err());
    assert!(verify::k_union(&Instance::new(), 1, &answer).is_err());
}
