//! What searchers tell each other: a log for each search, of which every worker hears what others have told since it asked last;
//! and where they are, so that those who come to the same position begin with different options.
//!
//! The log is news and nothing else: what it says is of use to whoever has searched so far, and is forgotten with the
//! coordinator or when there is too much of it. What lasts are the files that come with the answers.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use antichain_common::job::JobId;
use antichain_common::job::search::TOLD_BYTES;

use super::Desk;
use super::work::WorkError;
use crate::ledger::WorkerId;

/// Bytes of the news of a search: several seconds of a hundred threads.
const MOST_BYTES: usize = 16 << 20;
/// As long as the number of workers times that of their threads is no larger, everything is told: that is some 2 MB a second of each
/// thread, for each worker.
const TOLD_ALL: u64 = 16;
/// Bytes that are told at a time, about.
const REPLY_BYTES: usize = 1 << 19;
/// Bytes of the hashes of positions that one worker says it is at, and that it is told others are at.
const PATH_BYTES: usize = 8 << 7;
const BUSY_BYTES: usize = 8 << 12;
/// Who has said nothing for so long is nowhere.
const FRESH: Duration = Duration::from_secs(1);

/// The news of one search.
#[derive(Default)]
struct News {
    salt: u64,
    /// Who told it, and what.
    entries: VecDeque<(WorkerId, Vec<u8>)>,
    /// Number of the first entry that is still there.
    first: u64,
    bytes: usize,
    /// Where each worker said last that it is, and when.
    paths: BTreeMap<WorkerId, (Instant, Vec<u8>)>,
}

impl News {
    fn put(&mut self, worker: WorkerId, told: Vec<u8>) {
        self.bytes += told.len();
        self.entries.push_back((worker, told));
        while self.bytes > MOST_BYTES
            && let Some((_, oldest)) = self.entries.pop_front()
        {
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }

    /// What others than a worker told from an entry on, where it goes on, and whether there is more.
    fn since(&self, from: u64, worker: WorkerId) -> Heard {
        let mut heard = Heard { next: from.max(self.first), ..Heard::default() };
        // A number from before a restart means nothing.
        let end = self.first + self.entries.len() as u64;
        heard.next = heard.next.min(end);
        for (by, told) in self.entries.iter().skip((heard.next - self.first) as usize) {
            if heard.told.len() > REPLY_BYTES {
                break;
            }
            heard.next += 1;
            if *by != worker {
                heard.told.extend_from_slice(told);
            }
        }
        heard.more = heard.next < end;
        heard
    }

    fn note_path(&mut self, worker: WorkerId, mut path: Vec<u8>, now: Instant) {
        path.truncate(PATH_BYTES.min(path.len() / 8 * 8));
        self.paths.retain(|_, (since, _)| now.duration_since(*since) < FRESH);
        self.paths.insert(worker, (now, path));
    }

    /// Where others than a worker are.
    fn busy(&self, worker: WorkerId) -> Vec<u8> {
        let others = self.paths.iter().filter(|(by, _)| **by != worker);
        others.flat_map(|(_, (_, path))| path).copied().take(BUSY_BYTES).collect()
    }
}

/// What a worker says.
#[derive(Debug, Default)]
pub struct Said {
    /// What it has settled.
    pub told: Vec<u8>,
    /// Where it is.
    pub path: Vec<u8>,
    /// The first news that it has not heard.
    pub from: u64,
}

/// What a worker hears.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// What others told.
    pub told: Vec<u8>,
    /// Where the next news begin.
    pub next: u64,
    /// Whether there are some.
    pub more: bool,
    /// Nodes of what is worth telling.
    pub least_nodes: u64,
    /// Where others are.
    pub busy: Vec<u8>,
}

/// The news of all searches.
#[derive(Default)]
pub(super) struct Shared(Mutex<HashMap<JobId, News>>);

impl Shared {
    fn exchange(&self, (job, salt): (JobId, u64), worker: WorkerId, said: Said, now: Instant) -> Heard {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = all.entry(job).or_default();
        if news.salt != salt {
            *news = News { salt, ..News::default() };
        }
        if !said.told.is_empty() {
            news.put(worker, said.told);
        }
        news.note_path(worker, said.path, now);
        Heard { busy: news.busy(worker), ..news.since(said.from, worker) }
    }

    /// Forgets the searches that are over.
    pub(super) fn keep(&self, is_running: impl Fn(&JobId) -> bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|job, _| is_running(job));
    }
}

