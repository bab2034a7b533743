//! Workers on plain hosts, over ssh: nothing needs to be there but a shell and a user.
//!
//! What is secret goes through the standard input of ssh into files that only their owner may read; nothing of it is on a command line.

pub mod hosts;
mod script;
mod ssh;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use antichain_proto::connect::Target;
use serde::Serialize;

pub use hosts::{Host, HostsError};
pub use ssh::{Ssh, SshError};

/// Hosts at a time.
const TOGETHER: usize = 16;

/// What is to be done on every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A worker is to run there.
    Start,
    /// Whether one does is to be said.
    List,
    /// None is to run there any more.
    Stop,
}

/// How it is on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// A worker was started.
    Started,
    /// One was running already.
    Running,
    /// None is running.
    Stopped,
    /// The host did not do what it was asked.
    Failed,
}

/// What became of a host.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The host as its line names it.
    pub host: String,
    /// How it is.
    pub standing: Standing,
    /// The worker's process there.
    pub process: Option<u32>,
    /// Why not, or the last lines of its log.
    pub reason: Option<String>,
}

/// What workers need to know.
pub struct Launch<'a> {
    /// How hosts are reached.
    pub ssh: Ssh,
    /// The program to copy.
    pub program: PathBuf,
    /// What it says of itself, so that one that is there already is not copied.
    pub version: &'static str,
    /// The coordinator.
    pub target: &'a Target,
    /// Options of all workers.
    pub options: Vec<String>,
    /// Seconds that a worker has to end.
    pub patience: u64,
}

impl Launch<'_> {
    /// Does it on all hosts, several at a time; the outcomes in the order of the hosts.
    pub fn on_all(&self, hosts: &[Host], wish: Wish) -> Vec<Outcome> {
        let next = AtomicUsize::new(0);
        let outcomes = Mutex::new(vec![None; hosts.len()]);
        std::thread::scope(|scope| {
            for _ in 0..TOGETHER.min(hosts.len()) {
                scope.spawn(|| {
                    while let Some((number, host)) =
                        Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|number| Some((number, hosts.get(number)?)))
                    {
                        let outcome = self.on(host, wish);
                        outcomes.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(outcome);
                    }
                });
            }
        });
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
    }

    fn on(&self, host: &Host, wish: Wish) -> Outcome {
        let outcome = |standing, process, reason| Outcome { host: host.name.clone(), standing, process, reason };
        let done = match wish {
            Wish::Start => self.start(host),
            Wish::List => self.ask(host, &script::list(host)),
            Wish::Stop => self.ask(host, &script::stop(host, self.patience)),
        };
        match done {
            Err(error) => outcome(Standing::Failed, None, Some(error.to_string())),
            Ok(answer) => match answer.split_once(' ') {
                Some(("started", process)) => outcome(Standing::Started, process.parse().ok(), None),
                Some(("running", process)) => outcome(Standing::Running, process.parse().ok(), None),
                Some(("ended", log)) => outcome(Standing::Failed, None, Some(format!("it ended at once: {log}"))),
                Some(("stubborn", process)) => {
                    outcome(Standing::Failed, process.parse().ok(), Some("it does not end".to_owned()))
                }
                _ if answer == "ended" => outcome(Standing::Failed, None, Some("it ended at once".to_owned())),
                _ if answer == "stopped" => outcome(Standing::Stopped, None, None),
                _ => outcome(Standing::Failed, None, Some(format!("an answer that makes no sense: {answer}"))),
            },
        }
    }

    fn start(&self, host: &Host) -> Result<String, SshError> {
        let answer = self.ask(host, &script::look(host, self.version))?;
        if answer.starts_with("running ") {
            return Ok(answer);
        }
        if answer != "same" {
            self.ssh.copy(host, &self.program, &script::receive_program(host))?;
        }
        for (name, text) in self.secrets() {
            self.ssh.run(host, &script::receive_secret(host, name), text.as_bytes())?;
        }
        self.ask(host, &script::start(host, self.target, &self.options))
    }

    /// The files that a worker reads: their names there, and what is in them.
    fn secrets(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Target { token, tls_ca, identity, .. } = self.target;
        let token = token.as_ref().map(|token| (script::TOKEN, token.secret()));
        let authority = tls_ca.as_deref().map(|authority| (script::AUTHORITY, authority));
        let identity = identity.iter().flat_map(|identity| {
            [(script::CERTIFICATE, identity.certificate.as_str()), (script::KEY, identity.key.as_str())]
        });
        token.into_iter().chain(authority).chain(identity)
    }

    /// The last line that a script writes.
    fn ask(&self, host: &Host, script: &str) -> Result<String, SshError> {
        let answer = self.ssh.run(host, script, &[])?;
        Ok(answer.lines().last().unwrap_or_default().trim().to_owned())
    }
}
