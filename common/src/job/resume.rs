//! Going on with an unfinished evaluation: which stored table is whole, and what is of no use any more.

use super::JobError;
use super::context::Context;
use super::records::{LAYER_PREFIX, ValueLayer};
use super::repair::set_aside_damaged;
use super::space::Space;
use super::table::read_table;
use crate::huge::Words;
use crate::store::{Commit, ShardKind};

/// What an earlier process has evaluated.
pub(super) struct Evaluated {
    /// The records of all layers so far.
    pub records: Vec<ValueLayer>,
    /// The table of the last one.
    pub table: Words,
}

/// What is evaluated up to the newest layer whose table is stored and whole. What lies beyond it, or
/// everything if there is none, is removed.
///
/// # Errors
/// Errors of the store, but not damage: damaged files are named and set aside.
pub(super) fn newest_table<const W: usize>(
    context: &Context<'_>,
    space: &Space<'_, W>,
) -> Result<Option<Evaluated>, JobError> {
    let (store, job, threads) = (context.store, &context.job.0, context.threads());
    let damaged = set_aside_damaged(store, job, ShardKind::Sample, threads)?;
    let without = context.certificate.is_some() && store.shards_of(job, ShardKind::Sample)?.len() == 0;
    if damaged || without {
        // Samples of layers that are evaluated cannot be taken any more.
        remove_from(context, 0, true)?;
        return Ok(None);
    }
    if context.options.keep_values {
        set_aside_damaged(store, job, ShardKind::Values, threads)?;
    }
    // The samples of a finished job stay good: they would be taken again as they are.
    let samples = context.certificate.is_none();
    let mut records = records(context, space)?;
    let mut kept = Vec::new();
    for record in &records {
        kept.push(record.is_kept(context.store, &context.job)?);
    }
    if context.options.keep_values {
        // All tables are wanted, so what is missing must be computed again.
        let whole = kept.iter().take_while(|&&kept| kept).count();
        kept.truncate(whole);
    }
    while let Some(layer) = kept.iter().rposition(|&kept| kept) {
        if let Some(table) = read_table(context.store, &context.job, &records[layer], context.threads())? {
            records.truncate(layer + 1);
            remove_from(context, layer + 1, samples)?;
            tracing::info!("going on with {} after layer {layer}", context.job);
            return Ok(Some(Evaluated { records, table }));
        }
        kept.truncate(layer);
    }
    remove_from(context, 0, samples)?;
    Ok(None)
}

/// The stored records of values, from the empty base on, that belong to this space.
fn records<const W: usize>(context: &Context<'_>, space: &Space<'_, W>) -> Result<Vec<ValueLayer>, JobError> {
    let fits = |record: &ValueLayer| {
        let known = space.records().nth(record.layer);
        known.is_some_and(|known| (record.bases, record.slots) == (known.bases(), known.slots))
    };
    let mut records = Vec::new();
    if context.stored.is_some() {
        for layer in 0..=space.last_layer() {
            let record = ValueLayer::load(context.store, &context.job, layer)?;
            let Some(record) = record.filter(fits) else { break };
            records.push(record);
        }
    }
    if records.is_empty()
        && let Some(certificate) = &context.certificate
    {
        records.extend(certificate.value_layers.iter().take_while(|record| fits(record)).cloned());
    }
    Ok(records)
}

/// Removes tables and records from a layer on, and samples if these are to go too.
fn remove_from(context: &Context<'_>, from: usize, samples: bool) -> Result<(), JobError> {
    let (store, owner) = (context.store, &context.job.0);
    let mut commit = Commit::new();
    for kind in [ShardKind::Values, ShardKind::Sample].into_iter().filter(|&kind| samples || kind == ShardKind::Values)
    {
        for (key, _) in store.shards_of(owner, kind)? {
            if usize::from(key.layer) >= from {
                commit.remove_shard(key);
            }
        }
    }
    for document in store.documents(owner)? {
        let layer = document.name.strip_prefix(LAYER_PREFIX).and_then(|number| number.parse::<usize>().ok());
        if layer.is_some_and(|layer| layer >= from) {
            commit.remove_document(owner, &document.name);
        }
    }
    if commit.is_empty() { Ok(()) } else { Ok(store.commit(commit)?) }
}
