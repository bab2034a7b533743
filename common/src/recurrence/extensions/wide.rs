//! The evaluation of a block compiled for AVX-512: the same code, with a word permuted by one instruction.
//!
//! This module needs `unsafe` to enter functions compiled for the instruction set, and for one load; the tests compare
//! its tables with those of the portable path.
#![allow(unsafe_code)]

use super::ahead::Ahead;
use super::block::{BlockEvaluator, UpperContext};
use super::gather::CodeImages;
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

    use super::{Ahead, BlockEvaluator, CodeImages, Edge, UpperContext};
    use crate::symmetry::{Action, GroupElement};

    #[target_feature(
        enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2,lzcnt"
    )]
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
        let permute = |preimages: &[u8], free: u64, allowed: u64, images: &mut CodeImages| {
            let allowed = _mm512_maskz_compress_epi8(allowed, load(preimages));
            let numbers = _mm512_maskz_expand_epi8(free, load(&NUMBERS));
            let positions = _mm512_permutexvar_epi8(allowed, numbers);
            // SAFETY: the array has 64 bytes, and the store asks for no alignment.
            unsafe { _mm512_storeu_si512(images.positions.as_mut_ptr().cast(), positions) };
            let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(positions));
            let bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), first);
            let bit = |j: usize| _mm512_permutexvar_epi32(_mm512_set1_epi32(j as i32), bits);
            // The codes of four bits that have a bit j.
            let mut table = _mm512_maskz_mov_epi32(0xAAAA, bit(0));
            table = _mm512_mask_or_epi32(table, 0xCCCC, table, bit(1));
            table = _mm512_mask_or_epi32(table, 0xF0F0, table, bit(2));
            table = _mm512_mask_or_epi32(table, 0xFF00, table, bit(3));
            let fifth = _mm512_or_si512(table, bit(4));
            let tables = [table, fifth, _mm512_or_si512(table, bit(5)), _mm512_or_si512(fifth, bit(5))];
            for (part, table) in images.low.as_chunks_mut::<16>().0.iter_mut().zip(tables) {
                // SAFETY: the part has 64 bytes, and the store asks for no alignment.
                unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), table) };
            }
        };
        evaluator.evaluate(context, edges, ahead, block, image, permute);
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
