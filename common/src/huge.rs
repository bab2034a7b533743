//! Vectors on huge pages.
//!
//! Tables of gigabytes are read at random, and with pages of 4 KiB nearly every read waits for the address to be
//! translated first. Where the kernel grants huge pages on request, a large vector asks for them before it is touched.
//!
//! The one `unsafe` call passes the vector's own memory to `madvise` with an advice that changes how it is backed and never
//! what it holds.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Bytes from which on huge pages are worth the asking.
const LARGE: usize = 4 << 20;

/// Words of memory that begin with a cache line, so that no value of two or four words lies across two lines.
#[derive(Clone, Debug, Default)]
pub struct Words {
    items: Vec<u64>,
    skipped: usize,
    len: usize,
}

/// Words of a cache line.
const LINE: usize = 8;

impl Words {
    /// So many zeros, whose memory is taken when they are first used.
    pub fn zeroed(len: usize) -> Self {
        let items = vec![0; len + LINE - 1];
        advise(items.as_ptr(), items.len());
        // Where the offset is unknown the words are merely not aligned.
        let skipped = items.as_ptr().align_offset(LINE * size_of::<u64>()).min(LINE - 1);
        Self { items, skipped, len }
    }
}

/// Buffers that were given back: the first touch of a page costs more than any later use of it.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
/// So many are kept, at most.
const MOST_SPARE: usize = 16;

/// An empty buffer with room for so many bytes, whose memory is taken when they are first written.
pub fn with_room(bytes: usize) -> Vec<u8> {
    if bytes < LARGE {
        return Vec::with_capacity(bytes);
    }
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = spare.iter().position(|spare| spare.capacity() >= bytes) {
        return spare.swap_remove(at);
    }
    drop(spare);
    // Of a few sizes only, so that it can be used again.
    let bytes = bytes.next_power_of_two();
    let room: Vec<u8> = Vec::with_capacity(bytes);
    advise(room.as_ptr(), bytes);
    room
}

/// Gives a buffer of [`with_room`] back.
pub fn give_back(mut buffer: Vec<u8>) {
    if buffer.capacity() < LARGE {
        return;
    }
    buffer.clear();
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.len() < MOST_SPARE {
        spare.push(buffer);
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.items[self.skipped..self.skipped + self.len]
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.items[self.skipped..self.skipped + self.len]
    }
}

/// A vector of copies of an item.
pub fn filled<T: Clone>(item: T, len: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(len);
    advise(items.as_ptr(), items.capacity());
    items.resize(len, item);
    items
}

/// Asks for huge pages behind a vector's memory.
fn advise<T>(start: *const T, len: usize) {
    #[cfg(target_os = "linux")]
    {
        let page = rustix::param::page_size();
        let bytes = len * size_of::<T>();
        let skipped = start.cast::<u8>().align_offset(page);
        if bytes < LARGE || skipped >= bytes {
            return;
        }
        let whole = (bytes - skipped) / page * page;
        // SAFETY: the pages lie within memory that the vector owns, whether in use or not, and the advice changes neither
        // contents nor access. Where the kernel has none to give, nothing changes.
        let _ = unsafe {
            let first = start.cast::<u8>().add(skipped).cast_mut().cast();
            rustix::mm::madvise(first, whole, rustix::mm::Advice::LinuxHugepage)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, len);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_empty() {
        for bytes in [10, LARGE, LARGE + 5] {
            let mut buffer = with_room(bytes);
            assert!(buffer.is_empty() && buffer.capacity() >= bytes);
            buffer.resize(bytes, 3);
            give_back(buffer);
        }
        let buffer = with_room(LARGE + 1);
        assert!(buffer.is_empty() && buffer.capacity() > LARGE);
    }

    #[test]
    fn large_and_small_vectors_hold_what_is_put_in() {
        for len in [0, 1, 1000, 3 << 18, (3 << 18) + 7] {
            let mut items = filled(7u64, len);
            assert!(items.capacity() >= len && items.iter().all(|&item| item == 7));
            items.push(8);
            assert_eq!(items.len(), len + 1);
            let mut zeros = Words::zeroed(len);
            assert!(zeros.len() == len && zeros.iter().all(|&zero| zero == 0));
            assert_eq!(zeros.as_ptr().addr() % 64, 0);
            zeros.fill(9);
        }
    }
}
