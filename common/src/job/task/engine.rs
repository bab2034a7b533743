//! The tasks of a job for a poset whose ideals take `W` words.

use std::sync::{Arc, Mutex, PoisonError};

use super::layers::{Indexed, LayerIndex, Merged, bases_of};
use super::{Effort, Engine, Findings, Prepared, Replica, Task, TaskError, TaskKind, TaskSizes};
use crate::huge::Words;
use crate::job::estimation::EstimateEngine;
use crate::job::plan::UPPER_SLOTS;
use crate::job::records::space_owner;
use crate::job::ruler::RulerEngine;
use crate::job::sample::Sample;
use crate::job::search::search_engine;
use crate::job::{JobError, JobSpec, Method, Question, RunOptions, certificate, method, run};
use crate::poset::Poset;
use crate::recurrence::chomp::Board;
use crate::recurrence::extensions::layer_of_duals;
use crate::space::code::Ranks;
use crate::space::enumerate::next_layer;
use crate::space::layer::BaseLayer;
use crate::space::needed::places;
use crate::space::split::Split;
use crate::store::{BlockImage, ShardKind, Store, bases_image};
use crate::symmetry::Isa;
use crate::watch::Watch;

/// Bytes of an entry of an index besides the base, with the share of those that stay empty; and of a place.
const INDEXED_BYTES: u64 = 20;
/// Bytes of what is known of a base of a valued layer besides the base: places, stabiliser, entries of indices.
pub(super) const VALUED_BYTES: u64 = 70;
/// Bytes besides the base where bases are whole ideals: of the value of each, and of what is known of those of the layer that
/// is being added. That has less than half of all.
const WHOLE_BYTES: u64 = 20;
/// Bytes of the edges of a base, and of what a survey keeps of it.
const EDGES_BYTES: u64 = 16 * 8 + 18;
/// Words that memory for a shard's table has at least.
const LEAST_SPARE: usize = 1 << 16;
/// Bytes that every task takes.
const TASK_BYTES: u64 = 16 << 20;

/// What all tasks of a job share.
pub(super) struct Tasks<const W: usize> {
    pub spec: JobSpec,
    pub poset: Poset,
    pub method: Method,
    pub split: Split<W>,
    pub ranks: Ranks,
    /// Whether e(P) is joined from two halves.
    pub joined: bool,
    pub isa: Isa,
    /// Owner of the bases.
    pub space: String,
    /// Memory for the next table of a shard: the first touch of a page costs more than any later use of it.
    pub spare: Mutex<Vec<Words>>,
}

/// Does the tasks of a job.
///
/// # Errors
/// [`TaskError::Poset`]; [`TaskError::Job`] if nobody could do the job.
pub fn engine(spec: &JobSpec) -> Result<Arc<dyn Engine>, TaskError> {
    if let Some(n) = spec.ruler_n()? {
        return Ok(Arc::new(RulerEngine::new(n)));
    }
    if let Some((poset, sampling)) = spec.estimated()? {
        return Ok(Arc::new(EstimateEngine::new(poset, sampling)));
    }
    if let Some(engine) = search_engine(spec)? {
        return Ok(engine);
    }
    let poset: Poset = spec.poset.parse()?;
    let method = method(spec.question, &poset, spec.limits);
    let isa = Isa::detect();
    Ok(match (method, poset.words()) {
        (Method::Halves { .. }, _) => {
            let split = Split::halves(&poset, isa).expect("the method was chosen because there is such a split");
            Tasks::engine(spec, poset, method, split, isa)
        }
        (Method::Plain { .. }, 1) => {
            let split = Split::<1>::plain(&poset, isa);
            Tasks::engine(spec, poset, method, split, isa)
        }
        (Method::Plain { .. }, 2) => {
            let split = Split::<2>::plain(&poset, isa);
            Tasks::engine(spec, poset, method, split, isa)
        }
        (Method::Plain { .. }, _) => {
            let split = Split::<4>::plain(&poset, isa);
            Tasks::engine(spec, poset, method, split, isa)
        }
    })
}

