//! An integer program as plain numbers: what a backend is given.

use alloc::vec::Vec;
use core::ops::Range;

use crate::certificate::Sense;

/// How the left side of a row relates to its right side.
///
/// # Examples
///
/// A class of at most one item, one of exactly one, and the capacity:
///
/// ```
/// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
/// # use aryl::knapsack::{ClassKind, Instance, Item};
/// use aryl::ilp::Relation;
///
/// struct Looking;
/// impl Backend for Looking {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         let relations: Vec<Relation> = model.rows().map(|row| row.relation).collect();
///         assert_eq!(relations, [Relation::AtMost, Relation::Equal, Relation::AtMost]);
///         Microlp::default().solve(model)
///     }
/// }
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5)])?;
/// instance.push_class(ClassKind::ExactlyOne, [Item::new(3, 6)])?;
/// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The left side is at most the right side.
    AtMost,
    /// Both sides are equal.
    Equal,
}

/// A variable of a [`Model`]: a whole number from 0 to a largest one.
///
/// # Examples
///
/// Whether an item of value 5 is chosen:
///
/// ```
/// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
/// # use aryl::knapsack::{ClassKind, Instance, Item};
/// use aryl::ilp::Variable;
///
/// struct Looking;
/// impl Backend for Looking {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         let &[Variable { upper, objective, .. }] = model.variables() else { panic!("one item, one variable") };
///         assert_eq!((upper, objective), (1, 5.0));
///         Microlp::default().solve(model)
///     }
/// }
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5)])?;
/// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Variable {
    /// The largest number it may be, below 2^31; the smallest is 0.
    pub upper: u32,
    /// What one unit of it adds to the objective.
    pub objective: f64,
}

/// A row of a [`Model`]: a sum of variables, each times its factor, and what it is compared with.
///
/// # Examples
///
/// The items of weights 2 and 3 in a capacity of 4: 2 · x(0) + 3 · x(1) ≤ 4.
///
/// ```
/// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model, Relation};
/// # use aryl::knapsack::{ClassKind, Instance, Item};
/// use aryl::ilp::Row;
///
/// struct Looking;
/// impl Backend for Looking {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         let Some(Row { terms, relation, right, .. }) = model.rows().last() else { panic!("no row") };
///         assert_eq!((terms, relation, right), (&[(0, 2.0), (1, 3.0)][..], Relation::AtMost, 4.0));
///         Microlp::default().solve(model)
///     }
/// }
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 6)])?;
/// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row<'a> {
    /// Pairs of a variable, by its number, and its factor. No variable is named twice.
    pub terms: &'a [(usize, f64)],
    /// How the sum relates to the right side.
    pub relation: Relation,
    /// The right side.
    pub right: f64,
}

