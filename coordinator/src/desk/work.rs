//! What workers ask of the desk.

use std::sync::Arc;
use std::time::Duration;

use antichain_common::job::search::Order;
use antichain_common::job::task::{Findings, Task};
use antichain_common::job::{JobId, JobSpec};
use antichain_common::store::{BlockHead, ShardReceiver, StoreError};
use tokio::sync::oneshot;

use super::clerk::{Delivered, file_key};
use super::inbox::Receiving;
use super::results::{Expected, check, digest, is_of_search};
use super::state::{Reach, State, Worker};
use super::{Desk, quota};
use crate::ledger::{Delivery, Digest, Epoch, Lease, Refusal, TaskId, WorkerId};

/// How long a worker waits for tasks that are near to what it has, before it gets what others are nearer to.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for joins: they are little work, and read much.
const PATIENCE_FOR_JOINS: Duration = Duration::from_secs(6);

/// Workers that are listed at a time: each takes some hundred bytes, also for a while after it was heard of last.
const MOST_WORKERS: usize = 1 << 16;

/// A worker that makes itself known.
pub struct Registration {
    /// Number that its process chose.
    pub instance: u64,
    /// Host and process, for people.
    pub name: String,
    /// Threads that compute.
    pub threads: u32,
    /// Bytes that tasks may use.
    pub memory: u64,
    /// Where others can fetch from it.
    pub peer: Option<String>,
    /// Tasks that it still works on.
    pub held: Vec<TaskId>,
}

/// A worker that is known.
pub struct Registered {
    /// Its number.
    pub worker: WorkerId,
    /// Time between a sign of life and the end of a lease.
    pub lease: Duration,
    /// Leases of what it still works on.
    pub leases: Vec<LeaseOffer>,
}

/// A lease with all that a worker must know of the task.
pub struct LeaseOffer {
    /// The lease.
    pub lease: Lease,
    /// The job.
    pub job: JobId,
    /// What is asked.
    pub spec: JobSpec,
    /// What is to be done.
    pub task: Task,
    /// Of the ruler on set partitions: h(1), ..., h(n - 1), where the task is about types of n.
    pub heights: Vec<u32>,
    /// Of a search.
    pub search: Option<Order>,
}

/// Why a worker does not get what it asks for.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum WorkError {
    /// It must register first, or again.
    #[error("worker {} is not registered", .0.0)]
    Unregistered(WorkerId),
    /// Its results were corrupt.
    #[error("worker {} is set aside: its results were corrupt", .0.0)]
    SetAside(WorkerId),
    /// What it tells is of no use to anybody.
    #[error("there is no search {0} with that salt any more")]
    NoSearch(JobId),
    /// A result does not agree with itself or with the task.
    #[error("the result is corrupt: {0}")]
    Corrupt(String),
    /// Nothing can be stored at the moment.
    #[error("{0}")]
    NoRoom(String),
    /// The store failed.
    #[error("the coordinator cannot store it: {0}")]
    Store(String),
    /// More than anybody has.
    #[error("there are {MOST_WORKERS} workers, and no more are taken")]
    TooManyWorkers,
    /// Of two deliveries under one lease the later one counts.
    #[error("another delivery of this result has begun")]
    Overtaken,
}

impl From<Refusal> for WorkError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unknown(worker) => Self::Unregistered(worker),
            Refusal::SetAside(worker) => Self::SetAside(worker),
        }
    }
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        if error.is_out_of_room() { Self::NoRoom(error.to_string()) } else { Self::Store(error.to_string()) }
    }
}

/// The beginning of a delivery.
pub struct Opening<'a> {
    /// Whose it is.
    pub worker: WorkerId,
    /// The task.
    pub task: TaskId,
    /// The lease.
    pub epoch: Epoch,
    /// What was found, as a JSON document.
    pub findings: &'a [u8],
    /// Header, end and length of the file, if there is one.
    pub file: Option<(&'a [u8], &'a [u8], u64)>,
}

