//! Joining over a shard: products of its middle values with those of their duals.

use std::sync::Arc;

use super::engine::Tasks;
use super::layers::Indexed;
use super::{Effort, Findings, Prepared, Table, TaskError};
use crate::job::JobError;
use crate::recurrence::extensions::{Own, Pairs, pair_with_duals};
use crate::recurrence::limbs::widened;
use crate::space::layer::BaseLayer;
use crate::space::needed::Needed;
use crate::space::survey::survey;
use crate::store::BlockImage;
use crate::watch::Watch;

struct Joining {
    pairs: Pairs,
    needed: Vec<(usize, Needed)>,
}

/// Pairs the middle ideals of a shard with their duals.
///
/// # Errors
/// [`TaskError::Stopped`]; [`TaskError::Job`] if there is no such shard.
pub(super) fn prepare<const W: usize>(
    tasks: &Arc<Tasks<W>>,
    shard: usize,
    own: Arc<Indexed<W>>,
    duals: Arc<Indexed<W>>,
    effort: &Effort<'_>,
) -> Result<Box<dyn Prepared>, TaskError> {
    let Tasks { split, ranks, .. } = &**tasks;
    let size = own.layer.size;
    let missing = || JobError::SelfCheck(format!("layer {size} has no shard {shard}"));
    let (_, first_slot) = own.shard(shard).ok_or_else(missing)?;
    let layer = BaseLayer { size, shards: vec![own.layer.shards[shard].clone()] };
    let survey = survey(split, ranks, &layer, tasks.top(), effort.threads);
    let shard = Own { layer: &layer, survey: &survey, first_slot };
    let watch = Watch::new(effort.interrupt);
    let pairs = pair_with_duals(split, ranks, shard, &duals.index, tasks.top(), effort.threads, &watch)?;
    let mut needed = Needed::nothing(own.slots);
    pairs.mark_own(&mut needed);
    let needed = if duals.layer.size == size {
        pairs.mark_duals(&mut needed);
        vec![(size, needed)]
    } else {
        let mut needed_of_duals = Needed::nothing(duals.slots);
        pairs.mark_duals(&mut needed_of_duals);
        vec![(size, needed), (duals.layer.size, needed_of_duals)]
    };
    Ok(Box::new(Joining { pairs, needed }))
}

impl Prepared for Joining {
    fn needed(&self) -> &[(usize, Needed)] {
        &self.needed
    }

    fn finish(
        self: Box<Self>,
        tables: &[Table<'_>],
        _effort: &Effort<'_>,
    ) -> Result<(Findings, Option<BlockImage>), TaskError> {
        let joined = match *tables {
            [both] => self.pairs.sum(both.words, both.words, both.width),
            [own, duals] if own.width == duals.width => self.pairs.sum(own.words, duals.words, own.width),
            [own, duals] => self.pairs.sum(own.words, &widened(duals.words, duals.width, own.width), own.width),
            _ => return Err(JobError::SelfCheck("a join reads one table or two".to_owned()).into()),
        };
        Ok((Findings::Joined { joined }, None))
    }
}