impl Desk {
    /// Takes what a worker has settled and where it is, and tells it the same of others.
    ///
    /// # Errors
    /// [`WorkError::Unregistered`]; [`WorkError::NoSearch`] if it is not about a search that is running here.
    pub fn share(&self, worker: WorkerId, (job, salt): (JobId, u64), mut said: Said) -> Result<Heard, WorkError> {
        let least_nodes = {
            let state = self.state();
            if !state.workers.contains_key(&worker) {
                return Err(WorkError::Unregistered(worker));
            }
            let plies = state.job(&job).filter(|job| job.is_running()).and_then(|job| job.plies.as_ref());
            if plies.is_none_or(|plies| plies.record().salt != salt) {
                return Err(WorkError::NoSearch(job));
            }
            worth_telling(state.workers.values().map(|worker| worker.threads))
        };
        said.told.truncate(said.told.len() / TOLD_BYTES * TOLD_BYTES);
        Ok(Heard { least_nodes, ..self.shared.exchange((job, salt), worker, said, Instant::now()) })
    }
}

/// Nodes of what is worth telling, given the threads of the workers: each worker hears what all threads settle, and about one
/// position in n takes n nodes, so that what a coordinator sends stays the same.
fn worth_telling(threads: impl Iterator<Item = u32>) -> u64 {
    let (workers, threads) = threads.fold((0, 0), |(workers, all), threads| (workers + 1, all + u64::from(threads)));
    (workers * threads / TOLD_ALL).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_until(next: u64) -> Heard {
        Heard { next, ..Heard::default() }
    }

    #[test]
    fn a_large_cluster_tells_less() {
        assert_eq!(worth_telling([1, 1].into_iter()), 1);
        assert_eq!(worth_telling([4; 4].into_iter()), 4);
        assert_eq!(worth_telling([8; 10].into_iter()), 50);
        assert_eq!(worth_telling(std::iter::empty()), 1);
    }

    fn told(number: u8, records: usize) -> Vec<u8> {
        vec![number; records * TOLD_BYTES]
    }

    #[test]
    fn everybody_hears_what_others_told_and_hears_it_once() {
        let shared = Shared::default();
        let job = || JobId("search".to_owned());
        let ask = |worker, told, from| {
            let said = Said { told, path: Vec::new(), from };
            shared.exchange((job(), 0), WorkerId(worker), said, Instant::now())
        };
        assert_eq!(ask(1, told(1, 2), 0), nothing_until(1));
        let heard = ask(2, told(2, 1), 0);
        assert_eq!((heard.told, heard.next), (told(1, 2), 2));
        let heard = ask(1, vec![], 1);
        assert_eq!((heard.told, heard.next), (told(2, 1), 2));
        assert_eq!(ask(1, vec![], 2).told, Vec::<u8>::new());
        // A number from before a restart.
        assert_eq!(ask(1, vec![], 1 << 40), nothing_until(2));
        // Another salt: nothing of that is true any more.
        let heard = shared.exchange((job(), 1), WorkerId(1), Said::default(), Instant::now());
        assert_eq!(heard, Heard::default());
    }

    #[test]
    fn everybody_hears_where_others_are_as_long_as_they_say_so() {
        let mut news = News::default();
        let now = Instant::now();
        news.note_path(WorkerId(1), vec![1; 19], now);
        news.note_path(WorkerId(2), vec![2; 8], now);
        assert_eq!((news.busy(WorkerId(1)), news.busy(WorkerId(2))), (vec![2; 8], vec![1; 16]));
        news.note_path(WorkerId(2), Vec::new(), now + FRESH / 2);
        assert_eq!(news.busy(WorkerId(1)), Vec::<u8>::new(), "it rests");
        news.note_path(WorkerId(2), Vec::new(), now + FRESH);
        assert_eq!(news.busy(WorkerId(2)), Vec::<u8>::new(), "the other one is gone");
        for worker in 0..100 {
            news.note_path(WorkerId(worker), vec![0; 1 << 20], now + FRESH);
        }
        assert_eq!(news.busy(WorkerId(0)).len(), BUSY_BYTES);
    }

    #[test]
    fn news_are_bounded_and_come_in_pieces() {
        let mut news = News::default();
        let entries = 40;
        for number in 0..entries {
            news.put(WorkerId(1), told(number, MOST_BYTES / 20 / TOLD_BYTES));
        }
        assert!(news.bytes <= MOST_BYTES);
        let (mut next, mut pieces, mut last) = (0, 0, 0);
        loop {
            let heard = news.since(next, WorkerId(2));
            pieces += 1;
            next = heard.next;
            last = heard.told.last().copied().unwrap_or(last);
            if !heard.more {
                break;
            }
        }
        assert!(pieces > 5 && next == u64::from(entries) && last == entries - 1, "{pieces} {next} {last}");
    }
}
