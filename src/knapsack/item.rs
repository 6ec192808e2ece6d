//! What may be chosen, and how many of it.

/// One thing that may be chosen.
///
/// # Examples
///
/// Two more GPUs for a job, which then ends 50 s sooner:
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
///
/// let mut instance = Instance::new(2);
/// instance.push_class(ClassKind::AtMostOne, [Item { weight: 2, value: 50 }])?;
/// assert_eq!(Solver::new().solve(&instance)?.value(), 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Item {
    /// What the item takes from the capacity; 0 is allowed.
    pub weight: u32,
    /// What the item is worth, below [`VALUE_LIMIT`](super::VALUE_LIMIT); 0 is allowed.
    pub value: u64,
}

impl Item {
    /// An item of this weight and value.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Item;
    ///
    /// let item = Item::new(2, 50);
    /// assert_eq!((item.weight, item.value), (2, 50));
    /// ```
    #[must_use]
    pub const fn new(weight: u32, value: u64) -> Self {
        Self { weight, value }
    }
}

/// How many items of a class are chosen.
///
/// # Examples
///
/// The same items, and a class that must be served or need not be:
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
///
/// let value = |kind| -> Result<u64, Box<dyn std::error::Error>> {
///     let mut instance = Instance::new(3);
///     instance.push_class(kind, [Item::new(2, 1)])?;
///     instance.push_class(ClassKind::AtMostOne, [Item::new(2, 7)])?;
///     Ok(Solver::new().solve(&instance)?.value())
/// };
/// assert_eq!(value(ClassKind::AtMostOne)?, 7);
/// assert_eq!(value(ClassKind::ExactlyOne)?, 1); // takes the room of the other
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum ClassKind {
    /// One item or none.
    AtMostOne,
    /// One item, always.
    ExactlyOne,
}
