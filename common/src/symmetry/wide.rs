//! Canonical forms eight at a time with AVX-512.
//!
//! Eight ideals lie in the eight lanes of a register. Counts are masks and population counts, keys are 32-bit products,
//! and comparisons of keys count the digits of the number of the permutation that sorts the points. Only where points are
//! tied keys are sorted, by a network of minima and maxima, to see which ones. A permutation of the 64 bits of a word is then one instruction
//! (`vpshufbitqmb`): the row of the action table is its operand.
//!
//! This module needs `unsafe` for the intrinsics that load and store and to enter functions compiled for the instruction
//! set; [`available`] is checked before. The tests compare every form with the portable path.
#![allow(unsafe_code)]

use super::Canonical;
use super::action::GroupElement;
use super::points::Points;
use crate::ideal::Ideal;

/// Whether the machine has the instructions.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        super::middle::available()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("avx512vpopcntdq")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether the scheme is one that this module computes: points of two levels, all of one class.
pub fn serves<const W: usize>(points: &Points<W>) -> bool {
    points.is_boolean() && (3..=8).contains(&points.points)
}

/// Appends the canonical forms of `ideals` to `forms`.
///
/// # Panics
/// If the machine lacks the instructions or the scheme is not served.
pub fn canonical_batch<const W: usize>(points: &Points<W>, ideals: &[Ideal<W>], forms: &mut Vec<Canonical<W>>) {
    assert!(available() && serves(points));
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `available` has just confirmed every instruction set that these functions are compiled for.
    unsafe {
        match points.points {
            3 => x86::canonical_batch::<W, 3>(points, ideals, forms),
            4 => x86::canonical_batch::<W, 4>(points, ideals, forms),
            5 => x86::canonical_batch::<W, 5>(points, ideals, forms),
            6 => x86::canonical_batch::<W, 6>(points, ideals, forms),
            7 => x86::canonical_batch::<W, 7>(points, ideals, forms),
            _ => x86::canonical_batch::<W, 8>(points, ideals, forms),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (ideals, forms);
}

/// The image of a set of elements.
///
/// # Panics
/// If the machine lacks the instructions.
#[inline]
pub fn image_of<const W: usize>(points: &Points<W>, g: GroupElement, set: Ideal<W>) -> Ideal<W> {
    assert!(available());
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `available` has just confirmed every instruction set that the function is compiled for.
    unsafe {
        x86::image(points, g, set)
    }
    #[cfg(not(target_arch = "x86_64"))]
    points.action.apply(g, set)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::action::{GroupElement, MAX_POINTS};
    use super::super::points::{COUNT_SHIFT, Points, SPREAD, SUM_MASK, TRIPLE_WEIGHT, least_image};
    use super::{Canonical, Ideal};

    /// Lanes of a register: ideals in a batch.
    const LANES: usize = 8;

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg,avx512vpopcntdq,popcnt")]
    pub fn canonical_batch<const W: usize, const N: usize>(
        points: &Points<W>,
        ideals: &[Ideal<W>],
        forms: &mut Vec<Canonical<W>>,
    ) {
        forms.reserve(ideals.len());
        let mut waiting = Waiting { ideals: [Ideal::empty(); LANES], forms: [0; LANES], count: 0 };
        for batch in ideals.chunks(LANES) {
            let keys = keys::<W, N, false>(points, batch);
            let (sorting, tied) = (sorting(&keys), any_tied(&keys));
            for (lane, &ideal) in batch.iter().enumerate() {
                let by = GroupElement(sorting[lane] as u16);
                if tied >> lane & 1 == 1 {
                    waiting.ideals[waiting.count] = ideal;
                    waiting.forms[waiting.count] = forms.len();
                    waiting.count += 1;
                }
                forms.push(Canonical { ideal: image(points, by, ideal), by, stabiliser: 1 });
                if waiting.count == LANES {
                    break_ties::<W, N>(points, &mut waiting, forms);
                }
            }
        }
        break_ties::<W, N>(points, &mut waiting, forms);
    }

    /// Ideals whose points the coarser key leaves tied, and which forms are theirs.
    struct Waiting<const W: usize> {
        ideals: [Ideal<W>; LANES],
        forms: [usize; LANES],
        count: usize,
    }

    /// Finds the forms of those waiting, by the finer key.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512bitalg,avx512vpopcntdq,popcnt")]
    fn break_ties<const W: usize, const N: usize>(
        points: &Points<W>,
        waiting: &mut Waiting<W>,
        forms: &mut [Canonical<W>],
    ) {
        let keys = keys::<W, N, true>(points, &waiting.ideals[..waiting.count]);
        let (sorting, tied) = (sorting(&keys), ties(keys));
        for lane in 0..std::mem::take(&mut waiting.count) {
            let ideal = waiting.ideals[lane];
            forms[waiting.forms[lane]] =
                least_image(&points.ties, sorting[lane] as u16, tied[lane], |g| image(points, g, ideal));
        }
    }

    /// The image of a set of elements: one shuffle for each pair of a word read and a word made.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512bitalg")]
    pub fn image<const W: usize>(points: &Points<W>, g: GroupElement, ideal: Ideal<W>) -> Ideal<W> {
        let row = points.action.preimages(g);
        debug_assert_eq!(row.len(), 64 * W);
        let mut result = [0; W];
        for (made, bytes) in result.iter_mut().zip(row.chunks_exact(64)) {
            // SAFETY: the chunk has 64 bytes, and the load asks for no alignment.
            let preimages = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            if W == 1 {
                *made = _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(ideal.0[0] as i64), preimages);
                continue;
            }
            // The shuffle looks at the low six bits of a preimage; the higher ones choose the word.
            let word_of = _mm512_and_si512(preimages, _mm512_set1_epi8(0xC0_u8 as i8));
            for (number, &word) in ideal.0.iter().enumerate() {
                let here = _mm512_cmpeq_epi8_mask(word_of, _mm512_set1_epi8((number << 6) as u8 as i8));
                *made |= here & _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(word as i64), preimages);
            }
        }
        Ideal(result)
    }

    /// The keys of the points of at most eight ideals, the coarser or the finer ones.
    #[inline]
    #[expect(clippy::needless_range_loop, reason = "indices name pairs of points")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq")]
    fn keys<const W: usize, const N: usize, const TRIPLES: bool>(
        points: &Points<W>,
        ideals: &[Ideal<W>],
    ) -> [__m512i; N] {
        let zero = _mm512_setzero_si512();
        let mut words = [zero; W];
        for (w, register) in words.iter_mut().enumerate() {
            let mut lanes = [0; LANES];
            for (lane, ideal) in lanes.iter_mut().zip(ideals) {
                *lane = ideal.0[w];
            }
            *register = load(&lanes);
        }
        let mut counts = [[zero; N]; N];
        for i in 0..N {
            for j in i..N {
                let mask = &points.together[i * MAX_POINTS + j].0;
                let mut count = zero;
                for w in 0..W {
                    let members = _mm512_and_si512(words[w], _mm512_set1_epi64(mask[w] as i64));
                    count = _mm512_add_epi64(count, _mm512_popcnt_epi64(members));
                }
                counts[i][j] = count;
                counts[j][i] = count;
            }
        }
        let mut scrambled = [zero; N];
        for i in 0..N {
            scrambled[i] = scramble(counts[i][i]);
        }
        let mut sums = [zero; N];
        for i in 0..N {
            for j in 0..N {
                sums[i] = _mm512_add_epi64(sums[i], _mm512_mul_epu32(counts[i][j], scrambled[j]));
            }
        }
        if TRIPLES {
            let weight = _mm512_set1_epi64(TRIPLE_WEIGHT as i64);
            for i in 0..N {
                for j in i + 1..N {
                    counts[j][i] = scramble(counts[i][j]);
                }
            }
            let mut in_triples = points.in_triples.iter();
            for i in 0..N {
                for j in i + 1..N {
                    for k in j + 1..N {
                        let Some(elements) = in_triples.next() else { continue };
                        let mut count = zero;
                        for w in 0..W {
                            let members = _mm512_and_si512(words[w], _mm512_set1_epi64(elements.0[w] as i64));
                            count = _mm512_add_epi64(count, _mm512_popcnt_epi64(members));
                        }
                        count = _mm512_mul_epu32(count, weight);
                        for [one, a, b] in [[i, k, j], [j, k, i], [k, j, i]] {
                            sums[one] = _mm512_add_epi64(sums[one], _mm512_mul_epu32(count, counts[a][b]));
                        }
                    }
                }
            }
        }
        let mut keys = [zero; N];
        for i in 0..N {
            let sum = if TRIPLES { _mm512_and_si512(sums[i], _mm512_set1_epi64(SUM_MASK as i64)) } else { sums[i] };
            keys[i] = _mm512_add_epi64(_mm512_slli_epi64::<COUNT_SHIFT>(counts[i][i]), _mm512_slli_epi64::<3>(sum));
        }
        keys
    }

    /// For each lane the number of the permutation that sorts the points, those with equal keys in their order.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sorting<const N: usize>(keys: &[__m512i; N]) -> [u64; LANES] {
        let one = _mm512_set1_epi64(1);
        let mut number = _mm512_setzero_si512();
        for i in 0..N {
            number = _mm512_mul_epu32(number, _mm512_set1_epi64((N - i) as i64));
            for j in i + 1..N {
                let before = _mm512_cmplt_epu64_mask(keys[j], keys[i]);
                number = _mm512_mask_add_epi64(number, before, number, one);
            }
        }
        let mut numbers = [0; LANES];
        // SAFETY: the array has 64 bytes, and the store asks for no alignment.
        unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), number) };
        numbers
    }

    /// The lanes in which some points have equal keys.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn any_tied<const N: usize>(keys: &[__m512i; N]) -> u8 {
        let mut tied = 0;
        for i in 0..N {
            for j in i + 1..N {
                tied |= _mm512_cmpeq_epi64_mask(keys[j], keys[i]);
            }
        }
        tied
    }

    /// For each lane the tie mask.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn ties<const N: usize>(mut keys: [__m512i; N]) -> [u8; LANES] {
        // Odd-even transposition: N rounds sort N keys.
        for round in 0..N {
            for p in (round % 2..N - 1).step_by(2) {
                let (low, high) = (keys[p], keys[p + 1]);
                keys[p] = _mm512_min_epu64(low, high);
                keys[p + 1] = _mm512_max_epu64(low, high);
            }
        }
        let mut tied = [0; LANES];
        for p in 0..N - 1 {
            let lanes = _mm512_cmpeq_epi64_mask(keys[p], keys[p + 1]);
            if lanes != 0 {
                for (lane, mask) in tied.iter_mut().enumerate() {
                    *mask |= (lanes >> lane & 1) << p;
                }
            }
        }
        tied
    }

    /// Scrambles a count; the low 32 bits of each lane count.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn scramble(count: __m512i) -> __m512i {
        let product = _mm512_mul_epu32(count, _mm512_set1_epi64(SPREAD as i64));
        _mm512_xor_si512(product, _mm512_srli_epi64::<13>(product))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(lanes: &[u64; LANES]) -> __m512i {
        // SAFETY: the array has 64 bytes, and the load asks for no alignment.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }
}
