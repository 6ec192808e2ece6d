//! What can be wrong with an instance, and why it may have no answer.

/// An element or a set that was refused when it was added. The instance is left as it was before the call.
///
/// # Examples
///
/// ```
/// use aryl::k_union::Instance;
///
/// let error = Instance::new().add_set([3]).unwrap_err();
/// assert_eq!(error.to_string(), "set 0 holds element 3, but the instance has 0 elements");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// The costs of all elements together would exceed a `u64`.
    #[error("with element {element} of cost {cost} the costs add up to more than 2^64 - 1")]
    CostSumTooLarge {
        /// The element that was being added, counted from 0.
        element: usize,
        /// Its cost.
        cost: u64,
    },
    /// A set names an element that the instance does not hold.
    #[error("set {set} holds element {element}, but the instance has {elements} elements")]
    UnknownElement {
        /// The set that was being added, counted from 0.
        set: usize,
        /// The element named.
        element: u32,
        /// How many there are.
        elements: usize,
    },
    /// A set names an element twice, or not in ascending order.
    #[error("set {set} holds element {element} after element {before}; elements must be in ascending order")]
    ElementOrder {
        /// The set that was being added, counted from 0.
        set: usize,
        /// The element named before.
        before: u32,
        /// The element named after it.
        element: u32,
    },
    /// A set weighs nothing, so that no number of it would bring an answer nearer.
    #[error("set {set} has weight 0; at least 1 is required")]
    ZeroWeight {
        /// The set that was being added, counted from 0.
        set: usize,
    },
    /// The weights of all sets together are too large.
    #[error("with set {set} of weight {weight} the weights add up to more than {limit}")]
    WeightSumTooLarge {
        /// The set that was being added, counted from 0.
        set: usize,
        /// Its weight.
        weight: u32,
        /// The largest sum allowed: 2^32 - 1.
        limit: u64,
    },
    /// There are more elements, sets or members than an index can count.
    #[error("the instance would hold more than {limit} {what}")]
    TooMany {
        /// Elements, sets or members.
        what: &'static str,
        /// The most it can hold.
        limit: usize,
    },
}

/// Why a union can't be chosen.
///
/// # Examples
///
/// ```
/// use aryl::k_union::{Instance, Solver};
///
/// let error = Solver::new().solve(&Instance::new(), 2).unwrap_err();
/// assert_eq!(error.to_string(), "sets of weight 2 are asked for, but all together weigh 0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// More is asked for than all sets weigh together; where each weighs 1, more sets than there are.
    #[error("sets of weight {asked} are asked for, but all together weigh {available}")]
    NotEnoughSets {
        /// The weight asked for.
        asked: u64,
        /// The weight of all sets.
        available: u64,
    },
}
