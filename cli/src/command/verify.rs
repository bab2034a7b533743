//! `antichain verify`: checks a finished job again.

use antichain_common::job::{self, Verification};
use serde::Serialize;

use crate::args::{Global, VerifyArgs};
use crate::output::{document, result};
use crate::remote::{Place, Remote, place};
use crate::{data, interrupt};

/// What stands before a check that holds.
const PASSED: &str = "ok";

/// What stands before one that does not.
const FAILED: &str = "FAILED";

/// Checks did not hold.
#[derive(Debug, thiserror::Error)]
#[error("{failed} of {checks} checks of {job} failed")]
pub struct VerifyFailed {
    /// The job.
    pub job: String,
    failed: usize,
    checks: usize,
}

/// Runs the command.
pub fn execute(global: &Global, args: &VerifyArgs) -> anyhow::Result<()> {
    let verification = match place::either(global)? {
        Place::Here(directory) => {
            let store = data::open_existing(&directory)?;
            let verification = job::verify(&store, &args.job, interrupt::stop_at_safe_point(global.json))?;
            if !global.json {
                result(&shown(&args.job, &verification))?;
            }
            verification
        }
        Place::There(target) => {
            interrupt::stop_at_once();
            there(global, &Remote::connect(target)?, &args.job)?
        }
    };
    if global.json {
        document(&VerificationDocument::new(&args.job, &verification))?;
    }
    match verification.failed.len() {
        0 => Ok(()),
        failed => {
            Err(VerifyFailed { job: args.job.clone(), failed, checks: failed + verification.passed.len() }.into())
        }
    }
}

/// Has a coordinator check; each check is shown as soon as it is made.
fn there(global: &Global, remote: &Remote, job: &str) -> anyhow::Result<Verification> {
    let mut verification = Verification::default();
    remote.verify(job, |check| {
        let (word, lines) =
            if check.passed { (PASSED, &mut verification.passed) } else { (FAILED, &mut verification.failed) };
        lines.push(check.check.clone());
        if global.json { Ok(()) } else { Ok(result(&line(word, &check.check))?) }
    })?;
    if verification.passed.is_empty() && verification.failed.is_empty() {
        return Err(remote.not_understood("an empty list of checks").into());
    }
    if !global.json {
        result(&conclusion(job, &verification))?;
    }
    Ok(verification)
}

/// The checks as a JSON document.
#[derive(Debug, Serialize)]
struct VerificationDocument<'a> {
    job: &'a str,
    ok: bool,
    #[serde(flatten)]
    checks: &'a Verification,
}

impl<'a> VerificationDocument<'a> {
    fn new(job: &'a str, checks: &'a Verification) -> Self {
        Self { job, ok: checks.failed.is_empty(), checks }
    }
}

/// The checks for people, a line each.
fn shown(job: &str, verification: &Verification) -> String {
    let mut text = String::new();
    for (word, checks) in [(PASSED, &verification.passed), (FAILED, &verification.failed)] {
        checks.iter().for_each(|check| text += &line(word, check));
    }
    text + &conclusion(job, verification)
}

fn line(word: &str, check: &str) -> String {
    format!("{word:<6}  {check}\n")
}

/// The last line; nothing where the error says it.
fn conclusion(job: &str, verification: &Verification) -> String {
    if verification.failed.is_empty() {
        format!("{job}: every check holds ({})\n", verification.passed.len())
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_of_each_check_how_it_went() {
        let mut checks = Verification { passed: vec!["totals add up".into()], failed: Vec::new() };
        assert_eq!(shown("j", &checks), "ok      totals add up\nj: every check holds (1)\n");
        checks.failed.push("shards/a is damaged".into());
        assert_eq!(shown("j", &checks), "ok      totals add up\nFAILED  shards/a is damaged\n");
        let json = serde_json::to_value(VerificationDocument::new("j", &checks)).expect("JSON");
        assert_eq!(json["ok"], false);
        assert_eq!(json["failed"][0], "shards/a is damaged");
    }
}
