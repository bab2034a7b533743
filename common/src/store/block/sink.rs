//! A file that is written once from its beginning, in large pieces that go past the page cache where that is possible.
//!
//! Writing gigabytes through the page cache cost 1.6 CPU seconds a GB, most of it for memory that nobody will read
//! again soon; direct writes cost 0.2. They want aligned memory, offsets and lengths; the last piece goes the usual way.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of a piece.
const PIECE_BYTES: usize = 1 << 20;
/// Alignment that every disk in use is content with.
const ALIGNMENT: usize = 4096;

/// The file and what is still to be written to it.
#[derive(Debug)]
pub struct Sink {
    file: File,
    /// Allocated once, so what follows the first `start` bytes stays aligned; its memory is touched only as it fills.
    buffer: Vec<u8>,
    start: usize,
    written: u64,
    direct: Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direct {
    Untried,
    On,
    Off,
}

impl Sink {
    /// Nothing written yet to `file`, which is empty.
    pub fn new(file: File) -> Self {
        let mut buffer: Vec<u8> = Vec::with_capacity(PIECE_BYTES + ALIGNMENT);
        // A failure to align would only make direct writes fail, and then they go the usual way.
        let start = buffer.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
        buffer.resize(start, 0);
        Self { file, buffer, start, written: 0, direct: Direct::Untried }
    }

    /// Bytes taken so far.
    pub fn position(&self) -> u64 {
        self.written + (self.buffer.len() - self.start) as u64
    }

    /// Bytes of these that were given to the file; the rest is [`pending`](Self::pending).
    pub fn written(&self) -> u64 {
        self.written
    }

    /// What was taken and is not given to the file yet.
    pub fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Takes bytes, and gives the file every piece that is full.
    ///
    /// # Errors
    /// The system's; then the sink is best dropped.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = self.start + PIECE_BYTES - self.buffer.len();
            let (head, tail) = bytes.split_at(bytes.len().min(room));
            self.buffer.extend_from_slice(head);
            bytes = tail;
            if self.buffer.len() == self.start + PIECE_BYTES {
                if self.direct == Direct::Untried {
                    self.direct = if set_direct(&self.file, true) { Direct::On } else { Direct::Off };
                }
                self.write_out()?;
            }
        }
        Ok(())
    }

    /// Writes what is left and returns when everything is on the disk.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_all()
    }

    /// Writes what is left, wherever the system keeps it. Nothing is direct any more: the next piece may begin anywhere.
    ///
    /// # Errors
    /// The system's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.turn_direct_off();
        self.write_out()
    }

    fn write_out(&mut self) -> io::Result<()> {
        let piece = &self.buffer[self.start..];
        match self.file.write_all_at(piece, self.written) {
            // This file system promised direct writes and has other ideas of alignment.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput && self.direct == Direct::On => {
                set_direct(&self.file, false);
                self.direct = Direct::Off;
                self.file.write_all_at(piece, self.written)?;
            }
            other => other?,
        }
        self.written += piece.len() as u64;
        self.buffer.truncate(self.start);
        Ok(())
    }

    fn turn_direct_off(&mut self) {
        if self.direct == Direct::On {
            set_direct(&self.file, false);
        }
        self.direct = Direct::Off;
    }
}

/// Whether the file's writes now go past the page cache, or no longer do.
#[cfg(target_os = "linux")]
fn set_direct(file: &File, on: bool) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let set = |flags: OFlags| {
        let flags = if on { flags | OFlags::DIRECT } else { flags - OFlags::DIRECT };
        fcntl_setfl(file, flags)
    };
    fcntl_getfl(file).and_then(set).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn set_direct(_file: &File, _on: bool) -> bool {
    false
}
