//! Where a job of a coordinator stands, in a line.

use std::time::Duration;

use antichain_proto::v1::{JobState, JobStatus};

use super::scaled;
use crate::remote::job::state_name;
use crate::sizes::show_estimate;

/// Part of the work that is done, 0 to 1, where that can be told.
pub fn fraction(status: &JobStatus) -> Option<f64> {
    let progress = status.progress.as_ref().filter(|progress| progress.work_total > 0)?;
    Some((progress.work_done as f64 / progress.work_total as f64).min(1.0))
}

/// The state, and why it is that.
pub fn state(status: &JobStatus) -> String {
    let name = state_name(status.state());
    if status.reason.is_empty() { name.to_owned() } else { format!("{name} ({})", status.reason) }
}

/// One line: state, layer, speed, and the time left where the coordinator knows it.
pub fn line(status: &JobStatus, with_fraction: bool) -> String {
    let mut text = state(status);
    if status.state() == JobState::Finished {
        return text;
    }
    let Some(progress) = &status.progress else { return text };
    if progress.last_layer > 0 {
        text += &format!(", layer {} of {}", progress.layer, progress.last_layer);
    }
    if let Some(fraction) = fraction(status).filter(|_| with_fraction) {
        text += &format!(", {:.0} %", 100.0 * fraction);
    }
    if status.state() != JobState::Running {
        return text;
    }
    text += &format!(", {} states", scaled(progress.ideals as f64));
    if progress.ideals_per_second > 0.0 {
        text += &format!(", {} states/s", scaled(progress.ideals_per_second));
    }
    text += &match status.workers {
        1 => ", 1 worker".to_owned(),
        workers => format!(", {workers} workers"),
    };
    if let Some(left) = time_left(status) {
        text += &format!(", about {} left", show_estimate(left.max(Duration::from_secs(1))));
    }
    text
}

/// Time until the job ends.
pub fn time_left(status: &JobStatus) -> Option<Duration> {
    // What is no span of time was no estimate.
    Duration::try_from_secs_f64(status.progress.as_ref()?.seconds_left?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_proto::v1::Progress;

    #[test]
    fn a_line_tells_what_is_known() {
        let progress = Progress {
            layer: 31,
            last_layer: 64,
            work_done: 1,
            work_total: 2,
            ideals: 1_500_000,
            ideals_per_second: 2e6,
            seconds_left: Some(40.0),
            ..Default::default()
        };
        let mut status =
            JobStatus { state: JobState::Running.into(), progress: Some(progress), workers: 3, ..Default::default() };
        assert_eq!(
            line(&status, true),
            "running, layer 31 of 64, 50 %, 1.50 M states, 2.00 M states/s, 3 workers, about 40 s left"
        );
        status.set_state(JobState::Paused);
        status.reason = "the disk is full".into();
        assert_eq!(line(&status, true), "paused (the disk is full), layer 31 of 64, 50 %");
        status.progress = None;
        assert_eq!(line(&status, false), "paused (the disk is full)");
    }
}
