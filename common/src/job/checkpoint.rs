//! Checkpoints: when they are due, and a thread that writes one while the work goes on.
//!
//! What a checkpoint writes is complete and shared read-only with the work; it exists once its commit is made, and a
//! process killed before that has lost only this checkpoint.

use std::panic::resume_unwind;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::JobError;

/// A layer takes at most about so many times what the one before took.
pub(super) const GROWTH: f64 = 1.5;

/// The checkpoints of a run, one at a time.
pub(super) struct Checkpoints<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    interval: Duration,
    /// When the last one began.
    last: Instant,
    writing: Option<ScopedJoinHandle<'scope, Result<Duration, JobError>>>,
    /// What the last one took to write.
    took: Duration,
}

impl<'scope, 'env> Checkpoints<'scope, 'env> {
    /// The first one is due after one interval.
    pub fn new(scope: &'scope Scope<'scope, 'env>, interval: Duration) -> Self {
        Self { scope, interval, last: Instant::now(), writing: None, took: Duration::ZERO }
    }

    /// Whether one is to be begun, if the next chance comes after `step` only: nothing that is killed should have to
    /// repeat more than an interval's work.
    pub fn is_due(&self, step: Duration) -> bool {
        self.last.elapsed() + step + self.took >= self.interval
    }

    /// Begins one, when the one before has ended.
    ///
    /// # Errors
    /// What ended the one before.
    pub fn begin(&mut self, write: impl FnOnce() -> Result<(), JobError> + Send + 'scope) -> Result<(), JobError> {
        self.wait()?;
        self.last = Instant::now();
        let start = self.last;
        self.writing = Some(self.scope.spawn(move || write().map(|()| start.elapsed())));
        Ok(())
    }

    /// Waits for the end of what is being written.
    ///
    /// # Errors
    /// What ended it.
    pub fn wait(&mut self) -> Result<(), JobError> {
        if let Some(writing) = self.writing.take() {
            self.took = writing.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        }
        Ok(())
    }
}
