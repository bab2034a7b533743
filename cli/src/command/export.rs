//! `antichain export`: a finished job as a file for other programs.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use antichain_common::job::{self, Answer, SizeCount};
use serde::Serialize;

use super::run::AnswerDocument;
use crate::args::{ExportArgs, ExportFormat, Global};
use crate::output::result;
use crate::remote::{Place, Remote, place};
use crate::{data, inputs};

/// The file asked for could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be written: {source}", file.display())]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    source: std::io::Error,
}

/// Runs the command.
pub fn execute(global: &Global, args: &ExportArgs) -> anyhow::Result<()> {
    let limits = inputs::limits(args.limits)?;
    let Finished { answer, mut sizes, certificate } = match place::either(global)? {
        Place::Here(directory) => {
            let store = data::open_existing(&directory)?;
            let (answer, sizes) = job::finished(&store, &args.job)?;
            Finished { answer, sizes, certificate: job::certificate(&store, &args.job)? }
        }
        Place::There(target) => {
            let (certificate, document) = Remote::connect(target)?.certificate(&args.job)?;
            let answer = certificate.answer(true, Duration::ZERO);
            Finished { answer, sizes: certificate.sizes, certificate: document }
        }
    };
    sizes.retain(|count| inputs::is_within(limits, count.size));
    let text = match args.format {
        ExportFormat::Csv => csv(&sizes),
        ExportFormat::Bfile => bfile(&sizes, args.labelled),
        ExportFormat::Json => {
            let whole = JobDocument { answer: AnswerDocument::from(&answer), sizes: &sizes, certificate };
            serde_json::to_string_pretty(&whole)? + "\n"
        }
    };
    match &args.output {
        // Everything that can go wrong before the file is touched has not gone wrong by now.
        Some(file) => Ok(fs::write(file, text).map_err(|source| FileError { file: file.clone(), source })?),
        None => Ok(result(&text)?),
    }
}

/// A finished job, wherever it came from.
struct Finished {
    answer: Answer,
    sizes: Vec<SizeCount>,
    certificate: serde_json::Value,
}

/// A finished job as a JSON document.
#[derive(Debug, Serialize)]
struct JobDocument<'a> {
    #[serde(flatten)]
    answer: AnswerDocument,
    sizes: &'a [SizeCount],
    certificate: serde_json::Value,
}

/// Comma-separated values with a header.
fn csv(sizes: &[SizeCount]) -> String {
    let rows = sizes.iter().map(|c| format!("{},{},{}\n", c.size, c.orbits, c.labelled));
    std::iter::once("size,orbits,labelled\n".to_owned()).chain(rows).collect()
}

/// A b-file of the OEIS: lines `n a(n)`.
fn bfile(sizes: &[SizeCount], labelled: bool) -> String {
    sizes.iter().map(|c| format!("{} {}\n", c.size, if labelled { &c.labelled } else { &c.orbits })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Vec<SizeCount> {
        [(0, 1u32, 1u32), (1, 1, 3)]
            .map(|(size, orbits, labelled)| SizeCount { size, orbits: orbits.into(), labelled: labelled.into() })
            .to_vec()
    }

    #[test]
    fn rows_for_spreadsheets() {
        assert_eq!(csv(&sizes()), "size,orbits,labelled\n0,1,1\n1,1,3\n");
    }

    #[test]
    fn lines_for_the_encyclopedia() {
        assert_eq!(bfile(&sizes(), false), "0 1\n1 1\n");
        assert_eq!(bfile(&sizes(), true), "0 1\n1 3\n");
    }
}
