//! How good an answer is known to be.
//!
//! Every decision of this crate carries a [`Certificate`]: the objective of the answer, and a bound that no answer can
//! beat. Where the two are equal, the answer is proven optimal.

use core::fmt;

/// What is known about an answer.
///
/// # Examples
///
/// ```
/// use aryl::certificate::{Certificate, Sense, Status};
///
/// assert_eq!(Certificate::new(Sense::Minimize, 11, 10)?.status(), Status::Feasible);
/// assert_eq!(Certificate::new(Sense::Minimize, 10, 10)?.status(), Status::Optimal);
/// # Ok::<(), aryl::certificate::CertificateError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Status {
    /// No answer is better: the objective equals the bound.
    Optimal,
    /// The answer keeps every rule; a better one may exist, though none beyond the bound.
    Feasible,
}

/// Whether small or large objectives are good.
///
/// # Examples
///
/// ```
/// use aryl::certificate::{Certificate, Sense};
///
/// // 12 where 10 is the bound: not the least cost, and too good to be a gain.
/// assert!(Certificate::new(Sense::Minimize, 12, 10).is_ok());
/// assert!(Certificate::new(Sense::Maximize, 12, 10).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Sense {
    /// Small is good; the bound is a lower bound.
    Minimize,
    /// Large is good; the bound is an upper bound.
    Maximize,
}

/// A bound that its objective beats, so it is no bound.
///
/// # Examples
///
/// ```
/// use aryl::certificate::{Certificate, Sense};
///
/// let error = Certificate::new(Sense::Maximize, 12, 10).unwrap_err();
/// assert_eq!(error.to_string(), "the objective 12 is better than its bound 10");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the objective {objective} is better than its bound {bound}")]
pub struct CertificateError {
    /// The objective of the answer.
    pub objective: u64,
    /// The bound that was claimed.
    pub bound: u64,
}

/// The objective of an answer, and a bound that no answer can beat.
///
/// The unit is the problem's own, always an integer: preemption cost for a reclaim, milliseconds of job completion time
/// for an allocation. The status is not stored but follows from the two numbers, so the three can't disagree.
///
/// # Examples
///
/// ```
/// use aryl::certificate::{Certificate, Sense, Status};
///
/// let plan = Certificate::new(Sense::Minimize, 12, 10)?;
/// assert_eq!(plan.status(), Status::Feasible);
/// assert_eq!(plan.gap(), 2);
/// assert!((plan.relative_gap() - 0.2).abs() < 1e-12);
///
/// assert!(Certificate::new(Sense::Maximize, 7, 7)?.is_optimal());
/// assert!(Certificate::new(Sense::Maximize, 8, 7).is_err());
/// # Ok::<(), aryl::certificate::CertificateError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "CertificateForm", into = "CertificateForm")
)]
pub struct Certificate {
    sense: Sense,
    objective: u64,
    bound: u64,
}

