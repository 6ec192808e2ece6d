//! The committed digests: what a hundred seeds give, in every build.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::SEEDS;
use crate::canonical::{Row, digest};
use crate::rooms::{knapsack_row, loan_row, place_row, plan_row, union_row};

const HEADER: &str = "\
# The 64-bit FNV-1a digest of each answer, in full, certificates included: one line a seed. They are the same in debug and
# release builds and with any features. See tests/determinism/results.rs.
# seed epoch knapsack k_union place loan sim
";

const CHANGED: &str = "\
results changed: an answer differs from the one that is committed.
If that is meant, update with `ARYL_UPDATE=1 cargo test --all-features --test determinism` and add a line to the section
\"Results\" of CHANGELOG.md. If it is not, some answer depends on the build, the machine or the features.";

/// What makes the answers of one room.
type Room = (&'static str, fn(u64) -> Row);

/// The rooms that this build holds, in the order of the columns.
const ROOMS: &[Room] = &[
    ("epoch", plan_row),
    ("knapsack", knapsack_row),
    ("k_union", union_row),
    ("place", place_row),
    ("loan", loan_row),
    #[cfg(feature = "sim")]
    ("sim", crate::simulation::simulation_row),
];

/// The digests of each room, by seed.
fn digests() -> Vec<Vec<u64>> {
    let of_seed = |seed| ROOMS.iter().map(|(_, row)| digest(&row(seed))).collect();
    SEEDS.map(of_seed).collect()
}

/// The digests of a file, by line.
fn read(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').skip(1).collect()).collect()
}

#[test]
fn the_results_are_those_that_are_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/digests.txt");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let committed = read(&committed);
    let digests = digests();
    let mut text = String::from(HEADER);
    let mut changed = Vec::new();
    for (seed, digests) in digests.iter().enumerate() {
        let known = committed.get(seed).map_or(&[][..], Vec::as_slice);
        write!(text, "{seed}").unwrap();
        for (at, ((room, _), digest)) in ROOMS.iter().zip(digests).enumerate() {
            let digest = format!("{digest:016x}");
            if known.get(at) != Some(&digest.as_str()) {
                changed.push(format!("{room} of seed {seed}: {digest}, committed {:?}", known.get(at)));
            }
            write!(text, " {digest}").unwrap();
        }
        // What this build does not hold stays as it is.
        for digest in known.iter().skip(ROOMS.len()) {
            write!(text, " {digest}").unwrap();
        }
        text.push('\n');
    }
    // Digests are worth something only if they tell answers apart. Some small answers are alike: nothing is placed, say.
    for (at, (room, _)) in ROOMS.iter().enumerate() {
        let different: BTreeSet<u64> = digests.iter().map(|digests| digests[at]).collect();
        assert!(different.len() >= 85, "{room}: {} different digests", different.len());
    }
    if std::env::var_os("ARYL_UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    assert_eq!(committed.len() as u64, SEEDS.end, "{} holds one line a seed", path.display());
    assert!(changed.is_empty(), "{CHANGED}\n{} changed:\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn the_digest_is_fnv_1a() {
    // Its authors' own values, of nothing and of a word.
    assert_eq!(digest(&[]), 0xcbf2_9ce4_8422_2325);
    assert_eq!(reference(b"foobar"), 0x8594_4171_f739_67e8);
    assert_eq!(digest(&[u64::from_le_bytes(*b"chongo w"), 7]), reference(b"chongo w\x07\0\0\0\0\0\0\0"));
}

/// FNV-1a as it is written down: for each byte, exclusive or, then multiply.
fn reference(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 14_695_981_039_346_656_037;
    for &byte in bytes {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(1_099_511_628_211);
    }
    hash
}
