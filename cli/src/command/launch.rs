//! `antichain launch`: starts, lists and stops workers on plain hosts over ssh.

use std::time::Duration;

use antichain_proto::connect::Target;

use crate::args::{Global, LaunchArgs};
use crate::build;
use crate::launch::{Host, HostsError, Launch, Outcome, Ssh, Standing, Wish, hosts};
use crate::output::{document, result, table, warning};
use crate::remote::place;

/// Seconds that a worker has to end after the time for its tasks.
const TO_END: u64 = 10;

/// Workers cannot be launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The file of hosts.
    #[error(transparent)]
    Hosts(#[from] HostsError),
    /// A coordinator that only this machine can reach.
    #[error("{0} can be reached from this machine only")]
    Loopback(String),
    /// Who has it may do everything.
    #[error("the access file holds the token of the owner, which other hosts are not to learn")]
    OwnersToken,
    /// Some hosts did not do what they were told: which, was said.
    #[error("{failed} of {all} hosts failed")]
    Failed {
        /// Those.
        failed: usize,
        /// All.
        all: usize,
    },
}

/// Runs the command.
pub fn execute(global: &Global, args: &LaunchArgs) -> anyhow::Result<()> {
    let hosts = hosts::read(&args.hosts).map_err(LaunchError::from)?;
    let wish = match (args.list, args.stop) {
        (true, _) => Wish::List,
        (_, true) => Wish::Stop,
        _ => Wish::Start,
    };
    let target = match wish {
        Wish::Start => place::target(global)?,
        // Nobody needs a coordinator to end.
        Wish::List | Wish::Stop => Target::new("localhost".parse()?),
    };
    if wish == Wish::Start && target.url.is_loopback() && !hosts.iter().all(is_this_machine) && !args.loopback {
        return Err(LaunchError::Loopback(target.url.to_string()).into());
    }
    let named = global.token_file.is_some() || std::env::var_os("ANTICHAIN_TOKEN").is_some();
    if target.token.is_some() && !named && !hosts.iter().all(is_this_machine) {
        if !args.loopback {
            return Err(LaunchError::OwnersToken.into());
        }
        warning(global.json, "the workers get the owner's token; --token-file names one that may only work");
    }
    let launch = Launch {
        ssh: Ssh::new(&args.ssh, args.drain + Duration::from_secs(TO_END)),
        program: args.program.clone().map_or_else(std::env::current_exe, Ok)?,
        version: build::DESCRIPTION,
        target: &target,
        options: vec!["--drain".to_owned(), format!("{}s", args.drain.as_secs())],
        patience: args.drain.as_secs() + TO_END,
    };
    let outcomes = launch.on_all(&hosts, wish);
    if global.json {
        document(&outcomes)?;
    } else {
        result(&shown(&outcomes))?;
    }
    let failed = outcomes.iter().filter(|outcome| outcome.standing == Standing::Failed).count();
    if failed > 0 { Err(LaunchError::Failed { failed, all: hosts.len() }.into()) } else { Ok(()) }
}

fn is_this_machine(host: &Host) -> bool {
    let name = host.name.rsplit('@').next().unwrap_or(&host.name);
    ["localhost", "127.0.0.1", "::1"].contains(&name)
}

/// The hosts for people, a line each.
fn shown(outcomes: &[Outcome]) -> String {
    let mut rows = vec![["host", "worker", "process", ""].map(str::to_owned).to_vec()];
    rows.extend(outcomes.iter().map(|outcome| {
        let standing = match outcome.standing {
            Standing::Started => "started",
            Standing::Running => "running",
            Standing::Stopped => "none",
            Standing::Failed => "FAILED",
        };
        let process = outcome.process.map_or_else(String::new, |process| process.to_string());
        vec![outcome.host.clone(), standing.to_owned(), process, outcome.reason.clone().unwrap_or_default()]
    }));
    let text = table(&rows, 4);
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
