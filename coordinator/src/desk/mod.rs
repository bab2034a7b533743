//! The desk: jobs, workers and leases of a coordinator, on one store.
//!
//! ```text
//! services ──▶ Desk ── state (one lock, microseconds)
//!                │
//!                ├──▶ clerk: stores results, a group of them a commit, and only then tells the ledger
//!                └──▶ foreman: merges, settles, completes and concludes, one step at a time
//! ```
//! What the state says to be done is stored: it is told after the commit. So a coordinator that is killed comes back with
//! everything it has ever said yes to.

mod clerk;
mod documents;
mod estimate;
mod foreman;
mod game;
mod inbox;
mod job;
mod jobs;
mod pace;
mod quota;
mod restore;
mod results;
mod ruler;
mod search;
mod shared;
mod state;
mod status;
mod steps;
mod tables;
mod tallies;
mod work;

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use antichain_common::job::JobSpec;
use antichain_common::job::task::{Engine, TaskError, engine};
use antichain_common::store::{Commit, Store, StoreError, free_space};
use tokio::sync::{Notify, watch};

use crate::course::Step;
use crate::ledger::{Settings, Time};
use crate::meters::Meters;
use crate::task_id::JobNumber;
use clerk::Delivered;
use documents::{COORDINATOR, EPOCHS};
use inbox::Inbox;
pub use jobs::JobsError;
use shared::Shared;
pub use shared::{Heard, Said};
use state::State;
pub use status::{Doing, JobStatus, Progress, WorkerStatus};
pub use tables::{LayerOfShards, ShardFiles};
pub use tallies::Tallies;
pub use work::{Incoming, LeaseOffer, Opened, Opening, Registered, Registration, WorkError};

/// Epochs that a coordinator has for itself from one start to the next.
const EPOCHS_OF_A_START: u64 = 1 << 32;
/// Bytes of disk that stay free: the catalogue must always be able to write.
const LEAST_ROOM: u64 = 32 << 20;
/// Time between two looks at leases, disk and workers.
const TICK: Duration = Duration::from_millis(500);

/// What makes the engine of a job, given what is asked.
pub type Engines = Box<dyn Fn(&JobSpec) -> Result<Arc<dyn Engine>, TaskError> + Send + Sync>;

/// See the head of this file.
pub struct Desk {
    store: Arc<Store>,
    engines: Engines,
    state: Mutex<State>,
    /// Held from a look at what became of a job until what follows from it is stored, so that a step that ends at the
    /// moment does not undo a pause, a cancellation or a removal. Taken before the state, never under it.
    storing: Mutex<()>,
    /// Held by who begins, resumes, stops or removes a job, so that two do not take up the same one. Taken before `storing`.
    steering: Mutex<()>,
    settings: Settings,
    start: Instant,
    /// Woken when there may be tasks to hand out.
    tasks: Notify,
    /// Woken when the standing or the progress of a job changes.
    news: Notify,
    /// Why the store takes nothing more, once that is so.
    broken: watch::Sender<Option<String>>,
    /// What searchers tell each other.
    shared: Shared,
    /// The files that are being received.
    inbox: Arc<Inbox>,
    /// What is counted.
    meters: Arc<Meters>,
    clerk: Sender<Delivered>,
    foreman: Sender<(JobNumber, Step)>,
}

