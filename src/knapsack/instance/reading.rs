//! Reading an instance: what its callers gave, as they gave it.

use super::Instance;
use crate::knapsack::curve::CurveClass;
use crate::knapsack::item::{ClassKind, Item};
use crate::knapsack::shape::Order;

impl Instance {
    /// The capacity: what the chosen items may weigh together.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::Instance;
    ///
    /// assert_eq!(Instance::new(8).capacity(), 8);
    /// ```
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The number of classes.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// instance.push_class(ClassKind::AtMostOne, [])?; // a job that can't grow
    /// assert_eq!(instance.class_count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The number of items in all classes.
    ///
    /// Items of a formula count as those of a table do.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, CurveClass, Gain, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 1_000))?;
    /// assert_eq!(instance.item_count(), 1_002);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn item_count(&self) -> u64 {
        self.totals.items
    }

    /// The sum over the classes of their heaviest item: with at least this capacity, weight does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(4, 40)])?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
    /// assert_eq!(instance.total_demand(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn total_demand(&self) -> u64 {
        self.totals.demand
    }

    /// The sum over the mandatory classes of their lightest item: with less than this capacity there is no answer.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(0);
    /// instance.push_class(ClassKind::ExactlyOne, [Item::new(3, 9), Item::new(2, 1)])?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(5, 50)])?;
    /// assert_eq!(instance.mandatory_weight(), 2);
    /// for capacity in 0..4 {
    ///     instance.set_capacity(capacity);
    ///     assert_eq!(Solver::new().solve(&instance).is_ok(), capacity >= 2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mandatory_weight(&self) -> u64 {
        self.totals.base_weight
    }

    /// The kind of a class.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// let class = instance.push_class(ClassKind::ExactlyOne, [Item::new(2, 50)])?;
    /// assert_eq!(instance.class_kind(class), ClassKind::ExactlyOne);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    #[must_use]
    pub fn class_kind(&self, class: usize) -> ClassKind {
        if self.classes[class].is_mandatory() { ClassKind::ExactlyOne } else { ClassKind::AtMostOne }
    }

    /// The number of items in a class.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item};
    ///
    /// let mut instance = Instance::new(4);
    /// let class = instance.push_class(ClassKind::AtMostOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// assert_eq!(instance.class_length(class), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    #[must_use]
    pub fn class_length(&self, class: usize) -> usize {
        self.classes[class].length()
    }

    /// An item, as it was given, or `None` where the class has no item of this number.
    ///
    /// # Examples
    ///
    /// What an answer has chosen, looked up:
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, Instance, Item, Solver};
    ///
    /// let mut instance = Instance::new(2);
    /// let class = instance.push_class(ClassKind::ExactlyOne, [Item::new(1, 20), Item::new(2, 30)])?;
    /// let chosen = Solver::new().solve(&instance)?.choice(class);
    /// assert_eq!(chosen.and_then(|item| instance.item(class, item)), Some(Item::new(2, 30)));
    /// assert_eq!(instance.item(class, 2), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    ///
    /// # Complexity
    ///
    /// Constant; logarithmic in the mandatory classes where the class is one.
    #[must_use]
    pub fn item(&self, class: usize, item: u32) -> Option<Item> {
        let record = self.classes[class];
        let (weight, value) = self.relative_item(class, item)?;
        let mut answer = Item { weight, value: value as u64 };
        if record.is_mandatory() {
            let at = self.bases.partition_point(|base| (base.class as usize) < class);
            let base = self.bases[at];
            answer = Item { weight: weight + base.weight, value: (value + base.value) as u64 };
        }
        Some(answer)
    }

    /// The items of a class in their order, as they were given.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{CurveClass, Gain, Instance};
    ///
    /// let mut instance = Instance::new(4);
    /// let class = instance.push_curve(CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4))?;
    /// let values: Vec<u64> = instance.items(class).map(|item| item.value).collect();
    /// assert_eq!(values, [20, 30, 36, 40]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    pub fn items(&self, class: usize) -> impl Iterator<Item = Item> + '_ {
        (0..self.class_length(class) as u32).filter_map(move |item| self.item(class, item))
    }

    /// The formula of a class, or `None` where its items are a table.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::knapsack::{ClassKind, CurveClass, Gain, Instance, Item};
    ///
    /// let curve = CurveClass::new(Gain::Hyperbola { half: 2.0 }, 60.0, 1, 4);
    /// let mut instance = Instance::new(4);
    /// instance.push_curve(curve)?;
    /// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 50)])?;
    /// assert_eq!((instance.curve(0), instance.curve(1)), (Some(&curve), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is no class of this number.
    #[must_use]
    pub fn curve(&self, class: usize) -> Option<&CurveClass> {
        let record = self.classes[class];
        if record.order() == Order::Formula { self.curves.get(record.first as usize) } else { None }
    }
}
