//! A coordinator and workers as processes of their own, on a folder of their own, that are killed when the test ends; what
//! they log is shown if it fails, and copied to the folder that `ANTICHAIN_TEST_LOGS` names.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use antichain_proto::access::Access;
use antichain_proto::connect::Target;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Lab, Outcome};

/// What processes log.
const LOG: &str = "warn,antichain=info,antichain_coordinator=debug,antichain_worker=debug";
/// Longer than anything here takes, on a slow machine that has other things to do.
pub const PATIENCE: Duration = Duration::from_secs(180);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// A process of the cluster. Killed when it is dropped.
pub struct Process {
    child: Child,
    /// Where it logs.
    pub log: PathBuf,
}

impl Process {
    /// Starts a command, whose log lines are appended to a file.
    pub fn start(mut command: Command, log: PathBuf) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(&log).expect("a file for the log");
        command.args(["--log-format", "json"]);
        if !command.get_envs().any(|(name, value)| name == "RUST_LOG" && value.is_some()) {
            command.env("RUST_LOG", LOG);
        }
        let child = command.stdout(Stdio::null()).stderr(file).spawn().expect("the program starts");
        Self { child, log }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id() as i32).expect("a process");
        kill_process(pid, signal).expect("the process is there");
    }

    /// A process that was just started would end as the system ends it.
    pub fn wait_until_it_heeds_sigterm(&self) {
        const SIGTERM: u32 = 15;
        let status = format!("/proc/{}/status", self.id());
        let heeds = || {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = u64::from_str_radix(caught.unwrap_or_default().trim(), 16).unwrap_or_default();
            (caught >> (SIGTERM - 1) & 1 == 1).then_some(())
        };
        // One that ends before never does.
        within_time(Duration::from_secs(5), heeds);
    }

    /// As `kill -9` does.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The code it exits with, if it does so in time.
    pub fn exit_code(&mut self, within: Duration) -> Option<i32> {
        let ended = within_time(within, || self.child.try_wait().expect("a process"));
        ended.and_then(|status| status.code())
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a process").is_none()
    }

    pub fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// The first thing that a look finds, if that happens in time.
pub fn within_time<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if start.elapsed() >= time {
            return None;
        }
        std::thread::sleep(LOOK);
    }
}

const LOOPBACK: &str = "127.0.0.1";

/// See the head of this file.
pub struct Cluster {
    pub lab: Lab,
    /// Where the coordinator stores: in the folder, if nothing else is said.
    pub data: PathBuf,
    pub lease: &'static str,
    /// What stands before the commands of the coordinator and of those who ask it: nothing, if they run on this host.
    pub enter: Vec<OsString>,
    /// Where the coordinator listens.
    pub address: &'static str,
    pub coordinator: Option<Process>,
    /// The port, once there is one: it stays the same.
    port: u16,
    started: usize,
}

impl Cluster {
    /// A coordinator that waits so long for signs of life.
    pub fn start(lease: &'static str) -> Self {
        let mut cluster = Self::stopped(lease);
        cluster.start_coordinator();
        cluster
    }

    /// No process yet.
    pub fn stopped(lease: &'static str) -> Self {
        let lab = Lab::new();
        let data = lab.data();
        Self { lab, data, lease, enter: Vec::new(), address: LOOPBACK, coordinator: None, port: 0, started: 0 }
    }

    /// Where a process of this name logs.
    pub fn log(&self, name: &str) -> PathBuf {
        self.lab.folder().join(format!("{name}.log"))
    }

    pub fn access_file(&self) -> PathBuf {
        self.lab.folder().join("access.json")
    }

    pub fn access(&self) -> Access {
        Access::read(&self.access_file()).expect("an access file")
    }

    pub fn target(&self) -> Target {
        self.access().into()
    }

