//! Taking up what is stored of a job: at the start of a coordinator, and when a job is submitted or goes on.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use antichain_common::estimate::BATCH;
use antichain_common::game::set_partitions::heights;
use antichain_common::job::estimation::groups;
use antichain_common::job::records::{JobRecord, LAYER_PREFIX, SpaceLayer, ValueLayer, bases_key};
use antichain_common::job::ruler::{AT_ONCE, cut, values_at_hand};
use antichain_common::job::task::{Engine, Findings, Task, TaskKind};
use antichain_common::job::{JobId, POSITIONS, Plan, Positions, Question};
use antichain_common::store::{Commit, ShardKind, Store, StoreError};

use super::Desk;
use super::clerk::has_file;
use super::documents::{CLUSTER, ClusterRecord, Standing, StoredFindings, TASK_PREFIX, load_cut};
use super::job::{Job, Proving};
use super::pace::Pace;
use super::search::known_plies;
use super::steps::StepError;
use crate::course::{Course, Cut, CutShard, Shape};
use crate::task_id::{JobNumber, task_id};

impl Desk {
    /// Takes up all jobs that are not over.
    ///
    /// # Errors
    /// Errors of reading the catalogue. A job that cannot be taken up has failed.
    pub(super) fn restore_all(&self) -> Result<(), StoreError> {
        for name in self.store.documents_of_owners("")?.into_iter().filter(|document| document.name == CLUSTER) {
            let job = JobId(name.owner);
            let Some(mut record) = ClusterRecord::load(&self.store, &job)? else { continue };
            if !matches!(record.standing, Standing::Running | Standing::Paused) {
                continue;
            }
            record.resumed = true;
            let number = JobNumber(record.number);
            match self.take_up(record.clone()) {
                Ok(()) => tracing::info!(%job, "taken up"),
                Err(error) => {
                    tracing::error!(%job, "cannot be taken up: {error}");
                    record.standing = Standing::Failed;
                    record.reason = error.to_string();
                    let mut commit = Commit::new();
                    commit.put_document(&job.0, CLUSTER, &record)?;
                    self.store.commit(commit)?;
                    self.state().jobs.remove(&number);
                }
            }
        }
        Ok(())
    }

    /// Takes up a job, with everything that is stored of it and whole.
    ///
    /// # Errors
    /// Errors of the store; the poset's, if it is none.
    pub(super) fn take_up(&self, record: ClusterRecord) -> Result<(), StepError> {
        let plan = record.spec.plan()?;
        let engine = (self.engines)(&record.spec)?;
        let id = record.spec.id();
        let number = JobNumber(record.number);
        let mut course = None;
        let mut known = Known::default();
        let mut heights = Vec::new();
        let mut plies = None;
        if record.spec.position.is_some() {
            let (upper, findings) = known_plies(&self.store, (&id, &record.spec), &*engine, &plan)?;
            plies = Some(upper);
            for found in findings {
                if has_file(&self.store, &id, &found)? {
                    known.findings.push(found);
                }
            }
        } else if !record.whole {
            if let Some(n) = record.spec.ruler_n()? {
                heights = first_heights(&self.store, n)?;
            }
            known = Restoring {
                store: &self.store,
                id: &id,
                engine: &*engine,
                plan: &plan,
                record: &record,
                heights: &heights,
            }
            .known()?;
            course = Some(known.course(&*engine));
        }
        let pace = Pace::default();
        let (done, work_done, states, since) = (0, 0, 0, Instant::now());
        let (makers, proving) = (BTreeMap::new(), Proving::default());
        let mut job = Job {
            id,
            record,
            engine,
            course,
            plan,
            heights,
            plies,
            proving,
            makers,
            done,
            work_done,
            states,
            pace,
            since,
        };
        let (now, is_whole) = (self.now(), job.record.whole);
        job.states = known.complete_states();
        for task in known.tasks_over(&*job.engine) {
            job.done += 1;
            job.work_done += job.need(task).work;
        }
        let mut state = self.state();
        for StoredFindings { task, findings, digest, worker } in known.findings {
            let need = job.need(task);
            let worker = state.former_worker(worker);
            if let Ok(digest) = blake3::Hash::from_hex(&digest) {
                state.ledger.add_done(task_id(number, task), need, *digest.as_bytes(), worker);
            }
            job.add(task, findings, now);
        }
        // What comes before this process says nothing of how fast it goes.
        job.pace.restart();
        state.jobs.insert(number, job);
        if is_whole {
            state.hand_out(number);
        }
        drop(state);
        self.tasks.notify_waiters();
        self.advance(number);
        self.finish_whole(number);
        Ok(())
    }
}

/// What is stored of a job and whole.
#[derive(Default)]
struct Known {
    /// How the layers are cut, from the empty base on.
    cuts: Vec<Cut>,
    /// Widths of the complete layers, from the empty base on.
    complete: Vec<usize>,
    /// Findings about the others.
    findings: Vec<StoredFindings>,
}

