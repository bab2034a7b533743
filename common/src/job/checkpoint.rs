//! Checkpoints: when they are due, and a thread that writes one while the work goes on.
//!
//! What a checkpoint writes is complete and shared read-only with the work; it exists once its commit is made, and a
//! process killed before that has lost only this checkpoint.

use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::JobError;

/// The checkpoints of a run, one at a time.
pub(super) struct Checkpoints<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    interval: Duration,
    /// When the last one began.
    last: Instant,
    writing: Option<ScopedJoinHandle<'scope, Result<(), JobError>>>,
}

impl<'scope, 'env> Checkpoints<'scope, 'env> {
    /// The first one is due after one interval.
    pub fn new(scope: &'scope Scope<'scope, 'env>, interval: Duration) -> Self {
        Self { scope, interval, last: Instant::now(), writing: None }
    }

    /// Whether one is to be begun.
    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Begins one, when the one before has ended.
    ///
    /// # Errors
    /// What ended the one before.
    pub fn begin(&mut self, write: impl FnOnce() -> Result<(), JobError> + Send + 'scope) -> Result<(), JobError> {
        self.wait()?;
        self.last = Instant::now();
        self.writing = Some(self.scope.spawn(write));
        Ok(())
    }

    /// Waits for the end of what is being written.
    ///
    /// # Errors
    /// What ended it.
    pub fn wait(&mut self) -> Result<(), JobError> {
        match self.writing.take() {
            Some(writing) => writing.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => Ok(()),
        }
    }
}
