//! A worker from its start to its end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use antichain_proto::connect::Target;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::cache::BlockCache;
use crate::calls::Calls;
use crate::error::WorkerError;
use crate::fetch::Fetcher;
use crate::lanes::{Assignment, LANES, Lanes};
use crate::link::Link;
use crate::made::Made;
use crate::peers;
use crate::session::Session;
use crate::shop::Shop;

/// Tasks in hand: one for each lane, and one that waits.
const MOST_HELD: usize = LANES + 1;
/// Time after which the valued layers of a game that nobody needed are let go: to fetch them again takes minutes.
const UNUSED: Duration = Duration::from_secs(600);
/// How long the last call may take, and threads to see that they are to end.
const LAST_CALL: Duration = Duration::from_secs(5);
const LAST_LOOK: Duration = Duration::from_secs(1);
/// Share of the memory for files of values made here.
const MADE_SHARE: u64 = 4;

/// How a worker works.
pub struct Settings {
    /// The coordinator.
    pub target: Target,
    /// Name of this machine.
    pub host: String,
    /// Threads that compute.
    pub threads: usize,
    /// Memory in bytes that tasks may use.
    pub memory: u64,
    /// A folder of its own.
    pub data: PathBuf,
    /// Bytes of a cache in it, of what was made and fetched; none if there is none.
    pub cache: Option<u64>,
    /// Where other workers may fetch from this one.
    pub peer_listen: Option<SocketAddr>,
    /// Time that a task in hand has when the worker is to stop.
    pub drain: Duration,
}

/// Works until `stop` comes.
///
/// # Errors
/// [`WorkerError`].
pub async fn run(settings: Settings, stop: impl Future<Output = ()>) -> Result<(), WorkerError> {
    // It locks the folder: nothing in there is touched before, for another worker may have it.
    let cache = match settings.cache {
        Some(bytes) => Some(BlockCache::open(&settings.data.join("cache"), bytes)?),
        None => None,
    };
    let scratch = settings.data.join("scratch");
    let folder = |source| WorkerError::Folder { folder: scratch.clone(), source };
    // What a killed worker left there is of no use.
    match std::fs::remove_dir_all(&scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(folder(error)),
        _ => {}
    }
    std::fs::create_dir_all(&scratch).map_err(folder)?;
    let made = Arc::new(Made::new(settings.memory / MADE_SHARE, settings.peer_listen.is_some()));
    let session = Arc::new(Session::default());
    let mut peer_address = String::new();
    if let Some(address) = settings.peer_listen {
        peer_address = peers::serve(address, &settings.target, session.clone(), made.clone()).await?;
        tracing::info!("other workers can fetch from {peer_address}");
    }
    let refused = |what, reason: String| WorkerError::System { what, reason };
    let instance = getrandom::u64().map_err(|error| refused("random numbers", error.to_string()))?;
    let mut stop = std::pin::pin!(stop);
    let link = tokio::select! {
        link = Link::open(&settings, instance, peer_address, session) => link?,
        () = &mut stop => return Ok(()),
    };
    let (failed, mut failure) = mpsc::channel(1);
    let (calls, end) = Calls::new(Handle::current());
    let fetcher = Fetcher::new(link.clone(), calls.clone());
    let lanes = Arc::new(Lanes {
        link: link.clone(),
        shop: Shop::new(fetcher, made, cache, settings.memory),
        threads: settings.threads,
        memory: settings.memory,
        scratch,
        runtime: Handle::current(),
        calls,
        bench: Mutex::new(()),
        done: tokio::sync::Notify::new(),
        failed,
    });
    let (tasks, received) = std::sync::mpsc::channel();
    let received = Arc::new(Mutex::new(received));
    let mut threads = Vec::new();
    for number in 0..LANES {
        let (lanes, received) = (lanes.clone(), received.clone());
        let thread = std::thread::Builder::new().name(format!("lane {number}"));
        let spawned = thread.spawn(move || lanes.serve(&received));
        threads.push(spawned.map_err(|error| refused("a thread", error.to_string()))?);
    }
    let ended = tokio::select! {
        error = link.beat() => error,
        error = hand_out(&link, &lanes, &tasks) => error,
        Some(error) = failure.recv() => Err(error),
        () = &mut stop => Ok(()),
    };
    drop(tasks);
    if ended.is_ok() {
        drain(&link, &lanes, settings.drain).await;
    } else {
        link.session.stop_all();
    }
    end.now();
    // One that computes sees that it is to stop; whoever takes longer is left alone.
    let _ = tokio::time::timeout(LAST_LOOK, all_finished(&threads)).await;
    ended
}

async fn all_finished(threads: &[std::thread::JoinHandle<()>]) {
    while !threads.iter().all(std::thread::JoinHandle::is_finished) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Asks for tasks whenever a lane is about to be free.
async fn hand_out(link: &Link, lanes: &Lanes, tasks: &std::sync::mpsc::Sender<Assignment>) -> Result<(), WorkerError> {
    loop {
        let free = MOST_HELD.saturating_sub(link.session.len());
        if free == 0 {
            // What is missed is noticed soon.
            let _ = tokio::time::timeout(Duration::from_millis(100), lanes.done.notified()).await;
            continue;
        }
        lanes.shop.replicas.let_go_after(UNUSED);
        lanes.shop.searches.let_go_after(UNUSED);
        for lease in link.acquire(free as u32).await? {
            if let Some(interrupt) = link.session.take(&lease)
                && tasks.send(Assignment { lease, interrupt }).is_err()
            {
                return Ok(());
            }
        }
    }
}

/// Lets the tasks in hand end, within some time, and leaves.
async fn drain(link: &Link, lanes: &Lanes, time: Duration) {
    let held = link.session.len();
    if held > 0 {
        tracing::info!("stopping: {held} tasks in hand have {} s", time.as_secs());
    }
    let until = tokio::time::Instant::now() + time;
    let beat = link.beat();
    tokio::pin!(beat);
    while link.session.len() > 0 && tokio::time::Instant::now() < until {
        tokio::select! {
            _ = &mut beat => break,
            _ = tokio::time::timeout(Duration::from_millis(50), lanes.done.notified()) => {}
        }
    }
    link.session.stop_all();
    // Should nobody answer, the leases end by themselves.
    let _ = tokio::time::timeout(LAST_CALL, link.release(link.session.epochs(), true)).await;
}
