//! `antichain submit`: hands a question to a coordinator.

use antichain_common::job::{JobError, JobId};
use antichain_proto::v1::{JobState, JobStatus};
use serde::Serialize;

use super::{Asked, run, search};
use crate::args::{Global, SubmitArgs};
use crate::failure::Failure;
use crate::inputs;
use crate::interrupt;
use crate::output::{document, result};
use crate::progress::Reporter;
use crate::remote::job::{answer, ended_well};
use crate::remote::{Remote, Submitted, follow, place};

/// Runs the command.
pub fn execute(global: &Global, args: &SubmitArgs) -> anyhow::Result<()> {
    let asked = match &args.search.position {
        Some(position) => Some(inputs::search::read(&args.question, &args.poset, position, global.json)?),
        None => None,
    };
    let spec = match &asked {
        Some(asked) => {
            inputs::search::check_reach(&asked.spec, args.search.force)?;
            asked.spec.clone()
        }
        None => {
            let spec = inputs::job(&args.question, &args.poset, args.limits, global.json)?;
            spec.check()?;
            spec
        }
    };
    let mut remote = Remote::connect(place::there(global)?)?;
    let submitted = remote.submit(&spec, args.keep_values, args.budget.budget)?;
    if args.wait {
        return wait(global, &mut remote, &submitted, (asked.as_ref(), args.budget.budget.is_some()));
    }
    let job = submitted.job;
    if global.json { document(&SubmitDocument { job: &job }) } else { Ok(result(&format!("{job}\n"))?) }
}

/// What was begun, as a JSON document.
#[derive(Debug, Serialize)]
struct SubmitDocument<'a> {
    job: &'a str,
}

/// Waits for the answer and writes it.
fn wait(
    global: &Global,
    remote: &mut Remote,
    submitted: &Submitted,
    (asked, has_budget): (Option<&Asked>, bool),
) -> anyhow::Result<()> {
    let last = until(global, remote, &submitted.job, |status| {
        // Nobody but the user lets it go on.
        if has_budget && status.state() == JobState::Paused {
            let nodes = status.search.as_ref().map_or(0, |search| search.nodes);
            return Err(JobError::OutOfBudget { job: JobId(status.job.clone()), nodes }.into());
        }
        Ok(())
    })?;
    let mut answer = answer(&last).ok_or_else(|| remote.not_understood("an answer"))?;
    answer.resumed |= submitted.is_finished;
    match asked {
        Some(asked) => search::tell(global, asked, &answer),
        None => run::tell(global, &answer),
    }
}

/// Follows a job until it finishes, with its progress on standard error; one that ends otherwise is an error.
pub(super) fn to_the_end(global: &Global, remote: &mut Remote, job: &str) -> anyhow::Result<JobStatus> {
    until(global, remote, job, |_| Ok(()))
}

/// The same, until `check` has something against it.
fn until(
    global: &Global,
    remote: &mut Remote,
    job: &str,
    check: impl Fn(&JobStatus) -> anyhow::Result<()>,
) -> anyhow::Result<JobStatus> {
    interrupt::say_farewell(Failure::left_running(job), global.json);
    let reporter = Reporter::start(global);
    let last = follow(global, remote, job, |status| {
        reporter.report_job(status);
        check(status)
    })?;
    ended_well(&last)?;
    Ok(last)
}
