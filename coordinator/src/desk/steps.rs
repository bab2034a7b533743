//! What is done with the findings of tasks: each step stores its result, and then tells the course of the job.

use std::sync::Arc;

use antichain_common::job::certificate::Certificate;
use antichain_common::job::conclude::{Found, commit_certificate};
use antichain_common::job::records::{
    SpaceLayer, ValueLayer, ValueShard, add_counts, bases_key, layer_document, values_key,
};
use antichain_common::job::sample::{sample_key, write_samples};
use antichain_common::job::task::{Engine, Findings, Solved, Task, TaskError, TaskKind};
use antichain_common::job::{JobError, JobId, Method, POSITIONS, Question, Side};
use antichain_common::poset::{Poset, PosetError};
use antichain_common::recurrence::limbs::{value, widened};
use antichain_common::store::{Commit, ShardKind, StoreError};
use num_bigint::BigUint;

use super::Desk;
use super::documents::{
    CLUSTER, ClusterRecord, PLIES, Standing, StoredFindings, candidates_key, cut_document, remove_findings,
    task_document,
};
use crate::course::{Course, Cut, CutShard};
use crate::task_id::JobNumber;

/// Why a step was not done.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// Nothing can be stored at the moment.
    #[error("{0}")]
    NoRoom(String),
    /// A task's work at the coordinator failed.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A check did not hold.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The poset is none.
    #[error(transparent)]
    Poset(#[from] PosetError),
    /// It must not go on: two workers found different things, or a file is damaged.
    #[error("{0}")]
    Alarm(String),
}

impl StepError {
    /// Whether it can be done when there is room on the disk.
    pub fn is_out_of_room(&self) -> bool {
        match self {
            Self::NoRoom(_) => true,
            Self::Store(error) => error.is_out_of_room(),
            _ => false,
        }
    }
}

/// What a step has to know of its job.
pub struct StepJob {
    /// Its number.
    pub number: JobNumber,
    /// Its id.
    pub id: JobId,
    /// What does its tasks.
    pub engine: Arc<dyn Engine>,
    /// What is stored of it.
    pub record: ClusterRecord,
    /// How its ideals are visited.
    pub method: Method,
}

impl Desk {
    /// A job as a step sees it, if it is still there.
    pub(super) fn work_on(&self, number: JobNumber) -> Option<StepJob> {
        let state = self.state();
        let job = state.jobs.get(&number)?;
        let over = matches!(job.record.standing, Standing::Cancelled | Standing::Failed | Standing::Finished);
        (!over).then(|| StepJob {
            number,
            id: job.id.clone(),
            engine: job.engine.clone(),
            record: job.record.clone(),
            method: job.plan.method,
        })
    }

    /// Tells the course of a job something, or asks it, if it is still there.
    pub(super) fn with_course(&self, job: &StepJob, tell: impl FnOnce(&mut Course)) {
        if let Some(course) = self.state().jobs.get_mut(&job.number).and_then(|job| job.course.as_mut()) {
            tell(course);
        }
    }

    /// Merges the candidates of a layer, cuts it, and stores its bases.
    pub(super) fn merge(&self, job: &StepJob, layer: usize) -> Result<(), StepError> {
        let (shards, edges) = {
            let state = self.state();
            let course = state.jobs.get(&job.number).and_then(|job| job.course.as_ref());
            let Some(course) = course else { return Ok(()) };
            (course.cut(layer - 1).map_or(0, |cut| cut.shards.len()), course.edges(layer))
        };
        let keys: Vec<_> = (0..shards).map(|shard| candidates_key(&job.id, layer, shard)).collect();
        let candidates = keys.iter().map(|key| self.store.read_image(key)).collect::<Result<Vec<_>, _>>()?;
        let merged = job.engine.merge(&candidates, layer)?;
        let mut commit = Commit::new();
        let mut cut = Cut { shards: Vec::new(), edges };
        for (number, shard) in merged.shards.iter().enumerate() {
            let key = bases_key(job.engine.space(), layer, number);
            let written = self.store.write_image(&key, &shard.image)?;
            commit.put_shard(key, written.record());
            cut.shards.push(CutShard { bases: shard.bases, slots: shard.slots });
        }
        for (shard, key) in keys.into_iter().enumerate() {
            commit.remove_shard(key);
            commit.remove_document(&job.id.0, &task_document(Task { kind: TaskKind::Enumerate, layer, shard }));
        }
        commit.put_document(&job.id.0, &cut_document(layer), &cut)?;
        let storing = self.storing();
        if self.work_on(job.number).is_none() {
            return Ok(());
        }
        self.store.commit(commit)?;
        drop(storing);
        tracing::debug!(job = %job.id, layer, bases = cut.bases(), slots = cut.slots(), "found");
        self.with_course(job, |course| course.set_cut(layer, cut));
        Ok(())
    }

