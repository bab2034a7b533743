//! Hints to the processor that a place will be read soon.
//!
//! The one `unsafe` line is the intrinsic; a prefetch reads nothing that the program could see and cannot fault.
#![allow(unsafe_code)]

/// Starts to bring an item into the cache; does nothing where the index is out of range or the machine has no such hint.
#[inline(always)]
pub fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(index) {
        // SAFETY: the address is that of a live reference, and the instruction has no architectural effect.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(item).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
