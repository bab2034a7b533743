//! `antichain jobs`: what is in the data directory, or at a coordinator.

use std::path::Path;

use antichain_common::job::{self, JobSummary, Question};
use serde::Serialize;

use super::LimitsDocument;
use super::status::StatusDocument;
use crate::args::Global;
use crate::data;
use crate::output::{document, note, result, table};
use crate::progress::job::line;
use crate::remote::{Place, Remote, place};

/// Runs the command.
pub fn execute(global: &Global) -> anyhow::Result<()> {
    match place::either(global)? {
        Place::Here(directory) => here(global, &directory),
        Place::There(target) => there(global, &Remote::connect(target)?),
    }
}

fn here(global: &Global, directory: &Path) -> anyhow::Result<()> {
    let jobs = match data::open_if_there(directory)? {
        Some(store) => job::jobs(&store)?,
        None => Vec::new(),
    };
    if global.json {
        return document(&jobs.iter().map(JobDocument::from).collect::<Vec<_>>());
    }
    if jobs.is_empty() {
        note(&format!("there are no jobs in {}", directory.display()));
        return Ok(());
    }
    let rows: Vec<_> = jobs.iter().map(|job| vec![job.job.to_string(), state(job).to_owned()]).collect();
    Ok(result(&table(&rows, 2))?)
}

fn there(global: &Global, remote: &Remote) -> anyhow::Result<()> {
    let jobs = remote.list()?;
    if global.json {
        return document(&jobs.iter().map(StatusDocument::from).collect::<Vec<_>>());
    }
    if jobs.is_empty() {
        note("the coordinator has no jobs");
        return Ok(());
    }
    let rows: Vec<_> = jobs.iter().map(|status| vec![status.job.clone(), line(status, true)]).collect();
    Ok(result(&table(&rows, 2))?)
}

/// A job of the data directory as a JSON document.
#[derive(Debug, Serialize)]
struct JobDocument<'a> {
    job: String,
    question: Question,
    poset: &'a str,
    #[serde(flatten)]
    limits: LimitsDocument,
    state: &'static str,
}

impl<'a> From<&'a JobSummary> for JobDocument<'a> {
    fn from(job: &'a JobSummary) -> Self {
        Self {
            job: job.job.to_string(),
            question: job.spec.question,
            poset: &job.spec.poset,
            limits: job.spec.limits.into(),
            state: state(job),
        }
    }
}

/// One word for where a job stands.
fn state(job: &JobSummary) -> &'static str {
    if job.finished { "finished" } else { "unfinished" }
}
