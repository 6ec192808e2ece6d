//! The shape of a class, found once when it is built: the better a solver knows it, the less of it it reads.

use super::curve::CurveClass;

/// Where the items of a class are, and their shape: 29 bits of length, one flag, and the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClassRecord {
    pub(super) first: u32,
    packed: u32,
    dearest: f32,
}

const LENGTH_BITS: u32 = 29;
const LENGTH_MASK: u32 = (1 << LENGTH_BITS) - 1;
const EXACTLY_ONE: u32 = 1 << LENGTH_BITS;

/// The largest number of items in one class.
pub const CLASS_LENGTH_LIMIT: u64 = LENGTH_MASK as u64;

/// What is known of the order of the items of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Nothing.
    Any,
    /// No item is lighter than the one before.
    Ascending,
    /// Each item is heavier than the one before, and gains no more a unit of weight than that one did.
    Concave,
    /// The items are given by a formula, not by a table.
    Formula,
}

impl ClassRecord {
    /// `dearest` is the largest value a unit of weight of an item, relative to the base.
    pub(super) fn new(first: usize, length: u32, mandatory: bool, order: Order, dearest: f64) -> Self {
        let order = match order {
            Order::Any => 0,
            Order::Ascending => 1,
            Order::Concave => 2,
            Order::Formula => 3,
        };
        let flag = if mandatory { EXACTLY_ONE } else { 0 };
        // Rounded up, by more than it was rounded before.
        let dearest = (dearest as f32).next_up();
        Self { first: first as u32, packed: length | flag | order << (LENGTH_BITS + 1), dearest }
    }

    /// Whether no item of the class is worth more than its weight at this price, so that it need not be read.
    #[inline(always)]
    pub(super) fn is_worth_nothing(self, price: f64) -> bool {
        f64::from(self.dearest) <= price
    }

    #[inline]
    pub(super) fn length(self) -> usize {
        (self.packed & LENGTH_MASK) as usize
    }

    #[inline]
    pub(super) fn is_mandatory(self) -> bool {
        self.packed & EXACTLY_ONE != 0
    }

    #[inline]
    pub(super) fn order(self) -> Order {
        match self.packed >> (LENGTH_BITS + 1) {
            0 => Order::Any,
            1 => Order::Ascending,
            2 => Order::Concave,
            _ => Order::Formula,
        }
    }
}

/// A class as the core solver reads it; weights and values are relative to the base.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    Table(Table<'a>),
    /// Of the table, `first` items are left out: the base of a mandatory class.
    Concave(Table<'a>, u32),
    Formula(&'a CurveClass),
}

/// Items in two arrays of one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    pub(super) weights: &'a [u32],
    pub(super) values: &'a [f64],
    /// Whether no item is lighter than the one before.
    pub(super) ascending: bool,
}

/// The order of the items of a table, relative to its base; that of a mandatory class must be its first item for the
/// class to be concave: else another item of weight 0 follows.
///
/// Two steps are compared by products that are rounded. Rounding keeps their order but may make them equal; a table is
/// then called concave only where the products are exact.
pub(super) fn order_of(weights: &[u32], values: &[f64], mandatory: bool) -> Order {
    if !weights.is_sorted() {
        return Order::Any;
    }
    let first = usize::from(mandatory);
    let (mut weight, mut value) = (0, 0.0);
    let (mut width, mut rise) = (0.0, 1.0);
    let mut concave = true;
    for (&next_weight, &next_value) in weights.iter().zip(values).skip(first) {
        let (next_width, next_rise) = (f64::from(next_weight) - f64::from(weight), next_value - value);
        // The slope before the first step is infinite: a rise of 1 on a width of 0.
        let (before, after) = (rise * next_width, next_rise * width);
        concave &= next_width > 0.0 && before >= after && (before > after || before.abs() < EXACT);
        (weight, value, width, rise) = (next_weight, next_value, next_width, next_rise);
    }
    if concave { Order::Concave } else { Order::Ascending }
}

