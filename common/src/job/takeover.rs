//! Layers that another job about the same question and poset has valued already, under other limits.
//!
//! Where bases are whole ideals, a layer of values is the same for every limit on sizes: larger limits only add layers. So a
//! job takes the layers of another one over, finished or not: their records, and their files under names of its own, which
//! take no more disk. Then it goes on as if it had valued them itself, and either job can be removed without harm to the
//! other. (Of ideals only the space is stored, which all questions share anyway.)

#[cfg(test)]
mod tests;

use super::catalogue::jobs_about;
use super::positions::records::{POSITIONS, Positions, Side};
use super::records::{JOB, JobRecord, ValueLayer, ValueShard, layer_document, values_key};
use super::run::finished;
use super::table::hex;
use super::{JobError, JobId, Method, Question};
use crate::poset::Poset;
use crate::store::{Commit, ShardKey, ShardKind, ShardRecord, Store, StoreError};

/// What a job can take over from another one.
#[derive(Debug)]
pub struct Takeover {
    from: JobId,
    layers: Valued,
    /// Shards of that job, as they are recorded.
    shards: Vec<(ShardKey, ShardRecord)>,
}

/// The valued layers of a job, from the empty base on.
#[derive(Debug)]
enum Valued {
    Numbers(Vec<ValueLayer>),
    Positions(Positions),
}

impl Takeover {
    /// What a job can take over, from whichever job has most, if that is more than it has itself.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn find(store: &Store, job: &JobRecord) -> Result<Option<Self>, JobError> {
        let Method::Plain { top } = job.method else { return Ok(None) };
        let question = job.spec.question;
        if !(question.is_game() || question == Question::Extensions) || is_joined(job) {
            return Ok(None);
        }
        let mut own = 0;
        let mut best: Option<(JobId, Valued)> = None;
        for other in jobs_about(store, question, &job.spec.poset)? {
            if !matches!(other.method, Method::Plain { .. }) || other.space != job.space {
                continue;
            }
            let mut valued = Valued::load(store, &other)?;
            valued.truncate(top + 1);
            if other.spec == job.spec {
                own = valued.len();
            } else if best.as_ref().is_none_or(|(_, best)| valued.len() > best.len()) {
                best = Some((other.spec.id(), valued));
            }
        }
        let Some((from, layers)) = best.filter(|(_, layers)| layers.len() > own) else { return Ok(None) };
        let mut shards = Vec::new();
        for kind in [ShardKind::Values, ShardKind::Sample] {
            shards.extend(store.shards_of(&from.0, kind)?.filter(|(key, _)| usize::from(key.layer) < layers.len()));
        }
        Ok(Some(Self { from, layers, shards }))
    }

    /// Bytes of the files that are taken over.
    pub fn bytes(&self) -> u64 {
        self.shards.iter().map(|(_, record)| record.bytes).sum()
    }

    /// Takes it over.
    ///
    /// # Errors
    /// Errors of writing; nothing has changed then.
    pub fn apply(self, store: &Store, job: &JobRecord) -> Result<(), StoreError> {
        let owner = job.spec.id().0;
        let mut commit = Commit::new();
        for (key, record) in &self.shards {
            let key = ShardKey { owner: owner.clone(), ..key.clone() };
            let record = store.share_file(record, &key)?;
            commit.put_shard(key, record);
        }
        store.sync_shared(&owner)?;
        commit.put_document(&owner, JOB, job)?;
        match &self.layers {
            Valued::Numbers(layers) => {
                for layer in layers {
                    commit.put_document(&owner, &layer_document(layer.layer), layer)?;
                }
            }
            Valued::Positions(positions) => {
                commit.put_document(&owner, POSITIONS, positions)?;
            }
        }
        store.commit(commit)?;
        tracing::info!("{owner} goes on from {}, which has {} layers", self.from, self.layers.len());
        Ok(())
    }
}

/// Whether e(P) is joined from two halves, so that layers hold more than their values.
fn is_joined(job: &JobRecord) -> bool {
    let is_self_dual = || job.spec.poset.parse::<Poset>().is_ok_and(|poset| poset.duality().is_some());
    job.spec.question == Question::Extensions && job.spec.limits.max.is_none() && is_self_dual()
}

impl Valued {
    /// The layers of a job, as far as all their files are there. (That says nothing about damage.)
    fn load(store: &Store, job: &JobRecord) -> Result<Self, JobError> {
        let id = job.spec.id();
        let certificate = finished(store, &job.spec)?;
        if job.spec.question.is_game() {
            let found = match certificate {
                Some(certificate) => certificate.positions,
                None => store.document(&id.0, POSITIONS)?,
            };
            let mut positions: Positions = found.unwrap_or_default();
            positions.truncate_to_stored(store, job)?;
            return Ok(Self::Positions(positions));
        }
        let mut layers = Vec::new();
        let of_certificate = certificate.map(|certificate| certificate.value_layers);
        while let Some(layer) = match &of_certificate {
            Some(layers_of) => layers_of.get(layers.len()).cloned(),
            None => ValueLayer::load(store, &id, layers.len())?,
        } {
            let is_joined = layer.joined != num_bigint::BigUint::ZERO;
            if is_joined || !are_stored(store, &layer.shards, |shard| values_key(&id, layer.layer, shard))? {
                break;
            }
            layers.push(layer);
        }
        Ok(Self::Numbers(layers))
    }

    fn len(&self) -> usize {
        match self {
            Self::Numbers(layers) => layers.len(),
            Self::Positions(positions) => positions.layers.len(),
        }
    }

    fn truncate(&mut self, layers: usize) {
        match self {
            Self::Numbers(numbers) => {
                numbers.truncate(layers);
                // Where larger ideals were to follow, their sums have a place, and are zero.
                numbers.iter_mut().for_each(|number| number.sums.retain(|sum| sum.size < layers));
            }
            Self::Positions(positions) => positions.truncate(layers),
        }
    }
}

impl Positions {
    /// Keeps the first layers of the lower side, as far as all their files are there, and what was counted in these. Where
    /// bases are no whole ideals, counts do not say what was counted in which layer: then it is all or nothing.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn truncate_to_stored(&mut self, store: &Store, job: &JobRecord) -> Result<(), StoreError> {
        let id = job.spec.id();
        let mut whole = 0;
        for layer in &self.layers {
            let key = |shard| layer.side.key(&id, layer.layer, shard);
            if layer.side != Side::Lower || layer.layer != whole || !are_stored(store, &layer.shards, key)? {
                break;
            }
            whole += 1;
        }
        if whole < self.layers.len() && matches!(job.method, Method::Halves { .. }) {
            whole = 0;
        }
        self.truncate(whole);
        Ok(())
    }

    /// Keeps the first layers, of whole ideals, and what was counted in these.
    pub fn truncate(&mut self, layers: usize) {
        if layers < self.layers.len() {
            self.layers.truncate(layers);
            self.counts.retain(|count| count.size < layers);
        }
    }
}

/// Whether the shards of a layer are recorded with the values that are known of them, and their files are there.
fn are_stored(store: &Store, shards: &[ValueShard], key: impl Fn(usize) -> ShardKey) -> Result<bool, StoreError> {
    for (number, shard) in shards.iter().enumerate() {
        let record = store.shard(&key(number))?.filter(|record| hex(&record.digest) == shard.digest);
        if !record.is_some_and(|record| store.directory().join(record.file).exists()) {
            return Ok(false);
        }
    }
    Ok(true)
}
