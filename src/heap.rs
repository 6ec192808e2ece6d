//! A binary heap whose keys can change: each item knows its place (Cormen, Leiserson, Rivest, Stein, *Introduction to
//! Algorithms*, chapter 6).

use alloc::vec::Vec;

/// Not in the heap.
const GONE: u32 = u32::MAX;

/// A min-heap of the items `0..n`, each with a key. Equal keys: the lowest item first.
#[derive(Clone, Debug)]
pub(crate) struct IndexedHeap<K> {
    keys: Vec<K>,
    items: Vec<u32>,
    place: Vec<u32>,
    steps: u64,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), items: Vec::new(), place: Vec::new(), steps: 0 }
    }
}

impl<K: Ord + Copy> IndexedHeap<K> {
    /// Empties the heap and forgets the steps counted.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.items.clear();
        self.place.clear();
        self.steps = 0;
    }

    /// Fills the heap with one item for each key. O(items).
    pub(crate) fn fill(&mut self, keys: impl Iterator<Item = K>) {
        self.clear();
        self.keys.extend(keys);
        self.items.extend(0..self.keys.len() as u32);
        self.place.extend(0..self.keys.len() as u32);
        self.heapify();
    }

    /// Gives each item that is still in the heap a new key. O(items).
    pub(crate) fn rekey(&mut self, key: impl Fn(usize) -> K) {
        for &item in &self.items {
            self.keys[item as usize] = key(item as usize);
        }
        self.heapify();
    }

    fn heapify(&mut self) {
        for at in (0..self.items.len() / 2).rev() {
            self.sift_down(at);
        }
    }

    /// The item with the smallest key, and that key.
    pub(crate) fn first(&self) -> Option<(usize, K)> {
        self.items.first().map(|&item| (item as usize, self.keys[item as usize]))
    }

    /// Takes the item with the smallest key. O(log items).
    pub(crate) fn pop(&mut self) -> Option<usize> {
        let &first = self.items.first()?;
        self.place[first as usize] = GONE;
        if let Some(last) = self.items.pop().filter(|&last| last != first) {
            self.put(0, last);
            self.sift_down(0);
        }
        Some(first as usize)
    }

    /// Gives an item another key. No effect on one that is gone. O(log items).
    pub(crate) fn update(&mut self, item: usize, key: K) {
        self.keys[item] = key;
        if self.place[item] != GONE {
            let at = self.sift_up(self.place[item] as usize);
            self.sift_down(at);
        }
    }

    /// The comparisons so far: the work that was done, the same on every machine.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    fn less(&mut self, a: u32, b: u32) -> bool {
        self.steps += 1;
        (self.keys[a as usize], a) < (self.keys[b as usize], b)
    }

    fn put(&mut self, at: usize, item: u32) {
        self.items[at] = item;
        self.place[item as usize] = at as u32;
    }

    fn sift_up(&mut self, mut at: usize) -> usize {
        let item = self.items[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.less(item, self.items[parent]) {
                break;
            }
            self.put(at, self.items[parent]);
            at = parent;
        }
        self.put(at, item);
        at
    }

    fn sift_down(&mut self, mut at: usize) {
        let item = self.items[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.items.len() {
                break;
            }
            if child + 1 < self.items.len() && self.less(self.items[child + 1], self.items[child]) {
                child += 1;
            }
            if !self.less(self.items[child], item) {
                break;
            }
            self.put(at, self.items[child]);
            at = child;
        }
        self.put(at, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_pops_in_order_under_random_changes() {
        let mut random = oorandom::Rand32::new(7);
        for round in 0..300 {
            let count = 1 + round % 40;
            let mut keys: Vec<u32> = (0..count).map(|_| random.rand_range(0..10)).collect();
            let mut heap = IndexedHeap::default();
            heap.fill(keys.iter().copied());
            let mut inside: Vec<usize> = (0..count).collect();
            while let Some(&expected) = inside.iter().min_by_key(|&&item| (keys[item], item)) {
                assert_eq!(heap.pop(), Some(expected));
                inside.retain(|&item| item != expected);
                for _ in 0..3 {
                    let item = random.rand_range(0..count as u32) as usize;
                    keys[item] = random.rand_range(0..10);
                    heap.update(item, keys[item]);
                }
                if random.rand_range(0..8) == 0 {
                    keys.iter_mut().for_each(|key| *key = 10 - *key);
                    heap.rekey(|item| keys[item]);
                }
            }
            assert_eq!(heap.pop(), None);
        }
    }
}
