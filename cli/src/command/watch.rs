//! `antichain watch`: follows a job of a coordinator until it ends.

use std::io::IsTerminal;

use antichain_proto::v1::JobStatus;

use super::status::StatusDocument;
use crate::args::{Global, JobArgs};
use crate::output::result;
use crate::progress::{Reporter, job};
use crate::remote::job::ended_well;
use crate::remote::{Remote, follow, place};

/// Runs the command. A job that fails, or is cancelled, is an error at the end.
pub fn execute(global: &Global, args: &JobArgs) -> anyhow::Result<()> {
    let mut remote = Remote::connect(place::there(global)?)?;
    let last = if !global.json && std::io::stdout().is_terminal() && std::io::stderr().is_terminal() {
        let last = {
            let reporter = Reporter::start(global);
            follow(global, &mut remote, &args.job, |status| {
                reporter.report_job(status);
                Ok(())
            })?
        };
        result(&line(&last))?;
        last
    } else {
        let mut before = String::new();
        follow(global, &mut remote, &args.job, |status| {
            let now = if global.json { document_line(status)? } else { line(status) };
            // After an absence the coordinator begins with what may be known.
            if now != before {
                result(&now)?;
                before = now;
            }
            Ok(())
        })?
    };
    Ok(ended_well(&last)?)
}

/// A line for people.
fn line(status: &JobStatus) -> String {
    match status.answer.as_ref().and_then(|answer| answer.value.as_ref()) {
        Some(value) => format!("{}: {}, value {value}\n", status.job, job::state(status)),
        None => format!("{}: {}\n", status.job, job::line(status, true)),
    }
}

/// A line for programs.
fn document_line(status: &JobStatus) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&StatusDocument::from(status))? + "\n")
}
