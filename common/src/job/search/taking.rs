//! Taking over finished searches: a proof is checked while it is copied, and nothing of it is believed before.

use std::io::{self, BufReader, Read, Write as _};

use super::Merged;
use super::proof::{Blocks, ProofFile, proof_key};
use super::verify::{fits, proof_holds};
use crate::job::certificate::Certificate;
use crate::job::conclude::commit_certificate;
use crate::job::run::finished;
use crate::job::verify::Report;
use crate::job::{JobError, JobSpec, catalogue};
use crate::store::{Commit, Store};
use crate::watch::Interrupt;

/// Adds to a commit the finished searches of another store that are not finished here, certificates and proofs. Those whose
/// proofs do not hold are named among what is refused.
///
/// # Errors
/// [`JobError::Interrupted`]; errors of the stores.
pub fn take_finished(
    (store, other): (&Store, &Store),
    interrupt: &Interrupt,
    commit: &mut Commit,
    merged: &mut Merged,
) -> Result<(), JobError> {
    let searches = catalogue::jobs(other)?.into_iter().filter(|job| job.finished && job.spec.position.is_some());
    for job in searches {
        let mut report = Report::default();
        let certificate = report.tolerate(Certificate::load(other, &job.job))?.flatten();
        let Some(certificate) = certificate.filter(|certificate| fits(&job.job.0, certificate, &mut report)) else {
            merged.refused.push((job.job, report.faults()));
            continue;
        };
        if is_here(store, &certificate.spec)? {
            continue;
        }
        if take(store, other, &certificate, interrupt, &mut report, commit)? {
            merged.answers.push(job.job);
        } else {
            merged.refused.push((job.job, report.faults()));
        }
    }
    Ok(())
}

/// Whether a search is finished, and its proof there.
fn is_here(store: &Store, spec: &JobSpec) -> Result<bool, JobError> {
    Ok(finished(store, spec)?.is_some() && store.shard(&proof_key(&spec.id()))?.is_some())
}

/// Copies one, and says whether it is right.
fn take(
    store: &Store,
    other: &Store,
    certificate: &Certificate,
    interrupt: &Interrupt,
    report: &mut Report,
    commit: &mut Commit,
) -> Result<bool, JobError> {
    let job = &certificate.job;
    let Some(from) = report.tolerate(ProofFile::open(other, job))? else { return Ok(false) };
    let mut to = Blocks::create(store, job)?;
    let held = proof_holds(certificate, BufReader::new(Copying { from, to: &mut to }), interrupt, report);
    if let Some(error) = to.take_error() {
        return Err(error.into());
    }
    if !held? {
        return Ok(false);
    }
    commit.put_shard(proof_key(job), to.finish()?.record());
    commit_certificate(store, certificate, false, commit)?;
    Ok(true)
}

/// Writes what is read.
struct Copying<'a> {
    from: ProofFile,
    to: &'a mut Blocks,
}

impl Read for Copying<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.to.write_all(&buffer[..read])?;
        Ok(read)
    }
}
