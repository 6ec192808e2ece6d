//! Seeded families of knapsack instances, shared by tests and benchmarks.
//!
//! A class is a job: `g` GPUs a worker, up to `K` extra workers, a remaining time, a minimum number of workers. Values
//! are milliseconds of running time saved.

#![allow(dead_code, missing_docs, unreachable_pub)]

use aryl::knapsack::{ClassKind, Instance, Item};
use oorandom::Rand64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Four GPUs a worker, linear scaling.
    LinearEqual,
    /// 1, 2, 4 or 8 GPUs a worker for 40, 25, 20 and 15 % of jobs, linear scaling.
    LinearMixed,
    /// A power law with 5 % of noise: not concave.
    Noisy,
    /// As `LinearMixed`, but exactly one item a class; keeping the minimum is an item of weight 0.
    Mandatory,
    /// Value = weight + 10.
    Strong,
    /// Value = weight.
    SubsetSum,
    /// Weights from 1 to 512, value = 1,000 · weight, give or take 10.
    Weak,
    /// All weights even, the capacity odd, and one odd class that is worth nothing.
    Parity,
}

pub const ALL: [Family; 8] = [
    Family::LinearEqual,
    Family::LinearMixed,
    Family::Noisy,
    Family::Mandatory,
    Family::Strong,
    Family::SubsetSum,
    Family::Weak,
    Family::Parity,
];

pub const SCHEDULER: [Family; 4] =
    [Family::LinearEqual, Family::LinearMixed, Family::Noisy, Family::Mandatory];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    Units(u64),
    /// Of the total demand.
    Percent(u64),
}

/// One job of a family.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub gpus: u32,
    pub extra: u32,
    pub milliseconds: u64,
    pub minimum: u32,
}

/// A standard normal number, by the polar method of Box and Muller.
fn normal(random: &mut Rand64) -> f64 {
    loop {
        let (x, y) = (2.0 * random.rand_float() - 1.0, 2.0 * random.rand_float() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * libm::sqrt(-2.0 * libm::log(square) / square);
        }
    }
}

/// The extra workers of a job are uniform from 1 to this.
pub fn longest(classes: usize) -> u32 {
    if classes >= 1_000_000 { 16 } else { 64 }
}

pub fn job(family: Family, longest: u32, random: &mut Rand64) -> Job {
    let mixed = match random.rand_range(0..100) {
        0..40 => 1,
        40..65 => 2,
        65..85 => 4,
        _ => 8,
    };
    let gpus = match family {
        Family::LinearEqual => 4,
        Family::Parity => mixed.max(2),
        _ => mixed,
    };
    let extra = random.rand_range(1..u64::from(longest) + 1) as u32;
    let hours = libm::exp(1.5 * normal(random));
    let milliseconds = libm::round((hours * 3_600_000.0).clamp(1.0, 1e12)) as u64;
    let minimum = 1 << random.rand_range(0..4);
    Job { gpus, extra, milliseconds, minimum }
}

/// An instance whose classes are tables of items.
pub fn table(family: Family, classes: usize, capacity: Capacity, seed: u128) -> Instance {
    table_of(family, classes, longest(classes), capacity, seed)
}

/// As [`table`], with at most `longest` items a class.
pub fn table_of(family: Family, classes: usize, longest: u32, capacity: Capacity, seed: u128) -> Instance {
    let mut random = Rand64::new(seed);
    let mut instance = Instance::new(0);
    let mut items = Vec::new();
    for class in 0..classes {
        let job = job(family, longest, &mut random);
        items.clear();
        if family == Family::Parity && class == 0 {
            items.push(Item::new(job.extra * 2 + 1, 0));
        } else {
            fill(family, job, &mut random, &mut items);
        }
        let kind = if family == Family::Mandatory { ClassKind::ExactlyOne } else { ClassKind::AtMostOne };
        instance.push_class(kind, items.iter().copied()).expect("the family is a valid instance");
    }
    set_capacity(&mut instance, family, capacity);
    instance
}

pub fn set_capacity(instance: &mut Instance, family: Family, capacity: Capacity) {
    let units = match capacity {
        Capacity::Units(units) => units,
        Capacity::Percent(percent) => instance.total_demand() * percent / 100,
    };
    instance.set_capacity(if family == Family::Parity { units | 1 } else { units });
}

fn fill(family: Family, job: Job, random: &mut Rand64, items: &mut Vec<Item>) {
    let time = job.milliseconds as f64;
    let exponent = 0.4 + 0.6 * random.rand_float();
    if family == Family::Mandatory {
        items.push(Item::new(0, 0));
    }
    for k in 1..=job.extra {
        let weight = job.gpus * k;
        let (minimum, workers) = (f64::from(job.minimum), f64::from(job.minimum + k));
        let item = match family {
            Family::LinearEqual | Family::LinearMixed | Family::Mandatory | Family::Parity => {
                Item::new(weight, libm::round(time * f64::from(k) / workers) as u64)
            }
            Family::Noisy => {
                let noise = 0.95 + 0.1 * random.rand_float();
                let speedup = (libm::pow(workers / minimum, exponent) * noise).max(1.0);
                Item::new(weight, libm::round(time * (1.0 - 1.0 / speedup)) as u64)
            }
            Family::Strong => Item::new(weight, u64::from(weight) + 10),
            Family::SubsetSum => Item::new(weight, u64::from(weight)),
            Family::Weak => {
                let weight = random.rand_range(1..513);
                Item::new(weight as u32, 1_000 * weight + random.rand_range(0..21) - 10)
            }
        };
        items.push(item);
    }
}
