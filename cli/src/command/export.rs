//! `antichain export`: a finished job as a file for other programs.

use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use antichain_common::job::search::export_proof;
use antichain_common::job::{self, Answer, PositionCount, Question, SizeCount, SizeLimits};
use serde::Serialize;

use super::budget;
use super::run::AnswerDocument;
use crate::args::{ExportArgs, ExportFormat, Global};
use crate::inputs::InputError;
use crate::output::{StdoutError, result};
use crate::remote::{Place, Remote, place};
use crate::{data, inputs};

/// A file that was named cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be used: {source}", file.display())]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

/// Runs the command.
pub fn execute(global: &Global, args: &ExportArgs) -> anyhow::Result<()> {
    let limits = inputs::limits(args.limits)?;
    if limits != SizeLimits::NONE
        && matches!(args.format, ExportFormat::Table | ExportFormat::Truncations | ExportFormat::Proof)
    {
        return Err(InputError::WholeOnly(limits).into());
    }
    match args.format {
        ExportFormat::Table => return table(global, args),
        ExportFormat::Positions => return positions_of_value(global, args, limits),
        ExportFormat::Truncations => return truncations(global, args),
        ExportFormat::Proof => return proof(global, args),
        ExportFormat::Csv | ExportFormat::Json | ExportFormat::Bfile => {}
    }
    let Finished { answer, mut sizes, mut positions, certificate } = match place::either(global)? {
        Place::Here(directory) => {
            let store = data::open_to_read(&directory)?;
            let (answer, sizes) = job::finished(&store, &args.job)?;
            let positions = job::positions(&store, &args.job)?;
            Finished { answer, sizes, positions, certificate: job::certificate(&store, &args.job)? }
        }
        Place::There(target) => {
            let (certificate, document) = Remote::connect(target)?.certificate(&args.job)?;
            let answer = certificate.answer(true, Duration::ZERO);
            let positions = certificate.positions.map(|positions| positions.counts).unwrap_or_default();
            Finished { answer, sizes: certificate.sizes, positions, certificate: document }
        }
    };
    if args.format != ExportFormat::Json {
        has_counts(&answer)?;
    }
    sizes.retain(|count| inputs::is_within(limits, count.size));
    positions.retain(|count| inputs::is_within(limits, count.size));
    let text = match args.format {
        ExportFormat::Csv if answer.spec.question == Question::Ruler => heights_of(&answer, limits, "n,h\n", ','),
        ExportFormat::Bfile if answer.spec.question == Question::Ruler => heights_of(&answer, limits, "", ' '),
        ExportFormat::Csv if answer.spec.question.is_game() => csv_by_value(answer.spec.question, &positions),
        ExportFormat::Bfile => bfile(&sizes, args.labelled),
        ExportFormat::Json => {
            let whole = JobDocument { answer: AnswerDocument::from(&answer), sizes: &sizes, certificate };
            serde_json::to_string_pretty(&whole)? + "\n"
        }
        _ => csv(&sizes),
    };
    write(args, &text)
}

/// A line for each h(n) of the ruler on set partitions, n being within the limits.
fn heights_of(answer: &Answer, limits: SizeLimits, head: &str, separator: char) -> String {
    let heights = answer.heights.iter().flatten();
    let within = (1..).zip(heights).filter(|&(n, _)| inputs::is_within(limits, n));
    let lines = within.map(|(n, height): (usize, _)| format!("{n}{separator}{height}\n"));
    std::iter::once(head.to_owned()).chain(lines).collect()
}

/// Everything that can go wrong before the file is touched has not gone wrong by now.
fn write(args: &ExportArgs, text: &str) -> anyhow::Result<()> {
    match &args.output {
        Some(file) => Ok(fs::write(file, text).map_err(|source| FileError { file: file.clone(), source })?),
        None => Ok(result(text)?),
    }
}

/// Whether a job has more to export than a proof.
fn has_counts(answer: &Answer) -> Result<(), InputError> {
    match answer.spec.position {
        Some(_) => Err(InputError::ProofOnly(answer.job.to_string())),
        None => Ok(()),
    }
}

