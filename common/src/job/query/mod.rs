//! Values of positions: stored ones, and those that are quick to compute.
//!
//! The value of a position is, for `extensions`, the number of linear extensions of the ideal (as a poset of its own), and
//! for `ideals` the number of labelled ideals that it contains, itself and the empty one included.
//!
//! ```
//! use antichain_common::{job::{Question, query}, poset::Poset};
//! let poset: Poset = "boolean:3".parse()?;
//! let position = ("0 1 2".to_owned(), vec![0, 1, 2, 3]);
//! let values = query(None, Question::Extensions, &poset, &[position.clone()], 1 << 20)?;
//! assert_eq!(values[0].value, 6u8.into());
//! let values = query(None, Question::Ideals, &poset, &[position], 1 << 20)?;
//! assert_eq!(values[0].value, 9u8.into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod hint;
mod positions;
mod quick;
mod search;
mod stored;
mod tables;

use std::collections::HashMap;

use num_bigint::BigUint;

use positions::larger_game;
use search::Search;
pub(super) use search::plain_search;
use stored::Found;
pub(super) use stored::Stored;
use tables::Tables;

use super::{JobError, PositionValue, Question};
use crate::ideal::{Element, Ideal};
use crate::poset::{Poset, format_position};
use crate::store::{Store, StoreError};
use crate::symmetry::{Canonical, Canonicaliser, Isa};

/// Ideals that are dealt with before any table is looked at: less than a millisecond.
const VERY_FEW: usize = 500;
/// Ideals that are dealt with at once where no table has the value: about a second.
const FEW: usize = 300_000;
/// Bytes that an ideal takes meanwhile, at most about: itself, its edges, its value.
const BYTES_OF_AN_IDEAL: u64 = 1024;

/// What was read of tables for one question, of use for the next: whoever is asked again and again keeps it.
#[derive(Default)]
pub struct QueryTables {
    tables: HashMap<(Question, String), Tables>,
}

impl QueryTables {
    /// Keeps tables that were read. If they are too large together with the others, the others go; where there is no job
    /// there is nothing to keep.
    fn keep(&mut self, name: (Question, String), tables: Tables, memory: u64) {
        let bytes: u64 = self.tables.values().map(Tables::bytes).sum();
        if bytes + tables.bytes() > memory {
            self.tables.clear();
        }
        if !tables.jobs.is_empty() {
            self.tables.insert(name, tables);
        }
    }
}

/// Values of positions (each given as the text the user typed and the ideal it means). `store` is `None` where there is
/// no data directory yet: small posets are computed at once. `memory` bytes may be used.
///
/// # Errors
/// [`JobError::NotStored`] where the value is neither stored nor quick to compute; [`StoreError::Damaged`] if it is stored
/// in a damaged file and not quick to compute.
pub fn query(
    store: Option<&Store>,
    question: Question,
    poset: &Poset,
    positions: &[(String, Vec<Element>)],
    memory: u64,
) -> Result<Vec<PositionValue>, JobError> {
    query_with(&mut QueryTables::default(), store, question, poset, (positions, true), memory)
}

/// The same with what earlier questions to this store have read, which takes as much memory again, and with canonical forms
/// only if they are wanted: those of very symmetric positions take longer than their values.
///
/// # Errors
/// As [`query`].
pub fn query_with(
    tables: &mut QueryTables,
    store: Option<&Store>,
    question: Question,
    poset: &Poset,
    (positions, canonical): (&[(String, Vec<Element>)], bool),
    memory: u64,
) -> Result<Vec<PositionValue>, JobError> {
    let larger = larger_game(poset).filter(|_| question.is_game());
    let mut stored = Vec::new();
    if let Some(store) = store {
        let mut add = |question: Question, poset| {
            let before = tables.tables.remove(&(question, Poset::name(poset)));
            stored.push(Stored::new(store, question, poset, before, memory)?);
            Ok::<_, StoreError>(())
        };
        for poset in std::iter::once(poset).chain(&larger) {
            add(question, poset)?;
        }
        // Whoever knows Grundy values knows who wins.
        for poset in std::iter::once(poset).chain(&larger).filter(|_| question == Question::Outcome) {
            add(Question::Grundy, poset)?;
        }
    }
    let most = usize::try_from(memory / BYTES_OF_AN_IDEAL).unwrap_or(FEW).min(FEW);
    let query = Query { stored, store: store.filter(|_| question == Question::Outcome), question, poset, most };
    let values = match poset.words() {
        1 => query.values::<1>(positions, canonical),
        2 => query.values::<2>(positions, canonical),
        _ => query.values::<4>(positions, canonical),
    };
    for stored in query.stored {
        tables.keep((stored.question(), stored.poset.name()), stored.into_tables(), memory);
    }
    values
}

