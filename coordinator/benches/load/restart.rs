//! What is left when a coordinator is killed.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use antichain_coordinator::desk::{Desk, Opened, Opening};
use antichain_coordinator::ledger::{Delivery, Epoch, WorkerId};
use antichain_coordinator::task_id::task_of;

use super::engine::findings;
use super::workers::Acknowledged;

/// Copies the files of a folder as they are.
///
/// # Errors
/// Errors of reading and writing.
pub fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &there)?;
        } else {
            fs::copy(entry.path(), there)?;
        }
    }
    Ok(())
}

/// How many of these results a desk does not have, byte for byte.
pub fn lost(desk: &Arc<Desk>, acknowledged: &Acknowledged) -> usize {
    let is_lost = |&&(task, epoch): &&(_, _)| {
        let findings = task_of(task).map(|(_, task)| findings(task.shard)).unwrap_or_default();
        let opening = Opening { worker: WorkerId(1), task, epoch: Epoch(epoch), findings: &findings, file: None };
        !matches!(desk.open_delivery(&opening), Ok(Opened::Decided(Delivery::Identical)))
    };
    acknowledged.iter().filter(is_lost).count()
}
