//! How fast a job goes and how long it will take, from the progress it reports. Pure: the time is passed in.
//!
//! The speed is the mean over the last minute. The time left is withheld while it would be a guess: without a total,
//! before a few seconds and a hundredth of the work have been watched, and while the speed of the last minute and that of
//! the whole phase disagree by more than a factor of 1.5.

use std::collections::VecDeque;
use std::time::Duration;

use antichain_common::job::{Phase, Progress};

/// Span over which the speed is taken.
const WINDOW: Duration = Duration::from_secs(60);
/// Shortest time between two samples that are kept.
const SAMPLE_EVERY: Duration = Duration::from_millis(500);
/// A speed is shown after this time.
const WATCH_FOR_RATE: Duration = Duration::from_secs(1);
/// A time left is shown after this time.
const WATCH_FOR_REMAINING: Duration = Duration::from_secs(5);
/// And after this part of the work.
const WATCH_FRACTION: f64 = 0.01;
/// And while the two speeds agree within this factor.
const AGREEMENT: f64 = 1.5;

/// What the reports so far say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Part of the phase that is done, 0 to 1.
    pub fraction: Option<f64>,
    /// Work a second.
    pub rate: Option<f64>,
    /// Time until the phase ends.
    pub remaining: Option<Duration>,
}

/// Watches one job.
#[derive(Debug, Default)]
pub struct Meter {
    phase: Option<Phase>,
    /// Time and work of the first report of this phase. The work an earlier process did is not ours to divide by time.
    first: Sample,
    /// Later samples, oldest first, at most [`WINDOW`] old but for the first.
    recent: VecDeque<Sample>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    at: Duration,
    done: u64,
}

impl Sample {
    /// Mean speed from this sample to a later one.
    fn rate_to(&self, later: &Self) -> Option<f64> {
        let seconds = later.at.checked_sub(self.at)?.as_secs_f64();
        (seconds > 0.0).then(|| later.done.saturating_sub(self.done) as f64 / seconds)
    }
}

impl Meter {
    /// Takes a report at time `at` (since any fixed moment) and says what is known then.
    pub fn observe(&mut self, at: Duration, progress: &Progress) -> Reading {
        let now = Sample { at, done: progress.done };
        if self.phase != Some(progress.phase) {
            *self = Self { phase: Some(progress.phase), first: now, recent: VecDeque::from([now]) };
        }
        while self.recent.get(1).is_some_and(|second| at.saturating_sub(second.at) > WINDOW) {
            self.recent.pop_front();
        }
        if self.recent.back().is_none_or(|last| at.saturating_sub(last.at) >= SAMPLE_EVERY) {
            self.recent.push_back(now);
        }
        let watched = at.saturating_sub(self.first.at);
        let rate = self.recent.front().and_then(|oldest| oldest.rate_to(&now));
        Reading {
            fraction: progress.total.map(|total| part(progress.done, total)),
            rate: rate.filter(|&rate| rate > 0.0 && watched >= WATCH_FOR_RATE),
            remaining: rate.and_then(|rate| self.remaining(&now, watched, rate, progress.total?)),
        }
    }

    fn remaining(&self, now: &Sample, watched: Duration, rate: f64, total: u64) -> Option<Duration> {
        let overall = self.first.rate_to(now)?;
        let seen = part(now.done.saturating_sub(self.first.done), total);
        let steady = rate <= AGREEMENT * overall && overall <= AGREEMENT * rate;
        if watched < WATCH_FOR_REMAINING || seen < WATCH_FRACTION || !steady {
            return None;
        }
        Duration::try_from_secs_f64(total.saturating_sub(now.done) as f64 / rate).ok()
    }
}

/// `done / total`, never above 1.
fn part(done: u64, total: u64) -> f64 {
    if total == 0 { 1.0 } else { (done as f64 / total as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: Phase, done: u64, total: Option<u64>) -> Progress {
        Progress { phase, layer: 1, last_layer: 2, done, total, ideals: 0 }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_steady_job_gets_a_time() {
        let mut meter = Meter::default();
        let readings: Vec<_> =
            (0..=10).map(|s| meter.observe(seconds(s), &progress(Phase::Evaluate, 10 * s, Some(1000)))).collect();
        assert_eq!(readings[0], Reading { fraction: Some(0.0), rate: None, remaining: None });
        assert_eq!(readings[2].rate, Some(10.0));
        assert_eq!(readings[4].remaining, None, "too early");
        assert_eq!(readings[10].remaining, Some(seconds(90)));
    }

    #[test]
    fn without_a_total_there_is_no_time() {
        let mut meter = Meter::default();
        let last = (0..=20).map(|s| meter.observe(seconds(s), &progress(Phase::Enumerate, s, None))).last();
        assert_eq!(last, Some(Reading { fraction: None, rate: Some(1.0), remaining: None }));
    }

    #[test]
    fn work_of_an_earlier_process_does_not_count_as_speed() {
        let mut meter = Meter::default();
        meter.observe(seconds(0), &progress(Phase::Evaluate, 500, Some(1000)));
        let reading = meter.observe(seconds(10), &progress(Phase::Evaluate, 600, Some(1000)));
        assert_eq!(reading, Reading { fraction: Some(0.6), rate: Some(10.0), remaining: Some(seconds(40)) });
    }

    #[test]
    fn a_job_whose_speed_changed_gets_no_time_until_it_is_steady() {
        let mut meter = Meter::default();
        let mut done = 0;
        let mut readings = Vec::new();
        for s in 0..400 {
            done += if s < 100 { 100 } else { 10 };
            readings.push(meter.observe(seconds(s), &progress(Phase::Evaluate, done, Some(100_000))));
        }
        assert!(readings[90].remaining.is_some());
        assert!(readings[180].remaining.is_none(), "the last minute is ten times slower than the whole");
    }

    #[test]
    fn each_phase_is_watched_by_itself() {
        let mut meter = Meter::default();
        meter.observe(seconds(0), &progress(Phase::Enumerate, 0, Some(10)));
        meter.observe(seconds(9), &progress(Phase::Enumerate, 9, Some(10)));
        let reading = meter.observe(seconds(10), &progress(Phase::Evaluate, 0, Some(10)));
        assert_eq!(reading, Reading { fraction: Some(0.0), rate: None, remaining: None });
    }

    #[test]
    fn the_window_forgets() {
        let mut meter = Meter::default();
        for s in 0..=200 {
            meter.observe(seconds(s), &progress(Phase::Evaluate, s, Some(1000)));
        }
        assert!(meter.recent.len() <= 63);
    }
}
