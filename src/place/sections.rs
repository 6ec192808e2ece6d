//! The parts of a cluster that a worker can choose from: the servers of one GPU type in one pool.

use alloc::vec::Vec;

use crate::cluster::{AllowedGpuTypes, Inventory, Pool};
use crate::id::GpuTypeId;
use crate::units::Speed;

const NONE: u32 = u32::MAX;

/// The servers of one GPU type in one pool, and where their buckets begin in the flat arrays of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub(super) number: usize,
    /// GPUs of its largest server, so the highest bucket.
    pub(super) largest: u32,
    /// The buckets of all sections before it.
    pub(super) first_bucket: usize,
    /// The words of 64 buckets each of all sections before it.
    pub(super) first_word: usize,
}

impl Section {
    pub(super) fn buckets(&self) -> usize {
        self.largest as usize + 1
    }

    pub(super) fn words(&self) -> usize {
        self.buckets().div_ceil(64)
    }
}

/// What is known of a GPU type: its sections, and its place among the types from fast to slow.
#[derive(Clone, Copy, Debug)]
struct TypeEntry {
    training: u32,
    on_loan: u32,
    rank: u32,
}

const NO_SERVER: TypeEntry = TypeEntry { training: NONE, on_loan: NONE, rank: NONE };

/// The sections that hold at least one server. There are never more of them than servers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sections {
    sections: Vec<Section>,
    /// By GPU type, up to the last that has a server.
    by_type: Vec<TypeEntry>,
    /// The types that have a server, fastest first, then lowest id.
    types: Vec<(GpuTypeId, Speed)>,
}

impl Sections {
    /// Finds the sections anew. Allocates only where there are more of them than ever before.
    pub(super) fn rebuild(&mut self, inventory: &Inventory, pools: &[Pool]) {
        self.sections.clear();
        self.by_type.clear();
        self.types.clear();
        for (id, server) in inventory.servers() {
            let Some(&pool) = pools.get(id.index()).filter(|pool| pool.is_for_training()) else { continue };
            let number = self.section_for(inventory, server.gpu_type, pool);
            if let Some(section) = self.sections.get_mut(number as usize) {
                section.largest = section.largest.max(server.gpus);
            }
        }
        let (mut bucket, mut word) = (0, 0);
        for section in &mut self.sections {
            (section.first_bucket, section.first_word) = (bucket, word);
            bucket += section.buckets();
            word += section.words();
        }
        self.types.sort_unstable_by(|a, b| faster_first(a.1, b.1).then(a.0.cmp(&b.0)));
        for (rank, (gpu_type, _)) in (0..).zip(&self.types) {
            self.by_type[gpu_type.index()].rank = rank;
        }
    }

    /// The number of the section, which is opened where there is none yet.
    fn section_for(&mut self, inventory: &Inventory, gpu_type: GpuTypeId, pool: Pool) -> u32 {
        if self.by_type.len() <= gpu_type.index() {
            self.by_type.resize(gpu_type.index() + 1, NO_SERVER);
        }
        let entry = &mut self.by_type[gpu_type.index()];
        if entry.training == NONE && entry.on_loan == NONE {
            let speed = inventory.speed(gpu_type).unwrap_or(Speed::REFERENCE);
            self.types.push((gpu_type, speed));
        }
        let slot = if pool == Pool::Training { &mut entry.training } else { &mut entry.on_loan };
        if *slot == NONE {
            // There are at most two sections a type and fewer than 2^32 - 1 servers, so the number fits.
            *slot = self.sections.len() as u32;
            let number = self.sections.len();
            self.sections.push(Section { number, largest: 0, first_bucket: 0, first_word: 0 });
        }
        *slot
    }

    pub(super) fn of(&self, gpu_type: GpuTypeId, pool: Pool) -> Option<&Section> {
        let entry = self.by_type.get(gpu_type.index())?;
        let number = match pool {
            Pool::Training => entry.training,
            Pool::OnLoan => entry.on_loan,
            Pool::Inference => NONE,
        };
        self.sections.get(number as usize)
    }

    pub(super) fn len(&self) -> usize {
        self.sections.len()
    }

    /// The buckets of all sections.
    pub(super) fn buckets(&self) -> usize {
        self.sections.last().map_or(0, |last| last.first_bucket + last.buckets())
    }

    /// The words of all sections.
    pub(super) fn words(&self) -> usize {
        self.sections.last().map_or(0, |last| last.first_word + last.words())
    }

    /// Writes down the allowed types that have a server, fastest first, then lowest id.
    ///
    /// O(types that have a server) for a fungible job, O(n log n) for one that lists n types.
    pub(super) fn allowed(&self, allowed: &AllowedGpuTypes, out: &mut Vec<(GpuTypeId, Speed)>) {
        out.clear();
        match allowed {
            AllowedGpuTypes::Any => out.extend_from_slice(&self.types),
            AllowedGpuTypes::Reference => out.extend(self.entry(GpuTypeId::new(0))),
            AllowedGpuTypes::Only(listed) => {
                out.extend(listed.iter().filter_map(|&gpu_type| self.entry(gpu_type)));
                out.sort_unstable_by_key(|(gpu_type, _)| self.by_type[gpu_type.index()].rank);
                out.dedup_by_key(|(gpu_type, _)| *gpu_type);
            }
        }
    }

    fn entry(&self, gpu_type: GpuTypeId) -> Option<(GpuTypeId, Speed)> {
        let rank = self.by_type.get(gpu_type.index())?.rank;
        self.types.get(rank as usize).copied()
    }
}

fn faster_first(a: Speed, b: Speed) -> core::cmp::Ordering {
    let a_scaled = u64::from(a.numerator()) * u64::from(b.denominator());
    let b_scaled = u64::from(b.numerator()) * u64::from(a.denominator());
    b_scaled.cmp(&a_scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_ordered_by_the_exact_ratio() {
        let speeds = || (1..8).flat_map(|over| (1..8).map(move |under| (over, under)));
        for ((a, b), (c, d)) in speeds().flat_map(|first| speeds().map(move |second| (first, second))) {
            let [first, second] = [(a, b), (c, d)].map(|(over, under)| Speed::new(over, under).unwrap());
            // 420 is a multiple of every denominator.
            assert_eq!(faster_first(first, second), (420 / d * c).cmp(&(420 / b * a)));
        }
    }
}
