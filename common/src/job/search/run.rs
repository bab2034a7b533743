//! A search in one process, with checkpoints.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::oracle::Sources;
use super::proof::{proof_key, write_proof};
use super::{JobSpec, ProofRecord, partial, search_certificate, settled};
use crate::ideal::Ideal;
use crate::job::certificate::Certificate;
use crate::job::conclude::commit_certificate;
use crate::job::progress::{Meter, reporting};
use crate::job::records::{JOB, JOB_FORMAT, JobRecord, JobState};
use crate::job::repair::set_aside_damaged;
use crate::job::run::finished;
use crate::job::{Answer, JobError, JobId, Method, Phase, Progress, RunOptions};
use crate::poset::Poset;
use crate::search::{Crew, Finding, Lines, ProofSoFar, ProveError, Rules, Turn, go_on_proving};
use crate::store::{Commit, ShardKind, Store};

/// Part of the memory that the table of settled positions may take: the rest is for the proof.
const TABLE_SHARE: f64 = 0.75;
/// Part of the memory that tables of the store may take as an oracle, which is taken from the table of settled positions.
const ORACLE_SHARE: f64 = 0.25;
/// A search that is over in this time does without an oracle, however fast that could be read.
const LEAST_SEARCH: Duration = Duration::from_secs(2);
/// How many times as long as reading an oracle a search takes before that is worth it, if the oracle saves it some positions
/// only: 10 to 20 % of those still to be visited.
const BEYOND_REACH: u32 = 6;
/// Checkpoints take no more than one part in so many of the time.
const CHECKPOINT_SHARE: u32 = 20;
/// Salts to try. Where two positions have the same hash under one, they do not under the next.
const SALTS: u64 = 3;

/// Where a search stands when it begins.
const START: Progress = Progress { phase: Phase::Search, layer: 0, last_layer: 0, done: 0, total: None, ideals: 0 };

/// How long a search may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Wall time of the search; a proof that was begun is finished. `None` is as long as it takes.
    pub budget: Option<Duration>,
}

/// Settles the position of a search, going on from what the store holds.
///
/// # Errors
/// [`JobError::OutOfBudget`], [`JobError::Interrupted`], after what was settled is stored; see [`JobError`].
pub fn run_search(
    store: &Store,
    spec: &JobSpec,
    limits: SearchLimits,
    options: &RunOptions<'_>,
) -> Result<Answer, JobError> {
    let start = Instant::now();
    if let Some(certificate) = finished(store, spec)?
        && has_proof(store, &certificate.job)?
    {
        return Ok(certificate.answer(true, start.elapsed()));
    }
    let root = spec.root()?;
    let (poset, members) = root.ok_or_else(|| JobError::SelfCheck(format!("{} is no search", spec.id())))?;
    let meter = Meter::new(options.interrupt);
    let deadline = limits.budget.and_then(|budget| start.checked_add(budget));
    let context = Context { store, spec, poset: &poset, members: &members, options, meter: &meter, start, deadline };
    let (certificate, resumed) = reporting(&meter, options.progress, || match poset.words() {
        1 => context.run::<1>(),
        2 => context.run::<2>(),
        _ => context.run::<4>(),
    })?;
    Ok(certificate.answer(resumed, start.elapsed()))
}

/// Whether the proof of a finished search is there and whole. If it is damaged, it is set aside.
fn has_proof(store: &Store, job: &JobId) -> Result<bool, JobError> {
    let damaged = set_aside_damaged(store, &job.0, ShardKind::Proof, 1)?;
    Ok(!damaged && store.shard(&proof_key(job))?.is_some())
}

/// What a search is about, and the world around it.
struct Context<'a> {
    store: &'a Store,
    spec: &'a JobSpec,
    poset: &'a Poset,
    members: &'a [usize],
    options: &'a RunOptions<'a>,
    meter: &'a Meter<'a>,
    start: Instant,
    deadline: Option<Instant>,
}

/// What is settled, and how much of it is stored.
struct Journal<const W: usize> {
    findings: Vec<Finding<W>>,
    nodes: u64,
    /// Entries of the proof that are stored.
    proved: usize,
    saved: Instant,
    error: Option<JobError>,
}