impl<const W: usize> Tasks<W> {
    fn engine(spec: &JobSpec, poset: Poset, method: Method, split: Split<W>, isa: Isa) -> Arc<dyn Engine> {
        let spec = JobSpec::new(spec.question, &poset, spec.limits);
        let joined = spec.limits.max.is_none() && poset.duality().is_some();
        let space = space_owner(&spec.poset, split.base);
        let (ranks, spare) = (Ranks::new(), Mutex::default());
        Arc::new(Shared(Arc::new(Self { spec, poset, method, split, ranks, joined, isa, space, spare })))
    }

    pub(super) fn top(&self) -> usize {
        self.method.top()
    }

    /// The board of the game.
    pub(super) fn board(&self) -> Board<'_, W> {
        Board::new(&self.split, &self.ranks, self.top())
    }

    /// Memory for so many words, whatever is in it.
    pub(super) fn take_spare(&self, words: usize) -> Words {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        match spare.pop().filter(|spare| spare.len() >= words) {
            Some(spare) => spare,
            // Untouched memory costs nothing, and the next table may be larger.
            None => Words::zeroed(words.next_power_of_two().max(LEAST_SPARE)),
        }
    }

    /// Memory that is not needed now.
    pub(super) fn put_spare(&self, words: Words) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.is_empty() {
            spare.push(words);
        }
    }
}

/// Tasks that are prepared live on without the engine.
struct Shared<const W: usize>(Arc<Tasks<W>>);

impl<const W: usize> Shared<W> {
    fn is_game(&self) -> bool {
        self.0.spec.question.is_game()
    }
}

impl<const W: usize> Engine for Shared<W> {
    fn spec(&self) -> &JobSpec {
        &self.0.spec
    }

    fn last_layer(&self) -> usize {
        self.0.split.base.min(self.0.top())
    }

    fn space(&self) -> &str {
        &self.0.space
    }

    fn has_values(&self) -> bool {
        self.0.spec.question != Question::Ideals
    }

    fn has_duals(&self) -> bool {
        self.is_game() && matches!(self.0.method, Method::Halves { .. })
    }

    fn has_fibres(&self) -> bool {
        self.0.split.uppers.is_some()
    }

    fn layer_of_duals(&self, layer: usize) -> Option<usize> {
        let is_joined = self.0.joined && self.0.spec.question == Question::Extensions;
        if is_joined { layer_of_duals(&self.0.split, layer, self.0.top()) } else { None }
    }

    fn whole(&self, effort: &Effort<'_>) -> Result<Findings, TaskError> {
        let Tasks { spec, poset, .. } = &*self.0;
        let folder = effort.scratch.join(&spec.id().0);
        let store = Store::open(&folder)?;
        let options = RunOptions {
            threads: effort.threads,
            memory: effort.memory,
            checkpoint: std::time::Duration::MAX,
            keep_values: false,
            interrupt: effort.interrupt,
            progress: &|_| {},
        };
        let answer = run(&store, spec.question, poset, spec.limits, &options)?;
        let certificate = certificate::Certificate::load(&store, &answer.job)?;
        drop(store);
        // Nothing but disk is lost if it stays.
        let _ = std::fs::remove_dir_all(&folder);
        let missing = || TaskError::Job(JobError::Unfinished(answer.job));
        Ok(Findings::Whole(Box::new(certificate.ok_or_else(missing)?)))
    }

    fn first_layer(&self) -> Result<Merged, TaskError> {
        Merged::of(&self.0, BaseLayer::empty_base())
    }

    fn enumerate(
        &self,
        below: &BlockImage,
        layer: usize,
        effort: &Effort<'_>,
    ) -> Result<(Findings, BlockImage), TaskError> {
        let below = BaseLayer { size: layer - 1, shards: vec![bases_of::<W>(below)?] };
        let watch = Watch::new(effort.interrupt);
        let (found, edges) = next_layer(&self.0.split, &below, effort.threads, &watch)?;
        let image = bases_image(ShardKind::Candidates, &found.shards.concat(), |_| 0)?;
        Ok((Findings::Enumerated { edges }, image))
    }