    /// Gives the values of all shards of a layer the width of the widest.
    pub(super) fn settle(&self, job: &StepJob, layer: usize) -> Result<(), StepError> {
        let (width, solved) = {
            let state = self.state();
            let course = state.jobs.get(&job.number).and_then(|job| job.course.as_ref());
            let Some(course) = course else { return Ok(()) };
            (course.width_of_solved(layer), course.solved(layer).cloned().collect::<Vec<_>>())
        };
        for (shard, solved) in solved.into_iter().enumerate() {
            let Some(mut values) = solved.values.clone().filter(|values| values.width < width) else { continue };
            let key = values_key(&job.id, layer, shard);
            let stored = self.store.read_values(&key)?;
            let written = self.store.write_values(&key, width, &widened(&stored.limbs, stored.width, width))?;
            values.width = width;
            values.digest = blake3::Hash::from_bytes(written.payload_digest).to_string();
            let task = Task { kind: TaskKind::Solve, layer, shard };
            let document = task_document(task);
            let before: Option<StoredFindings> = self.store.document(&job.id.0, &document)?;
            let findings = Findings::Solved(Solved { values: Some(values), ..solved });
            let mut commit = Commit::new();
            commit.put_shard(key, written.record());
            if let Some(before) = before {
                commit.put_document(&job.id.0, &document, &StoredFindings { findings: findings.clone(), ..before })?;
            }
            let storing = self.storing();
            if self.work_on(job.number).is_none() {
                return Ok(());
            }
            self.store.commit(commit)?;
            drop(storing);
            self.with_course(job, |course| course.add(task, findings));
        }
        self.with_course(job, |course| course.settle(layer, width));
        Ok(())
    }

