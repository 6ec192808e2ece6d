//! The input: a capacity, and classes of items.
//!
//! Items are kept as two arrays, weights and values, so that a solver reads them in a straight line. A class that asks
//! for exactly one item is stored relative to its lightest item (the heavier of two equally light ones is worth more):
//! choosing nothing then means choosing that item, and a solver never needs to ask which kind a class is.

mod reading;

use alloc::vec::Vec;

use super::curve::CurveClass;
use super::error::InstanceError;
use super::item::{ClassKind, Item};
use super::shape::{ClassRecord, Order, Shape, Table, dearest, order_of};

/// The first number that a value, or the sum of the largest values of all classes, may not reach: 2^53.
///
/// Below it every integer is a floating-point number, and every sum and difference of them is exact.
pub const VALUE_LIMIT: u64 = 1 << 53;

/// A multiple-choice knapsack: choose at most one (or exactly one) item of each class, so that the weights together
/// stay within the capacity and the values together are as large as can be.
///
/// An instance is built by pushing classes, and can be emptied with [`clear`](Self::clear) and filled again without
/// allocating. Everything is checked as it enters, so that solvers can't fail on it but for capacity.
///
/// # Examples
///
/// The two jobs of figure 6 of the Aryl paper (arXiv 2202.07896): A can use one more worker of two GPUs, B one to four
/// more workers of one GPU.
///
/// ```
/// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
///
/// let mut instance = Instance::new(4);
/// let a = instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
/// let b = instance.push_class(
///     ClassKind::AtMostOne,
///     [Item::new(1, 20), Item::new(2, 30), Item::new(3, 36), Item::new(4, 40)],
/// )?;
///
/// let solution = Solver::default().solve(&instance)?;
/// assert_eq!(solution.value(), 80);
/// assert_eq!((solution.choice(a), solution.choice(b)), (Some(0), Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::form::InstanceForm", into = "super::form::InstanceForm")
)]
pub struct Instance {
    capacity: u64,
    classes: Vec<ClassRecord>,
    weights: Vec<u32>,
    values: Vec<f64>,
    bases: Vec<Base>,
    curves: Vec<CurveClass>,
    totals: Totals,
}

/// The lightest item of a mandatory class, to which the stored weights and values of the class are relative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Base {
    pub(super) class: u32,
    pub(super) item: u32,
    pub(super) weight: u32,
    pub(super) value: f64,
}

/// Sums over all classes, kept while building.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Totals {
    items: u64,
    demand: u64,
    largest_values: u64,
    base_weight: u64,
    base_value: u64,
    longest_class: u32,
    largest_weight: u32,
    largest_value: u64,
    divisor: u32,
}

impl Instance {
    /// An instance without classes.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{Instance, Solver};
    ///
    /// let instance = Instance::new(8);
    /// assert_eq!((instance.capacity(), instance.class_count()), (8, 0));
    /// assert_eq!(Solver::new().solve(&instance)?.value(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(capacity: u64) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// Removes all classes and sets the capacity; keeps the memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(8);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
    /// instance.clear(6);
    /// assert_eq!(instance, Instance::new(6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// Constant: nothing is dropped one by one.
    pub fn clear(&mut self, capacity: u64) {
        self.capacity = capacity;
        self.classes.clear();
        self.weights.clear();
        self.values.clear();
        self.bases.clear();
        self.curves.clear();
        self.totals = Totals::default();
    }

    /// Makes room for this many more classes and items, so that pushing them does not allocate, if they are tables of which
    /// at most one item is chosen.
    ///
    /// A class of exactly one item keeps one record more, and a class given by a formula its formula and no items. Room for
    /// those is made as they come; like all else they keep it when the instance is [cleared](Self::clear).
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(100);
    /// instance.reserve(50, 150);
    /// for value in 1..=50 {
    ///     let items = [1, 2, 3].map(|weight| Item::new(weight, u64::from(weight) * value));
    ///     instance.push_class(ClassKind::AtMostOne, items)?; // does not allocate
    /// }
    /// assert_eq!((instance.class_count(), instance.item_count()), (50, 150));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where the memory can't be had, as [`Vec::reserve`].
    pub fn reserve(&mut self, classes: usize, items: usize) {
        self.classes.reserve(classes);
        self.weights.reserve(items);
        self.values.reserve(items);
    }