/// A result that is being received.
pub struct Incoming {
    desk: Arc<Desk>,
    worker: WorkerId,
    task: TaskId,
    epoch: Epoch,
    findings: Findings,
    digest: Digest,
    receiving: Option<Receiving>,
}

/// Whether more is wanted of a delivery.
pub enum Opened {
    /// Its blocks.
    Receiving(Box<Incoming>),
    /// Nothing: what it is worth is clear.
    Decided(Delivery),
}

impl Desk {
    /// Makes a worker known, or known again.
    ///
    /// # Errors
    /// [`WorkError::TooManyWorkers`].
    pub fn register(&self, registration: Registration) -> Result<Registered, WorkError> {
        let Registration { instance, name, threads, memory, peer, held } = registration;
        let now = self.now();
        let mut state = self.state();
        if state.workers.len() >= MOST_WORKERS && !state.instances.contains_key(&instance) {
            return Err(WorkError::TooManyWorkers);
        }
        let worker = state.worker_of_instance(instance);
        state.ledger.register(worker, memory);
        let delivered = state.workers.get(&worker).map_or(0, |worker| worker.delivered);
        tracing::info!(worker = name, threads, "registered");
        state.workers.insert(worker, Worker { name, threads, memory, peer, seen: now, delivered });
        let has: Vec<Lease> = state.ledger.holds(worker).copied().collect();
        let (kept, lost): (Vec<_>, Vec<_>) = has.into_iter().partition(|lease| held.contains(&lease.task));
        // It never heard of these.
        let lost: Vec<Epoch> = lost.into_iter().map(|lease| lease.epoch).collect();
        state.ledger.release(worker, &lost);
        let epochs: Vec<Epoch> = kept.iter().map(|lease| lease.epoch).collect();
        state.ledger.heartbeat(worker, &epochs, now);
        let mut leases = kept;
        leases.extend(held.into_iter().filter_map(|task| state.ledger.adopt(worker, task, now)));
        state.share(now);
        let leases = offers(&state, leases);
        drop(state);
        self.news.notify_waiters();
        Ok(Registered { worker, lease: self.settings.lease, leases })
    }

    /// Tasks for a worker, if there are any now. One that has waited gets what others are nearer to, too, but one at a
    /// time: what it must read for that, they have.
    ///
    /// # Errors
    /// [`WorkError::Unregistered`], [`WorkError::SetAside`].
    pub fn acquire(&self, worker: WorkerId, most: usize, waited: Duration) -> Result<Vec<LeaseOffer>, WorkError> {
        let now = self.now();
        let mut state = self.state();
        state.see(worker, now)?;
        let reach = match waited {
            _ if state.ledger.holds(worker).count() > 1 => Reach::Near,
            waited if waited >= PATIENCE_FOR_JOINS => Reach::All,
            waited if waited >= PATIENCE => Reach::AllButJoins,
            _ => Reach::Near,
        };
        let leases = state.acquire(worker, if reach == Reach::Near { most } else { 1 }, reach, now)?;
        for lease in &leases {
            if let Some((job, task)) = state.job_of(lease.task) {
                let worker = state.name_of(worker);
                tracing::debug!(job = %job.id, %task, worker, epoch = lease.epoch.0, "handed out");
            }
        }
        Ok(offers(&state, leases))
    }

    /// A sign of life. Returns the leases that the worker has no more.
    ///
    /// # Errors
    /// [`WorkError::Unregistered`].
    pub fn heartbeat(&self, worker: WorkerId, epochs: &[Epoch]) -> Result<Vec<Epoch>, WorkError> {
        let now = self.now();
        let mut state = self.state();
        state.see(worker, now)?;
        Ok(state.ledger.heartbeat(worker, epochs, now))
    }

