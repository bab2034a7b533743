//! The base layers of a job: read where they are stored, found where they are not.
//!
//! [`Space::enumerate`] finds all layers at once; [`Space::discover`] finds one at a time, while those below are evaluated.
//! The bases stay in memory as long as they are few, and come back from the store, or from the layer below, when they are
//! asked for.

mod files;

use std::sync::Arc;
use std::time::Instant;

use num_bigint::BigUint;

use super::checkpoint::{Checkpoints, GROWTH};
use super::progress::Meter;
use super::records::{SpaceLayer, space_owner};
use super::repair::set_aside_damaged;
use super::{JobError, Phase, Progress, SizeCount};
use crate::ideal::Labelled;
use crate::poset::Poset;
use crate::space::code::Ranks;
use crate::space::discover::Discovery;
use crate::space::enumerate::next_layer;
use crate::space::layer::BaseLayer;
use crate::space::split::Split;
use crate::space::survey::{Count, Survey, survey};
use crate::store::{ShardKind, Store};
use files::{Unsaved, read_bases, starts, write_layers};

/// Spaces of which fewer states are expected are found again in no time and leave no files.
pub(super) const WORTH_FILES: u64 = 50_000;
/// Bytes of bases that wait for no checkpoint.
const MOST_UNSAVED: u64 = 256 << 20;
/// Bytes of bases, and of what is known of them, from which on those that are stored leave the memory.
pub(super) const MOST_RESIDENT: u64 = 768 << 20;
/// Bytes that a survey keeps for each base.
const SURVEY_BYTES: u64 = 18;

/// The base layers of a split for ideals of bounded size.
pub(super) struct Space<'a, const W: usize> {
    store: &'a Store,
    owner: String,
    split: &'a Split<W>,
    ranks: &'a Ranks,
    top: usize,
    threads: usize,
    meter: &'a Meter<'a>,
    layers: Vec<Layer<W>>,
    /// Edges of all layers, where they are published.
    published_edges: Option<u64>,
    /// Whether it is worth files.
    has_files: bool,
    resumed: bool,
}

struct Layer<const W: usize> {
    record: SpaceLayer,
    bases: Option<Arc<BaseLayer<W>>>,
    survey: Option<Survey>,
    saved: bool,
    /// As long as it is not saved: for each shard the number of its states before each block of bases.
    starts: Vec<Vec<u64>>,
}

/// How a space is to be made.
pub(super) struct Wishes {
    /// Edges of all layers, where they are published.
    pub published_edges: Option<u64>,
    /// Whether the space is worth files.
    pub has_files: bool,
}

impl<'a, const W: usize> Space<'a, W> {
    /// No layer yet.
    #[allow(clippy::too_many_arguments, reason = "what the engine, the store and the user each contribute")]
    pub fn new(
        store: &'a Store,
        poset: &Poset,
        (split, ranks): (&'a Split<W>, &'a Ranks),
        top: usize,
        threads: usize,
        meter: &'a Meter<'a>,
        wishes: Wishes,
    ) -> Self {
        let Wishes { published_edges, has_files } = wishes;
        let owner = space_owner(&poset.name(), split.base);
        let layers = Vec::new();
        let resumed = false;
        Self { store, owner, split, ranks, top, threads, meter, layers, published_edges, has_files, resumed }
    }

    /// Number of the last base layer.
    pub fn last_layer(&self) -> usize {
        self.split.base.min(self.top)
    }

    /// Who owns its files.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// What is known of a layer.
    pub fn record(&self, layer: usize) -> &SpaceLayer {
        &self.layers[layer].record
    }

    /// Number of layers found so far.
    pub fn found(&self) -> usize {
        self.layers.len()
    }

    /// What is known of all layers found so far.
    pub fn records(&self) -> impl Iterator<Item = &SpaceLayer> {
        self.layers.iter().map(|layer| &layer.record)
    }

    /// Whether anything came from the store.
    pub fn is_resumed(&self) -> bool {
        self.resumed
    }

    /// Whether it is worth files.
    pub fn has_files(&self) -> bool {
        self.has_files
    }

    /// Finds out about every layer, and makes checkpoints when they are due.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], after what is complete was stored; errors of the store.
    pub fn enumerate(&mut self, checkpoints: &mut Checkpoints<'_, 'a>) -> Result<(), JobError> {
        self.read_records()?;
        while self.layers.len() <= self.last_layer() {
            let start = Instant::now();
            match self.find_next() {
                Err(JobError::Interrupted) => {
                    checkpoints.wait()?;
                    self.save_now()?;
                    return Err(JobError::Interrupted);
                }
                other => other?,
            }
            if self.has_files
                && (checkpoints.is_due(start.elapsed().mul_f64(GROWTH)) || self.unsaved_bytes() > MOST_UNSAVED)
            {
                self.save(checkpoints)?;
            }
            self.spare_memory(checkpoints)?;
        }
        // Everything is found: the rest is written while the evaluation begins.
        if self.has_files { self.save(checkpoints) } else { Ok(()) }
    }