    fn merge(&self, candidates: &[BlockImage], layer: usize) -> Result<Merged, TaskError> {
        let mut bases = Vec::new();
        for image in candidates {
            bases.extend(bases_of::<W>(image)?);
        }
        // A stable sort notices the sorted runs, and merges them.
        bases.sort();
        bases.dedup();
        Merged::of(&self.0, BaseLayer::of_sorted(layer, bases))
    }

    fn measure(&self, shards: &[BlockImage], layer: usize) -> Result<Vec<(u64, u64)>, TaskError> {
        let Tasks { split, ranks, .. } = &*self.0;
        let measure = |image| {
            let bases = bases_of::<W>(image)?;
            Ok((bases.len() as u64, places(split, ranks, &bases, layer, self.0.top()).1))
        };
        shards.iter().map(measure).collect()
    }

    fn index(&self, shards: &[BlockImage], layer: usize, threads: usize) -> Result<LayerIndex, TaskError> {
        let shards = shards.iter().map(bases_of::<W>).collect::<Result<Vec<_>, _>>()?;
        Ok(LayerIndex::of(Indexed::new(&self.0, BaseLayer { size: layer, shards }, threads)))
    }

    fn prepare_solve(
        &self,
        shard: &BlockImage,
        layer: usize,
        below: Option<&LayerIndex>,
        effort: &Effort<'_>,
    ) -> Result<Box<dyn Prepared>, TaskError> {
        let bases = BaseLayer { size: layer, shards: vec![bases_of::<W>(shard)?] };
        super::solve::prepare(&self.0, bases, below.map(LayerIndex::indexed::<W>), effort)
    }

    fn prepare_join(
        &self,
        shard: usize,
        own: &LayerIndex,
        duals: &LayerIndex,
        effort: &Effort<'_>,
    ) -> Result<Box<dyn Prepared>, TaskError> {
        super::join::prepare(&self.0, shard, own.indexed::<W>(), duals.indexed::<W>(), effort)
    }

    fn replica(&self) -> Option<Box<dyn Replica>> {
        super::replica::replica(&self.0)
    }

    fn samples(&self, store: &Store, layer: usize) -> Result<Vec<Sample>, TaskError> {
        super::samples::take(&self.0, store, layer)
    }

    fn memory_of(&self, task: Task, sizes: &TaskSizes) -> u64 {
        let base = 8 * W as u64;
        let value = 8 * sizes.width as u64;
        let indexed = sizes.bases_read * (3 * base + INDEXED_BYTES);
        TASK_BYTES
            + match task.kind {
                TaskKind::Whole | TaskKind::Search | TaskKind::Prove => 0,
                TaskKind::Enumerate => 3 * 16 * base * sizes.bases,
                TaskKind::Solve if !self.has_values() => sizes.bases * (base + EDGES_BYTES),
                TaskKind::Solve if self.is_game() && !self.has_fibres() => {
                    sizes.bases_read * (base + WHOLE_BYTES) + sizes.bases * (base + EDGES_BYTES)
                }
                TaskKind::Solve if self.is_game() => {
                    sizes.slots_read + sizes.bases_read * (base + VALUED_BYTES) + sizes.bases * (base + EDGES_BYTES)
                }
                TaskKind::Duals => {
                    let slots = (1.0 + UPPER_SLOTS) * sizes.slots_read as f64;
                    slots as u64 + sizes.bases_read * (2 * base + VALUED_BYTES) + sizes.bases * (base + EDGES_BYTES)
                }
                TaskKind::Solve => {
                    sizes.slots_read * value + indexed + sizes.bases * (base + EDGES_BYTES) + 2 * sizes.slots * value
                }
                TaskKind::Join => sizes.slots_read * value + indexed + sizes.bases * EDGES_BYTES + sizes.slots * 16,
            }
    }
}
