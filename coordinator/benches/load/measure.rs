//! What the process used so far, from `/proc`, and what is in between for times of calls.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// Linux counts the time of threads in hundredths of a second, whatever the clock of the kernel.
const TICKS: f64 = 100.0;

/// Processor time in seconds.
pub struct Usage {
    /// Of everything that is not simulated, threads that have ended included.
    pub coordinator: f64,
    /// Of the simulated workers, and of the main thread.
    pub simulated: f64,
    /// Of the coordinator's threads that are there, by name.
    pub by_thread: BTreeMap<String, f64>,
}

impl Usage {
    /// Until now; the threads of that name are the simulated workers'.
    pub fn now(simulated: &str) -> Self {
        let all = time("/proc/self/stat").map_or(0.0, |(_, time)| time);
        let main = std::process::id().to_string();
        let mut usage = Self { coordinator: all, simulated: 0.0, by_thread: BTreeMap::new() };
        for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            let Some((name, time)) = time(&format!("{}/stat", thread.path().display())) else { continue };
            if name == simulated || thread.file_name().to_str() == Some(&main) {
                usage.simulated += time;
            } else {
                *usage.by_thread.entry(name).or_default() += time;
            }
        }
        usage.coordinator -= usage.simulated;
        usage
    }

    /// What was used since then.
    pub fn since(mut self, before: &Self) -> Self {
        self.coordinator -= before.coordinator;
        self.simulated -= before.simulated;
        for (name, time) in &mut self.by_thread {
            *time -= before.by_thread.get(name).copied().unwrap_or(0.0);
        }
        self
    }
}

/// Name and time of a process or thread; `None` if it has just ended.
fn time(stat: &str) -> Option<(String, f64)> {
    let text = fs::read_to_string(stat).ok()?;
    let (before, after) = text.rsplit_once(')')?;
    let name = before.split_once('(')?.1.to_owned();
    // Fields 14 and 15 of them all, and the name was the second.
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>();
    Some((name, ticks / TICKS))
}

/// The most memory that the process had at a time, in bytes.
pub fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}

/// The time that so large a share of the calls did not exceed.
pub fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let at = (times.len() as f64 * share) as usize;
    times.get(at.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}