/// An integer program: variables that are whole numbers, rows that they must keep, and a linear objective.
///
/// All numbers in it are finite. A [`Backend`](super::Backend) reads it; the functions of this module write it.
///
/// # Examples
///
/// A backend of one's own sees the knapsack of two items of weights 2 and 3 in a capacity of 4 like this:
///
/// ```
/// use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
/// use aryl::knapsack::{ClassKind, Instance, Item};
///
/// struct Counting;
/// impl Backend for Counting {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         // One row a class, and one for the capacity.
///         assert_eq!((model.variables().len(), model.rows().len()), (2, 3));
///         let capacity = model.rows().last().unwrap();
///         assert_eq!((capacity.terms, capacity.right), (&[(0, 2.0), (1, 3.0)][..], 4.0));
///         Microlp::default().solve(model)
///     }
/// }
///
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5)])?;
/// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 6)])?;
/// assert_eq!(ilp::knapsack(&instance, &Counting)?.value(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    sense: Sense,
    variables: Vec<Variable>,
    rows: Vec<RowRecord>,
    terms: Vec<(usize, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
struct RowRecord {
    terms: Range<usize>,
    relation: Relation,
    right: f64,
}

impl Model {
    pub(super) fn new(sense: Sense) -> Self {
        Self { sense, variables: Vec::new(), rows: Vec::new(), terms: Vec::new() }
    }

    /// Adds a variable and returns its number.
    pub(super) fn variable(&mut self, upper: u32, objective: f64) -> usize {
        debug_assert!(upper <= i32::MAX as u32 && objective.is_finite());
        self.variables.push(Variable { upper, objective });
        self.variables.len() - 1
    }

    /// Adds a row. One without terms is left out: it holds, or the caller has found before that it does not.
    pub(super) fn row(
        &mut self,
        terms: impl IntoIterator<Item = (usize, f64)>,
        relation: Relation,
        right: f64,
    ) {
        let first = self.terms.len();
        self.terms.extend(terms);
        if self.terms.len() > first {
            self.rows.push(RowRecord { terms: first..self.terms.len(), relation, right });
        }
    }

    /// Whether the objective is to be small or large.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::cluster::{Cluster, GpuType, Server};
    /// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
    /// use aryl::certificate::Sense;
    ///
    /// struct Looking;
    /// impl Backend for Looking {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         assert_eq!(model.sense(), Sense::Minimize); // preemption cost
    ///         Microlp::default().solve(model)
    ///     }
    /// }
    /// let mut cluster = Cluster::new();
    /// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let server = cluster.add_server(Server::on_loan(v100, 8))?;
    /// assert_eq!(ilp::reclaim(&cluster, 1, &Looking)?.servers(), [server]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// The variables, in the order of their numbers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
    /// # use aryl::knapsack::{ClassKind, Instance, Item};
    /// struct Looking;
    /// impl Backend for Looking {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         let values: Vec<f64> = model.variables().iter().map(|item| item.objective).collect();
    ///         assert_eq!(values, [5.0, 6.0]);
    ///         Microlp::default().solve(model)
    ///     }
    /// }
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5), Item::new(3, 6)])?;
    /// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The rows.
    ///
    /// None is without terms.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
    /// # use aryl::knapsack::{ClassKind, Instance, Item};
    /// struct Looking;
    /// impl Backend for Looking {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         // One row for the class, one for the capacity.
    ///         let rights: Vec<f64> = model.rows().map(|row| row.right).collect();
    ///         assert_eq!(rights, [1.0, 4.0]);
    ///         Microlp::default().solve(model)
    ///     }
    /// }
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5), Item::new(3, 6)])?;
    /// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> + Clone {
        self.rows.iter().map(|row| Row {
            terms: &self.terms[row.terms.clone()],
            relation: row.relation,
            right: row.right,
        })
    }

    /// The power of two by which the objective is best divided before a backend that works in floating point sees it: it
    /// brings the largest factor down to 1,024 at most. 1 where that is so already.
    ///
    /// The factors are milliseconds, or costs up to 2^64. The tolerances of simplex codes are absolute numbers between
    /// 10^-10 and 10^-6, made for factors near 1. Division by a power of two loses no digit.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
    /// # use aryl::knapsack::{ClassKind, Instance, Item};
    /// struct Looking;
    /// impl Backend for Looking {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         assert_eq!(model.objective_scale(), 8.0); // 5,000 / 8 = 625
    ///         Microlp::default().solve(model)
    ///     }
    /// }
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 5_000), Item::new(3, 1)])?;
    /// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 5_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn objective_scale(&self) -> f64 {
        scale(self.variables.iter().map(|variable| variable.objective))
    }
}

impl Row<'_> {
    /// The same for a row: the power of two that brings its largest factor down to 1,024 at most.
    ///
    /// # Examples
    ///
    /// ```
    /// # use aryl::ilp::{self, Assignment, Backend, BackendError, Microlp, Model};
    /// # use aryl::knapsack::{ClassKind, Instance, Item};
    /// struct Looking;
    /// impl Backend for Looking {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         let scales: Vec<f64> = model.rows().map(|row| row.scale()).collect();
    ///         assert_eq!(scales, [1.0, 4.0]); // of the class: 1 and 1; of the capacity: 4,096 and 3
    ///         Microlp::default().solve(model)
    ///     }
    /// }
    /// let mut instance = Instance::new(5_000);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(4_096, 7), Item::new(3, 1)])?;
    /// assert_eq!(ilp::knapsack(&instance, &Looking)?.value(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn scale(&self) -> f64 {
        scale(self.terms.iter().map(|term| term.1))
    }
}

fn scale(factors: impl Iterator<Item = f64>) -> f64 {
    let largest = factors.fold(0.0, |largest: f64, factor| largest.max(libm::fabs(factor)));
    let mut scale = 1.0;
    while largest > 1_024.0 * scale {
        scale *= 2.0;
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two_and_small_factors_stay() {
        let mut model = Model::new(Sense::Maximize);
        assert!((model.objective_scale() - 1.0).abs() < f64::MIN_POSITIVE);
        for objective in [3.0, -1_024.0] {
            model.variable(1, objective);
        }
        assert!((model.objective_scale() - 1.0).abs() < f64::MIN_POSITIVE);
        model.variable(1, -1_025.0);
        assert!((model.objective_scale() - 2.0).abs() < f64::MIN_POSITIVE);
        model.variable(1, u64::MAX as f64);
        assert!((model.objective_scale() - libm::pow(2.0, 54.0)).abs() < f64::MIN_POSITIVE);
    }

    #[test]
    fn a_row_without_terms_is_left_out() {
        let mut model = Model::new(Sense::Minimize);
        let only = model.variable(1, 1.0);
        model.row([], Relation::AtMost, 0.0);
        model.row([(only, 1.0)], Relation::Equal, 1.0);
        assert_eq!(model.rows().len(), 1);
    }
}