    /// Takes over what is stored, from the empty base on.
    fn read_records(&mut self) -> Result<(), JobError> {
        set_aside_damaged(self.store, &self.owner, ShardKind::Bases, self.threads)?;
        for size in 0..=self.last_layer() {
            let Some(record) = SpaceLayer::load(self.store, &self.owner, size)? else { break };
            if self.split.uppers.is_some() && record.top != self.top {
                break;
            }
            self.layers.push(Layer { record, bases: None, survey: None, saved: true, starts: Vec::new() });
            self.resumed = true;
        }
        Ok(())
    }

    fn find_next(&mut self) -> Result<(), JobError> {
        let size = self.layers.len();
        let (bases, edges) = match size.checked_sub(1) {
            None => (BaseLayer::empty_base(), 0),
            Some(below) => {
                let bases = self.bases(below)?;
                self.meter.begin_layer(self.enumeration_progress(size), None);
                let watch = self.meter.watch();
                let found = next_layer(self.split, &bases, self.threads, watch).map_err(|_| JobError::Interrupted)?;
                if self.resident_bytes() > MOST_RESIDENT {
                    // Before the new layer is surveyed and cut, which takes more memory still.
                    self.let_go(below);
                }
                found
            }
        };
        self.add_layer(bases, edges);
        Ok(())
    }

