//! Certificates: what a finished job found, in parts that add up, and how to check it again.

use std::time::Duration;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::estimation::EstimateRecord;
use super::positions::records::Positions;
use super::records::{CERTIFICATE, JOB_FORMAT, SpaceLayer, ValueLayer};
use super::{Answer, JobId, JobSpec, Method, ProofRecord, Question, SizeCount, decimal};
use crate::poset::Poset;
use crate::store::{Store, StoreError};

/// What is stored of a finished job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// [`super::records::JOB_FORMAT`] of the program that wrote it.
    pub format: u32,
    /// Version of that program.
    pub software: String,
    /// The job.
    pub job: JobId,
    /// What was asked.
    pub spec: JobSpec,
    /// How the ideals were visited.
    pub method: Method,
    /// Owner of the bases in the store, if they are there.
    pub space: String,
    /// Number of elements of the poset.
    pub elements: usize,
    /// Number of automorphisms in use.
    #[serde(with = "decimal")]
    pub group_order: BigUint,
    /// The number asked for.
    #[serde(with = "decimal::option")]
    pub value: Option<BigUint>,
    /// Digest of values and counts.
    pub digest: String,
    /// Orbits of the ideals within the limits.
    #[serde(with = "decimal")]
    pub orbits: BigUint,
    /// Labelled ideals within the limits.
    #[serde(with = "decimal")]
    pub labelled: BigUint,
    /// Ideals by size, within the limits.
    pub sizes: Vec<SizeCount>,
    /// The base layers of the space, from the empty base on.
    pub base_layers: Vec<SpaceLayer>,
    /// Their values, if the question has any.
    pub value_layers: Vec<ValueLayer>,
    /// The positions and their values, if the question is about the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Positions>,
    /// h(1), h(2), ..., if the question is the ruler on set partitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<u32>>,
    /// What the proof shows, if it is a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofRecord>,
    /// What the estimate is made from, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<EstimateRecord>,
    /// The checks that were made, each in a sentence.
    pub checks: Vec<String>,
    /// How to check it again.
    pub how_to_check: String,
}

impl Certificate {
    /// The certificate of a job, if it is finished.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub fn load(store: &Store, job: &JobId) -> Result<Option<Self>, StoreError> {
        store.document(&job.0, CERTIFICATE)
    }

    /// That of a job which counts no ideals, with everything that follows from what was asked; the rest is nothing yet.
    pub(super) fn without_ideals(spec: &JobSpec, poset: &Poset, top: usize) -> Self {
        let job = spec.id();
        Self {
            format: JOB_FORMAT,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            spec: spec.clone(),
            method: Method::Plain { top },
            space: job.0.clone(),
            elements: poset.len(),
            group_order: poset.group_order(),
            value: None,
            digest: String::new(),
            orbits: BigUint::ZERO,
            labelled: BigUint::ZERO,
            sizes: Vec::new(),
            base_layers: Vec::new(),
            value_layers: Vec::new(),
            positions: None,
            heights: None,
            proof: None,
            estimate: None,
            checks: Vec::new(),
            how_to_check: String::new(),
            job,
        }
    }

    /// The answer it certifies.
    pub fn answer(&self, resumed: bool, elapsed: Duration) -> Answer {
        Answer {
            job: self.job.clone(),
            spec: self.spec.clone(),
            value: self.value.clone(),
            orbits: self.orbits.clone(),
            labelled: self.labelled.clone(),
            base_layers: self.base_layers.len(),
            digest: self.digest.clone(),
            heights: self.heights.clone(),
            proof: self.proof.clone(),
            resumed,
            elapsed,
        }
    }
}

/// How anybody can check a certificate again.
pub(super) fn how_to_check(job: &JobId, question: Question, method: Method) -> String {
    if question.is_game() {
        return format!(
            "`antichain verify {job}` checks digests and totals and computes small games and random positions again by \
             other code. By hand: `counts` of all base layers add up to `sizes`; `counts` of `positions` add up, over all \
             values, to the `sizes`, so that every ideal has a value; `digest` is the BLAKE3 of the text that FORMATS.md \
             describes."
        );
    }
    let ways = match method {
        Method::Plain { .. } => "base layer k holds the ideals with k elements",
        Method::Halves { .. } => "base layer k holds the ideals with k elements in the lower half of the poset",
    };
    format!(
        "`antichain verify {job}` checks digests and totals and computes samples again by other code. By hand: {ways}; \
         `counts` of all base layers add up to `sizes` (sizes beyond the largest counted one are those of the dual ideals); \
         the `values` of `sums` of size k + 1, added up over all layers, equal the `extended` of size k; `joined` of all \
         layers adds up to the value where the poset is self-dual; `digest` is the BLAKE3 of the text that FORMATS.md describes."
    )
}