    /// Stores the records and samples of a layer, and takes away what is not needed any more.
    pub(super) fn complete(&self, job: &StepJob, layer: usize) -> Result<(), StepError> {
        let (cut, solved, joined, width) = {
            let state = self.state();
            let course = state.jobs.get(&job.number).and_then(|job| job.course.as_ref());
            let Some((course, cut)) = course.and_then(|course| Some((course, course.cut(layer)?.clone()))) else {
                return Ok(());
            };
            let solved = course.solved(layer).cloned().collect::<Vec<_>>();
            (cut, solved, course.joined(layer), course.width(layer).unwrap_or(1))
        };
        let mut space = SpaceLayer {
            size: layer,
            shards: cut.shards.iter().map(|shard| shard.bases).collect(),
            edges: cut.edges,
            top: job.method.top(),
            slots: cut.slots(),
            counts: Vec::new(),
        };
        solved.iter().for_each(|solved| add_counts(&mut space.counts, &solved.counts));
        let mut commit = Commit::new();
        commit.put_document(job.engine.space(), &layer_document(layer), &space)?;
        let question = job.engine.spec().question;
        if question == Question::Extensions {
            let mut record = ValueLayer::empty(layer, &space, width);
            record.joined = joined;
            for solved in &solved {
                let Some(values) = &solved.values else { continue };
                record.add_sums(&values.sums);
                record.shards.push(ValueShard { slots: solved.slots, digest: values.digest.clone() });
            }
            commit.put_document(&job.id.0, &layer_document(layer), &record)?;
            self.put_samples(job, layer, &mut commit)?;
            if let Some(below) = layer.checked_sub(1).filter(|_| !job.record.keep_values) {
                for (key, _) in self.store.shards_in_layer(&job.id.0, ShardKind::Values, below as u16)? {
                    commit.remove_shard(key);
                }
            }
        }
        if question.is_game() {
            // Findings stay: should a file be damaged, they say what need not be valued again.
            commit.put_document(&job.id.0, POSITIONS, &self.positions_with(job, layer, &solved)?)?;
        } else {
            remove_findings(&self.store, &job.id, layer, &mut commit)?;
        }
        let storing = self.storing();
        let record = {
            let state = self.state();
            let Some(job) = state.jobs.get(&job.number) else { return Ok(()) };
            ClusterRecord { seconds: job.seconds(), ..job.record.clone() }
        };
        commit.put_document(&job.id.0, CLUSTER, &record)?;
        self.store.commit(commit)?;
        drop(storing);
        let mut state = self.state();
        if let Some(job) = state.jobs.get_mut(&job.number) {
            // Nobody reads the layers below any more, but for those of a game.
            job.makers.retain(|&(_, made, _), _| made >= layer || question.is_game());
            if let Some(course) = &mut job.course {
                course.complete(layer, width);
            }
        }
        drop(state);
        self.log_progress(job.number, Side::Lower, layer);
        Ok(())
    }

    fn put_samples(&self, job: &StepJob, layer: usize, commit: &mut Commit) -> Result<(), StepError> {
        let samples = job.engine.samples(&self.store, layer)?;
        let key = sample_key(&job.id, layer);
        let written = write_samples(&self.store, &key, &samples)?;
        commit.put_shard(key, written.record());
        Ok(())
    }

    /// Checks what was found, and stores the certificate.
    pub(super) fn conclude(&self, job: &StepJob) -> Result<(), StepError> {
        let StepJob { id, engine, method, .. } = job;
        let poset: Poset = engine.spec().poset.parse()?;
        let missing = |layer: usize| JobError::SelfCheck(format!("the record of layer {layer} of {id} is not stored"));
        let layers = 0..=engine.last_layer();
        let spaces = layers.clone().map(|layer| {
            let record = SpaceLayer::load(&self.store, engine.space(), layer)?;
            Ok(record.ok_or_else(|| missing(layer))?)
        });
        let spaces = spaces.collect::<Result<Vec<_>, StepError>>()?;
        let mut values = None;
        let mut positions = None;
        if engine.spec().question.is_game() {
            positions = self.positions(job, poset.len())?;
            if positions.is_none() {
                return Ok(());
            }
        } else if engine.has_values() {
            let records = layers.map(|layer| {
                let record = ValueLayer::load(&self.store, id, layer)?;
                Ok(record.ok_or_else(|| missing(layer))?)
            });
            let records = records.collect::<Result<Vec<ValueLayer>, StepError>>()?;
            let number = if engine.layer_of_duals(engine.last_layer()).is_some() {
                records.iter().map(|record| &record.joined).sum::<BigUint>()
            } else {
                let last = self.store.read_value_range(&values_key(id, engine.last_layer(), 0), 0, 1)?;
                value(&last.limbs)
            };
            values = Some((number, records));
        }
        let layers = spaces.iter().collect();
        let found = Found {
            poset: &poset,
            spec: engine.spec(),
            method: *method,
            space: engine.space(),
            layers,
            values,
            positions,
        };
        self.store_certificate(job.number, &found.certificate()?)
    }

