//! Trouble: what follows when the disk refuses to take something.
//!
//! A cache that cannot write is only smaller. It says so once, leaves the disk alone for a while, and takes no more of a
//! full disk than it has of it.

use std::io;
use std::time::{Duration, Instant};

/// How long a disk that was full is believed to be, in pauses.
pub const FULL_PAUSES: u32 = 10;

/// See the head of this file.
pub struct Trouble {
    pause: Duration,
    quiet_until: Option<Instant>,
    /// Bytes that the cache had when the disk was full, and until when it is to have no more.
    full: Option<(u64, Instant)>,
    is_told: bool,
}

impl Trouble {
    /// None yet; after some, nothing is written for so long.
    pub fn new(pause: Duration) -> Self {
        Self { pause, quiet_until: None, full: None, is_told: false }
    }

    /// Whether the disk is to be left alone.
    pub fn is_quiet(&self) -> bool {
        self.quiet_until.is_some_and(|until| Instant::now() < until)
    }

    /// How many of `most` bytes the cache may have now.
    pub fn bound(&self, most: u64) -> u64 {
        self.full.filter(|(_, until)| Instant::now() < *until).map_or(most, |(bytes, _)| bytes.min(most))
    }

    /// Writing has failed, and the cache has `bytes` bytes.
    pub fn begin(&mut self, error: &io::Error, bytes: u64) {
        let now = Instant::now();
        self.quiet_until = Some(now + self.pause);
        if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
            self.full = Some((bytes, now + FULL_PAUSES * self.pause));
        }
        if !self.is_told {
            tracing::warn!("the cache of blocks cannot be written, and goes on smaller: {error}");
            self.is_told = true;
        }
    }

    /// A whole segment was written.
    pub fn end(&mut self) {
        self.is_told = false;
    }
}