/// The largest value a unit of weight of an item of a table, relative to its base; infinite where one has no weight.
pub(super) fn dearest(weights: &[u32], values: &[f64], order: Order) -> f64 {
    // The first item of a concave class is the dearest, or the second where the first is the base.
    let count = if order == Order::Concave { weights.len().min(2) } else { weights.len() };
    // The price of an item of neither weight nor value is not a number, which `max` passes over.
    weights[..count].iter().zip(values).map(|(&weight, &value)| value / f64::from(weight)).fold(0.0, f64::max)
}

/// Below this size, products of integers are exact.
const EXACT: f64 = (1_u64 << 53) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_what_it_was_given() {
        for order in [Order::Any, Order::Ascending, Order::Concave, Order::Formula] {
            for (length, mandatory) in [(0, false), (7, true), (LENGTH_MASK, false), (LENGTH_MASK, true)] {
                let record = ClassRecord::new(5, length, mandatory, order, 7.5);
                let kept = (record.first, record.length(), record.is_mandatory(), record.order());
                assert_eq!(kept, (5, length as usize, mandatory, order));
                assert!(record.is_worth_nothing(7.6) && !record.is_worth_nothing(7.5));
            }
        }
    }

    #[test]
    fn the_dearest_item() {
        let dearest =
            |weights: &[u32], values: &[f64]| dearest(weights, values, order_of(weights, values, false));
        assert!((dearest(&[1, 2, 3], &[20.0, 30.0, 36.0]) - 20.0).abs() < 1e-9);
        assert!((dearest(&[4, 2, 3], &[20.0, 30.0, 36.0]) - 15.0).abs() < 1e-9);
        assert!(dearest(&[0, 2], &[1.0, 1.0]).is_infinite());
        assert!(dearest(&[0, 2], &[0.0, -1.0]) <= 0.0 && dearest(&[], &[]) <= 0.0);
        assert!(dearest(&[0, 2], &[-1.0, -1.0]) <= 0.0, "what is worth less than its base is not dear");
    }

    #[test]
    fn the_order_of_a_table() {
        let order = |weights: &[u32], values: &[f64]| order_of(weights, values, false);
        assert_eq!(order(&[1, 2, 3, 4], &[20.0, 30.0, 36.0, 40.0]), Order::Concave);
        assert_eq!(order(&[1, 2, 3], &[2.0, 4.0, 5.0]), Order::Concave, "a straight line is concave");
        assert_eq!(order(&[1, 2, 3], &[2.0, 4.0, 7.0]), Order::Ascending);
        assert_eq!(order(&[1, 2, 2], &[2.0, 4.0, 4.0]), Order::Ascending);
        assert_eq!(order(&[0, 2], &[2.0, 4.0]), Order::Ascending, "an item without weight");
        assert_eq!(order(&[2, 1], &[2.0, 1.0]), Order::Any);
        assert_eq!(order(&[1, 2, 5], &[2.0, 1.0, 0.0]), Order::Ascending);
        assert_eq!(order(&[1, 2, 5], &[2.0, 1.0, -2.0]), Order::Concave, "a fall may go on");
        assert_eq!(order(&[], &[]), Order::Concave);
        // Products above 2^53 that round to the same number.
        let large = (1_u64 << 52) as f64;
        assert_eq!(order(&[3, 6], &[large, 2.0 * large]), Order::Ascending);
        assert_eq!(order(&[3, 6], &[large, 1.5 * large]), Order::Concave, "not the same number");
        // 2^51 · 4 is 2^53 and less than 3 · 3,002,399,751,580,331, which is 2^53 + 1 and rounds to it.
        let (gentle, steep) = ((1_u64 << 51) as f64, 3_002_399_751_580_331.0);
        assert_eq!(order(&[3, 7], &[gentle, gentle + steep]), Order::Ascending);
        assert_eq!(order_of(&[0, 1, 3], &[0.0, 5.0, 7.0], true), Order::Concave);
        assert_eq!(order_of(&[0, 0, 3], &[0.0, -5.0, 7.0], true), Order::Ascending);
        assert_eq!(order_of(&[1, 0], &[5.0, 0.0], true), Order::Any);
    }
}
