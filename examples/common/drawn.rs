//! Which jobs of a trace are elastic or fungible: no public trace says, so it is drawn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use oorandom::Rand64;

use super::trace::TraceJob;

/// Flags for each job of a trace, in the trace's order.
pub(crate) struct Drawn {
    pub(crate) elastic: Vec<bool>,
    pub(crate) fungible: Vec<bool>,
}

/// Draws the paper's proportions over a whole trace: 5 % of the jobs are elastic and hold 36 % of the GPU time; 21 % of
/// the jobs are fungible (Aryl, section 7).
///
/// For the elastic jobs, 5 % are drawn evenly. Then, as long as they hold too little, the least of them is exchanged for a
/// greater job drawn from the rest. A trace with few jobs meets the second share only roughly.
pub(crate) fn draw(jobs: &[TraceJob], seed: u64) -> Drawn {
    let mut random = Rand64::new(u128::from(seed));
    let at_least_one = |share: usize| (jobs.len() * share).div_ceil(100);

    let order = shuffled(jobs.len(), &mut random);
    let (first, rest) = order.split_at(at_least_one(5));
    let wanted = jobs.iter().map(TraceJob::gpu_seconds).sum::<u128>() * 36 / 100;
    let mut held: u128 = first.iter().map(|&job| jobs[job].gpu_seconds()).sum();
    let mut chosen: BinaryHeap<Reverse<(u128, usize)>> =
        first.iter().map(|&job| Reverse((jobs[job].gpu_seconds(), job))).collect();
    for &job in rest {
        if held >= wanted {
            break;
        }
        let (greater, least) = (jobs[job].gpu_seconds(), chosen.peek().map_or(0, |least| least.0.0));
        if greater > least {
            chosen.pop();
            chosen.push(Reverse((greater, job)));
            held = held - least + greater;
        }
    }
    let mut elastic = vec![false; jobs.len()];
    for Reverse((_, job)) in chosen {
        elastic[job] = true;
    }

    let mut fungible = vec![false; jobs.len()];
    for &job in shuffled(jobs.len(), &mut random).iter().take(at_least_one(21)) {
        fungible[job] = true;
    }
    Drawn { elastic, fungible }
}

/// The numbers from 0 to `count`, in random order.
fn shuffled(count: usize, random: &mut Rand64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, random.rand_range(0..at as u64 + 1) as usize);
    }
    order
}