impl Certificate {
    /// A certificate for an answer of this objective, given a bound.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] where the objective is better than the bound: below it for [`Sense::Minimize`], above it
    /// for [`Sense::Maximize`].
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, CertificateError, Sense};
    ///
    /// // A reclaim that costs 12, where nothing below 10 is possible: at most 2 from the best.
    /// assert_eq!(Certificate::new(Sense::Minimize, 12, 10)?.gap(), 2);
    /// // A cost of 9 would be less than the least: one of the two numbers is wrong.
    /// let refused = CertificateError { objective: 9, bound: 10 };
    /// assert_eq!(Certificate::new(Sense::Minimize, 9, 10), Err(refused));
    /// # Ok::<(), CertificateError>(())
    /// ```
    pub const fn new(sense: Sense, objective: u64, bound: u64) -> Result<Self, CertificateError> {
        let beaten = match sense {
            Sense::Minimize => objective < bound,
            Sense::Maximize => objective > bound,
        };
        if beaten {
            return Err(CertificateError { objective, bound });
        }
        Ok(Self { sense, objective, bound })
    }

    /// A certificate for an answer that is proven optimal.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// let certificate = Certificate::optimal(Sense::Minimize, 3);
    /// assert_eq!((certificate.objective(), certificate.bound(), certificate.gap()), (3, 3, 0));
    /// assert_eq!(certificate.to_string(), "3, proven optimal");
    /// ```
    #[must_use]
    pub const fn optimal(sense: Sense, objective: u64) -> Self {
        Self { sense, objective, bound: objective }
    }

    /// Whether small or large objectives are good.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// let (cost, gain) = (Certificate::new(Sense::Minimize, 12, 10)?, Certificate::new(Sense::Maximize, 10, 12)?);
    /// assert_eq!((cost.sense(), gain.sense()), (Sense::Minimize, Sense::Maximize));
    /// assert_eq!(cost.gap(), gain.gap()); // 2 either way: the sense says on which side
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn sense(&self) -> Sense {
        self.sense
    }

    /// The objective of the answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// // Extra workers that save 5 s of job completion time in sum, counted in milliseconds.
    /// assert_eq!(Certificate::new(Sense::Maximize, 5_000, 6_000)?.objective(), 5_000);
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn objective(&self) -> u64 {
        self.objective
    }

    /// The bound: no answer has an objective better than this.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// // The answer preempts 12 jobs. No answer preempts fewer than 10.
    /// assert_eq!(Certificate::new(Sense::Minimize, 12, 10)?.bound(), 10);
    /// // Of an answer that is proven optimal, the objective is the bound.
    /// assert_eq!(Certificate::optimal(Sense::Minimize, 12).bound(), 12);
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn bound(&self) -> u64 {
        self.bound
    }

    /// [`Status::Optimal`] exactly when the objective equals the bound.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense, Status};
    ///
    /// assert_eq!(Certificate::new(Sense::Minimize, 11, 10)?.status(), Status::Feasible);
    /// assert_eq!(Certificate::new(Sense::Minimize, 10, 10)?.status(), Status::Optimal);
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn status(&self) -> Status {
        if self.objective == self.bound { Status::Optimal } else { Status::Feasible }
    }

    /// Whether the answer is proven optimal.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// assert!(Certificate::new(Sense::Maximize, 100, 100)?.is_optimal());
    /// // It may be the best answer all the same: that is not proven.
    /// assert!(!Certificate::new(Sense::Maximize, 99, 100)?.is_optimal());
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn is_optimal(&self) -> bool {
        self.objective == self.bound
    }

    /// The distance from the objective to the bound, in the unit of the objective: no answer is better by more than this.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// assert_eq!(Certificate::new(Sense::Minimize, 12, 10)?.gap(), 2);
    /// assert_eq!(Certificate::new(Sense::Maximize, 10, 12)?.gap(), 2);
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub const fn gap(&self) -> u64 {
        self.objective.abs_diff(self.bound)
    }

    /// The gap as a share of the bound: 0 where the answer is optimal, infinite where only the bound is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::certificate::{Certificate, Sense};
    ///
    /// assert_eq!(Certificate::new(Sense::Maximize, 75, 100)?.relative_gap(), 0.25);
    /// assert_eq!(Certificate::new(Sense::Minimize, 1, 0)?.relative_gap(), f64::INFINITY);
    /// # Ok::<(), aryl::certificate::CertificateError>(())
    /// ```
    #[must_use]
    pub fn relative_gap(&self) -> f64 {
        if self.is_optimal() { 0.0 } else { self.gap() as f64 / self.bound as f64 }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status(), self.sense) {
            (Status::Optimal, _) => write!(f, "{}, proven optimal", self.objective),
            (Status::Feasible, Sense::Minimize) => write!(f, "{}, at least {}", self.objective, self.bound),
            (Status::Feasible, Sense::Maximize) => write!(f, "{}, at most {}", self.objective, self.bound),
        }
    }
}

/// The written form; the status is there for the reader and is checked on the way in.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct CertificateForm {
    sense: Sense,
    objective: u64,
    bound: u64,
    status: Option<Status>,
}

#[cfg(feature = "serde")]
impl From<Certificate> for CertificateForm {
    fn from(certificate: Certificate) -> Self {
        let Certificate { sense, objective, bound } = certificate;
        Self { sense, objective, bound, status: Some(certificate.status()) }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<CertificateForm> for Certificate {
    type Error = alloc::string::String;

    fn try_from(form: CertificateForm) -> Result<Self, Self::Error> {
        use alloc::string::ToString;
        let certificate =
            Self::new(form.sense, form.objective, form.bound).map_err(|error| error.to_string())?;
        match form.status {
            Some(status) if status != certificate.status() => Err(alloc::format!(
                "the status is written as {status:?}, but the objective {} and the bound {} say {:?}",
                form.objective,
                form.bound,
                certificate.status()
            )),
            _ => Ok(certificate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_the_same_on_both_sides() {
        let low = Certificate::new(Sense::Minimize, 5, 3).unwrap();
        let high = Certificate::new(Sense::Maximize, 3, 5).unwrap();
        assert_eq!((low.gap(), high.gap()), (2, 2));
        assert!(Certificate::new(Sense::Minimize, 5, 0).unwrap().relative_gap().is_infinite());
        assert!(Certificate::optimal(Sense::Minimize, 0).relative_gap().abs() < f64::MIN_POSITIVE);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_wrong_status_or_bound_is_refused_on_the_way_in() {
        extern crate std;
        let good = Certificate::new(Sense::Minimize, 5, 3).unwrap();
        let text = serde_json::to_string(&good).unwrap();
        assert_eq!(serde_json::from_str::<Certificate>(&text).unwrap(), good);
        for bad in [
            r#"{"sense":"minimize","objective":2,"bound":3}"#,
            r#"{"sense":"maximize","objective":3,"bound":2}"#,
            r#"{"sense":"maximize","objective":2,"bound":3,"status":"optimal"}"#,
        ] {
            assert!(serde_json::from_str::<Certificate>(bad).is_err(), "{bad}");
        }
    }
}
