//! Any small family of sets: the answer must cost what brute force says, and no bound may lie above that.

use std::collections::BTreeMap;

use aryl::k_union::{Curve, Instance, Member, Solution, Solver, Workspace, brute_force};
use aryl::verify;

use super::bytes::Bytes;

/// Small costs as they are; some so large that their sum is at the end of the range.
fn read_cost(bytes: &mut Bytes) -> u64 {
    match bytes.byte() {
        byte @ 224..=255 => 1 << (2 * (byte - 224)),
        byte => (byte % 16).into(),
    }
}

fn read_tolerance(bytes: &mut Bytes) -> u64 {
    match bytes.byte() {
        255 => u64::MAX,
        254 => u64::MAX - 1,
        253 => 1 << 62,
        byte => (byte % 12).into(),
    }
}

fn read_member(bytes: &mut Bytes, element: u32) -> Member {
    match bytes.byte() {
        255 => Member::losing(element, u64::MAX - 1),
        254 => Member::losing(element, 1 << 63),
        253 => Member::losing(element, 1 << 61),
        byte if byte % 4 == 0 => Member::breaking(element),
        byte => Member::losing(element, (byte / 4 % 8).into()),
    }
}

fn read_instance(bytes: &mut Bytes) -> Instance {
    let mut instance = Instance::new();
    let (elements, sets, style) = (bytes.below(12), bytes.below(12), bytes.below(4));
    for _ in 0..elements {
        let (cost, tolerance) = (read_cost(bytes), if style & 1 == 0 { 0 } else { read_tolerance(bytes) });
        // Costs whose sum would be too large are refused.
        let _ = instance.add_tolerant_element(cost, tolerance);
    }
    for _ in 0..sets {
        let mask = bytes.byte() | (bytes.byte() << 8);
        // A set that names an element beyond the last is refused, as is one that weighs nothing.
        let named = (0..elements).filter(|element| mask >> element & 1 == 1);
        let named: Vec<u32> = named.collect();
        let members = named.into_iter().map(|element| match style & 1 {
            0 => Member::breaking(element),
            _ => read_member(bytes, element),
        });
        let members: Vec<Member> = members.collect();
        let weight = match style & 2 {
            0 => 1,
            _ => match bytes.byte() {
                255 => u32::MAX,
                254 => 1 << 31,
                byte => byte % 9,
            },
        };
        let _ = instance.add_weighted_set(weight, members);
    }
    instance
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let instance = read_instance(&mut bytes);
    let (mut workspace, mut answer) = (Workspace::new(), Solution::default());
    let weighs_one = (0..instance.sets() as u32).all(|set| instance.set_weight(set) == Some(1));
    let all = instance.weight();
    let needs: Vec<u64> = if weighs_one && all <= 6 {
        (0..=all + 1).collect()
    } else {
        // Three of many, and the ends.
        let share = |bytes: &mut Bytes| (u128::from(all) * u128::from(bytes.byte()) / 255) as u64;
        vec![0, share(&mut bytes), share(&mut bytes), share(&mut bytes), all, all + 1, u64::MAX]
    };
    let mut optima = BTreeMap::new();
    for need in needs {
        let best = brute_force(&instance, need);
        let solved = Solver::new().solve_into(&instance, need, &mut workspace, &mut answer);
        let best = match best {
            Ok(best) => best,
            Err(error) => {
                assert_eq!(solved, Err(error));
                assert_eq!(answer, Solution::default());
                continue;
            }
        };
        solved.expect("brute force has an answer");
        verify::k_union(&instance, need, &answer).expect("a sound answer");
        assert_eq!(instance.cost_of(answer.sets()), Some(answer.cost()));
        assert!(answer.cost() >= best.cost(), "{need}: {instance:?}");
        assert!(answer.certificate().bound() <= best.cost(), "{need}: {answer:?}: {instance:?}");
        // Only where the budget came to its end may the answer be less than proven.
        let solver = Solver::new();
        let is_done = workspace.nodes() < solver.node_budget && workspace.steps() < solver.step_budget;
        let is_optimal = answer.certificate().is_optimal();
        assert!(is_optimal || !is_done, "{need}: {answer:?}: {instance:?}");
        assert!(!is_optimal || answer.cost() == best.cost(), "{need}: {answer:?}: {instance:?}");
        assert_eq!(Solver::new().solve(&instance, need).as_ref(), Ok(&answer), "warm and cold differ");
        // With hardly any effort there may be a gap, and the bound must hold.
        let quick = Solver::new().with_node_budget(bytes.below(3).into()).with_step_budget(0);
        let quick = quick.solve(&instance, need).expect("an answer of any quality");
        verify::k_union(&instance, need, &quick).expect("a sound answer");
        assert!(quick.certificate().bound() <= best.cost() && best.cost() <= quick.cost(), "{instance:?}");
        optima.insert(need, best.cost());
    }
    let mut curve = Curve::default();
    Solver::new().curve_into(&instance, &mut workspace, &mut curve);
    let is_rigid = (0..instance.sets() as u32).flat_map(|set| instance.set(set)).all(|(element, loss)| {
        loss.is_none() || loss.is_some_and(|loss| loss > instance.tolerance(element).unwrap_or(0))
    });
    for count in 0..=instance.sets() {
        let (sets, certificate) =
            (curve.sets(count).expect("a choice"), curve.certificate(count).expect("one"));
        assert_eq!(instance.cost_of(sets), Some(certificate.objective()), "{count}: {instance:?}");
        if let Some(&best) = optima.get(&(count as u64)).filter(|_| weighs_one) {
            assert!(certificate.bound() <= best && best <= certificate.objective(), "{count}: {instance:?}");
            if is_rigid && curve.ends().contains(&count) {
                assert_eq!(certificate.objective(), best, "{count}: {instance:?}");
            }
        }
    }
    assert!(curve.sets(instance.sets() + 1).is_none() && curve.certificate(instance.sets() + 1).is_none());
}
