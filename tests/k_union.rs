//! Choosing sets with the cheapest union: brute force, bounds, permutations, extremes.

use aryl::k_union::{Instance, InstanceError, Member, Solution, SolveError, Solver, Workspace, brute_force};
use aryl::verify::{self, UnionViolation, Violation};
use oorandom::{Rand32, Rand64};

#[derive(Clone, Debug)]
struct Lists {
    /// Cost and tolerance of each element.
    elements: Vec<(u64, u64)>,
    /// For each set, its elements and what they lose; nothing where the element breaks.
    sets: Vec<Vec<(u32, Option<u64>)>>,
}

impl Lists {
    fn build(&self) -> Instance {
        let mut instance = Instance::new();
        for &(cost, tolerance) in &self.elements {
            instance.add_tolerant_element(cost, tolerance).unwrap();
        }
        for set in &self.sets {
            let member = |&(element, loss): &(u32, Option<u64>)| match loss {
                Some(loss) => Member::losing(element, loss),
                None => Member::breaking(element),
            };
            instance.add_set_of(set.iter().map(member)).unwrap();
        }
        instance
    }

    fn random(random: &mut Rand32, sets: u32, tolerant: bool, costs: &[u64]) -> Self {
        let elements = 1 + random.rand_range(0..2 * sets);
        let mut lists = Self { elements: Vec::new(), sets: vec![Vec::new(); sets as usize] };
        for element in 0..elements {
            let width = 1 + [0, 1, 1, 2, 3, 5][random.rand_range(0..6) as usize].min(sets - 1);
            let mut taken = 0;
            let mut total = 0;
            let start = random.rand_range(0..sets);
            for at in 0..sets {
                let set = (start + at) % sets;
                if taken < width && random.rand_range(0..sets - at) < (width - taken) * 2 {
                    let loss = 1 + u64::from(random.rand_range(0..4));
                    let breaks = !tolerant || random.rand_range(0..10) == 0;
                    lists.sets[set as usize].push((element, (!breaks).then_some(loss)));
                    taken += 1;
                    total += loss;
                }
            }
            let tolerance = if tolerant { u64::from(random.rand_range(0..total as u32 + 2)) } else { 0 };
            lists.elements.push((costs[random.rand_range(0..costs.len() as u32) as usize], tolerance));
        }
        lists
    }
}

const UNIT: &[u64] = &[1];
const SMALL: &[u64] = &[0, 1, 1, 2, 3, 7];
const WIDE: &[u64] = &[1, 10, 1_000, 123_456_789, 1 << 50];

#[test]
fn it_equals_brute_force() {
    let mut random = Rand32::new(1);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let mut branched = 0;
    for round in 0..6_000 {
        let sets = 1 + random.rand_range(0..9);
        let costs = [UNIT, SMALL, WIDE][round % 3];
        let instance = Lists::random(&mut random, sets, round % 2 == 0, costs).build();
        let count = u64::from(random.rand_range(0..sets + 1));
        let right = brute_force(&instance, count).unwrap();
        Solver::new().solve_into(&instance, count, &mut workspace, &mut solution).unwrap();
        assert_eq!(solution.cost(), right.cost(), "round {round}");
        assert!(solution.certificate().is_optimal(), "round {round}: {}", solution.certificate());
        assert_eq!(instance.cost_of(solution.sets()), Some(solution.cost()), "round {round}");
        assert_eq!(solution.sets().len() as u64, count);
        assert!(solution.sets().is_sorted_by(|a, b| a < b));
        assert_eq!(verify::k_union(&instance, count, &solution), Ok(()));
        branched += usize::from(workspace.nodes() > 1);
    }
    assert!(branched > 300, "only {branched} instances needed a second node");
}

// With more sets than above the first bound is seldom met, so that cuts are found, and sets settled by their prices.
#[test]
fn with_many_losses_it_equals_brute_force() {
    let mut random = Rand32::new(77);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let mut branched = 0;
    for round in 0..1_000 {
        let sets = 8 + random.rand_range(0..6);
        let instance = Lists::random(&mut random, sets, true, [UNIT, SMALL][round % 2]).build();
        let count = u64::from(random.rand_range(1..sets));
        Solver::new().solve_into(&instance, count, &mut workspace, &mut solution).unwrap();
        if workspace.nodes() > 1 {
            branched += 1;
            assert_eq!(solution.cost(), brute_force(&instance, count).unwrap().cost(), "round {round}");
        }
    }
    assert!(branched > 100, "only {branched} instances needed a second node");
}

