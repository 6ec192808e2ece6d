//! Any small instance: every solver's answer must pass the verifier, the exact ones must agree with brute force, and a
//! hint, wrong ones included, must not change the value.

use aryl::knapsack::{
    COMBINATION_LIMIT, ClassKind, CurveClass, Gain, Hint, Instance, Item, Solution, Solver, Workspace,
    brute_force, dense, greedy,
};
use aryl::verify;

use super::bytes::Bytes;

/// Combinations that are tried one by one; the most that keeps an execution short.
const COMBINATIONS: u64 = 20_000;

fn read_curve(bytes: &mut Bytes) -> CurveClass {
    let number = |bytes: &mut Bytes| match bytes.below(4) {
        0 => f64::from(bytes.byte() + 1) / 16.0,
        _ => bytes.float(),
    };
    let gain = match bytes.below(2) {
        0 => Gain::Hyperbola { half: number(bytes) },
        _ => Gain::Power { base: number(bytes), exponent: f64::from(bytes.byte()) / 250.0 },
    };
    let total = match bytes.below(4) {
        0 => bytes.float(),
        _ => f64::from(bytes.byte()) * 10_f64.powi(bytes.below(12) as i32) / 7.0,
    };
    let curve = CurveClass::new(gain, total, bytes.byte(), bytes.below(9));
    if bytes.one_in(3) { curve.with_bonus(bytes.below(9), bytes.byte().into()) } else { curve }
}

/// The instance with a table of items in the place of each formula.
fn tabulated(instance: &Instance) -> Instance {
    let mut tables = Instance::new(instance.capacity());
    for class in 0..instance.class_count() {
        tables
            .push_class(instance.class_kind(class), instance.items(class))
            .expect("a class as good as the other");
    }
    tables
}

fn combinations(instance: &Instance) -> u64 {
    let choices = |class| match instance.class_kind(class) {
        ClassKind::ExactlyOne => instance.class_length(class) as u64,
        ClassKind::AtMostOne => instance.class_length(class) as u64 + 1,
    };
    (0..instance.class_count()).map(choices).fold(1, u64::saturating_mul)
}

fn read_instance(bytes: &mut Bytes) -> Instance {
    let (first, second) = (u64::from(bytes.byte()), u64::from(bytes.byte()));
    let capacity = match second {
        255 => u64::MAX,
        254 => 1 << 63,
        _ => first * (second % 8 + 1),
    };
    let mut instance = Instance::new(capacity);
    // Even weights leave some capacities out of reach; wide values leave large gaps.
    let (step, scale) = (bytes.below(4) + 1, 1 << bytes.below(44));
    for _ in 0..bytes.below(9) {
        let kind = bytes.byte();
        if kind % 8 == 7 {
            // A formula out of its range is refused.
            let _ = instance.push_curve(read_curve(bytes));
            continue;
        }
        let class_kind = if kind.is_multiple_of(4) { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        let length = bytes.below(if kind >= 250 { 40 } else { 6 });
        let read = |_| {
            let (weight, value) = (bytes.byte() * step, u64::from(bytes.byte()) * scale);
            Item::new(if weight == 255 * 4 { u32::MAX } else { weight }, value)
        };
        let items: Vec<Item> = (0..length).map(read).collect();
        // A class that must have an item and has none is refused.
        let _ = instance.push_class(class_kind, items);
    }
    instance
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let instance = read_instance(&mut bytes);
    let tables = tabulated(&instance);
    for class in 0..instance.class_count() {
        assert!(instance.items(class).eq(tables.items(class)), "class {class} of {instance:?}");
    }
    let combinations = combinations(&instance);
    let best = (combinations <= COMBINATIONS.min(COMBINATION_LIMIT)).then(|| brute_force(&instance));
    // Without the dense program, with it, and with hardly any states: the last may leave a gap, and must state it.
    let solvers = [Solver::default().with_table_budget(0), Solver::default()];
    let mut few = Solver::default().with_table_budget(0);
    few.state_budget = bytes.below(8).into();
    let answers = [
        solvers[0].solve(&instance),
        solvers[1].solve(&instance),
        solvers[0].solve(&tables),
        dense(&instance, 1 << 24),
        few.solve(&instance),
        greedy(&instance),
    ];
    let fits = instance.mandatory_weight() <= instance.capacity();
    let mut values = Vec::new();
    for (method, answer) in answers.iter().enumerate() {
        let answer = match answer {
            Ok(answer) => answer,
            // The dense program may refuse a capacity whose table is too large.
            Err(error) => {
                assert!(!fits || method == 3, "{method}: {error}: {instance:?}");
                continue;
            }
        };
        assert!(fits, "{method}: {instance:?}");
        verify::knapsack(&instance, answer).expect("a sound answer");
        if method < 4 {
            assert!(answer.certificate().is_optimal(), "{method}: {instance:?}");
            values.push(answer.value());
        }
    }
    assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}: {instance:?}");
    let Some(&value) = values.first() else { return };
    for answer in answers.iter().flatten() {
        assert!(answer.value() <= value && value <= answer.certificate().bound(), "{instance:?}");
    }
    if let Some(best) = best {
        assert_eq!(best.expect("what fits has an answer").value(), value, "{instance:?}");
    }
    // Hints: from another instance, absurd ones, and the one that the solver gave.
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    let solver = solvers[bytes.below(2) as usize];
    for _ in 0..3 {
        let hint = Hint::new(bytes.float()).or(workspace.hint());
        solver
            .solve_with_hint_into(&instance, hint, &mut workspace, &mut solution)
            .expect("it has an answer");
        verify::knapsack(&instance, &solution).expect("a sound answer");
        assert_eq!(solution.value(), value, "{hint:?}: {instance:?}");
        assert!(solution.certificate().is_optimal(), "{hint:?}: {instance:?}");
    }
    // As written and read again.
    let written = serde_json::to_vec(&instance).expect("an instance can be written");
    assert_eq!(serde_json::from_slice::<Instance>(&written).expect("and read again"), instance);
}
