//! Watching long loops from outside: how far they are, and whether they should stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asked by the user (Ctrl-C, SIGTERM) to stop; checked by every long loop.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicBool);

impl Interrupt {
    /// Not asked yet.
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks running work to stop at its next safe point.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The work was given up because a stop was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request")]
pub struct Stopped;

/// One loop's view of the world outside: many threads advance it, any thread reads it.
pub struct Watch<'a> {
    interrupt: &'a Interrupt,
    work: AtomicU64,
}

impl<'a> Watch<'a> {
    /// Nothing done yet.
    pub fn new(interrupt: &'a Interrupt) -> Self {
        Self { interrupt, work: AtomicU64::new(0) }
    }

    /// Records work as done: base edges and, in evaluation, slots of the table, which cost about the same.
    pub fn advance(&self, work: u64) {
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// Work done so far.
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    /// Whether the loop should end.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.is_requested()
    }

    /// Ends the caller if the loop was told to end.
    ///
    /// # Errors
    /// [`Stopped`] if so.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_stopped() { Err(Stopped) } else { Ok(()) }
    }
}
