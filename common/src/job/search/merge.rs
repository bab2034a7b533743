//! Taking in what searches elsewhere have settled and finished.

use std::collections::{BTreeMap, HashMap};

use super::run::record;
use super::settled;
use super::taking::take_finished;
use crate::ideal::Ideal;
use crate::job::records::{JOB, JobRecord};
use crate::job::{JobError, JobId, JobSpec, catalogue};
use crate::poset::{Poset, format_position};
use crate::search::Finding;
use crate::store::{Commit, Store};
use crate::watch::Interrupt;

/// What a merge did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Jobs that had something new.
    pub jobs: usize,
    /// Positions read.
    pub positions: u64,
    /// Positions that were not known here.
    pub new: u64,
    /// Searches that are finished here now, and were not before.
    pub answers: Vec<JobId>,
    /// Finished searches that were not taken in, each with what is wrong with it.
    pub refused: Vec<(JobId, String)>,
}

/// Takes in the settled positions of all searches of another store, and the answers of those that are finished, if their
/// proofs hold. Nothing is stored if any settled position contradicts what is stored here.
///
/// # Errors
/// [`JobError::Contradiction`], which names the position; [`JobError::Interrupted`]; errors of the stores.
pub fn merge(store: &Store, other: &Store, interrupt: &Interrupt) -> Result<Merged, JobError> {
    let mut merged = Merged::default();
    let mut commit = Commit::new();
    let searches = catalogue::jobs(other)?.into_iter().filter(|job| job.spec.position.is_some());
    let mut by_poset: BTreeMap<String, Vec<(JobId, JobSpec)>> = BTreeMap::new();
    for search in searches {
        by_poset.entry(search.spec.poset.clone()).or_default().push((search.job, search.spec));
    }
    for (name, jobs) in by_poset {
        let poset: Poset = name.parse()?;
        match poset.words() {
            1 => merge_poset::<1>((store, other), &poset, &jobs, &mut commit, &mut merged)?,
            2 => merge_poset::<2>((store, other), &poset, &jobs, &mut commit, &mut merged)?,
            _ => merge_poset::<4>((store, other), &poset, &jobs, &mut commit, &mut merged)?,
        }
    }
    take_finished((store, other), interrupt, &mut commit, &mut merged)?;
    store.commit(commit)?;
    Ok(merged)
}

fn merge_poset<const W: usize>(
    (store, other): (&Store, &Store),
    poset: &Poset,
    jobs: &[(JobId, JobSpec)],
    commit: &mut Commit,
    merged: &mut Merged,
) -> Result<(), JobError> {
    let mut known: HashMap<Ideal<W>, bool> = HashMap::new();
    let mut contradiction = None;
    let mut note = |known: &mut HashMap<Ideal<W>, bool>, finding: &Finding<W>| {
        let is_lost = finding.settled.is_lost();
        let before = known.insert(finding.position, is_lost);
        if before.is_some_and(|before| before != is_lost) {
            contradiction.get_or_insert(finding.position);
        }
        before.is_none()
    };
    settled::read_all(store, &poset.name(), |finding| {
        note(&mut known, &finding);
    })?;
    for (job, spec) in jobs {
        let mut new = Vec::new();
        settled::read_job(other, job, &mut |finding| {
            merged.positions += 1;
            if note(&mut known, &finding) {
                new.push(finding);
            }
        })?;
        if new.is_empty() {
            continue;
        }
        merged.jobs += 1;
        merged.new += new.len() as u64;
        settled::write(store, job, &new, commit)?;
        if JobRecord::load(store, job)?.is_none() {
            let elements = spec.root()?.map_or(0, |(_, members)| members.len());
            commit.put_document(&job.0, JOB, &record(spec, elements))?;
        }
    }
    match contradiction {
        Some(position) => Err(JobError::Contradiction {
            poset: poset.name(),
            position: format_position(poset, &position.iter().collect::<Vec<_>>()),
            directory: other.directory().to_owned(),
        }),
        None => Ok(()),
    }
}
