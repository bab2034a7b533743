//! Steps of games only: the layers of duals, and what all layers say of the positions.

use antichain_common::job::{Positions, Side};
use antichain_common::store::Commit;

use super::Desk;
use super::documents::{CLUSTER, ClusterRecord};
use super::steps::{StepError, StepJob};

impl Desk {
    /// All duals over a layer are valued: those over the next one can be.
    pub(super) fn complete_duals(&self, job: &StepJob, layer: usize) -> Result<(), StepError> {
        let storing = self.storing();
        let record = {
            let state = self.state();
            let Some(job) = state.jobs.get(&job.number) else { return Ok(()) };
            ClusterRecord { seconds: job.seconds(), ..job.record.clone() }
        };
        let mut commit = Commit::new();
        commit.put_document(&job.id.0, CLUSTER, &record)?;
        self.store.commit(commit)?;
        drop(storing);
        if let Some(course) = self.state().jobs.get_mut(&job.number).and_then(|job| job.course.as_mut()) {
            course.complete_duals(layer);
        }
        self.log_progress(job.number, Side::Upper, layer);
        Ok(())
    }

    /// The value of the largest position, which has so many elements, and all positions, as the findings of the tasks
    /// have them.
    pub(super) fn positions(&self, job: &StepJob, elements: usize) -> Option<(u8, Positions)> {
        let state = self.state();
        let course = state.jobs.get(&job.number)?.course.as_ref()?;
        let last = job.engine.last_layer();
        let mut positions = Positions::default();
        for layer in 0..=last {
            let shards = course.solved(layer).filter_map(|solved| solved.positions.as_ref());
            positions.add_layer(Side::Lower, layer, shards);
        }
        for layer in (0..=last).rev().filter(|_| job.engine.has_duals()) {
            positions.add_layer(Side::Upper, layer, course.duals(layer));
        }
        Some((positions.value_of_only(elements).unwrap_or_default(), positions))
    }
}
