//! What an estimate takes.

use num_bigint::BigUint;

use super::{JobSpec, Sampling};
use crate::estimate::BATCH;
use crate::job::plan::{DIRECTORY_BYTES, PROCESS_BYTES};
use crate::job::{Amount, Method, Plan};
use crate::poset::Poset;

/// CPU seconds of a batch for a poset of one element; they grow as the square of the number of elements (2026-11-30: 0.4 s
/// for `boolean:8`).
const SECONDS_OF_A_BATCH: f64 = 0.4 / 65_536.0;
/// Bytes for an ideal of the exact layers: there are two of them, and one that is made next, with numbers of hundreds of
/// digits.
const BYTES_PER_IDEAL: f64 = 2_000.0;
/// Bytes of an element of a random ideal.
const BYTES_PER_ELEMENT: f64 = 8.0;
/// Threads that memory is reckoned for.
const THREADS: f64 = 8.0;
/// Bytes of a batch that is stored.
const STORED_BATCH_BYTES: f64 = 32.0;

/// What so many batches take.
pub fn estimate_plan(poset: &Poset, sampling: Sampling) -> Plan {
    let spec = JobSpec::estimate(poset, sampling);
    let batches = sampling.batches as f64;
    let samples = batches * BATCH as f64;
    let disk = DIRECTORY_BYTES + STORED_BATCH_BYTES * batches;
    Plan {
        job: spec.id(),
        spec,
        method: Method::Plain { top: poset.len() },
        orbits: Amount::Exact(BigUint::ZERO),
        labelled: Amount::Exact(BigUint::ZERO),
        states: samples,
        most_states: samples,
        edges: 0.0,
        operations: samples * poset.len() as f64,
        cpu_seconds: batches * SECONDS_OF_A_BATCH * (poset.len() as f64).powi(2),
        memory_bytes: memory(poset, sampling.frontier),
        disk_bytes: disk,
        disk_bytes_kept: disk,
    }
}

/// Bytes that a group of batches takes.
pub(super) fn memory(poset: &Poset, frontier: usize) -> f64 {
    let of_threads = THREADS * BATCH as f64 * BYTES_PER_ELEMENT * poset.len() as f64;
    PROCESS_BYTES + BYTES_PER_IDEAL * frontier as f64 + of_threads
}
