//! Reading a proof as a stream: the header, then entries in batches, then the last line.
//!
//! Nothing is believed or allocated because the header says so, and no more than one batch is held.

use std::io::{BufRead, Read as _};

use super::error::{Fault, ProofError};
use super::format::{Claim, MAGIC, MAX_LINE, MIRROR, Step, VERSION, Verdict, entry_order, read_hex, read_set};
use crate::ideal::Ideal;
use crate::poset::{Poset, format_position, parse_position};

/// Entries of a batch, at most.
const BATCH: usize = 1 << 13;

/// What stands before the number of entries in the last line.
const END: &[u8] = b"end ";

/// What an entry looks like, for who wrote something else.
const ENTRY: &str = "an entry (a set as a hexadecimal number, a space, and the replies as two hexadecimal digits each, or ~ and \
                     images), nor the last line `end ...`";

/// What the lines before the entries say.
#[derive(Clone, Debug)]
pub struct Header {
    /// The poset.
    pub poset: Poset,
    /// What is claimed.
    pub claim: Claim,
    /// The position, as [`format_position`] writes it.
    pub position: String,
    /// The number of entries there are to be.
    pub entries: u64,
}

impl Header {
    const POSET_LINE: u64 = 2;
    /// The line with the position.
    pub const POSITION_LINE: u64 = 3;

    /// The line with the number of entries, the last one of the header.
    pub fn entries_line(&self) -> u64 {
        match self.claim.verdict {
            Verdict::Won { .. } => 6,
            Verdict::Lost => 5,
        }
    }
}

/// What the last line says.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The line.
    pub line: u64,
    /// The number of entries.
    pub entries: u64,
    /// The digest.
    pub digest: blake3::Hash,
}

/// What comes after a batch.
#[derive(Debug)]
pub enum Next {
    /// Another batch.
    Batch,
    /// Nothing: this was the last line, and the digest of all before it is as given.
    End(End, blake3::Hash),
    /// Something that no proof has. What was read before it may have faults of its own, which come first.
    Fault(ProofError),
}

/// Entries of positions with equally many members, none of which rests on another.
#[derive(Debug)]
pub struct Batch<const W: usize> {
    /// Number of the first entry's line.
    pub first_line: u64,
    /// The positions.
    pub positions: Vec<Ideal<W>>,
    /// The lines, without gaps.
    text: Vec<u8>,
    /// For each line the part after the space, without the line feed.
    steps: Vec<(usize, usize)>,
}

impl<const W: usize> Batch<W> {
    /// The step of an entry; its bytes are put into `bytes`. `None` where there is none to be read.
    pub fn step<'a>(&self, entry: usize, bytes: &'a mut Vec<u8>) -> Option<Step<'a>> {
        let (start, end) = self.steps[entry];
        let text = &self.text[start..end];
        bytes.clear();
        match text.strip_prefix(&[MIRROR]) {
            Some(images) => read_hex(images, bytes).then_some(Step::Mirrored(bytes)),
            None => (!text.is_empty() && read_hex(text, bytes)).then_some(Step::Answered(bytes)),
        }
    }
}

/// A line that is no entry, for the checker of a batch.
pub fn malformed(line: u64) -> ProofError {
    ProofError::Malformed { line, expected: ENTRY }
}

/// A proof that is being read.
pub struct ProofReader<R> {
    input: R,
    hasher: blake3::Hasher,
    /// The line that was read last, and its number.
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> ProofReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn new(input: R) -> Result<(Self, Header), ProofError> {
        let mut reader = Self { input, hasher: blake3::Hasher::new(), line: Vec::new(), number: 0 };
        reader.read_version()?;
        const POSET: &str = "`poset ` and the poset in its normal form, such as boolean:7:3";
        let text = reader.field("poset", POSET)?;
        let poset: Poset = text.parse()?;
        const POSITION: &str = "`position ` and the maximal elements of the position in their order";
        let position = reader.field("position", POSITION)?;
        let members = parse_position(&poset, &position)?.members;
        // What could be spelt in several ways would be read in several ways by others.
        if poset.name() != text {
            return Err(ProofError::Malformed { line: Header::POSET_LINE, expected: POSET });
        }
        if format_position(&poset, &members) != position {
            return Err(reader.not(POSITION));
        }
        let verdict = match &*reader.field("outcome", "`outcome N` or `outcome P`")? {
            "P" => Verdict::Lost,
            "N" => {
                const MOVE: &str = "`move ` and the winning move";
                let label = reader.field("move", MOVE)?;
                let by = (0..poset.len()).find(|&x| poset.label(x) == label);
                Verdict::Won { by: by.ok_or_else(|| reader.not(MOVE))? }
            }
            _ => return Err(reader.not("`outcome N` or `outcome P`")),
        };
        const ENTRIES: &str = "`entries ` and the number of entries";
        let entries = number(reader.field("entries", ENTRIES)?.as_bytes()).ok_or_else(|| reader.not(ENTRIES))?;
        Ok((reader, Header { poset, claim: Claim { position: members, verdict }, position, entries }))
    }

