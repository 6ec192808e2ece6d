//! Servers in buckets by a number of GPUs, so that the best fit is found in constant time.
//!
//! ```text
//! section (V100, training), servers of 8          bucket = GPUs free
//!
//!            0     1     2     3     4     5     6     7     8
//! Empty      .     .     .     .     .     .     .     .    s4 - s5 - s9      bits 1 0000 0000
//! Base      s0    s7     .    s2 - s3    .     .     .     .     .            bits 0 0000 1011
//!
//! best fit for 2 GPUs among [Base, Empty]: the lowest bit at or above 2 in Base is 3, so s2
//! ```

use alloc::vec::Vec;

use super::sections::{Section, Sections};

const NONE: u32 = u32::MAX;
const GROUPS: usize = 3;
/// The row of bits that says which buckets hold a server of any group.
const ANY: usize = GROUPS;
const ROWS: usize = GROUPS + 1;

/// What a server hosts, as far as the choice of a server looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// No worker.
    Empty = 0,
    /// On an on-loan server, at least one base worker; on a training server, any worker.
    Base = 1,
    /// On an on-loan server, flexible workers only.
    Flexible = 2,
}

/// Where a server stands: in which bucket of which group, between which neighbours.
#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    previous: u32,
    gpus: u32,
    /// `None` where the server is not in the index.
    group: Option<Group>,
}

const UNLINKED: Link = Link { next: NONE, previous: NONE, gpus: 0, group: None };

/// The servers of all sections, each in the bucket of its group and its number of GPUs.
///
/// # Determinism
///
/// In a bucket, the server that came last is the first. So an index that is filled from the highest id down gives the
/// lowest id first, and a server that moved since then goes before those that did not.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerIndex {
    /// By server.
    links: Vec<Link>,
    /// The first server, by section, group and bucket.
    heads: Vec<u32>,
    /// The number of servers, by section and bucket.
    counts: Vec<u32>,
    /// One bit a bucket that holds a server, by section and row: the groups, then any of them.
    bits: Vec<u64>,
    /// GPUs of all servers, by section.
    gpus: Vec<u64>,
    /// Words and links that were looked at, to prove that the work a worker is constant.
    #[cfg(test)]
    pub(super) steps: u64,
}

impl ServerIndex {
    /// Empties the index and gives it the shape of these sections.
    pub(super) fn reset(&mut self, sections: &Sections, servers: usize) {
        fn refill<T: Clone>(list: &mut Vec<T>, length: usize, value: T) {
            list.clear();
            list.resize(length, value);
        }
        refill(&mut self.links, servers, UNLINKED);
        refill(&mut self.heads, sections.buckets() * GROUPS, NONE);
        refill(&mut self.counts, sections.buckets(), 0);
        refill(&mut self.bits, sections.words() * ROWS, 0);
        refill(&mut self.gpus, sections.len(), 0);
        #[cfg(test)]
        {
            self.steps = 0;
        }
    }

    /// Puts a server into the bucket of this group and number of GPUs, from wherever it is.
    pub(super) fn set(&mut self, section: &Section, server: u32, group: Group, gpus: u32) {
        let link = self.links[server as usize];
        if let Some(old) = link.group {
            if old == group && link.gpus == gpus {
                return;
            }
            self.unlink(section, server, link, old);
        }
        self.link_first(section, server, group, gpus);
        #[cfg(test)]
        {
            self.steps += 2;
        }
    }

    fn unlink(&mut self, section: &Section, server: u32, link: Link, group: Group) {
        let bucket = section.first_bucket + link.gpus as usize;
        self.gpus[section.number] -= u64::from(link.gpus);
        self.counts[bucket] -= 1;
        if self.counts[bucket] == 0 {
            self.clear_bit(section, ANY, link.gpus);
        }
        let head = head(section, group, link.gpus);
        if self.heads[head] == server {
            self.heads[head] = link.next;
        }
        if let Some(before) = self.links.get_mut(link.previous as usize) {
            before.next = link.next;
        }
        if let Some(after) = self.links.get_mut(link.next as usize) {
            after.previous = link.previous;
        }
        if self.heads[head] == NONE {
            self.clear_bit(section, group as usize, link.gpus);
        }
    }

    fn link_first(&mut self, section: &Section, server: u32, group: Group, gpus: u32) {
        let head = head(section, group, gpus);
        let next = core::mem::replace(&mut self.heads[head], server);
        if let Some(after) = self.links.get_mut(next as usize) {
            after.previous = server;
        }
        self.links[server as usize] = Link { next, previous: NONE, gpus, group: Some(group) };
        self.counts[section.first_bucket + gpus as usize] += 1;
        self.gpus[section.number] += u64::from(gpus);
        for row in [group as usize, ANY] {
            self.bits[row_start(section, row) + gpus as usize / 64] |= 1 << (gpus % 64);
        }
    }

    fn clear_bit(&mut self, section: &Section, row: usize, gpus: u32) {
        self.bits[row_start(section, row) + gpus as usize / 64] &= !(1 << (gpus % 64));
    }

    /// The server for the next of `workers` workers with `gpus` GPUs each.
    ///
    /// Groups are tried in the order given. In a group, the best fit for all of the workers together goes first, so that
    /// a gang that one server can host is not spread; where none can host them all, the best fit for one worker. Best fit
    /// is the server with the fewest GPUs that suffice.
    pub(super) fn best_fit(
        &mut self,
        section: &Section,
        groups: &[Group],
        gpus: u32,
        workers: u64,
    ) -> Option<u32> {
        let together = u32::try_from(u64::from(gpus).saturating_mul(workers)).unwrap_or(u32::MAX);
        for &group in groups {
            let found = self.first_at_least(section, group as usize, together);
            if let Some(found) = found.or_else(|| self.first_at_least(section, group as usize, gpus)) {
                return Some(self.heads[head(section, group, found)]);
            }
        }
        None
    }

