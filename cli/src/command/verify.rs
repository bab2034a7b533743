//! `antichain verify`: checks a finished job again.

use antichain_common::job::{self, Verification};
use serde::Serialize;

use crate::args::{Global, VerifyArgs};
use crate::output::{document, result};
use crate::{data, interrupt};

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
    let store = data::open_existing(&global.data)?;
    let verification = job::verify(&store, &args.job, interrupt::stop_at_safe_point(global.json))?;
    if global.json {
        document(&VerificationDocument::new(&args.job, &verification))?;
    } else {
        result(&shown(&args.job, &verification))?;
    }
    match verification.failed.len() {
        0 => Ok(()),
        failed => {
            Err(VerifyFailed { job: args.job.clone(), failed, checks: failed + verification.passed.len() }.into())
        }
    }
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
    for (word, lines) in [("ok", &verification.passed), ("FAILED", &verification.failed)] {
        for line in lines {
            text += &format!("{word:<6}  {line}\n");
        }
    }
    if verification.failed.is_empty() {
        text += &format!("{job}: every check holds ({})\n", verification.passed.len());
    }
    text
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
