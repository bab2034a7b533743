//! What a job costs on a machine like the one the figures of the README were measured on: all coefficients in one place.

use super::{Method, Question};
use crate::job::profile::{LayerSize, Profile};
use crate::job::space::MOST_RESIDENT;
use crate::poset::Poset;

/// Nanoseconds for a base edge that is enumerated (2026-11-29, `layers boolean:7`: 12.3 s for 251 million edges).
const NS_PER_EDGE_ENUMERATED: f64 = 49.0;
/// Nanoseconds for a base edge that is discovered and then followed down (the same day, `run extensions boolean:7`: some
/// 20 s of discovery and 10 s of evaluation for as many).
const NS_PER_EDGE: f64 = 120.0;
/// Nanoseconds for an addition of two values of up to four limbs (the same run: some 24 s for 5.0 thousand million).
const NS_PER_ADDITION: f64 = 4.8;
/// Bytes besides the base for an edge that is discovered and grouped, the buffers' room to grow included.
const DISCOVERED_BYTES: f64 = 20.0;
/// Copies of the base of such an edge, as far as a buffer has grown.
const DISCOVERED_COPIES: f64 = 1.5;
/// Nanoseconds for a move from a whole ideal to another one (2026-11-30, `run grundy boolean:8 --max-elements 36`).
const NS_PER_MOVE: f64 = 110.0;
/// Bytes of the value of a whole ideal in memory.
const VALUE_BYTES: f64 = 2.5;
/// Nanoseconds for a move that leads from a block to another one (2026-11-30, `run grundy boolean:7`).
const NS_PER_LINK: f64 = 150.0;
/// Nanoseconds for the moves within a block and to the other side, for each position (the same run).
const NS_PER_POSITION: f64 = 150.0;
/// Slots of the upper side in memory for each one that is stored.
pub(in crate::job) const UPPER_SLOTS: f64 = 1.9;
/// Bytes of a stored value of a position.
const STORED_VALUE: f64 = 0.75;
/// Bits of a value in a limb.
const LIMB_BITS: f64 = 57.0;
/// Bytes of a limb.
const LIMB_BYTES: f64 = 8.0;
/// Bytes of a word of a base.
const WORD_BYTES: f64 = 8.0;
/// Bytes of a base in a file, whatever its words: what differs between neighbours is little (2026-11-30: 3.6 for `boolean:8` with up
/// to 36 elements, 4.4 for the bases of `boolean:7`).
const STORED_BASE_BYTES: f64 = 4.5;
/// Entries of an index for each base, a little more than there are.
const INDEX_ENTRIES: f64 = 1.5;
/// Bytes a survey keeps for each base of a layer: its place, its available uppers, its stabiliser.
const SURVEY_BYTES: f64 = 18.0;
/// Copies of the bases of a layer while it is found and sorted.
const SORTING_COPIES: f64 = 3.5;
/// Bytes that every process takes: code, catalogue, buffers.
pub(in crate::job) const PROCESS_BYTES: f64 = 24.0 * 1_048_576.0;
/// Bytes that every data directory takes.
pub(in crate::job) const DIRECTORY_BYTES: f64 = 1_048_576.0;

/// What a job takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// States that will be evaluated.
    pub states: f64,
    /// States of the largest base layer.
    pub most_states: f64,
    /// Base edges.
    pub edges: f64,
    /// Additions, or base edges where nothing is added.
    pub operations: f64,
    /// CPU seconds.
    pub cpu_seconds: f64,
    /// Peak memory in bytes.
    pub memory_bytes: f64,
    /// Peak disk in bytes when old values are deleted.
    pub disk_bytes: f64,
    /// Disk in bytes when they are kept.
    pub disk_bytes_kept: f64,
}

/// Bytes for finding the layers by enumeration: the newest one, what is surveyed of it, and those before, which leave the memory
/// when they are too many.
fn enumerating(profile: &Profile, base_bytes: f64) -> f64 {
    let mut before = 0.0;
    let mut below = 0.0;
    let mut most = 0.0_f64;
    for layer in &profile.layers {
        let resident = f64::min(before, MOST_RESIDENT as f64 / base_bytes).max(below);
        most = most.max(resident * base_bytes + layer.bases * (base_bytes + SURVEY_BYTES));
        before += layer.bases;
        below = layer.bases;
    }
    most
}

impl Cost {
    /// Of a question about the game over halves. All tables stay in memory, with their indices.
    fn of_halves(poset: &Poset, profile: &Profile) -> Self {
        let sum = |part: fn(&LayerSize) -> f64| profile.layers.iter().map(part).sum::<f64>();
        let (slots, bases) = (sum(|layer| layer.slots), sum(|layer| layer.bases));
        // The elements of a base on the lower side; on the upper side those it lacks, and most uppers.
        let links = bases * poset.len() as f64;
        let states = 2.0 * slots;
        let memory_bytes = slots * (1.0 + UPPER_SLOTS)
            + bases * (WORD_BYTES + SURVEY_BYTES + 2.0 * INDEX_ENTRIES * 2.0 * WORD_BYTES)
            + PROCESS_BYTES;
        let disk = bases * STORED_BASE_BYTES + states * STORED_VALUE + DIRECTORY_BYTES;
        Self {
            states,
            most_states: profile.layers.iter().map(|layer| layer.slots).fold(0.0, f64::max),
            edges: sum(|layer| layer.edges),
            operations: links,
            cpu_seconds: (links * NS_PER_LINK + states * NS_PER_POSITION) * 1e-9,
            memory_bytes,
            disk_bytes: disk,
            disk_bytes_kept: disk,
        }
    }

