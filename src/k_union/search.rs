//! Branch and bound: from the bound of the relaxation to a proof, or as far as the budget goes.
//!
//! A node is a list of decisions: elements to be paid for or kept, sets to be taken or dropped. Its relaxation gives a
//! lower bound on all choices that agree with the decisions, and the fill gives a choice. Where the bound of a node is
//! no less than the best cost known, nothing below it can be better. Otherwise there is an element on which relaxation
//! and choice disagree: it is paid for in one child and kept in the other. The first child is searched whole before the
//! second, so the memory is that of one path.

use alloc::vec::Vec;

use super::curve::Curve;
use super::cuts::Cuts;
use super::fill::Fill;
use super::instance::Instance;
use super::network::Amount;
use super::problem::Problem;
use super::relaxation::Relaxation;
use super::state::{Choice, Mark, State};

/// A decision that a child adds to those of its parent.
#[derive(Clone, Copy, Debug)]
enum Decision {
    Pay(u32),
    Keep(u32),
    Take(u32),
    Drop(u32),
}

/// A node on the path whose second child has not been searched.
#[derive(Clone, Copy, Debug)]
struct Frame {
    point: usize,
    second: Decision,
    /// The lower bound on what is below the node.
    bound: u64,
}

/// A rise of the bound by less than this is none.
const LEAST_RISE: f64 = 0.001;

/// Steps aim at a bound that is at least so much higher.
const LEAST_GAP: f64 = 0.25;

/// After so many steps without a rise the prices are taken as they are.
const PATIENCE: u32 = 10;

/// How much may be searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) nodes: u64,
    pub(crate) steps: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    state: State,
    problem: Problem,
    relaxation: Relaxation,
    cuts: Cuts,
    fill: Fill,
    frames: Vec<Frame>,
    /// The sets that are open at the start, and those of them that are at the root, once some are settled.
    all: Vec<u32>,
    root: Vec<u32>,
    open: Vec<u32>,
    candidates: Vec<u32>,
    ends: Vec<(usize, Amount)>,
    /// The sets that the relaxation has, as far as they are taken one by one.
    chosen: Vec<u32>,
    /// By element: whether a set of the choice breaks it alone.
    breaks_alone: Vec<bool>,
    /// The best choice known, without what was taken at the start, and its cost with that.
    pub(crate) best: Vec<u32>,
    pub(crate) cost: Option<u64>,
    /// Whether there was one at the start.
    was_known: bool,
    nodes: u64,
}

impl Search {
    /// Nothing is decided, and no choice known.
    pub(crate) fn start(&mut self, instance: &Instance) {
        self.state.reset(instance);
        self.best.clear();
        self.cost = None;
    }

    /// Takes a set before the search.
    pub(crate) fn take(&mut self, instance: &Instance, set: u32) {
        self.state.take(instance, set);
    }

    /// Takes the best choice, and knows of none from here on.
    pub(crate) fn take_best(&mut self, instance: &Instance) {
        for at in 0..self.best.len() {
            self.state.take(instance, self.best[at]);
        }
        self.best.clear();
        self.cost = None;
    }

    /// What the sets cost that were taken before the search.
    pub(crate) fn paid(&self) -> u64 {
        self.state.cost()
    }

    /// Adopts a choice that is known, without what was taken before.
    pub(crate) fn adopt(&mut self, instance: &Instance, sets: impl Iterator<Item = u32>) {
        self.best.clear();
        self.best.extend(sets);
        self.cost = Some(0);
        self.count_cost(instance);
    }

    /// The same as [`Self::run`], without some of the open sets.
    pub(crate) fn run_without(
        &mut self,
        instance: &Instance,
        sets: impl Iterator<Item = u32>,
        need: u64,
        budget: Budget,
    ) -> u64 {
        let point = self.state.point();
        for set in sets {
            if self.state.choice(set) == Choice::Open {
                self.state.drop_set(set);
            }
        }
        let bound = self.run(instance, need, budget);
        self.state.undo(instance, point);
        bound
    }

