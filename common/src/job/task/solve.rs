//! Solving a shard: its ideals counted, its values computed.

use std::sync::Arc;

use super::engine::Tasks;
use super::layers::Indexed;
use super::{Effort, Findings, Prepared, Solved, SolvedValues, Table, TaskError};
use crate::job::records::ValueLayer;
use crate::job::space::counts_of;
use crate::job::table::hex;
use crate::job::{JobError, Question};
use crate::recurrence::extensions::{Below, Unevaluated, evaluate_layer};
use crate::recurrence::limbs::{widened, wider};
use crate::space::edges::Edges;
use crate::space::layer::BaseLayer;
use crate::space::lookup::look_up;
use crate::space::needed::{Needed, needed_below};
use crate::space::survey::{Survey, survey};
use crate::store::{BlockImage, ShardKind, values_image};
use crate::watch::Watch;

struct Solving<const W: usize> {
    tasks: Arc<Tasks<W>>,
    shard: BaseLayer<W>,
    survey: Survey,
    edges: Edges,
    needed: Vec<(usize, Needed)>,
}

/// Surveys a shard and finds the edges that lead down from it.
///
/// # Errors
/// [`TaskError::Stopped`].
pub(super) fn prepare<const W: usize>(
    tasks: &Arc<Tasks<W>>,
    shard: BaseLayer<W>,
    below: Option<Arc<Indexed<W>>>,
    effort: &Effort<'_>,
) -> Result<Box<dyn Prepared>, TaskError> {
    let Tasks { split, ranks, .. } = &**tasks;
    let survey = survey(split, ranks, &shard, tasks.top(), effort.threads);
    let mut edges = Edges::default();
    let mut needed = Vec::new();
    if let (Some(below), Question::Extensions) = (&below, tasks.spec.question) {
        edges = look_up(split, &shard, &below.index, effort.threads, &Watch::new(effort.interrupt))?;
        let slots = needed_below(split, ranks, &shard, (&survey.available, &edges), tasks.top(), below.slots);
        needed.push((below.layer.size, slots));
    }
    Ok(Box::new(Solving { tasks: tasks.clone(), shard, survey, edges, needed }))
}

impl<const W: usize> Prepared for Solving<W> {
    fn needed(&self) -> &[(usize, Needed)] {
        &self.needed
    }

    fn finish(
        self: Box<Self>,
        tables: &[Table<'_>],
        effort: &Effort<'_>,
    ) -> Result<(Findings, Option<BlockImage>), TaskError> {
        let (values, image) = match self.tasks.spec.question {
            Question::Extensions => {
                let (values, image) = self.evaluate(tables.first().copied(), effort)?;
                (Some(values), Some(image))
            }
            // The values of a game come from a replica.
            Question::Outcome | Question::Grundy | Question::Remoteness => (None, None),
            Question::Ideals | Question::Ruler | Question::Estimate => (None, None),
        };
        let solved = Solved {
            bases: self.shard.len() as u64,
            slots: self.survey.slots,
            counts: counts_of(&self.survey, self.shard.size),
            values,
            positions: None,
        };
        Ok((Findings::Solved(solved), image))
    }
}

impl<const W: usize> Solving<W> {
    fn evaluate(&self, below: Option<Table<'_>>, effort: &Effort<'_>) -> Result<(SolvedValues, BlockImage), TaskError> {
        let Tasks { split, ranks, isa, .. } = &*self.tasks;
        let layer = self.shard.size;
        let watch = Watch::new(effort.interrupt);
        let mut width = below.map_or(1, |below| below.width);
        let mut wide = Vec::new();
        loop {
            let length = self.survey.slots as usize * width;
            let mut table = self.tasks.take_spare(length);
            let below = below.map(|below| {
                let table = if below.width == width { below.words } else { &wide[..] };
                (Below { size: layer - 1, table, width }, &self.edges)
            });
            let to = (&mut table[..length], width);
            let of = (&self.shard, &self.survey);
            match evaluate_layer(split, ranks, below, of, self.tasks.top(), to, effort.threads, *isa, &watch) {
                Ok(sums) => {
                    let image = values_image(ShardKind::Values, width, &table[..length])?;
                    self.tasks.put_spare(table);
                    let digest = hex(&image.head.payload_digest());
                    return Ok((SolvedValues { width, digest, sums: ValueLayer::sums_of(layer, sums) }, image));
                }
                Err(Unevaluated::Stopped(stopped)) => return Err(stopped.into()),
                Err(Unevaluated::Overflow) => {
                    let narrow = width;
                    width = wider(width).ok_or_else(|| {
                        JobError::SelfCheck(format!("a value of layer {layer} has more than {narrow} limbs"))
                    })?;
                    if let Some((below, _)) = below {
                        wide = widened(below.table, narrow, width);
                    }
                }
            }
        }
    }
}
