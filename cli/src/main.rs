//! The binary `antichain`: reads the arguments, calls the jobs of [`antichain_common::job`] or asks a coordinator
//! ([`remote`]), writes the answer.
//!
//! Results go to standard output, everything else to standard error. Every error ends in [`failure`], which alone
//! decides what the user reads and with which code the program ends.

#![forbid(unsafe_code)]

mod args;
mod authority;
mod build;
mod command;
mod data;
mod doctor;
mod failure;
mod inputs;
mod interrupt;
mod launch;
mod logging;
mod memory;
mod output;
mod progress;
mod remote;
mod sizes;
#[cfg(feature = "otel")]
mod traces;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        // What the parser refused has no `Args` to ask, so `--json` is looked for among the words themselves.
        Err(error) => return failure::of_arguments(&error, std::env::args_os().any(|word| word == "--json")),
    };
    let json = args.global.json;
    let service = match args.command {
        Command::Coordinator(_) => "antichain-coordinator",
        Command::Worker(_) => "antichain-worker",
        _ => "antichain",
    };
    let _logging = logging::start(&args.global, service);
    match command::execute(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::of(&error).report(json),
    }
}