impl Known {
    fn course(&self, engine: &dyn Engine) -> Course {
        let last_layer = engine.last_layer();
        let duals = (0..=last_layer).map(|layer| engine.layer_of_duals(layer)).collect();
        let (has_values, has_duals) = (engine.has_values(), engine.has_duals());
        let shape = Shape { last_layer, has_values, has_duals, duals };
        let mut course = Course::new(shape, self.cuts.first().cloned().unwrap_or_default());
        self.cuts.iter().enumerate().for_each(|(layer, cut)| course.set_cut(layer, cut.clone()));
        self.complete.iter().enumerate().for_each(|(layer, &width)| course.complete(layer, width));
        course
    }

    /// The tasks that led to what is stored and have no findings any more, whoever did them.
    fn tasks_over(&self, engine: &dyn Engine) -> Vec<Task> {
        let mut over = Vec::new();
        let mut add = |kind, layer, cut: &Cut| {
            over.extend((0..cut.shards.len()).map(|shard| Task { kind, layer, shard }));
        };
        // The types of set partitions are not found by tasks.
        if engine.spec().question != Question::Ruler {
            let below = self.cuts.iter().take(self.cuts.len().saturating_sub(1)).enumerate();
            below.for_each(|(below, cut)| add(TaskKind::Enumerate, below + 1, cut));
        }
        for (layer, cut) in self.cuts.iter().take(self.complete.len()).enumerate() {
            add(TaskKind::Solve, layer, cut);
            if engine.layer_of_duals(layer).is_some() {
                add(TaskKind::Join, layer, cut);
            }
        }
        over
    }

    /// States of the complete layers.
    fn complete_states(&self) -> u64 {
        self.cuts.iter().take(self.complete.len()).map(Cut::slots).sum()
    }
}

struct Restoring<'a> {
    store: &'a Store,
    id: &'a JobId,
    engine: &'a dyn Engine,
    plan: &'a Plan,
    record: &'a ClusterRecord,
    /// Of the ruler on set partitions.
    heights: &'a [u32],
}

/// Of the ruler on set partitions of n elements: the first values, found here, and those stored that go on from them.
fn first_heights(store: &Store, n: usize) -> Result<Vec<u32>, StepError> {
    let first = heights(n.min(AT_ONCE));
    let stored = values_at_hand(store, n)?;
    Ok(if stored.starts_with(&first) { stored } else { first })
}

