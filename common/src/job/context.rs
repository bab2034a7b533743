//! What all parts of a run share.

use super::certificate::Certificate;
use super::progress::Meter;
use super::records::JobRecord;
use super::{JobError, JobId, JobSpec, Method, Plan, RunOptions};
use crate::store::Store;
use crate::symmetry::Isa;

/// A run of a job.
pub(super) struct Context<'a> {
    pub store: &'a Store,
    pub options: &'a RunOptions<'a>,
    pub job: JobId,
    pub spec: JobSpec,
    pub method: Method,
    pub plan: Plan,
    pub isa: Isa,
    pub meter: &'a Meter<'a>,
    /// What is stored of it, if it may be gone on from.
    pub stored: Option<JobRecord>,
    /// Its certificate, if it has been finished before and values are to be kept now.
    pub certificate: Option<Certificate>,
    /// The record that a checkpoint writes; a job that was finished before stays so.
    pub new_record: Option<JobRecord>,
    /// Whether nothing but bases is to be computed again.
    pub only_bases: bool,
}

impl Context<'_> {
    /// Threads that compute.
    pub fn threads(&self) -> usize {
        self.options.threads.max(1)
    }

    /// Whether so many bytes are within the budget.
    ///
    /// # Errors
    /// [`JobError::Memory`].
    pub fn check_memory(&self, needed: u64) -> Result<(), JobError> {
        let budget = self.options.memory;
        if needed > budget {
            return Err(JobError::Memory { job: self.job.clone(), needed, budget });
        }
        Ok(())
    }
}