    /// Searches for the cheapest sets that weigh `need` or more, those taken in the state among them and those dropped not.
    /// Returns a lower bound on the cost of all such choices. A choice in [`Self::best`] counts as known.
    ///
    /// Where there is none, the best choice is left as it was, and the bound is the largest number.
    pub(crate) fn run(&mut self, instance: &Instance, need: u64, budget: Budget) -> u64 {
        self.forget(instance);
        self.breaks_alone.clear();
        self.breaks_alone.resize(instance.elements(), false);
        self.was_known = self.cost.is_some();
        let start = self.state.point();
        let (root_bound, mut decisions) = self.visit(instance, need);
        if decisions.is_some() && budget.nodes > 1 {
            self.tighten(instance, need, budget.steps / 2);
            self.relax(instance, need);
            self.settle(instance, need);
            decisions = self.visit(instance, need).1;
        }
        let bound = loop {
            if let Some((bound, [first, second])) = decisions {
                self.frames.push(Frame { point: self.state.point(), second, bound });
                self.decide(instance, first);
            } else if !self.backtrack(instance) {
                break u64::MAX;
            }
            if self.nodes >= budget.nodes || self.steps() >= budget.steps {
                break self.frames.iter().map(|frame| frame.bound).min().unwrap_or(root_bound);
            }
            decisions = self.visit(instance, need).1;
        };
        self.state.undo(instance, start);
        self.count_cost(instance);
        bound.max(root_bound).min(self.cost.unwrap_or(u64::MAX))
    }

    /// Leaves out sets of the best choice that are not needed, the last first.
    pub(crate) fn trim(&mut self, instance: &Instance, need: u64) {
        let taken = |sets: &[u32]| sets.iter().map(|&set| instance.weight_of(set)).sum::<u64>();
        let mut excess = (self.state.taken() + taken(&self.best)).saturating_sub(need);
        for at in (0..self.best.len()).rev() {
            let weight = instance.weight_of(self.best[at]);
            if weight <= excess {
                excess -= weight;
                self.best.remove(at);
            }
        }
        self.count_cost(instance);
    }

    /// Counts the cost of the best choice afresh: a decision to pay for an element may have been made in vain.
    fn count_cost(&mut self, instance: &Instance) {
        if self.cost.is_some() {
            let point = self.state.point();
            for at in 0..self.best.len() {
                self.state.take(instance, self.best[at]);
            }
            self.cost = Some(self.state.cost());
            self.state.undo(instance, point);
        }
    }

    /// Forgets the last run; the sets that are open in the state are those to choose among.
    fn forget(&mut self, instance: &Instance) {
        self.nodes = 0;
        self.problem.forget_steps();
        self.relaxation.network.forget_steps();
        self.fill.forget_steps();
        self.cuts.clear();
        self.frames.clear();
        self.all.clear();
        let state = &self.state;
        self.all.extend((0..instance.sets() as u32).filter(|&set| state.choice(set) == Choice::Open));
        self.root.clear();
        self.root.extend_from_slice(&self.all);
    }

    /// Solves the relaxation for every number of sets at once, and orders the sets between its ends by the rule of the
    /// fill.
    pub(crate) fn solve_all(&mut self, instance: &Instance, curve: &mut Curve) {
        curve.clear();
        self.forget(instance);
        self.relax(instance, 0);
        let Self { state, problem, relaxation, fill, candidates, ends, .. } = self;
        relaxation.solve_all(problem, ends);
        curve.costs.push(0);
        curve.bounds.push(0);
        let (mut start, mut paid) = (0, 0);
        for &(end, cost) in ends.iter() {
            candidates.clear();
            candidates.extend(relaxation.order[start..end].iter().map(|&at| problem.sets[at as usize]));
            fill.run_noting(instance, state, candidates, u64::MAX, |set, cost| {
                curve.order.push(set);
                curve.costs.push(cost);
            });
            let weight = |sets: &[u32]| sets.iter().map(|&set| instance.weight_of(set)).sum::<u64>();
            let (added, all) = (&curve.order[start..], weight(&curve.order[start..]));
            for beyond in 1..=added.len() {
                let rise = (cost - paid) * Amount::from(weight(&added[..beyond]));
                let bound = paid + rise.div_ceil(Amount::from(all));
                curve.bounds.push(u64::try_from(bound).unwrap_or(u64::MAX));
            }
            curve.ends.push(end);
            (start, paid) = (end, cost);
        }
    }

    /// The nodes of the last run.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The work of the last run: members and edges looked at.
    pub(crate) fn steps(&self) -> u64 {
        self.problem.steps() + self.relaxation.network.steps() + self.fill.steps()
    }

    /// Goes back to the last node with a second child that may hold a better choice, and to that child.
    fn backtrack(&mut self, instance: &Instance) -> bool {
        while let Some(frame) = self.frames.pop() {
            self.state.undo(instance, frame.point);
            if !self.is_beaten(frame.bound) {
                self.decide(instance, frame.second);
                return true;
            }
        }
        false
    }

