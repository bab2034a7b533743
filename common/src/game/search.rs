//! Depth-first search with memory: the value of a position from those of its options, each canonical position once.
//!
//! The search keeps its own stack of frames, so a game of 256 moves needs no more of the thread's stack than one of two.
//! All open options of all frames are in one list, of which every frame has a stretch; the last frame has the end.

use std::marker::PhantomData;
use std::sync::Arc;

use super::chomp::Chomp;
use super::memo::Memo;
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::recurrence::rule::Rule;
use crate::symmetry::{Canonical, Canonicaliser, Isa};

/// Why a value is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    /// The search would remember more positions than it may.
    #[error("more positions are needed than may be remembered")]
    TooManyPositions,
    /// A position on the way has a value that neither the rule nor its wider one can represent.
    #[error("the value is too large for a byte")]
    TooLarge,
}

/// A way round the options of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortcut<const W: usize> {
    /// There is none known.
    None,
    /// The value itself.
    Value(u8),
    /// The value is the Nim sum of the values of these positions, each smaller. A single one has the same value, by
    /// whatever rule.
    Sum(Vec<Canonical<W>>),
}

/// Theorems that a search makes use of. Every shortcut must have the value that the rule of the search gives.
pub trait Shortcuts<const W: usize> {
    /// For positions of `poset`, with its canonical forms.
    fn new(poset: &Poset, symmetry: &Arc<Canonicaliser<W>>) -> Self;

    /// A shortcut for a canonical position. What it remembers besides the search must not be more than `most` positions.
    ///
    /// # Errors
    /// If that is not enough, or a value does not fit.
    fn find(&mut self, position: &Canonical<W>, most: usize) -> Result<Shortcut<W>, Unsolved>;

    /// Number of positions remembered besides those of the search.
    fn remembered(&self) -> usize;
}

/// A search by the rule `R` with the shortcuts `S`. It keeps what it has found for further positions of the same poset.
pub struct Search<const W: usize, R, S> {
    game: Chomp<W>,
    symmetry: Arc<Canonicaliser<W>>,
    shortcuts: S,
    memo: Memo<W>,
    rule: PhantomData<R>,
}

/// A position whose value is being found.
struct Frame<const W: usize, R: Rule> {
    position: Ideal<W>,
    /// Where its stretch of the open positions begins.
    first: usize,
    progress: Progress<R>,
}

/// What is known of the value of a frame.
enum Progress<R: Rule> {
    /// The options seen so far.
    Options(R::Seen),
    /// The Nim sum so far.
    Sum(u8),
}

impl<R: Rule> Progress<R> {
    #[inline(always)]
    fn take(&mut self, value: u8) {
        match self {
            Self::Options(seen) => R::see(seen, value),
            Self::Sum(sum) => *sum ^= value,
        }
    }

    #[inline(always)]
    fn is_settled(&self) -> bool {
        matches!(self, Self::Options(seen) if R::is_settled(*seen))
    }
}

/// Lists that serve one position after the other.
struct Lists<const W: usize> {
    open: Vec<Canonical<W>>,
    options: Vec<Ideal<W>>,
    forms: Vec<Canonical<W>>,
}

impl<const W: usize, R: Rule, S: Shortcuts<W>> Search<W, R, S> {
    /// A search among the positions of `poset` that remembers nothing yet.
    ///
    /// # Panics
    /// If `W` words are too few for the poset; see [`Poset::words`].
    pub fn new(poset: &Poset) -> Self {
        Self::with_symmetry(poset, Arc::new(Canonicaliser::new(poset, Isa::detect())))
    }

    /// The same, with canonical forms at hand.
    pub(super) fn with_symmetry(poset: &Poset, symmetry: Arc<Canonicaliser<W>>) -> Self {
        let shortcuts = S::new(poset, &symmetry);
        Self { game: Chomp::new(poset), symmetry, shortcuts, memo: Memo::default(), rule: PhantomData }
    }

