//! Checking a proof: forward through the file, keeping only which positions are lost.
//!
//! The checker shares with the search nothing but the poset: it takes cover relations and levels from there, and has its
//! own moves (`rules.rs`), automorphisms (`automorphisms.rs`) and canonical forms (`canonical.rs`). It believes an entry only
//! if all that it rests on was believed before, so what it accepts is true whatever wrote the file.
//!
//! Entries are sorted by number of members, and every step leads to fewer of them. So entries with equally many members
//! are checked by many threads at once against the smaller ones, and then join these.

pub mod automorphisms;
pub mod canonical;
mod lost;
mod rules;
mod swap;

use std::io::BufRead;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::lost::LostSet;
use self::rules::{Known, Rules};
use super::error::{Fault, ProofError};
use super::format::{Step, Verdict};
use super::reader::{Batch, End, Entries, Header, Next, ProofReader, malformed};
use crate::ideal::Ideal;
use crate::parallel::crew;
use crate::watch::Interrupt;

/// Entries that a thread takes at a time.
const PIECE: usize = 32;

/// How to check.
pub struct CheckOptions<'a> {
    /// Threads, at least 1.
    pub threads: usize,
    /// Asks to stop.
    pub interrupt: &'a Interrupt,
    /// Is told how far the check is.
    pub progress: &'a dyn Fn(CheckProgress),
}

/// How far a check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckProgress {
    /// Entries that hold.
    pub done: u64,
    /// Entries that the header announces.
    pub total: u64,
}

/// A proof that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The poset, in its normal form.
    pub poset: String,
    /// The position that the proof is about.
    pub position: String,
    /// Whether that is the whole poset.
    pub whole: bool,
    /// `N` or `P`.
    pub outcome: &'static str,
    /// The element that wins, if the outcome is N.
    pub winning_move: Option<String>,
    /// Lost positions that were listed.
    pub entries: u64,
    /// How many of them have a mirror.
    pub mirrored: u64,
    /// Replies of the others, together.
    pub replies: u64,
    /// The digest in the last line.
    pub digest: String,
}

/// Checks the proof that `input` is.
///
/// # Errors
/// The first thing that is wrong, see [`ProofError`].
pub fn check(input: impl BufRead, options: &CheckOptions<'_>) -> Result<Checked, ProofError> {
    let (reader, header) = ProofReader::new(input)?;
    match header.poset.words() {
        1 => Check::<1>::new(&header).run(reader, &header, options),
        2 => Check::<2>::new(&header).run(reader, &header, options),
        _ => Check::<4>::new(&header).run(reader, &header, options),
    }
}

/// A check at work.
struct Check<const W: usize> {
    rules: Rules<W>,
    lost: LostSet<W>,
    /// Positions that threads have found before, for each thread.
    recent: Vec<Vec<Ideal<W>>>,
    counts: Counts,
}

/// What has been checked.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    entries: u64,
    mirrored: u64,
    replies: u64,
}

/// What one thread does with a batch.
struct Lane<const W: usize> {
    recent: Vec<Ideal<W>>,
    /// Canonical forms of the entries that hold.
    forms: Vec<Ideal<W>>,
    counts: Counts,
    fault: Option<(usize, Option<Fault>)>,
    bytes: Vec<u8>,
}

impl<const W: usize> Check<W> {
    fn new(header: &Header) -> Self {
        Self { rules: Rules::new(&header.poset), lost: LostSet::new(), recent: Vec::new(), counts: Counts::default() }
    }

    fn run(
        mut self,
        mut reader: ProofReader<impl BufRead>,
        header: &Header,
        options: &CheckOptions<'_>,
    ) -> Result<Checked, ProofError> {
        let mut entries = Entries::new(&header.poset);
        loop {
            let (batch, next) = reader.read_batch(&mut entries, &header.poset);
            self.check_batch(&batch, options)?;
            (options.progress)(CheckProgress { done: self.counts.entries, total: header.entries });
            match next {
                Next::Batch => {}
                Next::Fault(fault) => return Err(fault),
                Next::End(end, digest) => return self.conclude(header, end, digest),
            }
        }
    }

