//! `antichain worker`: works for a coordinator until it is told to stop.

use antichain_worker::{Settings, run};

use super::{CoordinatorError, all_cores, budget};
use crate::args::{Global, WorkerArgs};
use crate::interrupt;
use crate::remote::place;

/// Runs the command.
pub fn execute(global: &Global, args: &WorkerArgs) -> anyhow::Result<()> {
    let target = place::target(global)?;
    if let Some(address) = args.peer_listen
        && !address.ip().is_loopback()
        && target.identity.is_none()
        && !args.insecure
    {
        return Err(CoordinatorError::Open(address).into());
    }
    // Without a folder of its own to keep, it takes one that goes with it.
    let temporary = std::env::temp_dir().join(format!("antichain-worker-{}", std::process::id()));
    let settings = Settings {
        target,
        host: host(),
        threads: args.threads.unwrap_or_else(all_cores).get(),
        memory: budget(args.memory).0,
        data: global.data.clone().unwrap_or_else(|| temporary.clone()),
        cache: global.data.as_ref().map(|_| args.cache.0),
        peer_listen: args.peer_listen,
        drain: args.drain,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(async {
        let stop = interrupt::asked_to_drain()?;
        run(settings, stop).await.map_err(anyhow::Error::from)
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    if global.data.is_none() {
        // Nothing but room is lost if it stays.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    result
}

/// The name of this machine.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "worker".to_owned() } else { name.to_owned() }
}
