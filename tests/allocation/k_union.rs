//! A warm union allocates nothing, with tolerances and weights and where it branches.

use aryl::k_union::{Curve, Instance, Member, Solution, Solver, Workspace};

use crate::allocations;

const SETS: u32 = 60;
const ELEMENTS: u32 = 40;

/// Fills an instance with as many sets, each of four elements. `kind` is its family.
fn fill(instance: &mut Instance, sets: u32, kind: u64, seed: u64) {
    let mut random = oorandom::Rand32::new(seed);
    instance.clear();
    for _ in 0..ELEMENTS {
        let tolerance = if kind == 1 { u64::from(random.rand_range(0..6)) } else { 0 };
        instance.add_tolerant_element(u64::from(random.rand_range(1..20)), tolerance).unwrap();
    }
    for _ in 0..sets {
        let mut elements = [(); 4].map(|()| random.rand_range(0..ELEMENTS));
        elements.sort_unstable();
        let losses = [(); 4].map(|()| u64::from(random.rand_range(1..4)));
        let distinct = (0..4).filter(|&at| at == 0 || elements[at - 1] != elements[at]);
        let members = distinct.map(|at| match kind {
            1 => Member::losing(elements[at], losses[at]),
            _ => Member::breaking(elements[at]),
        });
        let weight = if kind == 2 { 1 + elements[0] % 8 } else { 1 };
        instance.add_weighted_set(weight, members).unwrap();
    }
}

/// The largest instances of all kinds, solved at several sizes of the answer.
fn warm_up(mut solve: impl FnMut(&Instance, u64)) {
    let mut instance = Instance::new();
    for (seed, kind) in (0..8).flat_map(|seed| [(seed, 0), (seed, 1), (seed, 2)]) {
        fill(&mut instance, SETS, kind, seed);
        for share in [1, 3, 5, 9] {
            solve(&instance, instance.weight() * share / 10);
        }
    }
}

#[test]
pub(crate) fn a_warm_solver_does_not_allocate() {
    let solver = Solver::new().with_node_budget(40);
    let (mut workspace, mut solution) = (Workspace::new(), Solution::default());
    warm_up(|instance, need| solver.solve_into(instance, need, &mut workspace, &mut solution).unwrap());
    let (mut instance, mut branched) = (Instance::new(), 0);
    fill(&mut instance, SETS, 1, 0);
    for (seed, kind) in (100..112_u64).flat_map(|seed| [(seed, 0), (seed, 1), (seed, 2)]) {
        // Of the same size, and smaller.
        let sets = if seed.is_multiple_of(2) { SETS } else { SETS - seed as u32 % 40 };
        assert_eq!(
            allocations(|| fill(&mut instance, sets, kind, seed)),
            0,
            "seed {seed}, kind {kind}: to fill it"
        );
        let need = instance.weight() * (seed % 10) / 10;
        let count =
            allocations(|| solver.solve_into(&instance, need, &mut workspace, &mut solution).unwrap());
        assert_eq!(count, 0, "seed {seed}, kind {kind}");
        assert_eq!(solution, solver.solve(&instance, need).unwrap());
        branched += u32::from(workspace.nodes() > 1);
        let error = allocations(|| {
            assert!(
                solver.solve_into(&instance, instance.weight() + 1, &mut workspace, &mut solution).is_err()
            );
        });
        assert_eq!(error, 0, "seed {seed}, kind {kind}: refused");
    }
    assert!(branched > 5, "{branched} of them branch");
}

#[test]
pub(crate) fn a_warm_curve_does_not_allocate() {
    let solver = Solver::new();
    let (mut workspace, mut curve) = (Workspace::new(), Curve::default());
    warm_up(|instance, _| solver.curve_into(instance, &mut workspace, &mut curve));
    let mut instance = Instance::new();
    for (seed, kind) in (100..112_u64).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        fill(&mut instance, if seed.is_multiple_of(2) { SETS } else { SETS / 2 }, kind, seed);
        let count = allocations(|| solver.curve_into(&instance, &mut workspace, &mut curve));
        assert_eq!(count, 0, "seed {seed}, kind {kind}");
        assert_eq!(curve, solver.curve(&instance));
    }
}
