//! The steps between tasks, one at a time.

use std::sync::Weak;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use antichain_common::job::Question;

use super::Desk;
use super::documents::Standing;
use super::steps::StepError;
use crate::course::Step;
use crate::task_id::JobNumber;

/// How often the foreman looks whether the desk is still there, and whether there is room again.
const LOOK: Duration = Duration::from_millis(500);

/// Serves until the desk is gone.
pub fn serve(desk: &Weak<Desk>, steps: &Receiver<(JobNumber, Step)>) {
    loop {
        let (number, step) = match steps.recv_timeout(LOOK) {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) if desk.strong_count() > 0 => continue,
            Err(_) => return,
        };
        loop {
            let Some(desk) = desk.upgrade() else { return };
            match desk.take_step(number, step) {
                Ok(()) => {
                    desk.advance(number);
                    break;
                }
                Err(error) if error.is_out_of_room() => {
                    drop(desk);
                    std::thread::sleep(LOOK);
                }
                Err(error) => {
                    desk.fail(number, &error);
                    break;
                }
            }
        }
    }
}

impl Desk {
    fn take_step(&self, number: JobNumber, step: Step) -> Result<(), StepError> {
        if let Some(reason) = self.lack_of_room(0) {
            return Err(StepError::NoRoom(reason));
        }
        let Some(job) = self.work_on(number) else { return Ok(()) };
        let _span = tracing::info_span!("step", job = %job.record.spec.id(), ?step).entered();
        if job.record.spec.position.is_some() {
            return self.take_step_of_search(&job, step);
        }
        match job.record.spec.question {
            Question::Ruler => return self.take_step_of_ruler(&job, step),
            Question::Estimate => return self.take_step_of_estimate(&job, step),
            _ => {}
        }
        match step {
            Step::Merge(layer) => self.merge(&job, layer),
            Step::Settle(layer) => self.settle(&job, layer),
            Step::Complete(layer) => self.complete(&job, layer),
            Step::CompleteDuals(layer) => self.complete_duals(&job, layer),
            Step::Conclude => self.conclude(&job),
            Step::BeginAnew => Ok(()),
        }
    }

    /// A job cannot go on.
    pub(super) fn fail(&self, number: JobNumber, error: &StepError) {
        let mut state = self.state();
        let Some(job) = state.jobs.get(&number) else { return };
        tracing::error!(job = %job.id, "{error}");
        state.stop(number, Standing::Failed, error.to_string());
        drop(state);
        if let Err(error) = self.store_record(number) {
            tracing::error!("that it has failed cannot be stored: {error}");
        }
        self.news.notify_waiters();
    }
}
