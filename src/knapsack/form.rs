//! The written forms of instances and solutions, checked on the way in.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::curve::CurveClass;
use super::instance::Instance;
use super::item::{ClassKind, Item};
use super::solution::{Method, NONE, Solution};
use crate::certificate::Certificate;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassForm {
    kind: ClassKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    items: Vec<Item>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<CurveClass>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstanceForm {
    capacity: u64,
    classes: Vec<ClassForm>,
}

impl From<Instance> for InstanceForm {
    fn from(instance: Instance) -> Self {
        let classes = (0..instance.class_count())
            .map(|class| ClassForm {
                kind: instance.class_kind(class),
                items: match instance.curve(class) {
                    Some(_) => Vec::new(),
                    None => instance.items(class).collect(),
                },
                curve: instance.curve(class).copied(),
            })
            .collect();
        Self { capacity: instance.capacity(), classes }
    }
}

impl TryFrom<InstanceForm> for Instance {
    type Error = String;

    fn try_from(form: InstanceForm) -> Result<Self, Self::Error> {
        let mut instance = Self::new(form.capacity);
        for (number, ClassForm { kind, items, curve }) in form.classes.into_iter().enumerate() {
            let pushed = match curve {
                Some(_) if !items.is_empty() => {
                    return Err(format!(
                        "class {number} has {} items and a curve; it may have one of the two",
                        items.len()
                    ));
                }
                Some(_) if kind != ClassKind::AtMostOne => {
                    return Err(format!(
                        "class {number} has a curve, so that its kind is at_most_one and no other"
                    ));
                }
                Some(curve) => instance.push_curve(curve),
                None => instance.push_class(kind, items),
            };
            pushed.map_err(|error| error.to_string())?;
        }
        Ok(instance)
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolutionForm {
    choices: Vec<Option<u32>>,
    value: u64,
    weight: u64,
    certificate: Certificate,
    method: Method,
}

impl From<Solution> for SolutionForm {
    fn from(solution: Solution) -> Self {
        Self {
            choices: solution.choices().collect(),
            value: solution.value(),
            weight: solution.weight(),
            certificate: solution.certificate(),
            method: solution.method(),
        }
    }
}

impl TryFrom<SolutionForm> for Solution {
    type Error = String;

    fn try_from(form: SolutionForm) -> Result<Self, Self::Error> {
        let SolutionForm { choices, value, weight, certificate, method } = form;
        if certificate.objective() != value {
            return Err(alloc::format!(
                "the value is {value}, but its certificate says {}",
                certificate.objective()
            ));
        }
        if certificate.sense() != crate::certificate::Sense::Maximize {
            return Err("the certificate of a knapsack maximizes".to_string());
        }
        if let Some(class) = choices.iter().position(|&choice| choice == Some(NONE)) {
            return Err(alloc::format!("class {class} chooses item {NONE}; items are numbered below that"));
        }
        let choices = choices.into_iter().map(|choice| choice.unwrap_or(NONE)).collect();
        Ok(Self { choices, value, weight, certificate, method })
    }
}