    fn decide(&mut self, instance: &Instance, decision: Decision) {
        match decision {
            Decision::Pay(element) => self.state.pay(instance, element),
            Decision::Keep(element) => self.state.keep(element),
            Decision::Take(set) => {
                self.state.take(instance, set);
            }
            Decision::Drop(set) => self.state.drop_set(set),
        }
    }

    fn is_beaten(&self, bound: u64) -> bool {
        self.cost.is_some_and(|cost| bound >= cost)
    }

    /// Bounds a node and makes choices from it. Returns the bound, and again with the decisions of two children where the
    /// node may hold a better choice than the best known.
    fn visit(&mut self, instance: &Instance, need: u64) -> (u64, Option<(u64, [Decision; 2])>) {
        self.nodes += 1;
        if !self.relax(instance, need) {
            return (u64::MAX, None);
        }
        let bound = self.bound(need);
        if self.is_beaten(bound) {
            return (bound, None);
        }
        let decisions = self.round(instance, need);
        if self.is_beaten(bound) {
            return (bound, None);
        }
        (bound, decisions.map(|decisions| (bound, decisions)))
    }

    /// Solves the relaxation of what is open, or says that there are not sets enough.
    fn relax(&mut self, instance: &Instance, need: u64) -> bool {
        let Self { state, cuts, problem, relaxation, root, open, .. } = self;
        open.clear();
        open.extend_from_slice(root);
        cuts.apply(instance, state);
        problem.read(instance, state, cuts, open);
        let missing = need.saturating_sub(state.taken());
        if problem.weights.iter().sum::<u64>() < missing {
            return false;
        }
        relaxation.solve(problem, missing);
        true
    }

    /// The lower bound of the last relaxation, as a fraction.
    fn fraction(&self, need: u64) -> (Amount, Amount) {
        let missing = need.saturating_sub(self.state.taken());
        let (cuts, weight) = (&self.cuts, Amount::from(self.relaxation.price.weight));
        let paid = Amount::from(self.state.cost()) * cuts.unit() + cuts.paid;
        let total = self.relaxation.bound(missing) + paid * weight;
        (total.saturating_sub(cuts.rebate * weight), cuts.unit() * weight)
    }

    /// The lower bound of the last relaxation: the least integer that is no less.
    fn bound(&self, need: u64) -> u64 {
        let (above, below) = self.fraction(need);
        u64::try_from(above.div_ceil(below)).unwrap_or(u64::MAX)
    }

    /// At the root: finds cuts, and prices for them that raise the bound, until it is what the best choice costs, or
    /// rises no more, or so many steps are made.
    fn tighten(&mut self, instance: &Instance, need: u64, steps: u64) {
        let (mut best, mut stuck, mut length) = (-1.0, 0, 1.0);
        while let Some(cost) = self.cost {
            let (above, below) = self.fraction(need);
            let value = above as f64 / below as f64;
            if value > best + LEAST_RISE {
                (best, stuck) = (value, 0);
                self.cuts.keep();
            } else {
                stuck += 1;
                // The usual remedy where steps are too long.
                if stuck % 3 == 0 {
                    length /= 2.0;
                }
            }
            if self.bound(need) >= cost || stuck >= PATIENCE || self.steps() >= steps {
                break;
            }
            let missing = need.saturating_sub(self.state.taken());
            self.cuts.read(instance, &self.state, &self.problem, &self.relaxation, missing);
            if self.cuts.is_empty() {
                break;
            }
            self.cuts.step(instance, length * (cost as f64 - value).max(LEAST_GAP));
            self.relax(instance, need);
        }
        self.cuts.recall();
    }

    /// Makes a choice: all that the relaxation has inside, and then some of the middle. Returns on what to branch: where
    /// there is nothing, the choice costs as little as the bound says.
    fn round(&mut self, instance: &Instance, need: u64) -> Option<[Decision; 2]> {
        let point = self.state.point();
        let Self { relaxation, problem, candidates, state, fill, chosen, .. } = self;
        let id = |&at: &u32| problem.sets[at as usize];
        // The first set that the relaxation has, and that can't be taken without breaking an element to be kept.
        let mut conflict = None;
        for set in relaxation.order[..relaxation.inside].iter().map(id) {
            let before = state.point();
            if !state.take(instance, set) {
                state.undo(instance, before);
                conflict = conflict.or(Some(set));
            }
        }
        candidates.clear();
        candidates.extend(relaxation.order[relaxation.inside..relaxation.outside].iter().map(id));
        let refused = fill.run(instance, state, candidates, need.saturating_sub(state.taken()));
        conflict = conflict.or(refused);
        chosen.clear();
        chosen.extend(problem.sets.iter().filter(|&&set| state.choice(set) == Choice::Taken));
        let fits = state.taken() >= need;
        if fits {
            self.consider();
        }
        let fractional = self.fractional();
        self.state.undo(instance, point);
        let branch = fractional
            .or_else(|| self.broken_jointly(instance))
            .or_else(|| conflict.map(|set| [Decision::Drop(set), Decision::Take(set)]))
            .or_else(|| {
                let element = self.cuts.loosest(&self.state)?;
                Some([Decision::Keep(element), Decision::Pay(element)])
            })
            .or_else(|| {
                // Weights do not add up to what is needed.
                let weight = |&&set: &&u32| (instance.weight_of(set), core::cmp::Reverse(set));
                let &set = self.chosen.iter().max_by_key(weight)?;
                Some([Decision::Take(set), Decision::Drop(set)])
            });
        if branch.is_some() && self.nodes == 1 && !self.was_known {
            self.round_freely(instance, need);
        }
        branch
    }

