//! What a coordinator can bear: one job of very many tasks, and a thousand workers that do nothing but ask and deliver.
//!
//! `cargo bench -p antichain-coordinator --bench load` runs the desk on a store behind the server, on loopback, and prints
//! what it took: first with the workers paced to 1,000 results a second, then with workers that take no time for a task,
//! then with workers that all wait because the job is paused. In the end the directory is copied as a coordinator that is
//! killed would leave it, and a desk on the copy must know every result that was acknowledged.
//!
//! `ANTICHAIN_LOAD_WORKERS`, `_TASKS`, `_RATE` (results a second), `_SECONDS` and `_UNPACED_SECONDS` change it.

mod load {
    pub mod engine;
    pub mod measure;
    pub mod restart;
    pub mod workers;
}

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use antichain_common::job::JobId;
use antichain_common::store::Store;
use antichain_coordinator::desk::{Desk, Engines};
use antichain_coordinator::ledger::Settings;
use antichain_coordinator::server::{Bound, Listen};
use antichain_proto::connect::Target;
use antichain_proto::rights::Tokens;
use antichain_proto::token::Token;
use antichain_proto::url::CoordinatorUrl;
use load::engine::{Shards, spec};
use load::measure::{Usage, peak_memory, quantile};
use load::workers::{Acknowledged, Load, SIMULATED, Tally, run};
use tokio::runtime::{Builder, Runtime};

/// Connections that the workers share.
const CONNECTIONS: usize = 64;
/// Tasks that a worker asks for at a time.
const MOST: u32 = 2;
/// Time for which all workers wait.
const WAITING: Duration = Duration::from_secs(10);

fn main() {
    let number = |name: &str, otherwise: u64| {
        let value = std::env::var(format!("ANTICHAIN_LOAD_{name}"));
        value.map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
    };
    let (workers, tasks) = (number("WORKERS", 1_000) as usize, number("TASKS", 200_000) as usize);
    let (rate, seconds) = (number("RATE", 1_000), number("SECONDS", 60));
    let unpaced = Duration::from_secs(number("UNPACED_SECONDS", 15));

    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let start = Instant::now();
    let desk = open(&data, tasks);
    let job = desk.submit(&spec(), false, None).expect("a job");
    println!("a job of {tasks} tasks was submitted in {:.2?}", start.elapsed());

    let serving = runtime("serving");
    let target = serve(&serving, desk.clone());
    let simulated = runtime(SIMULATED);
    let left = Arc::new(AtomicUsize::new(tasks - 1));
    let load = Load { target, workers, connections: CONNECTIONS, most: MOST, rate: None, duration: unpaced, left };
    let mut acknowledged = Acknowledged::new();

    let paced = Load { rate: Some(rate as f64), duration: Duration::from_secs(seconds), ..load.clone() };
    acknowledged.extend(measured(&format!("{workers} workers, {rate} results a second"), &simulated, &paced));
    acknowledged.extend(measured(&format!("{workers} workers, as fast as it goes"), &simulated, &load));
    desk.pause(&job).expect("a pause");
    measured(&format!("{workers} workers that wait"), &simulated, &Load { duration: WAITING, ..load });
    desk.resume(&job).expect("going on");
    println!("peak of memory: {} MiB, that of the simulated workers included", peak_memory() >> 20);

    restart(&data, &directory.path().join("copy"), &job, tasks, &acknowledged);
    simulated.shutdown_background();
    serving.shutdown_background();
}

fn open(data: &Path, tasks: usize) -> Arc<Desk> {
    let engines: Engines = Box::new(move |_| Ok(Arc::new(Shards { spec: spec(), shards: tasks })));
    let store = Store::open(data).expect("a store");
    Desk::open_with(store, Settings::default(), engines).expect("a desk")
}

fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).thread_name(name).enable_all().build().expect("a runtime")
}

/// Serves a desk, and says where.
fn serve(runtime: &Runtime, desk: Arc<Desk>) -> Target {
    let token = Token::random().expect("a token");
    let listen = Listen::plain(([127, 0, 0, 1], 0).into(), Tokens::of_owner(token.clone()));
    let bound = runtime.block_on(Bound::new(listen)).expect("a port");
    let url = CoordinatorUrl::new(false, "127.0.0.1", bound.address().port());
    runtime.spawn(bound.serve(desk, std::future::pending()));
    Target { token: Some(token), ..Target::new(url) }
}

/// Runs workers, prints what that took, and returns what was acknowledged.
fn measured(title: &str, simulated: &Runtime, load: &Load) -> Acknowledged {
    let before = Usage::now(SIMULATED);
    let Tally { acknowledged, given, mut acquire, mut deliver, mut register, refused, elapsed } =
        simulated.block_on(run(load));
    let used = Usage::now(SIMULATED).since(&before);
    let seconds = elapsed.as_secs_f64();
    println!("\n{title}, for {seconds:.1} s");
    println!("  given out       {:>9.0} tasks/s", given as f64 / seconds);
    println!("  stored          {:>9.0} results/s ({refused} refused)", acknowledged.len() as f64 / seconds);
    println!(
        "  coordinator     {:>9.1} % of a core ({:.2} s; the simulated workers {:.2} s)",
        100.0 * used.coordinator / seconds,
        used.coordinator,
        used.simulated
    );
    for (thread, cpu) in used.by_thread.iter().filter(|(_, cpu)| **cpu >= 0.05) {
        println!("    {thread:<15} {cpu:>7.2} s");
    }
    for (call, times) in [("register", &mut register), ("acquire", &mut acquire), ("deliver", &mut deliver)] {
        let (half, most) = (quantile(times, 0.5), quantile(times, 0.99));
        println!("  {call:<9} p50 {half:>9.2?}   p99 {most:>9.2?}   ({} calls)", times.len());
    }
    acknowledged
}

/// Opens a desk on a copy of the data as they are now, and asks it about every result.
fn restart(data: &Path, copy: &Path, job: &JobId, tasks: usize, acknowledged: &Acknowledged) {
    load::restart::copy_folder(data, copy).expect("a copy");
    let start = Instant::now();
    let desk = open(copy, tasks);
    println!("\nafter a kill the coordinator is there again in {:.2?}", start.elapsed());
    let done = desk.status(job).expect("a status").progress.done;
    let lost = load::restart::lost(&desk, acknowledged);
    println!("  {} results were acknowledged, {done} are stored, {lost} are lost", acknowledged.len());
    assert_eq!(lost, 0, "results were acknowledged and are lost");
}
