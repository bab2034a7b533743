//! Values read from the tables of jobs that kept them: a look-up reads a block or two of the bases and one of the values.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigUint;

use super::positions::slot;
use crate::ideal::{Bits, Ideal};
use crate::job::certificate::Certificate;
use crate::job::records::{JOB, JOB_FORMAT, JobRecord, bases_key, values_key};
use crate::job::{JobId, JobSpec, Method, Question, SizeLimits};
use crate::poset::Poset;
use crate::recurrence::limbs;
use crate::space::code::Ranks;
use crate::space::split::{Split, Uppers};
use crate::store::{BlockFile, FoundBase, ShardKey, ShardKind, Store, StoreError};
use crate::symmetry::{Canonical, Isa};

/// Files that are open at a time, at most: a process may have a thousand or so.
const MOST_FILES: usize = 400;

/// The jobs of a data directory that answer one question about one poset, whatever their limits.
pub(in crate::job) struct Stored<'a> {
    pub(super) store: &'a Store,
    pub(super) poset: &'a Poset,
    question: Question,
    pub(super) jobs: Vec<JobRecord>,
    /// Files that were opened, for a question about many positions comes to the same ones again.
    files: RefCell<HashMap<ShardKey, Rc<BlockFile>>>,
    /// For a space and a layer the number of shards of bases.
    shards: RefCell<HashMap<(String, usize), usize>>,
    /// Made when the first value is read from a base-and-fibre job: its tables take longer than the look-up.
    halves: OnceCell<Option<(Split<1>, Ranks)>>,
}

impl<'a> Stored<'a> {
    /// Finds the jobs.
    ///
    /// # Errors
    /// [`StoreError::Document`]; errors of reading the catalogue.
    pub(in crate::job) fn new(store: &'a Store, question: Question, poset: &'a Poset) -> Result<Self, StoreError> {
        let spec = JobSpec::new(question, poset, SizeLimits::NONE);
        let mut jobs = Vec::new();
        // Limits are written at the end of a job's id.
        for document in store.documents_of_owners(&spec.id().0)? {
            if document.name != JOB {
                continue;
            }
            let record: Option<JobRecord> = store.document(&document.owner, JOB)?;
            let same = |record: &JobRecord| {
                (record.spec.question, &record.spec.poset, record.format) == (question, &spec.poset, JOB_FORMAT)
            };
            jobs.extend(record.filter(same));
        }
        Ok(Self {
            store,
            poset,
            question,
            jobs,
            files: RefCell::default(),
            shards: RefCell::default(),
            halves: OnceCell::new(),
        })
    }

    /// The question.
    pub(super) fn question(&self) -> Question {
        self.question
    }

    /// The same, but of one job alone.
    pub(in crate::job) fn only(mut self, job: &JobId) -> Self {
        self.jobs.retain(|record| record.spec.id() == *job);
        self
    }