impl Desk {
    /// Opens the desk: jobs that are not over go on.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn open(store: Store, settings: Settings) -> Result<Arc<Self>, StoreError> {
        Self::open_with(store, settings, Box::new(engine))
    }

    /// As [`open`](Self::open), with engines of another make: jobs cut in another way, or tasks that are done by others. The
    /// same ones at every start, for what is stored of a job is of use to its own engine only.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn open_with(store: Store, settings: Settings, engines: Engines) -> Result<Arc<Self>, StoreError> {
        let epochs: u64 = store.document(COORDINATOR, EPOCHS)?.unwrap_or(1);
        let mut commit = Commit::new();
        commit.put_document(COORDINATOR, EPOCHS, &(epochs + EPOCHS_OF_A_START))?;
        store.commit(commit)?;
        let (clerk, results) = channel();
        let (foreman, steps) = channel();
        let desk = Arc::new(Self {
            store: Arc::new(store),
            engines,
            state: Mutex::new(State::new(settings, epochs)),
            storing: Mutex::new(()),
            steering: Mutex::new(()),
            settings,
            start: Instant::now(),
            tasks: Notify::new(),
            news: Notify::new(),
            broken: watch::Sender::new(None),
            shared: Shared::default(),
            inbox: Arc::default(),
            meters: Arc::default(),
            clerk,
            foreman,
        });
        desk.restore_all()?;
        let (weak, named) = (Arc::downgrade(&desk), std::thread::Builder::new().name("clerk".to_owned()));
        named.spawn(move || clerk::serve(&weak, &results)).map_err(thread_failed)?;
        let (weak, named) = (Arc::downgrade(&desk), std::thread::Builder::new().name("foreman".to_owned()));
        named.spawn(move || foreman::serve(&weak, &steps)).map_err(thread_failed)?;
        let (weak, named) = (Arc::downgrade(&desk), std::thread::Builder::new().name("watchman".to_owned()));
        let watch = move || {
            while let Some(desk) = weak.upgrade() {
                desk.tick();
                drop(desk);
                std::thread::sleep(TICK);
            }
        };
        named.spawn(watch).map_err(thread_failed)?;
        Ok(desk)
    }

    /// The store, for what only reads.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Time since the desk was opened.
    pub fn now(&self) -> Time {
        self.start.elapsed()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn steering(&self) -> MutexGuard<'_, ()> {
        self.steering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn storing(&self) -> MutexGuard<'_, ()> {
        self.storing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when there may be tasks that were not there before.
    pub async fn tasks_changed(&self) {
        self.tasks.notified().await;
    }

    /// Returns when there may be something new to say of a job.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Returns when the store takes nothing more, and says why.
    pub async fn broken(&self) -> String {
        let mut broken = self.broken.subscribe();
        // The sender lives as long as the desk.
        match broken.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// The store takes nothing more: whoever serves this desk ends.
    fn give_up(&self, reason: String) {
        tracing::error!("nothing can be stored any more: {reason}");
        self.broken.send_replace(Some(reason));
        self.drain();
    }

    /// From now on nothing is handed out any more.
    pub fn drain(&self) {
        self.state().is_draining = true;
        self.tasks.notify_waiters();
        self.news.notify_waiters();
    }

    /// Whether [`drain`](Self::drain) was called.
    pub fn is_draining(&self) -> bool {
        self.state().is_draining
    }

    /// Looks after leases, room on the disk, and who is heard of.
    fn tick(self: &Arc<Self>) {
        let no_room = self.lack_of_room(0);
        let now = self.now();
        let mut state = self.state();
        let losses = state.ledger.expire(now);
        self.meters.leases_lost.add(losses.len() as u64);
        let is_news_of_tasks = !losses.is_empty() || state.no_room.is_some() != no_room.is_some();
        for loss in losses {
            let name = state.name_of(loss.worker);
            match state.job_of(loss.task) {
                Some((job, task)) if loss.set_aside => tracing::warn!(
                    job = %job.id, %task, worker = name,
                    "a task was lost with several workers and is set aside"
                ),
                Some((job, task)) => {
                    tracing::warn!(job = %job.id, %task, worker = name, "not heard of: handed out again")
                }
                None => {}
            }
        }
        state.forget_silent(now);
        state.share(now);
        let spent = state.out_of_budget();
        self.shared.keep(|job| state.job(job).is_some());
        if state.no_room.is_some() != no_room.is_some() {
            match &no_room {
                Some(reason) => tracing::warn!("{reason}"),
                None => tracing::info!("there is room on the disk again"),
            }
        }
        state.no_room = no_room;
        drop(state);
        spent.into_iter().for_each(|number| self.pause_out_of_budget(number));
        if is_news_of_tasks {
            self.tasks.notify_waiters();
        }
        self.news.notify_waiters();
    }

    /// Bytes that are free where results are stored.
    fn room(&self) -> u64 {
        free_space(self.store.directory()).unwrap_or(u64::MAX)
    }

    /// Why a file of so many bytes cannot be stored, if it cannot.
    fn lack_of_room(&self, bytes: u64) -> Option<String> {
        let free = self.room();
        (free < LEAST_ROOM.saturating_add(bytes)).then(|| {
            format!(
                "the disk of the coordinator is full: {} MiB are free in {}; work goes on when there is more",
                free >> 20,
                self.store.directory().display()
            )
        })
    }

    /// Puts steps to be done before the foreman.
    fn put_steps(&self, number: JobNumber, steps: Vec<Step>) {
        for step in steps {
            // It ends with the desk only.
            let _ = self.foreman.send((number, step));
        }
    }

    /// Lets a job go on as far as its stored findings allow.
    fn advance(&self, number: JobNumber) {
        let mut state = self.state();
        let next = state.advance(number);
        // Orders are made when somebody asks.
        let has_orders = state.jobs.get(&number).is_some_and(|job| job.plies.is_some());
        drop(state);
        self.put_steps(number, next.steps);
        // A thousand workers may wait; whoever looks again for nothing keeps the others from the lock.
        if !next.tasks.is_empty() || has_orders {
            self.tasks.notify_waiters();
        }
        self.news.notify_waiters();
    }
}

fn thread_failed(source: std::io::Error) -> StoreError {
    StoreError::Io { path: "a thread of the coordinator".into(), source }
}
