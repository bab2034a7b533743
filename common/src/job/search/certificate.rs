//! The certificate of a search.

use num_bigint::BigUint;

use super::{JobSpec, ProofRecord};
use crate::job::JobError;
use crate::job::certificate::Certificate;

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
        value: Some(BigUint::from(u8::from(!is_lost))),
        digest,
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
        ..Certificate::without_ideals(spec, &poset, members.len())
    })
}