#[test]
fn a_set_that_is_not_there_has_no_elements() {
    let mut instance = Instance::new();
    let element = instance.add_element(1).unwrap();
    instance.add_set([element]).unwrap();
    assert_eq!([0, 1, 2, u32::MAX].map(|set| instance.set(set).count()), [1, 0, 0, 0]);
}

#[test]
fn with_weights_it_equals_brute_force() {
    let mut random = Rand32::new(7);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    for round in 0..3_000 {
        let sets = 1 + random.rand_range(0..8);
        let lists = Lists::random(&mut random, sets, round % 2 == 0, [UNIT, SMALL, WIDE][round % 3]);
        let mut instance = Instance::new();
        for &(cost, tolerance) in &lists.elements {
            instance.add_tolerant_element(cost, tolerance).unwrap();
        }
        let mut weights = Vec::new();
        for set in &lists.sets {
            let member = |&(element, loss): &(u32, Option<u64>)| match loss {
                Some(loss) => Member::losing(element, loss),
                None => Member::breaking(element),
            };
            weights.push([1, 2, 4, 4, 8][random.rand_range(0..5) as usize]);
            instance.add_weighted_set(*weights.last().unwrap(), set.iter().map(member)).unwrap();
        }
        let need = u64::from(random.rand_range(0..instance.weight() as u32 + 1));
        let right = brute_force(&instance, need).unwrap();
        Solver::new().solve_into(&instance, need, &mut workspace, &mut solution).unwrap();
        assert_eq!(solution.cost(), right.cost(), "round {round}");
        assert!(solution.certificate().is_optimal(), "round {round}: {}", solution.certificate());
        assert_eq!(instance.cost_of(solution.sets()), Some(solution.cost()), "round {round}");
        let weigh = |set: &u32| u64::from(weights[*set as usize]);
        let weight: u64 = solution.sets().iter().map(weigh).sum();
        assert!(weight >= need, "round {round}");
        assert!(solution.sets().iter().all(|set| weight - weigh(set) < need), "round {round}");
        assert_eq!(verify::k_union(&instance, need, &solution), Ok(()));
        assert_eq!(verify::k_union(&instance, need, &right), Ok(()));
        let quick = Solver::new().with_node_budget(1).solve(&instance, need).unwrap();
        assert!(quick.certificate().bound() <= right.cost(), "round {round}");
    }
}

#[test]
fn brute_force_takes_no_set_that_could_be_left_out() {
    let mut instance = Instance::new();
    let free = instance.add_element(0).unwrap();
    instance.add_weighted_set(4, [Member::breaking(free)]).unwrap();
    instance.add_weighted_set(8, []).unwrap();
    let answer = brute_force(&instance, 8).unwrap();
    assert_eq!(answer.sets(), [1]);
    assert_eq!(verify::k_union(&instance, 8, &answer), Ok(()));
}

#[test]
fn of_the_cheapest_choices_brute_force_takes_the_first_in_the_order_of_words() {
    let mut random = Rand32::new(9);
    for round in 0..1_000 {
        let sets = 1 + random.rand_range(0..7);
        let instance = Lists::random(&mut random, sets, round % 2 == 0, UNIT).build();
        let count = u64::from(random.rand_range(0..sets + 1));
        let answer = brute_force(&instance, count).unwrap();
        let choices = (0_u32..1 << sets).filter(|choice| u64::from(choice.count_ones()) == count);
        let choices =
            choices.map(|choice| (0..sets).filter(|set| choice >> set & 1 == 1).collect::<Vec<u32>>());
        let first = choices.filter(|choice| instance.cost_of(choice) == Some(answer.cost())).min();
        assert_eq!(Some(answer.sets()), first.as_deref(), "round {round}");
    }
}

#[test]
fn the_verifier_notices_a_bound_above_what_the_sets_cheapest_by_weight_cost() {
    // A set of weight 8, and eight of weight 1, which the solver takes where the large one is dear.
    let instance = |cost_of_large: u64| {
        let mut instance = Instance::new();
        let large = instance.add_element(cost_of_large).unwrap();
        instance.add_weighted_set(8, [Member::breaking(large)]).unwrap();
        for _ in 0..8 {
            let small = instance.add_element(1_000).unwrap();
            instance.add_set([small]).unwrap();
        }
        instance
    };
    let answer = Solver::new().solve(&instance(1 << 40), 8).unwrap();
    assert_eq!((answer.cost(), answer.certificate().bound()), (8_000, 8_000));
    let violation = UnionViolation::Bound { bound: 8_000, cost: 5_000 };
    assert_eq!(verify::k_union(&instance(5_000), 8, &answer), Err(violation.into()));
}

