//! Checking a finished job again, from what is stored of it.
//!
//! Five kinds of checks, each in a file: stored bytes against their digests and against the certificate ([`files`]); the
//! certificate's numbers against each other and against published ones ([`totals`]); counts against the stored bases
//! ([`recount`]); values against a plain recomputation ([`samples`], [`small`]), or, of a
//! game, a plain search and the values of options ([`positions`]). What they prove, and what not, is in
//! SAFETY.md.

mod files;
mod positions;
mod recount;
mod samples;
mod small;
#[cfg(test)]
mod tests;
mod totals;

use num_bigint::BigUint;

use super::certificate::Certificate;
use super::plain::{Plain, Set};
use super::query::Stored;
use super::records::{JOB, JOB_FORMAT, JobRecord, JobState};
use super::{JobError, JobId, Method, Question, Verification, catalogue, estimation, ruler, search};
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::store::{Store, StoreError};
use crate::symmetry::{Canonicaliser, Isa};
use crate::watch::Interrupt;

/// Checks a finished job again.
///
/// # Errors
/// [`JobError::NoSuchJob`], [`JobError::Unfinished`], [`JobError::Interrupted`], errors of reading; a failed check is no
/// error but part of the result.
pub fn verify(store: &Store, job: &str, interrupt: &Interrupt) -> Result<Verification, JobError> {
    let mut report = Report::default();
    let Some(certificate) = report.tolerate(catalogue::find(store, job))? else { return Ok(report.0) };
    if certificate.spec.question == Question::Ruler {
        ruler::verify(store, job, &certificate, interrupt, &mut report)?;
        return Ok(report.0);
    }
    if certificate.spec.question == Question::Estimate {
        estimation::verify(store, job, &certificate, interrupt, &mut report)?;
        return Ok(report.0);
    }
    if certificate.spec.position.is_some() {
        search::verify(store, job, &certificate, interrupt, &mut report)?;
        return Ok(report.0);
    }
    let Some(poset) = identity(store, job, &certificate, &mut report)? else { return Ok(report.0) };
    let subject = Subject { store, certificate: &certificate, poset: &poset, interrupt, plain: Plain::new(&poset) };
    files::check(&subject, &mut report)?;
    totals::check(&subject, &mut report);
    recount::check(&subject, &mut report)?;
    match poset.words() {
        1 => values::<1>(&subject, &mut report)?,
        2 => values::<2>(&subject, &mut report)?,
        _ => values::<4>(&subject, &mut report)?,
    }
    Ok(report.0)
}

/// Bytes of blocks of tables that are looked at again and again.
const TABLE_BYTES: u64 = 64 << 20;

/// The kept value of an ideal, if it is kept.
type Kept<'a> = dyn Fn(&Set) -> Result<Option<BigUint>, StoreError> + 'a;

/// The checks of values, for a poset whose ideals take `W` words.
fn values<const W: usize>(subject: &Subject<'_>, report: &mut Report) -> Result<(), JobError> {
    let certificate = subject.certificate;
    let stored = Stored::new(subject.store, certificate.spec.question, subject.poset, None, TABLE_BYTES)?;
    let stored = stored.only(&certificate.job);
    let symmetry = Canonicaliser::<W>::new(subject.poset, Isa::detect());
    let kept = |set: &Set| {
        let mut ideal = Ideal::empty();
        ideal.0.copy_from_slice(&set.0[..W]);
        Ok(stored.value(ideal, &symmetry.canonical(ideal))?.map(|found| found.value))
    };
    positions::check::<W>(subject, &stored, report)?;
    samples::check(subject, &kept, report)?;
    small::check(subject, &kept, report)
}

/// What is verified.
struct Subject<'a> {
    store: &'a Store,
    certificate: &'a Certificate,
    poset: &'a Poset,
    interrupt: &'a Interrupt,
    plain: Plain<'a>,
}

impl Subject<'_> {
    /// Ends the caller if a stop was asked for.
    fn go_on(&self) -> Result<(), JobError> {
        if self.interrupt.is_requested() { Err(JobError::Interrupted) } else { Ok(()) }
    }

    /// Number of elements of the base; those from this number on are upper ones.
    fn base(&self) -> usize {
        match self.certificate.method {
            Method::Plain { .. } => self.poset.len(),
            Method::Halves { .. } => self.poset.len() / 2,
        }
    }

    /// Threads for what is worth several.
    fn threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }
}

/// The checks so far.
#[derive(Default)]
pub(super) struct Report(Verification);

impl Report {
    pub(super) fn pass(&mut self, sentence: impl Into<String>) {
        self.0.passed.push(sentence.into());
    }

    /// A fault is told once, however many checks meet it.
    pub(super) fn fail(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.0.failed.contains(&sentence) {
            self.0.failed.push(sentence);
        }
    }

    /// One sentence or the other.
    pub(super) fn check(&mut self, holds: bool, passed: &str, failed: &str) {
        if holds { self.pass(passed) } else { self.fail(failed) }
    }

    /// What failed, in a line.
    pub(super) fn faults(&self) -> String {
        self.0.failed.join("; ")
    }

    /// Passes `sentence` if nothing failed since there were `before` failures.
    fn pass_unless_failed_since(&mut self, before: usize, sentence: impl FnOnce() -> String) {
        if self.0.failed.len() == before {
            self.0.passed.push(sentence());
        }
    }

    fn failures(&self) -> usize {
        self.0.failed.len()
    }

    /// Turns what is wrong with stored bytes into a failed check; other errors end the verification.
    pub(super) fn tolerate<T, E: Into<JobError>>(&mut self, result: Result<T, E>) -> Result<Option<T>, JobError> {
        match result.map_err(Into::into) {
            Ok(value) => Ok(Some(value)),
            Err(JobError::Store(
                error @ (StoreError::Damaged { .. }
                | StoreError::Document { .. }
                | StoreError::Catalogue { .. }
                | StoreError::NoShard(_)
                | StoreError::OutOfRange { .. }),
            )) => {
                self.fail(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether the certificate is one of this job, and of this program's format; then the poset.
fn identity(
    store: &Store,
    job: &str,
    certificate: &Certificate,
    report: &mut Report,
) -> Result<Option<Poset>, JobError> {
    let spec = &certificate.spec;
    if certificate.format != JOB_FORMAT {
        let found = certificate.format;
        report.fail(format!("the certificate of {job} has format {found}, this program checks format {JOB_FORMAT}"));
        return Ok(None);
    }
    let Ok(poset) = spec.poset.parse::<Poset>() else {
        report.fail(format!("the certificate of {job} is about {}, which is no poset", spec.poset));
        return Ok(None);
    };
    let fits = (certificate.elements, &certificate.group_order) == (poset.len(), &poset.group_order())
        && certificate.method.top() <= poset.len()
        && (matches!(certificate.method, Method::Plain { .. }) || poset.duality().is_some());
    if spec.id().0 != job || certificate.job.0 != job || !fits {
        report.fail(format!("the certificate of {job} is about {} and {}, and not of this job", spec.id(), spec.poset));
        return Ok(None);
    }
    let Some(record) = report.tolerate(JobRecord::load(store, &JobId(job.to_owned())))? else { return Ok(Some(poset)) };
    let same = record.is_some_and(|record| {
        (&record.spec, record.method, &record.space) == (spec, certificate.method, &certificate.space)
            && record.state == JobState::Finished
    });
    if same {
        report.pass(format!("the certificate is that of {}: {} of {}", certificate.job, spec.question, spec.poset));
    } else {
        report.fail(format!("the document `{JOB}` of {job} does not agree with its certificate"));
    }
    Ok(Some(poset))
}
