//! The answer to a multiple-choice knapsack, added up again.

use super::Violation;
use crate::certificate::Sense;
use crate::knapsack::{ClassKind, Instance, Item, Solution};

/// A rule that the answer to a knapsack breaks. Classes and items are numbered from 0.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
/// use aryl::verify;
///
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 50)])?;
/// let solution = Solver::default().solve(&instance)?;
/// instance.set_capacity(3);
/// let violation = verify::knapsack(&instance, &solution).unwrap_err();
/// assert_eq!(violation.to_string(), "the items chosen weigh 4, above the capacity of 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KnapsackViolation {
    /// The answer has not one choice a class.
    #[error("the answer has {choices} choices for {classes} classes")]
    Classes {
        /// Choices in the answer.
        choices: usize,
        /// Classes of the instance.
        classes: usize,
    },
    /// A class has no item of the number chosen.
    #[error("item {item} of class {class} is chosen, which has {items} items")]
    NoSuchItem {
        /// The class.
        class: usize,
        /// The item chosen.
        item: u32,
        /// Items in the class.
        items: usize,
    },
    /// Nothing is chosen of a class of which one item must be.
    #[error("none of the {items} items of class {class} is chosen, and one must be")]
    NothingChosen {
        /// The class.
        class: usize,
        /// Items in the class.
        items: usize,
    },
    /// The weight is added up wrongly.
    #[error("the weight is stated as {stated}, and the items chosen weigh {expected}")]
    Weight {
        /// The weight in the answer.
        stated: u64,
        /// The sum over the items chosen.
        expected: u64,
    },
    /// The items chosen weigh more than the capacity.
    #[error("the items chosen weigh {weight}, above the capacity of {capacity}")]
    OverCapacity {
        /// The sum over the items chosen.
        weight: u64,
        /// The capacity.
        capacity: u64,
    },
    /// The value is added up wrongly.
    #[error("the value is stated as {stated}, and the items chosen are worth {expected}")]
    Value {
        /// The value in the answer.
        stated: u64,
        /// The sum over the items chosen.
        expected: u64,
    },
    /// The certificate says that a small value is good.
    #[error("the certificate minimises the value")]
    Sense,
    /// The objective of the certificate is not the value.
    #[error("the objective is {stated}, and the items chosen are worth {expected}")]
    Objective {
        /// The objective of the certificate.
        stated: u64,
        /// The sum over the items chosen.
        expected: u64,
    },
    /// The bound is below the objective.
    #[error("the bound {bound} is below the objective {objective}")]
    Bound {
        /// The bound of the certificate.
        bound: u64,
        /// The objective of the certificate.
        objective: u64,
    },
    /// Another answer is worth more than the bound, so it is no bound.
    #[error("the bound is {bound}, and with another choice in class {class} {value} can be had")]
    BoundTooLow {
        /// The bound of the certificate.
        bound: u64,
        /// The class in which the other answer chooses another item.
        class: usize,
        /// What the other answer is worth.
        value: u64,
    },
}

/// Checks the answer to a multiple-choice knapsack.
///
/// It proves that there is one choice a class, of an item that the class has, and an item where one must be chosen; that
/// weight and value are the sums over the items chosen, and the weight is within the capacity; that the certificate
/// maximises and has the value as its objective; and that its bound is neither below the value, nor below that of any
/// answer that differs from this one, or from the lightest answer, in one class alone. So an answer that could be made
/// better by one other choice is never called optimal.
///
/// That the bound holds for *every* answer is the solver's proof, and is not repeated here.
///
/// # Errors
///
/// [`Violation::Knapsack`] with the first rule that is broken, in the order above.
///
/// # Complexity
///
/// O(items · log classes) time, no allocation.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
/// use aryl::verify::{self, KnapsackViolation, Violation};
///
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
/// let solution = Solver::default().solve(&instance)?;
/// assert_eq!(verify::knapsack(&instance, &solution), Ok(()));
///
/// // The answer to one instance is no answer to another.
/// instance.set_capacity(3);
/// let violation = KnapsackViolation::OverCapacity { weight: 4, capacity: 3 };
/// assert_eq!(verify::knapsack(&instance, &solution), Err(Violation::Knapsack(violation)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn knapsack(instance: &Instance, solution: &Solution) -> Result<(), Violation> {
    let value = check_choices(instance, solution)?;
    let certificate = solution.certificate();
    check_certificate(certificate.sense(), certificate.objective(), certificate.bound(), value)?;
    check_bound(instance, solution, certificate.bound())?;
    Ok(())
}