    /// The coordinator, not started.
    pub fn coordinator_command(&self) -> Command {
        let listen = format!("{}:{}", self.address, self.port);
        let mut command = self.lab.bare_command(&["coordinator", "--lease", self.lease, "--listen", &listen]);
        command.arg("--data").arg(&self.data).arg("--access-file").arg(self.access_file());
        if self.address != LOOPBACK {
            command.arg("--insecure");
        }
        entering(&self.enter, command)
    }

    /// Starts the coordinator, again on the same port if it ran before, and waits until it serves.
    pub fn start_coordinator(&mut self) {
        self.start_coordinator_as(self.coordinator_command());
    }

    /// The same with another command.
    pub fn start_coordinator_as(&mut self, command: Command) {
        // What a killed one left behind says nothing, but it stays: workers that start in between read it.
        let written = || fs::metadata(self.access_file()).and_then(|about| about.modified()).ok();
        let before = written();
        let mut process = Process::start(command, self.log("coordinator"));
        let ready = within_time(PATIENCE, || (written() != before || !process.is_running()).then_some(()));
        assert!(ready.is_some() && process.is_running(), "no coordinator:\n{}", process.log_text());
        self.port = self.access().port;
        self.coordinator = Some(process);
    }

    pub fn kill_coordinator(&mut self) {
        self.coordinator.take().expect("a coordinator").kill();
    }

    /// A worker of one thread, not started.
    pub fn worker_command(&self, words: &[&str]) -> Command {
        let mut command = self.lab.bare_command(&["worker", "--threads", "1"]);
        command.arg("--access-file").arg(self.access_file());
        if !words.contains(&"--memory") {
            command.args(["--memory", "1GiB"]);
        }
        command.args(words);
        command
    }

    /// Starts a worker of one thread.
    pub fn worker(&mut self, words: &[&str]) -> Process {
        self.worker_as(self.worker_command(words))
    }

    /// The same with another command.
    pub fn worker_as(&mut self, mut command: Command) -> Process {
        self.started += 1;
        let name = format!("worker-{}", self.started);
        command.arg("--data").arg(self.lab.folder().join(&name));
        Process::start(command, self.log(&name))
    }