impl Context<'_> {
    fn run<const W: usize>(&self) -> Result<(Certificate, bool), JobError> {
        let root = self.members.iter().fold(Ideal::empty(), |root: Ideal<W>, &x| root.with(x));
        let mut journal = Journal { findings: Vec::new(), nodes: 0, proved: 0, saved: Instant::now(), error: None };
        let mut found = Err(ProveError::Confused);
        let mut resumed = false;
        self.meter.begin_layer(START, None);
        let share = |part: f64| (self.options.memory as f64 * part) as u64;
        let sources = Sources::find(self.store, self.poset, share(ORACLE_SHARE))?;
        let table_bytes = share(TABLE_SHARE) - sources.bytes();
        for salt in 0..SALTS {
            let rules = Arc::new(Rules::<W>::new(self.poset));
            let mut crew = Crew::new(rules.clone(), self.options.threads, (table_bytes, salt));
            let mut help = Some(&sources).filter(|sources| !sources.is_empty());
            let is_within_reach = sources.know(rules.points_of(&root), root.len());
            let began = Instant::now();
            // What was stored may itself come from a table that confused positions, and an oracle may be wrong.
            if salt + 1 == SALTS {
                help = None;
            }
            if salt + 1 < SALTS {
                settled::read_all(self.store, &self.spec.poset, |finding| {
                    crew.tell(&finding);
                    resumed = true;
                })?;
            }
            let made = partial::read_all(self.store, &self.spec.id())?;
            resumed |= !made.is_empty();
            (journal.nodes, journal.proved) = (0, 0);
            found = go_on_proving(&mut crew, root, made, &mut |turn| {
                if let Some(sources) = help.take_if(|sources| self.is_worth_reading(sources, is_within_reach, began))
                    && let Some(oracle) = sources.read::<W>(salt, self.options.threads, self.options.interrupt)
                {
                    rules.consult(oracle);
                }
                self.take_turn(&mut journal, turn)
            });
            if !matches!(found, Err(ProveError::Confused)) {
                break;
            }
            tracing::warn!("two positions have the same hash; the search begins anew with another one");
            journal.findings.clear();
            // The proof may rest on it.
            let mut commit = Commit::new();
            partial::remove(self.store, &self.spec.id(), &mut commit)?;
            self.store.commit(commit)?;
        }
        match (found, journal.error.take()) {
            (_, Some(error)) => Err(error),
            (Ok(lines), None) => Ok((self.conclude(&journal, &lines)?, resumed)),
            (Err(ProveError::Stopped), None) => {
                self.save(&mut journal, None)?;
                if self.options.interrupt.is_requested() {
                    return Err(JobError::Interrupted);
                }
                Err(JobError::OutOfBudget { job: self.spec.id(), nodes: journal.nodes })
            }
            (Err(ProveError::Confused), None) => {
                Err(JobError::SelfCheck(format!("the search of {} contradicts itself", self.spec.id())))
            }
        }
    }

    /// Whether a search has taken so long that tables are worth reading: where they know the position, as long as that takes, so
    /// that in all it takes no more than twice the time that it could; otherwise several times as long.
    fn is_worth_reading(&self, sources: &Sources<'_>, is_within_reach: bool, began: Instant) -> bool {
        let time = sources.time(self.options.threads).max(LEAST_SEARCH);
        let has_time = self.deadline.is_none_or(|deadline| Instant::now() + time < deadline);
        let worth = if is_within_reach { time } else { time * BEYOND_REACH };
        began.elapsed() >= worth && has_time
    }

    /// Notes what a turn has settled, and stores it when that is due. Returns whether the search goes on.
    fn take_turn<const W: usize>(&self, journal: &mut Journal<W>, turn: Turn<'_, W>) -> bool {
        self.meter.watch().advance(turn.nodes - journal.nodes);
        if let Some(ProofSoFar { explained, listed, .. }) = turn.proof {
            let (done, ideals) = (explained as u64, listed as u64);
            self.meter.begin_layer(Progress { phase: Phase::Prove, done, ideals, ..START }, None);
        }
        journal.nodes = turn.nodes;
        journal.findings.extend_from_slice(turn.findings);
        let due = self.options.checkpoint.max(self.start.elapsed() / CHECKPOINT_SHARE);
        // What is proved is here only while the turn lasts.
        let is_interrupted = self.options.interrupt.is_requested();
        if journal.saved.elapsed() >= due || is_interrupted {
            journal.error = self.save(journal, turn.proof).err();
        }
        // A proof that was begun is finished.
        let is_over = turn.proof.is_none() && self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        journal.error.is_none() && !is_over && !is_interrupted
    }

    fn save<const W: usize>(&self, journal: &mut Journal<W>, proof: Option<ProofSoFar<'_, W>>) -> Result<(), JobError> {
        journal.saved = Instant::now();
        let proved = proof.and_then(|proof| proof.entries.get(journal.proved..)).unwrap_or_default();
        if journal.findings.is_empty() && proved.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new();
        let job = self.spec.id();
        if !journal.findings.is_empty() {
            settled::write(self.store, &job, &journal.findings, &mut commit)?;
        }
        if !proved.is_empty() {
            partial::write(self.store, &job, proved, &mut commit)?;
        }
        commit.put_document(&job.0, JOB, &record(self.spec, self.members.len()))?;
        self.store.commit(commit)?;
        journal.findings.clear();
        journal.proved += proved.len();
        Ok(())
    }

    /// Stores what was found.
    fn conclude<const W: usize>(&self, journal: &Journal<W>, lines: &Lines<W>) -> Result<Certificate, JobError> {
        let job = self.spec.id();
        let (written, digest) = write_proof(self.store, &job, self.poset, lines)?;
        let proof = ProofRecord {
            winning_move: lines.winning_move.map(|x| self.poset.label(x)),
            entries: lines.entries.len() as u64,
            nodes: journal.nodes,
        };
        let certificate = search_certificate(self.spec, proof, lines.winning_move.is_none(), digest)?;
        let mut commit = Commit::new();
        if !journal.findings.is_empty() {
            settled::write(self.store, &job, &journal.findings, &mut commit)?;
        }
        commit.put_shard(proof_key(&job), written.record());
        commit_certificate(self.store, &certificate, false, &mut commit)?;
        self.store.commit(commit)?;
        Ok(certificate)
    }
}

/// The record of a search that goes on.
pub(super) fn record(spec: &JobSpec, elements: usize) -> JobRecord {
    let JobId(owner) = spec.id();
    JobRecord {
        spec: spec.clone(),
        state: JobState::Running,
        format: JOB_FORMAT,
        software: env!("CARGO_PKG_VERSION").to_owned(),
        method: Method::Plain { top: elements },
        space: owner,
    }
}
