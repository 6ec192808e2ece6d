//! What solves an integer program, and how its answer is taken: with caution.

use alloc::string::String;
use alloc::vec::Vec;

use super::error::{IlpError, WrongAnswer};
use super::model::Model;
use crate::certificate::{Certificate, Sense};

/// The most variables that a program may have: above this, no program is built.
///
/// It keeps memory in bounds. What a backend solves in acceptable time is far less.
pub const VARIABLE_LIMIT: u64 = 1 << 20;

/// A solver of integer programs.
///
/// [`Microlp`](super::Microlp) is the default: pure Rust. [`GoodLp`](super::GoodLp) follows the features of the crate
/// `good_lp`. Any other solver is a few lines: read the [`Model`], return an [`Assignment`].
///
/// An answer is never trusted for its numbers. It is rounded to whole numbers, what follows from them is computed again in
/// integers, and a choice that breaks a rule is refused. Only the bound is taken at the backend's word.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::ilp::{self, Assignment, Backend, BackendError, IlpError, Model};
///
/// /// It says that nothing is ever chosen, and that nothing can be had.
/// struct Lazy;
/// impl Backend for Lazy {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         Ok(Assignment::new(vec![0.0; model.variables().len()], 0.0))
///     }
/// }
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// assert!(matches!(ilp::reclaim(&cluster, 1, &Lazy), Err(IlpError::WrongAnswer(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Backend {
    /// Finds values of all variables that keep all rows, with the best objective.
    ///
    /// The values are taken as whole numbers where they are within 10^-4 of one. A backend that was stopped by its limit
    /// returns the best values it has, and says in the bound what it could not rule out.
    ///
    /// # Examples
    ///
    /// A backend that tries every choice of a small program in which all variables are 0 or 1, for a large objective:
    ///
    /// ```
    /// use aryl::ilp::{self, Assignment, Backend, BackendError, Model, Relation};
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// struct EveryChoice;
    /// impl Backend for EveryChoice {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         let count = model.variables().len();
    ///         let value = |choice: u32, number: usize| f64::from(choice >> number & 1);
    ///         let keeps = |choice: &u32| {
    ///             model.rows().all(|row| {
    ///                 let left: f64 = row.terms.iter().map(|&(number, factor)| factor * value(*choice, number)).sum();
    ///                 match row.relation {
    ///                     Relation::AtMost => left <= row.right,
    ///                     Relation::Equal => left == row.right,
    ///                 }
    ///             })
    ///         };
    ///         let worth = |choice: u32| -> f64 {
    ///             let variables = model.variables().iter().enumerate();
    ///             variables.map(|(number, variable)| variable.objective * value(choice, number)).sum()
    ///         };
    ///         let best = (0..1 << count).filter(keeps).max_by(|&a, &b| worth(a).total_cmp(&worth(b)));
    ///         let best = best.ok_or(BackendError::Infeasible)?;
    ///         Ok(Assignment::new((0..count).map(|number| value(best, number)).collect(), worth(best)))
    ///     }
    /// }
    ///
    /// let mut instance = Instance::new(7);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9), Item::new(5, 11)])?;
    /// instance.push_class(ClassKind::ExactlyOne, [Item::new(4, 8), Item::new(2, 1)])?;
    /// let answer = ilp::knapsack(&instance, &EveryChoice)?;
    /// assert_eq!(answer.certificate().to_string(), "17, proven optimal");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BackendError`] where no such values are found.
    ///
    /// # Complexity
    ///
    /// That of the backend: exponential at worst, in the variables of the model.
    ///
    /// # Determinism
    ///
    /// That of the backend. A limit should be a count, of nodes say, and no time, so that the same model has the same
    /// answer.
    fn solve(&self, model: &Model) -> Result<Assignment, BackendError>;
}

/// The answer of a [`Backend`].
///
/// # Examples
///
/// An answer that is near whole numbers, with what the search could not rule out:
///
/// ```
/// use aryl::ilp::Assignment;
///
/// let answer = Assignment::new(vec![1.0, 0.000_001], 42.5);
/// assert_eq!((answer.values.len(), answer.bound), (2, 42.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assignment {
    /// The value of each variable, in order: a whole number, but for rounding.
    pub values: Vec<f64>,
    /// What no answer beats, in the unit of the model's objective, on the safe side of the solver's own tolerances: a
    /// little above what it proved for a model that maximizes, a little below for one that minimizes.
    pub bound: f64,
}

impl Assignment {
    /// An answer with these values and this bound.
    ///
    /// # Examples
    ///
    /// What a backend returns that knows a good choice and no bound: the answer stands, and is not called optimal.
    ///
    /// ```
    /// use aryl::ilp::{self, Assignment, Backend, BackendError, Model};
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// struct FirstOfAll;
    /// impl Backend for FirstOfAll {
    ///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
    ///         let values = (0..model.variables().len()).map(|number| if number == 0 { 1.0 } else { 0.0 });
    ///         Ok(Assignment::new(values.collect(), f64::INFINITY))
    ///     }
    /// }
    ///
    /// let mut instance = Instance::new(3);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(3, 9), Item::new(2, 11)])?;
    /// let answer = ilp::knapsack(&instance, &FirstOfAll)?;
    /// assert_eq!((answer.value(), answer.certificate().bound()), (9, u64::MAX));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(values: Vec<f64>, bound: f64) -> Self {
        Self { values, bound }
    }
}

