//! `antichain merge`: takes in what searches elsewhere have settled.

use antichain_common::job::search::{Merged, merge};
use serde::Serialize;

use crate::args::{Global, MergeArgs};
use crate::data;
use crate::output::{document, grouped, result};
use crate::remote::place;

/// Runs the command.
pub fn execute(global: &Global, args: &MergeArgs) -> anyhow::Result<()> {
    let store = data::open(&place::here(global)?)?;
    let mut all = Vec::new();
    for directory in &args.directories {
        let merged = merge(&store, &data::open_to_read(directory)?)?;
        if !global.json {
            let (positions, new) = (grouped(&merged.positions), grouped(&merged.new));
            result(&format!("{}: {positions} settled positions, {new} of them new\n", directory.display()))?;
        }
        all.push(MergeDocument::new(directory.display().to_string(), merged));
    }
    if global.json { document(&all) } else { Ok(()) }
}

/// What was taken in from a directory, as a JSON document.
#[derive(Debug, Serialize)]
struct MergeDocument {
    directory: String,
    jobs: usize,
    positions: u64,
    new: u64,
}

impl MergeDocument {
    fn new(directory: String, merged: Merged) -> Self {
        Self { directory, jobs: merged.jobs, positions: merged.positions, new: merged.new }
    }
}
