#[path = "../benches/clusters/mod.rs"]
mod clusters;
use aryl::k_union::*;
use aryl::reclaim::{Policy, Reclaimer};
use clusters::{Mix, filled};
use std::time::Instant;
fn main() {
    let elastic: u32 = std::env::args().nth(1).map_or(0, |s| s.parse().unwrap());
    let sizes: Vec<u32> = std::env::args().nth(2).map_or(vec![60, 200, 520, 1500, 5000, 20000], |s| {
        s.split(',').map(|x| x.parse().unwrap()).collect()
    });
    for n in sizes {
        for mix in [Mix::SmallJobs, Mix::WideJobs] {
            for seed in 0..(if n > 2000 { 1 } else { 3 }) {
                let cluster = filled(n, mix, elastic, seed);
                let mut inst = Instance::new();
                let mut sets: Vec<Vec<Member>> = vec![vec![]; n as usize];
                for (id, job) in cluster.jobs() {
                    let total: u32 = cluster.placements(id).iter().map(|p| p.workers).sum();
                    let e = inst.add_tolerant_element(1, u64::from(total - job.min_workers)).unwrap();
                    let mut by = std::collections::BTreeMap::new();
                    for p in cluster.placements(id) {
                        *by.entry(p.server.index()).or_insert(0u64) += u64::from(p.workers);
                    }
                    for (s, w) in by {
                        sets[s].push(Member::losing(e, w));
                    }
                }
                for s in sets {
                    inst.add_set_of(s).unwrap();
                }
                for pct in [5, 10, 20, 40] {
                    let k = u64::from(n * pct / 100);
                    let mut ws = Workspace::default();
                    let mut sol = Solution::default();
                    Solver::default().solve_into(&inst, k, &mut ws, &mut sol).unwrap();
                    let t = Instant::now();
                    Solver::default().solve_into(&inst, k, &mut ws, &mut sol).unwrap();
                    let dt = t.elapsed();
                    let t = Instant::now();
                    let g = Reclaimer::new(Policy::BestOfRules).solve(&cluster, k as u32).unwrap();
                    let gt = t.elapsed();
                    let p = Reclaimer::new(Policy::Aryl).solve(&cluster, k as u32).unwrap();
                    println!(
                        "{n:6} {mix:?} seed {seed} k {k:5}: cost {:5} bound {:5} {} best-of-rules {:5} aryl {:5} {:9.3?} (rules {:9.3?}) {:?}",
                        sol.cost(),
                        sol.certificate().bound(),
                        if sol.certificate().is_optimal() { "=" } else { "!" },
                        g.certificate().objective(),
                        p.certificate().objective(),
                        dt,
                        gt,
                        (ws.nodes(), ws.steps())
                    );
                }
            }
        }
    }
}