#[test]
fn the_verifier_ranks_sets_by_their_cost_for_each_unit_of_weight() {
    // A set of weight 2 at 3, and two of weight 1: dearer together at first, then cheaper.
    let instance = |cost_of_small: u64| {
        let mut instance = Instance::new();
        for (weight, cost) in [(2, 3), (1, cost_of_small), (1, cost_of_small)] {
            let element = instance.add_element(cost).unwrap();
            instance.add_weighted_set(weight, [Member::breaking(element)]).unwrap();
        }
        instance
    };
    let answer = Solver::new().solve(&instance(2), 2).unwrap();
    assert_eq!((answer.sets(), answer.certificate().bound()), (&[0][..], 3));
    let violation = UnionViolation::Bound { bound: 3, cost: 2 };
    assert_eq!(verify::k_union(&instance(1), 2, &answer), Err(violation.into()));
}

#[test]
fn a_solver_has_the_budgets_it_was_given() {
    let solver = Solver::new().with_node_budget(7).with_step_budget(9);
    assert_eq!((solver.node_budget, solver.step_budget), (7, 9));
}

#[test]
fn costs_and_losses_near_the_limits_do_not_overflow_the_search() {
    let mut random = Rand64::new(10);
    for round in 0..300 {
        let mut instance = Instance::new();
        for _ in 0..3 {
            let cost = random.rand_range(1..1 << (20 + round % 43));
            instance.add_tolerant_element(cost, random.rand_range(0..1 << (10 + round % 54))).unwrap();
        }
        for _ in 0..7 {
            let loss = || random.rand_range(0..1 << (10 + round % 54));
            let losses = core::iter::repeat_with(loss).take(3).collect::<Vec<u64>>();
            let members = losses.into_iter().enumerate().map(|(at, loss)| Member::losing(at as u32, loss));
            instance.add_weighted_set([1, 1 << 28][round % 2], members).unwrap();
        }
        for part in 1..=7 {
            let need = instance.weight() * part / 7;
            let answer = Solver::new().solve(&instance, need).unwrap();
            assert_eq!(answer.cost(), brute_force(&instance, need).unwrap().cost(), "round {round}, {need}");
            assert!(answer.certificate().is_optimal());
        }
    }
}

#[test]
fn bounds_hold_whatever_the_budget() {
    let mut random = Rand32::new(2);
    for round in 0..2_000 {
        let sets = 2 + random.rand_range(0..8);
        let instance =
            Lists::random(&mut random, sets, round % 2 == 0, [UNIT, SMALL, WIDE][round % 3]).build();
        let count = u64::from(random.rand_range(0..sets + 1));
        let right = brute_force(&instance, count).unwrap().cost();
        for nodes in [0, 1, 2, 3, 5, 9] {
            let answer = Solver::new().with_node_budget(nodes).solve(&instance, count).unwrap();
            assert!(answer.certificate().bound() <= right, "round {round}, {nodes} nodes");
            assert!(answer.cost() >= right);
            assert_eq!(instance.cost_of(answer.sets()), Some(answer.cost()));
        }
        let answer = Solver::new().with_step_budget(0).solve(&instance, count).unwrap();
        assert!(answer.certificate().bound() <= right && right <= answer.cost());
    }
}

#[test]
fn the_curve_bounds_every_number_and_meets_it_at_its_ends() {
    let mut random = Rand32::new(3);
    for round in 0..1_000 {
        let sets = 1 + random.rand_range(0..8);
        let tolerant = round % 2 == 0;
        let instance = Lists::random(&mut random, sets, tolerant, [UNIT, SMALL, WIDE][round % 3]).build();
        let curve = Solver::new().curve(&instance);
        assert_eq!(curve.ends().last(), Some(&(sets as usize)));
        assert!(curve.ends().is_sorted_by(|a, b| a < b));
        for count in 0..=sets as usize {
            let right = brute_force(&instance, count as u64).unwrap().cost();
            let certificate = curve.certificate(count).unwrap();
            assert!(certificate.bound() <= right && right <= certificate.objective(), "round {round}");
            assert_eq!(instance.cost_of(curve.sets(count).unwrap()), Some(certificate.objective()));
            if !tolerant && (count == 0 || curve.ends().contains(&count)) {
                assert_eq!(certificate.objective(), right, "round {round}");
                assert!(certificate.is_optimal());
            }
        }
        assert_eq!(curve.certificate(sets as usize + 1), None);
    }
}

