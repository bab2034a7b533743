//! How fast a job goes, and how long it will take: said only when there is something to go by.

use std::collections::VecDeque;
use std::time::Duration;

/// Time over which the rate is taken.
const WINDOW: Duration = Duration::from_secs(60);
/// Least time between two entries.
const STEP: Duration = Duration::from_millis(500);
/// Time without which nothing is said of what is left.
const LEAST_TIME: Duration = Duration::from_secs(5);
/// Share of the work without which nothing is said of what is left.
const LEAST_SHARE: f64 = 0.02;

/// Work done at some moments of the last minute.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    entries: VecDeque<(Duration, u64, u64)>,
    /// Seconds left as said last, and when.
    said: Option<(Duration, f64)>,
}

impl Pace {
    /// So much work and so many states are done now.
    pub fn record(&mut self, now: Duration, work: u64, states: u64) {
        if let [.., (before, ..), _] = self.entries.make_contiguous()
            && now.saturating_sub(*before) < STEP
        {
            self.entries.pop_back();
        }
        self.entries.push_back((now, work, states));
        while self.entries.len() > 2 && now.saturating_sub(self.entries[1].0) > WINDOW {
            self.entries.pop_front();
        }
    }

    /// A pause: what was before says nothing about what follows.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// States in a second lately.
    pub fn states_per_second(&self) -> f64 {
        self.rate(|&(_, _, states)| states)
    }

    fn rate(&self, of: fn(&(Duration, u64, u64)) -> u64) -> f64 {
        let (Some(first), Some(last)) = (self.entries.front(), self.entries.back()) else { return 0.0 };
        let seconds = last.0.saturating_sub(first.0).as_secs_f64();
        if seconds > 0.0 { (of(last) - of(first)) as f64 / seconds } else { 0.0 }
    }

    /// Seconds that are left, unless that would be a guess. What was said before is never corrected upwards: when it is over,
    /// nothing more is said until there is less left than was said last.
    pub fn seconds_left(&mut self, now: Duration, total: u64) -> Option<f64> {
        let (first, last) = (*self.entries.front()?, *self.entries.back()?);
        let enough = last.0.saturating_sub(first.0) >= LEAST_TIME && last.1 as f64 >= LEAST_SHARE * total as f64;
        let rate = self.rate(|&(_, work, _)| work);
        if !enough || rate <= 0.0 {
            return None;
        }
        let since = now.saturating_sub(last.0).as_secs_f64();
        let mut left = (total.saturating_sub(last.1) as f64 / rate - since).max(0.0);
        if let Some((then, said)) = self.said
            && left > said
        {
            let promised = said - now.saturating_sub(then).as_secs_f64();
            if promised <= 0.0 {
                return None;
            }
            left = promised;
        }
        self.said = Some((now, left));
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn nothing_is_said_before_there_is_something_to_go_by() {
        let mut pace = Pace::default();
        assert_eq!(pace.seconds_left(at(0), 1000), None);
        pace.record(at(0), 0, 0);
        pace.record(at(2), 100, 10);
        assert_eq!(pace.seconds_left(at(2), 1000), None, "two seconds are a guess");
        pace.record(at(10), 500, 50);
        assert_eq!(pace.seconds_left(at(10), 1000), Some(10.0));
        assert_eq!(pace.states_per_second(), 5.0);
    }

    #[test]
    fn what_is_left_never_grows_while_it_lasts() {
        let mut pace = Pace::default();
        let mut before = f64::INFINITY;
        pace.record(at(0), 0, 0);
        for second in 1..50 {
            // It becomes slower and slower.
            pace.record(at(second), 10_000 - 10_000 / (second + 1), 0);
            if let Some(left) = pace.seconds_left(at(second), 10_000) {
                assert!(left <= before, "{left} after {before} at {second}");
                before = left;
            }
        }
        assert!(before.is_finite());
    }
}
