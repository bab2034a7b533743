//! Posets that users bring along, in files.
//!
//! ```
//! use antichain_common::poset::given::{Format, read};
//! let reading = read("wash < dry\nwash < iron\n", Format::Any)?;
//! assert_eq!(reading.poset.labels(), ["wash", "dry", "iron"]);
//! assert_eq!(reading.poset.lower_covers()[2], [0]);
//! # Ok::<(), antichain_common::poset::given::GivenError>(())
//! ```
//!
//! A file's poset is told to others, and stored, by its text in normal form:
//! ```text
//! file:0c5f2a31b7d4={"elements":["wash","dry","iron"],"covers":[[0,1],[0,2]]}
//! ```
//! Elements are there by rank, those of a rank in the order of the file; the number before `=` is the beginning of the BLAKE3
//! of what follows. What stands before `=` is its short name.

mod dot;
mod error;
mod json;
mod lines;
mod matrix;
mod order;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use error::{GivenError, GivenFault};
pub use text::short_name;

use super::error::PosetFault;
use super::group::AutomorphismGroup;
use super::spec::{Family, PosetSpec};
use super::{Description, MAX_ELEMENTS, Poset};

/// The largest number of elements of a poset from a file.
pub const MOST_ELEMENTS: usize = 4096;

/// A poset from a file: labels and cover relations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GivenPoset {
    labels: Vec<String>,
    lower: Vec<Vec<u16>>,
    digest: String,
}

/// What a file says, and what its author may not have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The poset.
    pub poset: GivenPoset,
    /// Each in a sentence.
    pub notes: Vec<String>,
}

/// The ways in which files tell posets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Whichever it looks like.
    Any,
    /// Lines `a < b` or `a b`.
    Lines,
    /// Rows of 0 and 1: entry (i, j) is 1 if i < j.
    Matrix,
    /// A digraph of Graphviz: an edge `a -> b` says that a < b.
    Dot,
    /// `{"elements": [...], "covers": [[a, b], ...]}`.
    Json,
}

impl Format {
    /// The format that the name of a file tells.
    pub fn of_name(name: &str) -> Self {
        let ends_in = |end: &str| name.to_ascii_lowercase().ends_with(end);
        match () {
            () if ends_in(".json") => Self::Json,
            () if ends_in(".dot") || ends_in(".gv") => Self::Dot,
            () => Self::Any,
        }
    }

    /// The format that a text looks like.
    fn of_text(text: &str) -> Self {
        let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let word = start.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            _ if start.starts_with('{') || start.starts_with('[') => Self::Json,
            _ if start.starts_with("/*") || start.starts_with("//") => Self::Dot,
            "strict" | "digraph" | "graph" if start.contains('{') => Self::Dot,
            _ if matrix::looks_like_one(text) => Self::Matrix,
            _ => Self::Lines,
        }
    }
}

/// Reads the text of a file.
///
/// # Errors
/// [`GivenError`]: what is wrong, and in which line.
pub fn read(text: &str, format: Format) -> Result<Reading, GivenError> {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(line) = text.split('\n').position(|line| line.contains('\0')) {
        return Err(GivenFault::Binary.at(line + 1));
    }
    let format = if format == Format::Any { Format::of_text(text) } else { format };
    let relations = match format {
        Format::Lines | Format::Any => lines::read(text)?,
        Format::Matrix => matrix::read(text)?,
        Format::Dot => dot::read(text)?,
        Format::Json => json::read(text)?,
    };
    let (poset, added) = relations.order()?;
    let is_matrix = format == Format::Matrix;
    let note = format!("the matrix is no whole order: {added} relations that follow from others were added");
    Ok(Reading { poset, notes: if is_matrix && added > 0 { vec![note] } else { Vec::new() } })
}

impl GivenPoset {
    /// How the elements are called.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// For each element those that it covers, ascending.
    pub fn lower_covers(&self) -> &[Vec<u16>] {
        &self.lower
    }
}

/// The family of a poset that fits a bit set.
pub(super) fn within_limits(poset: GivenPoset) -> Result<Family, PosetFault> {
    match poset.labels.len() {
        len if len > MAX_ELEMENTS => Err(PosetFault::TooManyElements(len.into())),
        _ => Ok(Family::Given(Arc::new(poset))),
    }
}

/// Reads what follows `file:` in the normal form. A path is none: whoever gets a text from elsewhere does not read files for it.
pub(super) fn parse_family(parameters: &str) -> Result<Family, PosetFault> {
    within_limits(text::parse(parameters).map_err(|_| PosetFault::NotGiven)?)
}

pub(super) fn build(spec: PosetSpec, given: &GivenPoset) -> Poset {
    Poset::complete(Description {
        spec,
        labels: given.labels.clone(),
        lower: given.lower.clone(),
        group: AutomorphismGroup::Trivial,
        duality: None,
    })
}
