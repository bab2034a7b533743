//! Values read from the tables of jobs that kept them: a look-up reads a block or two of the bases and one of the values.

use num_bigint::BigUint;

use super::positions::{slot_within, slots};
use super::tables::Tables;
use crate::ideal::{Bits, Ideal};
use crate::job::catalogue::jobs_about;
use crate::job::certificate::Certificate;
use crate::job::records::{JobRecord, JobState, bases_key, values_key};
use crate::job::{JobId, JobSpec, Method, Question};
use crate::poset::Poset;
use crate::recurrence::limbs;
use crate::space::code::Ranks;
use crate::space::split::{Split, Uppers};
use crate::store::{Store, StoreError};
use crate::symmetry::Canonical;

/// A value, and the job that has it, if that is not finished.
pub(in crate::job) struct Found {
    pub(in crate::job) value: BigUint,
    pub(in crate::job) unfinished: Option<JobId>,
}

impl Found {
    /// From the table of a job.
    pub(super) fn of(value: impl Into<BigUint>, job: &JobRecord) -> Self {
        let unfinished = (job.state != JobState::Finished).then(|| job.spec.id());
        Self { value: value.into(), unfinished }
    }
}

impl From<BigUint> for Found {
    fn from(value: BigUint) -> Self {
        Self { value, unfinished: None }
    }
}

/// The jobs of a data directory that answer one question about one poset, whatever their limits.
pub(in crate::job) struct Stored<'a> {
    pub(super) store: &'a Store,
    pub(super) poset: &'a Poset,
    question: Question,
    pub(super) tables: Tables,
}

impl<'a> Stored<'a> {
    /// Finds the jobs. What was read of their tables before is of use as long as they are the same; what is read takes up to
    /// so many bytes.
    ///
    /// # Errors
    /// [`StoreError::Document`]; errors of reading the catalogue.
    pub(in crate::job) fn new(
        store: &'a Store,
        question: Question,
        poset: &'a Poset,
        before: Option<Tables>,
        memory: u64,
    ) -> Result<Self, StoreError> {
        let jobs = jobs_about(store, question, &poset.name())?;
        // Of one that is not finished, more may be there by now.
        let same = |before: &Tables| before.jobs == jobs && jobs.iter().all(|job| job.state == JobState::Finished);
        let before = before.filter(same);
        let tables = before.unwrap_or_else(|| Tables::new(jobs, memory));
        Ok(Self { store, poset, question, tables })
    }

    /// What was read, for the next time.
    pub(super) fn into_tables(self) -> Tables {
        self.tables
    }

    /// The question.
    pub(super) fn question(&self) -> Question {
        self.question
    }

    /// The same, but of one job alone.
    pub(in crate::job) fn only(mut self, job: &JobId) -> Self {
        self.tables.jobs.retain(|record| record.spec.id() == *job);
        self
    }

