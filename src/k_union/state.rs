//! What has been decided so far, with a way back: which sets are taken or dropped, which elements are paid or kept.

use alloc::vec::Vec;

use super::instance::{BREAKING, Instance, Member, NO_PART};

/// What is decided about a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Open,
    Taken,
    Dropped,
}

/// What is decided about an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing yet.
    Free,
    /// It must not be paid for.
    Kept,
    /// It is paid for; what it loses no longer counts.
    Paid,
}

/// One change, as it is undone.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Choice(u32, Choice),
    Mark(u32, Mark),
    Tolerance(u32, u64),
    Part(u32, u64),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    choices: Vec<Choice>,
    marks: Vec<Mark>,
    /// By element: what it can still lose.
    tolerances: Vec<u64>,
    /// By part: what is left of it.
    parts: Vec<u64>,
    /// The weight of the sets that are taken.
    taken: u64,
    cost: u64,
    trail: Vec<Undo>,
}

impl State {
    /// Nothing is decided.
    pub(crate) fn reset(&mut self, instance: &Instance) {
        self.choices.clear();
        self.choices.resize(instance.sets(), Choice::Open);
        self.marks.clear();
        self.marks.resize(instance.elements(), Mark::Free);
        self.tolerances.clear();
        self.tolerances.extend_from_slice(&instance.tolerances);
        self.parts.clear();
        self.parts.extend(instance.parts.iter().map(|part| part.amount));
        (self.taken, self.cost) = (0, 0);
        self.trail.clear();
    }

    pub(super) fn choice(&self, set: u32) -> Choice {
        self.choices[set as usize]
    }

    pub(super) fn mark(&self, element: u32) -> Mark {
        self.marks[element as usize]
    }

    /// The weight of the sets that are taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The cost of the elements that are paid for.
    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    /// Whether the element would be paid for if this set were taken next.
    pub(super) fn breaks(&self, instance: &Instance, member: &Member) -> bool {
        self.loss(instance, member) > self.tolerances[member.element as usize]
    }

    /// What the tolerance of the element falls by when the set is taken.
    fn loss(&self, instance: &Instance, member: &Member) -> u64 {
        if member.part == NO_PART || member.loss == BREAKING {
            return member.loss;
        }
        let (left, speed) = (self.parts[member.part as usize], instance.parts[member.part as usize].speed);
        speed.reference_workers(left) - speed.reference_workers(left.saturating_sub(member.loss))
    }

    /// Takes an open set, and pays for what that breaks. Says whether all elements that are to be kept are kept.
    pub(crate) fn take(&mut self, instance: &Instance, set: u32) -> bool {
        self.set_choice(set, Choice::Taken);
        self.taken += instance.weight_of(set);
        let mut kept = true;
        for member in instance.members(set) {
            let element = member.element;
            let mark = self.marks[element as usize];
            if mark == Mark::Paid {
                continue;
            }
            let (loss, tolerance) = (self.loss(instance, member), self.tolerances[element as usize]);
            if loss > tolerance {
                kept &= mark == Mark::Free;
                self.pay(instance, element);
                continue;
            }
            if loss > 0 {
                self.trail.push(Undo::Tolerance(element, tolerance));
                self.tolerances[element as usize] = tolerance - loss;
            }
            if member.part != NO_PART {
                let left = &mut self.parts[member.part as usize];
                self.trail.push(Undo::Part(member.part, *left));
                *left -= member.loss;
            }
        }
        kept
    }

    /// Drops an open set.
    pub(super) fn drop_set(&mut self, set: u32) {
        self.set_choice(set, Choice::Dropped);
    }

    fn set_choice(&mut self, set: u32, choice: Choice) {
        debug_assert_eq!(self.choices[set as usize], Choice::Open, "set {set}");
        self.trail.push(Undo::Choice(set, Choice::Open));
        self.choices[set as usize] = choice;
    }

    /// Pays for an element that is not paid for.
    pub(super) fn pay(&mut self, instance: &Instance, element: u32) {
        self.set_mark(element, Mark::Paid);
        self.cost += instance.costs[element as usize];
    }

    /// Forbids to pay for an element that is free.
    pub(super) fn keep(&mut self, element: u32) {
        self.set_mark(element, Mark::Kept);
    }

    fn set_mark(&mut self, element: u32, mark: Mark) {
        self.trail.push(Undo::Mark(element, self.marks[element as usize]));
        self.marks[element as usize] = mark;
    }

    /// A point to come [back](Self::undo) to.
    pub(crate) fn point(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all that was done since a point.
    pub(crate) fn undo(&mut self, instance: &Instance, point: usize) {
        while self.trail.len() > point {
            let Some(change) = self.trail.pop() else { return };
            match change {
                Undo::Choice(set, before) => {
                    if self.choices[set as usize] == Choice::Taken {
                        self.taken -= instance.weight_of(set);
                    }
                    self.choices[set as usize] = before;
                }
                Undo::Mark(element, before) => {
                    if self.marks[element as usize] == Mark::Paid {
                        self.cost -= instance.costs[element as usize];
                    }
                    self.marks[element as usize] = before;
                }
                Undo::Tolerance(element, before) => self.tolerances[element as usize] = before,
                Undo::Part(part, before) => self.parts[part as usize] = before,
            }
        }
    }
}
