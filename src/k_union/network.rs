//! Maximum flow from sets to elements: which sets are worth their elements at a price a set.
//!
//! Say that a set earns `gain`, and that each element that a chosen set holds is paid for once. The choice that earns
//! most is a minimum cut (Picard, *Maximal closure of a graph*, 1976): source → set with the gain, set → element without
//! limit, element → sink with the cost. The flow is found by the method of Dinic (1970): shortest paths by breadth, then
//! all of that length at once.

use alloc::vec::Vec;
use core::ops::Range;

/// Gains and costs, scaled by the denominator of a price: below 2^64 · 2^32.
pub(super) type Amount = u128;

const FAR: u32 = u32::MAX;

/// A bipartite network of sets and elements, both numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// The edges of set `s` are `set_start[s]..set_start[s + 1]`; `edges[e]` is the element at the end of edge `e`.
    set_start: Vec<u32>,
    edges: Vec<u32>,
    /// The sets of an element, each with its edge, in the same manner.
    element_start: Vec<u32>,
    back: Vec<(u32, u32)>,
    flow: Vec<Amount>,
    /// By set: what it could still earn.
    gains: Vec<Amount>,
    /// By element: what of its cost is not paid yet.
    costs: Vec<Amount>,
    /// By set: its own cost exceeds the price, so it is never chosen.
    too_dear: Vec<bool>,
    set_level: Vec<u32>,
    element_level: Vec<u32>,
    next_edge: Vec<u32>,
    next_back: Vec<u32>,
    queue: Vec<u32>,
    /// The sets of a path from a source, each with the edge that leaves it and the edge back to the next set.
    path: Vec<(u32, u32, u32)>,
    steps: u64,
}

impl Network {
    /// Removes all sets and elements.
    pub(super) fn clear(&mut self) {
        self.set_start.clear();
        self.set_start.push(0);
        self.edges.clear();
        self.gains.clear();
        self.costs.clear();
        self.too_dear.clear();
    }

    /// Adds an element; elements are numbered 0, 1, 2 and so on.
    pub(super) fn add_element(&mut self, cost: Amount) {
        self.costs.push(cost);
    }

    /// Adds an edge from the set that will be added next.
    pub(super) fn add_edge(&mut self, element: u32) {
        self.edges.push(element);
    }

    /// Adds a set with the edges given before; a gain of `None` is one below 0.
    pub(super) fn add_set(&mut self, gain: Option<Amount>) {
        self.set_start.push(self.edges.len() as u32);
        self.gains.push(gain.unwrap_or(0));
        self.too_dear.push(gain.is_none());
    }

    pub(super) fn sets(&self) -> usize {
        self.gains.len()
    }

    pub(super) fn elements(&self) -> usize {
        self.costs.len()
    }

    pub(super) fn set_edges(&self, set: usize) -> Range<usize> {
        self.set_start[set] as usize..self.set_start[set + 1] as usize
    }

    pub(super) fn element_of(&self, edge: usize) -> usize {
        self.edges[edge] as usize
    }

    fn element_sets(&self, element: usize) -> Range<usize> {
        self.element_start[element] as usize..self.element_start[element + 1] as usize
    }

    /// The number of sets that hold an element.
    pub(super) fn holders(&self, element: usize) -> usize {
        self.element_sets(element).len()
    }

    /// What of the cost of an element no set has paid.
    pub(super) fn unpaid(&self, element: usize) -> Amount {
        self.costs[element]
    }

    /// What a set earns beyond what it pays.
    pub(super) fn unspent(&self, set: usize) -> Amount {
        self.gains[set]
    }

