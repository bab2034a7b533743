//! What a search remembers: a value for each canonical position.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::ideal::Ideal;
use crate::space::layer::hash;

/// Values of canonical positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo<const W: usize>(HashMap<Key<W>, u8, BuildHasherDefault<Mixed>>);

impl<const W: usize> Memo<W> {
    /// The value, if it is remembered.
    #[inline(always)]
    pub fn get(&self, position: &Ideal<W>) -> Option<u8> {
        self.0.get(&Key(*position)).copied()
    }

    /// Remembers a value.
    pub fn insert(&mut self, position: Ideal<W>, value: u8) {
        self.0.insert(Key(position), value);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// A position that hashes to one word, already mixed: the general hasher of the standard library, safe against chosen
/// keys, would cost as much as a canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key<const W: usize>(Ideal<W>);

impl<const W: usize> Hash for Key<W> {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(hash(&self.0));
    }
}

/// Takes the word of a [`Key`] as it is.
#[derive(Clone, Copy, Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    /// Keys write words only; this is right for anything else, and slow.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = hash(&Ideal([self.0, u64::from(byte)]));
        }
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
}
