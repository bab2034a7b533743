//! The coordinator's host: a ledger, and a record that outlives it.
//!
//! A result is in the record before the ledger knows of it, and a step of epochs before any of them is given out. Only the
//! record is left after a crash.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use antichain_coordinator::ledger::{Delivery, Digest, Epoch, Ledger, Refusal, TaskId, Time, Wish, WorkerId};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};
use turmoil::net::{TcpListener, TcpStream};

use super::run::Shared;
use super::scenario::{check, digest};
use super::wire::{Reply, Request, receive, send};

/// Where it listens.
pub const PORT: u16 = 7;
/// Epochs are reserved in steps, so that not every lease is a write.
const STEP: u64 = 16;
/// What it takes to store a result.
const STORING: Duration = Duration::from_millis(50);

/// What outlives a crash.
#[derive(Default)]
pub struct Record {
    /// No epoch from this one on was ever given out.
    epochs: u64,
    results: BTreeMap<TaskId, (Digest, WorkerId)>,
}

struct Coordinator {
    shared: Rc<Shared>,
    ledger: RefCell<Ledger>,
    start: Instant,
}

/// The host's software.
///
/// # Errors
/// The port is taken, or a connection panics.
pub async fn coordinator(shared: Rc<Shared>) -> turmoil::Result {
    let coordinator = Rc::new(Coordinator::open(shared));
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let mut connections = JoinSet::new();
    let mut often = interval(Duration::from_millis(200));
    loop {
        tokio::select! {
            biased;
            accepted = listener.accept() => {
                connections.spawn_local(Rc::clone(&coordinator).serve(accepted?.0));
            }
            // A panic in a connection must not go unseen.
            Some(ended) = connections.join_next() => ended?,
            _ = often.tick() => coordinator.expire(),
        }
    }
}

impl Coordinator {
    fn open(shared: Rc<Shared>) -> Self {
        let scenario = &shared.scenario;
        let record = shared.record.borrow();
        let mut ledger = Ledger::after_restart(scenario.settings, record.epochs.max(1));
        for (task, &need) in scenario.tasks.iter().enumerate() {
            let task = TaskId(task as u64);
            match record.results.get(&task) {
                Some(&(digest, worker)) => ledger.add_done(task, need, digest, worker),
                None => ledger.add(task, need),
            }
        }
        drop(record);
        shared.watch.borrow_mut().starts();
        Self { shared, ledger: RefCell::new(ledger), start: Instant::now() }
    }

    fn now(&self) -> Time {
        self.start.elapsed()
    }

    fn expire(&self) {
        let (now, lasts) = (self.now(), self.shared.scenario.settings.lease);
        let losses = self.ledger.borrow_mut().expire(now);
        losses.iter().for_each(|loss| self.shared.watch.borrow_mut().lost(loss, now, lasts));
    }

    async fn serve(self: Rc<Self>, mut stream: TcpStream) {
        while let Ok(words) = receive(&mut stream).await {
            let Some(request) = Request::parse(&words) else { return };
            let reply = self.reply(request).await;
            if send(&mut stream, &reply.words()).await.is_err() {
                return;
            }
        }
    }

    async fn reply(&self, request: Request) -> Reply {
        match request {
            Request::Register { worker, memory } => {
                self.ledger.borrow_mut().register(WorkerId(worker), memory);
                Reply::Done
            }
            Request::Acquire { worker, most, memory, place } => {
                let distance = |task: TaskId| task.0.abs_diff(place);
                self.acquire(WorkerId(worker), Wish { most: most as usize, memory, distance: &distance })
            }
            Request::Heartbeat { worker, epochs } => {
                let epochs: Vec<Epoch> = epochs.into_iter().map(Epoch).collect();
                let gone = self.ledger.borrow_mut().heartbeat(WorkerId(worker), &epochs, self.now());
                self.shared.watch.borrow_mut().heard(WorkerId(worker), &epochs, &gone, self.now());
                Reply::Gone(gone.into_iter().map(|epoch| epoch.0).collect())
            }
            Request::Deliver { worker, epoch, value, check: sum, .. } if sum != check(value) => {
                self.ledger.borrow_mut().reject(WorkerId(worker), Epoch(epoch));
                let most = self.shared.scenario.settings.most_strikes;
                self.shared.watch.borrow_mut().rejected(WorkerId(worker), epoch, most);
                Reply::Delivered(false)
            }
            Request::Deliver { worker, task, epoch, value, .. } => {
                // The bytes first; whether they count is seen when they are there.
                sleep(STORING).await;
                self.deliver(WorkerId(worker), TaskId(task), Epoch(epoch), value)
            }
            Request::Release { worker, epochs } => {
                for epoch in epochs {
                    self.ledger.borrow_mut().release(WorkerId(worker), &[Epoch(epoch)]);
                    self.shared.watch.borrow_mut().released(WorkerId(worker), epoch);
                }
                Reply::Done
            }
            Request::Leave { worker } => {
                self.ledger.borrow_mut().forget_worker(WorkerId(worker));
                self.shared.watch.borrow_mut().left(WorkerId(worker));
                Reply::Done
            }
        }
    }

    fn acquire(&self, worker: WorkerId, wish: Wish<'_>) -> Reply {
        let mut ledger = self.ledger.borrow_mut();
        let mut record = self.shared.record.borrow_mut();
        let needed = ledger.next_epoch() + wish.most as u64;
        if needed > record.epochs {
            record.epochs = needed + STEP;
        }
        let leases = match ledger.acquire(worker, wish, self.now()) {
            Ok(leases) => leases,
            Err(Refusal::Unknown(_)) => return Reply::Unknown,
            Err(Refusal::SetAside(_)) => {
                self.shared.watch.borrow_mut().tally.refused += 1;
                return Reply::SetAside;
            }
        };
        let scenario = &self.shared.scenario;
        let memory = scenario.workers[worker.0 as usize].memory.min(wish.memory);
        for lease in &leases {
            let need = scenario.tasks[lease.task.0 as usize];
            let durable = record.results.contains_key(&lease.task);
            self.shared.watch.borrow_mut().leased(lease, need, memory, durable, scenario.settings.most_strikes);
        }
        Reply::Leases(leases.iter().flat_map(|lease| [lease.task.0, lease.epoch.0]).collect())
    }

    fn deliver(&self, worker: WorkerId, task: TaskId, epoch: Epoch, value: u64) -> Reply {
        let mut ledger = self.ledger.borrow_mut();
        let mut watch = self.shared.watch.borrow_mut();
        let digest = digest(value);
        let judged = ledger.judge(worker, task, epoch, digest);
        if judged == Delivery::Accepted {
            self.shared.record.borrow_mut().results.insert(task, (digest, worker));
        }
        let delivery = ledger.deliver(worker, task, epoch, digest, self.now());
        if delivery != judged {
            watch.faults.push(format!("{task:?} is judged {judged:?}, and {delivery:?} when it is delivered"));
        }
        watch.delivered(task, worker, epoch.0, value, delivery);
        Reply::Delivered(matches!(delivery, Delivery::Accepted | Delivery::Identical))
    }
}
