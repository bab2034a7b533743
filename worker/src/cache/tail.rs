//! The tail: the segment that is being written.
//!
//! The invariant: whatever was appended can be read, from the file as far as it is written and from memory beyond. A
//! segment is begun with a number that none had before and is never written again once it is closed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use antichain_common::store::Sink;

use super::segment;

/// See the head of this file.
pub struct Tail {
    open: Option<Open>,
    next: u32,
}

struct Open {
    number: u32,
    sink: Sink,
}

/// What came of appending.
pub struct Appended {
    /// The segment.
    pub segment: u32,
    /// Where the last of what was appended ends.
    pub end: u64,
    /// Bytes of the segment that are in its file.
    pub written: u64,
}

impl Tail {
    /// No segment yet; the first one gets the number `next`.
    pub fn new(next: u32) -> Self {
        Self { open: None, next }
    }

    /// The segment that is being written.
    pub fn number(&self) -> Option<u32> {
        self.open.as_ref().map(|open| open.number)
    }

    /// Bytes of it.
    pub fn position(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.sink.position())
    }

    /// Appends a header and what belongs to it; begins a segment in `folder` if there is none.
    ///
    /// # Errors
    /// The system's. The segment is then to be [given up](Self::give_up).
    pub fn append(&mut self, folder: &Path, header: &[u8], stored: &[u8]) -> io::Result<Appended> {
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let number = self.next;
                // Whatever has this name already, the next attempt is to have another one.
                self.next = number.checked_add(1).ok_or_else(|| io::Error::other("there are no more numbers"))?;
                let file = OpenOptions::new().write(true).create_new(true).open(segment::path(folder, number))?;
                none.insert(Open { number, sink: Sink::new(file) })
            }
        };
        open.sink.write(header)?;
        open.sink.write(stored)?;
        Ok(Appended { segment: open.number, end: open.sink.position(), written: open.sink.written() })
    }

    /// Writes what is still in memory and ends the segment. Returns its number, if there was one.
    ///
    /// # Errors
    /// The system's. The segment is then to be [given up](Self::give_up).
    pub fn close(&mut self) -> io::Result<Option<u32>> {
        if let Some(open) = &mut self.open {
            open.sink.flush()?;
        }
        Ok(self.open.take().map(|open| open.number))
    }

    /// Ends the segment and drops what is still in memory. Returns its number and how much of it is in its file.
    pub fn give_up(&mut self) -> Option<(u32, u64)> {
        self.open.take().map(|open| (open.number, open.sink.written()))
    }

    /// Reads what begins at `at` in segment `number`, of which `file` is the file.
    ///
    /// # Errors
    /// The system's, also if there are fewer bytes.
    pub fn read(&self, number: u32, file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
        let Some(Open { sink, .. }) = self.open.as_ref().filter(|open| open.number == number) else {
            // It was closed in the meantime.
            return file.read_exact_at(out, at);
        };
        let split = sink.written().saturating_sub(at).min(out.len() as u64) as usize;
        let (head, rest) = out.split_at_mut(split);
        let start = (at + split as u64).saturating_sub(sink.written()) as usize;
        let pending = sink.pending().get(start..).and_then(|pending| pending.get(..rest.len()));
        rest.copy_from_slice(pending.ok_or(io::ErrorKind::UnexpectedEof)?);
        if head.is_empty() { Ok(()) } else { file.read_exact_at(head, at) }
    }

    /// Begins a segment whose file is this one.
    #[cfg(test)]
    pub fn begin(&mut self, file: File) {
        self.open = Some(Open { number: self.next, sink: Sink::new(file) });
        self.next += 1;
    }
}
