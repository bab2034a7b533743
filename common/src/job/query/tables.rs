//! What was read of tables and may be of use for the next question about them: heads of files, blocks of bases and of values.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use crate::ideal::Ideal;
use crate::job::records::JobRecord;
use crate::poset::Poset;
use crate::space::code::Ranks;
use crate::space::split::Split;
use crate::store::{BytesBlock, ClosedFile, STATES_IN_BLOCK_OF_BYTES, ShardKey, ShardKind, Store, StoreError};
use crate::symmetry::Isa;

/// Bytes of memory for a block besides what is in it, about.
const ENTRY_BYTES: usize = 100;

/// Blocks in memory. When they are too many, any one goes: those that are needed often soon come back.
struct Blocks<T> {
    blocks: HashMap<(u32, u32), (T, usize)>,
    names: Vec<(u32, u32)>,
    bytes: usize,
    most: usize,
    random: u64,
}

impl<T> Blocks<T> {
    fn new(most: usize) -> Self {
        Self { blocks: HashMap::new(), names: Vec::new(), bytes: 0, most, random: 1 }
    }

    /// The block of that number of a file; `read` reads it, and says how large it is.
    fn get<E>(&mut self, name: (u32, u32), read: impl FnOnce() -> Result<(T, usize), E>) -> Result<&mut T, E> {
        if !self.blocks.contains_key(&name) {
            let (block, bytes) = read()?;
            let bytes = bytes + ENTRY_BYTES;
            while self.bytes + bytes > self.most && !self.names.is_empty() {
                self.random =
                    self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let name = self.names.swap_remove((self.random >> 33) as usize % self.names.len());
                self.bytes -= self.blocks.remove(&name).map_or(0, |(_, bytes)| bytes);
            }
            self.bytes += bytes;
            self.names.push(name);
            self.blocks.insert(name, (block, bytes));
        }
        let found = self.blocks.get_mut(&name);
        Ok(&mut found.expect("it was there or is there now").0)
    }
}

/// The bases of a block, and where the blocks of values over the first ones of them begin.
pub(super) struct BasesBlock {
    words: Vec<u64>,
    starts: Vec<u64>,
}

impl BasesBlock {
    fn base<const W: usize>(&self, number: usize) -> Ideal<W> {
        Ideal(self.words.as_chunks::<W>().0[number])
    }

    /// The number of a base in the block, if it is there.
    fn find<const W: usize>(&self, base: &Ideal<W>) -> Result<usize, usize> {
        self.words.as_chunks::<W>().0.binary_search_by(|words| Ideal(*words).cmp(base))
    }

    /// Where the slots of a base begin, if those of the first one begin at `first`.
    fn start<const W: usize>(&mut self, number: usize, first: u64, mut slots: impl FnMut(&Ideal<W>) -> u64) -> u64 {
        while self.starts.len() <= number {
            let next = match self.starts.last() {
                Some(start) => start + slots(&self.base(self.starts.len() - 1)),
                None => first,
            };
            self.starts.push(next);
        }
        self.starts[number]
    }
}

/// What is known of the tables of one question about one poset.
pub(in crate::job) struct Tables {
    /// The jobs that answer it.
    pub(super) jobs: Vec<JobRecord>,
    /// Files by what they hold, with a number of their own. Where a base's values are depends on how large ideals are, too.
    files: RefCell<HashMap<(ShardKey, usize), (u32, ClosedFile)>>,
    /// For a space and a layer the number of shards of bases.
    shards: RefCell<HashMap<(String, usize), usize>>,
    /// Made when the first value is read from a base-and-fibre job: its tables take longer than the look-up.
    halves: OnceCell<Option<(Split<1>, Ranks)>>,
    bases: RefCell<Blocks<BasesBlock>>,
    values: RefCell<Blocks<BytesBlock>>,
}

impl Tables {
    /// Nothing is known yet; what is read takes up to so many bytes.
    pub(super) fn new(jobs: Vec<JobRecord>, memory: u64) -> Self {
        let share = |part: u64| usize::try_from(memory / part).unwrap_or(usize::MAX);
        Self {
            jobs,
            files: RefCell::default(),
            shards: RefCell::default(),
            halves: OnceCell::new(),
            bases: RefCell::new(Blocks::new(share(4))),
            values: RefCell::new(Blocks::new(share(2))),
        }
    }

