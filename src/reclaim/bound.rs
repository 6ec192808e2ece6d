//! A lower bound on the preemption cost of every choice.
//!
//! Say that a job is *charged* on a candidate server where the loss of this server alone would preempt it. Let n be the
//! number of servers where a job is charged, c its preemption cost and k the number of servers to return. Each server
//! gets the price Σ c ÷ min(n, k) over the jobs charged there.
//!
//! The k smallest prices add up to no more than the cost of any choice C of k servers. For losing more servers never
//! saves a job, so every job that is charged on some server of C is preempted by C. It is charged on at most min(n, k)
//! servers of C, so it adds at most c to the sum of the prices of C. So that sum is at most the cost of C, and the k
//! smallest prices add up to no more than the prices of C. Costs are integers, so the bound may be rounded up. The
//! prices are rounded down to a fixed fraction, which only lowers the bound.

use alloc::vec::Vec;

use super::cost::SCALE;
use super::graph::Graph;

/// The bound for `count` servers, of which there are enough. `prices` is scratch memory. O(servers + tenancies).
pub(super) fn lower_bound(graph: &Graph, count: u32, prices: &mut Vec<u128>) -> u64 {
    prices.clear();
    prices.resize(graph.servers.len(), 0);
    for gang in &graph.gangs {
        let charged =
            || graph.tenancies[gang.tenancies.clone()].iter().filter(|tenancy| tenancy.breaks_alone);
        let servers = (charged().count() as u128).min(u128::from(count));
        let Some(price) = (u128::from(gang.preemption_cost) * SCALE).checked_div(servers) else { continue };
        for tenancy in charged() {
            prices[tenancy.server as usize] += price;
        }
    }
    let count = count as usize;
    if count < prices.len() {
        prices.select_nth_unstable(count);
    }
    // At most the sum of all costs, which fits a u64.
    prices[..count].iter().sum::<u128>().div_ceil(SCALE) as u64
}
