//! Writing a proof, entry by entry, in the order of [`entry_order`].
//!
//! The writer holds one buffer and no entries. It does not check the proof; it only refuses what could not be read.
//!
//! ```
//! use antichain_common::ideal::Ideal;
//! use antichain_common::poset::Poset;
//! use antichain_common::search::proof::{Claim, ProofWriter, Step, Verdict};
//! // Two incomparable elements: whatever is taken, the other one is left.
//! let poset: Poset = "antichain:2".parse()?;
//! let claim = Claim { position: vec![0, 1], verdict: Verdict::Lost };
//! let mut proof = ProofWriter::new(Vec::new(), &poset, &claim, 1)?;
//! proof.write(&Ideal::<1>::first(2), Step::Answered(&[1, 0]))?;
//! let (file, _digest) = proof.finish()?;
//! assert!(file.starts_with(b"antichain-proof 1\nposet antichain:2\nposition 1 2\noutcome P\nentries 1\n3 0100\nend 1 "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, Write};

use super::format::{Claim, MAGIC, MIRROR, Step, VERSION, Verdict, entry_order, push_hex, push_set};
use crate::ideal::Ideal;
use crate::poset::{Poset, format_position};

/// The buffer is hashed and written when it has so many bytes.
const BUFFER: usize = 1 << 16;

/// What keeps a proof from being written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An entry that does not come after the one before.
    #[error("entry {0} of the proof does not come after the one before it")]
    Order(u64),
    /// An answered entry without replies: a position without a move is lost by definition and is not listed.
    #[error("entry {0} of the proof has no replies")]
    NoReplies(u64),
    /// More or fewer entries than were announced.
    #[error("{found} entries of a proof that was to have {expected}")]
    Count {
        /// The number that was announced.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A proof that is being written.
#[derive(Debug)]
pub struct ProofWriter<O> {
    out: O,
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
    expected: u64,
    written: u64,
    last: Ideal<4>,
}

impl<O: Write> ProofWriter<O> {
    /// Begins a proof of a claim about a position of `poset` with so many entries.
    ///
    /// # Errors
    /// [`WriteError::Io`].
    ///
    /// # Panics
    /// If a member or the winning move is no element of the poset.
    pub fn new(out: O, poset: &Poset, claim: &Claim, entries: u64) -> Result<Self, WriteError> {
        let mut header = format!(
            "{MAGIC} {VERSION}\nposet {}\nposition {}\noutcome {}\n",
            poset.name(),
            format_position(poset, &claim.position),
            claim.verdict.outcome()
        );
        if let Verdict::Won { by } = claim.verdict {
            header += &format!("move {}\n", poset.label(by));
        }
        header += &format!("entries {entries}\n");
        Ok(Self {
            out,
            hasher: blake3::Hasher::new(),
            buffer: header.into_bytes(),
            expected: entries,
            written: 0,
            last: Ideal::empty(),
        })
    }

    /// Writes a lost position, and why it is lost.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write<const W: usize>(&mut self, position: &Ideal<W>, step: Step<'_>) -> Result<(), WriteError> {
        const { assert!(W <= 4, "a poset has at most 256 elements") };
        let mut wide = Ideal::<4>::empty();
        wide.0[..W].copy_from_slice(&position.0);
        self.written += 1;
        if entry_order(&self.last, &wide).is_ge() {
            return Err(WriteError::Order(self.written));
        }
        self.last = wide;
        push_set(&mut self.buffer, position);
        self.buffer.push(b' ');
        match step {
            Step::Answered([]) => return Err(WriteError::NoReplies(self.written)),
            Step::Answered(replies) => push_hex(&mut self.buffer, replies),
            Step::Mirrored(images) => {
                self.buffer.push(MIRROR);
                push_hex(&mut self.buffer, images);
            }
        }
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hasher.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the last line, and returns what was written to and the digest.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn finish(mut self) -> Result<(O, blake3::Hash), WriteError> {
        let Self { expected, written: found, .. } = self;
        if found != expected {
            return Err(WriteError::Count { expected, found });
        }
        self.flush()?;
        let digest = self.hasher.finalize();
        writeln!(self.out, "end {found} {digest}")?;
        self.out.flush()?;
        Ok((self.out, digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(entries: u64) -> ProofWriter<Vec<u8>> {
        let poset = "chains:3x3".parse().expect("a poset");
        let claim = Claim { position: vec![0, 1, 2], verdict: Verdict::Lost };
        ProofWriter::new(Vec::new(), &poset, &claim, entries).expect("memory takes everything")
    }

    #[test]
    fn the_digest_is_of_all_that_stands_before_the_last_line() {
        let mut proof = writer(1);
        proof.write(&Ideal::<1>::first(3), Step::Mirrored(&[1, 0])).expect("memory takes everything");
        let (file, digest) = proof.finish().expect("one entry");
        let text = String::from_utf8(file).expect("UTF-8");
        let (before, last) = text.split_at(text.rfind("end").expect("a last line"));
        assert!(before.ends_with("\nentries 1\n7 ~0100\n"), "{before}");
        assert_eq!(last, format!("end 1 {}\n", blake3::hash(before.as_bytes())));
        assert_eq!(digest, blake3::hash(before.as_bytes()));
    }

    #[test]
    fn what_could_not_be_read_is_not_written() {
        let mut proof = writer(2);
        let second = proof.write(&Ideal::<1>([7]), Step::Answered(&[2, 1])).and_then(|()| {
            // Fewer members, though a larger number.
            proof.write(&Ideal::<1>([9]), Step::Answered(&[3]))
        });
        assert!(matches!(second, Err(WriteError::Order(2))), "{second:?}");
        assert!(matches!(writer(1).write(&Ideal::<1>([7]), Step::Answered(&[])), Err(WriteError::NoReplies(1))));
        assert!(matches!(writer(1).finish(), Err(WriteError::Count { expected: 1, found: 0 })));
    }
}
