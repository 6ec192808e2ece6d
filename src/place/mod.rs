//! Which server each worker runs on.

mod displace;
mod flexible;
mod gang;
mod index;
mod placer;
mod sections;
#[cfg(test)]
mod tests;

#[allow(unused_imports)]
pub(crate) use placer::{Displaced, Placer};