impl Restoring<'_> {
    fn known(&self) -> Result<Known, StepError> {
        let mut known = Known { cuts: self.cuts()?, ..Known::default() };
        let question = self.engine.spec().question;
        if question == Question::Ruler {
            // The types of 0 elements lead to nothing.
            known.complete = vec![1; self.heights.len() + 1];
        } else if question == Question::Estimate {
            // Batches have no record but their findings.
            known.complete = Vec::new();
        } else if question.is_game() {
            known.complete = vec![1; self.valued(known.cuts.len())?];
        } else {
            known.complete = self.complete(known.cuts.len())?;
        }
        for document in self.store.documents(&self.id.0)? {
            if !document.name.starts_with(TASK_PREFIX) {
                continue;
            }
            let Some(found) = self.store.document::<StoredFindings>(&self.id.0, &document.name)? else { continue };
            let task = found.task;
            let of_use = match task.kind {
                TaskKind::Enumerate => task.layer >= known.cuts.len(),
                TaskKind::Solve | TaskKind::Join => task.layer >= known.complete.len() && task.layer < known.cuts.len(),
                TaskKind::Duals => task.layer < known.cuts.len(),
                TaskKind::Whole | TaskKind::Search | TaskKind::Prove => false,
            };
            if of_use && has_file(self.store, self.id, &found)? {
                known.findings.push(found);
            }
        }
        Ok(known)
    }

    /// How the layers are cut, as far as their bases are all there, those that other jobs have found included.
    fn cuts(&self) -> Result<Vec<Cut>, StepError> {
        if self.engine.spec().question == Question::Ruler {
            let shards = |n| cut(n).into_iter().map(|slots| CutShard { bases: 0, slots }).collect();
            let types = (1..=self.engine.last_layer()).map(|n| Cut { shards: shards(n), edges: 0 });
            return Ok(std::iter::once(Cut::default()).chain(types).collect());
        }
        if let Some((poset, sampling)) = self.engine.spec().estimated()? {
            let shard = |group: Range<u64>| CutShard { bases: 0, slots: (group.end - group.start) * BATCH };
            let shards = groups(sampling, poset.len()).into_iter().map(shard).collect();
            return Ok(vec![Cut { shards, edges: 0 }]);
        }
        let mut cuts = vec![self.first_cut()?];
        for layer in 1..=self.engine.last_layer() {
            let stored = self.store.shards_in_layer(self.engine.space(), ShardKind::Bases, layer as u16)?;
            let cut = match load_cut(self.store, self.id, layer)? {
                Some(cut) => Some(cut),
                None => self.cut_of_space(layer)?,
            };
            let whole = |cut: &Cut| {
                let counts = stored.iter().map(|(_, record)| record.count);
                counts.eq(cut.shards.iter().map(|shard| shard.bases))
            };
            let Some(cut) = cut.filter(whole) else { break };
            cuts.push(cut);
        }
        Ok(cuts)
    }

    fn first_cut(&self) -> Result<Cut, StepError> {
        let merged = self.engine.first_layer()?;
        let key = bases_key(self.engine.space(), 0, 0);
        let mut cut = Cut::default();
        for shard in merged.shards {
            cut.shards.push(CutShard { bases: shard.bases, slots: shard.slots });
            if self.store.shard(&key)?.is_none() {
                let written = self.store.write_image(&key, &shard.image)?;
                let mut commit = Commit::new();
                commit.put_shard(key.clone(), written.record());
                self.store.commit(commit)?;
            }
        }
        Ok(cut)
    }

    /// How a layer of which other jobs have stored the bases is cut.
    fn cut_of_space(&self, layer: usize) -> Result<Option<Cut>, StepError> {
        let Some(space) = self.space_layer(layer)? else { return Ok(None) };
        let mut images = Vec::new();
        for (key, _) in self.store.shards_in_layer(self.engine.space(), ShardKind::Bases, layer as u16)? {
            match self.store.read_image(&key) {
                Ok(image) => images.push(image),
                Err(error) if error.damaged_file().is_some() => {
                    tracing::warn!("{error}; it is set aside and its bases are found again");
                    self.store.set_aside(&key)?;
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let shards = self.engine.measure(&images, layer)?;
        // What was set aside or lost has no record any more.
        if !shards.iter().map(|&(bases, _)| bases).eq(space.shards.iter().copied()) {
            return Ok(None);
        }
        let shards = shards.into_iter().map(|(bases, slots)| CutShard { bases, slots }).collect();
        Ok(Some(Cut { shards, edges: space.edges }))
    }

    /// The record of a layer of the space, if it is about ideals of the same sizes.
    fn space_layer(&self, layer: usize) -> Result<Option<SpaceLayer>, StoreError> {
        let space = SpaceLayer::load(self.store, self.engine.space(), layer)?;
        Ok(space.filter(|space| !self.engine.has_fibres() || space.top == self.plan.method.top()))
    }

    /// Number of layers of a game that are complete, of those that are cut: valued by this job, or taken over. If files are
    /// gone, the document that says so is made to agree with what is there.
    fn valued(&self, cut: usize) -> Result<usize, StepError> {
        let Some(mut positions) = self.store.document::<Positions>(&self.id.0, POSITIONS)? else { return Ok(0) };
        let recorded = positions.layers.len();
        let job = JobRecord::load(self.store, self.id)?;
        if let Some(job) = job {
            positions.truncate_to_stored(self.store, &job)?;
        }
        let mut counted = 0;
        while counted < positions.layers.len().min(cut) && self.space_layer(counted)?.is_some() {
            counted += 1;
        }
        if counted < positions.layers.len() {
            // Counts of whole ideals can be told apart by layer, others cannot.
            counted = if self.engine.has_fibres() { 0 } else { counted };
            positions.truncate(counted);
        }
        if counted < recorded {
            let mut commit = Commit::new();
            commit.put_document(&self.id.0, POSITIONS, &positions)?;
            self.store.commit(commit)?;
        }
        Ok(counted)
    }

    /// The widths of the layers that are complete, of those that are cut. If the values that the next one needs are not
    /// there, none is, and what is left of them is removed.
    fn complete(&self, cut: usize) -> Result<Vec<usize>, StepError> {
        let mut complete: Vec<ValueLayer> = Vec::new();
        let mut widths = Vec::new();
        for layer in 0..cut {
            if self.space_layer(layer)?.is_none() {
                break;
            }
            if self.engine.has_values() {
                let Some(record) = ValueLayer::load(self.store, self.id, layer)? else { break };
                widths.push(record.width);
                complete.push(record);
            } else {
                widths.push(1);
            }
        }
        let needed = if self.record.keep_values { 0 } else { complete.len().saturating_sub(1) };
        for record in complete.iter().skip(needed) {
            if !record.is_kept(self.store, self.id)? {
                tracing::warn!(job = %self.id, "values of layer {} are gone; all are computed again", record.layer);
                self.forget_values()?;
                return Ok(Vec::new());
            }
        }
        Ok(widths)
    }

    /// Removes everything that was computed after the bases.
    fn forget_values(&self) -> Result<(), StoreError> {
        let owner = &self.id.0;
        let mut commit = Commit::new();
        for kind in [ShardKind::Values, ShardKind::Duals, ShardKind::Sample] {
            for (key, _) in self.store.shards_of(owner, kind)? {
                commit.remove_shard(key);
            }
        }
        for document in self.store.documents(owner)? {
            let name = &document.name;
            let is_findings = || {
                let found = self.store.document::<StoredFindings>(owner, name)?;
                Ok::<_, StoreError>(found.is_some_and(|found| !matches!(found.findings, Findings::Enumerated { .. })))
            };
            if name.starts_with(LAYER_PREFIX) || name.starts_with(TASK_PREFIX) && is_findings()? {
                commit.remove_document(owner, name);
            }
        }
        self.store.commit(commit)
    }
}
