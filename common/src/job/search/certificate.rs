//! The certificate of a search.

use num_bigint::BigUint;

use super::{JobSpec, ProofRecord};
use crate::job::certificate::Certificate;
use crate::job::records::JOB_FORMAT;
use crate::job::{JobError, Method};

/// The certificate of a search that found whether the position is lost, and the digest of its proof.
///
/// # Errors
/// [`JobError::Poset`], [`JobError::Position`] if it is no search.
pub fn search_certificate(
    spec: &JobSpec,
    proof: ProofRecord,
    is_lost: bool,
    digest: String,
) -> Result<Certificate, JobError> {
    let root = spec.root()?;
    let (poset, members) = root.ok_or_else(|| JobError::SelfCheck(format!("{} is no search", spec.id())))?;
    let job = spec.id();
    let outcome = if is_lost { "P" } else { "N" };
    Ok(Certificate {
        format: JOB_FORMAT,
        software: env!("CARGO_PKG_VERSION").to_owned(),
        spec: spec.clone(),
        method: Method::Plain { top: members.len() },
        space: job.0.clone(),
        elements: poset.len(),
        group_order: poset.group_order(),
        value: Some(BigUint::from(u8::from(!is_lost))),
        digest,
        orbits: BigUint::ZERO,
        labelled: BigUint::ZERO,
        sizes: Vec::new(),
        base_layers: Vec::new(),
        value_layers: Vec::new(),
        positions: None,
        heights: None,
        checks: vec![format!(
            "outcome {outcome} follows from {} lost positions, each with a reply to every move or an involution",
            proof.entries
        )],
        how_to_check: format!(
            "`antichain verify {job}` checks the stored proof; `antichain export {job} --format proof --output FILE` writes \
             it, and `antichain check-proof FILE` checks that, as any program can that follows FORMATS.md. `digest` is that \
             in its last line."
        ),
        proof: Some(proof),
        estimate: None,
        job,
    })
}
