//! What the ruler on set partitions takes.

use super::{JobSpec, certificate::sizes};
use crate::game::set_partitions::number_of_types;
use crate::job::plan::{DIRECTORY_BYTES, PROCESS_BYTES};
use crate::job::{Amount, Method, Plan};

/// Nanoseconds for a type (2026-11-30, to n = 90 on one thread: 3.3 s for 466 million types).
const NS_PER_TYPE: f64 = 7.0;
/// Nanoseconds for a union of parts of a distinct type (the same day: 1.1 s for 190 million).
const NS_PER_UNION: f64 = 5.8;
/// Bytes for a distinct type: while the table of the next n is made there are two, and a list of what is new in it.
const BYTES_PER_DISTINCT: f64 = 10.0;
/// Bytes that a thread takes besides, for what was seen and for lists that are not in the table: at least, and for each of the distinct
/// types.
const BYTES_PER_THREAD: f64 = 4e6;
const BYTES_PER_THREAD_AND_DISTINCT: f64 = 0.06;
/// Threads that memory is reckoned for.
const THREADS: f64 = 8.0;

/// What h(1), ..., h(N) take.
pub fn plan(n: usize) -> Plan {
    let sizes = sizes(n);
    let types = (1..=n).map(|n| number_of_types(n) as f64).sum::<f64>();
    // The block of the largest part is joined with every set of the others.
    let unions = distinct_types(n, 2.0) / 2.0;
    let spec = JobSpec::ruler(n);
    Plan {
        job: spec.id(),
        spec,
        method: Method::Plain { top: n },
        orbits: Amount::Exact(sizes.iter().map(|count| &count.orbits).sum()),
        labelled: Amount::Exact(sizes.iter().map(|count| &count.labelled).sum()),
        states: types,
        most_states: number_of_types(n) as f64,
        edges: 0.0,
        operations: types + unions,
        cpu_seconds: (types * NS_PER_TYPE + unions * NS_PER_UNION) * 1e-9,
        memory_bytes: memory(n),
        disk_bytes: DIRECTORY_BYTES,
        disk_bytes_kept: DIRECTORY_BYTES,
    }
}

/// Bytes that the types of n take.
pub(super) fn memory(n: usize) -> f64 {
    let distinct = distinct_types(n, 1.0);
    let of_threads = THREADS * (BYTES_PER_THREAD + BYTES_PER_THREAD_AND_DISTINCT * distinct);
    PROCESS_BYTES + BYTES_PER_DISTINCT * distinct + of_threads
}

/// The sum over all distinct types of totals up to n of a power of `weight`: the number of their parts.
fn distinct_types(n: usize, weight: f64) -> f64 {
    let mut counts = vec![0.0; n + 1];
    counts[0] = 1.0;
    for part in 1..=n {
        for total in (part..=n).rev() {
            counts[total] += weight * counts[total - part];
        }
    }
    counts.iter().sum()
}
