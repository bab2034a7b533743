//! Replicas of games: the layers that tasks need are added as soon as they are valued by all workers together.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use antichain_common::job::Side;
use antichain_common::job::task::{Effort, Engine, Replica};
use antichain_common::store::BlockImage;
use antichain_proto::v1;

use crate::error::Undone;
use crate::fetch::Place;
use crate::shop::Shop;

/// A replica that tasks read while nobody adds to it.
pub struct AtHand {
    replica: RwLock<Box<dyn Replica>>,
    /// Its memory, known without waiting.
    bytes: AtomicU64,
    used: Mutex<Instant>,
}

impl AtHand {
    /// To read.
    pub fn read(&self) -> RwLockReadGuard<'_, Box<dyn Replica>> {
        self.replica.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Box<dyn Replica>> {
        self.replica.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The replicas of a worker.
pub struct Replicas {
    /// By job; the one used last is at the end.
    at_hand: Mutex<VecDeque<(String, Arc<AtHand>)>>,
    memory: u64,
}

impl Replicas {
    /// None yet, of a worker with so many bytes of memory.
    pub fn new(memory: u64) -> Self {
        Self { at_hand: Mutex::default(), memory }
    }

    /// The replica of a job, if it is about a game.
    pub fn of(&self, job: &str, engine: &dyn Engine) -> Option<Arc<AtHand>> {
        let mut at_hand = self.at_hand();
        let known = at_hand.iter().position(|(other, _)| other == job).and_then(|at| at_hand.remove(at));
        let found = match known {
            Some((_, found)) => found,
            None => Arc::new(AtHand {
                replica: RwLock::new(engine.replica()?),
                bytes: AtomicU64::new(0),
                used: Mutex::new(Instant::now()),
            }),
        };
        *found.used() = Instant::now();
        at_hand.push_back((job.to_owned(), found.clone()));
        Some(found)
    }

    /// Lets go of those that were not used for so long: their jobs are over, or others do them.
    pub fn let_go_after(&self, time: Duration) {
        // One that is in use has been taken by somebody.
        let keep = |replica: &Arc<AtHand>| Arc::strong_count(replica) > 1 || replica.used().elapsed() < time;
        self.at_hand().retain(|(_, replica)| keep(replica));
    }

    /// Lets go of those that were not used for longest, as long as all together are too large.
    pub fn keep_to_memory(&self) {
        let mut at_hand = self.at_hand();
        let bytes = |at_hand: &VecDeque<(String, Arc<AtHand>)>| {
            at_hand.iter().map(|(_, replica)| replica.bytes.load(Ordering::Relaxed)).sum::<u64>()
        };
        while at_hand.len() > 1 && bytes(&at_hand) > self.memory {
            at_hand.pop_front();
        }
    }

    fn at_hand(&self) -> MutexGuard<'_, VecDeque<(String, Arc<AtHand>)>> {
        self.at_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds layers to a replica.
pub struct Adding<'a> {
    /// Where files come from.
    pub shop: &'a Shop,
    /// Held by who computes; taken after a replica, never before.
    pub bench: &'a Mutex<()>,
    /// The job.
    pub job: &'a str,
    /// What may be used.
    pub effort: &'a Effort<'a>,
}

impl Adding<'_> {
    /// Adds all layers that are needed to value one. Whoever comes first does it, the others wait.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn add_up_to(&self, at_hand: &AtHand, side: Side, layer: usize) -> Result<(), Undone> {
        while at_hand.read().missing(side, layer).is_some() {
            let mut replica = at_hand.write();
            if let Some((side, layer)) = replica.missing(side, layer) {
                self.add(&mut **replica, side, layer)?;
                at_hand.bytes.store(replica.bytes(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn add(&self, replica: &mut dyn Replica, side: Side, layer: usize) -> Result<(), Undone> {
        let is_wanted = || !self.effort.interrupt.is_requested();
        if !is_wanted() {
            return Err(Undone::Unwanted);
        }
        let mut bases = Vec::new();
        let (kind, reply) = match side {
            Side::Lower => {
                let known = self.shop.layer(self.job, layer, true, &is_wanted)?;
                for shard in 0..known.reply.shards.len() {
                    bases.push(BlockImage::clone(&*self.shop.bases(self.job, (layer, &known), shard, &is_wanted)?));
                }
                (v1::FileKind::Values, known.reply.clone())
            }
            Side::Upper => {
                let kind = v1::FileKind::Duals;
                (kind, self.shop.fetcher.layer(self.job, kind, layer, &is_wanted)?)
            }
        };
        let place = |shard| Place { job: self.job.to_owned(), kind, layer, shard };
        let files = reply.shards.iter().enumerate();
        let files = files.map(|(shard, cut)| self.shop.values(&place(shard), cut, &is_wanted));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let values: Vec<&BlockImage> = files.iter().map(|image| &**image).collect();
        let _bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        match side {
            Side::Lower => replica.add_lower(&bases, &values, self.effort)?,
            Side::Upper => replica.add_upper(&values, self.effort)?,
        }
        drop(files);
        (0..reply.shards.len()).for_each(|shard| self.shop.made.is_in_table(&place(shard)));
        Ok(())
    }
}
