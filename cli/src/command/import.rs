//! `antichain import`: a tablebase made on another machine.

use std::fs::File;
use std::io::BufReader;

use antichain_common::job;
use serde::Serialize;

use super::FileError;
use crate::args::{Global, ImportArgs};
use crate::data;
use crate::output::{document, note, result};
use crate::remote::place;

/// Runs the command.
pub fn execute(global: &Global, args: &ImportArgs) -> anyhow::Result<()> {
    let file = File::open(&args.file).map_err(|source| FileError { file: args.file.clone(), source })?;
    let store = data::open(&place::here(global)?)?;
    let job = job::import_table(&store, BufReader::with_capacity(1 << 20, file))?.to_string();
    if global.json {
        return document(&ImportDocument { job });
    }
    result(&format!("{job}\n"))?;
    note(&format!("`antichain verify {job}` checks it"));
    Ok(())
}

/// What was taken in.
#[derive(Debug, Serialize)]
struct ImportDocument {
    job: String,
}
