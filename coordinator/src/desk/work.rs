//! What workers ask of the desk.

use std::sync::Arc;
use std::time::Duration;

use antichain_common::job::search::Order;
use antichain_common::job::task::{Engine, Findings, Solved, Task, TaskKind};
use antichain_common::job::{JobId, JobSpec, Question, ValuedShard};
use antichain_common::recurrence::limbs::WIDTHS;
use antichain_common::store::{BlockHead, ShardReceiver, StoreError};
use tokio::sync::oneshot;

use super::clerk::{Delivered, file_key};
use super::estimate::check_sampled;
use super::ruler::check_surveyed;
use super::search::{check_proved, check_searched};
use super::state::{Reach, State, Worker};
use super::{Desk, quota};
use crate::course::CutShard;
use crate::ledger::{Delivery, Digest, Epoch, Lease, Refusal, TaskId, WorkerId};

/// How long a worker waits for tasks that are near to what it has, before it gets what others are nearer to.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for joins: they are little work, and read much.
const PATIENCE_FOR_JOINS: Duration = Duration::from_secs(6);

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
    receiver: Option<ShardReceiver>,
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
    pub fn register(&self, registration: Registration) -> Registered {
        let Registration { instance, name, threads, memory, peer, held } = registration;
        let now = self.now();
        let mut state = self.state();
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
        Registered { worker, lease: self.settings.lease, leases }
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
                state.former.insert(worker, gone.name);
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
        let mut receiver = None;
        if let (Some((header, tail, bytes)), Some(key)) = (file, file_key(&id, of)) {
            if let Some(reason) = self.lack_of_room(bytes) {
                return Err(WorkError::NoRoom(reason));
            }
            let receiving = self.store.receive_shard(&key, header, tail, bytes);
            receiver = Some(receiving.map_err(|error| self.receiving_failed(worker, epoch, error))?);
        }
        let desk = self.clone();
        Ok(Opened::Receiving(Box::new(Incoming { desk, worker, task, epoch, findings: parsed, digest, receiver })))
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
    pub fn push(&mut self, stored: &[u8]) -> Result<(), WorkError> {
        let Some(receiver) = &mut self.receiver else {
            return Err(self.desk.corrupt(self.worker, self.epoch, "blocks without a file"));
        };
        // Others are received at the same time.
        if let Some(reason) = self.desk.lack_of_room(0) {
            return Err(WorkError::NoRoom(reason));
        }
        receiver.push(stored).map_err(|error| self.desk.receiving_failed(self.worker, self.epoch, error))
    }

    /// Completes the file and hands the result to the clerk; the answer comes when it is stored.
    ///
    /// # Errors
    /// As [`Desk::open_delivery`].
    pub fn finish(self) -> Result<oneshot::Receiver<Result<Delivery, WorkError>>, WorkError> {
        let Self { desk, worker, task, epoch, findings, digest, receiver } = self;
        let record = match receiver.map(ShardReceiver::finish).transpose() {
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

fn is_of_search(task: Task) -> bool {
    matches!(task.kind, TaskKind::Search | TaskKind::Prove)
}

/// The digest of a result: of what was found and of the contents of its file. What a search visits depends on what others told
/// it, and whether its answer is true is seen in the proof: so all answers of an order are the same answer.
fn digest(task: Task, findings: &[u8], head: Option<&BlockHead>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    if is_of_search(task) {
        return *hasher.finalize().as_bytes();
    }
    hasher.update(findings);
    if let Some(head) = head {
        hasher.update(&head.payload_digest());
    }
    *hasher.finalize().as_bytes()
}

/// What a coordinator knows of a task beforehand.
struct Expected {
    shard: Option<CutShard>,
    width_below: usize,
    /// The position that is searched.
    order: Option<String>,
}

/// The findings, if they are of the task and agree with the file.
fn check(
    engine: &dyn Engine,
    task: Task,
    findings: &[u8],
    head: Option<&BlockHead>,
    expected: &Expected,
) -> Result<Findings, String> {
    let Expected { shard, width_below, order } = expected;
    let (shard, width_below) = (*shard, *width_below);
    let findings: Findings = serde_json::from_slice(findings).map_err(|error| format!("its findings: {error}"))?;
    let (kind, has_file) = match &findings {
        Findings::Whole(certificate) if certificate.spec == *engine.spec() && certificate.job == engine.spec().id() => {
            (TaskKind::Whole, false)
        }
        Findings::Whole(_) => return Err("a certificate of another job".to_owned()),
        Findings::Enumerated { .. } => (TaskKind::Enumerate, true),
        Findings::Joined { .. } => (TaskKind::Join, false),
        Findings::Solved(solved) => {
            check_solved(solved, head, shard, width_below)?;
            let found = (solved.values.is_some(), solved.positions.is_some());
            let question = engine.spec().question;
            if found != (question == Question::Extensions, question.is_game()) {
                return Err("values of another question".to_owned());
            }
            (TaskKind::Solve, engine.has_values())
        }
        Findings::Surveyed(surveyed) => {
            if engine.spec().question != Question::Ruler {
                return Err("types of another question".to_owned());
            }
            check_surveyed(surveyed, task, shard)?;
            (TaskKind::Solve, false)
        }
        Findings::Sampled(sampled) => {
            if engine.spec().question != Question::Estimate {
                return Err("batches of another question".to_owned());
            }
            check_sampled(sampled, engine.spec(), shard)?;
            (TaskKind::Solve, false)
        }
        Findings::Searched(searched) => {
            check_searched(searched, engine, order.as_deref(), head)?;
            (TaskKind::Search, true)
        }
        Findings::Proved(certificate) => {
            check_proved(certificate, engine.spec(), head)?;
            (TaskKind::Prove, true)
        }
        Findings::Confused => (TaskKind::Prove, false),
        Findings::Duals(valued) => {
            let slots = shard.ok_or("a shard that is not cut yet")?.slots;
            check_valued(valued, head.ok_or("values without a file")?, slots)?;
            (TaskKind::Duals, true)
        }
    };
    if kind != task.kind {
        return Err(format!("findings of another kind than {task}"));
    }
    if has_file != head.is_some() {
        return Err(format!("{task} {} a file", if has_file { "needs" } else { "has not" }));
    }
    Ok(findings)
}

fn check_solved(
    solved: &Solved,
    head: Option<&BlockHead>,
    shard: Option<CutShard>,
    width_below: usize,
) -> Result<(), String> {
    let expected = shard.ok_or("a shard that is not cut yet")?;
    if (solved.bases, solved.slots) != (expected.bases, expected.slots) {
        return Err(format!(
            "{} bases and {} slots, not {} and {}",
            solved.bases, solved.slots, expected.bases, expected.slots
        ));
    }
    match (&solved.values, &solved.positions, head) {
        (None, None, None) => Ok(()),
        (None, Some(valued), Some(head)) => check_valued(valued, head, expected.slots),
        (Some(values), None, Some(head)) => {
            let digest = blake3::Hash::from_bytes(head.payload_digest()).to_hex();
            let width = values.width;
            if !WIDTHS.contains(&width) || width < width_below || head.spec().record_bytes as usize != 8 * width {
                return Err(format!("values of {width} limbs"));
            }
            if head.count() != solved.slots || *digest != *values.digest {
                return Err("values that are not those of its file".to_owned());
            }
            Ok(())
        }
        _ => Err("values without a file, or a file without values".to_owned()),
    }
}

/// Whether the values of a shard of a game are those of its file.
fn check_valued(valued: &ValuedShard, head: &BlockHead, slots: u64) -> Result<(), String> {
    let ValuedShard { shard, .. } = valued;
    let digest = blake3::Hash::from_bytes(head.payload_digest()).to_hex();
    if shard.slots != slots {
        return Err(format!("{} slots, not {slots}", shard.slots));
    }
    if head.count() != slots || head.spec().record_bytes != 1 || *digest != *shard.digest {
        return Err("values that are not those of its file".to_owned());
    }
    Ok(())
}
