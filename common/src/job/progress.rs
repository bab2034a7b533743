//! Where a run stands, told to the user by a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Interrupt, Phase, Progress};
use crate::watch::Watch;

/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// What the long loops advance and the reporting thread reads.
pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    stage: Mutex<Stage>,
}

struct Stage {
    /// `done` and `ideals` as of the beginning of the layer.
    progress: Progress,
    /// Edges of the watch when the layer began.
    edges_before: u64,
    /// Work of this layer, where it is known.
    work: Option<u64>,
}

impl<'a> Meter<'a> {
    /// Nothing begun yet.
    pub fn new(interrupt: &'a Interrupt) -> Self {
        let progress = Progress { phase: Phase::Enumerate, layer: 0, last_layer: 0, done: 0, total: None, ideals: 0 };
        let stage = Stage { progress, edges_before: 0, work: None };
        Self { watch: Watch::new(interrupt), stage: Mutex::new(stage) }
    }

    /// For the loops that do the work.
    pub fn watch(&self) -> &Watch<'a> {
        &self.watch
    }

    /// A layer begins: `progress` is what holds before any of it is done, `work` how much there is to do in it.
    pub fn begin_layer(&self, progress: Progress, work: Option<u64>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) =
            Stage { progress, edges_before: self.watch.work(), work };
    }

    /// How far it is now.
    ///
    /// Evaluation goes along edges downwards, of which there are not quite as many as upwards; a layer counts for its
    /// upward ones, and for its slots.
    fn progress(&self) -> Progress {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let here = self.watch.work().saturating_sub(stage.edges_before);
        let done = stage.progress.done + stage.work.map_or(here, |work| here.min(work));
        Progress { done, ..stage.progress }
    }
}

/// Does `work` while another thread reports how far it is.
pub(super) fn reporting<T>(meter: &Meter<'_>, report: &(dyn Fn(Progress) + Sync), work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        // Dropped when the work ends, by a panic too.
        let (working, ended) = channel::<()>();
        scope.spawn(move || {
            while ended.recv_timeout(REPORT_EVERY) == Err(RecvTimeoutError::Timeout) {
                report(meter.progress());
            }
        });
        let _working = working;
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_counts_for_no_more_than_its_work() {
        let interrupt = Interrupt::new();
        let meter = Meter::new(&interrupt);
        meter.watch().advance(5);
        let progress =
            Progress { phase: Phase::Evaluate, layer: 3, last_layer: 9, done: 100, total: Some(200), ideals: 7 };
        meter.begin_layer(progress, Some(10));
        assert_eq!(meter.progress().done, 100);
        meter.watch().advance(4);
        assert_eq!(meter.progress().done, 104);
        meter.watch().advance(40);
        assert_eq!(meter.progress().done, 110);
    }
}