    /// Of a question about the game on whole ideals. All values stay in memory, and the bases of the layer at work.
    fn of_whole(poset: &Poset, top: usize, profile: &Profile) -> Self {
        let base_bytes = WORD_BYTES * poset.words() as f64;
        // Profiles of self-dual posets stop in the middle.
        let is_half = profile.layers.len() <= top;
        let sides = if is_half { 2.0 } else { 1.0 };
        let sum = |part: fn(&LayerSize) -> f64| profile.layers.iter().map(part).sum::<f64>();
        let most = profile.layers.iter().map(|layer| layer.bases).fold(0.0, f64::max);
        let (states, edges) = (sides * sum(|layer| layer.bases), sides * sum(|layer| layer.edges));
        let moves = profile.layers.iter().enumerate().map(|(size, layer)| layer.bases * size as f64).sum::<f64>();
        let moves = if is_half { states * poset.len() as f64 / 2.0 } else { moves };
        let valuing = states * VALUE_BYTES + most * (base_bytes + SURVEY_BYTES + 1.0);
        let disk = states * (STORED_BASE_BYTES + STORED_VALUE) + DIRECTORY_BYTES;
        Self {
            states,
            most_states: most,
            edges,
            operations: moves,
            cpu_seconds: (moves * NS_PER_MOVE + edges * NS_PER_EDGE_ENUMERATED) * 1e-9,
            memory_bytes: valuing.max(enumerating(profile, base_bytes)) + PROCESS_BYTES,
            disk_bytes: disk,
            disk_bytes_kept: disk,
        }
    }

    /// Of a question, by the layers that its method visits.
    pub fn of(question: Question, method: Method, poset: &Poset, profile: &Profile) -> Self {
        // The base of a split into halves is one word.
        let words = if matches!(method, Method::Halves { .. }) { 1.0 } else { poset.words() as f64 };
        let base_bytes = words * WORD_BYTES;
        let sum = |part: fn(&LayerSize) -> f64| profile.layers.iter().map(part).sum::<f64>();
        let most = |part: fn(&LayerSize) -> f64| profile.layers.iter().map(part).fold(0.0, f64::max);
        // The last layer is not extended.
        let edges = sum(|layer| layer.edges) - profile.layers.last().map_or(0.0, |layer| layer.edges);
        let bases = sum(|layer| layer.bases);
        let stored_bases = bases * STORED_BASE_BYTES + DIRECTORY_BYTES;
        let steps = profile.layers.iter().zip(profile.layers.iter().skip(1));
        let finding = steps
            .clone()
            .map(|(below, above)| (below.bases + SORTING_COPIES * above.bases) * base_bytes)
            .fold(0.0, f64::max);
        match question {
            Question::Ideals | Question::Ruler | Question::Estimate => Self {
                states: bases,
                most_states: most(|layer| layer.bases),
                edges,
                operations: edges,
                cpu_seconds: edges * NS_PER_EDGE_ENUMERATED * 1e-9,
                memory_bytes: enumerating(profile, base_bytes) + PROCESS_BYTES,
                disk_bytes: stored_bases,
                disk_bytes_kept: stored_bases,
            },
            Question::Outcome | Question::Grundy | Question::Remoteness => match method {
                Method::Halves { .. } => Self::of_halves(poset, profile),
                Method::Plain { top } => Self::of_whole(poset, top, profile),
            },
            Question::Extensions => {
                let value_bytes = (profile.value_bits / LIMB_BITS).ceil().max(1.0) * LIMB_BYTES;
                let additions = sum(|layer| layer.additions);
                let values = |(below, above): (&LayerSize, &LayerSize)| (below.slots + above.slots) * value_bytes;
                let lists = |(below, above): (&LayerSize, &LayerSize)| {
                    let index = below.bases * INDEX_ENTRIES * (base_bytes + WORD_BYTES);
                    index + (below.bases + above.bases) * SURVEY_BYTES
                };
                let evaluating = steps.clone().map(|step| values(step) + lists(step)).fold(0.0, f64::max);
                // What finding a layer took stays with the process, and is used for the next one.
                let discovering = steps
                    .clone()
                    .map(|(below, _)| below.edges * (DISCOVERED_COPIES * base_bytes + DISCOVERED_BYTES))
                    .fold(0.0, f64::max);
                let newest = steps.map(values).fold(0.0, f64::max);
                let slots = sum(|layer| layer.slots);
                Self {
                    states: slots,
                    most_states: most(|layer| layer.slots),
                    edges,
                    operations: additions,
                    cpu_seconds: (edges * NS_PER_EDGE + additions * NS_PER_ADDITION) * 1e-9,
                    memory_bytes: bases * base_bytes + evaluating.max(finding) + discovering + PROCESS_BYTES,
                    disk_bytes: stored_bases + newest,
                    disk_bytes_kept: stored_bases + slots * value_bytes,
                }
            }
        }
    }
}
