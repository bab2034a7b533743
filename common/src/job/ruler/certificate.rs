//! The certificate of the ruler on set partitions.

use num_bigint::BigUint;

use super::JobSpec;
use crate::game::set_partitions::number_of_types;
use crate::job::certificate::Certificate;
use crate::job::digest::ruler_digest;
use crate::job::records::JOB_FORMAT;
use crate::job::{JobError, Method, SizeCount};
use crate::known;
use crate::poset::covers::bell_number;

/// Set partitions of n = 1, ..., N elements: types, and all of them.
pub(super) fn sizes(n: usize) -> Vec<SizeCount> {
    let count = |n| SizeCount { size: n, orbits: number_of_types(n).into(), labelled: bell_number(n) };
    (1..=n).map(count).collect()
}

/// The certificate for h(1), ..., h(N), if all checks hold.
///
/// # Errors
/// [`JobError::SelfCheck`].
///
/// # Panics
/// If there are no values.
pub fn ruler_certificate(heights: Vec<u32>) -> Result<Certificate, JobError> {
    let spec = JobSpec::ruler(heights.len());
    let checks = check_heights(&heights)?;
    let (job, sizes) = (spec.id(), sizes(heights.len()));
    let value = heights[heights.len() - 1].into();
    Ok(Certificate {
        format: JOB_FORMAT,
        software: env!("CARGO_PKG_VERSION").to_owned(),
        method: Method::Plain { top: heights.len() },
        space: job.0.clone(),
        elements: heights.len(),
        group_order: (1..=heights.len()).map(BigUint::from).product(),
        value: Some(value),
        digest: ruler_digest(&spec, &sizes, &heights),
        orbits: sizes.iter().map(|count| &count.orbits).sum(),
        labelled: sizes.iter().map(|count| &count.labelled).sum(),
        sizes,
        base_layers: Vec::new(),
        value_layers: Vec::new(),
        positions: None,
        how_to_check: format!(
            "`antichain verify {job}` finds the first values again from the definition of the paper, and further ones \
             from the types cut in another way. By hand: `heights` are h(1), h(2), ...; `sizes` are the numbers of integer \
             partitions (OEIS A000041) and of set partitions (A000110), each of which was visited once; `digest` is the BLAKE3 \
             of the text that FORMATS.md describes."
        ),
        heights: Some(heights),
        proof: None,
        estimate: None,
        job,
        spec,
        checks,
    })
}

/// Compares values with known ones; says what held.
///
/// # Errors
/// [`JobError::SelfCheck`].
pub fn check_heights(heights: &[u32]) -> Result<Vec<String>, JobError> {
    let known = &known::SET_PARTITIONS_RULER[..heights.len().min(known::SET_PARTITIONS_RULER.len())];
    if let Some(at) = (0..known.len()).find(|&at| heights[at] != known[at]) {
        let (n, found, expected) = (at + 1, heights[at], known[at]);
        return Err(JobError::SelfCheck(format!("h({n}) was found to be {found}, and is {expected}")));
    }
    // Each type rules out one value at most.
    if let Some((n, height)) = (1..).zip(heights).find(|&(n, &height)| u64::from(height) > number_of_types(n)) {
        return Err(JobError::SelfCheck(format!("h({n}) was found to be {height}, with fewer types of {n}")));
    }
    Ok(vec![
        format!("h(1) to h({}) are the known values", known.len()),
        "every h(n) was missing among the values of all types of n, each visited once".to_owned(),
    ])
}