    /// Checks entries against those before, and adds them.
    fn check_batch(&mut self, batch: &Batch<W>, options: &CheckOptions<'_>) -> Result<(), ProofError> {
        let len = batch.positions.len();
        // No entry after the first that is wrong needs a look.
        let wrong = AtomicUsize::new(len);
        let pool = std::sync::Mutex::new(std::mem::take(&mut self.recent));
        let lane = || {
            let recent = pool.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop().unwrap_or_default();
            Lane { recent, forms: Vec::new(), counts: Counts::default(), fault: None, bytes: Vec::new() }
        };
        let threads = options.threads.min(len.div_ceil(PIECE)).max(1);
        let lanes = crew(threads, (0..len).step_by(PIECE), lane, |lane, start| {
            if lane.fault.is_some() || options.interrupt.is_requested() {
                return;
            }
            let end = (start + PIECE).min(wrong.load(Ordering::Relaxed));
            lane.check(&self.rules, &self.lost, batch, start..end);
            if let Some((entry, _)) = lane.fault {
                wrong.fetch_min(entry, Ordering::Relaxed);
            }
        });
        if options.interrupt.is_requested() {
            return Err(ProofError::Stopped);
        }
        let first = lanes.iter().filter_map(|lane| lane.fault.as_ref()).min_by_key(|(entry, _)| *entry);
        if let Some((entry, fault)) = first {
            let line = batch.first_line + *entry as u64;
            return Err(match fault {
                None => malformed(line),
                Some(fault) => {
                    let position = self.rules.show(&batch.positions[*entry]);
                    ProofError::Refused { line, position, fault: fault.clone() }
                }
            });
        }
        for lane in lanes {
            lane.forms.into_iter().for_each(|form| self.lost.insert(form));
            self.recent.push(lane.recent);
            self.counts.entries += lane.counts.entries;
            self.counts.mirrored += lane.counts.mirrored;
            self.counts.replies += lane.counts.replies;
        }
        Ok(())
    }

    /// Checks the claim, then that the file is what was written.
    fn conclude(mut self, header: &Header, end: End, digest: blake3::Hash) -> Result<Checked, ProofError> {
        let mut recent = self.recent.pop().unwrap_or_default();
        if let Err(fault) = self.rules.check_claim(&header.claim, &mut Known::new(&self.lost, &mut recent)) {
            let position = header.position.clone();
            return Err(ProofError::Refused { line: Header::POSITION_LINE, position, fault });
        }
        let Counts { entries: found, mirrored, replies } = self.counts;
        for (line, said) in [(header.entries_line(), header.entries), (end.line, end.entries)] {
            if said != found {
                return Err(ProofError::Count { line, said, found });
            }
        }
        if digest != end.digest {
            return Err(ProofError::Damaged);
        }
        let winning_move = match header.claim.verdict {
            Verdict::Won { by } => Some(header.poset.label(by)),
            Verdict::Lost => None,
        };
        Ok(Checked {
            poset: header.poset.name(),
            position: header.position.clone(),
            whole: header.claim.position.len() == header.poset.len(),
            outcome: header.claim.verdict.outcome(),
            winning_move,
            entries: found,
            mirrored,
            replies,
            digest: digest.to_string(),
        })
    }
}

impl<const W: usize> Lane<W> {
    /// Checks some entries of a batch, up to the first that is wrong.
    fn check(&mut self, rules: &Rules<W>, lost: &LostSet<W>, batch: &Batch<W>, entries: std::ops::Range<usize>) {
        let mut known = Known::new(lost, &mut self.recent);
        for entry in entries {
            let position = batch.positions[entry];
            let Some(step) = batch.step(entry, &mut self.bytes) else {
                self.fault = Some((entry, None));
                return;
            };
            if let Err(fault) = rules.check(position, step, &mut known) {
                self.fault = Some((entry, Some(fault)));
                return;
            }
            self.counts.entries += 1;
            match step {
                Step::Answered(replies) => self.counts.replies += replies.len() as u64,
                Step::Mirrored(_) => self.counts.mirrored += 1,
            }
            self.forms.push(rules.form(position));
        }
    }
}
