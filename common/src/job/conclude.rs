//! The end of a job: what was found is checked, and becomes the certificate.

use num_bigint::BigUint;

use super::certificate::{Certificate, how_to_check};
use super::checks::{Findings, check};
use super::digest::job_digest;
use super::plan::visited;
use super::positions::records::{POSITIONS, Positions};
use super::records::{CERTIFICATE, JOB, JOB_FORMAT, JobRecord, JobState, LAYER_PREFIX, SpaceLayer, ValueLayer};
use super::ruler::HEIGHTS;
use super::search::partial;
use super::{JobError, JobSpec, Method, Question, SizeCount};
use crate::poset::Poset;
use crate::store::{Commit, ShardKind, Store, StoreError};

/// What was found in all layers of a job.
pub struct Found<'a> {
    /// The poset.
    pub poset: &'a Poset,
    /// What was asked.
    pub spec: &'a JobSpec,
    /// How the ideals were visited.
    pub method: Method,
    /// Owner of the bases.
    pub space: &'a str,
    /// The base layers, from the empty base on.
    pub layers: Vec<&'a SpaceLayer>,
    /// The number of linear extensions and the values of the layers, if that was asked for.
    pub values: Option<(BigUint, Vec<ValueLayer>)>,
    /// The value of the largest position and all positions, if the question is about the game.
    pub positions: Option<(u8, Positions)>,
}

impl Found<'_> {
    /// The certificate, if all checks hold.
    ///
    /// # Errors
    /// [`JobError::SelfCheck`].
    pub fn certificate(self) -> Result<Certificate, JobError> {
        let Self { poset, spec, method, space, layers, values, positions } = self;
        let counted = count_by_size(&layers, method.top());
        let mut sizes = with_duals(poset, spec, &counted);
        let (extensions, value_layers) = match values {
            Some((value, layers)) => (Some(value), layers),
            None => (None, Vec::new()),
        };
        // Where large ideals are left out, so is the one whose value is asked for.
        let extensions = extensions.filter(|_| spec.limits.max.is_none());
        let (largest, positions) = match positions {
            Some((value, positions)) => (Some(value).filter(|_| spec.limits.max.is_none()), Some(positions)),
            None => (None, None),
        };
        let checks = check(&Findings {
            poset,
            method,
            counted: &counted,
            sizes: &sizes,
            space: &layers,
            values: &value_layers,
            extensions: extensions.as_ref(),
            positions: positions.as_ref(),
        })?;
        sizes.retain(|count| count.size >= spec.limits.min);
        let labelled: BigUint = sizes.iter().map(|count| &count.labelled).sum();
        let value = match spec.question {
            Question::Extensions => extensions,
            Question::Ideals => Some(labelled.clone()),
            // Their certificates are made in another way.
            Question::Ruler | Question::Estimate => None,
            Question::Outcome | Question::Grundy | Question::Remoteness => largest.map(BigUint::from),
        };
        let job = spec.id();
        Ok(Certificate {
            format: JOB_FORMAT,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            spec: spec.clone(),
            method,
            space: space.to_owned(),
            elements: poset.len(),
            group_order: poset.group_order(),
            orbits: sizes.iter().map(|count| &count.orbits).sum(),
            how_to_check: how_to_check(&job, spec.question, method),
            digest: job_digest(spec, &sizes, value.as_ref(), &value_layers, positions.as_ref()),
            job,
            value,
            labelled,
            sizes,
            base_layers: layers.into_iter().cloned().collect(),
            value_layers,
            positions,
            heights: None,
            proof: None,
            estimate: None,
            checks,
        })
    }
}

/// Ideals by size up to the largest of a job, where `counted` begins at size 0: of large ones of a self-dual poset there are as
/// many as of their duals. (Sizes between those that were counted and their duals are no part of the job.)
pub(super) fn with_duals(poset: &Poset, spec: &JobSpec, counted: &[SizeCount]) -> Vec<SizeCount> {
    let mut sizes = counted.to_vec();
    if poset.duality().is_some()
        && (spec.limits.max.is_none() || visited(spec.question, poset, spec.limits) != spec.limits)
    {
        let largest = spec.limits.max.unwrap_or(poset.len());
        let dual = |size| counted.get(poset.len() - size).map(|count| SizeCount { size, ..count.clone() });
        sizes.extend((counted.len()..=largest).filter_map(dual));
    }
    sizes
}

/// Ideals by size, from 0 to `top`, over all layers.
fn count_by_size(layers: &[&SpaceLayer], top: usize) -> Vec<SizeCount> {
    let none = |size| SizeCount { size, orbits: BigUint::ZERO, labelled: BigUint::ZERO };
    let mut sizes: Vec<SizeCount> = (0..=top).map(none).collect();
    for count in layers.iter().flat_map(|layer| &layer.counts) {
        sizes[count.size].orbits += &count.orbits;
        sizes[count.size].labelled += &count.labelled;
    }
    sizes
}

/// Adds to a commit what makes a job finished: its certificate is stored, and what only an unfinished job needs goes.
///
/// # Errors
/// Errors of reading the catalogue.
pub fn commit_certificate(
    store: &Store,
    certificate: &Certificate,
    keep_values: bool,
    commit: &mut Commit,
) -> Result<(), StoreError> {
    let owner = &certificate.job.0;
    // The records of layers, which the certificate holds too.
    for document in store.documents(owner)? {
        if document.name.starts_with(LAYER_PREFIX) || [POSITIONS, HEIGHTS].contains(&&*document.name) {
            commit.remove_document(owner, &document.name);
        }
    }
    // The values of positions are what is asked for.
    if !keep_values && !certificate.spec.question.is_game() {
        for (key, _) in store.shards_of(owner, ShardKind::Values)? {
            commit.remove_shard(key);
        }
    }
    partial::remove(store, &certificate.job, commit)?;
    let record = JobRecord {
        spec: certificate.spec.clone(),
        state: JobState::Finished,
        format: JOB_FORMAT,
        software: certificate.software.clone(),
        method: certificate.method,
        space: certificate.space.clone(),
    };
    commit.put_document(owner, JOB, &record)?.put_document(owner, CERTIFICATE, certificate)?;
    Ok(())
}
