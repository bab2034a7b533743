//! Checking a finished search again: its proof, by the checker that shares nothing with the search.

use std::io::{BufRead, BufReader};

use super::proof::ProofFile;
use super::{JobSpec, certificate};
use crate::job::JobError;
use crate::job::certificate::Certificate;
use crate::job::verify::Report;
use crate::search::proof::{CheckOptions, ProofError, check};
use crate::store::Store;
use crate::watch::Interrupt;

/// Whether the stored proof of a search shows what its certificate says, checked by what shares nothing with the search.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn check_proof_of(store: &Store, certificate: &Certificate, interrupt: &Interrupt) -> Result<(), String> {
    let mut report = Report::default();
    verify(store, &certificate.job.0, certificate, interrupt, &mut report).map_err(|error| error.to_string())?;
    let faults = report.faults();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Checks the certificate of a search and its proof.
///
/// # Errors
/// [`JobError::Interrupted`].
pub fn verify(
    store: &Store,
    job: &str,
    certificate: &Certificate,
    interrupt: &Interrupt,
    report: &mut Report,
) -> Result<(), JobError> {
    if !fits(job, certificate, report) {
        return Ok(());
    }
    match ProofFile::open(store, &certificate.job) {
        Ok(file) => proof_holds(certificate, BufReader::new(file), interrupt, report).map(|_| ()),
        Err(error) => {
            report.fail(format!("the proof cannot be read: {error}"));
            Ok(())
        }
    }
}

/// Whether a certificate is that of a search of this name.
pub(super) fn fits(job: &str, certificate: &Certificate, report: &mut Report) -> bool {
    let spec = &certificate.spec;
    let root = spec.root().ok().flatten();
    let is_lost = certificate.value == Some(0u8.into());
    let expected = match (&certificate.proof, &root) {
        (Some(proof), Some((poset, members))) if *spec == JobSpec::search(poset, members) => {
            certificate::search_certificate(spec, proof.clone(), is_lost, certificate.digest.clone()).ok()
        }
        _ => None,
    };
    let same = |expected: &Certificate| {
        Certificate { software: certificate.software.clone(), ..expected.clone() } == *certificate
    };
    let fits = spec.id().0 == job && expected.as_ref().is_some_and(same);
    report.check(
        fits,
        "the certificate is that of its job",
        &format!("the certificate of {job} is not that of its job, or of another format"),
    );
    fits
}

/// Whether a proof holds, and is that of the certificate.
///
/// # Errors
/// [`JobError::Interrupted`].
pub(super) fn proof_holds(
    certificate: &Certificate,
    proof: impl BufRead,
    interrupt: &Interrupt,
    report: &mut Report,
) -> Result<bool, JobError> {
    let spec = &certificate.spec;
    let is_lost = certificate.value == Some(0u8.into());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    match check(proof, &CheckOptions { threads, interrupt, progress: &|_| {} }) {
        Ok(checked) => {
            let claims = (Some(&checked.position), &checked.poset, checked.outcome == "P", &checked.digest);
            let fits = claims == (spec.position.as_ref(), &spec.poset, is_lost, &certificate.digest);
            report.check(
                fits,
                &format!("the proof holds: {} lost positions, {} replies", checked.entries, checked.replies),
                "the proof holds, but it is about something else than the certificate",
            );
            Ok(fits)
        }
        Err(ProofError::Stopped) => Err(JobError::Interrupted),
        Err(error) => {
            report.fail(format!("the proof does not hold: {error}"));
            Ok(false)
        }
    }
}