    /// A command that asks the coordinator.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.lab.bare_command(words);
        command.arg("--access-file").arg(self.access_file());
        entering(&self.enter, command)
    }

    pub fn ask(&self, words: &[&str]) -> Outcome {
        Outcome::of(self.command(words).output().expect("the program starts"))
    }

    /// Hands in a job and returns its name.
    pub fn submit(&self, job: &str) -> String {
        let words: Vec<&str> = ["submit"].into_iter().chain(job.split(' ')).collect();
        let outcome = self.ask(&words);
        outcome.assert_code(0);
        outcome.stdout.trim().to_owned()
    }

    pub fn status(&self, job: &str) -> Value {
        let outcome = self.ask(&["status", job, "--json"]);
        outcome.assert_code(0);
        outcome.document()
    }

    /// Where a job stands as soon as `is_so`.
    #[track_caller]
    pub fn wait_until(&self, job: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        let found = within_time(PATIENCE, || {
            last = self.status(job);
            is_so(&last).then_some(())
        });
        assert!(found.is_some(), "{job} is still {last:#}");
        last
    }

    #[track_caller]
    pub fn wait_for_state(&self, job: &str, state: &str) -> Value {
        self.wait_until(job, |status| status["state"] == state)
    }

    /// Waits for the end of a job, which must be the answer that `run` gives in one process.
    #[track_caller]
    pub fn expect_answer(&self, job: &str, words: &str) {
        let status = self.wait_until(job, |status| status["state"] == "finished" || status["state"] == "failed");
        let expected = answer_of_run(words);
        assert_eq!(status["value"], expected["value"], "{status:#}");
        assert_eq!(status["digest"], expected["digest"], "{status:#}");
    }

    /// Waits for the end of a job, and hands out again what was lost with three workers and is set aside: as the status says.
    #[track_caller]
    pub fn see_to_the_end_of(&self, job: &str) {
        let is_aside = |status: &Value| status["reason"].as_str().is_some_and(|reason| reason.contains("set aside"));
        while is_aside(&self.wait_until(job, |status| status["state"] == "finished" || is_aside(status))) {
            self.ask(&["pause", job]).assert_code(0);
            self.ask(&["resume", job]).assert_code(0);
        }
    }

    /// Everything that was logged, the coordinator first.
    pub fn logs(&self) -> Vec<(String, String)> {
        let entries = fs::read_dir(self.lab.folder()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "log"));
        files.sort();
        let name = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.iter().map(|file| (name(file), fs::read_to_string(file).unwrap_or_default())).collect()
    }

    /// What the coordinator logged, as documents; a line that a kill cut off is left out.
    pub fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.log("coordinator")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Results that workers had computed, as they logged them, whether they were delivered or not.
    pub fn computed(&self) -> usize {
        let logs = self.logs();
        let workers = logs.iter().filter(|(name, _)| name.starts_with("worker"));
        workers.map(|(_, text)| text.matches(r#""message":"done""#).count()).sum()
    }

    /// Results that the coordinator stored, as it logged them.
    pub fn stored(&self) -> usize {
        self.events().iter().filter(|event| event["fields"]["message"] == "stored").count()
    }

    /// No task was handed out, or stored, after it had been stored, and whatever a worker was told to be stored was. Returns how
    /// many results were stored.
    #[track_caller]
    pub fn assert_nothing_twice(&self) -> usize {
        let mut stored = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        for event in self.events() {
            let fields = &event["fields"];
            let name = |field: &str| fields[field].as_str().unwrap_or_default().to_owned();
            let task = (name("job"), name("task"));
            match fields["message"].as_str() {
                Some("handed out") => assert!(!stored.contains(&task), "handed out again: {task:?}"),
                Some("stored") => {
                    assert!(stored.insert(task.clone()), "stored twice: {task:?}");
                    numbers.extend(fields["number"].as_u64());
                }
                _ => {}
            }
        }
        let acknowledged = self.acknowledged();
        assert!(acknowledged.is_subset(&numbers), "lost: {:?}", acknowledged.difference(&numbers));
        stored.len()
    }

    /// Numbers of the tasks of which workers were told that the coordinator has the result.
    fn acknowledged(&self) -> BTreeSet<u64> {
        let logs = self.logs().into_iter().filter(|(name, _)| name.starts_with("worker"));
        let lines = logs.flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>());
        let events = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let told = events.filter(|event| event["fields"]["message"] == "acknowledged");
        told.filter_map(|event| event["fields"]["number"].as_u64()).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(folder) = std::env::var_os("ANTICHAIN_TEST_LOGS").map(PathBuf::from) {
            for (name, text) in self.logs() {
                // They are for somebody who looks; the test does not depend on them.
                let _ = fs::write(folder.join(format!("{name}.log")), text);
            }
        }
        if !std::thread::panicking() {
            return;
        }
        for (name, text) in self.logs() {
            let lines: Vec<&str> = text.lines().collect();
            eprintln!("== {name}, the last of {} lines", lines.len());
            lines.iter().skip(lines.len().saturating_sub(40)).for_each(|line| eprintln!("{line}"));
        }
    }
}

/// The command that runs another one after these words: as they say, in another network.
pub fn entering(words: &[OsString], command: Command) -> Command {
    let Some((program, arguments)) = words.split_first() else { return command };
    let mut entering = Command::new(program);
    entering.args(arguments).arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => entering.env(name, value),
            None => entering.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        entering.current_dir(folder);
    }
    entering
}

/// The answer that `run` gives to a job, in a data directory of its own; asked for once.
pub fn answer_of_run(job: &str) -> Value {
    static KNOWN: Mutex<BTreeMap<String, Value>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let words: Vec<&str> = ["run"].into_iter().chain(job.split(' ')).collect();
    known.entry(job.to_owned()).or_insert_with(|| Lab::new().json(&words)).clone()
}
