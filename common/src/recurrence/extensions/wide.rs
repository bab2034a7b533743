//! The evaluation of a block compiled for AVX-512: the same code, with a word permuted by one instruction.
//!
//! This module needs `unsafe` to enter functions compiled for the instruction set, and for one load; the tests compare
//! its tables with those of the portable path.
#![allow(unsafe_code)]

use super::ahead::Ahead;
use super::block::{BlockEvaluator, UpperContext};
use crate::space::edges::Edge;

/// Evaluates a block like [`BlockEvaluator::evaluate`].
///
/// # Panics
/// If the machine lacks the instructions.
pub(super) fn evaluate<const D: usize>(
    evaluator: &mut BlockEvaluator<D>,
    context: &UpperContext<'_>,
    edges: &[Edge],
    ahead: &mut Ahead<'_, D>,
    block: &mut [[u64; D]],
) {
    assert!(crate::symmetry::Isa::detect() == crate::symmetry::Isa::Wide);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the machine has the instructions, as just checked.
    unsafe {
        x86::evaluate(evaluator, context, edges, ahead, block);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (evaluator, context, edges, ahead, block);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Ahead, BlockEvaluator, Edge, UpperContext};
    use crate::symmetry::{Action, GroupElement};

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2,lzcnt")]
    pub(super) fn evaluate<const D: usize>(
        evaluator: &mut BlockEvaluator<D>,
        context: &UpperContext<'_>,
        edges: &[Edge],
        ahead: &mut Ahead<'_, D>,
        block: &mut [[u64; D]],
    ) {
        let image = |action: &Action, g: GroupElement, set: u64| {
            let preimages = load(action.preimages(g));
            _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(set as i64), preimages)
        };
        let positions = |preimages: &[u8], free: u64, allowed: u64, positions: &mut [u8; 64]| {
            let allowed = _mm512_maskz_compress_epi8(allowed, load(preimages));
            let numbers = _mm512_maskz_expand_epi8(free, load(&NUMBERS));
            let result = _mm512_permutexvar_epi8(allowed, numbers);
            // SAFETY: the array has 64 bytes, and the store asks for no alignment.
            unsafe { _mm512_storeu_si512(positions.as_mut_ptr().cast(), result) };
        };
        evaluator.evaluate(context, edges, ahead, block, image, positions);
    }

    /// The numbers from 0.
    const NUMBERS: [u8; 64] = {
        let mut numbers = [0; 64];
        let mut i = 0;
        while i < 64 {
            numbers[i] = i as u8;
            i += 1;
        }
        numbers
    };

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8]) -> __m512i {
        assert!(bytes.len() == 64);
        // SAFETY: there are 64 bytes, and the load asks for no alignment.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }
}
