//! What can be wrong with an instance, and why it may have no answer.

use super::shape::CLASS_LENGTH_LIMIT;

/// An item, a class or an instance that was refused when it was built.
///
/// The instance is left as it was before the call.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, InstanceError, Item, VALUE_LIMIT};
///
/// let mut instance = Instance::new(4);
/// let error = instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, VALUE_LIMIT)]).unwrap_err();
/// assert!(matches!(error, InstanceError::ValueTooLarge { class: 0, item: 1, .. }));
/// assert_eq!(
///     error.to_string(),
///     "item 1 of class 0 has value 9007199254740992; values must be below 9007199254740992"
/// );
/// assert_eq!(instance, Instance::new(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// An item is worth more than numbers can hold exactly.
    #[error("item {item} of class {class} has value {value}; values must be below {limit}")]
    ValueTooLarge {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The item within the class, counted from 0.
        item: usize,
        /// Its value.
        value: u64,
        /// The first value that is too large: 2^53.
        limit: u64,
    },
    /// The best items of all classes together are worth more than numbers can hold exactly.
    #[error("with class {class} the largest values add up to {sum}; their sum must be below {limit}")]
    ValueSumTooLarge {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The sum over the classes of their largest value, this class included.
        sum: u64,
        /// The first sum that is too large: 2^53.
        limit: u64,
    },
    /// A number of a class given by a formula is out of its range.
    #[error("class {class} is given by a formula whose {field} is {value}; it must be {}", range_of(field))]
    Curve {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The name of the number.
        field: &'static str,
        /// The number.
        value: f64,
    },
    /// A class that asks for exactly one item has none.
    #[error("class {class} asks for exactly one item but has {items}")]
    NoItemToChoose {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The number of its items: 0.
        items: usize,
    },
    /// A class has more items than an index can count.
    #[error("class {class} has {items} or more items; a class holds at most {limit}")]
    TooManyItemsInClass {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The number of items at which building stopped.
        items: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// The instance has more items in tables than an index can count.
    #[error("with class {class} the instance has {items} items in tables; it holds at most {limit}")]
    TooManyItems {
        /// The class that was being added, counted from 0.
        class: usize,
        /// The number of items at which building stopped.
        items: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// The instance has more classes than an index can count.
    #[error("the instance would have {classes} classes; it holds at most {limit}")]
    TooManyClasses {
        /// The number of classes with the one refused.
        classes: u64,
        /// The largest number allowed.
        limit: u64,
    },
}

impl InstanceError {
    /// Refuses another class in an instance of so many.
    pub(super) fn check_another_class(classes: usize) -> Result<(), Self> {
        let (classes, limit) = (classes as u64 + 1, u64::from(u32::MAX));
        if classes > limit { Err(Self::TooManyClasses { classes, limit }) } else { Ok(()) }
    }

    /// Refuses another item in a class of so many.
    #[inline]
    pub(super) fn check_another_item(class: usize, items: usize) -> Result<(), Self> {
        let (items, limit) = (items as u64 + 1, CLASS_LENGTH_LIMIT);
        if items > limit { Err(Self::TooManyItemsInClass { class, items, limit }) } else { Ok(()) }
    }

    /// Refuses an instance that has so many items in tables with this class.
    pub(super) fn check_items(class: usize, items: u64) -> Result<(), Self> {
        let limit = u64::from(u32::MAX);
        if items > limit { Err(Self::TooManyItems { class, items, limit }) } else { Ok(()) }
    }
}

/// Why an instance has no answer, or a solver declined it.
///
/// # Examples
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, SolveError, Solver};
///
/// let mut instance = Instance::new(4);
/// instance.push_class(ClassKind::ExactlyOne, [Item::new(2, 1), Item::new(9, 8)])?;
/// instance.push_class(ClassKind::ExactlyOne, [Item::new(3, 1)])?;
/// let error = Solver::new().solve(&instance).unwrap_err();
/// assert_eq!(error, SolveError::Infeasible { mandatory_weight: 5, capacity: 4 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// Even the lightest item of every mandatory class exceeds the capacity.
    #[error(
        "the lightest items of the mandatory classes weigh {mandatory_weight}, the capacity is {capacity}"
    )]
    Infeasible {
        /// The sum of the lightest weights of the classes that ask for exactly one item.
        mandatory_weight: u64,
        /// The capacity.
        capacity: u64,
    },
    /// [`brute_force`](super::brute_force) was given more choices than it is meant for.
    #[error("there are {combinations} or more combinations; brute force takes at most {limit}")]
    TooManyCombinations {
        /// The number of combinations at which counting stopped.
        combinations: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// The table of [`dense`](super::dense) would exceed its budget.
    #[error("the table needs {bytes} bytes; the budget is {budget}")]
    TableTooLarge {
        /// The bytes that the table needs, or `u64::MAX` where that is not countable.
        bytes: u64,
        /// The budget in bytes.
        budget: u64,
    },
}

impl SolveError {
    pub(super) fn infeasible(instance: &super::instance::Instance) -> Self {
        Self::Infeasible { mandatory_weight: instance.mandatory_weight(), capacity: instance.capacity() }
    }
}

/// What the numbers of a formula must be, in a sentence.
fn range_of(field: &str) -> &'static str {
    match field {
        "exponent" => "above 0 and at most 1",
        "total" => "from 0 to below 2^53",
        "weight times length" => "below 2^32",
        "length" => "at most 2^20",
        "bonus" => "below 2^53",
        _ => "positive and finite",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_held_as_an_index_can_count() {
        let limit = u64::from(u32::MAX);
        assert_eq!(InstanceError::check_another_class(u32::MAX as usize - 1), Ok(()));
        let error = InstanceError::TooManyClasses { classes: 1 << 32, limit };
        assert_eq!(InstanceError::check_another_class(u32::MAX as usize), Err(error));

        assert_eq!(InstanceError::check_items(4, limit), Ok(()));
        for items in [1 << 32, 1 << 33] {
            let error = InstanceError::TooManyItems { class: 4, items, limit };
            assert_eq!(InstanceError::check_items(4, items), Err(error));
        }

        assert_eq!(InstanceError::check_another_item(4, (1 << 29) - 2), Ok(()));
        for items in [1 << 29, 1 << 30] {
            let error = InstanceError::TooManyItemsInClass { class: 4, items, limit: (1 << 29) - 1 };
            assert_eq!(InstanceError::check_another_item(4, items as usize - 1), Err(error));
        }
    }
}
