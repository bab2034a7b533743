//! The outcome of one position as a job: a search, its checkpoints, and a proof of what it found.
//!
//! The job is that of the position up to symmetry, in the smallest Boolean lattice that has it. What is stored on the way are
//! positions that were settled with some work ([`settled`]), whole, so that a later search of any position of the same poset
//! begins with them; a finished job has its proof ([`proof`]) besides, and a certificate as any other.

mod certificate;
mod engine;
mod merge;
mod options;
mod oracle;
pub(super) mod partial;
mod party;
mod plan;
pub mod proof;
mod run;
pub mod settled;
mod shared;
mod taking;
#[cfg(test)]
mod tests;
mod translation;
mod verify;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::certificate::Certificate;
use super::{JobError, JobSpec, Question, SizeLimits};
use crate::ideal::{Element, Ideal};
use crate::poset::{Poset, PosetSpec, format_position, parse_position};
use crate::store::{Store, StoreError};
use crate::symmetry::{Canonicaliser, Isa};

pub use certificate::search_certificate;
pub use engine::search_engine;
pub use merge::{Merged, merge};
pub use options::{OpenOption, Options};
pub use party::{Others, Party};
pub use plan::{SearchPlan, plan_search};
pub use proof::export_proof;
pub use run::{SearchLimits, run_search};
pub use shared::{Order, Searched, TOLD_BYTES, decode_path, decode_told, encode_path, encode_told};
pub use verify::check_proof_of;
pub(super) use verify::verify;

/// What a proof shows, besides who wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofRecord {
    /// The lost position that wins, if the next player does: what the winning move leaves, up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winning_move: Option<String>,
    /// Lost positions that it lists.
    pub entries: u64,
    /// Positions visited by the search.
    pub nodes: u64,
}

impl JobSpec {
    /// The job of the outcome of a position, given by its members.
    ///
    /// # Panics
    /// If they are no ideal of the poset.
    pub fn search(poset: &Poset, members: &[Element]) -> Self {
        let (poset, members) = smallest(poset, members);
        let position = Some(format_position(&poset, &members));
        Self { question: Question::Outcome, poset: poset.name(), limits: SizeLimits::NONE, position, sampling: None }
    }

    /// The poset and the members of the position, if this is a search.
    ///
    /// # Errors
    /// [`JobError::Poset`], [`JobError::Position`].
    pub fn root(&self) -> Result<Option<(Poset, Vec<Element>)>, JobError> {
        let Some(position) = &self.position else { return Ok(None) };
        let poset: Poset = self.poset.parse()?;
        let members = parse_position(&poset, position)?.members;
        Ok(Some((poset, members)))
    }
}

/// The canonical position, in the lattice of the points and sizes that it has, if it is one of sets.
fn smallest(poset: &Poset, members: &[Element]) -> (Poset, Vec<Element>) {
    let form = canonical(poset, members);
    let Some((_, masks)) = poset.sets() else { return (poset.clone(), form) };
    let used = form.iter().fold(0, |used, &x| used | masks[x]);
    let size = form.last().map_or(0, |&x| masks[x].count_ones() as usize);
    let smaller = Poset::new(&PosetSpec::boolean(used.count_ones() as usize, size));
    let (_, smaller_masks) = smaller.sets().unwrap_or_default();
    let squeeze = |mask: usize| {
        let points = (0..usize::BITS).filter(|p| used >> p & 1 == 1).enumerate();
        points.fold(0, |squeezed, (to, from)| squeezed | (mask >> from & 1) << to)
    };
    let element = |mask: usize| smaller_masks.iter().position(|&other| other == mask);
    let members: Vec<Element> = form.iter().filter_map(|&x| element(squeeze(masks[x]))).collect();
    let members = canonical(&smaller, &members);
    (smaller, members)
}

/// The canonical form of a position.
fn canonical(poset: &Poset, members: &[Element]) -> Vec<Element> {
    let position = members.iter().fold(Ideal::<4>::empty(), |position, &x| position.with(x));
    Canonicaliser::new(poset, Isa::detect()).canonical(position).ideal.iter().collect()
}

/// The value of the outcome of a position that a finished search has settled.
///
/// # Errors
/// Errors of the store.
pub(super) fn settled_outcome(
    store: &Store,
    poset: &Poset,
    members: &[Element],
) -> Result<Option<BigUint>, StoreError> {
    let spec = JobSpec::search(poset, members);
    let certificate = Certificate::load(store, &spec.id())?;
    Ok(certificate.filter(|certificate| certificate.spec == spec).and_then(|certificate| certificate.value))
}

/// The move of a position that wins by what a search has found of its canonical form: the first that leaves the same up to
/// symmetry; `None` if the position is lost, or the job is that of another one.
pub fn winning_move(poset: &Poset, members: &[Element], spec: &JobSpec, proof: &ProofRecord) -> Option<Element> {
    let (root_poset, root) = spec.root().ok().flatten()?;
    let by = (0..root_poset.len()).find(|&x| Some(root_poset.label(x)) == proof.winning_move)?;
    let left = |poset: &Poset, members: &[Element], taken: Element| {
        let members: Vec<Element> = members.iter().copied().filter(|&x| !poset.is_at_most(taken, x)).collect();
        JobSpec::search(poset, &members)
    };
    let wanted = left(&root_poset, &root, by);
    let may_be_taken = |taken: &Element| (0..poset.len()).any(|x| !poset.is_at_most(*taken, x));
    members.iter().copied().filter(may_be_taken).find(|&taken| left(poset, members, taken) == wanted)
}