    /// Leases given back. One that leaves is forgotten.
    pub fn release(&self, worker: WorkerId, epochs: &[Epoch], leaves: bool) {
        let now = self.now();
        let mut state = self.state();
        state.ledger.release(worker, epochs);
        if leaves {
            state.ledger.forget_worker(worker);
            if let Some(gone) = state.workers.remove(&worker) {
                tracing::info!(worker = gone.name, "left");
                // An alarm names those whose results are stored; whoever had none is nobody's concern.
                if gone.delivered > 0 {
                    state.former.insert(worker, gone.name);
                }
            }
            state.instances.retain(|_, &mut id| id != worker);
            state.share(now);
        }
        drop(state);
        self.tasks.notify_waiters();
        self.news.notify_waiters();
    }

    /// Begins to receive a result.
    ///
    /// # Errors
    /// [`WorkError::Unregistered`]: after a restart a result may come before its worker has a new lease, and is not late;
    /// [`WorkError::Corrupt`], which counts against the worker; [`WorkError::NoRoom`], [`WorkError::Store`].
    pub fn open_delivery(self: &Arc<Self>, opening: &Opening<'_>) -> Result<Opened, WorkError> {
        let Opening { worker, task, epoch, findings, file } = *opening;
        let state = self.state();
        if !state.workers.contains_key(&worker) {
            return Err(WorkError::Unregistered(worker));
        }
        let Some((job, of)) = state.job_of(task) else { return Ok(Opened::Decided(Delivery::Unknown)) };
        let (id, engine) = (job.id.clone(), job.engine.clone());
        let course = job.course.as_ref();
        let shard = course.and_then(|course| course.cut(of.layer)?.shards.get(of.shard)).copied();
        let below = of.layer.checked_sub(1).and_then(|below| course?.width(below)).unwrap_or(1);
        let order = job.plies.as_ref().and_then(|plies| Some(plies.order(of.shard)?.position.clone()));
        let most_records = job.most_records(of);
        drop(state);
        if is_of_search(of) {
            // What was answered meanwhile, or is not wanted any more, is not held against anybody.
            match self.state().ledger.judge(worker, task, epoch, digest(of, findings, None)) {
                Delivery::Accepted => {}
                other => return Ok(Opened::Decided(other)),
            }
        }
        let head = match file.map(|(header, tail, bytes)| BlockHead::parse(header, tail, bytes)).transpose() {
            Ok(head) => head,
            Err(damage) => return Err(self.corrupt(worker, epoch, &format!("its file: {damage}"))),
        };
        if let (Some(head), Some((_, _, bytes))) = (&head, file)
            && !quota::fits(bytes, head.spec().record_bytes, most_records, self.room())
        {
            let reason = format!("a file of {bytes} bytes, which is more than {of} needs");
            // Where nobody knows what it needs, it is the room that is small.
            return Err(match most_records {
                Some(_) => self.corrupt(worker, epoch, &reason),
                None => WorkError::NoRoom(format!("{reason}, or half of the room there is")),
            });
        }
        let checked = check(&*engine, of, findings, head.as_ref(), &Expected { shard, width_below: below, order });
        let parsed = checked.map_err(|reason| self.corrupt(worker, epoch, &reason))?;
        if let Findings::Searched(searched) = &parsed
            && most_records.is_some_and(|most| searched.nodes > most)
        {
            return Err(self.corrupt(worker, epoch, &format!("more positions visited than {of} was to visit")));
        }
        let digest = digest(of, findings, head.as_ref());
        let verdict = self.state().ledger.judge(worker, task, epoch, digest);
        match verdict {
            // A second result is looked at as closely as a first, before anybody is alarmed.
            Delivery::Accepted | Delivery::Different(_) => {}
            other => return Ok(Opened::Decided(other)),
        }
        let mut receiving = None;
        if let (Some((header, tail, bytes)), Some(key)) = (file, file_key(&id, of)) {
            if let Some(reason) = self.lack_of_room(bytes) {
                return Err(WorkError::NoRoom(reason));
            }
            let received = self.store.receive_shard(&key, header, tail, bytes);
            let received = received.map_err(|error| self.receiving_failed(worker, epoch, error))?;
            receiving = Some(self.inbox.begin((worker, epoch), received));
        }
        let desk = self.clone();
        Ok(Opened::Receiving(Box::new(Incoming { desk, worker, task, epoch, findings: parsed, digest, receiving })))
    }