/// Nothing, as an item.
const NOTHING: Item = Item::new(0, 0);

/// Checks the choices and the two sums, and returns the value.
fn check_choices(instance: &Instance, solution: &Solution) -> Result<u64, KnapsackViolation> {
    let (choices, classes) = (solution.class_count(), instance.class_count());
    if choices != classes {
        return Err(KnapsackViolation::Classes { choices, classes });
    }
    let (mut weight, mut value) = (0u64, 0u64);
    for (class, choice) in solution.choices().enumerate() {
        let items = instance.class_length(class);
        let item = match (choice, instance.class_kind(class)) {
            (Some(item), _) => {
                instance.item(class, item).ok_or(KnapsackViolation::NoSuchItem { class, item, items })?
            }
            (None, ClassKind::AtMostOne) => NOTHING,
            (None, ClassKind::ExactlyOne) => return Err(KnapsackViolation::NothingChosen { class, items }),
        };
        weight += u64::from(item.weight);
        value += item.value;
    }
    if solution.weight() != weight {
        return Err(KnapsackViolation::Weight { stated: solution.weight(), expected: weight });
    }
    if weight > instance.capacity() {
        return Err(KnapsackViolation::OverCapacity { weight, capacity: instance.capacity() });
    }
    if solution.value() != value {
        return Err(KnapsackViolation::Value { stated: solution.value(), expected: value });
    }
    Ok(value)
}

/// Checks a certificate as three plain values, so that the rule that it keeps by itself is checked too.
fn check_certificate(sense: Sense, objective: u64, bound: u64, value: u64) -> Result<(), KnapsackViolation> {
    if sense != Sense::Maximize {
        return Err(KnapsackViolation::Sense);
    }
    if objective != value {
        return Err(KnapsackViolation::Objective { stated: objective, expected: value });
    }
    if bound < objective {
        return Err(KnapsackViolation::Bound { bound, objective });
    }
    Ok(())
}

/// The item that an answer has in a class.
fn chosen(instance: &Instance, solution: &Solution, class: usize) -> Item {
    solution.choice(class).and_then(|item| instance.item(class, item)).unwrap_or(NOTHING)
}

/// The lightest that can be chosen in a class: nothing, or the lightest item; of two the one that is worth more.
fn lightest(instance: &Instance, class: usize) -> Item {
    match instance.class_kind(class) {
        ClassKind::AtMostOne => NOTHING,
        ClassKind::ExactlyOne => {
            instance.items(class).min_by_key(|item| (item.weight, u64::MAX - item.value)).unwrap_or(NOTHING)
        }
    }
}

/// Holds the bound against the answers that differ from this one, and from the lightest one, in one class.
fn check_bound(instance: &Instance, solution: &Solution, bound: u64) -> Result<(), KnapsackViolation> {
    let sum = |choice: &dyn Fn(usize) -> Item| {
        let items = || (0..instance.class_count()).map(choice);
        let weight: u64 = items().map(|item| u64::from(item.weight)).sum();
        let value: u64 = items().map(|item| item.value).sum();
        (weight, value)
    };
    let this = |class| chosen(instance, solution, class);
    let lightest = |class| lightest(instance, class);
    for choice in [&this as &dyn Fn(usize) -> Item, &lightest] {
        let (weight, value) = sum(choice);
        for class in 0..instance.class_count() {
            let now = choice(class);
            for other in instance.items(class) {
                let weight = weight - u64::from(now.weight) + u64::from(other.weight);
                let value = value - now.value + other.value;
                if weight <= instance.capacity() && value > bound {
                    return Err(KnapsackViolation::BoundTooLow { bound, class, value });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_numbers_of_a_certificate() {
        let check = check_certificate;
        assert_eq!(check(Sense::Maximize, 5, 5, 5), Ok(()));
        assert_eq!(check(Sense::Maximize, 5, 9, 5), Ok(()));
        assert_eq!(check(Sense::Minimize, 5, 5, 5), Err(KnapsackViolation::Sense));
        let wrong = KnapsackViolation::Objective { stated: 5, expected: 6 };
        assert_eq!(check(Sense::Maximize, 5, 6, 6), Err(wrong));
        let below = KnapsackViolation::Bound { bound: 4, objective: 5 };
        assert_eq!(check(Sense::Maximize, 5, 4, 5), Err(below));
    }
}