/// Why a backend has no answer.
///
/// # Examples
///
/// ```
/// use aryl::ilp::BackendError;
///
/// let stopped = BackendError::LimitReached { limit: 20_000, unit: "nodes" };
/// assert_eq!(stopped.to_string(), "the backend found no answer within its limit of 20000 nodes");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// It found that the rows contradict each other.
    #[error("the backend says that the program has no answer")]
    Infeasible,
    /// It reached its limit before it had any answer. With an answer in hand, a backend returns that, and its bound.
    #[error("the backend found no answer within its limit of {limit} {unit}")]
    LimitReached {
        /// The limit.
        limit: u64,
        /// What is limited: `"nodes"`, say.
        unit: &'static str,
    },
    /// It failed.
    #[error("the backend failed: {message}")]
    Failed {
        /// What it says.
        message: String,
    },
}

/// Whole numbers in place of a backend's values, and its bound.
pub(super) struct Rounded {
    pub(super) values: Vec<u32>,
    pub(super) bound: f64,
}

/// How far from a whole number a value may be.
const TOLERANCE: f64 = 1e-4;

/// Refuses a program that would have too many variables.
pub(super) fn check_size(variables: u64) -> Result<(), IlpError> {
    if variables > VARIABLE_LIMIT {
        return Err(IlpError::TooLarge { variables, limit: VARIABLE_LIMIT });
    }
    Ok(())
}

/// Has a model solved, and rounds the answer. A model without variables is not given to the backend.
pub(super) fn solve(model: &Model, backend: &(impl Backend + ?Sized)) -> Result<Rounded, IlpError> {
    let variables = model.variables();
    if variables.is_empty() {
        return Ok(Rounded { values: Vec::new(), bound: 0.0 });
    }
    let Assignment { values, bound } = backend.solve(model)?;
    if values.len() != variables.len() {
        return Err(WrongAnswer::Length { values: values.len(), variables: variables.len() }.into());
    }
    if bound.is_nan() {
        return Err(WrongAnswer::Bound.into());
    }
    let mut rounded = Vec::with_capacity(values.len());
    for (at, (&value, variable)) in values.iter().zip(variables).enumerate() {
        let whole = libm::round(value);
        // Not a number fails both comparisons.
        let near = libm::fabs(value - whole) <= TOLERANCE;
        if !(near && (0.0..=f64::from(variable.upper)).contains(&whole)) {
            return Err(WrongAnswer::Value { variable: at, value, upper: variable.upper }.into());
        }
        rounded.push(whole as u32);
    }
    Ok(Rounded { values: rounded, bound })
}

/// The certificate of an answer whose objective was counted in integers, from a bound in floating point: the bound is
/// rounded to the nearest integer that it allows, and is never better than the objective.
pub(super) fn certificate(sense: Sense, objective: u64, bound: f64) -> Certificate {
    // A float turns into the nearest `u64` there is, so an infinite bound is no fault.
    let bound = match sense {
        Sense::Maximize => (libm::floor(bound) as u64).max(objective),
        Sense::Minimize => (libm::ceil(bound) as u64).min(objective),
    };
    Certificate::new(sense, objective, bound).unwrap_or(Certificate::optimal(sense, objective))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn bounds_are_rounded_towards_the_objective() {
        let up = |objective, bound| certificate(Sense::Maximize, objective, bound).bound();
        assert_eq!([up(7, 7.9), up(7, 8.0), up(7, 6.5), up(7, -1.0)], [7, 8, 7, 7]);
        assert_eq!(up(7, f64::INFINITY), u64::MAX);
        let down = |objective, bound| certificate(Sense::Minimize, objective, bound).bound();
        assert_eq!([down(7, 6.1), down(7, 6.0), down(7, 7.5), down(7, -1.0)], [7, 6, 7, 0]);
    }

    struct Fixed(Assignment);
    impl Backend for Fixed {
        fn solve(&self, _: &Model) -> Result<Assignment, BackendError> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn a_value_that_is_no_whole_number_or_out_of_its_range_is_refused() {
        let mut model = Model::new(Sense::Maximize);
        model.variable(2, 1.0);
        let round = |value: f64| {
            let answer = solve(&model, &Fixed(Assignment::new(vec![value], 0.0)));
            answer.map(|rounded| rounded.values)
        };
        assert_eq!(round(1.000_01), Ok(vec![1]));
        assert_eq!(round(-0.000_01), Ok(vec![0]));
        for bad in [0.5, 3.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                round(bad),
                Err(IlpError::WrongAnswer(WrongAnswer::Value { variable: 0, upper: 2, .. }))
            ));
        }
        let short = solve(&model, &Fixed(Assignment::new(vec![], 0.0)));
        assert!(matches!(short.err(), Some(IlpError::WrongAnswer(WrongAnswer::Length { .. }))));
        let no_bound = solve(&model, &Fixed(Assignment::new(vec![1.0], f64::NAN)));
        assert!(matches!(no_bound.err(), Some(IlpError::WrongAnswer(WrongAnswer::Bound))));
    }
}
