//! A search that is shared with other workers: a party at hand, which knows what it has settled; the files of what others have;
//! and news from them while it searches.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use antichain_common::job::search::{Order, Others, Party, decode_path, decode_told, encode_path, encode_told};
use antichain_common::job::task::{Effort, Engine, Findings};
use antichain_common::search::{Heard, Told};
use antichain_common::store::BlockImage;
use antichain_proto::v1;
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tonic::Code;

use crate::error::Undone;
use crate::fetch::Place;
use crate::link::Link;
use crate::shop::Shop;

/// Time between two messages while there is something to say, times the nodes of what is worth telling, so that the coordinator
/// of many workers is not asked more often than that of few: for these a few hundred positions of a thread.
const STEP: Duration = Duration::from_millis(2);
const LONGEST_STEP: Duration = Duration::from_millis(100);
/// Time between two messages when there is nothing to say, or nobody answers.
const IDLE: Duration = Duration::from_millis(300);
/// What waits to be told, at most: while nobody answers, older news give way.
const MOST_WAITING: usize = 1 << 16;

/// The search at hand: one, for its table takes most of the memory.
#[derive(Default)]
pub struct Searches(Mutex<Option<AtHand>>);

struct AtHand {
    job: String,
    salt: u64,
    party: Box<dyn Party>,
    /// Files of settled positions that it has made or read.
    known: HashSet<usize>,
    news: News,
    used: Instant,
}

/// A task of a search, and what it takes.
pub struct Searching<'a> {
    /// What is at hand.
    pub shop: &'a Shop,
    /// To the coordinator.
    pub link: &'a Arc<Link>,
    /// For what is told meanwhile.
    pub runtime: &'a Handle,
    /// Does the tasks of the job.
    pub engine: &'a dyn Engine,
    /// The lease.
    pub lease: &'a v1::Lease,
    /// How much of the machine it may use.
    pub effort: &'a Effort<'a>,
}

impl Searches {
    fn at_hand(&self) -> MutexGuard<'_, Option<AtHand>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the search go that is over, or was not needed for so long.
    pub fn let_go_after(&self, unused: Duration) {
        // Whoever searches holds it.
        if let Ok(mut at_hand) = self.0.try_lock() {
            at_hand.take_if(|at_hand| at_hand.used.elapsed() > unused || at_hand.news.is_over());
        }
    }
}

impl Searching<'_> {
    /// Searches a position.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn search(&self) -> Result<(Findings, Option<BlockImage>), Undone> {
        let order = self.order()?;
        let mut at_hand = self.shop.searches.at_hand();
        let at_hand = self.begin(&mut at_hand, order.salt)?;
        let searched = at_hand.party.search(&order, &mut at_hand.news, self.effort.interrupt);
        at_hand.news.rest();
        let (findings, image) = searched?;
        at_hand.known.insert(self.lease.shard as usize);
        at_hand.used = Instant::now();
        Ok((findings, Some(image)))
    }

    /// Proves what was found, with everything that anybody has settled.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn prove(&self) -> Result<(Findings, Option<BlockImage>), Undone> {
        let order = self.order()?;
        let mut at_hand = self.shop.searches.at_hand();
        let at_hand = self.begin(&mut at_hand, order.salt)?;
        self.read_files(at_hand)?;
        let proved = at_hand.party.prove(order.salt, &mut at_hand.news, self.effort.interrupt);
        at_hand.news.rest();
        at_hand.used = Instant::now();
        Ok(proved?)
    }

    fn order(&self) -> Result<Order, Undone> {
        let order = self.lease.search.clone().ok_or_else(|| Undone::Gone("a search without an order".to_owned()))?;
        let v1::SearchOrder { position, nodes, salt } = order;
        Ok(Order { position, nodes, salt })
    }

    /// What is at hand of the job; if nothing is, what others have settled so far is read first.
    fn begin<'a>(&self, at_hand: &'a mut Option<AtHand>, salt: u64) -> Result<&'a mut AtHand, Undone> {
        let job = &self.lease.job;
        at_hand.take_if(|at_hand| at_hand.job != *job || at_hand.salt != salt);
        if at_hand.is_none() {
            let mut fresh = AtHand {
                job: job.clone(),
                salt,
                party: self.engine.party(self.effort)?,
                known: HashSet::new(),
                news: News::begin(self.link.clone(), self.runtime, (job.clone(), salt)),
                used: Instant::now(),
            };
            self.read_files(&mut fresh)?;
            *at_hand = Some(fresh);
        }
        at_hand.as_mut().ok_or(Undone::Unwanted)
    }

    /// Reads the files of what others have settled. One that cannot be read is passed over: what it says is searched again.
    fn read_files(&self, at_hand: &mut AtHand) -> Result<(), Undone> {
        let is_wanted = || !self.effort.interrupt.is_requested();
        let files = self.shop.fetcher.layer(&self.lease.job, v1::FileKind::Settled, 0, &is_wanted)?;
        for (number, file) in files.shards.iter().enumerate() {
            if file.values_digest.is_empty() || at_hand.known.contains(&number) {
                continue;
            }
            let place = Place { job: self.lease.job.clone(), kind: v1::FileKind::Settled, layer: 0, shard: number };
            let image = match self.shop.image(&place, (&file.values_digest, &[]), None, &is_wanted) {
                Ok(image) => image,
                Err(Undone::Unwanted) => return Err(Undone::Unwanted),
                Err(error) => {
                    tracing::warn!("what was settled in search {number} is not read: {error}");
                    continue;
                }
            };
            if let Err(damage) = at_hand.party.learn(&image, at_hand.salt) {
                tracing::warn!("what was settled in search {number} is not read: {damage}");
            }
            at_hand.known.insert(number);
        }
        Ok(())
    }
}

