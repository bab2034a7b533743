//! What the program writes: results on standard output, everything for the eyes of a person on standard error.
//!
//! A reader that goes away (`antichain export ... | head`) is no error, and a closed standard error never stops a
//! computation.

use std::io::{self, Write as _};

use serde::Serialize;

use crate::progress;

/// Standard output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {0}")]
pub struct StdoutError(#[from] pub io::Error);

impl StdoutError {
    /// Whether the reader went away.
    pub fn is_closed(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Writes a result.
pub fn result(text: &str) -> Result<(), StdoutError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a result as a JSON document.
pub fn document(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(result(&text)?)
}

/// Writes a line to standard error.
pub fn note(line: &str) {
    // Nobody is left to be told that standard error is closed.
    let _ = progress::screen().suspend(|| writeln!(io::stderr(), "{line}"));
}

/// Writes a warning to standard error: a line of text, or of JSON.
pub fn warning(json: bool, text: &str) {
    if json {
        note(&serde_json::json!({ "warning": text }).to_string());
    } else {
        note(&format!("warning: {text}"));
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: &impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows as aligned columns: the first `left` columns to the left, the others, numbers, to the right.
pub fn table(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if i > 0 {
                line.push_str("  ");
            }
            // Not by a width of the format, which has 16 bits.
            let space = " ".repeat(width - cell.chars().count());
            let (before, after) = if i < left { ("", &*space) } else { (&*space, "") };
            line.extend([before, cell, after]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_threes() {
        for (number, text) in [(0u64, "0"), (999, "999"), (1000, "1,000"), (490_013_148, "490,013,148")] {
            assert_eq!(grouped(&number), text);
        }
    }

    #[test]
    fn columns_align() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let long = "x".repeat(70_000);
        assert_eq!(table(&[vec![long.clone(), "1".to_owned()]], 1), format!("{long}  1\n"));
        assert_eq!(table(&[row(["a", "1", "10"]), row(["bcd", "20", ""])], 1), "a     1  10\nbcd  20\n");
    }
}
