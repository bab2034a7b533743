//! `antichain completions` and `antichain man`: what a shell and a reader need to know of the commands, made from the same
//! definition.

use std::path::Path;

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::command::FileError;
use crate::output::result;

/// Name of the program.
const NAME: &str = "antichain";

/// Writes completions to standard output.
pub fn execute(args: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    Ok(result(&String::from_utf8_lossy(&script))?)
}

/// Writes manual pages.
pub fn write_manual(args: &ManArgs) -> anyhow::Result<()> {
    let failed = |file: &Path| {
        let file = file.to_owned();
        move |source| FileError { file, source }
    };
    std::fs::create_dir_all(&args.out).map_err(failed(&args.out))?;
    clap_mangen::generate_to(Args::command().disable_help_subcommand(true), &args.out).map_err(failed(&args.out))?;
    Ok(())
}
