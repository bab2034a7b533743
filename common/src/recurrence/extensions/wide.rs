//! The evaluation of a block compiled for AVX-512: the same code, with a word permuted by one instruction.
//!
//! This module needs `unsafe` to enter functions compiled for the instruction set, and for one load; the tests compare
//! its tables with those of the portable path.
#![allow(unsafe_code)]

use super::block::{BlockEvaluator, Edge, UpperContext};

/// Evaluates a block like [`BlockEvaluator::evaluate`].
///
/// # Panics
/// If the machine lacks the instructions.
pub(super) fn evaluate<const D: usize>(
    evaluator: &mut BlockEvaluator<D>,
    context: &UpperContext<'_>,
    edges: &[Edge],
    sources: &[[u64; D]],
    block: &mut [[u64; D]],
) {
    assert!(crate::symmetry::Isa::detect() == crate::symmetry::Isa::Wide);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the machine has the instructions, as just checked.
    unsafe {
        x86::evaluate(evaluator, context, edges, sources, block);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (evaluator, context, edges, sources, block);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BlockEvaluator, Edge, UpperContext};

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512dq,avx512bitalg,popcnt,bmi1,bmi2,lzcnt")]
    pub(super) fn evaluate<const D: usize>(
        evaluator: &mut BlockEvaluator<D>,
        context: &UpperContext<'_>,
        edges: &[Edge],
        sources: &[[u64; D]],
        block: &mut [[u64; D]],
    ) {
        evaluator.evaluate(context, edges, sources, block, |action, g, set| {
            let row = action.preimages(g);
            assert!(row.len() == 64);
            // SAFETY: the row has 64 bytes, and the load asks for no alignment.
            let preimages = unsafe { _mm512_loadu_si512(row.as_ptr().cast()) };
            _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(set as i64), preimages)
        });
    }
}
