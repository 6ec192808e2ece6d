//! Kinds of GPU.

use alloc::string::String;

use crate::units::Speed;

/// A kind of GPU, with its speed relative to the reference kind.
///
/// The first type that a cluster is given is the reference: it has speed 1 : 1, and jobs count their workers in it.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
/// assert_eq!(cluster.gpu_type(t4).unwrap().name, "T4");
/// assert_eq!(cluster.speed(t4).unwrap().workers_for(2), 6);
/// # let _ = v100;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct GpuType {
    /// A name to print. Two types may share it.
    pub name: String,
    /// The speed relative to the reference type, as a ratio of two integers.
    #[cfg_attr(feature = "serde", serde(default = "reference_speed"))]
    pub speed: (u32, u32),
}

#[cfg(feature = "serde")]
fn reference_speed() -> (u32, u32) {
    (1, 1)
}

impl GpuType {
    /// A type of this name, as fast as the reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::GpuType;
    ///
    /// let v100 = GpuType::new("V100");
    /// assert_eq!((v100.name.as_str(), v100.speed), ("V100", (1, 1)));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), speed: (1, 1) }
    }

    /// The same type at a speed of `numerator : denominator` relative to the reference: `speed(1, 3)` says that three
    /// of these do the work of one reference GPU.
    ///
    /// The ratio is checked, and brought to lowest terms, where the type
    /// [enters a cluster](super::Cluster::add_gpu_type).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType};
    ///
    /// let mut cluster = Cluster::new();
    /// cluster.add_gpu_type(GpuType::new("V100"))?;
    /// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(2, 6))?;
    /// // A job that asks for 4 workers gets 12 on this type.
    /// assert_eq!(cluster.speed(t4).unwrap().workers_for(4), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn speed(mut self, numerator: u32, denominator: u32) -> Self {
        self.speed = (numerator, denominator);
        self
    }

    pub(super) fn check(&self, is_reference: bool) -> Result<Speed, AddGpuTypeError> {
        let (numerator, denominator) = self.speed;
        if numerator == 0 || denominator == 0 {
            return Err(AddGpuTypeError::ZeroSpeed { numerator, denominator });
        }
        let speed = Speed::new(numerator, denominator).ok_or(AddGpuTypeError::SpeedOutOfRange {
            numerator,
            denominator,
            limit: Speed::LIMIT,
        })?;
        if is_reference && speed != Speed::REFERENCE {
            return Err(AddGpuTypeError::ReferenceSpeed { speed });
        }
        Ok(speed)
    }
}

/// Why a GPU type can't be added.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType};
///
/// // The first type is what all others are measured by.
/// let error = Cluster::new().add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap_err();
/// assert_eq!(error.to_string(), "the first GPU type is the reference and has speed 1:1, not 1:3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddGpuTypeError {
    /// One side of the speed ratio is 0.
    #[error("the speed {numerator}:{denominator} has a 0 in it")]
    ZeroSpeed {
        /// The first number given.
        numerator: u32,
        /// The second number given.
        denominator: u32,
    },
    /// In lowest terms, one side of the speed ratio is above [`Speed::LIMIT`].
    #[error("the speed {numerator}:{denominator} has a number above {limit} in lowest terms")]
    SpeedOutOfRange {
        /// The first number given.
        numerator: u32,
        /// The second number given.
        denominator: u32,
        /// The largest number allowed.
        limit: u32,
    },
    /// The first type of a cluster is the reference, so its speed is 1 : 1.
    #[error("the first GPU type is the reference and has speed 1:1, not {speed}")]
    ReferenceSpeed {
        /// The speed given.
        speed: Speed,
    },
    /// The cluster holds as many types as ids can name.
    #[error("the cluster holds {limit} GPU types already, as many as there can be")]
    Full {
        /// The number of types there can be.
        limit: u32,
    },
}
