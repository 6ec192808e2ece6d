//! The cheapest union by price: for which price a set are k sets chosen, and what follows for every choice of k. Where
//! sets have weights, all is by weight.
//!
//! At a price p a set, choose sets S that earn most: p·|S| − cost(S). As p grows, the chosen sets grow and never lose a
//! member, and each such S is the cheapest of its size. Between two neighbours the line from one to the other is a lower
//! bound on the cost of every size between (the Lagrangian bound; here it is the bound of the linear relaxation too).
//! The search brackets k between neighbours: the price is the slope between what is known to be too few and too many,
//! and what is decided at one price stays decided (Eisner and Severance, 1976; Gallo, Grigoriadis and Tarjan, 1989).

use alloc::vec::Vec;
use core::ops::Range;

use super::network::{Amount, Network};
use super::problem::Problem;

const NONE: u32 = u32::MAX;

/// A price a unit of weight, as a fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) cost: Amount,
    pub(super) weight: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Relaxation {
    /// The open sets: those inside first, then the middle, then those outside.
    pub(super) order: Vec<u32>,
    /// How many are inside: chosen at the price, and cheaper than it.
    pub(super) inside: usize,
    /// Where the middle ends. All of it may be chosen at the price or left; k lies between.
    pub(super) outside: usize,
    pub(super) price: Price,
    /// The cost of the sets inside, their weight, and their weight with that of the middle.
    cost: Amount,
    pub(super) inside_weight: u64,
    pub(super) outside_weight: u64,
    pub(super) network: Network,
    /// By shared element: whether a set inside breaks it.
    is_paid: Vec<bool>,
    /// By shared element: its number in the network.
    number: Vec<u32>,
    /// The shared element of a number in the network.
    element: Vec<u32>,
    never: Vec<bool>,
    /// By open set, after [`Self::settle`].
    pub(super) verdicts: Vec<Option<bool>>,
    spans: Vec<(usize, usize)>,
    scratch: [Vec<u32>; 2],
}

impl Relaxation {
    /// Nothing is inside, and nothing outside.
    fn start(&mut self, problem: &Problem) {
        let sets = problem.sets.len();
        self.order.clear();
        self.order.extend(0..sets as u32);
        (self.inside, self.outside, self.cost, self.price) = (0, sets, 0, Price { cost: 0, weight: 1 });
        (self.inside_weight, self.outside_weight) = (0, problem.weights.iter().sum());
        self.is_paid.clear();
        self.is_paid.resize(problem.costs.len(), false);
        self.element.clear();
        self.number.clear();
        self.number.resize(problem.costs.len(), NONE);
    }

    /// Brackets `need`, at most the weight of the open sets. Where there is a middle then, the network is its own.
    pub(super) fn solve(&mut self, problem: &Problem, need: u64) {
        self.start(problem);
        loop {
            if need == self.inside_weight {
                (self.outside, self.outside_weight) = (self.inside, self.inside_weight);
                return;
            }
            if need == self.outside_weight {
                self.take_inside(problem, self.outside);
                return;
            }
            let Some((least, greatest)) = self.split(problem, self.inside, self.outside) else { return };
            let weight = |range: Range<usize>| -> u64 {
                self.order[range].iter().map(|&set| problem.weights[set as usize]).sum()
            };
            let least_weight = self.inside_weight + weight(self.inside..least);
            let greatest_weight = least_weight + weight(least..greatest);
            if need <= least_weight {
                (self.outside, self.outside_weight) = (least, least_weight);
            } else if need >= greatest_weight {
                self.take_inside(problem, greatest);
            } else {
                self.take_inside(problem, least);
                (self.outside, self.outside_weight) = (greatest, greatest_weight);
            }
        }
    }

    /// The shared elements that the relaxation pays for in part, each with the number of sets of the middle that hold it.
    pub(super) fn elements_of_middle(&self) -> impl Iterator<Item = (usize, usize)> {
        self.element.iter().enumerate().map(|(at, &element)| (element as usize, self.network.holders(at)))
    }

    /// Finds, at the price of the last solution, what sets of weight `need` can't do where it costs at most `limit`, in
    /// the units of the problem: leave a set, or take one. Written to [`Self::verdicts`]: taken, left, or neither.
    ///
    /// The flow shares the cost of each element among its sets, so the shares of a choice add up to no more than its
    /// cost. To leave a set whose share is below the price means to take another at the price or more; to take one above
    /// the price costs the difference, and what of its elements no set pays for.
    pub(super) fn settle(&mut self, problem: &Problem, need: u64, limit: Amount) {
        let price = self.price;
        (self.inside, self.outside) = (0, problem.sets.len());
        self.is_paid.fill(false);
        self.order.sort_unstable();
        self.number_elements(problem, 0..problem.sets.len());
        self.build(problem, 0..problem.sets.len());
        let most = self.network.maximize();
        let (price, unit) = (price.cost, Amount::from(price.weight));
        // Nothing can be said where the limit is not above the bound; the caller has then nothing left to search.
        let bound = (Amount::from(need) * price).saturating_sub(most);
        let Some(slack) = (limit * unit).checked_sub(bound) else {
            self.verdicts.clear();
            return;
        };
        self.verdicts.clear();
        for set in 0..self.network.sets() {
            let unpaid: Amount = self
                .network
                .set_edges(set)
                .map(|edge| self.network.unpaid(self.network.element_of(edge)))
                .sum();
            let own = problem.own[set] * unit;
            let to_take = own.saturating_sub(price * Amount::from(problem.weights[set])) + unpaid;
            let to_leave = self.network.unspent(set);
            self.verdicts.push(if to_leave > slack {
                Some(true)
            } else if to_take > slack {
                Some(false)
            } else {
                None
            });
        }
    }

