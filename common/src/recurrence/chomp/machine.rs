//! The same loops compiled for several instruction sets.
//!
//! This module needs `unsafe` to enter functions compiled for an instruction set, and for one load; what the machine has
//! is checked before. The tests compare the tables of all paths.
#![allow(unsafe_code)]

use crate::ideal::Ideal;
use crate::symmetry::{Action, GroupElement, Isa};

/// Work on a chunk that wants images of sets of uppers, however these are formed.
pub(super) trait Work {
    /// Does it; to be inlined, so that it is compiled for the instruction set of whoever calls it.
    fn run(self, image: impl Fn(&Action, GroupElement, u64) -> u64) -> u64;
}

fn image(action: &Action, g: GroupElement, set: u64) -> u64 {
    action.apply(g, Ideal([set])).0[0]
}

/// Does the work on an instruction set.
///
/// # Panics
/// If the machine lacks it.
pub(super) fn run<T: Work>(work: T, isa: Isa) -> u64 {
    assert!(Isa::all().contains(&isa), "{isa:?} is one of this machine's instruction sets");
    match isa {
        // SAFETY: the machine has the instructions, as just checked.
        #[cfg(target_arch = "x86_64")]
        Isa::Middle => unsafe { x86::middle(work) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Wide => unsafe { x86::wide(work) },
        _ => work.run(image),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{GroupElement, Work, image};
    use crate::symmetry::Action;

    #[target_feature(enable = "popcnt,avx2,bmi1,bmi2,lzcnt")]
    pub(super) fn middle<T: Work>(work: T) -> u64 {
        work.run(image)
    }

    #[target_feature(
        enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2,lzcnt"
    )]
    pub(super) fn wide<T: Work>(work: T) -> u64 {
        work.run(|action: &Action, g, set| shuffle(action, g, set))
    }

    /// The image of a set of uppers in one instruction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bitalg")]
    fn shuffle(action: &Action, g: GroupElement, set: u64) -> u64 {
        let preimages = action.preimages(g);
        assert!(preimages.len() == 64);
        // SAFETY: there are 64 bytes, and the load asks for no alignment.
        let preimages = unsafe { _mm512_loadu_si512(preimages.as_ptr().cast()) };
        _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(set as i64), preimages)
    }
}
