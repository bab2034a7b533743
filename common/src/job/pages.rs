//! Memory for large tables: pages that are not there before they are used, and large ones where the system has them.
//!
//! A table of a gigabyte is read at random; with pages of 4 KiB nearly every read would look its page up in memory too.
//! The one `unsafe` line asks for larger pages, which changes nothing that a program can see but the time.
#![allow(unsafe_code)]

/// Bytes from which on large pages are worth the asking.
#[cfg(target_os = "linux")]
const LARGE: usize = 16 << 20;

/// So many zeros. Their memory is taken when they are first used.
pub(super) fn zeroed(len: usize) -> Vec<u64> {
    let table = vec![0; len];
    #[cfg(target_os = "linux")]
    ask_for_large_pages(&table);
    table
}

#[cfg(target_os = "linux")]
fn ask_for_large_pages(table: &[u64]) {
    let page = rustix::param::page_size();
    let bytes = table.as_ptr_range();
    let start = (bytes.start as usize).next_multiple_of(page);
    let length = (bytes.end as usize).saturating_sub(start) / page * page;
    if length < LARGE {
        return;
    }
    let offset = start - bytes.start as usize;
    // SAFETY: the pages lie within the table's own memory, and the advice changes neither contents nor access.
    let _ = unsafe {
        let pages = table.as_ptr().cast::<u8>().add(offset).cast_mut().cast();
        rustix::mm::madvise(pages, length, rustix::mm::Advice::LinuxHugepage)
    };
}

#[cfg(test)]
mod tests {
    use super::zeroed;

    #[test]
    fn zeros_of_any_number() {
        for len in [0, 1, 1 << 12, 3 << 20] {
            let mut table = zeroed(len);
            assert!(table.len() == len && table.iter().all(|&limb| limb == 0));
            table.fill(7);
        }
    }
}
