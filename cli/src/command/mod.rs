//! The commands, one file each: from typed arguments to a result on standard output.

mod certs;
mod check_proof;
mod coins;
mod completions;
mod coordinator;
mod doctor;
mod estimate;
mod export;
mod flip;
mod flip_sweep;
mod import;
mod jobs;
mod launch;
mod layers;
mod merge;
mod moves;
mod nim;
mod plan;
mod plan_reach;
mod plan_search;
mod query;
mod run;
mod search;
mod show;
mod status;
mod status_search;
mod steer;
mod submit;
mod turning;
mod verify;
mod watch;
mod worker;
mod workers;

pub use certs::CertsError;
pub use check_proof::CheckProofError;
pub use coordinator::CoordinatorError;
pub use doctor::Unwell;
pub use export::FileError;
pub use launch::LaunchError;
pub use search::Asked;
pub use verify::VerifyFailed;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use antichain_common::job::{Interrupt, RunOptions, SizeLimits};
use serde::Serialize;

use crate::args::{Args, Command, EffortArgs, Global};
use crate::progress::Reporter;
use crate::remote::Remote;
use crate::sizes::Bytes;
use crate::{interrupt, memory};

/// Does what the arguments say.
pub fn execute(args: Args) -> anyhow::Result<()> {
    let global = &args.global;
    match args.command {
        Command::Run(args) => run::execute(global, &args),
        Command::Estimate(args) => estimate::execute(global, &args),
        Command::Layers(args) => layers::execute(global, &args),
        Command::Verify(args) => verify::execute(global, &args),
        Command::Plan(args) => at_once(|| plan::execute(global, &args)),
        Command::Moves(args) => at_once(|| moves::execute(global, args)),
        Command::Query(args) => at_once(|| query::execute(global, args)),
        Command::Export(args) => at_once(|| export::execute(global, &args)),
        Command::Flip(args) => at_once(|| flip::execute(global, &args)),
        Command::FlipSweep(args) => flip_sweep::execute(global, &args),
        Command::CheckProof(args) => check_proof::execute(global, &args),
        Command::Merge(args) => at_once(|| merge::execute(global, &args)),
        Command::Import(args) => at_once(|| import::execute(global, &args)),
        Command::Jobs => at_once(|| jobs::execute(global)),
        Command::Submit(args) => at_once(|| submit::execute(global, &args)),
        Command::Status(args) => at_once(|| status::execute(global, &args)),
        Command::Watch(args) => at_once(|| watch::execute(global, &args)),
        Command::Pause(args) => at_once(|| steer::execute(global, &args, Remote::pause)),
        Command::Resume(args) => at_once(|| steer::execute(global, &args, Remote::resume)),
        Command::Cancel(args) => at_once(|| steer::execute(global, &args, Remote::cancel)),
        Command::Rm(args) => at_once(|| steer::remove(global, &args)),
        Command::Workers => at_once(|| workers::execute(global)),
        Command::Coordinator(args) => coordinator::execute(global, &args),
        Command::Doctor(args) => at_once(|| doctor::execute(global, &args)),
        Command::Certs(args) => at_once(|| certs::execute(global, &args)),
        Command::Launch(args) => at_once(|| launch::execute(global, &args)),
        Command::Completions(args) => completions::execute(&args),
        Command::Man(args) => completions::write_manual(&args),
        Command::Nim(args) => nim::execute(global, &args),
        Command::Coins(args) => at_once(|| coins::execute(global, &args)),
        Command::Show(args) => at_once(|| show::execute(global, &args)),
        Command::Worker(args) => worker::execute(global, &args),
    }
}

/// Runs a command that an interruption ends without further ado.
fn at_once(command: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    interrupt::stop_at_once();
    command()
}

/// Calls `work` with the options of the command line, progress shown and Ctrl-C heard.
fn with_effort<T>(
    global: &Global,
    effort: &EffortArgs,
    keep_values: bool,
    work: impl FnOnce(&RunOptions<'_>) -> T,
) -> T {
    with_interrupt(global, effort, keep_values, interrupt::stop_at_safe_point(global.json), work)
}

/// The same with a wish to stop that comes from elsewhere.
fn with_interrupt<T>(
    global: &Global,
    effort: &EffortArgs,
    keep_values: bool,
    interrupt: &Interrupt,
    work: impl FnOnce(&RunOptions<'_>) -> T,
) -> T {
    let reporter = Reporter::start(global);
    let report = |progress| reporter.report(progress);
    work(&RunOptions {
        threads: effort.threads.unwrap_or_else(all_cores).get(),
        memory: budget(effort.memory).0,
        checkpoint: effort.checkpoint,
        keep_values,
        interrupt,
        progress: &report,
    })
}

/// As many threads as there are cores for this process.
fn all_cores() -> NonZeroUsize {
    available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The memory budget: as asked for, or three quarters of what is free.
fn budget(wanted: Option<Bytes>) -> Bytes {
    let budget = wanted.unwrap_or_else(memory::default_budget);
    tracing::debug!("memory budget {budget}");
    budget
}

/// Limits on sizes as JSON documents show them: only those that were set.
#[derive(Debug, Serialize)]
struct LimitsDocument {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_elements: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_elements: Option<usize>,
}

impl From<SizeLimits> for LimitsDocument {
    fn from(limits: SizeLimits) -> Self {
        Self { min_elements: (limits.min > 0).then_some(limits.min), max_elements: limits.max }
    }
}

/// Limits on sizes for people: empty where there is none.
fn show_limits(limits: SizeLimits) -> String {
    match (limits.min, limits.max) {
        (0, None) => String::new(),
        (0, Some(max)) => format!(", ideals of at most {max} elements"),
        (min, None) => format!(", ideals of at least {min} elements"),
        (min, Some(max)) => format!(", ideals of {min} to {max} elements"),
    }
}