    /// The value of a position by the rule, or by its wider one where the rule cannot represent it.
    ///
    /// # Errors
    /// If more than `most` positions would be remembered, those of former calls included, or a value does not fit. What
    /// was found until then stays.
    ///
    /// # Panics
    /// If a member is no element of the poset.
    pub fn value(&mut self, position: Ideal<W>, most: usize) -> Result<u8, Unsolved> {
        let position = self.symmetry.canonical(position);
        if let Some(value) = self.memo.get(&position.ideal) {
            return Ok(value);
        }
        let mut lists = Lists { open: Vec::new(), options: Vec::new(), forms: Vec::new() };
        let mut frame = self.enter(&position, &mut lists, most)?;
        let mut waiting: Vec<Frame<W, R>> = Vec::new();
        loop {
            if lists.open.len() > frame.first && !frame.progress.is_settled() {
                let Some(next) = lists.open.pop() else { continue };
                match self.memo.get(&next.ideal) {
                    Some(value) => frame.progress.take(value),
                    None => waiting.push(std::mem::replace(&mut frame, self.enter(&next, &mut lists, most)?)),
                }
                continue;
            }
            lists.open.truncate(frame.first);
            let value = self.finish(&frame, &mut lists)?;
            if self.remembered() >= most {
                return Err(Unsolved::TooManyPositions);
            }
            self.memo.insert(frame.position, value);
            let Some(parent) = waiting.pop() else { return Ok(value) };
            frame = parent;
            frame.progress.take(value);
        }
    }

    /// The theorems in use.
    pub(super) fn shortcuts(&self) -> &S {
        &self.shortcuts
    }

    /// Number of positions remembered.
    pub fn remembered(&self) -> usize {
        self.memo.len() + self.shortcuts.remembered()
    }

    /// Begins a position: all options that are remembered are seen at once, before any other is searched.
    fn enter(&mut self, position: &Canonical<W>, lists: &mut Lists<W>, most: usize) -> Result<Frame<W, R>, Unsolved> {
        let first = lists.open.len();
        let progress = match self.shortcuts.find(position, most.saturating_sub(self.memo.len()))? {
            Shortcut::Value(value) => Progress::Sum(value),
            Shortcut::Sum(parts) => {
                lists.open.extend(parts);
                Progress::Sum(0)
            }
            Shortcut::None => {
                self.list_options(position.ideal, lists);
                let mut seen = R::Seen::default();
                for form in lists.forms.iter().rev() {
                    match self.memo.get(&form.ideal) {
                        Some(value) => R::see(&mut seen, value),
                        None => lists.open.push(*form),
                    }
                }
                // The last one is searched first: the most symmetric, which has the fewest different options, and of
                // those the one that leaves least. Where a lost option ends the search, it ends sooner.
                lists.open[first..].sort_by_key(|form| form.stabiliser);
                Progress::Options(seen)
            }
        };
        Ok(Frame { position: position.ideal, first, progress })
    }

    fn list_options(&self, position: Ideal<W>, lists: &mut Lists<W>) {
        lists.options.clear();
        lists.forms.clear();
        lists.options.extend(self.game.moves(position).map(|(_, left)| left));
        self.symmetry.canonical_batch(&lists.options, &mut lists.forms);
    }

    fn finish(&self, frame: &Frame<W, R>, lists: &mut Lists<W>) -> Result<u8, Unsolved> {
        let value = match frame.progress {
            Progress::Sum(sum) => Some(sum),
            Progress::Options(seen) => R::value(seen).or_else(|| self.wider_value(frame.position, lists)),
        };
        value.ok_or(Unsolved::TooLarge)
    }

    /// The value by the wider rule. That the narrow one has none says that it was not settled, so all options are
    /// remembered.
    fn wider_value(&self, position: Ideal<W>, lists: &mut Lists<W>) -> Option<u8> {
        self.list_options(position, lists);
        let mut seen = <R::Wider as Rule>::Seen::default();
        for form in &lists.forms {
            R::Wider::see(&mut seen, self.memo.get(&form.ideal)?);
        }
        R::Wider::value(seen)
    }
}