#[test]
fn the_cost_does_not_depend_on_the_order_of_sets_and_elements() {
    let mut random = Rand32::new(4);
    for round in 0..1_000 {
        let sets = 2 + random.rand_range(0..12);
        let lists = Lists::random(&mut random, sets, round % 2 == 0, SMALL);
        let mut turned = lists.clone();
        turned.sets.reverse();
        turned.elements.reverse();
        let last = lists.elements.len() as u32 - 1;
        for set in &mut turned.sets {
            set.iter_mut().for_each(|member| member.0 = last - member.0);
            set.reverse();
        }
        let count = u64::from(random.rand_range(0..sets + 1));
        let cost = |lists: &Lists| Solver::new().solve(&lists.build(), count).unwrap().cost();
        assert_eq!(cost(&lists), cost(&turned), "round {round}");
    }
}

#[test]
fn more_sets_never_cost_less_and_cheaper_elements_never_more() {
    let mut random = Rand32::new(5);
    for round in 0..500 {
        let sets = 2 + random.rand_range(0..10);
        let mut lists = Lists::random(&mut random, sets, round % 2 == 0, SMALL);
        let cost = |lists: &Lists, count| Solver::new().solve(&lists.build(), count as u64).unwrap().cost();
        let costs: Vec<u64> = (0..=sets as usize).map(|count| cost(&lists, count)).collect();
        assert!(costs.is_sorted(), "round {round}: {costs:?}");
        let element = random.rand_range(0..lists.elements.len() as u32) as usize;
        lists.elements[element].0 /= 2;
        assert!((0..=sets as usize).all(|count| cost(&lists, count) <= costs[count]), "round {round}");
        // A set without elements is free.
        lists.sets.push(Vec::new());
        assert!((0..=sets as usize).all(|count| cost(&lists, count + 1) <= costs[count]), "round {round}");
    }
}

#[test]
fn extremes() {
    let solver = Solver::new();
    assert_eq!(solver.solve(&Instance::new(), 0).unwrap(), Solution::default());
    assert_eq!(solver.solve(&Instance::new(), 1), Err(SolveError::NotEnoughSets { asked: 1, available: 0 }));
    assert_eq!(brute_force(&Instance::new(), 1), Err(SolveError::NotEnoughSets { asked: 1, available: 0 }));

    // The largest cost, as one element and as two; the sum may not be larger.
    let mut instance = Instance::new();
    let half = u64::MAX / 2;
    let [a, b, c] = [half, half, 1].map(|cost| instance.add_element(cost).unwrap());
    assert_eq!(instance.add_element(1), Err(InstanceError::CostSumTooLarge { element: 3, cost: 1 }));
    for set in [&[a, b][..], &[b, c], &[a, c], &[a, b, c]] {
        instance.add_set(set.iter().copied()).unwrap();
    }
    for count in 0..=4_u64 {
        let right = brute_force(&instance, count).unwrap();
        assert_eq!(solver.solve(&instance, count).unwrap().cost(), right.cost());
    }

    // The largest tolerance and loss do not overflow; a breaking member breaks all the same.
    let mut instance = Instance::new();
    let element = instance.add_tolerant_element(u64::MAX, u64::MAX).unwrap();
    for _ in 0..3 {
        instance.add_set_of([Member::losing(element, u64::MAX - 1)]).unwrap();
    }
    instance.add_set_of([Member::breaking(element)]).unwrap();
    let costs: Vec<u64> = (0..=4).map(|count| solver.solve(&instance, count).unwrap().cost()).collect();
    assert_eq!(costs, [0, 0, u64::MAX, u64::MAX, u64::MAX]);

    // Ten thousand equal sets.
    let mut instance = Instance::new();
    for _ in 0..10_000 {
        let element = instance.add_element(1).unwrap();
        instance.add_set([element]).unwrap();
    }
    let answer = solver.solve(&instance, 5_000).unwrap();
    assert_eq!((answer.cost(), answer.certificate().is_optimal()), (5_000, true));
}