    fn read_version(&mut self) -> Result<(), ProofError> {
        match self.read_line() {
            Ok(()) => {}
            Err(ProofError::Io(error)) => return Err(error.into()),
            Err(_) => return Err(ProofError::NotAProof),
        }
        let line = str::from_utf8(&self.line).map_err(|_| ProofError::NotAProof)?;
        let version = line.strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(' ')).ok_or(ProofError::NotAProof)?;
        match number(version.as_bytes()) {
            Some(version) if version == u64::from(VERSION) => {
                self.hash_line();
                Ok(())
            }
            Some(version) => Err(ProofError::OtherVersion(version.to_string())),
            None => Err(ProofError::NotAProof),
        }
    }

    /// Reads a line of the header: what stands after its name and a space.
    fn field(&mut self, name: &str, expected: &'static str) -> Result<String, ProofError> {
        self.read_line()?;
        self.hash_line();
        let line = str::from_utf8(&self.line).ok();
        let value = line.and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map(str::to_owned).ok_or_else(|| self.not(expected))
    }

    /// The line that was read last is not what it should be.
    fn not(&self, expected: &'static str) -> ProofError {
        ProofError::Malformed { line: self.number, expected }
    }

    /// Reads a line, whose line feed is not kept.
    fn read_line(&mut self) -> Result<(), ProofError> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.input).take(MAX_LINE as u64).read_until(b'\n', &mut self.line)?;
        match self.line.pop() {
            Some(b'\n') => Ok(()),
            _ if read == MAX_LINE => Err(ProofError::LineTooLong { line: self.number }),
            _ => Err(ProofError::CutShort { line: self.number }),
        }
    }

    fn hash_line(&mut self) {
        self.hasher.update(&self.line).update(b"\n");
    }

    /// Reads entries as long as the positions have equally many members.
    pub fn read_batch<const W: usize>(&mut self, entries: &mut Entries<W>, poset: &Poset) -> (Batch<W>, Next) {
        let mut batch =
            Batch { first_line: self.number + 1, positions: Vec::new(), text: Vec::new(), steps: Vec::new() };
        let mut next = Next::Batch;
        if let Some((position, line)) = entries.waiting.take() {
            batch.first_line = self.number;
            batch.push(position, &line);
        }
        while batch.positions.len() < BATCH {
            let position = match self.read_entry(entries, poset) {
                Ok(Some(position)) => position,
                Ok(None) => {
                    self.hasher.update(&batch.text);
                    next = self.end();
                    return (batch, next);
                }
                Err(fault) => {
                    next = Next::Fault(fault);
                    break;
                }
            };
            if batch.positions.first().is_some_and(|first| first.len() < position.len()) {
                entries.waiting = Some((position, std::mem::take(&mut self.line)));
                break;
            }
            batch.push(position, &self.line);
        }
        self.hasher.update(&batch.text);
        (batch, next)
    }

    /// Reads the next entry's position; `None` where the last line stands instead.
    fn read_entry<const W: usize>(
        &mut self,
        entries: &mut Entries<W>,
        poset: &Poset,
    ) -> Result<Option<Ideal<W>>, ProofError> {
        self.read_line()?;
        if self.line.starts_with(END) {
            return Ok(None);
        }
        let set = self.line.split(|&byte| byte == b' ').next().and_then(read_set::<W>);
        let position = set.filter(|_| self.line.contains(&b' ')).ok_or_else(|| self.not(ENTRY))?;
        if !position.is_subset(&entries.all) {
            return Err(self.not("about a position: it names elements that the poset has not"));
        }
        if entries.last.is_some_and(|last| entry_order(&last, &position).is_ge()) {
            let members: Vec<_> = position.iter().collect();
            let position = format_position(poset, &members);
            return Err(ProofError::Refused { line: self.number, position, fault: Fault::Order });
        }
        entries.last = Some(position);
        Ok(Some(position))
    }

    /// Reads what the last line says, and that it is the last one.
    fn end(&mut self) -> Next {
        let parts = || {
            let text = str::from_utf8(self.line.strip_prefix(END)?).ok()?;
            let (entries, digest) = text.split_once(' ')?;
            let digest = Some(digest).filter(|digest| !digest.bytes().any(|byte| byte.is_ascii_uppercase()))?;
            Some((number(entries.as_bytes())?, blake3::Hash::from_hex(digest).ok()?))
        };
        let Some((entries, digest)) = parts() else {
            return Next::Fault(
                self.not("the last line: `end `, the number of entries, a space, and 64 hexadecimal digits"),
            );
        };
        match self.input.fill_buf() {
            Ok([]) => Next::End(End { line: self.number, entries, digest }, self.hasher.finalize()),
            Ok(_) => Next::Fault(ProofError::GoesOn { line: self.number }),
            Err(error) => Next::Fault(error.into()),
        }
    }
}

/// What is known between batches.
#[derive(Debug)]
pub struct Entries<const W: usize> {
    /// All elements of the poset.
    all: Ideal<W>,
    last: Option<Ideal<W>>,
    /// An entry that was read and begins the next batch.
    waiting: Option<(Ideal<W>, Vec<u8>)>,
}

impl<const W: usize> Entries<W> {
    /// Before the first entry about a position of `poset`.
    pub fn new(poset: &Poset) -> Self {
        Self { all: Ideal::first(poset.len()), last: None, waiting: None }
    }
}

impl<const W: usize> Batch<W> {
    fn push(&mut self, position: Ideal<W>, line: &[u8]) {
        let start = self.text.len();
        let step = line.iter().position(|&byte| byte == b' ').map_or(line.len(), |space| space + 1);
        self.text.extend_from_slice(line);
        self.steps.push((start + step, self.text.len()));
        self.text.push(b'\n');
        self.positions.push(position);
    }
}

/// A decimal number in its one spelling.
fn number(text: &[u8]) -> Option<u64> {
    let number: u64 = str::from_utf8(text).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == text).then_some(number)
}