/// Writes the tablebase of a game.
fn table(global: &Global, args: &ExportArgs) -> anyhow::Result<()> {
    let store = data::open_to_read(&place::here(global)?)?;
    has_counts(&job::finished(&store, &args.job)?.0)?;
    let Some(file) = &args.output else { return Err(InputError::NoOutput.into()) };
    write_file(file, |out| {
        job::export_table(&store, &args.job, BufWriter::with_capacity(1 << 20, out))?;
        Ok(())
    })
}

/// Writes the proof of what a search has found.
fn proof(global: &Global, args: &ExportArgs) -> anyhow::Result<()> {
    let store = data::open_to_read(&place::here(global)?)?;
    let mut proof = export_proof(&store, &args.job)?;
    let mut copy = |out: &mut dyn io::Write, failed: &dyn Fn(io::Error) -> anyhow::Error| {
        while let Some(block) = proof.next_block()? {
            out.write_all(block).map_err(failed)?;
        }
        Ok(())
    };
    match &args.output {
        Some(file) => {
            write_file(file, |mut out| copy(&mut out, &|source| FileError { file: file.clone(), source }.into()))
        }
        None => copy(&mut io::stdout().lock(), &|error| StdoutError(error).into()),
    }
}

/// Writes a file that has its name only when it is whole.
fn write_file(file: &Path, export: impl FnOnce(&fs::File) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let of = |source| FileError { file: file.to_owned(), source };
    // What is no file, such as a pipe, is written to as it is.
    if fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return export(&fs::File::options().write(true).open(file).map_err(of)?);
    }
    let mut unfinished = file.to_owned().into_os_string();
    unfinished.push(".unfinished");
    let written = fs::File::create(&unfinished).map_err(of).map_err(anyhow::Error::from).and_then(|out| {
        export(&out)?;
        out.sync_all().map_err(of)?;
        Ok(fs::rename(&unfinished, file).map_err(of)?)
    });
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Writes the positions of a value.
fn positions_of_value(global: &Global, args: &ExportArgs, limits: SizeLimits) -> anyhow::Result<()> {
    let store = data::open_to_read(&place::here(global)?)?;
    let (answer, _) = job::finished(&store, &args.job)?;
    has_counts(&answer)?;
    let Some(value) = &args.value else { return Err(InputError::NoValue.into()) };
    let known = answer.spec.question.read(value).and_then(|value| u8::try_from(value).ok());
    let Some(known) = known else { return Err(InputError::NoSuchValue(value.clone()).into()) };
    let positions = job::positions_of_value(&store, &args.job, known, limits, args.most)?;
    write(args, &positions.iter().map(|position| format!("{position}\n")).collect::<String>())
}

/// Writes the values of all P_{n,k} that are positions of a game.
fn truncations(global: &Global, args: &ExportArgs) -> anyhow::Result<()> {
    let store = data::open_to_read(&place::here(global)?)?;
    let (answer, _) = job::finished(&store, &args.job)?;
    has_counts(&answer)?;
    let question = answer.spec.question;
    if !question.is_game() {
        return Err(job::JobError::NoGame(question).into());
    }
    let rows = job::truncations(Some(&store), question, &answer.spec.poset.parse()?, budget(None).0)?;
    if rows.is_empty() {
        return Err(InputError::NoTruncations(answer.spec.poset).into());
    }
    let mut text = "n,k,value,after_first_moves_of_size_1_to_k\n".to_owned();
    for row in rows {
        let after: Vec<_> = row.first_moves.iter().map(|value| question.show(value)).collect();
        text += &format!("{},{},{},{}\n", row.points, row.largest, question.show(&row.value), after.join(" "));
    }
    write(args, &text)
}

/// A finished job, wherever it came from.
struct Finished {
    answer: Answer,
    sizes: Vec<SizeCount>,
    positions: Vec<PositionCount>,
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

/// Positions by size and value.
fn csv_by_value(question: Question, positions: &[PositionCount]) -> String {
    let rows = positions.iter().map(|count| {
        let value = question.show(&count.value.into());
        format!("{},{value},{},{}\n", count.size, count.orbits, count.labelled)
    });
    std::iter::once("size,value,orbits,labelled\n".to_owned()).chain(rows).collect()
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
