//! A matrix of 0 and 1, whose entry (i, j) is 1 if i is below j. Elements are called by their numbers, from 1.

use super::order::Relations;
use super::{GivenError, GivenFault, MOST_ELEMENTS};

/// The entries of a row: separated by spaces or commas, or one character each.
fn entries(line: &str) -> Vec<&str> {
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    match words[..] {
        [word] => word.split("").filter(|c| !c.is_empty()).collect(),
        _ => words,
    }
}

/// The rows that are not empty, with the numbers of their lines.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// Whether a text is meant as a matrix rather than as relations of elements that are called 0 and 1.
pub(super) fn looks_like_one(text: &str) -> bool {
    let mut count = 0;
    let mut widths = std::collections::BTreeSet::new();
    let mut words = 0;
    for (_, line) in rows(text) {
        let row = entries(line);
        if row.iter().any(|entry| !matches!(*entry, "0" | "1")) {
            return false;
        }
        count += 1;
        words = words.max(line.split_whitespace().count());
        widths.insert(row.len());
    }
    // A pair, and an element alone, are no matrices.
    let is_relation = (count, words) == (1, 2) || (words == 1 && !widths.contains(&count)) || (count, words) == (1, 1);
    count > 0 && !is_relation
}

pub(super) fn read(text: &str) -> Result<Relations, GivenError> {
    let expected = rows(text).count();
    if expected > MOST_ELEMENTS {
        return Err(GivenFault::TooManyElements.into());
    }
    let mut relations = Relations::default();
    for (i, (line, _)) in rows(text).enumerate() {
        relations.add((i + 1).to_string(), line)?;
    }
    let mut reflexive = Vec::new();
    for (i, (line, row)) in rows(text).enumerate() {
        let row = entries(row);
        if row.len() != expected {
            return Err(GivenFault::NotSquare { found: row.len(), expected }.at(line));
        }
        for (j, entry) in row.into_iter().enumerate() {
            match entry {
                "0" => {}
                "1" if i == j => reflexive.push((i, line)),
                "1" => relations.relate(i, j, line)?,
                other => return Err(GivenFault::Entry(other.to_owned()).at(line)),
            }
        }
    }
    // "At most" for "below" is understood, but only of all elements.
    match reflexive.first() {
        Some(&(i, line)) if reflexive.len() < expected => {
            Err(GivenFault::BelowItself(relations.label(i).to_owned()).at(line))
        }
        _ => Ok(relations),
    }
}
