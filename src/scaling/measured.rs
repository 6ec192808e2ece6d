//! Throughput measured at some numbers of workers.

use alloc::sync::Arc;
use alloc::vec::Vec;

/// One measurement: the throughput of a job on this number of workers.
///
/// # Examples
///
/// ```
/// use aryl::scaling::{MeasuredPoint, MeasuredTable};
///
/// let points = vec![MeasuredPoint { workers: 1, throughput: 55.0 }, MeasuredPoint { workers: 2, throughput: 100.0 }];
/// assert_eq!(MeasuredTable::try_from(points)?.throughput(2), 100.0);
/// # Ok::<(), aryl::scaling::MeasuredTableError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct MeasuredPoint {
    /// Reference workers, at least 1.
    pub workers: u32,
    /// Throughput in any unit (samples a second, say), the same for the whole table.
    pub throughput: f64,
}

/// A table that can't be read as throughput over workers.
///
/// # Examples
///
/// ```
/// use aryl::scaling::MeasuredTable;
///
/// let error = MeasuredTable::new([(4, 160.0), (2, 100.0)]).unwrap_err();
/// assert_eq!(error.to_string(), "the table has 2 workers after 4: the numbers must ascend");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasuredTableError {
    /// The table holds no point.
    #[error("the table holds no point")]
    Empty,
    /// A point is for no worker at all.
    #[error("the table has a point for 0 workers")]
    ZeroWorkers,
    /// The numbers of workers do not ascend.
    #[error("the table has {workers} workers after {previous}: the numbers must ascend")]
    NotAscending {
        /// The number of workers of the point before.
        previous: u32,
        /// The number that is not above it.
        workers: u32,
    },
    /// A throughput is not positive and finite, or too far from the table's first for their ratio to be.
    #[error("the throughput {throughput} at {workers} workers is not positive and finite beside the others")]
    Throughput {
        /// The number of workers of the point.
        workers: u32,
        /// The throughput given.
        throughput: f64,
    },
}

/// A measured scaling curve: throughput at some numbers of workers, with straight lines between them.
///
/// Below the first point the throughput falls in proportion to the workers; above the last it stays what it is there.
/// So nothing is gained beyond what was measured. The throughput may fall with more workers, as it does on a slow
/// network; such sizes are then never chosen.
///
/// A clone shares the points, and costs no allocation.
///
/// # Examples
///
/// ```
/// use aryl::scaling::MeasuredTable;
///
/// let table = MeasuredTable::new([(2, 100.0), (4, 160.0)])?;
/// assert_eq!(table.throughput(1), 50.0);
/// assert_eq!(table.throughput(3), 130.0);
/// assert_eq!(table.throughput(100), 160.0);
/// # Ok::<(), aryl::scaling::MeasuredTableError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<MeasuredPoint>", into = "Vec<MeasuredPoint>")
)]
pub struct MeasuredTable {
    points: Arc<[MeasuredPoint]>,
}

impl MeasuredTable {
    /// A table of `(workers, throughput)` pairs, in ascending order of workers.
    ///
    /// # Errors
    ///
    /// [`MeasuredTableError`] where there is no point, the workers start at 0 or do not ascend, or a throughput is not
    /// positive and finite. Two throughputs whose ratio overflows are refused too.
    ///
    /// # Complexity
    ///
    /// O(points), and 16 bytes for each.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::{MeasuredTable, MeasuredTableError};
    ///
    /// // Samples a second, measured on 1, 2 and 4 workers.
    /// let table = MeasuredTable::new([(1, 55.0), (2, 100.0), (4, 160.0)])?;
    /// assert_eq!(table.throughput(3), 130.0); // half-way between the two beside it
    /// assert_eq!(
    ///     MeasuredTable::new([(4, 160.0), (2, 100.0)]),
    ///     Err(MeasuredTableError::NotAscending { previous: 4, workers: 2 })
    /// );
    /// # Ok::<(), MeasuredTableError>(())
    /// ```
    pub fn new(points: impl IntoIterator<Item = (u32, f64)>) -> Result<Self, MeasuredTableError> {
        Self::from_points(
            points.into_iter().map(|(workers, throughput)| MeasuredPoint { workers, throughput }).collect(),
        )
    }