    /// Bytes of the blocks in memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.bases.borrow().bytes + self.values.borrow().bytes) as u64
    }

    /// Number of shards of bases in a layer.
    pub(super) fn shards(&self, store: &Store, space: &str, layer: usize) -> Result<usize, StoreError> {
        let key = (space.to_owned(), layer);
        if let Some(&shards) = self.shards.borrow().get(&key) {
            return Ok(shards);
        }
        let shards = store.shards_in_layer(space, ShardKind::Bases, layer as u16)?.len();
        self.shards.borrow_mut().insert(key, shards);
        Ok(shards)
    }

    /// The poset taken apart; `None` if it is not self-dual.
    pub(super) fn halves(&self, poset: &Poset) -> Option<&(Split<1>, Ranks)> {
        let make = || Some((Split::halves(poset, Isa::detect())?, Ranks::new()));
        self.halves.get_or_init(make).as_ref()
    }

    /// Does something with the number of a file of a job about ideals of at most `top` elements, and its head.
    fn with_file<T>(
        &self,
        store: &Store,
        (key, top): (ShardKey, usize),
        work: impl FnOnce(u32, &ClosedFile) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut files = self.files.borrow_mut();
        let number = files.len() as u32;
        let (number, file) = match files.entry((key, top)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let file = store.open_shard(&new.key().0)?.close();
                new.insert((number, file))
            }
        };
        work(*number, file)
    }

    /// The top word of the first base of a shard.
    pub(super) fn first_top_word(&self, store: &Store, of: (ShardKey, usize)) -> Result<Option<u64>, StoreError> {
        self.with_file(store, of, |_, file| Ok(file.head().metas().first().map(|meta| meta.words[0])))
    }

    /// The place of a base in a shard, counted in slots, if it is there; `slots` says how many a base has.
    pub(super) fn place<const W: usize>(
        &self,
        store: &Store,
        of: (ShardKey, usize),
        base: &Ideal<W>,
        mut slots: impl FnMut(&Ideal<W>) -> u64,
    ) -> Result<Option<u64>, StoreError> {
        self.with_file(store, of, |number, file| {
            let metas = file.head().metas();
            // Several blocks can begin with the same top word: go back from the last that may hold the base.
            let blocks = metas.partition_point(|meta| meta.words[0] <= base.0[W - 1]);
            let mut known = self.bases.borrow_mut();
            for at in (0..blocks).rev() {
                let block = known.get((number, at as u32), || {
                    let bases = file.open()?.read_bases_block::<W>(at)?;
                    let words: Vec<u64> = bases.iter().flat_map(|base| base.0).collect();
                    let bytes = 8 * (words.len() + bases.len());
                    Ok::<_, StoreError>((BasesBlock { words, starts: Vec::with_capacity(bases.len()) }, bytes))
                })?;
                match block.find(base) {
                    Ok(found) => return Ok(Some(block.start(found, metas[at].words[1], &mut slots))),
                    // All bases of the block are later.
                    Err(0) => {}
                    Err(_) => return Ok(None),
                }
            }
            Ok(None)
        })
    }

    /// The value of a state in a file of bytes.
    pub(super) fn byte(&self, store: &Store, of: (ShardKey, usize), slot: u64) -> Result<Option<u8>, StoreError> {
        let byte = self.with_file(store, of, |number, file| {
            let mut known = self.values.borrow_mut();
            let block = known.get((number, (slot / STATES_IN_BLOCK_OF_BYTES) as u32), || {
                let block = file.open()?.read_bytes_block(slot)?;
                let bytes = block.bytes();
                Ok::<_, StoreError>((block, bytes))
            })?;
            Ok(block.get((slot % STATES_IN_BLOCK_OF_BYTES) as usize))
        });
        match byte {
            Err(StoreError::NoShard(_)) => Ok(None),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stay_within_their_memory() {
        let mut blocks = Blocks::new(10 * (ENTRY_BYTES + 100));
        let mut read = 0;
        for round in 0..50u32 {
            for number in 0..8 {
                let block = blocks.get((number % 2, number), || {
                    read += 1;
                    Ok::<_, ()>((number, 100))
                });
                assert_eq!(block, Ok(&mut { number }), "round {round}");
            }
        }
        assert_eq!(read, 8, "they all fit");
        for number in 0..100 {
            assert_eq!(blocks.get((7, number), || Ok::<_, ()>((number, 100))), Ok(&mut { number }));
            assert!(blocks.bytes <= blocks.most && blocks.names.len() == blocks.blocks.len());
        }
        assert_eq!(blocks.names.len(), 10);
        assert_eq!(blocks.get((8, 0), || Err("not there")), Err("not there"));
        // One that is too large for all is there as long as it is needed.
        assert_eq!(blocks.get((9, 0), || Ok::<_, ()>((5, 1 << 20))), Ok(&mut 5));
    }
}