    /// The lowest bucket from `gpus` up that holds a server.
    fn first_at_least(&mut self, section: &Section, row: usize, gpus: u32) -> Option<u32> {
        if gpus > section.largest {
            return None;
        }
        let words = row_start(section, row)..row_start(section, row) + section.words();
        let mut seen = u64::MAX << (gpus % 64);
        let mut low = gpus / 64 * 64;
        for &word in &self.bits[words][gpus as usize / 64..] {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            if word & seen != 0 {
                return Some(low + (word & seen).trailing_zeros());
            }
            seen = u64::MAX;
            low += 64;
        }
        None
    }

    /// How many workers with `gpus` GPUs each the servers of a section can host: the sum of ⌊bucket / `gpus`⌋.
    ///
    /// O(buckets that hold a server).
    pub(super) fn slots(&self, section: &Section, gpus: u32) -> u64 {
        let gpus = gpus.max(1);
        let mut slots = 0;
        let words = row_start(section, ANY)..row_start(section, ANY) + section.words();
        let mut low = 0;
        let mut seen = u64::MAX << (gpus % 64);
        let skip = (gpus as usize / 64).min(section.words());
        low += skip * 64;
        for &word in &self.bits[words][skip..] {
            let mut word = word & seen;
            while word != 0 {
                let bucket = low + word.trailing_zeros() as usize;
                let count = self.counts[section.first_bucket + bucket];
                slots += u64::from(count) * (bucket as u64 / u64::from(gpus));
                word &= word - 1;
            }
            seen = u64::MAX;
            low += 64;
        }
        slots
    }

    /// The GPUs of all servers of a section.
    pub(super) fn gpus(&self, section: &Section) -> u64 {
        self.gpus[section.number]
    }
}

fn head(section: &Section, group: Group, gpus: u32) -> usize {
    section.first_bucket * GROUPS + group as usize * section.buckets() + gpus as usize
}

fn row_start(section: &Section, row: usize) -> usize {
    section.first_word * ROWS + row * section.words()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, GpuType, Pool, Server};
    use crate::id::GpuTypeId;
    use alloc::vec;

    const ALL: [Group; 3] = [Group::Empty, Group::Base, Group::Flexible];

    /// The servers of a section in the order in which they came, each with its group and GPUs.
    type Model = Vec<(u32, Group, u32)>;

    /// The best fit by looking at every server, the last that came first.
    fn best_fit(model: &Model, groups: &[Group], gpus: u32, workers: u64) -> Option<u32> {
        let whole = u64::from(gpus) * workers;
        for &group in groups {
            for least in [whole, u64::from(gpus)] {
                let fitting = model.iter().rev().filter(|s| s.1 == group && u64::from(s.2) >= least);
                // Of equal elements `min_by_key` gives the first.
                if let Some(best) = fitting.min_by_key(|s| s.2) {
                    return Some(best.0);
                }
            }
        }
        None
    }

    #[test]
    fn it_answers_as_a_list_that_is_searched_whole() {
        let mut random = oorandom::Rand32::new(3);
        for sizes in [[8, 8], [1, 16], [64, 63], [65, 130], [1_024, 1]] {
            let mut cluster = Cluster::new();
            let v100 = cluster.add_gpu_type(GpuType::new("V100")).unwrap();
            let mut pools = Vec::new();
            for server in 0..40 {
                let pool = server % 2;
                cluster
                    .add_server(match pool {
                        0 => Server::training(v100, sizes[0]),
                        _ => Server::on_loan(v100, sizes[1]),
                    })
                    .unwrap();
                pools.push([Pool::Training, Pool::OnLoan][pool as usize]);
            }
            let mut sections = Sections::default();
            sections.rebuild(cluster.inventory(), &pools);
            let both = [Pool::Training, Pool::OnLoan];
            let both = both.map(|pool| *sections.of(GpuTypeId::new(0), pool).unwrap());
            let mut index = ServerIndex::default();
            for _ in 0..2 {
                index.reset(&sections, 40);
                let mut models: [Model; 2] = [vec![], vec![]];
                for _ in 0..2_000 {
                    let server = random.rand_range(0..40);
                    let side = (server % 2) as usize;
                    let (section, model) = (&both[side], &mut models[side]);
                    let group = ALL[random.rand_range(0..3) as usize];
                    let gpus = random.rand_range(0..sizes[side] + 1);
                    index.set(section, server, group, gpus);
                    if !model.contains(&(server, group, gpus)) {
                        model.retain(|entry| entry.0 != server);
                        model.push((server, group, gpus));
                    }
                    let wanted = random.rand_range(1..sizes[side] + 2);
                    let workers = u64::from(random.rand_range(1..4));
                    let order = [[0, 1, 2], [1, 0, 2], [2, 0, 1]][random.rand_range(0..3) as usize];
                    let groups = order.map(|at: usize| ALL[at]);
                    let groups = &groups[..random.rand_range(1..4) as usize];
                    assert_eq!(
                        index.best_fit(section, groups, wanted, workers),
                        best_fit(model, groups, wanted, workers)
                    );
                    let slots: u64 = model.iter().map(|entry| u64::from(entry.2 / wanted)).sum();
                    assert_eq!(index.slots(section, wanted), slots);
                    let gpus: u64 = model.iter().map(|entry| u64::from(entry.2)).sum();
                    assert_eq!(index.gpus(section), gpus);
                }
            }
        }
    }
}