    fn from_points(points: Vec<MeasuredPoint>) -> Result<Self, MeasuredTableError> {
        let Some(first) = points.first() else { return Err(MeasuredTableError::Empty) };
        let mut lowest = first.throughput / f64::from(first.workers.max(1));
        let mut highest = first.throughput;
        let mut previous = 0;
        for &MeasuredPoint { workers, throughput } in &points {
            if workers == 0 {
                return Err(MeasuredTableError::ZeroWorkers);
            }
            if workers <= previous {
                return Err(MeasuredTableError::NotAscending { previous, workers });
            }
            lowest = lowest.min(throughput);
            highest = highest.max(throughput);
            let usable = throughput.is_finite() && lowest > 0.0 && (highest / lowest).is_finite();
            if !usable || throughput <= 0.0 {
                return Err(MeasuredTableError::Throughput { workers, throughput });
            }
            previous = workers;
        }
        Ok(Self { points: points.into() })
    }

    /// The points of the table, in ascending order of workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::{MeasuredPoint, MeasuredTable};
    ///
    /// let table = MeasuredTable::new([(1, 55.0), (2, 100.0)])?;
    /// assert_eq!(table.points()[1], MeasuredPoint { workers: 2, throughput: 100.0 });
    /// # Ok::<(), aryl::scaling::MeasuredTableError>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> &[MeasuredPoint] {
        &self.points
    }

    /// The throughput at this number of reference workers, in the unit of the table. 0 workers are read as 1.
    ///
    /// # Complexity
    ///
    /// O(log points).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::scaling::MeasuredTable;
    ///
    /// let table = MeasuredTable::new([(2, 100.0), (4, 160.0)])?;
    /// assert_eq!(table.throughput(1), 50.0); // below the first point: in proportion
    /// assert_eq!(table.throughput(3), 130.0); // between two: on the line
    /// assert_eq!(table.throughput(64), 160.0); // above the last: no gain that was not measured
    /// # Ok::<(), aryl::scaling::MeasuredTableError>(())
    /// ```
    #[must_use]
    pub fn throughput(&self, workers: u32) -> f64 {
        let after = self.points.partition_point(|point| point.workers < workers);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (_, Some(point)) if point.workers == workers => point.throughput,
            (Some(before), Some(after)) => {
                let share = f64::from(workers - before.workers) / f64::from(after.workers - before.workers);
                before.throughput + share * (after.throughput - before.throughput)
            }
            (None, Some(first)) => first.throughput * (f64::from(workers.max(1)) / f64::from(first.workers)),
            (Some(last), None) => last.throughput,
            (None, None) => 1.0,
        }
    }
}

impl TryFrom<Vec<MeasuredPoint>> for MeasuredTable {
    type Error = MeasuredTableError;

    fn try_from(points: Vec<MeasuredPoint>) -> Result<Self, Self::Error> {
        Self::from_points(points)
    }
}

impl From<MeasuredTable> for Vec<MeasuredPoint> {
    fn from(table: MeasuredTable) -> Self {
        table.points.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_passes_through_its_points() {
        let points = [(1, 10.0), (2, 19.0), (5, 40.0), (6, 39.0)];
        let table = MeasuredTable::new(points).unwrap();
        for (workers, throughput) in points {
            assert_eq!(table.throughput(workers), throughput);
        }
        assert_eq!(table.throughput(3), 26.0);
        assert_eq!(table.throughput(7), 39.0);
    }

    #[test]
    fn bad_tables_are_refused() {
        use MeasuredTableError as E;
        let new = |points: &[(u32, f64)]| MeasuredTable::new(points.iter().copied()).unwrap_err();
        assert_eq!(new(&[]), E::Empty);
        assert_eq!(new(&[(0, 1.0)]), E::ZeroWorkers);
        assert_eq!(new(&[(2, 1.0), (2, 1.0)]), E::NotAscending { previous: 2, workers: 2 });
        assert_eq!(new(&[(2, 1.0), (1, 1.0)]), E::NotAscending { previous: 2, workers: 1 });
        for bad in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(new(&[(1, 1.0), (2, bad)]), E::Throughput { workers: 2, throughput: bad });
        }
        assert!(matches!(new(&[(1, f64::NAN)]), E::Throughput { workers: 1, .. }));
        assert!(matches!(new(&[(1, 1e-200), (2, 1e200)]), E::Throughput { workers: 2, .. }));
        assert!(matches!(new(&[(1_000, 5e-324)]), E::Throughput { workers: 1_000, .. }));
    }
}
