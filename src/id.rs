//! Ids of the things that a [`Cluster`](crate::cluster::Cluster) holds.
//!
//! An id is a dense `u32`: the first server is 0, the next is 1. So a caller can keep its own names in a plain
//! vector, at `id.index()`. Ids are made by the cluster that holds the thing. A removed job or server leaves its id
//! unused until [`Cluster::clear`](crate::cluster::Cluster::clear), so an old id never names a new thing.
//!
//! An id that the cluster does not hold is answered with a typed error, never with a panic. The cluster cannot tell
//! an id of another cluster from its own where both hold that number: use ids only with the cluster that made them.
//!
//! ```
//! use aryl::id::ServerId;
//!
//! let names = ["rack1-a", "rack1-b"];
//! let server = ServerId::new(1);
//! assert_eq!(names[server.index()], "rack1-b");
//! assert_eq!(server.to_string(), "server 1");
//! ```

use core::fmt;

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident, $noun:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(u32);

        impl $name {
            #[doc = concat!("The ", $noun, " with this number, whether or not a cluster holds it.")]
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use aryl::id::", stringify!($name), ";")]
            ///
            #[doc = concat!("let third = ", stringify!($name), "::new(2);")]
            #[doc = concat!("assert_eq!(third.to_string(), \"", $noun, " 2\");")]
            #[doc = concat!("assert!(third > ", stringify!($name), "::new(1)); // ids are ordered by their numbers")]
            /// ```
            #[must_use]
            pub const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The number, to index a caller's own vector.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use aryl::id::", stringify!($name), ";")]
            ///
            /// let names = ["ash", "birch", "cedar"];
            #[doc = concat!("assert_eq!(names[", stringify!($name), "::new(2).index()], \"cedar\");")]
            /// ```
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number as it is stored and written.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use aryl::id::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(u32::MAX).get(), 4_294_967_295);")]
            /// ```
            #[must_use]
            pub const fn get(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($noun, " {}"), self.0)
            }
        }
    };
}

dense_id!(
    /// A kind of GPU, as [`Cluster::add_gpu_type`](crate::cluster::Cluster::add_gpu_type) numbered it. Number 0 is
    /// the reference type.
    GpuTypeId,
    "GPU type"
);
dense_id!(
    /// A server, as [`Cluster::add_server`](crate::cluster::Cluster::add_server) numbered it.
    ServerId,
    "server"
);
dense_id!(
    /// A job, as [`Cluster::add_job`](crate::cluster::Cluster::add_job) numbered it.
    JobId,
    "job"
);
