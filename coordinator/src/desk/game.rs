//! Steps of games only: the layers of duals, and what all layers say of the positions.

use antichain_common::job::task::Solved;
use antichain_common::job::{POSITIONS, Positions, Side};
use antichain_common::store::{Commit, StoreError};

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

    /// The positions of the layers that are complete, and of another one whose findings these are.
    pub(super) fn positions_with(
        &self,
        job: &StepJob,
        layer: usize,
        solved: &[Solved],
    ) -> Result<Positions, StoreError> {
        let mut positions: Positions = self.store.document(&job.id.0, POSITIONS)?.unwrap_or_default();
        positions.truncate(layer);
        positions.add_layer(Side::Lower, layer, solved.iter().filter_map(|solved| solved.positions.as_ref()));
        Ok(positions)
    }

    /// The value of the largest position, which has so many elements, and all positions; `None` if the job is gone.
    pub(super) fn positions(&self, job: &StepJob, elements: usize) -> Result<Option<(u8, Positions)>, StoreError> {
        let mut positions: Positions = self.store.document(&job.id.0, POSITIONS)?.unwrap_or_default();
        let state = self.state();
        let Some(course) = state.jobs.get(&job.number).and_then(|job| job.course.as_ref()) else { return Ok(None) };
        for layer in (0..=job.engine.last_layer()).rev().filter(|_| job.engine.has_duals()) {
            positions.add_layer(Side::Upper, layer, course.duals(layer));
        }
        Ok(Some((positions.value_of_only(elements).unwrap_or_default(), positions)))
    }
}
