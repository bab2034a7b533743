//! The same loops compiled for several instruction sets.
//!
//! This module needs `unsafe` to enter functions compiled for an instruction set, and for one load; what the machine has
//! is checked before. The tests compare the tables of all paths.
#![allow(unsafe_code)]

use super::board::{Board, LayerValues};
use super::lower::{Chunk, Lower};
use super::upper::{Sides, Upper};
use crate::ideal::Ideal;
use crate::recurrence::rule::Rule;
use crate::symmetry::{Action, GroupElement, Isa};

fn image(action: &Action, g: GroupElement, set: u64) -> u64 {
    action.apply(g, Ideal([set])).0[0]
}

/// Whether the machine has the instructions of a path.
fn has(isa: Isa) -> bool {
    Isa::all().contains(&isa)
}

/// [`Lower::evaluate`] on an instruction set.
///
/// # Panics
/// If the machine lacks it.
pub(super) fn evaluate_lower<R: Rule, const W: usize>(
    lower: &mut Lower<R, W>,
    board: &Board<'_, W>,
    below: &[LayerValues<'_, W>],
    chunk: &mut Chunk<'_, W>,
    isa: Isa,
) -> u64 {
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Portable => {}
        Isa::Middle => {
            debug_assert!(has(isa));
            // SAFETY: whoever names an instruction set has got it from `Isa::detect` or `Isa::all`.
            return unsafe { x86::lower_middle(lower, board, below, chunk) };
        }
        Isa::Wide => {
            debug_assert!(has(isa));
            // SAFETY: as above.
            return unsafe { x86::lower_wide(lower, board, below, chunk) };
        }
    }
    let _ = isa;
    lower.evaluate(board, below, chunk, image)
}

/// [`Upper::evaluate`] on an instruction set.
///
/// # Panics
/// If the machine lacks it.
pub(super) fn evaluate_upper<R: Rule, const W: usize>(
    upper: &mut Upper<R, W>,
    sides: &Sides<'_, W>,
    chunk: &mut Chunk<'_, W>,
    isa: Isa,
) -> u64 {
    #[cfg(target_arch = "x86_64")]
    match isa {
        Isa::Portable => {}
        Isa::Middle => {
            debug_assert!(has(isa));
            // SAFETY: whoever names an instruction set has got it from `Isa::detect` or `Isa::all`.
            return unsafe { x86::upper_middle(upper, sides, chunk) };
        }
        Isa::Wide => {
            debug_assert!(has(isa));
            // SAFETY: as above.
            return unsafe { x86::upper_wide(upper, sides, chunk) };
        }
    }
    let _ = isa;
    upper.evaluate(sides, chunk, image)
}

/// [`Upper::copy_chunk`] on an instruction set.
///
/// # Panics
/// If the machine lacks it.
pub(super) fn copy_upper<R: Rule, const W: usize>(
    upper: &mut Upper<R, W>,
    sides: &Sides<'_, W>,
    chunk: &mut Chunk<'_, W>,
    isa: Isa,
) {
    #[cfg(target_arch = "x86_64")]
    if isa != Isa::Portable {
        debug_assert!(has(isa));
        // SAFETY: as above; what the wide path needs includes what the middle one needs.
        return unsafe { x86::copy_middle(upper, sides, chunk) };
    }
    let _ = isa;
    upper.copy_chunk(sides, chunk, &image);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Board, Chunk, GroupElement, LayerValues, Lower, Rule, Sides, Upper, image};
    use crate::symmetry::Action;

    #[target_feature(enable = "popcnt,avx2,bmi1,bmi2,lzcnt")]
    pub(super) fn lower_middle<R: Rule, const W: usize>(
        lower: &mut Lower<R, W>,
        board: &Board<'_, W>,
        below: &[LayerValues<'_, W>],
        chunk: &mut Chunk<'_, W>,
    ) -> u64 {
        lower.evaluate(board, below, chunk, image)
    }

    #[target_feature(enable = "popcnt,avx2,bmi1,bmi2,lzcnt")]
    pub(super) fn upper_middle<R: Rule, const W: usize>(
        upper: &mut Upper<R, W>,
        sides: &Sides<'_, W>,
        chunk: &mut Chunk<'_, W>,
    ) -> u64 {
        upper.evaluate(sides, chunk, image)
    }

    #[target_feature(enable = "popcnt,avx2,bmi1,bmi2,lzcnt")]
    pub(super) fn copy_middle<R: Rule, const W: usize>(
        upper: &mut Upper<R, W>,
        sides: &Sides<'_, W>,
        chunk: &mut Chunk<'_, W>,
    ) {
        upper.copy_chunk(sides, chunk, &image);
    }

    #[target_feature(
        enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2,lzcnt"
    )]
    pub(super) fn lower_wide<R: Rule, const W: usize>(
        lower: &mut Lower<R, W>,
        board: &Board<'_, W>,
        below: &[LayerValues<'_, W>],
        chunk: &mut Chunk<'_, W>,
    ) -> u64 {
        lower.evaluate(board, below, chunk, |action: &Action, g, set| shuffle(action, g, set))
    }

    #[target_feature(
        enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2,lzcnt"
    )]
    pub(super) fn upper_wide<R: Rule, const W: usize>(
        upper: &mut Upper<R, W>,
        sides: &Sides<'_, W>,
        chunk: &mut Chunk<'_, W>,
    ) -> u64 {
        upper.evaluate(sides, chunk, |action: &Action, g, set| shuffle(action, g, set))
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
