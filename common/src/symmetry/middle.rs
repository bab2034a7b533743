//! Canonical forms one at a time, as on any machine, but compiled for instructions that machines without AVX-512 have had
//! for ten years: counting bits is one of them.
//!
//! This module needs `unsafe` to enter functions compiled for the instruction set; [`available`] is checked before. The
//! tests compare every form with the portable path.
#![allow(unsafe_code)]

use super::Canonical;
use super::points::Points;
use crate::ideal::Ideal;

/// Whether the machine has the instructions.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Appends the canonical forms of `ideals` to `forms`.
///
/// # Panics
/// If the machine lacks the instructions.
pub fn canonical_batch<const W: usize>(points: &Points<W>, ideals: &[Ideal<W>], forms: &mut Vec<Canonical<W>>) {
    assert!(available());
    #[cfg(target_arch = "x86_64")]
    // SAFETY: `available` has just confirmed every instruction set that the function is compiled for.
    unsafe {
        x86::canonical_batch(points, ideals, forms);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (points, ideals, forms);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Canonical, Ideal, Points};

    #[target_feature(enable = "popcnt,avx2,bmi1,bmi2,lzcnt")]
    pub fn canonical_batch<const W: usize>(points: &Points<W>, ideals: &[Ideal<W>], forms: &mut Vec<Canonical<W>>) {
        forms.reserve(ideals.len());
        for &ideal in ideals {
            forms.push(points.canonical(ideal));
        }
    }
}