/// What is told to others, and what they tell: by a task of its own, so that no searcher waits for the network.
struct News(Arc<Waiting>);

#[derive(Default)]
struct Waiting {
    said: Mutex<Said>,
    heard: Mutex<Heard>,
    /// Told when there is something to say.
    to_say: Notify,
    /// Nodes of what is worth telling, as the coordinator said last.
    least_nodes: AtomicU64,
    /// Nobody wants to hear or to tell anything any more.
    is_over: AtomicBool,
}

/// What is to be said next.
#[derive(Default)]
struct Said {
    told: Vec<Told>,
    path: Vec<u64>,
}

impl Waiting {
    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, reply: &v1::ShareReply) {
        self.least_nodes.store(reply.least_nodes, Ordering::Relaxed);
        let mut heard = self.heard();
        heard.settled.extend(decode_told(&reply.told));
        heard.busy = Some(decode_path(&reply.busy).collect());
    }
}

impl News {
    fn begin(link: Arc<Link>, runtime: &Handle, (job, salt): (String, u64)) -> Self {
        let waiting = Arc::new(Waiting::default());
        runtime.spawn(exchange(link, waiting.clone(), job, salt));
        Self(waiting)
    }

    fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }

    /// Its searchers are nowhere now.
    fn rest(&self) {
        self.0.said().path.clear();
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

impl Others for News {
    fn meet(&mut self, told: &[Told], path: &[u64]) -> Heard {
        let mut said = self.0.said();
        said.told.extend_from_slice(told);
        let excess = said.told.len().saturating_sub(MOST_WAITING);
        said.told.drain(..excess);
        said.path.clear();
        said.path.extend_from_slice(path);
        drop(said);
        self.0.to_say.notify_one();
        std::mem::take(&mut self.0.heard())
    }

    fn least_nodes(&self) -> u64 {
        self.0.least_nodes.load(Ordering::Relaxed)
    }
}

/// Time between two messages, given the nodes of what is worth telling.
fn step(least_nodes: u64) -> Duration {
    STEP.saturating_mul(u32::try_from(least_nodes.max(1)).unwrap_or(u32::MAX)).min(LONGEST_STEP)
}

/// Tells and hears until the search is over.
async fn exchange(link: Arc<Link>, waiting: Arc<Waiting>, job: String, salt: u64) {
    let mut from = 0;
    let mut client = link.work();
    while !waiting.is_over.load(Ordering::Relaxed) {
        let (told, path) = {
            let mut said = waiting.said();
            (std::mem::take(&mut said.told), said.path.clone())
        };
        let (told, path) = (Bytes::from(encode_told(&told)), Bytes::from(encode_path(&path)));
        let worker = link.session.worker();
        let request = v1::ShareRequest { worker, job: job.clone(), salt, told, from, path };
        match client.share(request).await {
            Ok(reply) => {
                let reply = reply.into_inner();
                from = reply.next;
                waiting.note(&reply);
                if !reply.more {
                    tokio::time::sleep(step(reply.least_nodes)).await;
                    // Either is a reason to go on.
                    let _ = tokio::time::timeout(IDLE, waiting.to_say.notified()).await;
                }
            }
            Err(status) if status.code() == Code::FailedPrecondition => {
                waiting.is_over.store(true, Ordering::Relaxed);
            }
            // What was not told is in the files, and whoever is not known registers again by itself.
            Err(status) => {
                tracing::debug!("not told: {}", status.message());
                tokio::time::sleep(IDLE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_many_to_tell_tells_them_less_often() {
        assert_eq!([0, 1, 4].map(step), [STEP, STEP, 4 * STEP]);
        assert_eq!([1000, u64::MAX].map(step), [LONGEST_STEP; 2]);
    }
}
