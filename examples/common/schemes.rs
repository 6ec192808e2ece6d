//! The policies that can be named on a command line.

use aryl::epoch::Epoch;
use aryl::reclaim::{self, Reclaimer};
use aryl::sim::policy::{
    Afs, Aryl, Drf, Fifo, Gandiva, Opportunistic, Optimus, Policy, Pollux, ShortestFirst, Tiresias,
};

/// A policy with its settings.
pub(crate) struct Scheme {
    /// What it is called on the command line.
    pub(crate) key: &'static str,
    /// What it is called in a table.
    pub(crate) title: &'static str,
    pub(crate) make: fn() -> Box<dyn Policy>,
}

/// All of them, in the order in which tables show them.
pub(crate) const SCHEMES: [Scheme; 18] = [
    Scheme { key: "fifo", title: "FIFO", make: || Box::new(Fifo::new()) },
    Scheme { key: "backfill", title: "FIFO with backfill", make: || Box::new(Fifo::with_backfill()) },
    Scheme { key: "sjf", title: "Shortest job first", make: || Box::new(ShortestFirst::new()) },
    Scheme { key: "tiresias", title: "Tiresias", make: || Box::new(Tiresias::new()) },
    Scheme { key: "drf", title: "DRF", make: || Box::new(Drf::new()) },
    Scheme { key: "optimus", title: "Optimus", make: || Box::new(Optimus::new()) },
    Scheme { key: "opportunistic", title: "Opportunistic", make: || Box::new(Opportunistic::new()) },
    Scheme {
        key: "random",
        title: "Loaning, random reclaim",
        make: || loaning(reclaim::Policy::Random { seed: 1 }),
    },
    Scheme {
        key: "scf",
        title: "Loaning, SCF reclaim",
        make: || loaning(reclaim::Policy::SmallestCountFirst),
    },
    Scheme { key: "greedy", title: "Loaning, paper's reclaim", make: || loaning(reclaim::Policy::Aryl) },
    Scheme { key: "loaning", title: "Loaning, our reclaim", make: || Box::new(Aryl::loaning_only()) },
    Scheme { key: "gandiva", title: "Gandiva", make: || Box::new(Gandiva::new()) },
    Scheme { key: "afs", title: "AFS", make: || Box::new(Afs::new()) },
    Scheme { key: "pollux", title: "Pollux", make: || Box::new(Pollux::new()) },
    Scheme { key: "scaling", title: "Aryl, scaling only", make: || Box::new(Aryl::scaling_only()) },
    Scheme { key: "published", title: "Aryl as published", make: || Box::new(Aryl::as_published()) },
    Scheme { key: "aryl", title: "Aryl", make: || Box::new(Aryl::new()) },
    Scheme {
        key: "aryl-random",
        title: "Aryl, random reclaim",
        make: || Box::new(Aryl::new().reclaim(reclaim::Policy::Random { seed: 1 })),
    },
];

/// Loaning with a reclaim of the paper: what is superfluous is not put back, and all preemptions cost the same.
fn loaning(policy: reclaim::Policy) -> Box<dyn Policy> {
    let reclaimer = Reclaimer::new(policy).put_back(false);
    Box::new(Aryl::loaning_only().epoch(Epoch::default().reclaimer(reclaimer)).sparing_progress(false))
}

/// The scheme of this key.
pub(crate) fn find(key: &str) -> Result<&'static Scheme, String> {
    let found = SCHEMES.iter().find(|scheme| scheme.key == key);
    found.ok_or_else(|| format!("unknown policy '{key}'; there are {}", keys()))
}

/// The keys, for a help text.
pub(crate) fn keys() -> String {
    SCHEMES.iter().map(|scheme| scheme.key).collect::<Vec<_>>().join(", ")
}