    /// Sets the capacity and keeps the classes.
    ///
    /// # Examples
    ///
    /// What another GPU is worth:
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(3);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
    /// let solver = Solver::new();
    /// assert_eq!(solver.solve(&instance)?.value(), 70);
    /// instance.set_capacity(4);
    /// assert_eq!(solver.solve(&instance)?.value(), 80);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_capacity(&mut self, capacity: u64) {
        self.capacity = capacity;
    }

    /// Adds a class and returns its number, counted from 0.
    ///
    /// Items may come in any order and may be dominated by others; their order is the tie-break of the solvers and the
    /// number by which an answer names them. A class without items is allowed where none need be chosen.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, InstanceError, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// assert_eq!(instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?, 0);
    /// assert_eq!(instance.push_class(ClassKind::ExactlyOne, [Item::new(3, 5)])?, 1);
    ///
    /// // One item must be chosen, and there is none.
    /// let error = instance.push_class(ClassKind::ExactlyOne, []).unwrap_err();
    /// assert_eq!(error, InstanceError::NoItemToChoose { class: 2, items: 0 });
    /// assert_eq!(instance.class_count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InstanceError`] where a value, or the sum of the largest values of all classes, is 2^53 or more; where a class
    /// that asks for exactly one item has none; where there are too many classes or items to count. The instance is
    /// then unchanged.
    ///
    /// # Complexity
    ///
    /// Linear in the items of the class.
    pub fn push_class(
        &mut self,
        kind: ClassKind,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<usize, InstanceError> {
        let first = self.weights.len();
        let class = self.classes.len();
        let result =
            self.read_items(class, items).and_then(|largest| self.finish_class(kind, first, largest));
        if result.is_err() {
            self.weights.truncate(first);
            self.values.truncate(first);
        }
        result.map(|()| class)
    }

    /// Adds a class given by a formula, of which at most one item is chosen, and returns its number, counted from 0.
    ///
    /// # Examples
    ///
    /// A job of a thousand workers more costs as little as one of two:
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain, Instance, InstanceError, Solver};
    ///
    /// let gain = |half| CurveClass::new(Gain::Hyperbola { half }, 60_000.0, 1, 1_000);
    /// let mut instance = Instance::new(20);
    /// instance.push_curve(gain(10.0))?;
    /// let solution = Solver::new().solve(&instance)?;
    /// assert_eq!((solution.choice(0), solution.value()), (Some(19), 40_000)); // 20 workers: 2/3 of the whole
    ///
    /// let error = instance.push_curve(gain(-1.0)).unwrap_err();
    /// assert_eq!(error, InstanceError::Curve { class: 1, field: "half", value: -1.0 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InstanceError::Curve`] where a number of the formula is out of its range, the heaviest item weighs 2^32 or more,
    /// or there are more than 2^20 items; and as [`push_class`](Self::push_class). The instance is then unchanged.
    ///
    /// # Complexity
    ///
    /// Constant time and memory, however many items the class has.
    pub fn push_curve(&mut self, curve: CurveClass) -> Result<usize, InstanceError> {
        let class = self.classes.len();
        if let Some((field, value)) = curve.fault() {
            return Err(InstanceError::Curve { class, field, value });
        }
        InstanceError::check_another_class(class)?;
        let largest = curve.largest_value();
        let sum = self.totals.largest_values + largest;
        if sum >= VALUE_LIMIT {
            return Err(InstanceError::ValueSumTooLarge { class, sum, limit: VALUE_LIMIT });
        }
        let length = curve.length();
        let heaviest = curve.weight() * length;
        let totals = &mut self.totals;
        if length > 0 {
            let (mut divisor, mut rest) = (totals.divisor, curve.weight());
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            totals.divisor = divisor;
        }
        totals.items += u64::from(length);
        totals.demand += u64::from(heaviest);
        totals.largest_values = sum;
        totals.longest_class = totals.longest_class.max(length);
        totals.largest_weight = totals.largest_weight.max(heaviest);
        totals.largest_value = totals.largest_value.max(largest);
        self.classes.push(ClassRecord::new(
            self.curves.len(),
            length,
            false,
            Order::Formula,
            curve.dearest(),
        ));
        self.curves.push(curve);
        Ok(class)
    }

    /// Appends the items and returns the largest value.
    fn read_items(
        &mut self,
        class: usize,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<u64, InstanceError> {
        let mut largest = 0;
        for (item, Item { weight, value }) in items.into_iter().enumerate() {
            if value >= VALUE_LIMIT {
                return Err(InstanceError::ValueTooLarge { class, item, value, limit: VALUE_LIMIT });
            }
            InstanceError::check_another_item(class, item)?;
            largest = largest.max(value);
            self.weights.push(weight);
            self.values.push(value as f64);
        }
        InstanceError::check_items(class, self.weights.len() as u64)?;
        Ok(largest)
    }

    /// Checks the items appended since `first` as a class, and records it.
    fn finish_class(&mut self, kind: ClassKind, first: usize, largest: u64) -> Result<(), InstanceError> {
        let class = self.classes.len();
        let length = self.weights.len() - first;
        InstanceError::check_another_class(class)?;
        let sum = self.totals.largest_values + largest;
        if sum >= VALUE_LIMIT {
            return Err(InstanceError::ValueSumTooLarge { class, sum, limit: VALUE_LIMIT });
        }
        let mandatory = kind == ClassKind::ExactlyOne;
        if mandatory && length == 0 {
            return Err(InstanceError::NoItemToChoose { class, items: 0 });
        }
        let heaviest = self.weights[first..].iter().copied().max().unwrap_or(0);
        let mut base = Base { class: class as u32, item: 0, weight: 0, value: 0.0 };
        if mandatory {
            base = self.make_relative(class, first);
            self.bases.push(base);
        }
        let divisor = self.divisor_with(first);
        let totals = &mut self.totals;
        totals.divisor = divisor;
        totals.items += length as u64;
        totals.demand += u64::from(heaviest);
        totals.largest_values = sum;
        totals.base_weight += u64::from(base.weight);
        totals.base_value += base.value as u64;
        totals.longest_class = totals.longest_class.max(length as u32);
        totals.largest_weight = totals.largest_weight.max(heaviest - base.weight);
        totals.largest_value = totals.largest_value.max(largest.saturating_sub(base.value as u64));
        let (weights, values) = (&self.weights[first..], &self.values[first..]);
        let order = order_of(weights, values, mandatory);
        let dearest = dearest(weights, values, order);
        self.classes.push(ClassRecord::new(first, length as u32, mandatory, order, dearest));
        Ok(())
    }

    /// The greatest common divisor of the weights so far and of the items since `first`. An item that is worth no more
    /// than its base does not count: it need not be chosen.
    fn divisor_with(&self, first: usize) -> u32 {
        let mut divisor = self.totals.divisor;
        for (&weight, &value) in self.weights[first..].iter().zip(&self.values[first..]) {
            if divisor == 1 {
                break;
            }
            if value > 0.0 {
                let mut rest = weight;
                while rest != 0 {
                    (divisor, rest) = (rest, divisor % rest);
                }
            }
        }
        divisor
    }

    /// Finds the lightest item of the last class, among equals the first of the largest value, and subtracts it.
    fn make_relative(&mut self, class: usize, first: usize) -> Base {
        let (weights, values) = (&mut self.weights[first..], &mut self.values[first..]);
        let mut base = Base { class: class as u32, item: 0, weight: weights[0], value: values[0] };
        for (item, (&weight, &value)) in weights.iter().zip(values.iter()).enumerate() {
            if weight < base.weight || (weight == base.weight && value > base.value) {
                base = Base { class: class as u32, item: item as u32, weight, value };
            }
        }
        weights.iter_mut().for_each(|weight| *weight -= base.weight);
        values.iter_mut().for_each(|value| *value -= base.value);
        base
    }

    /// What is left of the capacity once the lightest item of each mandatory class is chosen, clipped to what the
    /// remaining items can weigh; `None` where they do not fit.
    pub(super) fn relative_capacity(&self) -> Option<u64> {
        let left = self.capacity.checked_sub(self.totals.base_weight)?;
        Some(left.min(self.totals.demand - self.totals.base_weight))
    }

    /// A number that divides the weight of every item that need be chosen, relative to its base; 0 where all weigh 0.
    pub(super) fn divisor(&self) -> u32 {
        self.totals.divisor
    }

    /// The value of the lightest items of the mandatory classes.
    pub(super) fn base_value(&self) -> u64 {
        self.totals.base_value
    }

    /// The lightest items of the mandatory classes, in the order of the classes.
    pub(super) fn bases(&self) -> &[Base] {
        &self.bases
    }

    /// The largest weight of an item relative to its base.
    pub(super) fn largest_weight(&self) -> u32 {
        self.totals.largest_weight
    }

    /// The largest value of an item relative to its base.
    pub(super) fn largest_value(&self) -> u64 {
        self.totals.largest_value
    }

    /// The value per weight of the most valuable and the heaviest items together: a first guess of a price.
    pub(super) fn average_price(&self) -> f64 {
        let weight = (self.totals.demand - self.totals.base_weight).max(1);
        (self.totals.largest_values - self.totals.base_value) as f64 / weight as f64
    }

    /// The sum over all items of the columns that remain beside their weight.
    pub(super) fn cells(&self, columns: u32) -> u64 {
        let tables =
            self.weights.iter().map(|&weight| u64::from(columns.saturating_sub(weight))).sum::<u64>();
        tables + self.curves.iter().map(|curve| curve.cells(columns)).sum::<u64>()
    }

    /// The longest class.
    pub(super) fn longest_class(&self) -> u32 {
        self.totals.longest_class
    }

    /// Weights and values of a class, relative to its base; empty where the class is given by a formula.
    fn table(&self, class: usize) -> (&[u32], &[f64]) {
        let record = self.classes[class];
        if record.order() == Order::Formula {
            return (&[], &[]);
        }
        let range = record.first as usize..record.first as usize + record.length();
        (&self.weights[range.clone()], &self.values[range])
    }

    /// Whether no item of the class is worth more than its weight at this price, so that it need not be read.
    #[inline(always)]
    pub(super) fn is_worth_nothing(&self, class: usize, price: f64) -> bool {
        self.classes[class].is_worth_nothing(price)
    }

    /// Touches every line of memory of a class that will be searched soon.
    ///
    /// A search jumps about in its class, which the processor can't foresee; what is read line by line comes as fast as
    /// memory allows. The sum is of no use but to keep the reading.
    #[inline(always)]
    pub(super) fn touch(&self, class: usize) -> u64 {
        let record = self.classes[class];
        if record.order() == Order::Formula {
            return 0;
        }
        let range = record.first as usize..record.first as usize + record.length();
        let (weights, values) = (&self.weights[range.clone()], &self.values[range]);
        let weights = weights.iter().step_by(16).fold(0, |sum, &weight| sum ^ u64::from(weight));
        values.iter().step_by(8).fold(weights, |sum, value| sum ^ value.to_bits())
    }

    /// A class as the core solver reads it.
    #[inline(always)]
    pub(super) fn shape(&self, class: usize) -> Shape<'_> {
        let record = self.classes[class];
        let order = record.order();
        if order == Order::Formula {
            return Shape::Formula(&self.curves[record.first as usize]);
        }
        let mut range = record.first as usize..record.first as usize + record.length();
        if order == Order::Concave {
            let first = usize::from(record.is_mandatory());
            range.start += first;
            let table =
                Table { weights: &self.weights[range.clone()], values: &self.values[range], ascending: true };
            return Shape::Concave(table, first as u32);
        }
        let ascending = order == Order::Ascending;
        Shape::Table(Table { weights: &self.weights[range.clone()], values: &self.values[range], ascending })
    }

    /// The items of a class, relative to its base.
    pub(super) fn relative_items(&self, class: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let (weights, values) = self.table(class);
        let curve = self.curve(class);
        let computed =
            curve.into_iter().flat_map(|curve| (0..curve.length()).map(|item| curve.relative(item)));
        weights.iter().copied().zip(values.iter().copied()).chain(computed)
    }

    /// Weight and value of an item, relative to the base of its class.
    pub(super) fn relative_item(&self, class: usize, item: u32) -> Option<(u32, f64)> {
        if let Some(curve) = self.curve(class) {
            return (item < curve.length()).then(|| curve.relative(item));
        }
        let (weights, values) = self.table(class);
        Some((*weights.get(item as usize)?, *values.get(item as usize)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_the_first_of_the_most_valuable_of_the_lightest() {
        let mut instance = Instance::new(9);
        let items = [(3, 9), (2, 5), (2, 7), (2, 7), (2, 6), (4, 7)];
        let items = items.map(|(weight, value)| Item::new(weight, value));
        instance.push_class(ClassKind::ExactlyOne, items).unwrap();
        assert_eq!(instance.bases(), [Base { class: 0, item: 2, weight: 2, value: 7.0 }]);
        assert_eq!(instance.items(0).collect::<Vec<Item>>(), items);
    }

    #[test]
    fn a_first_guess_of_the_price_is_relative_to_the_bases() {
        let mut instance = Instance::new(9);
        instance.push_class(ClassKind::ExactlyOne, [Item::new(5, 1_000), Item::new(9, 1_006)]).unwrap();
        instance.push_class(ClassKind::AtMostOne, [Item::new(2, 3)]).unwrap();
        // 6 more for 4 units, and 3 for 2.
        assert!((instance.average_price() - 1.5).abs() < 1e-9, "{}", instance.average_price());
    }
}