    /// The lower bound on the cost of sets of this weight, multiplied by the weight of the price.
    pub(super) fn bound(&self, need: u64) -> Amount {
        let beyond = Amount::from(need - self.inside_weight);
        beyond * self.price.cost + self.cost * Amount::from(self.price.weight)
    }

    /// The share of the middle that sets of this weight have.
    pub(super) fn share(&self, need: u64) -> f64 {
        (need - self.inside_weight) as f64 / (self.outside_weight - self.inside_weight).max(1) as f64
    }

    /// Where the choices that earn most split the sets from `start` to `end` of the order, at the price which all of them
    /// cost a set: they are brought into an order in which the least choice comes first, then the rest of the greatest.
    /// Returns the ends of the two, or nothing where no choice earns more than none of the sets and all of them do.
    fn split(&mut self, problem: &Problem, start: usize, end: usize) -> Option<(usize, usize)> {
        let total = self.number_elements(problem, start..end);
        let weight = self.order[start..end].iter().map(|&set| problem.weights[set as usize]).sum();
        self.price = Price { cost: total, weight };
        self.build(problem, start..end);
        if self.network.maximize() == 0 {
            return None;
        }
        let Self { network, never, order, scratch: [middle, outside], .. } = self;
        network.mark_never(never);
        middle.clear();
        outside.clear();
        let mut least = start;
        for at in 0..network.sets() {
            let set = order[start + at];
            if network.is_in_least(at) {
                order[least] = set;
                least += 1;
            } else if never[at] {
                outside.push(set);
            } else {
                middle.push(set);
            }
        }
        let greatest = least + middle.len();
        order[least..greatest].copy_from_slice(middle);
        order[greatest..end].copy_from_slice(outside);
        Some((least, greatest))
    }

    /// Solves for every number of sets at once: brings all open sets into an order whose beginnings are cheapest for their
    /// length at each of the `ends` that are returned. Between two ends nothing is known but the line from one to the other.
    /// Each end comes with the cost of the relaxation up to there.
    pub(super) fn solve_all(&mut self, problem: &Problem, ends: &mut Vec<(usize, Amount)>) {
        self.start(problem);
        ends.clear();
        let mut spans = core::mem::take(&mut self.spans);
        spans.clear();
        spans.push((0, problem.sets.len()));
        while let Some((start, end)) = spans.pop() {
            if start == end {
                continue;
            }
            match self.split(problem, start, end) {
                // What comes first is pushed last.
                Some((least, greatest)) => spans.extend([(greatest, end), (least, greatest), (start, least)]),
                None => {
                    self.take_inside(problem, end);
                    ends.push((end, self.cost));
                }
            }
        }
        self.spans = spans;
    }

    /// Moves the sets up to this place inside.
    fn take_inside(&mut self, problem: &Problem, end: usize) {
        for at in self.inside..end {
            let set = self.order[at] as usize;
            self.inside_weight += problem.weights[set];
            self.cost += problem.own[set];
            for &element in problem.shared(set) {
                if !core::mem::replace(&mut self.is_paid[element as usize], true) {
                    self.cost += problem.costs[element as usize];
                }
            }
        }
        self.inside = end;
    }

    /// Numbers the unpaid elements of these sets, and returns what all the sets cost.
    fn number_elements(&mut self, problem: &Problem, range: Range<usize>) -> Amount {
        for &element in &self.element {
            self.number[element as usize] = NONE;
        }
        self.element.clear();
        let mut total = 0;
        for &set in &self.order[range] {
            total += problem.own[set as usize];
            for &element in problem.shared(set as usize) {
                let number = &mut self.number[element as usize];
                if !self.is_paid[element as usize] && *number == NONE {
                    *number = self.element.len() as u32;
                    self.element.push(element);
                    total += problem.costs[element as usize];
                }
            }
        }
        total
    }

    /// The network of these sets, whose elements are numbered, at the price.
    fn build(&mut self, problem: &Problem, range: Range<usize>) {
        let price = self.price;
        self.network.clear();
        for &element in &self.element {
            let cost = problem.costs[element as usize];
            self.network.add_element(cost * Amount::from(price.weight));
        }
        for &set in &self.order[range] {
            for &element in problem.shared(set as usize) {
                if !self.is_paid[element as usize] {
                    self.network.add_edge(self.number[element as usize]);
                }
            }
            let own = problem.own[set as usize] * Amount::from(price.weight);
            self.network.add_set((price.cost * Amount::from(problem.weights[set as usize])).checked_sub(own));
        }
    }
}
