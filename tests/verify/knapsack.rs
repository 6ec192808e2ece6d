//! `verify::knapsack` on the answers of every solver, and on answers made wrong.

use aryl::knapsack::{ClassKind, Instance, Item, Solution, Solver, brute_force, greedy};
use aryl::verify::{self, KnapsackViolation as V, Violation};
use oorandom::Rand32;
use serde_json::{Value, json};

fn random_instance(random: &mut Rand32) -> Instance {
    let mut below = |limit: u32| random.rand_range(0..limit);
    let mut instance = Instance::new(below(30).into());
    for _ in 0..below(6) {
        let mandatory = below(3) == 0;
        let items: Vec<Item> = (0..u32::from(mandatory) + below(4))
            .map(|_| Item::new(below(9), [0, 5, u64::from(below(100))][below(3) as usize]))
            .collect();
        let kind = if mandatory { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        instance.push_class(kind, items).unwrap();
    }
    instance
}

fn read(answer: &Value) -> Solution {
    serde_json::from_value(answer.clone()).unwrap()
}

/// An answer with these choices, added up right, with this bound.
fn answer(instance: &Instance, choices: &[Option<u32>], bound: u64) -> Value {
    let items = || choices.iter().enumerate().filter_map(|(class, item)| instance.item(class, (*item)?));
    let value: u64 = items().map(|item| item.value).sum();
    json!({
        "choices": choices,
        "value": value,
        "weight": items().map(|item| u64::from(item.weight)).sum::<u64>(),
        "certificate": {"sense": "maximize", "objective": value, "bound": bound},
        "method": "greedy",
    })
}

#[test]
fn the_answers_of_all_solvers_pass_and_no_other_is_called_optimal_lightly() {
    let mut random = Rand32::new(5);
    let (mut checked, mut falsified) = (0, 0);
    while checked < 2_000 {
        let instance = random_instance(&mut random);
        let Ok(best) = brute_force(&instance) else { continue };
        checked += 1;
        for solution in [&best, &greedy(&instance).unwrap(), &Solver::default().solve(&instance).unwrap()] {
            assert_eq!(verify::knapsack(&instance, solution), Ok(()), "{instance:?}");
        }
        // The best answer with one choice taken back: right as an answer, but the bound must not fall with it.
        let choices: Vec<Option<u32>> = best.choices().collect();
        for class in (0..choices.len()).filter(|&class| choices[class].is_some()) {
            let mut fewer = choices.clone();
            fewer[class] = None;
            let certified = |bound| verify::knapsack(&instance, &read(&answer(&instance, &fewer, bound)));
            let items = instance.class_length(class);
            if instance.class_kind(class) == ClassKind::ExactlyOne {
                assert_eq!(certified(best.value()), Err(V::NothingChosen { class, items }.into()));
                continue;
            }
            assert_eq!(certified(best.value()), Ok(()));
            let lost = instance.item(class, choices[class].unwrap()).unwrap().value;
            if lost > 0 {
                let low = certified(best.value() - lost).unwrap_err();
                assert!(matches!(low, Violation::Knapsack(V::BoundTooLow { .. })), "{low}");
                falsified += 1;
            }
        }
        let right = serde_json::to_value(&best).unwrap();
        let mut heavier = right.clone();
        heavier["weight"] = (best.weight() + 1).into();
        let (stated, expected) = (best.weight() + 1, best.weight());
        assert_eq!(verify::knapsack(&instance, &read(&heavier)), Err(V::Weight { stated, expected }.into()));
        let mut richer = right.clone();
        richer["value"] = (best.value() + 1).into();
        richer["certificate"] =
            json!({"sense": "maximize", "objective": best.value() + 1, "bound": best.value() + 1});
        let (stated, expected) = (best.value() + 1, best.value());
        assert_eq!(verify::knapsack(&instance, &read(&richer)), Err(V::Value { stated, expected }.into()));
    }
    assert!(falsified > 1_000, "{falsified}");
}

/// Capacity 6. Class 0: one of (4, 7), (2, 3). Class 1: at most one of (3, 6), (5, 9). Best: 3 + 6 at weight 5.
fn sample() -> Instance {
    let mut instance = Instance::new(6);
    instance.push_class(ClassKind::ExactlyOne, [Item::new(4, 7), Item::new(2, 3)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(3, 6), Item::new(5, 9)]).unwrap();
    instance
}

#[test]
fn each_violation_has_its_numbers() {
    let instance = sample();
    let check = |choices: &[Option<u32>], bound| {
        verify::knapsack(&instance, &read(&answer(&instance, choices, bound)))
    };
    assert_eq!(check(&[Some(1), Some(0)], 9), Ok(()));
    assert_eq!(check(&[Some(1)], 9), Err(V::Classes { choices: 1, classes: 2 }.into()));
    let three = [Some(1), Some(0), None];
    assert_eq!(check(&three[..2], 9), Ok(()));
    let mut longer = answer(&instance, &three[..2], 9);
    longer["choices"] = json!(three);
    assert_eq!(
        verify::knapsack(&instance, &read(&longer)),
        Err(V::Classes { choices: 3, classes: 2 }.into())
    );
    let missing = V::NoSuchItem { class: 1, item: 2, items: 2 };
    assert_eq!(check(&[Some(1), Some(2)], 9), Err(missing.into()));
    assert_eq!(check(&[None, Some(0)], 9), Err(V::NothingChosen { class: 0, items: 2 }.into()));
    assert_eq!(check(&[Some(1), Some(1)], 12), Err(V::OverCapacity { weight: 7, capacity: 6 }.into()));
    // A better answer one choice away: from this one, and from the lightest, which is [1, None].
    assert_eq!(check(&[Some(1), None], 8), Err(V::BoundTooLow { bound: 8, class: 1, value: 9 }.into()));
    assert_eq!(check(&[Some(0), None], 8), Err(V::BoundTooLow { bound: 8, class: 1, value: 9 }.into()));
    assert_eq!(check(&[Some(0), None], 9), Ok(()));
}

#[test]
fn a_better_answer_that_fits_only_in_place_of_a_choice_is_found() {
    let mut instance = Instance::new(2);
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, 10)]).unwrap();
    instance.push_class(ClassKind::AtMostOne, [Item::new(1, 1), Item::new(1, 5)]).unwrap();
    let check = |bound| verify::knapsack(&instance, &read(&answer(&instance, &[Some(0), Some(0)], bound)));
    assert_eq!(check(14), Err(V::BoundTooLow { bound: 14, class: 1, value: 15 }.into()));
    assert_eq!(check(15), Ok(()));
}