    /// Counts a corrupt result against a worker.
    fn corrupt(&self, worker: WorkerId, epoch: Epoch, reason: &str) -> WorkError {
        let mut state = self.state();
        state.ledger.reject(worker, epoch);
        let name = state.name_of(worker);
        let aside = state.ledger.workers_set_aside().any(|other| other == worker);
        drop(state);
        tracing::warn!(worker = name, "a corrupt result: {reason}");
        if aside {
            tracing::warn!(worker = name, "set aside: it gets nothing any more");
        }
        self.tasks.notify_waiters();
        WorkError::Corrupt(reason.to_owned())
    }

    fn receiving_failed(&self, worker: WorkerId, epoch: Epoch, error: StoreError) -> WorkError {
        match error.damaged_file() {
            Some(_) => self.corrupt(worker, epoch, &error.to_string()),
            None => error.into(),
        }
    }
}

impl Incoming {
    /// Takes whole blocks as they are stored, the next ones.
    ///
    /// # Errors
    /// As [`Desk::open_delivery`].
    pub fn push(&self, stored: &[u8]) -> Result<(), WorkError> {
        let Some(receiving) = &self.receiving else {
            return Err(self.desk.corrupt(self.worker, self.epoch, "blocks without a file"));
        };
        // Others are received at the same time.
        if let Some(reason) = self.desk.lack_of_room(0) {
            return Err(WorkError::NoRoom(reason));
        }
        let pushed = receiving.with(|file| file.push(stored)).ok_or(WorkError::Overtaken)?;
        pushed.map_err(|error| self.desk.receiving_failed(self.worker, self.epoch, error))
    }

    /// Completes the file and hands the result to the clerk; the answer comes when it is stored.
    ///
    /// # Errors
    /// As [`Desk::open_delivery`].
    pub fn finish(self) -> Result<oneshot::Receiver<Result<Delivery, WorkError>>, WorkError> {
        let Self { desk, worker, task, epoch, findings, digest, receiving } = self;
        let file = receiving.map(|receiving| receiving.take().ok_or(WorkError::Overtaken)).transpose()?;
        let record = match file.map(ShardReceiver::finish).transpose() {
            Ok(written) => written.map(antichain_common::store::Written::record),
            Err(error) => return Err(desk.receiving_failed(worker, epoch, error)),
        };
        let (reply, answer) = oneshot::channel();
        let delivered = Delivered { worker, task, epoch, findings, record, digest, reply };
        desk.clerk.send(delivered).map_err(|_| WorkError::Store("it is stopping".to_owned()))?;
        Ok(answer)
    }
}

impl State {
    /// A worker was heard of.
    fn see(&mut self, worker: WorkerId, now: Duration) -> Result<(), WorkError> {
        let known = self.workers.get_mut(&worker).ok_or(WorkError::Unregistered(worker))?;
        known.seen = now;
        Ok(())
    }
}

fn offers(state: &State, leases: Vec<Lease>) -> Vec<LeaseOffer> {
    let offer = |lease: Lease| {
        let (job, task) = state.job_of(lease.task)?;
        let heights = job.heights.iter().take(task.layer.saturating_sub(1)).copied().collect();
        let search = job.order_of(task);
        Some(LeaseOffer { lease, job: job.id.clone(), spec: job.record.spec.clone(), task, heights, search })
    };
    leases.into_iter().filter_map(offer).collect()
}