    /// The value of the ideal of all elements, from a finished job.
    ///
    /// # Errors
    /// See [`Store::document`].
    pub(in crate::job) fn whole(&self) -> Result<Option<BigUint>, StoreError> {
        for job in &self.jobs {
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
    ) -> Result<Option<BigUint>, StoreError> {
        for job in self.jobs.iter().filter(|job| ideal.len() <= job.method.top()) {
            let value = match job.method {
                Method::Plain { .. } => self.slot(job, ideal.len(), form.ideal, |found| found.number)?,
                Method::Halves { top } => self.slot_of_pair(job, ideal, top)?,
            };
            if value.is_some() {
                return Ok(value);
            }
        }
        Ok(None)
    }

    /// Number of shards of bases in a layer.
    fn shards(&self, space: &str, layer: usize) -> Result<usize, StoreError> {
        let key = (space.to_owned(), layer);
        if let Some(&shards) = self.shards.borrow().get(&key) {
            return Ok(shards);
        }
        let shards = self.store.shards_in_layer(space, ShardKind::Bases, layer as u16)?.len();
        self.shards.borrow_mut().insert(key, shards);
        Ok(shards)
    }

    /// The file of a shard.
    ///
    /// # Errors
    /// [`StoreError::NoShard`], [`StoreError::Damaged`]; errors of opening.
    pub(super) fn open(&self, key: &ShardKey) -> Result<Rc<BlockFile>, StoreError> {
        let mut files = self.files.borrow_mut();
        if let Some(file) = files.get(key) {
            return Ok(file.clone());
        }
        if files.len() == MOST_FILES {
            files.clear();
        }
        let file = Rc::new(self.store.open_shard(key)?);
        files.insert(key.clone(), file.clone());
        Ok(file)
    }

    /// The poset taken apart; `None` if it is not self-dual.
    pub(super) fn halves(&self) -> Option<&(Split<1>, Ranks)> {
        let make = || Some((Split::halves(self.poset, Isa::detect())?, Ranks::new()));
        self.halves.get_or_init(make).as_ref()
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
        let slot = |found: &FoundBase<1>| slot(split, ranks, (form.ideal.0[0], upper), room, found);
        debug_assert!(is_upper_part(uppers, form.ideal.0[0], upper));
        self.slot(job, base.len(), form.ideal, slot)
    }

    /// The value in a slot that follows from where the base is found, if base and values are there.
    fn slot<const W: usize>(
        &self,
        job: &JobRecord,
        layer: usize,
        base: Ideal<W>,
        slot: impl FnOnce(&FoundBase<W>) -> u64,
    ) -> Result<Option<BigUint>, StoreError> {
        let Some((shard, found)) = self.find(job, layer, &base)? else { return Ok(None) };
        let values = values_key(&job.spec.id(), layer, shard);
        if self.store.shard(&values)?.is_none() {
            return Ok(None);
        }
        let values = self.store.read_value_range(&values, slot(&found), 1)?;
        Ok(Some(limbs::value(&values.limbs)))
    }

    /// The shard of a base and its place there. Shards are pieces of the ascending layer, so it is in the last one that
    /// begins below it.
    pub(super) fn find<const W: usize>(
        &self,
        job: &JobRecord,
        layer: usize,
        base: &Ideal<W>,
    ) -> Result<Option<(usize, FoundBase<W>)>, StoreError> {
        let (mut below, mut above) = (0, self.shards(&job.space, layer)?);
        while below < above {
            let middle = (below + above) / 2;
            let file = self.open(&bases_key(&job.space, layer, middle))?;
            // The top word of the shard's first base.
            if file.metas().first().is_some_and(|meta| meta.words[0] <= base.0[W - 1]) {
                below = middle + 1;
            } else {
                above = middle;
            }
        }
        // Several shards can begin with the same top word.
        for shard in (0..below).rev() {
            let key = bases_key(&job.space, layer, shard);
            let file = self.open(&key)?;
            if let Some(found) = file.find_base(base)? {
                return Ok(Some((shard, found)));
            }
            if file.metas().first().is_some_and(|meta| meta.words[0] < base.0[W - 1]) {
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
    use crate::job::plain::{Plain, Set};
    use crate::job::query::quick;
    use crate::job::trial::{HALVES, finished, fresh};
    use crate::store::Commit;
    use crate::symmetry::Canonicaliser;

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
                assert_eq!(found.as_ref(), Some(value).filter(|_| size <= top), "{ideal:?}");
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
            let stored = Stored::new(&store, Question::Extensions, &poset).expect("readable");
            assert_eq!(stored.whole().expect("readable"), answer.value, "{spec}");
            let top = stored.jobs[0].method.top();
            check_all::<1>(&stored, &poset, top);
        }
    }

    #[test]
    fn kept_values_of_pairs_of_base_and_upper_part_are_found() {
        let (_directory, store) = fresh();
        let (poset, answer) = finished(&store, Question::Extensions, HALVES, SizeLimits::NONE, true);
        let stored = Stored::new(&store, Question::Extensions, &poset).expect("readable");
        assert_eq!(stored.jobs[0].method, Method::Halves { top: 45 });
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
            assert_eq!(stored.value(ideal, &form).expect("readable"), Some(expected), "{ideal:?}");
        }
        let large = Ideal::first(46);
        assert_eq!(stored.value(large, &symmetry.canonical(large)).expect("readable"), None, "beyond the middle");
        assert_eq!(stored.whole().expect("readable"), answer.value);
        let others = Stored::new(&store, Question::Ideals, &poset).expect("readable");
        assert_eq!(others.whole().expect("readable"), None, "no job of that question");
        assert!(stored.only(&JobId("another".to_owned())).jobs.is_empty());
    }

    #[test]
    fn a_base_is_found_in_whichever_shard_it_is() {
        let (_directory, store) = fresh();
        let (poset, _) = finished(&store, Question::Extensions, "boolean:3", SizeLimits::NONE, false);
        let stored = Stored::new(&store, Question::Extensions, &poset).expect("readable");
        let job = JobRecord { space: "pieces".to_owned(), ..stored.jobs[0].clone() };
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
            let (shard, found) = stored.find(&job, 3, base).expect("readable").expect("there");
            assert_eq!((shard, found.number), (i / 1200, i as u64 % 1200));
            assert_eq!(stored.find(&job, 3, &Ideal([base.0[0] + 1, base.0[1]])).expect("readable"), None);
        }
        assert_eq!(stored.find(&job, 3, &Ideal([0, 9])).expect("readable"), None);
        assert_eq!(stored.find(&job, 4, &bases[0]).expect("readable"), None);
    }

    #[test]
    fn values_that_were_not_kept_are_not_found() {
        let (_directory, store) = fresh();
        let (poset, _) = finished(&store, Question::Extensions, "chains:4x4x4", SizeLimits::NONE, false);
        let stored = Stored::new(&store, Question::Extensions, &poset).expect("readable");
        let symmetry = Canonicaliser::<1>::new(&poset, Isa::detect());
        let ideal = Ideal::first(20);
        assert_eq!(stored.value(ideal, &symmetry.canonical(ideal)).expect("readable"), None);
    }
}