    /// Ends a job.
    pub(super) fn store_certificate(&self, number: JobNumber, certificate: &Certificate) -> Result<(), StepError> {
        let storing = self.storing();
        let record = {
            let state = self.state();
            let Some(job) = state.jobs.get(&number) else { return Ok(()) };
            ClusterRecord { standing: Standing::Finished, seconds: job.seconds(), ..job.record.clone() }
        };
        let owner = &certificate.job.0;
        let mut commit = Commit::new();
        for document in self.store.documents(owner)? {
            let of_course = [super::documents::CUT_PREFIX, super::documents::TASK_PREFIX];
            if of_course.iter().any(|prefix| document.name.starts_with(prefix)) || document.name == PLIES {
                commit.remove_document(owner, &document.name);
            }
        }
        commit_certificate(&self.store, certificate, record.keep_values, &mut commit)?;
        commit.put_document(owner, CLUSTER, &record)?;
        self.store.commit(commit)?;
        tracing::info!(job = %certificate.job, digest = certificate.digest, "finished");
        let mut state = self.state();
        state.take_back(number);
        state.jobs.remove(&number);
        drop(state);
        drop(storing);
        self.news.notify_waiters();
        Ok(())
    }

    /// A file that a job rests on cannot be read: the job stops, and `resume` goes on from what is whole.
    pub fn stop_if_damaged(&self, id: &JobId, error: &StoreError) {
        if error.damaged_file().is_none() {
            return;
        }
        let number = self.state().job(id).filter(|job| job.is_running()).map(super::job::Job::number);
        if let Some(number) = number {
            let reason = format!("{error}; `antichain resume {id}` goes on from what is whole");
            self.fail(number, &StepError::Alarm(reason));
        }
    }

    /// If a job of one task is done, ends it.
    pub(super) fn finish_whole(&self, number: JobNumber) {
        let is_whole = |job: &&super::job::Job| job.course.is_none() && job.plies.is_none();
        let whole = self.state().jobs.get(&number).filter(is_whole).map(|job| job.id.clone());
        let Some(id) = whole else { return };
        let task = Task { kind: TaskKind::Whole, layer: 0, shard: 0 };
        let stored = match self.store.document::<StoredFindings>(&id.0, &task_document(task)) {
            Ok(Some(StoredFindings { findings: Findings::Whole(certificate), .. })) => {
                self.store_certificate(number, &certificate)
            }
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = stored {
            self.fail(number, &error);
        }
    }

    /// Two workers found different things: one of them is wrong, and nobody knows which.
    pub(super) fn alarm(
        &self,
        task: crate::ledger::TaskId,
        one: crate::ledger::WorkerId,
        other: crate::ledger::WorkerId,
    ) {
        let (number, reason) = {
            let state = self.state();
            let Some((job, of)) = state.job_of(task) else { return };
            let (one, other) = (state.name_of(one), state.name_of(other));
            (
                job.number(),
                format!("{one} and {other} found different things for the same task, {of}: one of them is wrong"),
            )
        };
        self.fail(number, &StepError::Alarm(reason));
    }

    /// Progress by layer: the sums of a group of findings, told once.
    pub(super) fn log_progress(&self, number: JobNumber, side: Side, layer: usize) {
        let now = self.now();
        let mut state = self.state();
        let Some(job) = state.jobs.get_mut(&number) else { return };
        let (done, total) = (job.work_done, job.work_total());
        let left = job.pace.seconds_left(now, total);
        let percent = (100.0 * done as f64 / total.max(1) as f64) as u64;
        let rate = job.pace.states_per_second() as u64;
        let last = job.course.as_ref().map_or(0, |course| course.last_turn());
        let layer = side.turn(layer, job.engine.last_layer());
        match left {
            Some(left) => tracing::info!(
                job = %job.id, tasks = job.done, percent, states = job.states, states_per_second = rate, seconds_left = left as u64,
                "layer {layer} of {last} is complete"
            ),
            None => tracing::info!(
                job = %job.id, tasks = job.done, percent, states = job.states, states_per_second = rate,
                "layer {layer} of {last} is complete"
            ),
        }
    }
}
