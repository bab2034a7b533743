//! Vectors on huge pages.
//!
//! Tables of gigabytes are read at random, and with pages of 4 KiB nearly every read waits for the address to be
//! translated first. Where the kernel grants huge pages on request, a large vector asks for them before it is touched.
//!
//! The one `unsafe` call passes the vector's own unused memory to `madvise` with an advice that changes how it is backed
//! and never what it holds.
#![allow(unsafe_code)]

/// The size of a huge page; smaller vectors are left alone.
const HUGE_PAGE: usize = 2 << 20;

/// An empty vector with room for `capacity` items.
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut items = Vec::with_capacity(capacity);
    #[cfg(target_os = "linux")]
    {
        let room = items.spare_capacity_mut();
        let start = room.as_ptr() as usize;
        let first = start.next_multiple_of(4096);
        let end = (start + size_of_val(room)) & !4095;
        if end.saturating_sub(first) >= HUGE_PAGE {
            // SAFETY: the range lies within memory that the vector owns and no reference to its content exists; the
            // advice is a hint, and failing to follow it is no error.
            let _ = unsafe {
                rustix::mm::madvise(first as *mut std::ffi::c_void, end - first, rustix::mm::Advice::LinuxHugepage)
            };
        }
    }
    items
}

/// A vector of copies of an item.
pub fn filled<T: Clone>(item: T, len: usize) -> Vec<T> {
    let mut items = with_capacity(len);
    items.resize(len, item);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_vectors_hold_what_is_put_in() {
        for len in [0, 1, 1000, 3 << 18, (3 << 18) + 7] {
            let mut items = filled(7u64, len);
            assert!(items.capacity() >= len && items.iter().all(|&item| item == 7));
            items.push(8);
            assert_eq!(items.len(), len + 1);
        }
    }
}