    /// Makes another choice: the best by the rule of the fill of all that is open, whatever the relaxation says.
    fn round_freely(&mut self, instance: &Instance, need: u64) {
        let point = self.state.point();
        let Self { candidates, state, fill, problem, .. } = self;
        candidates.clear();
        candidates.extend_from_slice(&problem.sets);
        fill.run(instance, state, candidates, need.saturating_sub(state.taken()));
        if state.taken() >= need {
            self.consider();
        }
        self.state.undo(instance, point);
    }

    /// Keeps the choice in the state where it is the best so far.
    fn consider(&mut self) {
        if self.is_beaten(self.state.cost()) {
            return;
        }
        let (state, all) = (&self.state, &self.all);
        self.cost = Some(state.cost());
        self.best.clear();
        self.best.extend(all.iter().filter(|&&set| state.choice(set) == Choice::Taken));
    }

    /// An element of the middle that the relaxation pays for in part: the dearest, then that on most sets.
    fn fractional(&self) -> Option<[Decision; 2]> {
        let relaxation = &self.relaxation;
        if relaxation.inside == relaxation.outside {
            return None;
        }
        let shared = relaxation.elements_of_middle();
        let element = shared.max_by_key(|&(shared, sets)| (self.problem.costs[shared], sets, shared))?.0;
        let element = self.problem.elements[element];
        let branch = [Decision::Pay(element), Decision::Keep(element)];
        Some(if self.state.mark(element) == Mark::Paid { branch } else { [branch[1], branch[0]] })
    }

    /// A free element that the chosen sets break together and none of them alone: the dearest.
    fn broken_jointly(&mut self, instance: &Instance) -> Option<[Decision; 2]> {
        let Self { state, chosen, breaks_alone, .. } = self;
        let point = state.point();
        let members = || chosen.iter().flat_map(|&set| instance.members(set));
        for member in members() {
            breaks_alone[member.element as usize] |=
                state.mark(member.element) == Mark::Paid || state.breaks(instance, member);
        }
        for &set in chosen.iter() {
            state.take(instance, set);
        }
        let jointly = |element: u32| {
            state.mark(element) == Mark::Paid
                && !breaks_alone[element as usize]
                && instance.costs[element as usize] > 0
        };
        let broken = members().map(|member| member.element).filter(|&element| jointly(element));
        let dearest =
            broken.max_by_key(|&element| (instance.costs[element as usize], core::cmp::Reverse(element)));
        for member in members() {
            breaks_alone[member.element as usize] = false;
        }
        state.undo(instance, point);
        dearest.map(|element| [Decision::Pay(element), Decision::Keep(element)])
    }

    /// Takes and drops for good, at the root, the sets that every better choice than the best known has or has not.
    fn settle(&mut self, instance: &Instance, need: u64) {
        let Some(cost) = self.cost else { return };
        let Self { state, cuts, relaxation, problem, root, .. } = self;
        let missing = need.saturating_sub(state.taken());
        // What a better choice may cost at most, beside what is paid. No set of a cut is taken yet, so no charge is.
        let limit = (Amount::from(cost - 1) * cuts.unit() + cuts.rebate)
            .saturating_sub(Amount::from(state.cost()) * cuts.unit());
        relaxation.settle(problem, missing, limit);
        for (at, verdict) in relaxation.verdicts.iter().enumerate() {
            match verdict {
                Some(true) => {
                    state.take(instance, problem.sets[at]);
                }
                Some(false) => state.drop_set(problem.sets[at]),
                None => {}
            }
        }
        root.retain(|&set| state.choice(set) == Choice::Open);
    }
}