    /// Takes over the stored layers, and the empty base if there are none.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn begin(&mut self) -> Result<(), JobError> {
        self.read_records()?;
        if self.layers.is_empty() {
            self.add_layer(BaseLayer::empty_base(), 0);
        }
        Ok(())
    }

    /// Finds the layer above the newest one, given with the places of its blocks, and the edges that lead into it.
    ///
    /// # Errors
    /// [`JobError::Interrupted`].
    pub fn discover(
        &mut self,
        discovery: &mut Discovery<W>,
        newest: &BaseLayer<W>,
        places: &[u64],
    ) -> Result<(), JobError> {
        debug_assert_eq!(newest.size + 1, self.layers.len());
        let (bases, edges) = discovery
            .next_layer(self.split, newest, places, self.threads, self.meter.watch())
            .map_err(|_| JobError::Interrupted)?;
        self.add_layer(bases, edges);
        Ok(())
    }

    fn add_layer(&mut self, bases: BaseLayer<W>, edges: u64) {
        let size = bases.size;
        let survey = survey(self.split, self.ranks, &bases, self.top, self.threads);
        let bases = bases.cut(&survey.places, survey.slots);
        let record = SpaceLayer {
            size,
            shards: bases.shards.iter().map(|shard| shard.len() as u64).collect(),
            edges,
            top: self.top,
            slots: survey.slots,
            counts: counts_of(&survey, size),
        };
        tracing::debug!(layer = size, bases = bases.len(), slots = survey.slots, "enumerated");
        let starts = starts(&bases, &survey.places);
        let (bases, survey) = (Some(Arc::new(bases)), Some(survey));
        self.layers.push(Layer { record, bases, survey, saved: false, starts });
    }

    fn enumeration_progress(&self, layer: usize) -> Progress {
        Progress {
            phase: Phase::Enumerate,
            layer,
            last_layer: self.last_layer(),
            done: self.records().map(|record| record.edges).sum(),
            total: self.published_edges,
            ideals: self.records().flat_map(|record| &record.counts).map(|count| to_u64(&count.orbits)).sum(),
        }
    }

    /// The bases of a layer found before.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], errors of the store.
    pub fn bases(&mut self, layer: usize) -> Result<Arc<BaseLayer<W>>, JobError> {
        if let Some(bases) = &self.layers[layer].bases {
            return Ok(bases.clone());
        }
        let bases = match read_bases(self.store, &self.owner, self.record(layer), self.threads)? {
            Some(bases) => bases,
            None => self.find_again(layer)?,
        };
        let bases = Arc::new(bases);
        self.layers[layer].bases = Some(bases.clone());
        Ok(bases)
    }

    /// The bases of a layer whose files are damaged or gone.
    fn find_again(&mut self, layer: usize) -> Result<BaseLayer<W>, JobError> {
        let bases = match layer.checked_sub(1) {
            None => BaseLayer::empty_base(),
            Some(below) => {
                let below = self.bases(below)?;
                let watch = self.meter.watch();
                next_layer(self.split, &below, self.threads, watch).map_err(|_| JobError::Interrupted)?.0
            }
        };
        let survey = survey(self.split, self.ranks, &bases, self.top, self.threads);
        let bases = bases.cut(&survey.places, survey.slots);
        let found = bases.shards.iter().map(|shard| shard.len() as u64);
        if !found.eq(self.record(layer).shards.iter().copied()) {
            return Err(JobError::SelfCheck(format!(
                "layer {layer} of {} has {} bases, {} were recorded",
                self.owner,
                bases.len(),
                self.record(layer).bases()
            )));
        }
        self.layers[layer].starts = starts(&bases, &survey.places);
        self.layers[layer].saved = false;
        Ok(bases)
    }

    /// The survey of a layer; it is given away.
    ///
    /// # Errors
    /// As [`bases`](Self::bases).
    pub fn take_survey(&mut self, layer: usize) -> Result<Survey, JobError> {
        match self.layers[layer].survey.take() {
            Some(survey) => Ok(survey),
            None => {
                let bases = self.bases(layer)?;
                Ok(survey(self.split, self.ranks, &bases, self.top, self.threads))
            }
        }
    }

    /// Lets the bases of a layer go: they will not be asked for again soon.
    pub fn let_go(&mut self, layer: usize) {
        if self.layers[layer].saved || !self.has_files {
            self.layers[layer].bases = None;
        }
    }

    /// Bytes of the bases and surveys in memory.
    pub fn resident_bytes(&self) -> u64 {
        let bytes = |layer: &Layer<W>| {
            let bases = layer.record.bases();
            let survey = if layer.survey.is_some() { SURVEY_BYTES * bases } else { 0 };
            survey + if layer.bases.is_some() { 8 * W as u64 * bases } else { 0 }
        };
        self.layers.iter().map(bytes).sum()
    }

    fn unsaved_bytes(&self) -> u64 {
        let unsaved = self.layers.iter().filter(|layer| !layer.saved);
        unsaved.map(|layer| 8 * W as u64 * layer.record.bases()).sum()
    }

    /// Drops what was stored, oldest first, but for the newest layer.
    fn spare_memory(&mut self, checkpoints: &mut Checkpoints<'_, 'a>) -> Result<(), JobError> {
        let newest = self.layers.len() - 1;
        // Only an evaluation, which goes layer by layer itself, has a use for it.
        self.layers[newest].survey = None;
        if self.resident_bytes() <= MOST_RESIDENT || !self.has_files {
            return Ok(());
        }
        // What is being written would not leave the memory.
        checkpoints.wait()?;
        for layer in 0..newest {
            if self.layers[layer].saved {
                self.layers[layer].bases = None;
            }
        }
        Ok(())
    }

    /// Takes the layers that are not stored; what is returned writes them.
    pub fn take_writer(&mut self) -> impl FnOnce() -> Result<(), JobError> + use<'a, W> {
        let mut unsaved = Vec::new();
        for layer in self.layers.iter_mut().filter(|layer| !layer.saved) {
            let Some(bases) = &layer.bases else { continue };
            let starts = std::mem::take(&mut layer.starts);
            layer.saved = true;
            unsaved.push(Unsaved { record: layer.record.clone(), bases: bases.clone(), starts });
        }
        let (store, owner) = (self.store, self.owner.clone());
        move || if unsaved.is_empty() { Ok(()) } else { write_layers(store, &owner, &unsaved) }
    }

    /// Finds again what is recorded as stored, but is not there any more.
    ///
    /// # Errors
    /// [`JobError::Interrupted`], errors of the store.
    pub fn repair(&mut self) -> Result<(), JobError> {
        for layer in 0..self.layers.len() {
            let stored = self.store.shards_in_layer(&self.owner, ShardKind::Bases, layer as u16)?.len();
            if self.layers[layer].saved && stored != self.record(layer).shards.len() {
                self.layers[layer].bases = None;
                self.bases(layer)?;
            }
        }
        Ok(())
    }

    /// Begins to write what is not stored.
    fn save(&mut self, checkpoints: &mut Checkpoints<'_, 'a>) -> Result<(), JobError> {
        if self.layers.iter().all(|layer| layer.saved) {
            return Ok(());
        }
        checkpoints.begin(self.take_writer())
    }

    /// Writes what is not stored.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn save_now(&mut self) -> Result<(), JobError> {
        if self.has_files { self.take_writer()() } else { Ok(()) }
    }
}

/// The ideals over a layer of that size, by number of elements, as the documents have them.
pub(super) fn counts_of(survey: &Survey, size: usize) -> Vec<SizeCount> {
    let count = |(count, size): (&Count, usize)| SizeCount {
        size,
        orbits: count.orbits.into(),
        labelled: number(count.labelled),
    };
    survey.counts.iter().zip(size..).map(count).collect()
}

/// The number as the documents have it.
pub(super) fn number(count: Labelled) -> BigUint {
    BigUint::from_bytes_le(count.as_le_slice())
}

/// For progress, where numbers beyond a word do not matter.
fn to_u64(count: &BigUint) -> u64 {
    count.try_into().unwrap_or(u64::MAX)
}
