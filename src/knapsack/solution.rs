//! The output: one choice a class, and what is known about it.

use alloc::vec::Vec;

use super::instance::Instance;
use crate::certificate::{Certificate, Sense};

/// The choice that means "no item".
pub(super) const NONE: u32 = u32::MAX;

/// Which algorithm gave an answer.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Method, Solver, greedy};
///
/// let mut instance = Instance::new(5);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8), Item::new(2, 1)])?;
/// assert_eq!(greedy(&instance)?.method(), Method::Greedy);
/// // So small an instance is solved by the table at once.
/// assert_eq!(Solver::new().solve(&instance)?.method(), Method::Dense);
/// assert_eq!(Solver::new().with_table_budget(0).solve(&instance)?.method(), Method::Core);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Method {
    /// The linear relaxation, then the few items that a better answer could still choose.
    Core,
    /// The dynamic program over the capacity.
    Dense,
    /// The steepest steps of the upper hulls.
    Greedy,
    /// Every combination.
    BruteForce,
    /// An integer program, given to a general solver.
    IntegerProgram,
}

/// An answer: for each class the item chosen or none, the total value and weight, and the proof of how good it is.
///
/// A solution can be reused: `solve_into` writes over it and keeps its memory.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
///
/// let mut instance = Instance::new(5);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 7)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(4, 8)])?;
/// let solution = Solver::default().solve(&instance)?;
/// assert_eq!((solution.value(), solution.weight()), (8, 4));
/// assert_eq!(solution.choices().collect::<Vec<_>>(), [None, Some(0)]);
/// assert!(solution.certificate().is_optimal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::form::SolutionForm", into = "super::form::SolutionForm")
)]
pub struct Solution {
    pub(super) choices: Vec<u32>,
    pub(super) value: u64,
    pub(super) weight: u64,
    pub(super) certificate: Certificate,
    pub(super) method: Method,
}

impl Default for Solution {
    fn default() -> Self {
        Self {
            choices: Vec::new(),
            value: 0,
            weight: 0,
            certificate: Certificate::optimal(Sense::Maximize, 0),
            method: Method::Greedy,
        }
    }
}

impl Solution {
    /// The item chosen in a class, counted from 0, or `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(3);
    /// let small = instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// let large = instance.push_class(ClassKind::AtMostOne, [Item::new(3, 10)])?;
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!((solution.choice(small), solution.choice(large)), (Some(1), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    #[must_use]
    pub fn choice(&self, class: usize) -> Option<u32> {
        match self.choices[class] {
            NONE => None,
            item => Some(item),
        }
    }

    /// The choices of all classes in their order.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(4);
    /// for value in [10, 30, 20] {
    ///     instance.push_class(ClassKind::AtMostOne, [Item::new(2, value)])?;
    /// }
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!(solution.choices().collect::<Vec<_>>(), [None, Some(0), Some(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn choices(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.choices.iter().map(|&item| (item != NONE).then_some(item))
    }

    /// The number of classes.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(1);
    /// for value in [10, 30, 20] {
    ///     instance.push_class(ClassKind::AtMostOne, [Item::new(2, value)])?;
    /// }
    /// // Nothing fits, and each class has its choice all the same.
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!((solution.class_count(), solution.value()), (3, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.choices.len()
    }

    /// The sum of the values of the items chosen.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
    /// instance.push_class(ClassKind::ExactlyOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// assert_eq!(Solver::new().solve(&instance)?.value(), 80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value
    }

    /// The sum of the weights of the items chosen; at most the capacity.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 50), Item::new(5, 90)])?;
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!(instance.capacity() - solution.weight(), 1); // stays idle
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// The value, and a bound that no choice can beat.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver, greedy};
    ///
    /// let mut instance = Instance::new(3);
    /// for _ in 0..2 {
    ///     instance.push_class(ClassKind::AtMostOne, [Item::new(2, 30)])?;
    /// }
    /// let quick = greedy(&instance)?.certificate();
    /// assert_eq!((quick.objective(), quick.bound(), quick.is_optimal()), (30, 45, false));
    /// assert!(Solver::new().solve(&instance)?.certificate().is_optimal());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }

    /// The algorithm that gave the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{Instance, Method, brute_force};
    ///
    /// assert_eq!(brute_force(&Instance::new(3))?.method(), Method::BruteForce);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The answer that a solver outside this module found: choices as the caller counts items, and its certificate, whose
    /// objective is their value.
    #[cfg(feature = "ilp")]
    pub(crate) fn from_parts(choices: Vec<Option<u32>>, weight: u64, certificate: Certificate) -> Self {
        let choices = choices.into_iter().map(|choice| choice.unwrap_or(NONE)).collect();
        let value = certificate.objective();
        Self { choices, value, weight, certificate, method: Method::IntegerProgram }
    }

    /// Starts a new answer in which every class chooses its base.
    pub(super) fn start(&mut self, instance: &Instance) {
        self.choices.clear();
        self.choices.resize(instance.class_count(), NONE);
    }

    /// The value of choices that are relative to the bases, relative to the bases.
    pub(super) fn relative_value(&self, instance: &Instance) -> f64 {
        self.relative_items(instance).map(|(_, value)| value).sum()
    }

    /// The weight of choices that are relative to the bases, relative to the bases.
    pub(super) fn relative_weight(&self, instance: &Instance) -> u64 {
        self.relative_items(instance).map(|(weight, _)| u64::from(weight)).sum()
    }

    fn relative_items<'a>(&'a self, instance: &'a Instance) -> impl Iterator<Item = (u32, f64)> + 'a {
        let chosen = self.choices.iter().enumerate().filter(|&(_, &item)| item != NONE);
        chosen.filter_map(|(class, &item)| instance.relative_item(class, item))
    }

    /// Turns choices that are relative to the bases into the answer; `relative_bound` is the bound on the value relative
    /// to the bases, or `None` where the answer is optimal.
    pub(super) fn finish(&mut self, instance: &Instance, relative_bound: Option<u64>, method: Method) {
        let (weight, value) = (self.relative_weight(instance), self.relative_value(instance) as u64);
        self.finish_with(instance, weight, value, relative_bound, method);
    }

    /// As [`finish`](Self::finish), where weight and value relative to the bases are known.
    pub(super) fn finish_with(
        &mut self,
        instance: &Instance,
        weight: u64,
        value: u64,
        bound: Option<u64>,
        method: Method,
    ) {
        debug_assert_eq!(weight, self.relative_weight(instance));
        debug_assert_eq!(value, self.relative_value(instance) as u64);
        let base = instance.base_value();
        for base in instance.bases() {
            let choice = &mut self.choices[base.class as usize];
            if *choice == NONE {
                *choice = base.item;
            }
        }
        self.value = value + base;
        self.weight = weight + instance.mandatory_weight();
        let bound = bound.map_or(self.value, |bound| self.value.max(bound + base));
        let optimal = Certificate::optimal(Sense::Maximize, self.value);
        self.certificate = Certificate::new(Sense::Maximize, self.value, bound).unwrap_or(optimal);
        self.method = method;
    }
}