#[test]
fn what_is_wrong_with_an_instance_is_said_and_changes_nothing() {
    let mut instance = Instance::new();
    let [a, b] = [(); 2].map(|()| instance.add_element(1).unwrap());
    assert_eq!(
        instance.add_set([a, 7]),
        Err(InstanceError::UnknownElement { set: 0, element: 7, elements: 2 })
    );
    assert_eq!(instance.add_set([b, a]), Err(InstanceError::ElementOrder { set: 0, before: 1, element: 0 }));
    assert_eq!(instance.add_set([a, a]), Err(InstanceError::ElementOrder { set: 0, before: 0, element: 0 }));
    assert_eq!(instance.sets(), 0);
    assert_eq!(instance.add_set([a, b]), Ok(0));
    assert_eq!(instance.cost_of(&[0, 0]), Some(2));
    assert_eq!(
        InstanceError::UnknownElement { set: 0, element: 7, elements: 2 }.to_string(),
        "set 0 holds element 7, but the instance has 2 elements"
    );
    instance.clear();
    assert_eq!((instance.sets(), instance.elements()), (0, 0));
}

#[test]
fn repeated_and_used_memory_give_the_same_answer() {
    let mut random = Rand32::new(6);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    for round in 0..300 {
        let sets = 2 + random.rand_range(0..20);
        let instance = Lists::random(&mut random, sets, round % 2 == 0, SMALL).build();
        let count = u64::from(random.rand_range(0..sets + 1));
        Solver::new().solve_into(&instance, count, &mut workspace, &mut solution).unwrap();
        assert_eq!(Solver::new().solve(&instance, count).as_ref(), Ok(&solution), "round {round}");
    }
}

#[test]
fn the_verifier_notices_what_is_wrong() {
    let mut instance = Instance::new();
    let (a, b) = (instance.add_element(3).unwrap(), instance.add_tolerant_element(5, 1).unwrap());
    instance.add_set([a]).unwrap();
    instance.add_set_of([Member::losing(b, 1)]).unwrap();
    instance.add_weighted_set(4, [Member::losing(a, 1), Member::losing(b, 1)]).unwrap();
    let solve = |need| Solver::new().solve(&instance, need).unwrap();
    let broken = |need, answer: &Solution| match verify::k_union(&instance, need, answer) {
        Err(Violation::Union(violation)) => Some(violation),
        other => panic!("{other:?}"),
    };
    // One set is not enough for two; both of them are too many for one, and the large set alone would do for four.
    assert_eq!(broken(2, &solve(1)), Some(UnionViolation::TooLight { weight: 1, needed: 2 }));
    assert_eq!(broken(1, &solve(2)), Some(UnionViolation::Superfluous { set: 0, weight: 1, needed: 1 }));
    // The same sets in another instance: another cost, and a bound that does not hold there.
    let mut dearer = Instance::new();
    let (a, b) = (dearer.add_element(4).unwrap(), dearer.add_tolerant_element(5, 1).unwrap());
    dearer.add_set([a]).unwrap();
    dearer.add_set_of([Member::losing(b, 1)]).unwrap();
    let answer = solve(2);
    assert_eq!(
        verify::k_union(&dearer, 2, &answer),
        Err(UnionViolation::Cost { stated: 3, expected: 4 }.into())
    );
    let mut fewer = Instance::new();
    fewer.add_set([]).unwrap();
    assert_eq!(
        verify::k_union(&fewer, 1, &answer),
        Err(UnionViolation::NoSuchSet { set: 1, sets: 1 }.into())
    );
    let mut wider = Instance::new();
    let a = wider.add_element(3).unwrap();
    for elements in [&[a][..], &[a], &[]] {
        wider.add_set(elements.iter().copied()).unwrap();
    }
    let forced = {
        let mut narrow = Instance::new();
        let a = narrow.add_element(3).unwrap();
        narrow.add_set([a]).unwrap();
        Solver::new().solve(&narrow, 1).unwrap()
    };
    assert_eq!(verify::k_union(&wider, 1, &forced), Err(UnionViolation::Bound { bound: 3, cost: 0 }.into()));
}

#[test]
fn a_warm_workspace_allocates_nothing() {
    let mut random = Rand32::new(8);
    let instances: Vec<Instance> =
        (0..40).map(|round| Lists::random(&mut random, 2 + round, round % 2 == 0, SMALL).build()).collect();
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let mut solve_all = || {
        for instance in &instances {
            for need in [0, 1, instance.weight() / 2, instance.weight()] {
                Solver::new().solve_into(instance, need, &mut workspace, &mut solution).unwrap();
            }
        }
    };
    solve_all();
    assert_eq!(allocation_counter::measure(solve_all).count_total, 0);
}