    /// The steps of all flows since [`Self::forget_steps`]: edges looked at.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn forget_steps(&mut self) {
        self.steps = 0;
    }

    /// Finds the maximum flow, and returns what the sets earn beyond it: the most that any choice earns.
    pub(super) fn maximize(&mut self) -> Amount {
        self.link_back();
        self.fill_greedily();
        while self.find_levels() {
            for set in 0..self.sets() {
                if self.gains[set] > 0 {
                    self.augment(set);
                }
            }
        }
        self.gains.iter().sum()
    }

    fn link_back(&mut self) {
        let elements = self.costs.len();
        self.flow.clear();
        self.flow.resize(self.edges.len(), 0);
        self.element_start.clear();
        self.element_start.resize(elements + 1, 0);
        for &element in &self.edges {
            self.element_start[element as usize + 1] += 1;
        }
        for element in 0..elements {
            self.element_start[element + 1] += self.element_start[element];
        }
        self.back.clear();
        self.back.resize(self.edges.len(), (0, 0));
        self.next_back.clear();
        self.next_back.extend_from_slice(&self.element_start[..elements]);
        for set in 0..self.sets() {
            for edge in self.set_edges(set) {
                let next = &mut self.next_back[self.edges[edge] as usize];
                self.back[*next as usize] = (set as u32, edge as u32);
                *next += 1;
            }
        }
        self.steps += self.edges.len() as u64;
    }

    /// Most of the flow needs no search: each set pays for its own elements as far as it can.
    fn fill_greedily(&mut self) {
        for set in 0..self.sets() {
            for edge in self.set_edges(set) {
                let element = self.edges[edge] as usize;
                let paid = self.gains[set].min(self.costs[element]);
                self.gains[set] -= paid;
                self.costs[element] -= paid;
                self.flow[edge] = paid;
            }
        }
        self.steps += self.edges.len() as u64;
    }

    /// The distance of each set and element from the sets that have something to spend. Says whether an element that is
    /// not paid for is among them; farther ones are left out then.
    fn find_levels(&mut self) -> bool {
        self.set_level.clear();
        self.set_level.resize(self.sets(), FAR);
        self.element_level.clear();
        self.element_level.resize(self.elements(), FAR);
        self.next_edge.clear();
        self.next_edge.extend_from_slice(&self.set_start[..self.sets()]);
        self.next_back.clear();
        self.next_back.extend_from_slice(&self.element_start[..self.elements()]);
        self.queue.clear();
        for set in 0..self.sets() {
            if self.gains[set] > 0 {
                self.set_level[set] = 0;
                self.queue.push(set as u32);
            }
        }
        let (mut at, mut last) = (0, FAR);
        while let Some(&set) = self.queue.get(at) {
            at += 1;
            let level = self.set_level[set as usize] + 1;
            if level > last {
                break;
            }
            for edge in self.set_edges(set as usize) {
                self.steps += 1;
                let element = self.edges[edge] as usize;
                if self.element_level[element] != FAR {
                    continue;
                }
                self.element_level[element] = level;
                if self.costs[element] > 0 {
                    last = level;
                }
                if last != FAR {
                    continue;
                }
                for place in self.element_sets(element) {
                    self.steps += 1;
                    let (other, back) = self.back[place];
                    if self.flow[back as usize] > 0 && self.set_level[other as usize] == FAR {
                        self.set_level[other as usize] = level + 1;
                        self.queue.push(other);
                    }
                }
            }
        }
        last != FAR
    }

    /// Sends what a set has to spend along shortest paths, until it is spent or no path is left.
    fn augment(&mut self, source: usize) {
        self.path.clear();
        let mut set = source;
        loop {
            let edge = self.next_edge[set];
            self.steps += 1;
            if edge == self.set_start[set + 1] {
                // A dead end.
                let Some((before, edge, _)) = self.path.pop() else { return };
                self.next_back[self.edges[edge as usize] as usize] += 1;
                set = before as usize;
                continue;
            }
            let element = self.edges[edge as usize] as usize;
            let level = self.element_level[element];
            if level == FAR || level != self.set_level[set] + 1 {
                self.next_edge[set] += 1;
                continue;
            }
            if self.costs[element] > 0 {
                self.send(source, edge, element);
                if self.gains[source] == 0 {
                    return;
                }
                self.path.clear();
                set = source;
                continue;
            }
            match self.next_set(element, level) {
                Some((other, back)) => {
                    self.path.push((set as u32, edge, back));
                    set = other as usize;
                }
                None => self.next_edge[set] += 1,
            }
        }
    }

    /// The next set that has paid for this element and could pay for another instead.
    fn next_set(&mut self, element: usize, level: u32) -> Option<(u32, u32)> {
        while self.next_back[element] < self.element_start[element + 1] {
            self.steps += 1;
            let (other, back) = self.back[self.next_back[element] as usize];
            if self.flow[back as usize] > 0 && self.set_level[other as usize] == level + 1 {
                return Some((other, back));
            }
            self.next_back[element] += 1;
        }
        None
    }

    fn send(&mut self, source: usize, last: u32, element: usize) {
        let mut amount = self.gains[source].min(self.costs[element]);
        for &(_, _, back) in &self.path {
            amount = amount.min(self.flow[back as usize]);
        }
        self.gains[source] -= amount;
        self.costs[element] -= amount;
        for &(_, edge, back) in &self.path {
            self.flow[edge as usize] += amount;
            self.flow[back as usize] -= amount;
        }
        self.flow[last as usize] += amount;
    }

    /// After [`Self::maximize`]: whether the set is in every choice that earns most.
    pub(super) fn is_in_least(&self, set: usize) -> bool {
        self.set_level[set] != FAR
    }

    /// After [`Self::maximize`]: for each set, whether it is in *no* choice that earns most. Written to `never`.
    pub(super) fn mark_never(&mut self, never: &mut Vec<bool>) {
        never.clear();
        never.extend_from_slice(&self.too_dear);
        self.element_level.fill(FAR);
        self.queue.clear();
        for element in 0..self.elements() {
            if self.costs[element] > 0 {
                self.element_level[element] = 0;
                self.queue.push(element as u32);
            }
        }
        // An element that would cost more than it brings spoils the sets that hold it; a spoilt set spoils the elements
        // that rely on it to pay for them.
        let mut at = 0;
        while let Some(&element) = self.queue.get(at) {
            at += 1;
            for place in self.element_sets(element as usize) {
                self.steps += 1;
                let set = self.back[place].0 as usize;
                if never[set] {
                    continue;
                }
                never[set] = true;
                for edge in self.set_edges(set) {
                    let element = self.edges[edge] as usize;
                    if self.flow[edge] > 0 && self.element_level[element] == FAR {
                        self.element_level[element] = 0;
                        self.queue.push(element as u32);
                    }
                }
            }
        }
    }
}
