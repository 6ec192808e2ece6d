//! The multiple-choice knapsack as an integer program.

use alloc::vec;
use alloc::vec::Vec;

use super::backend::{self, Backend};
use super::error::{IlpError, WrongAnswer};
use super::model::{Model, Relation};
use crate::certificate::Sense;
use crate::knapsack::{ClassKind, Instance, Solution};

/// Solves a multiple-choice knapsack as an integer program.
///
/// With w and v the weight and the value of item i of class c, and C the capacity, choose x(c, i) from {0, 1}:
///
/// ```text
/// maximize    Σ v(c, i) · x(c, i)
/// subject to  Σ w(c, i) · x(c, i) ≤ C             over all classes and items
///             Σ x(c, i) ≤ 1                       over the items of each class c of at most one item
///             Σ x(c, i) = 1                       over the items of each class c of exactly one item
/// ```
///
/// A class given by a formula is written out item by item. Items heavier than the capacity are left out.
///
/// **Size.** One variable an item, one row a class and one for the capacity, two factors an item.
///
/// # Examples
///
/// Figure 6 of the Aryl paper: A can use one more worker of two GPUs, B one to four more workers of one GPU.
///
/// ```
/// use aryl::ilp::{self, Microlp};
/// use aryl::knapsack::{ClassKind, CurveClass, Gain, Instance, Item, Solver};
///
/// let mut instance = Instance::new(4);
/// let a = instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
/// let b = instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4))?;
///
/// let reference = ilp::knapsack(&instance, &Microlp::default())?;
/// assert_eq!((reference.choice(a), reference.choice(b)), (Some(0), Some(1)));
/// assert_eq!(reference.certificate().to_string(), "80, proven optimal");
/// assert_eq!(reference.value(), Solver::default().solve(&instance)?.value());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`IlpError::MandatoryTooHeavy`] where there is no answer; [`IlpError::TooLarge`] where there are more items than
/// [`VARIABLE_LIMIT`](super::VARIABLE_LIMIT); [`IlpError::Backend`] and [`IlpError::WrongAnswer`] where the backend has no
/// answer or a wrong one.
///
/// # Complexity
///
/// Linear in the items to build; exponential at worst to solve.
///
/// # Determinism
///
/// As the backend. Of equally good choices it returns any.
pub fn knapsack(instance: &Instance, backend: &(impl Backend + ?Sized)) -> Result<Solution, IlpError> {
    let (mandatory_weight, capacity) = (instance.mandatory_weight(), instance.capacity());
    if mandatory_weight > capacity {
        return Err(IlpError::MandatoryTooHeavy { mandatory_weight, capacity });
    }
    backend::check_size(instance.item_count())?;
    let (model, items) = build(instance);
    let answer = backend::solve(&model, backend)?;

    let mut choices = vec![None; instance.class_count()];
    let mut counts = vec![0; instance.class_count()];
    for (&(class, item), _) in items.iter().zip(&answer.values).filter(|(_, value)| **value == 1) {
        choices[class] = Some(item);
        counts[class] += 1;
    }
    let (mut weight, mut value) = (0, 0);
    for (class, (&choice, &chosen)) in choices.iter().zip(&counts).enumerate() {
        let least = usize::from(instance.class_kind(class) == ClassKind::ExactlyOne);
        if !(least..=1).contains(&chosen) {
            return Err(WrongAnswer::Choices { class, chosen }.into());
        }
        if let Some(item) = choice.and_then(|item| instance.item(class, item)) {
            weight += u64::from(item.weight);
            value += item.value;
        }
    }
    if weight > capacity {
        return Err(WrongAnswer::OverCapacity { weight, capacity }.into());
    }
    let certificate = backend::certificate(Sense::Maximize, value, answer.bound);
    Ok(Solution::from_parts(choices, weight, certificate))
}

/// The program, and for each variable its class and its item.
fn build(instance: &Instance) -> (Model, Vec<(usize, u32)>) {
    let mut model = Model::new(Sense::Maximize);
    let mut items = Vec::new();
    let mut weights = Vec::new();
    for class in 0..instance.class_count() {
        let first = items.len();
        for (number, item) in instance.items(class).enumerate() {
            if u64::from(item.weight) <= instance.capacity() {
                let variable = model.variable(1, item.value as f64);
                items.push((class, number as u32));
                weights.push((variable, f64::from(item.weight)));
            }
        }
        let relation = match instance.class_kind(class) {
            ClassKind::AtMostOne => Relation::AtMost,
            ClassKind::ExactlyOne => Relation::Equal,
        };
        model.row((first..items.len()).map(|variable| (variable, 1.0)), relation, 1.0);
    }
    let weighty = weights.into_iter().filter(|&(_, weight)| weight > 0.0);
    model.row(weighty, Relation::AtMost, instance.capacity() as f64);
    (model, items)
}
