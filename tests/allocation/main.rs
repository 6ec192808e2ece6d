//! Warm calls allocate nothing: a counting allocator counts.
//!
//! Warm is memory in which instances as large, and as hard, have been solved before: not this very instance, so each room is
//! asked about one instance again and about others of the same and of smaller size. `sources` sees to it that no function which
//! promises this is left out.

mod epoch;
mod k_union;
mod knapsack;
mod loan;
mod place;
mod reclaim;
mod sources;
mod stuffed;

/// The allocations that a call makes on this thread.
fn allocations(call: impl FnOnce()) -> u64 {
    allocation_counter::measure(call).count_total
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}
