//! `antichain workers`: the workers of a coordinator.

use std::time::Duration;

use antichain_proto::v1::WorkerStatus;
use serde::Serialize;

use crate::args::Global;
use crate::output::{document, note, result, table};
use crate::remote::{Remote, place};
use crate::sizes::{Bytes, show_estimate};

/// Runs the command.
pub fn execute(global: &Global) -> anyhow::Result<()> {
    let workers = Remote::connect(place::there(global)?)?.workers()?;
    if global.json {
        return document(&workers.iter().map(WorkerDocument::from).collect::<Vec<_>>());
    }
    if workers.is_empty() {
        note("the coordinator has no workers; `antichain worker` is one");
        return Ok(());
    }
    Ok(result(&shown(&workers))?)
}

/// A worker as a JSON document.
#[derive(Debug, Serialize)]
struct WorkerDocument<'a> {
    name: &'a str,
    threads: u32,
    memory_bytes: u64,
    tasks: &'a [String],
    silent_seconds: f64,
    set_aside: bool,
    delivered: u64,
}

impl<'a> From<&'a WorkerStatus> for WorkerDocument<'a> {
    fn from(worker: &'a WorkerStatus) -> Self {
        Self {
            name: &worker.name,
            threads: worker.threads,
            memory_bytes: worker.memory,
            tasks: &worker.tasks,
            silent_seconds: worker.silent_seconds,
            set_aside: worker.set_aside,
            delivered: worker.delivered,
        }
    }
}

/// The workers for people, a line each.
fn shown(workers: &[WorkerStatus]) -> String {
    let mut rows =
        vec![["worker", "state", "threads", "memory", "tasks", "delivered", "heard of"].map(str::to_owned).to_vec()];
    rows.extend(workers.iter().map(|worker| {
        let state = match worker {
            WorkerStatus { set_aside: true, .. } => "set aside",
            WorkerStatus { gone: true, .. } => "gone",
            WorkerStatus { tasks, .. } if tasks.is_empty() => "idle",
            _ => "working",
        };
        let silent = Duration::try_from_secs_f64(worker.silent_seconds).unwrap_or_default();
        vec![
            worker.name.clone(),
            state.to_owned(),
            worker.threads.to_string(),
            Bytes(worker.memory).to_string(),
            worker.tasks.len().to_string(),
            worker.delivered.to_string(),
            format!("{} ago", show_estimate(silent)),
        ]
    }));
    table(&rows, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each() {
        let worker = WorkerStatus {
            name: "host-1".into(),
            threads: 2,
            memory: 4 << 30,
            tasks: vec!["solve 3/0".into()],
            silent_seconds: 2.0,
            set_aside: false,
            delivered: 7,
            gone: false,
        };
        let idle = WorkerStatus { name: "host-2".into(), tasks: Vec::new(), silent_seconds: 0.1, ..worker.clone() };
        assert_eq!(
            shown(&[worker, idle]),
            "worker  state    threads   memory  tasks  delivered                heard of\n\
             host-1  working        2  4.0 GiB      1          7                 2 s ago\n\
             host-2  idle           2  4.0 GiB      0          7  less than a second ago\n"
        );
    }
}
