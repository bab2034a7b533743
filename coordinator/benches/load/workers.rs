//! Workers that ask, wait as if they computed, and deliver.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antichain_coordinator::ledger::TaskId;
use antichain_proto::connect::{Connection, Target, connect};
use antichain_proto::v1::deliver_request::Part;
use antichain_proto::v1::work_client::WorkClient;
use antichain_proto::{ENGINE, PROTOCOL, v1};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::engine::findings;

/// Name of the threads that simulate.
pub const SIMULATED: &str = "simulated";
/// Time between signs of life: a third of a lease.
const BEAT: Duration = Duration::from_secs(5);
/// How long a worker waits for a task.
const WAIT_MILLIS: u64 = 20_000;

/// Tasks and epochs of results that were acknowledged.
pub type Acknowledged = Vec<(TaskId, u64)>;

/// How many workers do what.
#[derive(Clone)]
pub struct Load {
    pub target: Target,
    pub workers: usize,
    pub connections: usize,
    /// Tasks that a worker asks for at a time.
    pub most: u32,
    /// Results of all workers in a second; `None` if a task takes no time.
    pub rate: Option<f64>,
    pub duration: Duration,
    /// Results that may still be delivered: a job that is done has no tasks to be asked about.
    pub left: Arc<AtomicUsize>,
}

impl Load {
    /// Whether one more result may be delivered.
    fn take_one(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

/// What became of it.
#[derive(Default)]
pub struct Tally {
    pub acknowledged: Acknowledged,
    pub given: u64,
    pub refused: u64,
    pub register: Vec<Duration>,
    pub acquire: Vec<Duration>,
    pub deliver: Vec<Duration>,
    pub elapsed: Duration,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.given += other.given;
        self.refused += other.refused;
        self.register.extend(other.register);
        self.acquire.extend(other.acquire);
        self.deliver.extend(other.deliver);
    }
}

/// Runs the workers, all at the same time.
pub async fn run(load: &Load) -> Tally {
    let mut connections = Vec::new();
    for _ in 0..load.connections {
        connections.push(connect(&load.target).await.expect("a connection"));
    }
    let start = Instant::now();
    let mut workers = JoinSet::new();
    for number in 0..load.workers {
        let client = WorkClient::new(connections[number % connections.len()].clone());
        workers.spawn(Worker { client, number, load: load.clone(), start, tally: Tally::default() }.run());
    }
    let mut tally = Tally::default();
    while let Some(done) = workers.join_next().await {
        tally.add(done.expect("a worker"));
    }
    tally.elapsed = start.elapsed();
    tally
}

struct Worker {
    client: WorkClient<Connection>,
    number: usize,
    load: Load,
    start: Instant,
    tally: Tally,
}

impl Worker {
    async fn run(mut self) -> Tally {
        let worker = self.register().await;
        let held: Arc<Mutex<Vec<u64>>> = Arc::default();
        let beating = tokio::spawn(beat(self.client.clone(), worker, held.clone()));
        let end = self.start + self.load.duration;
        let every = self.load.rate.map(|rate| Duration::from_secs_f64(self.load.workers as f64 / rate));
        // Not all at once.
        let share = self.number as f64 / self.load.workers as f64;
        let mut due = self.start + every.unwrap_or_default().mul_f64(share);
        'all: while Instant::now() < end {
            let Some(leases) = self.acquire(worker, end).await else { break };
            *held.lock().unwrap_or_else(PoisonError::into_inner) = leases.iter().map(|lease| lease.epoch).collect();
            for lease in leases {
                if let Some(every) = every {
                    sleep_until(due.min(end)).await;
                    due += every;
                }
                if Instant::now() >= end || !self.load.take_one() {
                    break 'all;
                }
                self.deliver(worker, &lease).await;
                held.lock().unwrap_or_else(PoisonError::into_inner).retain(|&epoch| epoch != lease.epoch);
            }
        }
        beating.abort();
        self.tally
    }

    async fn register(&mut self) -> u64 {
        let request = v1::RegisterRequest {
            protocol: PROTOCOL,
            engine: ENGINE.to_owned(),
            host: "simulated".to_owned(),
            process: self.number as u32,
            threads: 8,
            memory: 8 << 30,
            instance: self.number as u64 + 1,
            ..v1::RegisterRequest::default()
        };
        let asked = Instant::now();
        let reply = self.client.register(request).await.expect("a registration");
        self.tally.register.push(asked.elapsed());
        reply.into_inner().worker
    }

    /// Tasks; `None` if none came in time.
    async fn acquire(&mut self, worker: u64, end: Instant) -> Option<Vec<v1::Lease>> {
        let request = v1::AcquireRequest { worker, most: self.load.most, wait_millis: WAIT_MILLIS };
        let asked = Instant::now();
        let reply = timeout_at(end, self.client.acquire(request)).await.ok()?.expect("tasks");
        self.tally.acquire.push(asked.elapsed());
        let leases = reply.into_inner().leases;
        self.tally.given += leases.len() as u64;
        Some(leases)
    }

    async fn deliver(&mut self, worker: u64, lease: &v1::Lease) {
        let &v1::Lease { task, epoch, shard, .. } = lease;
        let opening = v1::Opening { worker, task, epoch, findings: findings(shard as usize).into(), file: None };
        let message = v1::DeliverRequest { part: Some(Part::Opening(opening)) };
        let asked = Instant::now();
        let reply = self.client.deliver(tokio_stream::once(message)).await.expect("an answer").into_inner();
        self.tally.deliver.push(asked.elapsed());
        match reply.verdict() {
            v1::Verdict::Accepted => self.tally.acknowledged.push((TaskId(task), epoch)),
            _ => self.tally.refused += 1,
        }
    }
}

/// Gives signs of life until it is aborted.
async fn beat(mut client: WorkClient<Connection>, worker: u64, held: Arc<Mutex<Vec<u64>>>) {
    loop {
        sleep(BEAT).await;
        let epochs = held.lock().unwrap_or_else(PoisonError::into_inner).clone();
        client.heartbeat(v1::HeartbeatRequest { worker, epochs }).await.expect("an answer");
    }
}
