//! `antichain nim`: sums and products of nimbers.

use antichain_common::game::nimber::evaluate;
use serde::Serialize;

use crate::args::{Global, NimArgs};
use crate::output::{document, result};
use crate::remote::place;

/// Runs the command.
pub fn execute(global: &Global, args: &NimArgs) -> anyhow::Result<()> {
    place::here(global)?;
    let value = evaluate(&args.words.join(" "))?.to_string();
    if global.json { document(&NimDocument { value }) } else { Ok(result(&format!("{value}\n"))?) }
}

/// The value as a JSON document.
#[derive(Debug, Serialize)]
struct NimDocument {
    /// A string: it may have 64 bits.
    value: String,
}
