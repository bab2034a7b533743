//! What the ruler on set partitions takes.

use super::{JobSpec, certificate::sizes};
use crate::game::set_partitions::number_of_types;
use crate::job::plan::{DIRECTORY_BYTES, PROCESS_BYTES};
use crate::job::{Amount, Method, Plan};

/// Nanoseconds for a type (2026-11-30, to n = 90 on one thread: 4.5 s for 466 million types).
const NS_PER_TYPE: f64 = 9.6;
/// Bytes for a distinct type: while the table of the next n is made, there are two.
const BYTES_PER_DISTINCT: f64 = 8.0;
/// Bytes that a thread takes besides: lists that are not in the table, and what was seen.
const BYTES_PER_THREAD: f64 = 4e6;

/// What h(1), ..., h(N) take.
pub fn plan(n: usize) -> Plan {
    let sizes = sizes(n);
    let types = (1..=n).map(|n| number_of_types(n) as f64).sum::<f64>();
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
        operations: types,
        cpu_seconds: types * NS_PER_TYPE * 1e-9,
        memory_bytes: memory(n),
        disk_bytes: DIRECTORY_BYTES,
        disk_bytes_kept: DIRECTORY_BYTES,
    }
}

/// Bytes that the types of n take.
pub(super) fn memory(n: usize) -> f64 {
    PROCESS_BYTES + BYTES_PER_THREAD + BYTES_PER_DISTINCT * distinct_types(n)
}

/// Number of distinct types of totals up to n.
fn distinct_types(n: usize) -> f64 {
    let mut counts = vec![0.0; n + 1];
    counts[0] = 1.0;
    for part in 1..=n {
        for total in (part..=n).rev() {
            counts[total] += counts[total - part];
        }
    }
    counts.iter().sum()
}
