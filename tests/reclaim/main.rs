//! Which on-loan servers go back: right values, brute force, properties.

#[cfg(feature = "serde")]
mod asks;
mod brute_force;
#[cfg(feature = "serde")]
mod cases;
#[path = "../../benches/clusters/mod.rs"]
mod clusters;
mod costs;
mod effort;
mod errors;
mod exact;
mod explanation;
mod instances;
mod policies;
mod properties;
mod quality;
mod sentences;
mod table_1;
mod versus_brute_force;
#[cfg(feature = "serde")]
mod written;

use aryl::reclaim::Policy;

/// Every policy, Random with a few seeds.
const POLICIES: [Policy; 7] = [
    Policy::Exact,
    Policy::Aryl,
    Policy::SmallestCountFirst,
    Policy::Amortized,
    Policy::BestOfRules,
    Policy::Random { seed: 1 },
    Policy::Random { seed: 2 },
];