struct Query<'a> {
    /// The jobs about this question and poset; then, for a game, about others that know the same.
    stored: Vec<Stored<'a>>,
    /// Where searches of single positions may have left their answers.
    store: Option<&'a Store>,
    question: Question,
    poset: &'a Poset,
    /// Ideals that may be dealt with at once.
    most: usize,
}

impl Query<'_> {
    fn values<const W: usize>(
        &self,
        positions: &[(String, Vec<Element>)],
        canonical: bool,
    ) -> Result<Vec<PositionValue>, JobError> {
        let is_game = self.question.is_game();
        let symmetry = (canonical || !is_game).then(|| Canonicaliser::<W>::new(self.poset, Isa::detect()));
        // Made when the first value is not stored: its tables take longer than many look-ups.
        let mut search: Option<Search<W>> = None;
        let mut value = |(position, members): &(String, Vec<Element>)| {
            let ideal = members.iter().fold(Ideal::empty(), |set: Ideal<W>, &x| set.with(x));
            let form = symmetry.as_ref().map(|symmetry| (symmetry, symmetry.canonical(ideal)));
            let written = |form: &Canonical<W>| format_position(self.poset, &form.ideal.iter().collect::<Vec<_>>());
            let found = match &form {
                Some((symmetry, form)) if !is_game => self.value(symmetry, ideal, form)?,
                _ => self.position(members, ideal, &mut search)?,
            };
            let canonical = form.filter(|_| canonical).map(|(_, form)| written(&form));
            let not_stored =
                || JobError::NotStored { position: position.clone(), hint: self.hint(position, members.len()) };
            let Found { value, unfinished } = found.ok_or_else(not_stored)?;
            Ok(PositionValue { position: position.clone(), canonical, value, unfinished })
        };
        positions.iter().map(&mut value).collect()
    }

    /// The value of a position of the game: stored, or searched for.
    fn position<const W: usize>(
        &self,
        members: &[Element],
        ideal: Ideal<W>,
        search: &mut Option<Search<W>>,
    ) -> Result<Option<Found>, StoreError> {
        let mut damage = None;
        let mut of_unfinished = None;
        for stored in &self.stored {
            match stored.position(members) {
                Ok(Some(mut found)) => {
                    if stored.question() != self.question {
                        // The player to move wins where the Grundy value is not 0.
                        found.value = u8::from(found.value != BigUint::ZERO).into();
                    }
                    if found.unfinished.is_none() {
                        return Ok(Some(found));
                    }
                    of_unfinished = of_unfinished.or(Some(found));
                }
                Ok(None) => {}
                Err(error @ StoreError::Damaged { .. }) => damage = Some(error),
                Err(error) => return Err(error),
            }
        }
        if of_unfinished.is_some() {
            return Ok(of_unfinished);
        }
        if search.is_none() {
            *search = self::search::search(self.question, self.poset);
        }
        let searched = search.as_mut().and_then(|search| search(ideal, self.most));
        let searched = match (searched, self.store) {
            (None, Some(store)) => super::search::settled_outcome(store, self.poset, members)?,
            (searched, _) => searched,
        };
        match (searched, damage) {
            (Some(value), damage) => {
                if let Some(damage) = damage {
                    tracing::warn!(%damage, "the value was computed instead of read");
                }
                Ok(Some(value.into()))
            }
            (None, Some(damage)) => Err(damage),
            (None, None) => Ok(None),
        }
    }

    fn value<const W: usize>(
        &self,
        symmetry: &Canonicaliser<W>,
        ideal: Ideal<W>,
        form: &Canonical<W>,
    ) -> Result<Option<Found>, StoreError> {
        let at_once = |most: usize| match self.question {
            Question::Extensions => quick::extensions(self.poset, symmetry, ideal, most),
            _ => quick::ideals(self.poset, &ideal.iter().collect::<Vec<_>>(), most),
        };
        if let Some(value) = at_once(VERY_FEW.min(self.most)) {
            return Ok(Some(value.into()));
        }
        match self.read(ideal, form) {
            Ok(Some(found)) => Ok(Some(found)),
            Ok(None) => Ok(at_once(self.most).map(Found::from)),
            Err(damage @ StoreError::Damaged { .. }) => {
                let Some(value) = at_once(self.most) else { return Err(damage) };
                tracing::warn!(%damage, "the value was computed instead of read");
                Ok(Some(value.into()))
            }
            Err(error) => Err(error),
        }
    }

    /// The stored value, if there is one.
    fn read<const W: usize>(&self, ideal: Ideal<W>, form: &Canonical<W>) -> Result<Option<Found>, StoreError> {
        match self.stored.first() {
            None => Ok(None),
            Some(stored) if ideal.len() == self.poset.len() => Ok(stored.whole()?.map(Found::from)),
            Some(stored) if self.question == Question::Extensions => stored.value(ideal, form),
            // Nothing but the total is stored of numbers of ideals.
            Some(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::records::values_key;
    use crate::job::trial::{finished, fresh};
    use crate::job::{JobId, SizeLimits};
    use crate::poset::parse_position;

    /// A budget of ten ideals.
    const TIGHT: u64 = 10 * BYTES_OF_AN_IDEAL;

    fn position(poset: &Poset, text: &str) -> [(String, Vec<Element>); 1] {
        [(text.to_owned(), parse_position(poset, text).expect("a position").members)]
    }

    #[test]
    fn a_damaged_value_is_computed_or_its_file_is_named() {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, Question::Extensions, "boolean:5", SizeLimits::NONE, true);
        let position = position(&poset, "013 24 04");
        let ask = |memory| query(Some(&store), Question::Extensions, &poset, &position, memory);
        let size = position[0].1.len();
        let right = ask(TIGHT).expect("it is stored").remove(0);

        let record = store.shard(&values_key(&answer.job, size, 0)).expect("readable").expect("kept");
        let file = store.directory().join(record.file);
        let mut bytes = std::fs::read(&file).expect("read");
        bytes[40] ^= 1;
        std::fs::write(&file, bytes).expect("written");
        assert_eq!(ask(1 << 30).expect("computed").remove(0).value, right.value);
        match ask(TIGHT).map(|values| values.len()) {
            Err(JobError::Store(error)) => assert_eq!(error.damaged_file(), Some(&*file)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tables_are_kept_where_there_are_jobs_and_within_their_memory() {
        let (_directory, store) = fresh();
        let (poset, _) = finished(&store, Question::Grundy, "boolean:5", SizeLimits::NONE, true);
        let mut tables = QueryTables::default();
        let mut ask = |question, spec: &str, memory| {
            let poset: Poset = spec.parse().expect("a poset");
            let values =
                query_with(&mut tables, Some(&store), question, &poset, (&position(&poset, "01"), false), memory);
            assert!(values.expect("a value")[0].canonical.is_none());
            let mut names: Vec<_> = tables.tables.keys().map(|(question, name)| format!("{question} {name}")).collect();
            names.sort_unstable();
            names
        };
        let grundy = [format!("grundy {}", poset.name())];
        assert_eq!(ask(Question::Grundy, "boolean:5", 1 << 20), grundy);
        for points in 2..5 {
            assert_eq!(ask(Question::Grundy, &format!("boolean:{points}"), 1 << 20), grundy, "no job, nothing kept");
        }
        // Those of the whole lattice are asked for its parts.
        assert_eq!(ask(Question::Outcome, "boolean:5:2", 1 << 20), grundy);
        // With room for nothing, what is read goes when the next tables come.
        finished(&store, Question::Remoteness, "boolean:5", SizeLimits::NONE, true);
        assert_eq!(ask(Question::Remoteness, "boolean:5", 0), ["remoteness boolean:5"]);
    }

    #[test]
    fn what_is_neither_stored_nor_quick_is_refused() {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, Question::Ideals, "boolean:5", SizeLimits::NONE, false);
        assert_eq!(answer.job, JobId("ideals-boolean-5".to_owned()));
        for (question, text) in [(Question::Extensions, "013 24 124"), (Question::Ideals, "0123")] {
            let refused = query(Some(&store), question, &poset, &position(&poset, text), TIGHT);
            assert!(matches!(refused, Err(JobError::NotStored { position, .. }) if position == text));
        }
        // The number of all ideals is the answer of the job.
        let whole = query(Some(&store), Question::Ideals, &poset, &position(&poset, "01234"), TIGHT);
        assert_eq!(whole.expect("stored").remove(0).value, 7581u32.into());
    }
}
