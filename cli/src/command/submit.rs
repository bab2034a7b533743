//! `antichain submit`: hands a question to a coordinator.

use antichain_proto::v1::JobStatus;
use serde::Serialize;

use super::run;
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
    let spec = inputs::job(&args.question, &args.poset, args.limits)?;
    spec.check()?;
    let mut remote = Remote::connect(place::there(global)?)?;
    let submitted = remote.submit(&spec, args.keep_values)?;
    if args.wait {
        return wait(global, &mut remote, &submitted);
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
fn wait(global: &Global, remote: &mut Remote, submitted: &Submitted) -> anyhow::Result<()> {
    let last = to_the_end(global, remote, &submitted.job)?;
    let mut answer = answer(&last).ok_or_else(|| remote.not_understood("an answer"))?;
    answer.resumed |= submitted.is_finished;
    run::tell(global, &answer)
}

/// Follows a job until it finishes, with its progress on standard error; one that ends otherwise is an error.
pub(super) fn to_the_end(global: &Global, remote: &mut Remote, job: &str) -> anyhow::Result<JobStatus> {
    interrupt::say_farewell(Failure::left_running(job), global.json);
    let reporter = Reporter::start(global);
    let last = follow(global, remote, job, |status| {
        reporter.report_job(status);
        Ok(())
    })?;
    ended_well(&last)?;
    Ok(last)
}
