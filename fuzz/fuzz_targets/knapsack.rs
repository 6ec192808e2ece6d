//! Any small instance: every solver's answer must pass the verifier, and the exact ones must agree with brute force.

#![no_main]

use aryl::knapsack::{ClassKind, Instance, Item, Solver, brute_force, dense, greedy};
use aryl::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied();
    let mut next = move || u64::from(bytes.next().unwrap_or(0));
    let mut instance = Instance::new(next() * (next() % 8 + 1));
    // Even weights leave some capacities out of reach; wide values leave large gaps.
    let (step, scale) = (next() as u32 % 4 + 1, 1 << (next() % 44));
    for _ in 0..next() % 7 {
        let kind = if next() % 4 == 0 { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        let items: Vec<Item> =
            (0..next() % 6).map(|_| Item::new(next() as u32 * step, next() * scale)).collect();
        // A class that must have an item and has none is refused.
        let _ = instance.push_class(kind, items);
    }
    let best = brute_force(&instance);
    let answers = [Solver::default().solve(&instance), dense(&instance, 1 << 24), greedy(&instance)];
    for (method, answer) in answers.into_iter().enumerate() {
        let (Ok(best), Ok(answer)) = (&best, &answer) else {
            assert!(best.is_err() && answer.is_err(), "{method}: {instance:?}");
            continue;
        };
        verify::knapsack(&instance, answer).expect("a sound answer");
        assert!(answer.certificate().bound() >= best.value(), "{method}: {instance:?}");
        assert!(answer.value() <= best.value(), "{method}: {instance:?}");
        if method < 2 {
            assert_eq!(answer.value(), best.value(), "{method}: {instance:?}");
            assert!(answer.certificate().is_optimal());
        }
    }
});
