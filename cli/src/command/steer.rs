//! `antichain pause`, `resume`, `cancel`: what can be done with a job of a coordinator; and `rm`, of a data directory too.

use antichain_common::job;
use antichain_proto::v1::JobStatus;
use serde::Serialize;

use super::status::StatusDocument;
use crate::args::{Global, JobArgs};
use crate::data;
use crate::output::{document, result};
use crate::progress::job::state;
use crate::remote::{Place, Remote, RemoteError, place};
use crate::sizes::Bytes;

/// Runs `pause`, `resume` or `cancel`, as `call` says, and writes where the job stands then.
pub fn execute(
    global: &Global,
    args: &JobArgs,
    call: impl FnOnce(&Remote, &str) -> Result<JobStatus, RemoteError>,
) -> anyhow::Result<()> {
    let remote = Remote::connect(place::there(global)?)?;
    let status = call(&remote, &args.job)?;
    if global.json {
        return document(&StatusDocument::from(&status));
    }
    Ok(result(&format!("{}: {}\n", status.job, state(&status)))?)
}

/// Runs `rm`.
pub fn remove(global: &Global, args: &JobArgs) -> anyhow::Result<()> {
    let job = &args.job;
    let bytes = match place::either(global)? {
        Place::Here(directory) => job::remove(&data::open_existing(&directory)?, job)?,
        Place::There(target) => Remote::connect(target)?.remove(job)?,
    };
    if global.json {
        return document(&RemovedDocument { job, bytes });
    }
    Ok(result(&format!("{job} is removed, {} are free again\n", Bytes(bytes)))?)
}

/// What is gone, as a JSON document.
#[derive(Debug, Serialize)]
struct RemovedDocument<'a> {
    job: &'a str,
    /// Bytes of disk that are free again.
    bytes: u64,
}