    /// The value of the ideal of all elements, from a finished job.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub(in crate::job) fn whole(&self) -> Result<Option<BigUint>, StoreError> {
        for job in &self.tables.jobs {
            let certificate = Certificate::load(self.store, &job.spec.id())?;
            if let Some(value) = certificate.and_then(|certificate| certificate.value) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value of an ideal, given with its canonical form, from a job that kept it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`]; errors of reading.
    pub(in crate::job) fn value<const W: usize>(
        &self,
        ideal: Ideal<W>,
        form: &Canonical<W>,
    ) -> Result<Option<Found>, StoreError> {
        for job in self.tables.jobs.iter().filter(|job| ideal.len() <= job.method.top()) {
            let value = match job.method {
                Method::Plain { .. } => self.slot(job, ideal.len(), form.ideal, |_| 1, 0)?,
                Method::Halves { top } => self.slot_of_pair(job, ideal, top)?,
            };
            if let Some(value) = value {
                return Ok(Some(Found::of(value, job)));
            }
        }
        Ok(None)
    }

    /// If all jobs have a limit on the size of ideals, the one with the largest, and this.
    pub(super) fn frontier(&self) -> Option<(JobSpec, usize)> {
        let limits: Option<Vec<_>> = self.tables.jobs.iter().map(|job| Some((job, job.spec.limits.max?))).collect();
        let (job, top) = limits?.into_iter().max_by_key(|&(_, top)| top)?;
        Some((job.spec.clone(), top))
    }

    /// A job that is not finished, if there is one and no other is.
    pub(super) fn unfinished(&self) -> Option<JobId> {
        let mut jobs = self.tables.jobs.iter().peekable();
        let first = jobs.peek()?.spec.id();
        jobs.all(|job| job.state != JobState::Finished).then_some(first)
    }

    /// The poset taken apart; `None` if it is not self-dual.
    pub(super) fn halves(&self) -> Option<&(Split<1>, Ranks)> {
        self.tables.halves(self.poset)
    }

    fn slot_of_pair<const W: usize>(
        &self,
        job: &JobRecord,
        ideal: Ideal<W>,
        top: usize,
    ) -> Result<Option<BigUint>, StoreError> {
        let Some((split, ranks)) = self.halves() else { return Ok(None) };
        let Some(uppers) = &split.uppers else { return Ok(None) };
        let base = Ideal([ideal.0[0] & split.whole_base.0[0]]);
        let upper = (0..split.base).filter(|&i| ideal.contains(usize::from(uppers.element[i])));
        let upper = Ideal([upper.fold(0, |set, i| set | 1 << i)]);
        let form = split.symmetry.canonical(base);
        let upper = uppers.action.apply(form.by, upper).0[0];
        let room = top - base.len();
        debug_assert!(is_upper_part(uppers, form.ideal.0[0], upper));
        let within = slot_within(split, ranks, (form.ideal.0[0], upper), room);
        let mut facets = Vec::new();
        let slots = |base: &Ideal<1>| slots(split, ranks, base.0[0], room, &mut facets);
        self.slot(job, base.len(), form.ideal, slots, within)
    }

    /// The value in a slot over a base, if base and values are there; `slots` says how many slots a base has.
    fn slot<const W: usize>(
        &self,
        job: &JobRecord,
        layer: usize,
        base: Ideal<W>,
        slots: impl FnMut(&Ideal<W>) -> u64,
        within: u64,
    ) -> Result<Option<BigUint>, StoreError> {
        let Some((shard, place)) = self.find(job, layer, &base, slots)? else { return Ok(None) };
        let values = values_key(&job.spec.id(), layer, shard);
        if self.store.shard(&values)?.is_none() {
            return Ok(None);
        }
        let values = self.store.read_value_range(&values, place + within, 1)?;
        Ok(Some(limbs::value(&values.limbs)))
    }

    /// The shard of a base and its place there, counted in slots. Shards are pieces of the ascending layer, so it is in the
    /// last one that begins below it.
    pub(super) fn find<const W: usize>(
        &self,
        job: &JobRecord,
        layer: usize,
        base: &Ideal<W>,
        mut slots: impl FnMut(&Ideal<W>) -> u64,
    ) -> Result<Option<(usize, u64)>, StoreError> {
        let file = |shard: usize| (bases_key(&job.space, layer, shard), job.method.top());
        let first = |shard: usize| self.tables.first_top_word(self.store, file(shard));
        let (mut below, mut above) = (0, self.tables.shards(self.store, &job.space, layer)?);
        while below < above {
            let middle = (below + above) / 2;
            if first(middle)?.is_some_and(|first| first <= base.0[W - 1]) {
                below = middle + 1;
            } else {
                above = middle;
            }
        }
        // Several shards can begin with the same top word.
        for shard in (0..below).rev() {
            if let Some(place) = self.tables.place(self.store, file(shard), base, &mut slots)? {
                return Ok(Some((shard, place)));
            }
            if first(shard)?.is_some_and(|first| first < base.0[W - 1]) {
                break;
            }
        }
        Ok(None)
    }
}

/// Whether all that the uppers rest on is there.
fn is_upper_part(uppers: &Uppers, base: u64, upper: u64) -> bool {
    Bits(upper).all(|i| uppers.base_below[i] & !base == 0 && uppers.upper_below[i] & !upper == 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::job::SizeLimits;
    use crate::job::plain::{Plain, Set};
    use crate::job::query::quick;
    use crate::job::trial::{HALVES, finished, fresh};
    use crate::store::Commit;
    use crate::symmetry::{Canonicaliser, Isa};

    /// Compares the stored values of all ideals of at most `top` elements with plainly computed ones.
    fn check_all<const W: usize>(stored: &Stored<'_>, poset: &Poset, top: usize) {
        let symmetry = Canonicaliser::<W>::new(poset, Isa::detect());
        let plain = Plain::new(poset);
        let mut values = BTreeMap::from([(Set::empty(), BigUint::from(1u8))]);
        for size in 0..=poset.len() {
            for (set, value) in &values {
                let mut ideal = Ideal::<W>::empty();
                ideal.0.copy_from_slice(&set.0[..W]);
                let found = stored.value(ideal, &symmetry.canonical(ideal)).expect("readable");
                assert_eq!(found.map(|found| found.value).as_ref(), Some(value).filter(|_| size <= top), "{ideal:?}");
            }
            values = plain.next_size(&values);
        }
    }

    #[test]
    fn every_kept_value_is_found() {
        for (spec, limits) in [
            ("boolean:4", SizeLimits::NONE),
            ("chains:3x3x2", SizeLimits { min: 0, max: Some(9) }),
            ("divisors:72", SizeLimits { min: 2, max: None }),
            ("boolean:4:2", SizeLimits::NONE),
        ] {
            let (_directory, store) = fresh();
            let (poset, answer) = finished(&store, Question::Extensions, spec, limits, true);
            let stored = Stored::new(&store, Question::Extensions, &poset, None, 1 << 20).expect("readable");
            assert_eq!(stored.whole().expect("readable"), answer.value, "{spec}");
            let top = stored.tables.jobs[0].method.top();
            check_all::<1>(&stored, &poset, top);
        }
    }

    #[test]
    fn kept_values_of_pairs_of_base_and_upper_part_are_found() {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, Question::Extensions, HALVES, SizeLimits::NONE, true);
        let stored = Stored::new(&store, Question::Extensions, &poset, None, 1 << 20).expect("readable");
        assert_eq!(stored.tables.jobs[0].method, Method::Halves { top: 45 });
        let symmetry = Canonicaliser::<2>::new(&poset, Isa::detect());
        let plain = Plain::new(&poset);
        let mut random = 1u64;
        for walk in 0..30 {
            let mut set = Set::empty();
            for _ in 0..15 + walk {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let addable: Vec<_> = plain.addable(set, 0).collect();
                set.insert(addable[(random >> 33) as usize % addable.len()]);
            }
            let ideal = Ideal([set.0[0], set.0[1]]);
            let form = symmetry.canonical(ideal);
            let expected = quick::extensions(&poset, &symmetry, ideal, 1_000_000).expect("few enough");
            let found = stored.value(ideal, &form).expect("readable");
            assert_eq!(found.map(|found| found.value), Some(expected), "{ideal:?}");
        }
        let large = Ideal::first(46);
        let none = stored.value(large, &symmetry.canonical(large)).expect("readable");
        assert!(none.is_none(), "beyond the middle");
        assert_eq!(stored.whole().expect("readable"), answer.value);
        let others = Stored::new(&store, Question::Ideals, &poset, None, 1 << 20).expect("readable");
        assert_eq!(others.whole().expect("readable"), None, "no job of that question");
        assert!(stored.only(&JobId("another".to_owned())).tables.jobs.is_empty());
    }

    #[test]
    fn a_base_is_found_in_whichever_shard_it_is() {
        let (_directory, store) = fresh();
        let (poset, _) = finished(&store, Question::Extensions, "boolean:3", SizeLimits::NONE, false);
        let stored = Stored::new(&store, Question::Extensions, &poset, None, 1 << 20).expect("readable");
        let job = JobRecord { space: "pieces".to_owned(), ..stored.tables.jobs[0].clone() };
        // Many bases share their top word, so shards and blocks begin with equal ones.
        let bases: Vec<Ideal<2>> = (0..8000u64).map(|i| Ideal([i % 3000 * 7, i / 3000])).collect();
        for (number, shard) in bases.chunks(1200).enumerate() {
            let key = bases_key("pieces", 3, number);
            let written = store.write_bases(&key, shard, |i| i as u64).expect("written");
            let mut commit = Commit::new();
            commit.put_shard(key, written.record());
            store.commit(commit).expect("committed");
        }
        for (i, base) in bases.iter().enumerate().step_by(37) {
            let found = stored.find(&job, 3, base, |_| 1).expect("readable");
            assert_eq!(found, Some((i / 1200, i as u64 % 1200)));
            assert_eq!(stored.find(&job, 3, &Ideal([base.0[0] + 1, base.0[1]]), |_| 1).expect("readable"), None);
        }
        assert_eq!(stored.find(&job, 3, &Ideal([0, 9]), |_| 1).expect("readable"), None);
        assert_eq!(stored.find(&job, 4, &bases[0], |_| 1).expect("readable"), None);
    }

    #[test]
    fn values_that_were_not_kept_are_not_found() {
        let (_directory, store) = fresh();
        let (poset, _) = finished(&store, Question::Extensions, "chains:4x4x4", SizeLimits::NONE, false);
        let stored = Stored::new(&store, Question::Extensions, &poset, None, 1 << 20).expect("readable");
        let symmetry = Canonicaliser::<1>::new(&poset, Isa::detect());
        let ideal = Ideal::first(20);
        assert!(stored.value(ideal, &symmetry.canonical(ideal)).expect("readable").is_none());
    }
}
